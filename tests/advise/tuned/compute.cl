// SPDX-License-Identifier: Apache-2.0
//
// Bound by arithmetic: prices of options by native functions, and rounds of a hash.

float tail(float d)
{
	const float k = native_recip(mad(0.2316419f, fabs(d), 1.0f));
	const float t = 0.3989422804f * native_exp(-0.5f * d * d) * k *
	                mad(k, mad(k, mad(k, mad(k, 1.330274429f, -1.821255978f), 1.781477937f),
	                           -0.356563782f),
	                    0.319381530f);

	return d > 0.0f ? 1.0f - t : t;
}

__kernel void prices(__global const float *spot, __global const float *strike,
                     __global const float *years, __global float *call)
{
	const uint i = get_global_id(0);
	const float s = spot[i], x = strike[i], t = years[i], root = native_sqrt(t);
	const float ratio = native_log(native_divide(s, x));
	const float d1 = native_divide(mad(0.065f, t, ratio), 0.3f * root);

	call[i] = s * tail(d1) - x * native_exp(-0.02f * t) * tail(d1 - 0.3f * root);
}

__kernel void hash(__global uint *out, uint rounds)
{
	uint a = get_global_id(0), b = 0x9e3779b9u, c = 0x85ebca6bu, d = 0xc2b2ae35u;

	for (uint r = 0; r < rounds; r++) {
		a += bitselect(d, c, b) + r;
		b += rotate(a, 7u);
		c += bitselect(a, d, b) + 0x5bd1e995u;
		d += rotate(c, 12u);
	}
	out[get_global_id(0)] = a ^ b ^ c ^ d;
}
