// SPDX-License-Identifier: Apache-2.0
//
// Sums along rows of a matrix, a row a work-item: rows a power of two apart against padded ones.

__kernel void bad(__global const float *a, __global float *sums, uint pitch)
{
	__global const float *row = a + get_global_id(0) * pitch;
	float sum = 0.0f;

	for (uint k = 0; k < 1024; k++)
		sum += row[k] * row[1023 - k];
	sums[get_global_id(0)] = sum;
}

__kernel void good(__global const float *a, __global float *sums, uint pitch)
{
	__global const float *row = a + get_global_id(0) * pitch;
	float sum = 0.0f;

	for (uint k = 0; k < 1024; k++)
		sum += row[k] * row[1023 - k];
	sums[get_global_id(0)] = sum;
}
