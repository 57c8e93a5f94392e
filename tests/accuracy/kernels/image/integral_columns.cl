/* SPDX-License-Identifier: Apache-2.0 */
/* Second pass of an integral image: running sums down each column. */
kernel void integral_columns(global float *image, int width, int height)
{
	int x = get_global_id(0);
	float sum = 0.0f;

	for (int y = 0; y < height; y++) {
		sum += image[y * width + x];
		image[y * width + x] = sum;
	}
}
