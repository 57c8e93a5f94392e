// SPDX-License-Identifier: Apache-2.0
//
// Forces between types by a table of 64 x 64 pairs: from a buffer against an image.

__kernel void bad(__global const int *types, __global const float *table, __global float *out)
{
	const uint i = get_global_id(0), n = get_global_size(0);
	const int own = types[i];
	float sum = 0.0f;

	for (uint k = 1; k <= 64; k++)
		sum += table[own * 64 + types[(i + 37 * k) & (n - 1)]];
	out[i] = sum;
}

__constant sampler_t at =
        CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

__kernel void good(__global const int *types, __read_only image2d_t table, __global float *out)
{
	const uint i = get_global_id(0), n = get_global_size(0);
	const int own = types[i];
	float sum = 0.0f;

	for (uint k = 1; k <= 64; k++)
		sum += read_imagef(table, at, (int2)(types[(i + 37 * k) & (n - 1)], own)).x;
	out[i] = sum;
}
