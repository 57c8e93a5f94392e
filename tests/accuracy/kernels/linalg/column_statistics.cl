/* SPDX-License-Identifier: Apache-2.0 */
/* Mean and standard deviation of each column of a matrix. */
kernel void column_statistics(global const float *data, global float *mean, global float *deviation,
                              int rows, int columns)
{
	int j = get_global_id(0);
	float sum = 0.0f, squares = 0.0f;

	for (int i = 0; i < rows; i++) {
		float value = data[i * columns + j];
		sum += value;
		squares += value * value;
	}
	float average = sum / (float)rows;
	float variance = squares / (float)rows - average * average;
	mean[j] = average;
	deviation[j] = variance > 1e-6f ? sqrt(variance) : 1.0f;
}
