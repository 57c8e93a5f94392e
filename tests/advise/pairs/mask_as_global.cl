// SPDX-License-Identifier: Apache-2.0
//
// A convolution of 7 x 7: the mask from global against constant memory.

__kernel void bad(__global const float *in, __global const float *mask,
                  __global float *out, int pitch)
{
	const int x = get_global_id(0), y = get_global_id(1);
	float sum = 0.0f;

	for (int dy = 0; dy < 7; dy++)
		for (int dx = 0; dx < 7; dx++)
			sum += mask[dy * 7 + dx] * in[(y + dy) * pitch + x + dx];
	out[y * (int)get_global_size(0) + x] = sum;
}

__kernel void good(__global const float *in, __constant float *mask, __global float *out, int pitch)
{
	const int x = get_global_id(0), y = get_global_id(1);
	float sum = 0.0f;

	for (int dy = 0; dy < 7; dy++)
		for (int dx = 0; dx < 7; dx++)
			sum += mask[dy * 7 + dx] * in[(y + dy) * pitch + x + dx];
	out[y * (int)get_global_size(0) + x] = sum;
}
