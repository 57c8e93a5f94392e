/* SPDX-License-Identifier: Apache-2.0 */
/* Integers of `bits` bits each, packed without gaps in blocks of 128, above their block's least value. */
kernel void bit_unpack(global const uint *packed, global const int *least, global int *values, uint bits, uint count)
{
	uint i = get_global_id(0);
	if (i >= count)
		return;

	uint block = i >> 7;
	uint bit = (i & 127) * bits;
	global const uint *word = packed + block * bits * 4 + (bit >> 5);
	uint offset = bit & 31;
	uint value = word[0] >> offset;
	if (offset + bits > 32)
		value |= word[1] << (32 - offset);
	values[i] = least[block] + (int)(value & ((1u << bits) - 1));
}
