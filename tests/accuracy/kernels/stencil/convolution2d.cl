/* SPDX-License-Identifier: Apache-2.0 */
/* Three by three convolution with fixed weights, as compilers' benchmarks have it. */
kernel void convolution2d(global const float *a, global float *b, int ni, int nj)
{
	int j = get_global_id(0);
	int i = get_global_id(1);

	if (i > 0 && j > 0 && i < ni - 1 && j < nj - 1)
		b[i * nj + j] = 0.2f * a[(i - 1) * nj + j - 1] - 0.3f * a[i * nj + j - 1] +
		                0.4f * a[(i + 1) * nj + j - 1] + 0.5f * a[(i - 1) * nj + j] +
		                0.6f * a[i * nj + j] + 0.7f * a[(i + 1) * nj + j] -
		                0.8f * a[(i - 1) * nj + j + 1] - 0.9f * a[i * nj + j + 1] +
		                0.1f * a[(i + 1) * nj + j + 1];
}
