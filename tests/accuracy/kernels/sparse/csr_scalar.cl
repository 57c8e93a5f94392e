/* SPDX-License-Identifier: Apache-2.0 */
/* y = A x for rows in CSR, one row a work-item. */
kernel void csr_scalar(global const int *row_start, global const int *column,
                       global const float *value, global const float *x, global float *y, int rows)
{
	int row = get_global_id(0);

	if (row < rows) {
		float sum = 0.0f;
		for (int k = row_start[row]; k < row_start[row + 1]; k++)
			sum += value[k] * x[column[k]];
		y[row] = sum;
	}
}
