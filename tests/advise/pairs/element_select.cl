// SPDX-License-Identifier: Apache-2.0
//
// Elements chosen by a mask of bytes: an if with a load in each branch against select of vectors.

__kernel void bad(__global const int *mask, __global const float *a, __global const float *b,
                  __global float *out)
{
	const uint i = get_global_id(0);

	if (mask[i] & 1)
		out[i] = a[i];
	else
		out[i] = b[i];
}

__kernel void good(__global const int *mask, __global const float *a, __global const float *b,
                   __global float *out)
{
	const uint i = get_global_id(0);

	vstore8(select(vload8(i, b), vload8(i, a), (vload8(i, mask) & 1) == 1), i, out);
}
