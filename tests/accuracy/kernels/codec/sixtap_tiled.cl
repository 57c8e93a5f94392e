/* SPDX-License-Identifier: Apache-2.0 */
/* Pixels half-way between four others, by H.264's filter of six taps along rows and then columns; a tile of bytes and
 * its filtered rows lie in local memory. The frame has two more pixels before, three after, in both directions.
 * Needs TILE_X and TILE_Y, the sides of a work-group. */
#define WIDE (TILE_X + 5)
#define HIGH (TILE_Y + 5)
#define TAPS(p, step)                                                                                     \
	((p)[0] - 5 * (p)[step] + 20 * (p)[2 * (step)] + 20 * (p)[3 * (step)] - 5 * (p)[4 * (step)] +     \
	 (p)[5 * (step)])

kernel void sixtap_tiled(global const uchar *frame, global uchar *between, int width)
{
	local uchar tile[HIGH * WIDE];
	local short rows[HIGH * TILE_X];
	const int lx = get_local_id(0), ly = get_local_id(1), lid = ly * TILE_X + lx;
	const int pitch = width + 5;
	const int origin = get_group_id(1) * TILE_Y * pitch + get_group_id(0) * TILE_X;

	for (int i = lid; i < HIGH * WIDE; i += TILE_X * TILE_Y)
		tile[i] = frame[origin + i / WIDE * pitch + i % WIDE];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int i = lid; i < HIGH * TILE_X; i += TILE_X * TILE_Y) {
		local const uchar *p = tile + i / TILE_X * WIDE + i % TILE_X;
		rows[i] = TAPS(p, 1);
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	local const short *p = rows + lid;
	const int sum = TAPS(p, TILE_X);
	between[get_global_id(1) * width + get_global_id(0)] = clamp((sum + 512) >> 10, 0, 255);
}
