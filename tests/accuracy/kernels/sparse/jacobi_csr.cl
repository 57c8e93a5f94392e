/* SPDX-License-Identifier: Apache-2.0 */
/* One sweep of Jacobi's method for rows in CSR whose diagonals are kept apart. */
kernel void jacobi_csr(global const int *row_start, global const int *column,
                       global const float *value, global const float *diagonal,
                       global const float *b, global const float *x, global float *next)
{
	int row = get_global_id(0);
	int end = row_start[row + 1];
	float rest = b[row];

	for (int k = row_start[row]; k < end; k++)
		rest -= value[k] * x[column[k]];
	next[row] = rest / diagonal[row];
}
