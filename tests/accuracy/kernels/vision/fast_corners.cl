/* SPDX-License-Identifier: Apache-2.0 */
/* Corners as FAST-9 has them: nine of the sixteen pixels of a circle in a row are all brighter, or all darker, than its
 * middle. Their places go into a list, in any order. */
constant char circle[16][2] = {{0, -3}, {1, -3}, {2, -2}, {3, -1}, {3, 0},  {3, 1},   {2, 2},   {1, 3},
                               {0, 3},  {-1, 3}, {-2, 2}, {-3, 1}, {-3, 0}, {-3, -1}, {-2, -2}, {-1, -3}};

bool nine_in_a_row(uint mask)
{
	mask |= mask << 16;
	mask &= mask >> 1;
	mask &= mask >> 2;
	mask &= mask >> 4;
	return (mask & mask >> 1 & 0xffff) != 0;
}

kernel void fast_corners(global const uchar *image, global int2 *corners, volatile global uint *found, uint most,
                         int width, int height, int threshold)
{
	const int x = get_global_id(0) + 3, y = get_global_id(1) + 3;
	if (x >= width - 3 || y >= height - 3)
		return;

	global const uchar *middle = image + y * width + x;
	const int high = *middle + threshold, low = *middle - threshold;
	const int up = middle[-3 * width], down = middle[3 * width];
	if (up <= high && up >= low && down <= high && down >= low)
		return;
	uint brighter = 0, darker = 0;
	for (int k = 0; k < 16; k++) {
		const int value = middle[circle[k][1] * width + circle[k][0]];
		brighter |= (uint)(value > high) << k;
		darker |= (uint)(value < low) << k;
	}
	if (!nine_in_a_row(brighter) && !nine_in_a_row(darker))
		return;
	const uint slot = atomic_inc(found);
	if (slot < most)
		corners[slot] = (int2)(x, y);
}
