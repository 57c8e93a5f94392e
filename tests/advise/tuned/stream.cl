// SPDX-License-Identifier: Apache-2.0
//
// Copies, sums and triads of float4, and of double2.

__kernel void copy(__global const float4 *a, __global float4 *b)
{
	b[get_global_id(0)] = a[get_global_id(0)];
}

__kernel void triad(__global const float4 *a, __global const float4 *b, __global float4 *c, float s)
{
	const uint i = get_global_id(0);

	c[i] = mad((float4)(s), b[i], a[i]);
}

__kernel void axpy(__global const double2 *x, __global double2 *y, double a)
{
	const uint i = get_global_id(0);

	y[i] = fma((double2)(a), x[i], y[i]);
}
