/* SPDX-License-Identifier: Apache-2.0 */
kernel void column_means(global const float *matrix, global float *mean, int rows, int columns)
{
	int column = get_global_id(0);
	float sum = 0;

	for (int row = 0; row < rows; row++)
		sum += matrix[row * columns + column];
	mean[column] = sum / rows;
}
