/* SPDX-License-Identifier: Apache-2.0 */
/* MinHash signatures of documents (Broder, 1997): the least of a x + b modulo 2^61 - 1 over all shingles x, for
 * each of a row's hash functions. Work-items of a row share a document's shingles. */
#define PRIME 0x1fffffffffffffffUL

kernel void minhash_rows(global const int *start, global const uint *shingles, global const ulong2 *functions,
                         global uint *signatures)
{
	const int function = get_global_id(0), document = get_global_id(1);
	const ulong a = functions[function].x & 0x3ffffff, b = functions[function].y & PRIME;
	ulong least = PRIME;

	for (int k = start[document]; k < start[document + 1]; k++) {
		ulong hash = a * shingles[k] + b;
		hash = (hash & PRIME) + (hash >> 61);
		if (hash >= PRIME)
			hash -= PRIME;
		least = min(least, hash);
	}
	signatures[document * get_global_size(0) + function] = (uint)(least >> 29);
}
