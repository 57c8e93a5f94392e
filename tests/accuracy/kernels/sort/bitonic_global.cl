/* SPDX-License-Identifier: Apache-2.0 */
/* One step of a bitonic sort in global memory. */
kernel void bitonic_global(global uint *keys, uint stage, uint distance)
{
	uint i = get_global_id(0);
	uint low = 2 * i - (i & (distance - 1));
	uint first = keys[low], second = keys[low + distance];
	bool ascending = (low & stage) == 0;

	if ((first > second) == ascending) {
		keys[low] = second;
		keys[low + distance] = first;
	}
}
