/* SPDX-License-Identifier: Apache-2.0 */
/* Non-local means: 3x3 patches compared over a 7x7 window of an image with a halo of four. */
kernel void nlm(global const float *in, global float *out, int pitch, float strength)
{
	int x = get_global_id(0) + 4;
	int y = get_global_id(1) + 4;
	float sum = 0.0f, weights = 0.0f;

	for (int wy = -3; wy <= 3; wy++)
		for (int wx = -3; wx <= 3; wx++) {
			float distance = 0.0f;
			for (int py = -1; py <= 1; py++)
				for (int px = -1; px <= 1; px++) {
					float difference = in[(y + py) * pitch + x + px] -
					                   in[(y + wy + py) * pitch + x + wx + px];
					distance += difference * difference;
				}
			float weight = native_exp(-distance * strength);
			sum += weight * in[(y + wy) * pitch + x + wx];
			weights += weight;
		}
	out[(y - 4) * get_global_size(0) + x - 4] = sum / weights;
}
