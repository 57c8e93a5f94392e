/* SPDX-License-Identifier: Apache-2.0 */
/* Which of five ways predicts a block of 4 x 4 best from the pixels above it and to its left. Rows have four more
 * pixels on either side, and there is one row more on top. */
enum { VERTICAL, HORIZONTAL, MEAN, DIAGONAL, PLANE, MODES };

int predicted(int mode, const int *top, const int *left, int mean, int x, int y)
{
	switch (mode) {
	case VERTICAL:
		return top[x];
	case HORIZONTAL:
		return left[y];
	case MEAN:
		return mean;
	case DIAGONAL:
		return (top[x + y] + 2 * top[x + y + 1] + top[min(x + y + 2, 7)] + 2) >> 2;
	default:
		return ((3 - x) * left[y] + (x + 1) * top[4] + (3 - y) * top[x] + (y + 1) * left[3] + 4) >> 3;
	}
}

__kernel void intra_modes(__global const uchar *frame, __global uchar *chosen, __global ushort *price, int blocks_x,
                          int blocks_y)
{
	int bx = get_global_id(0), by = get_global_id(1);
	int pitch = 4 * blocks_x + 8;
	int top[8], left[4], block[16];

	if (bx >= blocks_x || by >= blocks_y)
		return;
	__global const uchar *origin = frame + (4 * by + 1) * pitch + 4 * bx + 4;
	int mean = 4;
	for (int k = 0; k < 8; k++)
		top[k] = origin[k - pitch];
	for (int k = 0; k < 4; k++) {
		left[k] = origin[k * pitch - 1];
		mean += top[k] + left[k];
	}
	mean >>= 3;
	for (int k = 0; k < 16; k++)
		block[k] = origin[k / 4 * pitch + k % 4];

	uint best = UINT_MAX;
	uchar way = 0;
	for (int mode = 0; mode < MODES; mode++) {
		uint cost = 8 * mode;
		for (int k = 0; k < 16; k++)
			cost += abs(block[k] - predicted(mode, top, left, mean, k % 4, k / 4));
		if (cost < best) {
			best = cost;
			way = mode;
		}
	}
	chosen[by * blocks_x + bx] = way;
	price[by * blocks_x + bx] = best;
}
