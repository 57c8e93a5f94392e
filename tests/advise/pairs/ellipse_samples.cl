// SPDX-License-Identifier: Apache-2.0
//
// Gradients sampled along four ellipses about each pixel: from buffers against images.

__kernel void bad(__global const float *gx, __global const float *gy, __constant float *turns,
                  __constant int *places, __global float *out, int pitch)
{
	const int x = get_global_id(0), y = get_global_id(1);
	float most = 0.0f;

	for (int c = 0; c < 4; c++) {
		float mean = 0.0f, m2 = 0.0f;
		for (int k = 0; k < 64; k++) {
			const int at_x = x + places[2 * (c * 64 + k)], at_y = y + places[2 * (c * 64 + k) + 1];
			const float p = gx[at_y * pitch + at_x] * turns[2 * k] +
			                gy[at_y * pitch + at_x] * turns[2 * k + 1];
			const float d = p - mean;
			mean += d / (float)(k + 1);
			m2 += d * (p - mean);
		}
		most = fmax(most, mean * mean / m2);
	}
	out[y * (int)get_global_size(0) + x] = most;
}

__constant sampler_t near = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;

__kernel void good(__read_only image2d_t gx, __read_only image2d_t gy, __constant float *turns,
                   __constant int *places, __global float *out, int pitch)
{
	const int x = get_global_id(0), y = get_global_id(1);
	float most = 0.0f;

	for (int c = 0; c < 4; c++) {
		float mean = 0.0f, m2 = 0.0f;
		for (int k = 0; k < 64; k++) {
			const int at_x = x + places[2 * (c * 64 + k)], at_y = y + places[2 * (c * 64 + k) + 1];
			const float p = read_imagef(gx, near, (int2)(at_x, at_y)).x * turns[2 * k] +
			                read_imagef(gy, near, (int2)(at_x, at_y)).x * turns[2 * k + 1];
			const float d = p - mean;
			mean += d / (float)(k + 1);
			m2 += d * (p - mean);
		}
		most = fmax(most, mean * mean / m2);
	}
	out[y * (int)get_global_size(0) + x] = most;
}
