/* SPDX-License-Identifier: Apache-2.0 */
/* Rounds of mixing as in MD5: adds, rotations and boolean functions of 32 bits. */
// launch: global=262144 local=64 args=buffer:1M:r,buffer:1M:w
// expect: kernel md5_mix
// expect: trips 18 16
// expect: written bit.int 80
// expect: written add.int 83
// expect: accesses 2
// expect: load words coalesced
// expect: store digests coalesced
// expect: segments words 4
kernel void md5_mix(global const uint *words, global uint *digests)
{
	size_t i = get_global_id(0);
	uint word = words[i];
	uint a = 0x67452301u, b = 0xefcdab89u, c = 0x98badcfeu, d = 0x10325476u;

	for (uint r = 0; r < 16; r++) {
		uint f = (b & c) | (~b & d);
		uint next = b + rotate(a + f + word + 0x5a827999u, 7u);

		a = d;
		d = c;
		c = b;
		b = next;
	}
	digests[i] = a + b + c + d;
}
