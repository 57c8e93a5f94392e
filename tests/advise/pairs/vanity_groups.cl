// SPDX-License-Identifier: Apache-2.0
//
// Rounds of a hash: work-groups of 16 against 128.

__kernel void bad(__global const ulong *seed, __global ulong *out)
{
	ulong a = seed[get_global_id(0)], b = 0xbb67ae8584caa73bUL, c = 0x3c6ef372fe94f82bUL;

	for (uint r = 0; r < 192; r++) {
		a += b ^ r;
		c = rotate(c ^ a, 32UL);
		b = rotate(b ^ c, 40UL) + a;
	}
	out[get_global_id(0)] = a ^ b ^ c;
}

__kernel void good(__global const ulong *seed, __global ulong *out)
{
	ulong a = seed[get_global_id(0)], b = 0xbb67ae8584caa73bUL, c = 0x3c6ef372fe94f82bUL;

	for (uint r = 0; r < 192; r++) {
		a += b ^ r;
		c = rotate(c ^ a, 32UL);
		b = rotate(b ^ c, 40UL) + a;
	}
	out[get_global_id(0)] = a ^ b ^ c;
}
