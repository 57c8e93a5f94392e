/* SPDX-License-Identifier: Apache-2.0 */
/* The second half of y = A^T (A x): a column a work-item, summed where it is stored. After PolyBench/GPU. */
kernel void atax_columns(global const float *a, global float *y, global const float *product, int rows,
                         int columns)
{
	int j = get_global_id(0);

	if (j < columns) {
		for (int i = 0; i < rows; i++)
			y[j] += a[i * columns + j] * product[i];
	}
}
