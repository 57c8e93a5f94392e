// SPDX-License-Identifier: Apache-2.0
//
// Sums over the fields of structures of 16 floats: an array of structures against arrays of
// fields.

__kernel void bad(__global const float *trees, __global float *sums, uint n)
{
	const uint i = get_global_id(0);
	float sum = 0.0f;

	for (uint k = 0; k < 16; k++)
		sum += trees[i * 16 + k];
	sums[i] = sum;
}

__kernel void good(__global const float *trees, __global float *sums, uint n)
{
	const uint i = get_global_id(0);
	float sum = 0.0f;

	for (uint k = 0; k < 16; k++)
		sum += trees[k * n + i];
	sums[i] = sum;
}
