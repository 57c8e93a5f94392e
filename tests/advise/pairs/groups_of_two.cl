// SPDX-License-Identifier: Apache-2.0
//
// A sum of two arrays: work-groups of 2, each of which costs to begin, against 256.

__kernel void bad(__global const float *a, __global const float *b, __global float *out)
{
	const uint i = get_global_id(0);

	out[i] = a[i] + 0.5f * b[i];
}

__kernel void good(__global const float *a, __global const float *b, __global float *out)
{
	const uint i = get_global_id(0);

	out[i] = a[i] + 0.5f * b[i];
}
