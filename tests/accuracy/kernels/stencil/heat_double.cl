/* SPDX-License-Identifier: Apache-2.0 */
/* Heat equation on a periodic square in double precision. */
kernel void heat_double(global const double *in, global double *out, int n, double alpha)
{
	int x = get_global_id(0);
	int y = get_global_id(1);
	int left = x == 0 ? n - 1 : x - 1;
	int right = x == n - 1 ? 0 : x + 1;
	int up = y == 0 ? n - 1 : y - 1;
	int down = y == n - 1 ? 0 : y + 1;

	out[y * n + x] = in[y * n + x] + alpha * (in[y * n + left] + in[y * n + right] +
	                                          in[up * n + x] + in[down * n + x] -
	                                          4.0 * in[y * n + x]);
}
