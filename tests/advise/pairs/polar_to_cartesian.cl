// SPDX-License-Identifier: Apache-2.0
//
// Polar to Cartesian coordinates: sin and cos against their native forms.

__kernel void bad(__global const float *radius, __global const float *angle, __global float *x,
                  __global float *y)
{
	const uint i = get_global_id(0);
	const float r = radius[i], a = angle[i];

	x[i] = cos(a) * r;
	y[i] = sin(a) * r;
}

__kernel void good(__global const float *radius, __global const float *angle, __global float *x,
                   __global float *y)
{
	const uint i = get_global_id(0);
	const float r = radius[i], a = angle[i];

	x[i] = native_cos(a) * r;
	y[i] = native_sin(a) * r;
}
