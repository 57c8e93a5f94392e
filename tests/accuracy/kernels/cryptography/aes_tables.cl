/* SPDX-License-Identifier: Apache-2.0 */
/* AES-128 of one block a work-item, by one table of 256 words that a work-group copies to local memory; the
 * others are its rotations. Columns are big-endian words. */
#define BYTE(word, k) (((word) >> (8 * (k))) & 0xffu)
#define COLUMN(p, q, r, s)                                                                                \
	(table[BYTE(p, 3)] ^ rotate(table[BYTE(q, 2)], 24u) ^ rotate(table[BYTE(r, 1)], 16u) ^            \
	 rotate(table[BYTE(s, 0)], 8u))
#define BOX(value) BYTE(table[value], 1)
#define LAST(p, q, r, s)                                                                                  \
	(BOX(BYTE(p, 3)) << 24 | BOX(BYTE(q, 2)) << 16 | BOX(BYTE(r, 1)) << 8 | BOX(BYTE(s, 0)))

__kernel void aes_tables(__global const uint4 *plain, __global uint4 *cipher, __global const uint *rounds,
                         __constant uint4 *round_key)
{
	__local uint table[256];
	for (int i = get_local_id(0); i < 256; i += get_local_size(0))
		table[i] = rounds[i];
	barrier(CLK_LOCAL_MEM_FENCE);

	uint4 s = plain[get_global_id(0)] ^ round_key[0];
	for (int round = 1; round < 10; round++) {
		uint4 t;
		t.x = COLUMN(s.x, s.y, s.z, s.w);
		t.y = COLUMN(s.y, s.z, s.w, s.x);
		t.z = COLUMN(s.z, s.w, s.x, s.y);
		t.w = COLUMN(s.w, s.x, s.y, s.z);
		s = t ^ round_key[round];
	}
	uint4 last = (uint4)(LAST(s.x, s.y, s.z, s.w), LAST(s.y, s.z, s.w, s.x), LAST(s.z, s.w, s.x, s.y),
	                     LAST(s.w, s.x, s.y, s.z));
	cipher[get_global_id(0)] = last ^ round_key[10];
}
