/* SPDX-License-Identifier: Apache-2.0 */
/* y = A x for a matrix kept by diagonals. */
kernel void diagonals(global const float *value, constant int *offset, global const float *x,
                      global float *y, int rows, int count)
{
	int row = get_global_id(0);
	float sum = 0.0f;

	for (int d = 0; d < count; d++) {
		int column = row + offset[d];
		if (column >= 0 && column < rows)
			sum += value[d * rows + row] * x[column];
	}
	y[row] = sum;
}
