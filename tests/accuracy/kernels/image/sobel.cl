/* SPDX-License-Identifier: Apache-2.0 */
/* Edge strength of an 8-bit image by Sobel's operators; borders are zero. */
kernel void sobel(global const uchar *in, global uchar *out, int width, int height)
{
	int x = get_global_id(0);
	int y = get_global_id(1);

	if (x == 0 || y == 0 || x >= width - 1 || y >= height - 1) {
		out[y * width + x] = 0;
		return;
	}
	global const uchar *at = in + y * width + x;
	int nw = at[-width - 1], n = at[-width], ne = at[-width + 1];
	int w = at[-1], e = at[1];
	int sw = at[width - 1], s = at[width], se = at[width + 1];
	int gx = ne + 2 * e + se - nw - 2 * w - sw;
	int gy = sw + 2 * s + se - nw - 2 * n - ne;
	out[y * width + x] = (uchar)min((abs(gx) + abs(gy)) / 2, 255u);
}
