/* SPDX-License-Identifier: Apache-2.0 */
/* A 3 x 3 convolution of each channel by itself, zeros beyond the border, then ReLU6. */
kernel void depthwise_conv(global const float *in, constant float *weight, constant float *bias, global float *out,
                           int width, int height)
{
	int x = get_global_id(0);
	int y = get_global_id(1);
	int channel = get_global_id(2);
	global const float *plane = in + channel * width * height;
	constant float *w = weight + 9 * channel;
	float sum = bias[channel];

	if (x >= width || y >= height)
		return;
	for (int dy = -1; dy <= 1; dy++)
		for (int dx = -1; dx <= 1; dx++) {
			int px = x + dx, py = y + dy;
			if (px >= 0 && px < width && py >= 0 && py < height)
				sum += plane[py * width + px] * w[(dy + 1) * 3 + dx + 1];
		}
	out[(channel * height + y) * width + x] = clamp(sum, 0.0f, 6.0f);
}
