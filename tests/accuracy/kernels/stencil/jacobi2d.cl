/* SPDX-License-Identifier: Apache-2.0 */
/* Five-point Jacobi on a square, borders kept. */
kernel void jacobi2d(global const float *in, global float *out, int n)
{
	int x = get_global_id(0);
	int y = get_global_id(1);

	if (x > 0 && y > 0 && x < n - 1 && y < n - 1)
		out[y * n + x] = 0.2f * (in[y * n + x] + in[y * n + x - 1] + in[y * n + x + 1] +
		                         in[(y + 1) * n + x] + in[(y - 1) * n + x]);
}
