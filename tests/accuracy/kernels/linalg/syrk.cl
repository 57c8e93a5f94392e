/* SPDX-License-Identifier: Apache-2.0 */
/* C = A A^T + C on the lower triangle. */
kernel void syrk(global const float *a, global float *c, int n, int m)
{
	int j = get_global_id(0);
	int i = get_global_id(1);

	if (j <= i) {
		float sum = c[i * n + j];
		for (int k = 0; k < m; k++)
			sum += a[i * m + k] * a[j * m + k];
		c[i * n + j] = sum;
	}
}
