// SPDX-License-Identifier: Apache-2.0
//
// The largest of each of 256 rows: all rows in one group against four in each.

__kernel void bad(__global const float *in, __global float *out, int columns)
{
	__global const float *row = in + get_global_id(0) * columns;
	float most = row[0];

	for (int k = 1; k < columns; k++)
		most = most > row[k] ? most : row[k];
	out[get_global_id(0)] = most;
}

__kernel void good(__global const float *in, __global float *out, int columns)
{
	__global const float *row = in + get_global_id(0) * columns;
	float most = row[0];

	for (int k = 1; k < columns; k++)
		most = most > row[k] ? most : row[k];
	out[get_global_id(0)] = most;
}
