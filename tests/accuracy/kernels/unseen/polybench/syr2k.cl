/* SPDX-License-Identifier: Apache-2.0 */
/* C = alpha A B^T + alpha B A^T + beta C, an element a work-item, summed where it is stored. After
 * PolyBench/GPU. */
kernel void syr2k(global const float *a, global const float *b, global float *c, float alpha, float beta,
                  int n, int m)
{
	int j = get_global_id(0);
	int i = get_global_id(1);

	if (i < n && j < n) {
		c[i * n + j] *= beta;
		for (int k = 0; k < m; k++)
			c[i * n + j] += alpha * a[i * m + k] * b[j * m + k] +
			                alpha * b[i * m + k] * a[j * m + k];
	}
}
