// SPDX-License-Identifier: Apache-2.0
//
// Prices of options by Black and Scholes: literals of double against literals of float.

float wide_tail(float d)
{
	const float k = 1.0 / (1.0 + 0.2316419 * fabs(d));
	const float tail = 0.3989422804 * exp(-0.5 * d * d) *
	                   (k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 +
	                    k * (-1.821255978 + k * 1.330274429)))));

	return d > 0 ? 1.0 - tail : tail;
}

__kernel void bad(__global const float *spot, __global const float *strike,
                  __global const float *years, __global float *call)
{
	const uint i = get_global_id(0);
	const float s = spot[i], x = strike[i], t = years[i], root = sqrt(t);
	const float d1 = (log(s / x) + (0.02 + 0.5 * 0.09) * t) / (0.3 * root);
	const float d2 = d1 - 0.3 * root;

	call[i] = s * wide_tail(d1) - x * exp(-0.02 * t) * wide_tail(d2);
}

float tail(float d)
{
	const float k = 1.0f / (1.0f + 0.2316419f * fabs(d));
	const float tail = 0.3989422804f * exp(-0.5f * d * d) *
	                   (k * (0.319381530f + k * (-0.356563782f + k * (1.781477937f +
	                    k * (-1.821255978f + k * 1.330274429f)))));

	return d > 0 ? 1.0f - tail : tail;
}

__kernel void good(__global const float *spot, __global const float *strike,
                  __global const float *years, __global float *call)
{
	const uint i = get_global_id(0);
	const float s = spot[i], x = strike[i], t = years[i], root = sqrt(t);
	const float d1 = (log(s / x) + (0.02f + 0.5f * 0.09f) * t) / (0.3f * root);
	const float d2 = d1 - 0.3f * root;

	call[i] = s * tail(d1) - x * exp(-0.02f * t) * tail(d2);
}
