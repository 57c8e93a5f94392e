/* SPDX-License-Identifier: Apache-2.0 */
/* Bits counted and reversed by masks. */
// launch: global=1048576 local=64 args=buffer:4M:r,buffer:4M:w
// expect: kernel reverse_bits
// expect: written bit.int 15
// expect: written popcount.int 1
// expect: written clz.int 1
// expect: emitted popcount.int 1
// expect: emitted clz.int 1
// expect: accesses 2
// expect: load in coalesced
// expect: store out coalesced
kernel void reverse_bits(global const uint *in, global uint *out)
{
	size_t i = get_global_id(0);
	uint x = in[i];
	uint count = popcount(x) + clz(x);

	x = ((x >> 1) & 0x55555555u) | ((x & 0x55555555u) << 1);
	x = ((x >> 2) & 0x33333333u) | ((x & 0x33333333u) << 2);
	x = ((x >> 4) & 0x0f0f0f0fu) | ((x & 0x0f0f0f0fu) << 4);
	out[i] = x + count;
}
