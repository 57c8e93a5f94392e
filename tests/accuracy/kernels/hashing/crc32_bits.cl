/* SPDX-License-Identifier: Apache-2.0 */
/* CRC-32 of blocks, bit by bit, a block a work-item. */
kernel void crc32_bits(global const uint *data, global uint *crc, int words)
{
	int i = get_global_id(0);
	int blocks = get_global_size(0);
	uint value = 0xffffffffu;

	for (int k = 0; k < words; k++) {
		value ^= data[k * blocks + i];
		for (int bit = 0; bit < 32; bit++)
			value = (value >> 1) ^ ((value & 1u) ? 0xedb88320u : 0u);
	}
	crc[i] = ~value;
}
