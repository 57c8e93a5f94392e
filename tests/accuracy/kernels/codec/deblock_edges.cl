/* SPDX-License-Identifier: Apache-2.0 */
/* Smooths the vertical edges between blocks of 8 columns, as H.264 does: strongly, a little or not at all, by what a
 * table of edges says and by how much the pixels differ. */
constant uchar alpha_of[52] = {0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,   0,   0,   0,   0,   0,   4,   4,
                               5,  6,  7,  8,  9,  10, 12, 13, 15, 17,  20,  22,  25,  28,  32,  36,  40,
                               45, 50, 56, 63, 71, 80, 90, 101, 113, 127, 144, 162, 182, 203, 226, 255, 255};
constant uchar beta_of[52] = {0, 0, 0, 0, 0, 0, 0, 0, 0,  0,  0,  0,  0,  0,  0,  0,  2,  2,
                              2, 3, 3, 3, 3, 4, 4, 4, 6,  6,  7,  7,  8,  8,  9,  9,  10, 10,
                              11, 11, 12, 12, 13, 13, 14, 14, 15, 15, 16, 16, 17, 17, 18, 18};

kernel void deblock_edges(global uchar *frame, global const uchar *strength, int width, int height, int quality)
{
	const int edge = get_global_id(0), y = get_global_id(1);
	const int edges = width / 8 - 1;

	if (edge >= edges || y >= height)
		return;
	const int bs = strength[y / 4 * edges + edge] % 5;
	if (bs == 0)
		return;
	global uchar *q = frame + y * width + 8 * (edge + 1);
	const int p0 = q[-1], p1 = q[-2], p2 = q[-3];
	const int q0 = q[0], q1 = q[1], q2 = q[2];
	const int alpha = alpha_of[quality], beta = beta_of[quality];
	if (abs(p0 - q0) >= alpha || abs(p1 - p0) >= beta || abs(q1 - q0) >= beta)
		return;
	if (bs == 4) {
		q[-2] = (p2 + p1 + p0 + q0 + 2) >> 2;
		q[-1] = (p2 + 2 * p1 + 2 * p0 + 2 * q0 + q1 + 4) >> 3;
		q[0] = (p1 + 2 * p0 + 2 * q0 + 2 * q1 + q2 + 4) >> 3;
		q[1] = (p0 + q0 + q1 + q2 + 2) >> 2;
	} else {
		const int most = bs + (abs(p2 - p0) < beta) + (abs(q2 - q0) < beta);
		const int delta = clamp((4 * (q0 - p0) + p1 - q1 + 4) >> 3, -most, most);
		q[-1] = clamp(p0 + delta, 0, 255);
		q[0] = clamp(q0 - delta, 0, 255);
	}
}
