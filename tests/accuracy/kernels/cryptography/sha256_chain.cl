/* SPDX-License-Identifier: Apache-2.0 */
/* A password's digest hashed again and again: SHA-256 of its own 32 bytes, `iterations` times, with a schedule
 * of 16 words that rolls. */
constant uint k256[64] = {
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
        0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
        0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
        0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
        0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
        0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
        0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
        0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

#define S0(x) (rotate((x), 30u) ^ rotate((x), 19u) ^ rotate((x), 10u))
#define S1(x) (rotate((x), 26u) ^ rotate((x), 21u) ^ rotate((x), 7u))
#define R0(x) (rotate((x), 25u) ^ rotate((x), 14u) ^ ((x) >> 3))
#define R1(x) (rotate((x), 15u) ^ rotate((x), 13u) ^ ((x) >> 10))

void compress(uint *h, uint *w)
{
	uint s[8];
	for (int i = 0; i < 8; i++)
		s[i] = h[i];
	for (int t = 0; t < 64; t++) {
		if (t >= 16)
			w[t & 15] += R0(w[(t + 1) & 15]) + w[(t + 9) & 15] + R1(w[(t + 14) & 15]);
		uint t1 = s[7] + S1(s[4]) + bitselect(s[6], s[5], s[4]) + k256[t] + w[t & 15];
		uint t2 = S0(s[0]) + bitselect(s[0], s[1], s[0] ^ s[2]);
		for (int i = 7; i > 0; i--)
			s[i] = s[i - 1];
		s[4] += t1;
		s[0] = t1 + t2;
	}
	for (int i = 0; i < 8; i++)
		h[i] += s[i];
}

kernel void sha256_chain(global const uint *start, global uint *end, uint iterations)
{
	size_t at = 8 * get_global_id(0);
	uint h[8], w[16];

	for (int i = 0; i < 8; i++)
		h[i] = start[at + i];
	for (uint n = 0; n < iterations; n++) {
		for (int i = 0; i < 8; i++)
			w[i] = h[i];
		w[8] = 0x80000000u;
		for (int i = 9; i < 15; i++)
			w[i] = 0;
		w[15] = 256;
		h[0] = 0x6a09e667, h[1] = 0xbb67ae85, h[2] = 0x3c6ef372, h[3] = 0xa54ff53a;
		h[4] = 0x510e527f, h[5] = 0x9b05688c, h[6] = 0x1f83d9ab, h[7] = 0x5be0cd19;
		compress(h, w);
	}
	for (int i = 0; i < 8; i++)
		end[at + i] = h[i];
}
