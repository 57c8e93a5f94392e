// SPDX-License-Identifier: Apache-2.0
//
// y = a x + y: chunks of 64 elements a work-item against strides of the whole range.

__kernel void bad(__global const float *x, __global float *y, float a, uint chunk)
{
	const uint first = get_global_id(0) * chunk;

	for (uint k = 0; k < chunk; k++)
		y[first + k] = a * x[first + k] + y[first + k];
}

__kernel void good(__global const float *x, __global float *y, float a, uint chunk)
{
	const uint n = get_global_size(0) * chunk;

	for (uint i = get_global_id(0); i < n; i += get_global_size(0))
		y[i] = a * x[i] + y[i];
}
