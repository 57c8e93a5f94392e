/* SPDX-License-Identifier: Apache-2.0 */
/* How often each letter occurs, of either case: sixteen bytes at once, counted in local memory first. */
#define LETTERS 26

void tally(local uint *counts, uchar4 bytes)
{
	uchar4 letter = (bytes | (uchar4)(0x20)) - (uchar4)('a');
	if (letter.x < LETTERS)
		atomic_inc(&counts[letter.x]);
	if (letter.y < LETTERS)
		atomic_inc(&counts[letter.y]);
	if (letter.z < LETTERS)
		atomic_inc(&counts[letter.z]);
	if (letter.w < LETTERS)
		atomic_inc(&counts[letter.w]);
}

kernel void letter_counts(global const uchar16 *text, global uint *total, uint vectors)
{
	local uint counts[LETTERS];
	const uint lid = get_local_id(0);

	if (lid < LETTERS)
		counts[lid] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint i = get_global_id(0); i < vectors; i += get_global_size(0)) {
		uchar16 bytes = text[i];
		tally(counts, bytes.s0123);
		tally(counts, bytes.s4567);
		tally(counts, bytes.s89ab);
		tally(counts, bytes.scdef);
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	if (lid < LETTERS && counts[lid] != 0)
		atomic_add(&total[lid], counts[lid]);
}
