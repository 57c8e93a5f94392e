/* SPDX-License-Identifier: Apache-2.0 */
/* y = A x, one row a work-item. */
kernel void gemv(global const float *a, global const float *x, global float *y, int n)
{
	int row = get_global_id(0);
	float sum = 0.0f;

	for (int j = 0; j < n; j++)
		sum += a[row * n + j] * x[j];
	y[row] = sum;
}
