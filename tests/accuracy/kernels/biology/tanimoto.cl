/* SPDX-License-Identifier: Apache-2.0 */
/* How alike molecules are by their fingerprints of 1024 bits: bits in common by bits of either. */
#define WORDS 16

kernel void tanimoto(global const ulong *queries, global const ulong *molecules, global float *alike, uint count)
{
	const uint i = get_global_id(0), q = get_global_id(1);
	ulong both = 0, either = 0;

	if (i >= count)
		return;
	for (uint k = 0; k < WORDS; k++) {
		const ulong a = queries[q * WORDS + k], b = molecules[i * WORDS + k];
		both += popcount(a & b);
		either += popcount(a | b);
	}
	alike[q * count + i] = either == 0 ? 0.0f : (float)both / (float)either;
}
