/* SPDX-License-Identifier: Apache-2.0 */
#define TILE 16

/* C = A^T B by tiles in local memory */
kernel void product_blocked(global const float *a, global const float *b, global float *c, int n)
{
	local float left[TILE][TILE], right[TILE][TILE];
	int x = get_local_id(0), y = get_local_id(1);
	int column = get_global_id(0), row = get_group_id(1) * TILE;
	float sum = 0;

	for (int start = 0; start < n; start += TILE) {
		left[y][x] = a[(start + y) * n + row + x];
		right[y][x] = b[(start + y) * n + column];
		barrier(CLK_LOCAL_MEM_FENCE);
		for (int k = 0; k < TILE; k++)
			sum += left[k][y] * right[k][x];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	c[(row + y) * n + column] = sum;
}
