/* SPDX-License-Identifier: Apache-2.0 */
kernel void box_blur(global const float *in, global float *out, int width, int height, int radius)
{
	int x = get_global_id(0), y = get_global_id(1);
	float sum = 0;

	for (int dy = -radius; dy <= radius; dy++)
		for (int dx = -radius; dx <= radius; dx++)
			sum += in[clamp(y + dy, 0, height - 1) * width +
			          clamp(x + dx, 0, width - 1)];
	out[y * width + x] = sum / ((2 * radius + 1) * (2 * radius + 1));
}
