/* SPDX-License-Identifier: Apache-2.0 */
/* y = A x for rows in CSR, sixteen work-items a row and a tree in local memory. */
#define TEAM 16

kernel void csr_vector(global const int *row_start, global const int *column,
                       global const float *value, global const float *x, global float *y,
                       local float *partial)
{
	int lid = get_local_id(0);
	int lane = lid & (TEAM - 1);
	int row = get_global_id(0) / TEAM;
	int end = row_start[row + 1];
	float sum = 0.0f;

	for (int k = row_start[row] + lane; k < end; k += TEAM)
		sum += value[k] * x[column[k]];
	partial[lid] = sum;
	for (int step = TEAM / 2; step > 0; step /= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (lane < step)
			partial[lid] += partial[lid + step];
	}
	if (lane == 0)
		y[row] = partial[lid];
}
