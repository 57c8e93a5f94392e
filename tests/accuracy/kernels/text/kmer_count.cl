/* SPDX-License-Identifier: Apache-2.0 */
/* Counts words of k letters of a genome, two bits a letter, a word and its reverse complement as one. */
uint complement_of(uint word, uint k)
{
	word = ~word;
	word = ((word >> 2) & 0x33333333u) | ((word & 0x33333333u) << 2);
	word = ((word >> 4) & 0x0f0f0f0fu) | ((word & 0x0f0f0f0fu) << 4);
	word = ((word >> 8) & 0x00ff00ffu) | ((word & 0x00ff00ffu) << 8);
	word = (word >> 16) | (word << 16);
	return word >> (32 - 2 * k);
}

kernel void kmer_count(global const uint *genome, global uint *count, uint letters, uint k)
{
	const uint at = get_global_id(0);
	if (at + k > letters)
		return;

	const uint shift = 2 * (at % 16);
	const ulong both = (ulong)genome[at / 16 + 1] << 32 | genome[at / 16];
	const uint word = (uint)(both >> shift) & ((1u << (2 * k)) - 1);
	atomic_inc(&count[min(word, complement_of(word, k))]);
}
