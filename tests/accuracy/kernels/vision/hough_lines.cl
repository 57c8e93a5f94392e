/* SPDX-License-Identifier: Apache-2.0 */
/* Every pixel of an edge votes for all lines through it: 180 directions, and how far from the origin. */
#define ANGLES 180

__kernel void hough_lines(__global const uchar *edges, __constant float2 *direction, __global int *votes, int width,
                          int height, int threshold)
{
	int x = get_global_id(0), y = get_global_id(1);
	if (x >= width || y >= height)
		return;
	if (edges[y * width + x] < threshold)
		return;

	int half_range = width + height;
	for (int k = 0; k < ANGLES; k++) {
		int distance = (int)floor(x * direction[k].x + y * direction[k].y);
		atomic_inc(&votes[k * 2 * half_range + half_range + distance]);
	}
}
