// SPDX-License-Identifier: Apache-2.0
//
// Scaled, added and clamped: three launches of 32,768 elements against one.

__kernel void scale(__global const float *a, __global const float *b, __global float *between,
                    __global float *out)
{
	const uint i = get_global_id(0);

	between[i] = 3.0f * a[i];
}

__kernel void add(__global const float *a, __global const float *b, __global float *between,
                  __global float *out)
{
	const uint i = get_global_id(0);

	between[i] += b[i];
}

__kernel void limit(__global const float *a, __global const float *b, __global float *between,
                    __global float *out)
{
	const uint i = get_global_id(0);

	out[i] = clamp(between[i], 0.5f, 2.0f);
}

__kernel void good(__global const float *a, __global const float *b, __global float *between,
                   __global float *out)
{
	const uint i = get_global_id(0);

	out[i] = clamp(3.0f * a[i] + b[i], 0.5f, 2.0f);
}
