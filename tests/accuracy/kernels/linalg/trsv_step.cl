/* SPDX-License-Identifier: Apache-2.0 */
/* Forward substitution: what column k takes from the right-hand side below it. */
kernel void trsv_step(global const float *l, global float *b, global float *x, int n, int k)
{
	int i = get_global_id(0);
	float pivot = b[k] / l[k * n + k];

	if (i == k)
		x[k] = pivot;
	if (i > k)
		b[i] -= l[i * n + k] * pivot;
}
