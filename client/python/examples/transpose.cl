// SPDX-License-Identifier: Apache-2.0
// A transposition in tiles of local memory: TILE and PAD are the variants' parameters.
__kernel void transpose(__global const float *in, __global float *out, int width, int height)
{
	__local float tile[TILE][TILE + PAD];
	int x = get_local_id(0), y = get_local_id(1);
	int column = get_group_id(0) * TILE, row = get_group_id(1) * TILE;

	tile[y][x] = in[(row + y) * width + column + x];
	barrier(CLK_LOCAL_MEM_FENCE);
	out[(column + y) * height + row + x] = tile[x][y];
}
