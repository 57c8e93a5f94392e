/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that two indices of bits have and a third has not, and how many: four words of 64 bits at once. */
kernel void bitmap_count(global const ulong4 *a, global const ulong4 *b, global const ulong4 *deleted,
                         global ulong4 *rows, global uint *counts, uint vectors, local uint *partial)
{
	uint lid = get_local_id(0);
	uint bits = 0;

	for (uint i = get_global_id(0); i < vectors; i += get_global_size(0)) {
		ulong4 both = a[i] & b[i] & ~deleted[i];
		ulong4 ones = popcount(both);
		rows[i] = both;
		bits += (uint)(ones.x + ones.y + ones.z + ones.w);
	}
	partial[lid] = bits;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint step = get_local_size(0) / 2; step > 0; step /= 2) {
		if (lid < step)
			partial[lid] += partial[lid + step];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (lid == 0)
		counts[get_group_id(0)] = partial[0];
}
