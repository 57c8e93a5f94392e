/* SPDX-License-Identifier: Apache-2.0 */
/* y = A^T x, one column a work-item. */
kernel void gemv_transposed(global const float *a, global const float *x, global float *y, int n)
{
	int column = get_global_id(0);
	float sum = 0.0f;

	for (int i = 0; i < n; i++)
		sum += a[i * n + column] * x[i];
	y[column] = sum;
}
