/* SPDX-License-Identifier: Apache-2.0 */
/*
 * c = a b, of N x N floats in rows. A work-group makes TILE_M x TILE_N of c, a work-item ITEMS_M x
 * ITEMS_N of these, K_STEP of the sum at a time; LOCAL: by way of local memory.
 */
#define GROUP_M (TILE_M / ITEMS_M)
#define GROUP_N (TILE_N / ITEMS_N)

kernel void gemm(global const float *a, global const float *b, global float *c, int n)
{
	const int x = get_local_id(0), y = get_local_id(1);
	const int column = get_group_id(0) * TILE_N, row = get_group_id(1) * TILE_M;
	float sum[ITEMS_M][ITEMS_N];
	for (int i = 0; i < ITEMS_M; i++)
		for (int j = 0; j < ITEMS_N; j++)
			sum[i][j] = 0;
#if LOCAL
	local float tile_a[TILE_M][K_STEP], tile_b[K_STEP][TILE_N];
#endif
	for (int k = 0; k < n; k += K_STEP) {
#if LOCAL
		for (int i = y * GROUP_N + x; i < TILE_M * K_STEP; i += GROUP_M * GROUP_N)
			tile_a[i / K_STEP][i % K_STEP] = a[(row + i / K_STEP) * n + k + i % K_STEP];
		for (int i = y * GROUP_N + x; i < TILE_N * K_STEP; i += GROUP_M * GROUP_N)
			tile_b[i / TILE_N][i % TILE_N] = b[(k + i / TILE_N) * n + column + i % TILE_N];
		barrier(CLK_LOCAL_MEM_FENCE);
#endif
		for (int l = 0; l < K_STEP; l++)
			for (int i = 0; i < ITEMS_M; i++)
				for (int j = 0; j < ITEMS_N; j++)
#if LOCAL
					sum[i][j] += tile_a[y + i * GROUP_M][l] *
					             tile_b[l][x + j * GROUP_N];
#else
					sum[i][j] += a[(row + y + i * GROUP_M) * n + k + l] *
					             b[(k + l) * n + column + x + j * GROUP_N];
#endif
#if LOCAL
		barrier(CLK_LOCAL_MEM_FENCE);
#endif
	}
	for (int i = 0; i < ITEMS_M; i++)
		for (int j = 0; j < ITEMS_N; j++)
			c[(row + y + i * GROUP_M) * n + column + x + j * GROUP_N] = sum[i][j];
}

kernel void reference(global const float *a, global const float *b, global float *c, int n)
{
	float sum = 0;
	for (int k = 0; k < n; k++)
		sum += a[get_global_id(1) * n + k] * b[k * n + get_global_id(0)];
	c[get_global_id(1) * n + get_global_id(0)] = sum;
}
