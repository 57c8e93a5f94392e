// SPDX-License-Identifier: Apache-2.0
//
// Sums of 12 rows in a cache: rows that begin one element behind a line's beginning, so that each
// vector lies in two lines, against 16.

__kernel void bad(__global const float *in, __global float *out, int pitch, int first)
{
	const int x = get_global_id(0), y = get_global_id(1);
	float sum = 0.0f;

#pragma unroll
	for (int k = 0; k < 12; k++)
		sum += in[(y + k) * pitch + first + x];
	out[y * (int)get_global_size(0) + x] = sum;
}

__kernel void good(__global const float *in, __global float *out, int pitch, int first)
{
	const int x = get_global_id(0), y = get_global_id(1);
	float sum = 0.0f;

#pragma unroll
	for (int k = 0; k < 12; k++)
		sum += in[(y + k) * pitch + first + x];
	out[y * (int)get_global_size(0) + x] = sum;
}
