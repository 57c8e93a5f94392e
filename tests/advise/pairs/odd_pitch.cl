// SPDX-License-Identifier: Apache-2.0
//
// Rows of a matrix of 2,049 columns, one behind the other against rows that begin at 128 bytes.

__kernel void bad(__global const float *a, __global float *out, uint pitch)
{
	const uint x = get_global_id(0), y = get_global_id(1);

	out[y * 2048 + x] = a[y * pitch + x] + a[y * pitch + x + 1];
}

__kernel void good(__global const float *a, __global float *out, uint pitch)
{
	const uint x = get_global_id(0), y = get_global_id(1);

	out[y * 2048 + x] = a[y * pitch + x] + a[y * pitch + x + 1];
}
