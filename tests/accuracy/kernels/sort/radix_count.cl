/* SPDX-License-Identifier: Apache-2.0 */
/* Digits of four bits counted, a table of sixteen a work-item over consecutive keys. */
kernel void radix_count(global const uint *keys, global uint *counts, int per_item, int shift)
{
	uint table[16];
	int item = get_global_id(0);
	int items = get_global_size(0);

	for (int d = 0; d < 16; d++)
		table[d] = 0;
	for (int k = 0; k < per_item; k++)
		table[(keys[item * per_item + k] >> shift) & 15]++;
	for (int d = 0; d < 16; d++)
		counts[d * items + item] = table[d];
}
