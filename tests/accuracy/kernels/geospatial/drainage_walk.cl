/* SPDX-License-Identifier: Apache-2.0 */
/* Where does the water of each cell go? Follow the eight directions (1 is east, then by powers of two clockwise;
 * several bits: the lowest, none: a sink) to a sink, over the border, or until the walk is given up. Outlets add up
 * their cells. */
constant char2 steps[8] = {(char2)(1, 0),  (char2)(1, 1),   (char2)(0, 1),  (char2)(-1, 1),
                           (char2)(-1, 0), (char2)(-1, -1), (char2)(0, -1), (char2)(1, -1)};

kernel void drainage_walk(global const uchar *directions, int width, int height, int most, global int *outlet,
                          global ushort *length, global uint *area)
{
	const int start_x = get_global_id(0), start_y = get_global_id(1);
	if (start_x >= width || start_y >= height)
		return;

	int x = start_x, y = start_y, walked = 0;
	while (walked < most) {
		const uint code = directions[y * width + x];
		if (code == 0)
			break;
		const char2 step = steps[31 - clz(code & -code)];
		const int nx = x + step.x, ny = y + step.y;
		if (nx < 0 || ny < 0 || nx >= width || ny >= height)
			break;
		x = nx;
		y = ny;
		walked++;
	}
	const int end = y * width + x;
	outlet[start_y * width + start_x] = end;
	length[start_y * width + start_x] = walked;
	atomic_inc(&area[end]);
}
