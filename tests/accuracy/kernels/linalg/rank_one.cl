/* SPDX-License-Identifier: Apache-2.0 */
/* A += x y^T + u v^T. */
kernel void rank_one(global float *a, global const float *x, global const float *y,
                     global const float *u, global const float *v, int n)
{
	int j = get_global_id(0);
	int i = get_global_id(1);

	a[i * n + j] += x[i] * y[j] + u[i] * v[j];
}
