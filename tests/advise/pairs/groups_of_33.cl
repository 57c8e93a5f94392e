// SPDX-License-Identifier: Apache-2.0
//
// An iteration of each element: work-groups of 33 against 96; full warps, and full vectors.

__kernel void bad(__global const float *in, __global float *out)
{
	const uint i = get_global_id(0);
	float x = in[i];

	for (uint k = 0; k < 128; k++)
		x = 1.5f * x * (1.0f - x) + 0.25f;
	out[i] = x;
}

__kernel void good(__global const float *in, __global float *out)
{
	const uint i = get_global_id(0);
	float x = in[i];

	for (uint k = 0; k < 128; k++)
		x = 1.5f * x * (1.0f - x) + 0.25f;
	out[i] = x;
}
