// SPDX-License-Identifier: Apache-2.0
//
// A product of matrices: rows and columns from global memory against tiles in local memory.

#define TILE 16

__kernel void bad(__global const float *a, __global const float *b, __global float *c, uint n)
{
	const uint column = get_global_id(0), row = get_global_id(1);
	float sum = 0.0f;

	for (uint k = 0; k < n; k++)
		sum += a[row * n + k] * b[k * n + column];
	c[row * n + column] = sum;
}

__kernel void good(__global const float *a, __global const float *b, __global float *c, uint n)
{
	__local float of_a[TILE][TILE], of_b[TILE][TILE];
	const uint x = get_local_id(0), y = get_local_id(1);
	const uint column = get_global_id(0), row = get_global_id(1);
	float sum = 0.0f;

	for (uint first = 0; first < n; first += TILE) {
		of_a[y][x] = a[row * n + first + x];
		of_b[y][x] = b[(first + y) * n + column];
		barrier(CLK_LOCAL_MEM_FENCE);
		for (uint k = 0; k < TILE; k++)
			sum += of_a[y][k] * of_b[k][x];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	c[row * n + column] = sum;
}
