/* SPDX-License-Identifier: Apache-2.0 */
/* Where each block of 8 x 8 pixels came from in the frame before: all places up to RANGE pixels away, a place given
 * up once it is worse than the best. The frame before has RANGE more pixels on every side. */
#define RANGE 4

typedef struct {
	short dx, dy;
	uint cost;
} motion;

uint row_cost(__global const uchar *a, __global const uchar *b)
{
	uchar8 d = abs_diff(vload8(0, a), vload8(0, b));
	ushort4 s = convert_ushort4(d.lo) + convert_ushort4(d.hi);
	return s.x + s.y + s.z + s.w;
}

__kernel void motion_search(__global const uchar *now, __global const uchar *before, __global motion *found,
                            int blocks_x, int blocks_y)
{
	int bx = get_global_id(0), by = get_global_id(1);
	int pitch = 8 * blocks_x, wide = pitch + 2 * RANGE;

	if (bx >= blocks_x || by >= blocks_y)
		return;
	__global const uchar *block = now + 8 * by * pitch + 8 * bx;
	motion best = {0, 0, UINT_MAX};
	for (int dy = -RANGE; dy <= RANGE; dy++) {
		for (int dx = -RANGE; dx <= RANGE; dx++) {
			__global const uchar *there = before + (8 * by + RANGE + dy) * wide + 8 * bx + RANGE + dx;
			uint cost = 4 * (abs(dx) + abs(dy));
			for (int row = 0; row < 8 && cost < best.cost; row++)
				cost += row_cost(block + row * pitch, there + row * wide);
			if (cost < best.cost) {
				best.dx = dx;
				best.dy = dy;
				best.cost = cost;
			}
		}
	}
	found[by * blocks_x + bx] = best;
}
