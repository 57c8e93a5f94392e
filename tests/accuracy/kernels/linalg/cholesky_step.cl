/* SPDX-License-Identifier: Apache-2.0 */
/* Right-looking Cholesky: column k is scaled out of the lower triangle. */
kernel void cholesky_step(global float *a, int n, int k)
{
	int j = get_global_id(0) + k + 1;
	int i = get_global_id(1) + k + 1;

	if (i < n && j <= i) {
		float scale = 1.0f / a[k * n + k];
		a[i * n + j] -= a[i * n + k] * a[j * n + k] * scale;
	}
}
