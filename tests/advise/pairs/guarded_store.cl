// SPDX-License-Identifier: Apache-2.0
//
// A limit: a store under a condition against a value chosen and stored always.

__kernel void bad(__global const float *in, __global float *out, float limit)
{
	const uint i = get_global_id(0);
	float x = in[i];

	for (uint k = 0; k < 32; k++) {
		if (x > limit) {
			out[i] = x;
			x = x * 0.5f;
		} else {
			x = x * 1.25f + 0.01f;
		}
	}
	out[i] = x;
}

__kernel void good(__global const float *in, __global float *out, float limit)
{
	const uint i = get_global_id(0);
	float x = in[i];

	for (uint k = 0; k < 32; k++)
		x = x > limit ? x * 0.5f : x * 1.25f + 0.01f;
	out[i] = x;
}
