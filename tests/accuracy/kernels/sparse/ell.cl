/* SPDX-License-Identifier: Apache-2.0 */
/* y = A x in ELLPACK: column-major, `width` entries a row, absent ones negative. */
kernel void ell(global const int *column, global const float *value, global const float *x,
                global float *y, int rows, int width)
{
	int row = get_global_id(0);
	float sum = 0.0f;

	for (int k = 0; k < width; k++) {
		int at = column[k * rows + row];
		if (at >= 0)
			sum += value[k * rows + row] * x[at];
	}
	y[row] = sum;
}
