/* SPDX-License-Identifier: Apache-2.0 */
/* Every element counts those that go before it, and goes there. */
kernel void rank_sort(global const int *in, global int *out, int count)
{
	int i = get_global_id(0);
	int key = in[i];
	int rank = 0;

	for (int j = 0; j < count; j++) {
		int other = in[j];
		rank += other < key || (other == key && j < i);
	}
	out[rank] = key;
}
