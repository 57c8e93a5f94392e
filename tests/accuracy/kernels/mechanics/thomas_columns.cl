/* SPDX-License-Identifier: Apache-2.0 */
/* Tridiagonal systems, a column each: down to eliminate, up to substitute. */
__kernel void thomas_columns(__global const float *below, __global const float *diagonal, __global const float *above,
                             __global const float *right, __global float *scratch, __global float *x, int columns,
                             int rows)
{
	int column = get_global_id(0);
	if (column >= columns)
		return;

	float c = above[column] / diagonal[column];
	float d = right[column] / diagonal[column];
	scratch[column] = c;
	x[column] = d;
	for (int row = 1; row < rows; row++) {
		int i = row * columns + column;
		float pivot = 1.0f / (diagonal[i] - below[i] * c);
		c = above[i] * pivot;
		d = (right[i] - below[i] * d) * pivot;
		scratch[i] = c;
		x[i] = d;
	}
	for (int row = rows - 2; row >= 0; row--) {
		int i = row * columns + column;
		d = x[i] - scratch[i] * d;
		x[i] = d;
	}
}
