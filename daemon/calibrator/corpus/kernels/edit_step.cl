/* SPDX-License-Identifier: Apache-2.0 */
/* one anti-diagonal of an edit distance */
kernel void edit_step(global const uchar *a, global const uchar *b, global const int *two_before,
                      global const int *before, global int *now, int diagonal)
{
	int i = get_global_id(0) + 1;
	int change = a[i - 1] != b[max(diagonal - i, 0)];

	now[i] = min(two_before[i - 1] + change, min(before[i - 1], before[i]) + 1);
}
