// SPDX-License-Identifier: Apache-2.0
//
// Columns of a tile of doubles in local memory: rows of 32 against rows of 33.

#define TILE 32
#define ROWS 8

__kernel void bad(__global const double *in, __global double *out, uint n)
{
	__local double tile[TILE][TILE];
	const uint x = get_local_id(0), y = get_local_id(1);
	const uint column = get_group_id(0) * TILE, row = get_group_id(1) * TILE;

	for (uint k = y; k < TILE; k += ROWS)
		tile[k][x] = in[(row + k) * n + column + x];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint k = y; k < TILE; k += ROWS)
		out[(column + k) * n + row + x] = tile[x][k];
}

__kernel void good(__global const double *in, __global double *out, uint n)
{
	__local double tile[TILE][TILE + 1];
	const uint x = get_local_id(0), y = get_local_id(1);
	const uint column = get_group_id(0) * TILE, row = get_group_id(1) * TILE;

	for (uint k = y; k < TILE; k += ROWS)
		tile[k][x] = in[(row + k) * n + column + x];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint k = y; k < TILE; k += ROWS)
		out[(column + k) * n + row + x] = tile[x][k];
}
