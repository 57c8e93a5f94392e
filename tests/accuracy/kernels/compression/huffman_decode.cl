/* SPDX-License-Identifier: Apache-2.0 */
/* Huffman codes of up to 8 bits, a piece of the stream a work-item, by a table in local memory: an entry is a symbol
 * and, above it, the length of its code less one. */
#define LOOK 8

__kernel void huffman_decode(__global const uint *stream, __global const int *codes, __global uchar *text,
                             uint words_each, uint symbols_each)
{
	__local ushort table[1 << LOOK];
	uint piece = get_global_id(0);
	__global const uint *words = stream + piece * words_each;
	__global uchar *to = text + piece * symbols_each;
	ulong window = 0;
	uint have = 0;

	for (uint i = get_local_id(0); i < 1 << LOOK; i += get_local_size(0))
		table[i] = (ushort)codes[i];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint n = 0; n < symbols_each; n++) {
		if (have < LOOK) {
			window |= (ulong)*words++ << have;
			have += 32;
		}
		ushort entry = table[window & ((1 << LOOK) - 1)];
		uint length = (entry >> 8) + 1;
		to[n] = entry & 255;
		window >>= length;
		have -= length;
	}
}
