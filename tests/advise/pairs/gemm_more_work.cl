// SPDX-License-Identifier: Apache-2.0
//
// A product of matrices by tiles: one element a work-item against 8 of a column, so that a value
// from local memory serves 8 products.

#define TILE 32
#define EACH 8

__kernel void bad(__global const float *a, __global const float *b, __global float *c, uint n)
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

__kernel void good(__global const float *a, __global const float *b, __global float *c, uint n)
{
	__local float of_a[TILE][TILE], of_b[TILE][TILE];
	const uint x = get_local_id(0), y = get_local_id(1);
	const uint column = get_group_id(0) * TILE + x, row = get_group_id(1) * TILE + y;
	float sum[EACH];

	for (uint e = 0; e < EACH; e++)
		sum[e] = 0.0f;
	for (uint first = 0; first < n; first += TILE) {
		for (uint e = 0; e < EACH; e++) {
			const uint down = e * TILE / EACH;
			of_a[y + down][x] = a[(row + down) * n + first + x];
			of_b[y + down][x] = b[(first + y + down) * n + column];
		}
		barrier(CLK_LOCAL_MEM_FENCE);
		for (uint k = 0; k < TILE; k++) {
			const float other = of_b[k][x];
			for (uint e = 0; e < EACH; e++)
				sum[e] += of_a[y + e * TILE / EACH][k] * other;
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	for (uint e = 0; e < EACH; e++)
		c[(row + e * TILE / EACH) * n + column] = sum[e];
}
