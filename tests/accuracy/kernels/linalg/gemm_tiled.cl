/* SPDX-License-Identifier: Apache-2.0 */
/* C = A B by square tiles in local memory; TILE is the side of a work-group. */
kernel void gemm_tiled(global const float *a, global const float *b, global float *c, int n)
{
	local float left[TILE][TILE];
	local float right[TILE][TILE + 1];
	int x = get_local_id(0), y = get_local_id(1);
	int column = get_global_id(0), row = get_global_id(1);
	float sum = 0.0f;

	for (int start = 0; start < n; start += TILE) {
		left[y][x] = a[row * n + start + x];
		right[y][x] = b[(start + y) * n + column];
		barrier(CLK_LOCAL_MEM_FENCE);
		for (int k = 0; k < TILE; k++)
			sum += left[y][k] * right[k][x];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	c[row * n + column] = sum;
}
