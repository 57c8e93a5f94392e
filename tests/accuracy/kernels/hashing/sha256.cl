/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 of messages of one block, its schedule in private memory. */
constant uint root[64] = {
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
        0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
        0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
        0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
        0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
        0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
        0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
        0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
        0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
        0xc67178f2};

kernel void sha256(global const uint *word, global uint *digest, int messages)
{
	int message = get_global_id(0);
	uint w[64];
	uint a = 0x6a09e667u, b = 0xbb67ae85u, c = 0x3c6ef372u, d = 0xa54ff53au;
	uint e = 0x510e527fu, f = 0x9b05688cu, g = 0x1f83d9abu, h = 0x5be0cd19u;

	for (int t = 0; t < 16; t++)
		w[t] = word[t * messages + message];
	for (int t = 16; t < 64; t++) {
		uint early = rotate(w[t - 15], 25u) ^ rotate(w[t - 15], 14u) ^ (w[t - 15] >> 3);
		uint late = rotate(w[t - 2], 15u) ^ rotate(w[t - 2], 13u) ^ (w[t - 2] >> 10);
		w[t] = w[t - 16] + early + w[t - 7] + late;
	}
	for (int t = 0; t < 64; t++) {
		uint big1 = rotate(e, 26u) ^ rotate(e, 21u) ^ rotate(e, 7u);
		uint t1 = h + big1 + (g ^ (e & (f ^ g))) + root[t] + w[t];
		uint big0 = rotate(a, 30u) ^ rotate(a, 19u) ^ rotate(a, 10u);
		uint t2 = big0 + ((a & b) | (c & (a | b)));
		h = g;
		g = f;
		f = e;
		e = d + t1;
		d = c;
		c = b;
		b = a;
		a = t1 + t2;
	}
	digest[0 * messages + message] = a + 0x6a09e667u;
	digest[1 * messages + message] = b + 0xbb67ae85u;
	digest[2 * messages + message] = c + 0x3c6ef372u;
	digest[3 * messages + message] = d + 0xa54ff53au;
	digest[4 * messages + message] = e + 0x510e527fu;
	digest[5 * messages + message] = f + 0x9b05688cu;
	digest[6 * messages + message] = g + 0x1f83d9abu;
	digest[7 * messages + message] = h + 0x5be0cd19u;
}
