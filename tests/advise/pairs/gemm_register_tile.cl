// SPDX-License-Identifier: Apache-2.0
//
// A product of matrices by tiles: 8 results of a column a work-item, a load of local memory each,
// against 4 x 4 results, half a load each.

#define TILE 32
#define EACH 8

__kernel void bad(__global const float *a, __global const float *b, __global float *c, uint n)
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

#define WIDE 64
#define DEEP 16

__kernel void good(__global const float *a, __global const float *b, __global float *c, uint n)
{
	__local float of_a[DEEP][WIDE + 1], of_b[DEEP][WIDE];
	const uint lane = get_local_id(0), x = lane % 16, y = lane / 16;
	const uint column = get_group_id(0) * WIDE, row = get_group_id(1) * WIDE;
	float sum[4][4];

	for (uint i = 0; i < 4; i++)
		for (uint j = 0; j < 4; j++)
			sum[i][j] = 0.0f;
	for (uint first = 0; first < n; first += DEEP) {
		for (uint k = lane; k < DEEP * WIDE; k += 256) {
			of_a[k % DEEP][k / DEEP] = a[(row + k / DEEP) * n + first + k % DEEP];
			of_b[k / WIDE][k % WIDE] = b[(first + k / WIDE) * n + column + k % WIDE];
		}
		barrier(CLK_LOCAL_MEM_FENCE);
		for (uint k = 0; k < DEEP; k++) {
			float left[4], top[4];

			for (uint i = 0; i < 4; i++) {
				left[i] = of_a[k][y + 16 * i];
				top[i] = of_b[k][x + 16 * i];
			}
			for (uint i = 0; i < 4; i++)
				for (uint j = 0; j < 4; j++)
					sum[i][j] += left[i] * top[j];
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	for (uint i = 0; i < 4; i++)
		for (uint j = 0; j < 4; j++)
			c[(row + y + 16 * i) * n + column + x + 16 * j] = sum[i][j];
}
