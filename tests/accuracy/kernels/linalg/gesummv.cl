/* SPDX-License-Identifier: Apache-2.0 */
/* y = alpha A x + beta B x, one row a work-item. */
kernel void gesummv(global const float *a, global const float *b, global const float *x,
                    global float *y, float alpha, float beta, int n)
{
	int i = get_global_id(0);
	float first = 0.0f, second = 0.0f;

	if (i >= n)
		return;
	for (int j = 0; j < n; j++) {
		first += a[i * n + j] * x[j];
		second += b[i * n + j] * x[j];
	}
	y[i] = alpha * first + beta * second;
}
