// SPDX-License-Identifier: Apache-2.0
//
// Rounds of a hash whose order and message all work-items read: global memory against constant.

__kernel void bad(__global const ulong *message, __global const uchar *order, __global ulong *out)
{
	ulong a = get_global_id(0), b = 0x6a09e667f3bcc908UL, c = 0x510e527fade682d1UL;

	for (uint r = 0; r < 12; r++)
		for (uint k = 0; k < 16; k++) {
			a += b + message[order[r * 16 + k] & 15];
			c = rotate(c ^ a, 32UL);
			b = rotate((b ^ c) + a, 40UL);
		}
	out[get_global_id(0)] = a ^ b ^ c;
}

__kernel void good(__constant ulong *message, __constant uchar *order, __global ulong *out)
{
	ulong a = get_global_id(0), b = 0x6a09e667f3bcc908UL, c = 0x510e527fade682d1UL;

	for (uint r = 0; r < 12; r++)
		for (uint k = 0; k < 16; k++) {
			a += b + message[order[r * 16 + k] & 15];
			c = rotate(c ^ a, 32UL);
			b = rotate((b ^ c) + a, 40UL);
		}
	out[get_global_id(0)] = a ^ b ^ c;
}
