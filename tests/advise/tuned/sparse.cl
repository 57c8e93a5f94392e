// SPDX-License-Identifier: Apache-2.0
//
// Sparse matrices by vectors: CSR with 32 work-items a row, ELLPACK by columns.

__kernel void csr_vector(__global const float *values, __global const int *columns,
                         __global const int *rows, __global const float *x, __global float *y)
{
	__local float part[256];
	const uint at = get_local_id(0), lane = at % 32, row = get_global_id(0) / 32;
	const int end = rows[row + 1];
	float sum = 0.0f;

	for (int k = rows[row] + (int)lane; k < end; k += 32)
		sum = mad(values[k], x[columns[k]], sum);
	part[at] = sum;
#pragma unroll
	for (uint s = 16; s > 0; s /= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (lane < s)
			part[at] += part[at + s];
	}
	if (lane == 0)
		y[row] = part[at];
}

__kernel void ellpack(__global const float *values, __global const int *columns,
                      __global const float *x, __global float *y, uint height, uint width)
{
	const uint row = get_global_id(0);
	float sum = 0.0f;

	for (uint k = 0; k < width; k++)
		sum = mad(values[k * height + row], x[columns[k * height + row]], sum);
	y[row] = sum;
}
