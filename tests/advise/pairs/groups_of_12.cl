// SPDX-License-Identifier: Apache-2.0
//
// Horner of 256 terms: work-groups of 12, half a vector over, against 192.

__kernel void bad(__global const float *in, __global float *out)
{
	const float x = in[get_global_id(0)];
	float y = 1.0f;

	for (uint k = 0; k < 256; k++)
		y = y * x * 0.9f + 0.5f;
	out[get_global_id(0)] = y;
}

__kernel void good(__global const float *in, __global float *out)
{
	const float x = in[get_global_id(0)];
	float y = 1.0f;

	for (uint k = 0; k < 256; k++)
		y = y * x * 0.9f + 0.5f;
	out[get_global_id(0)] = y;
}
