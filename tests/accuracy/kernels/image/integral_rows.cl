/* SPDX-License-Identifier: Apache-2.0 */
/* First pass of an integral image: running sums along each row. */
kernel void integral_rows(global const float *in, global float *out, int width, int height)
{
	int y = get_global_id(0);
	float sum = 0.0f;

	if (y >= height)
		return;
	for (int x = 0; x < width; x++) {
		sum += in[y * width + x];
		out[y * width + x] = sum;
	}
}
