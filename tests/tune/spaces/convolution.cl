/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A filter of 7 x 7 over N x N pixels, whose edges are repeated. A work-item makes ITEMS_X x ITEMS_Y
 * pixels; LOCAL: the group's pixels and their neighbours lie in local memory; UNROLL: of the filter's
 * columns.
 */
#define RADIUS 3
#define WIDTH (2 * RADIUS + 1)
#define TILE_X (GROUP_X * ITEMS_X)
#define TILE_Y (GROUP_Y * ITEMS_Y)

kernel void convolution(global const float *in, constant float *filter, global float *out, int n)
{
	const int left = get_group_id(0) * TILE_X, top = get_group_id(1) * TILE_Y;
	const int x = get_local_id(0), y = get_local_id(1);
#if LOCAL
	local float tile[TILE_Y + 2 * RADIUS][TILE_X + 2 * RADIUS];
	for (int j = y; j < TILE_Y + 2 * RADIUS; j += GROUP_Y)
		for (int i = x; i < TILE_X + 2 * RADIUS; i += GROUP_X)
			tile[j][i] = in[clamp(top + j - RADIUS, 0, n - 1) * n +
			                clamp(left + i - RADIUS, 0, n - 1)];
	barrier(CLK_LOCAL_MEM_FENCE);
#endif
	for (int j = 0; j < ITEMS_Y; j++)
		for (int i = 0; i < ITEMS_X; i++) {
			const int column = x + i * GROUP_X, row = y + j * GROUP_Y;
			float sum = 0;
			for (int v = 0; v < WIDTH; v++)
#pragma unroll UNROLL
				for (int u = 0; u < WIDTH; u++)
#if LOCAL
					sum += tile[row + v][column + u] * filter[v * WIDTH + u];
#else
					sum += in[clamp(top + row + v - RADIUS, 0, n - 1) * n +
					          clamp(left + column + u - RADIUS, 0, n - 1)] *
					       filter[v * WIDTH + u];
#endif
			out[(top + row) * n + left + column] = sum;
		}
}

kernel void reference(global const float *in, constant float *filter, global float *out, int n)
{
	float sum = 0;
	for (int v = 0; v < WIDTH; v++)
		for (int u = 0; u < WIDTH; u++)
			sum += in[clamp((int)get_global_id(1) + v - RADIUS, 0, n - 1) * n +
			          clamp((int)get_global_id(0) + u - RADIUS, 0, n - 1)] *
			       filter[v * WIDTH + u];
	out[get_global_id(1) * n + get_global_id(0)] = sum;
}
