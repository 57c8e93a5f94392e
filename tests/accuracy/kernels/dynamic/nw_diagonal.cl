/* SPDX-License-Identifier: Apache-2.0 */
/* Needleman and Wunsch: one anti-diagonal of the table of scores. */
kernel void nw_diagonal(global int *score, global const int *match, int width, int diagonal,
                        int penalty)
{
	int i = get_global_id(0) + 1;
	int j = diagonal - i;

	if (j < 1 || j >= width || i >= width)
		return;
	int best = score[(i - 1) * width + j - 1] + match[i * width + j];
	best = max(best, score[(i - 1) * width + j] - penalty);
	best = max(best, score[i * width + j - 1] - penalty);
	score[i * width + j] = best;
}
