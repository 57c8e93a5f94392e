// SPDX-License-Identifier: Apache-2.0
//
// A few work-items that do much: groups of 1024, of which there are fewer than cores, against 64.

__kernel void bad(__global const float *in, __global float *out, int steps)
{
	const uint i = get_global_id(0);
	float x = in[i], y = 0.5f;

	for (int k = 0; k < steps; k++)
		y = y * x + 0.25f;
	out[i] = y;
}

__kernel void good(__global const float *in, __global float *out, int steps)
{
	const uint i = get_global_id(0);
	float x = in[i], y = 0.5f;

	for (int k = 0; k < steps; k++)
		y = y * x + 0.25f;
	out[i] = y;
}
