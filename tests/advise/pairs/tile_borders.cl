// SPDX-License-Identifier: Apache-2.0
//
// A tile of a picture: one that begins 13 pixels into a row against one that begins at 16.

__kernel void bad(__global const float *in, __global float *out, int pitch, int first)
{
	const int x = get_global_id(0), y = get_global_id(1), at = y * pitch + first + x;

	out[at] = 0.25f * in[at] + 0.75f;
}

__kernel void good(__global const float *in, __global float *out, int pitch, int first)
{
	const int x = get_global_id(0), y = get_global_id(1), at = y * pitch + first + x;

	out[at] = 0.25f * in[at] + 0.75f;
}
