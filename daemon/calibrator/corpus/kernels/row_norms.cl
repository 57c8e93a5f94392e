/* SPDX-License-Identifier: Apache-2.0 */
kernel void row_norms(global const float *matrix, global float *norm, int columns)
{
	int row = get_global_id(0);
	float sum = 0;

	for (int k = 0; k < columns; k++) {
		float value = matrix[row * columns + k];
		sum += value * value;
	}
	norm[row] = sqrt(sum);
}
