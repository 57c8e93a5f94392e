// SPDX-License-Identifier: Apache-2.0
//
// Columns of matrices of 4,096 columns, summed and scaled: pitches of 4,096 against 4,112
// elements.

__kernel void bad(__global const float *a, __global const float *b, __global float *out, int pitch)
{
	const int row = get_global_id(0), part = get_global_id(1) * 512;
	float sum = 0.0f;

	for (int k = 0; k < 512; k++)
		sum += a[row * pitch + part + k] * b[row * pitch + part + 511 - k];
	out[get_global_id(1) * get_global_size(0) + row] = sum;
}

__kernel void good(__global const float *a, __global const float *b, __global float *out, int pitch)
{
	const int row = get_global_id(0), part = get_global_id(1) * 512;
	float sum = 0.0f;

	for (int k = 0; k < 512; k++)
		sum += a[row * pitch + part + k] * b[row * pitch + part + 511 - k];
	out[get_global_id(1) * get_global_size(0) + row] = sum;
}
