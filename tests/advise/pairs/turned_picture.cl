// SPDX-License-Identifier: Apache-2.0
//
// A picture turned by 90 degrees and sheared: from a buffer along columns against an image.

__kernel void bad(__global const float *in, __global float *out, int n)
{
	const int x = get_global_id(0), y = get_global_id(1);
	const int sx = y, sy = (x + (y >> 2)) & (n - 1);

	out[y * n + x] = in[sy * n + sx];
}

__constant sampler_t at =
        CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

__kernel void good(__read_only image2d_t in, __global float *out, int n)
{
	const int x = get_global_id(0), y = get_global_id(1);
	const int sx = y, sy = (x + (y >> 2)) & (n - 1);

	out[y * n + x] = read_imagef(in, at, (int2)(sx, sy)).x;
}
