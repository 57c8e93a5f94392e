/* SPDX-License-Identifier: Apache-2.0 */
/* The n-th bits of all bytes side by side, which compresses better: eight bytes are a matrix of bits, turned over, and
 * its rows go to eight planes. */
ulong swapped(ulong x, ulong mask, uint by)
{
	ulong t = (x ^ (x >> by)) & mask;
	return x ^ t ^ (t << by);
}

kernel void bit_shuffle(global const ulong *restrict bytes, global uchar *restrict planes, uint count)
{
	const uint i = get_global_id(0);
	if (i >= count)
		return;

	ulong x = bytes[i];
	x = swapped(x, 0x00aa00aa00aa00aaul, 7);
	x = swapped(x, 0x0000cccc0000ccccul, 14);
	x = swapped(x, 0x00000000f0f0f0f0ul, 28);
	for (uint plane = 0; plane < 8; plane++)
		planes[plane * count + i] = (uchar)(x >> (8 * plane));
}
