// SPDX-License-Identifier: Apache-2.0
//
// A pointwise product of matrices: dimension 0 as rows against dimension 0 as columns.

__kernel void bad(__global const float *a, __global const float *b, __global float *c, uint n)
{
	const uint row = get_global_id(0), column = get_global_id(1);

	c[row * n + column] = a[row * n + column] * b[row * n + column];
}

__kernel void good(__global const float *a, __global const float *b, __global float *c, uint n)
{
	const uint column = get_global_id(0), row = get_global_id(1);

	c[row * n + column] = a[row * n + column] * b[row * n + column];
}
