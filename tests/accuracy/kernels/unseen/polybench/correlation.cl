/* SPDX-License-Identifier: Apache-2.0 */
/* The upper triangle of a correlation matrix and its mirror image, of data whose columns have been normalised: a
 * work-item has a column and meets all behind it. Rows and columns count from one. After PolyBench/GPU. */
kernel void correlation(global float *symmetric, global const float *data, int columns, int rows)
{
	int first = get_global_id(0) + 1;
	int width = columns + 1;

	if (first < columns) {
		symmetric[first * width + first] = 1.0f;
		for (int second = first + 1; second <= columns; second++) {
			symmetric[first * width + second] = 0.0f;
			for (int i = 1; i <= rows; i++)
				symmetric[first * width + second] +=
				        data[i * width + first] * data[i * width + second];
			symmetric[second * width + first] = symmetric[first * width + second];
		}
	}
}
