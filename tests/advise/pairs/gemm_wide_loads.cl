// SPDX-License-Identifier: Apache-2.0
//
// A product of matrices by tiles: a float a work-item against float4, for loads, products and
// stores.

#define TILE 32
#define WIDE (TILE / 4)

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

__kernel void good(__global const float4 *a, __global const float4 *b, __global float4 *c, uint n)
{
	__local float4 of_a[TILE][WIDE], of_b[TILE][WIDE];
	const uint x = get_local_id(0), y = get_local_id(1), wide = n / 4;
	const uint column = get_global_id(0), row = get_global_id(1);
	float4 sum = 0.0f;

	for (uint first = 0; first < n; first += TILE) {
		of_a[y][x] = a[row * wide + first / 4 + x];
		of_b[y][x] = b[(first + y) * wide + column];
		barrier(CLK_LOCAL_MEM_FENCE);
		for (uint k = 0; k < WIDE; k++) {
			const float4 four = of_a[y][k];
			sum += four.x * of_b[4 * k][x];
			sum += four.y * of_b[4 * k + 1][x];
			sum += four.z * of_b[4 * k + 2][x];
			sum += four.w * of_b[4 * k + 3][x];
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	c[row * wide + column] = sum;
}
