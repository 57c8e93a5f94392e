// SPDX-License-Identifier: Apache-2.0
//
// Steps that end at a limit, which few reach: a loop that is left against values that are chosen.

__kernel void bad(__global const float *in, __global float *out, float limit)
{
	const uint i = get_global_id(0);
	float x = in[i];

#pragma unroll
	for (uint k = 0; k < 24; k++) {
		if (x > limit)
			break;
		x = x * 1.0625f + 0.015625f;
	}
	out[i] = x;
}

__kernel void good(__global const float *in, __global float *out, float limit)
{
	const uint i = get_global_id(0);
	float x = in[i];

#pragma unroll
	for (uint k = 0; k < 24; k++)
		x = x > limit ? x : x * 1.0625f + 0.015625f;
	out[i] = x;
}
