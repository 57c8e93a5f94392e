/* SPDX-License-Identifier: Apache-2.0 */
/* The permutation Keccak-f[1600], one state a work-item, lanes of all states side by side. */
__constant ulong iota[24] = {
        0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000,
        0x000000000000808b, 0x0000000080000001, 0x8000000080008081, 0x8000000000008009,
        0x000000000000008a, 0x0000000000000088, 0x0000000080008009, 0x000000008000000a,
        0x000000008000808b, 0x800000000000008b, 0x8000000000008089, 0x8000000000008003,
        0x8000000000008002, 0x8000000000000080, 0x000000000000800a, 0x800000008000000a,
        0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008};
__constant uint rho[24] = {1,  3,  6,  10, 15, 21, 28, 36, 45, 55, 2,  14,
                           27, 41, 56, 8,  25, 43, 62, 18, 39, 61, 20, 44};
__constant uint pi[24] = {10, 7,  11, 17, 18, 3, 5,  16, 8,  21, 24, 4,
                          15, 23, 19, 13, 12, 2, 20, 14, 22, 9,  6,  1};

__kernel void keccak(__global ulong *lanes, uint states, uint rounds)
{
	uint state = get_global_id(0);
	ulong a[25], c[5];

	if (state >= states)
		return;
	for (int i = 0; i < 25; i++)
		a[i] = lanes[i * states + state];
	for (uint round = 0; round < rounds; round++) {
#pragma unroll
		for (int x = 0; x < 5; x++)
			c[x] = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
#pragma unroll
		for (int x = 0; x < 5; x++) {
			ulong d = c[(x + 4) % 5] ^ rotate(c[(x + 1) % 5], 1ul);
#pragma unroll
			for (int y = 0; y < 25; y += 5)
				a[y + x] ^= d;
		}
		ulong moved = a[1];
#pragma unroll
		for (int i = 0; i < 24; i++) {
			ulong kept = a[pi[i]];
			a[pi[i]] = rotate(moved, (ulong)rho[i]);
			moved = kept;
		}
#pragma unroll
		for (int y = 0; y < 25; y += 5) {
#pragma unroll
			for (int x = 0; x < 5; x++)
				c[x] = a[y + x];
#pragma unroll
			for (int x = 0; x < 5; x++)
				a[y + x] = c[x] ^ (~c[(x + 1) % 5] & c[(x + 2) % 5]);
		}
		a[0] ^= iota[round];
	}
	for (int i = 0; i < 25; i++)
		lanes[i * states + state] = a[i];
}
