/* SPDX-License-Identifier: Apache-2.0 */
/* Conway's game of life on a torus, a byte a cell. */
kernel void life(global const uchar *in, global uchar *out, int width, int height)
{
	int x = get_global_id(0);
	int y = get_global_id(1);
	int alive = 0;

	for (int dy = -1; dy <= 1; dy++)
		for (int dx = -1; dx <= 1; dx++)
			if (dx != 0 || dy != 0) {
				int column = (x + dx + width) & (width - 1);
				int row = (y + dy + height) & (height - 1);
				alive += in[row * width + column] & 1;
			}
	out[y * width + x] = alive == 3 || (alive == 2 && (in[y * width + x] & 1));
}
