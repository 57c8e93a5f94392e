/* SPDX-License-Identifier: Apache-2.0 */
/* y = A x in ELLPACK-R: column-major, with the length of each row. After SHOC's Spmv. */
kernel void ellpack_rows(global const float *value, global const float *x, global const int *column,
                         global const int *length, int dim, global float *y)
{
	int row = get_global_id(0);

	if (row < dim) {
		float sum = 0.0f;
		int most = length[row];
		for (int i = 0; i < most; i++) {
			int at = i * dim + row;
			sum += value[at] * x[column[at]];
		}
		y[row] = sum;
	}
}
