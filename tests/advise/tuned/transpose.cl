// SPDX-License-Identifier: Apache-2.0
//
// Transpositions through padded tiles, 4 and 8 rows a work-item; of floats and of bytes in fours.

#define TILE 32
#define ROWS 8

__kernel void transpose(__global const float *in, __global float *out, uint width, uint height)
{
	__local float tile[TILE][TILE + 1];
	const uint x = get_local_id(0), y = get_local_id(1);
	const uint column = get_group_id(0) * TILE, row = get_group_id(1) * TILE;

#pragma unroll
	for (uint k = 0; k < TILE; k += ROWS)
		tile[y + k][x] = in[(row + y + k) * width + column + x];
	barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
	for (uint k = 0; k < TILE; k += ROWS)
		out[(column + y + k) * height + row + x] = tile[x][y + k];
}
