/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks that entries are in a log that is only appended to: from each entry's hash and those beside its way the root
 * of the Merkle tree is computed and compared. A node is BLAKE2s (RFC 7693) of its two children; a way is a row of
 * siblings, from the leaf up, and the entry's number says on which side each is. Where a way ends before the number
 * has only zeros left the proof is wrong whatever the hashes are.
 */
#define ROR(x, n) rotate((uint)(x), (uint)(32 - (n)))
#define MIX(a, b, c, d, x, y)                 \
	do {                                  \
		v[a] += v[b] + (x);           \
		v[d] = ROR(v[d] ^ v[a], 16);  \
		v[c] += v[d];                 \
		v[b] = ROR(v[b] ^ v[c], 12);  \
		v[a] += v[b] + (y);           \
		v[d] = ROR(v[d] ^ v[a], 8);   \
		v[c] += v[d];                 \
		v[b] = ROR(v[b] ^ v[c], 7);   \
	} while (0)

constant uint iv[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

constant uchar sigma[10][16] = {
	{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
	{11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4}, {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
	{9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13}, {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
	{12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11}, {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
	{6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5}, {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};

/* BLAKE2s-256 of one block of 64 bytes without a key. */
void hash_block(uint *h, const uint *m)
{
	uint v[16];

	for (int k = 0; k < 8; k++) {
		h[k] = iv[k] ^ (k == 0 ? 0x01010020u : 0u);
		v[k] = h[k];
		v[k + 8] = iv[k];
	}
	v[12] ^= 64;
	v[14] = ~v[14];
	for (int r = 0; r < 10; r++) {
		constant uchar *s = sigma[r];
		MIX(0, 4, 8, 12, m[s[0]], m[s[1]]);
		MIX(1, 5, 9, 13, m[s[2]], m[s[3]]);
		MIX(2, 6, 10, 14, m[s[4]], m[s[5]]);
		MIX(3, 7, 11, 15, m[s[6]], m[s[7]]);
		MIX(0, 5, 10, 15, m[s[8]], m[s[9]]);
		MIX(1, 6, 11, 12, m[s[10]], m[s[11]]);
		MIX(2, 7, 8, 13, m[s[12]], m[s[13]]);
		MIX(3, 4, 9, 14, m[s[14]], m[s[15]]);
	}
	for (int k = 0; k < 8; k++)
		h[k] ^= v[k] ^ v[k + 8];
}

kernel void audit_proof(global const uint *leaf, global const uint *number, global const int *way,
                        global const uint8 *sibling, constant uint *root, const uint tree_mask, global uchar *verdict,
                        global uint *failures, const int proofs)
{
	const int id = get_global_id(0);
	if (id >= proofs)
		return;

	uint h[8], m[16];
	for (int k = 0; k < 8; k++)
		h[k] = leaf[8 * id + k];

	uint at = number[id] & tree_mask;
	for (int step = way[id]; step < way[id + 1]; step++) {
		const int side = at & 1 ? 8 : 0;
		for (int k = 0; k < 8; k++)
			m[side + k] = h[k];
		vstore8(sibling[step], 0, m + 8 - side);
		hash_block(h, m);
		at >>= 1;
	}

	uint apart = at;
	for (int k = 0; k < 8; k++)
		apart |= h[k] ^ root[k];
	verdict[id] = apart == 0;
	if (apart != 0)
		atomic_inc(failures);
}
