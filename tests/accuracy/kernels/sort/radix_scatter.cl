/* SPDX-License-Identifier: Apache-2.0 */
/* Keys moved to where the scanned counts of their digits say. */
kernel void radix_scatter(global const uint *keys, global const uint *offsets, global uint *out,
                          int per_item, int shift)
{
	uint place[16];
	int item = get_global_id(0);
	int items = get_global_size(0);

	for (int d = 0; d < 16; d++)
		place[d] = offsets[d * items + item];
	for (int k = 0; k < per_item; k++) {
		uint key = keys[item * per_item + k];
		uint digit = (key >> shift) & 15;
		out[place[digit]] = key;
		place[digit]++;
	}
}
