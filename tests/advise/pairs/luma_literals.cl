// SPDX-License-Identifier: Apache-2.0
//
// Luma and contrast of pixels: literals of double against literals of float.

__kernel void bad(__global const float4 *in, __global float *out)
{
	const float4 p = in[get_global_id(0)];
	float y = p.x * 0.2126 + p.y * 0.7152 + p.z * 0.0722;

	for (uint k = 0; k < 8; k++)
		y = (y - 0.5) * 1.05 + 0.5 - 0.01 * y * y;
	out[get_global_id(0)] = y;
}

__kernel void good(__global const float4 *in, __global float *out)
{
	const float4 p = in[get_global_id(0)];
	float y = p.x * 0.2126f + p.y * 0.7152f + p.z * 0.0722f;

	for (uint k = 0; k < 8; k++)
		y = (y - 0.5f) * 1.05f + 0.5f - 0.01f * y * y;
	out[get_global_id(0)] = y;
}
