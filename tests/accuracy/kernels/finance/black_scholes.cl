/* SPDX-License-Identifier: Apache-2.0 */
/* European options in closed form, the normal distribution by a polynomial. */
float normal(float d)
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
	int i = get_global_id(0);
	float root = sqrt(years[i]);
	float d1 = (log(price[i] / strike[i]) + (rate + 0.5f * volatility * volatility) * years[i]) /
	           (volatility * root);
	float d2 = d1 - volatility * root;
	float discounted = strike[i] * exp(-rate * years[i]);
	float n1 = normal(d1), n2 = normal(d2);

	call[i] = price[i] * n1 - discounted * n2;
	put[i] = discounted * (1.0f - n2) - price[i] * (1.0f - n1);
}
