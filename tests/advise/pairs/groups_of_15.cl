// SPDX-License-Identifier: Apache-2.0
//
// A polynomial of each element: work-groups of 15, whose rest fills no vector, against 256.

__kernel void bad(__global const float *in, __global float *out)
{
	const uint i = get_global_id(0);
	float x = in[i], y = 0.25f;

#pragma unroll
	for (uint k = 0; k < 32; k++)
		y = y * x + 0.125f;
	out[i] = y;
}

__kernel void good(__global const float *in, __global float *out)
{
	const uint i = get_global_id(0);
	float x = in[i], y = 0.25f;

#pragma unroll
	for (uint k = 0; k < 32; k++)
		y = y * x + 0.125f;
	out[i] = y;
}
