/* SPDX-License-Identifier: Apache-2.0 */
/* B = alpha A^T B with a unit lower triangular A, in place: rows from above, as PolyBench/C has it, and a column of B
 * a work-item. */
kernel void trmm(global const double *a, global double *b, double alpha, int m, int n)
{
	int j = get_global_id(0);

	if (j < n) {
		for (int i = 0; i < m; i++) {
			for (int k = i + 1; k < m; k++)
				b[i * n + j] += a[k * m + i] * b[k * n + j];
			b[i * n + j] = alpha * b[i * n + j];
		}
	}
}
