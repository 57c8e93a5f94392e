/* SPDX-License-Identifier: Apache-2.0 */
/* Bitonic sort of blocks of two elements a work-item in local memory. */
kernel void bitonic_local(global uint *keys, local uint *block)
{
	uint lid = get_local_id(0);
	uint size = 2 * get_local_size(0);
	uint base = get_group_id(0) * size;

	block[lid] = keys[base + lid];
	block[lid + size / 2] = keys[base + lid + size / 2];
	for (uint stage = 2; stage <= size; stage <<= 1)
		for (uint distance = stage >> 1; distance > 0; distance >>= 1) {
			barrier(CLK_LOCAL_MEM_FENCE);
			uint low = 2 * lid - (lid & (distance - 1));
			uint first = block[low], second = block[low + distance];
			if ((first > second) == ((low & stage) == 0)) {
				block[low] = second;
				block[low + distance] = first;
			}
		}
	barrier(CLK_LOCAL_MEM_FENCE);
	keys[base + lid] = block[lid];
	keys[base + lid + size / 2] = block[lid + size / 2];
}
