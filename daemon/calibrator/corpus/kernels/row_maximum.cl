/* SPDX-License-Identifier: Apache-2.0 */
/* of each row of a sparse matrix, of what its columns weigh */
kernel void row_maximum(global const int *start, global const int *column,
                        global const float *value, global const float *weight, global float *out)
{
	int row = get_global_id(0);
	float most = 0;

	for (int k = start[row]; k < start[row + 1]; k++)
		most = fmax(most, value[k] * weight[column[k]]);
	out[row] = most;
}
