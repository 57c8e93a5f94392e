/* SPDX-License-Identifier: Apache-2.0 */
/* C = A B^T, all row after row */
kernel void product_transposed(global const float *a, global const float *b, global float *c, int n)
{
	int column = get_global_id(0), row = get_global_id(1);
	float sum = 0;

	for (int k = 0; k < n; k++)
		sum += a[row * n + k] * b[column * n + k];
	c[row * n + column] = sum;
}
