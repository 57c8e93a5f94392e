/* SPDX-License-Identifier: Apache-2.0 */
/* For each place of a text of tokens the longest stretch that begins at most WINDOW places before and is repeated
 * there: how long it is, and how far back. */
#define WINDOW 32
#define ENOUGH 12

__kernel void lz_longest(__global const int *tokens, __global ushort2 *match, int length)
{
	int at = get_global_id(0);
	if (at >= length)
		return;

	int most = min(ENOUGH, length - at);
	int best = 0, back = 0;
	for (int distance = 1; distance <= WINDOW && distance <= at; distance++) {
		int k = 0;
		while (k < most && tokens[at + k] == tokens[at + k - distance])
			k++;
		if (k > best) {
			best = k;
			back = distance;
			if (best == most)
				break;
		}
	}
	match[at] = (ushort2)(best, back);
}
