/* SPDX-License-Identifier: Apache-2.0 */
/* How far apart a pixel is in the views of two eyes: the shift at which 64 comparisons with its surroundings agree
 * best. Rows of the right view begin SHIFTS pixels earlier. */
#define SHIFTS 48

__kernel void census_match(__global const ulong *left, __global const ulong *right, __global uchar *shift,
                           __global uchar *cost, int width, int height)
{
	int x = get_global_id(0);
	int y = get_global_id(1);
	if (x >= width || y >= height)
		return;

	ulong mine = left[y * width + x];
	int best = 65, where = 0;
	for (int d = 0; d < SHIFTS; d++) {
		int differ = popcount(mine ^ right[y * (width + SHIFTS) + x + SHIFTS - d]);
		where = differ < best ? d : where;
		best = min(best, differ);
	}
	shift[y * width + x] = where;
	cost[y * width + x] = best;
}
