// SPDX-License-Identifier: Apache-2.0
//
// A sparse matrix by a vector: a row a work-item against a row for 32 work-items.

__kernel void bad(__global const float *values, __global const int *columns,
                  __global const int *rows, __global const float *x, __global float *y, int height)
{
	const int row = get_global_id(0);
	float sum = 0.0f;

	if (row < height) {
		for (int k = rows[row]; k < rows[row + 1]; k++)
			sum += values[k] * x[columns[k]];
		y[row] = sum;
	}
}

__kernel void good(__global const float *values, __global const int *columns,
                   __global const int *rows, __global const float *x, __global float *y, int height)
{
	__local volatile float part[128];
	const int lane = get_local_id(0) & 31, row = get_global_id(0) / 32;
	float sum = 0.0f;

	if (row < height)
		for (int k = rows[row] + lane; k < rows[row + 1]; k += 32)
			sum += values[k] * x[columns[k]];
	part[get_local_id(0)] = sum;
	for (int s = 16; s > 0; s /= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (lane < s)
			part[get_local_id(0)] += part[get_local_id(0) + s];
	}
	if (row < height && lane == 0)
		y[row] = part[get_local_id(0)];
}
