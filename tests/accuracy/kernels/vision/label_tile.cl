/* SPDX-License-Identifier: Apache-2.0 */
/* Connected parts of the bright pixels of each tile: the least label of four neighbours, until none changes. Labels are
 * places in the image, from one. Needs TILE_X and TILE_Y, the sides of a work-group. */
#define PITCH (TILE_X + 2)

__kernel void label_tile(__global const uchar *image, __global int *labels, int width, int threshold)
{
	__local int tile[(TILE_Y + 2) * PITCH];
	__local int changed;
	int lid = get_local_id(1) * TILE_X + get_local_id(0);
	int at = (get_local_id(1) + 1) * PITCH + get_local_id(0) + 1;
	int pixel = get_global_id(1) * width + get_global_id(0);
	int mine = image[pixel] >= threshold ? pixel + 1 : 0;
	int again;

	for (int i = lid; i < (TILE_Y + 2) * PITCH; i += TILE_X * TILE_Y)
		tile[i] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	tile[at] = mine;
	do {
		if (lid == 0)
			changed = 0;
		barrier(CLK_LOCAL_MEM_FENCE);
		int least = mine;
		if (mine != 0) {
			int around[4] = {tile[at - 1], tile[at + 1], tile[at - PITCH], tile[at + PITCH]};
			for (int k = 0; k < 4; k++)
				if (around[k] != 0)
					least = min(least, around[k]);
		}
		barrier(CLK_LOCAL_MEM_FENCE);
		if (least != mine) {
			mine = tile[at] = least;
			changed = 1;
		}
		barrier(CLK_LOCAL_MEM_FENCE);
		again = changed;
		barrier(CLK_LOCAL_MEM_FENCE);
	} while (again);
	labels[pixel] = mine;
}
