// SPDX-License-Identifier: Apache-2.0
//
// Sums over columns by few work-items: an iteration a row, of a number that none knows, against
// sixteen loads in flight.

__kernel void bad(__global const float *in, __global float *out, uint rows)
{
	const uint i = get_global_id(0), n = get_global_size(0);
	float sum = 0.0f;

#pragma unroll 1
	for (uint k = 0; k < rows; k++)
		sum += in[k * n + i];
	out[i] = sum;
}

__kernel void good(__global const float *in, __global float *out, uint rows)
{
	const uint i = get_global_id(0), n = get_global_size(0);
	float sum = 0.0f;

#pragma unroll 16
	for (uint k = 0; k < rows; k++)
		sum += in[k * n + i];
	out[i] = sum;
}
