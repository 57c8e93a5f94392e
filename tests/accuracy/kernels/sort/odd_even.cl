/* SPDX-License-Identifier: Apache-2.0 */
/* One phase of odd-even transposition sort. */
kernel void odd_even(global int *data, int phase, int count)
{
	int i = 2 * get_global_id(0) + phase;

	if (i + 1 < count) {
		int a = data[i], b = data[i + 1];
		data[i] = min(a, b);
		data[i + 1] = max(a, b);
	}
}
