/* SPDX-License-Identifier: Apache-2.0 */
/* Gaussian along columns, radius and weights given; the image has a halo of `radius` rows. */
kernel void gauss_columns(global const float *in, global float *out, constant float *weight,
                          int width, int radius)
{
	int x = get_global_id(0);
	int y = get_global_id(1);
	float sum = 0.0f;

	for (int k = 0; k <= 2 * radius; k++)
		sum += weight[k] * in[(y + k) * width + x];
	out[y * width + x] = sum;
}
