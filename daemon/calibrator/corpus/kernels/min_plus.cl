/* SPDX-License-Identifier: Apache-2.0 */
/* a product of matrices of distances */
kernel void min_plus(global const int *a, global const int *b, global int *c, int n)
{
	int column = get_global_id(0), row = get_global_id(1), least = INT_MAX / 2;

	for (int k = 0; k < n; k++)
		least = min(least, a[row * n + k] + b[k * n + column]);
	c[row * n + column] = least;
}
