/* SPDX-License-Identifier: Apache-2.0 */
/* Five-tap Gaussian along rows; borders repeat. */
kernel void gauss_rows(global const float *in, global float *out, int width, int height)
{
	int x = get_global_id(0);
	int y = get_global_id(1);
	global const float *row = in + y * width;

	if (x >= width || y >= height)
		return;
	out[y * width + x] = 0.0625f * (row[max(x - 2, 0)] + row[min(x + 2, width - 1)]) +
	                     0.25f * (row[max(x - 1, 0)] + row[min(x + 1, width - 1)]) +
	                     0.375f * row[x];
}
