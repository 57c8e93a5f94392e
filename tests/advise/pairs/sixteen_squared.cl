// SPDX-License-Identifier: Apache-2.0
//
// A product of matrices, of which the first is transposed: 16 x 16 results a work-item, more than
// registers hold, against 8 x 8.

__kernel void bad(__global const float *at, __global const float *bs, __global float *out, uint n)
{
	const uint x = get_global_id(0), y = get_global_id(1), columns = get_global_size(0);
	float sums[16][16], left[16], right[16];

	for (uint a = 0; a < 16; a++)
		for (uint b = 0; b < 16; b++)
			sums[a][b] = 0.0f;
	for (uint k = 0; k < n; k++) {
		for (uint a = 0; a < 16; a++)
			left[a] = at[k * n + y * 16 + a];
		for (uint b = 0; b < 16; b++)
			right[b] = bs[k * n + b * columns + x];
		for (uint a = 0; a < 16; a++)
			for (uint b = 0; b < 16; b++)
				sums[a][b] += left[a] * right[b];
	}
	for (uint a = 0; a < 16; a++)
		for (uint b = 0; b < 16; b++)
			out[(y * 16 + a) * n + b * columns + x] = sums[a][b];
}

__kernel void good(__global const float *at, __global const float *bs, __global float *out, uint n)
{
	const uint x = get_global_id(0), y = get_global_id(1), columns = get_global_size(0);
	float sums[8][8], left[8], right[8];

	for (uint a = 0; a < 8; a++)
		for (uint b = 0; b < 8; b++)
			sums[a][b] = 0.0f;
	for (uint k = 0; k < n; k++) {
		for (uint a = 0; a < 8; a++)
			left[a] = at[k * n + y * 8 + a];
		for (uint b = 0; b < 8; b++)
			right[b] = bs[k * n + b * columns + x];
		for (uint a = 0; a < 8; a++)
			for (uint b = 0; b < 8; b++)
				sums[a][b] += left[a] * right[b];
	}
	for (uint a = 0; a < 8; a++)
		for (uint b = 0; b < 8; b++)
			out[(y * 8 + a) * n + b * columns + x] = sums[a][b];
}
