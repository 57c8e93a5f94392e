/* SPDX-License-Identifier: Apache-2.0 */
/* ChaCha20 (RFC 8439): a block of 64 bytes a work-item, the state as four rows. */
#define QUARTERS                                                                                          \
	a += b, d = rotate(d ^ a, 16u);                                                                   \
	c += d, b = rotate(b ^ c, 12u);                                                                   \
	a += b, d = rotate(d ^ a, 8u);                                                                    \
	c += d, b = rotate(b ^ c, 7u)

kernel void chacha20(global const uint4 *text, global uint4 *cipher, uint4 key_low, uint4 key_high, uint4 nonce,
                     uint blocks)
{
	const uint block = get_global_id(0);
	if (block >= blocks)
		return;

	const uint4 sigma = (uint4)(0x61707865u, 0x3320646eu, 0x79622d32u, 0x6b206574u);
	const uint4 tail = nonce + (uint4)(block, 0, 0, 0);
	uint4 a = sigma, b = key_low, c = key_high, d = tail;
	for (int i = 0; i < 10; i++) {
		QUARTERS;
		b = b.yzwx, c = c.zwxy, d = d.wxyz;
		QUARTERS;
		b = b.wxyz, c = c.zwxy, d = d.yzwx;
	}
	cipher[4 * block + 0] = text[4 * block + 0] ^ (a + sigma);
	cipher[4 * block + 1] = text[4 * block + 1] ^ (b + key_low);
	cipher[4 * block + 2] = text[4 * block + 2] ^ (c + key_high);
	cipher[4 * block + 3] = text[4 * block + 3] ^ (d + tail);
}
