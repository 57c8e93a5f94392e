/* SPDX-License-Identifier: Apache-2.0 */
/* Longest common subsequence: one anti-diagonal from the two before it. */
kernel void lcs_diagonal(global const uchar *a, global const uchar *b, global const int *before,
                         global const int *last, global int *now, int length, int diagonal)
{
	int i = get_global_id(0) + 1;
	int j = diagonal - i;

	if (i > length || j < 1 || j > length)
		return;
	now[i] = a[i - 1] == b[j - 1] ? before[i - 1] + 1 : max(last[i - 1], last[i]);
}
