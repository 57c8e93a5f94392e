// SPDX-License-Identifier: Apache-2.0
//
// Prefix sums along the rows of a tile, a work-item a row: rows of 64 words against rows of 65.

#define ROWS    64
#define COLUMNS 64

__kernel void bad(__global const float *in, __global float *out)
{
	__local float tile[ROWS][COLUMNS];
	const uint lane = get_local_id(0), first = get_group_id(0) * ROWS * COLUMNS;
	float sum = 0.0f;

	for (uint row = 0; row < ROWS; row++)
		tile[row][lane] = in[first + row * COLUMNS + lane];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint column = 0; column < COLUMNS; column++) {
		sum += tile[lane][column];
		tile[lane][column] = sum;
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint row = 0; row < ROWS; row++)
		out[first + row * COLUMNS + lane] = tile[row][lane];
}

__kernel void good(__global const float *in, __global float *out)
{
	__local float tile[ROWS][COLUMNS + 1];
	const uint lane = get_local_id(0), first = get_group_id(0) * ROWS * COLUMNS;
	float sum = 0.0f;

	for (uint row = 0; row < ROWS; row++)
		tile[row][lane] = in[first + row * COLUMNS + lane];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint column = 0; column < COLUMNS; column++) {
		sum += tile[lane][column];
		tile[lane][column] = sum;
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint row = 0; row < ROWS; row++)
		out[first + row * COLUMNS + lane] = tile[row][lane];
}
