// SPDX-License-Identifier: Apache-2.0
//
// Sums of the rows of a matrix, a row a work-item: row-major against column-major.

__kernel void bad(__global const float *a, __global float *sums, uint rows, uint columns)
{
	const uint row = get_global_id(0);
	float sum = 0.0f;

	for (uint k = 0; k < columns; k++)
		sum += a[row * columns + k];
	sums[row] = sum;
}

__kernel void good(__global const float *a, __global float *sums, uint rows, uint columns)
{
	const uint row = get_global_id(0);
	float sum = 0.0f;

	for (uint k = 0; k < columns; k++)
		sum += a[k * rows + row];
	sums[row] = sum;
}
