/* SPDX-License-Identifier: Apache-2.0 */
/* B = A^T, rows read and columns written. */
kernel void transpose_naive(global const float *in, global float *out, int width, int height)
{
	int x = get_global_id(0);
	int y = get_global_id(1);

	if (x < width && y < height)
		out[x * height + y] = in[y * width + x];
}
