/* SPDX-License-Identifier: Apache-2.0 */
kernel void wave_step(global const float *now, global float *before, global const float *speed,
                      int width, int height)
{
	int x = get_global_id(0), y = get_global_id(1), i = y * width + x;

	if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1)
		return;
	float bend = now[i - 1] + now[i + 1] + now[i - width] + now[i + width] - 4 * now[i];
	before[i] = 2 * now[i] - before[i] + speed[i] * bend;
}
