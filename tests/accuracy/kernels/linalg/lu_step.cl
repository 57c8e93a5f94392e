/* SPDX-License-Identifier: Apache-2.0 */
/* Gaussian elimination without pivoting: the trailing matrix after column k. */
kernel void lu_step(global float *a, global const float *multipliers, int n, int k)
{
	int column = get_global_id(0);
	int row = get_global_id(1);

	if (row > k && column >= k)
		a[row * n + column] -= multipliers[row] * a[k * n + column];
}
