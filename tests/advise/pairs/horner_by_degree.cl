// SPDX-License-Identifier: Apache-2.0
//
// A polynomial whose degree is an argument: one element a work-item against eight.

__kernel void bad(__global const float *in, __constant float *c, __global float *out, int degree)
{
	const uint i = get_global_id(0);
	const float x = in[i];
	float y = 0.25f;

	for (int k = 0; k < degree; k++)
		y = y * x + c[k];
	out[i] = y;
}

__kernel void good(__global const float *in, __constant float *c, __global float *out, int degree)
{
	const uint i = get_global_id(0);
	const float8 x = vload8(i, in);
	float8 y = 0.25f;

	for (int k = 0; k < degree; k++)
		y = y * x + c[k];
	vstore8(y, i, out);
}
