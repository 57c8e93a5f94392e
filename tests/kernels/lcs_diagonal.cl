/* SPDX-License-Identifier: Apache-2.0 */
/* One anti-diagonal of the longest common subsequence; three diagonals are kept. */
// launch: global=4096 local=64 args=buffer:4097:r,buffer:8200:r,buffer:16400:r,buffer:16400:r,buffer:16400:w,int:4096
// expect: kernel lcs_diagonal
// expect: argument a buffer char
// expect: accesses 6
// expect: segments after 5
// expect: barriers 0
kernel void lcs_diagonal(global const char *a, global const char *b, global const int *before,
                         global const int *last, global int *after, int diagonal)
{
	int i = get_global_id(0);
	int longest;

	if (a[i] == b[diagonal - i])
		longest = before[i] + 1;
	else
		longest = max(last[i], last[i + 1]);
	after[i + 1] = longest;
}
