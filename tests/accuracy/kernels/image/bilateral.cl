/* SPDX-License-Identifier: Apache-2.0 */
/* Bilateral filter over a square of radius R: weights fall with distance and with contrast; borders repeat. */
kernel void bilateral(global const float *in, global float *out, int width, int height, int radius,
                      float space, float range)
{
	int x = get_global_id(0);
	int y = get_global_id(1);
	float here = in[y * width + x];
	float sum = 0.0f, weights = 0.0f;

	for (int dy = -radius; dy <= radius; dy++)
		for (int dx = -radius; dx <= radius; dx++) {
			int sx = clamp(x + dx, 0, width - 1);
			int sy = clamp(y + dy, 0, height - 1);
			float value = in[sy * width + sx];
			float contrast = value - here;
			float weight = exp(-(float)(dx * dx + dy * dy) * space - contrast * contrast * range);
			sum += weight * value;
			weights += weight;
		}
	out[y * width + x] = sum / weights;
}
