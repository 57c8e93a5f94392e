/* SPDX-License-Identifier: Apache-2.0 */
/* MD5's first two rounds written out, as password searchers do, a message a work-item. */
#define F(x, y, z)               ((z) ^ ((x) & ((y) ^ (z))))
#define G(x, y, z)               ((y) ^ ((z) & ((x) ^ (y))))
#define STEP(f, a, b, c, d, w, k, s) a = b + rotate(a + f(b, c, d) + (w) + (k), s##u);

kernel void md5_unrolled(global const uint *in, global uint *out, uint salt)
{
	uint i = get_global_id(0);
	uint x = in[i];
	uint a = 0x67452301u, b = 0xefcdab89u, c = 0x98badcfeu, d = 0x10325476u;

	STEP(F, a, b, c, d, x, 0xd76aa478u, 7)
	STEP(F, d, a, b, c, salt, 0xe8c7b756u, 12)
	STEP(F, c, d, a, b, 0x80u, 0x242070dbu, 17)
	STEP(F, b, c, d, a, 0u, 0xc1bdceeeu, 22)
	STEP(F, a, b, c, d, 0u, 0xf57c0fafu, 7)
	STEP(F, d, a, b, c, 0u, 0x4787c62au, 12)
	STEP(F, c, d, a, b, 0u, 0xa8304613u, 17)
	STEP(F, b, c, d, a, 0u, 0xfd469501u, 22)
	STEP(F, a, b, c, d, 0u, 0x698098d8u, 7)
	STEP(F, d, a, b, c, 0u, 0x8b44f7afu, 12)
	STEP(F, c, d, a, b, 0u, 0xffff5bb1u, 17)
	STEP(F, b, c, d, a, 0u, 0x895cd7beu, 22)
	STEP(F, a, b, c, d, 0u, 0x6b901122u, 7)
	STEP(F, d, a, b, c, 0u, 0xfd987193u, 12)
	STEP(F, c, d, a, b, 64u, 0xa679438eu, 17)
	STEP(F, b, c, d, a, 0u, 0x49b40821u, 22)
	STEP(G, a, b, c, d, salt, 0xf61e2562u, 5)
	STEP(G, d, a, b, c, 0u, 0xc040b340u, 9)
	STEP(G, c, d, a, b, 0u, 0x265e5a51u, 14)
	STEP(G, b, c, d, a, x, 0xe9b6c7aau, 20)
	STEP(G, a, b, c, d, 0u, 0xd62f105du, 5)
	STEP(G, d, a, b, c, 0u, 0x02441453u, 9)
	STEP(G, c, d, a, b, 0u, 0xd8a1e681u, 14)
	STEP(G, b, c, d, a, 0u, 0xe7d3fbc8u, 20)
	STEP(G, a, b, c, d, 0u, 0x21e1cde6u, 5)
	STEP(G, d, a, b, c, 64u, 0xc33707d6u, 9)
	STEP(G, c, d, a, b, 0u, 0xf4d50d87u, 14)
	STEP(G, b, c, d, a, 0u, 0x455a14edu, 20)
	STEP(G, a, b, c, d, 0u, 0xa9e3e905u, 5)
	STEP(G, d, a, b, c, 0x80u, 0xfcefa3f8u, 9)
	STEP(G, c, d, a, b, 0u, 0x676f02d9u, 14)
	STEP(G, b, c, d, a, 0u, 0x8d2a4c8au, 20)
	out[i] = a ^ b ^ c ^ d;
}
