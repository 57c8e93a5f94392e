// SPDX-License-Identifier: Apache-2.0
//
// Iterations that depend on the index: all lengths within a warp against one length a warp.

__kernel void bad(__global const float *in, __global float *out)
{
	const uint i = get_global_id(0), trips = 8 * (i % 32);
	float x = in[i];

	for (uint k = 0; k < trips; k++)
		x = x * 0.99f + 0.01f * x * x;
	out[i] = x;
}

__kernel void good(__global const float *in, __global float *out)
{
	const uint part = get_global_size(0) / 32;
	const uint i = get_global_id(0) % part * 32 + get_global_id(0) / part, trips = 8 * (i % 32);
	float x = in[i];

	for (uint k = 0; k < trips; k++)
		x = x * 0.99f + 0.01f * x * x;
	out[i] = x;
}
