/* SPDX-License-Identifier: Apache-2.0 */
/* How well a read fits a stretch of a genome at best, with affine gaps, in a band around the diagonal: a pair a
 * work-item, the n-th letters of all pairs side by side. */
#define BAND 15

__constant char substitution[4][4] = {{5, -4, -3, -4}, {-4, 5, -4, -3}, {-3, -4, 5, -4}, {-4, -3, -4, 5}};

__kernel void smith_waterman_band(__global const uchar *reads, __global const uchar *genome, __global short *best,
                                  int pairs, int length, int open, int extend)
{
	int pair = get_global_id(0);
	int h[BAND + 1], gap[BAND + 1];
	int top = 0;

	if (pair >= pairs)
		return;
	for (int k = 0; k <= BAND; k++) {
		h[k] = 0;
		gap[k] = -1000;
	}
	for (int i = 0; i < length; i++) {
		uchar letter = reads[i * pairs + pair] & 3;
		int left = 0, skipped = -1000;
		for (int k = 0; k < BAND; k++) {
			uchar other = genome[(i + k) * pairs + pair] & 3;
			int score = h[k] + substitution[letter][other];
			gap[k] = max(h[k + 1] - open, gap[k + 1] - extend);
			skipped = max(left - open, skipped - extend);
			left = max(max(score, 0), max(gap[k], skipped));
			h[k] = left;
			top = max(top, left);
		}
	}
	best[pair] = top;
}
