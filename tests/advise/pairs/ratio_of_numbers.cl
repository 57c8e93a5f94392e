// SPDX-License-Identifier: Apache-2.0
//
// Ratios of numbers below 2^22: division of integers, which no vector has, against that of floats,
// which is exact there.

__kernel void bad(__global const uint *a, __global const uint *b, __global uint *out)
{
	const uint i = get_global_id(0);

	out[i] = (a[i] >> 10) / ((b[i] >> 22) + 1u);
}

__kernel void good(__global const uint *a, __global const uint *b, __global uint *out)
{
	const uint i = get_global_id(0);

	out[i] = (uint)((float)(a[i] >> 10) / (float)((b[i] >> 22) + 1u));
}
