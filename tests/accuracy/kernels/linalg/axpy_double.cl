/* SPDX-License-Identifier: Apache-2.0 */
/* y = alpha x + y in double precision. */
kernel void axpy_double(global const double *x, global double *y, double alpha, int n)
{
	int i = get_global_id(0);

	if (i < n)
		y[i] += alpha * x[i];
}
