/* SPDX-License-Identifier: Apache-2.0 */
/* European option prices by Black and Scholes; the normal distribution by a polynomial. */
// launch: global=262144 local=64 args=buffer:1M:r,buffer:1M:r,buffer:1M:r,buffer:1M:w,buffer:1M:w,float:0.02,float:0.3
// expect: kernel black_scholes
// expect: argument price buffer float
// expect: written sqrt.float 1
// expect: written log.float 1
// expect: written exp.float 3
// expect: accesses 5
// expect: load price coalesced
// expect: store put coalesced
// expect: segments call 4
static float normal(float d)
{
	float k = 1.0f / (1.0f + 0.2316419f * fabs(d));
	float tail = 0.39894228f * exp(-0.5f * d * d) *
	             (k * (0.31938153f +
	                   k * (-0.356563782f +
	                        k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));

	return d > 0.0f ? 1.0f - tail : tail;
}

kernel void black_scholes(global const float *price, global const float *strike,
                          global const float *years, global float *call, global float *put,
                          float rate, float volatility)
{
	size_t i = get_global_id(0);
	float s = price[i];
	float x = strike[i];
	float t = years[i];
	float root = sqrt(t);
	float d1 = (log(s / x) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root);
	float d2 = d1 - volatility * root;
	float n1 = normal(d1);
	float n2 = normal(d2);
	float discount = exp(-rate * t);

	call[i] = s * n1 - x * discount * n2;
	put[i] = x * discount * (1.0f - n2) - s * (1.0f - n1);
}
