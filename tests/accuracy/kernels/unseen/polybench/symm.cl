/* SPDX-License-Identifier: Apache-2.0 */
/* C = alpha A B + beta C, where of the symmetric A only the lower triangle is read: rows one after another, as
 * PolyBench/C has it, and a column of C a work-item. */
kernel void symm(global double *c, global const double *a, global const double *b, double alpha,
                 double beta, int m, int n)
{
	int j = get_global_id(0);

	if (j >= n)
		return;
	for (int i = 0; i < m; i++) {
		double above = 0.0;
		for (int k = 0; k < i; k++) {
			c[k * n + j] += alpha * b[i * n + j] * a[i * m + k];
			above += b[k * n + j] * a[i * m + k];
		}
		c[i * n + j] = beta * c[i * n + j] + alpha * b[i * n + j] * a[i * m + i] + alpha * above;
	}
}
