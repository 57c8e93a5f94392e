/* SPDX-License-Identifier: Apache-2.0 */
/* CRC-32 of blocks by a table of 256 words that the host made, a block a work-item. */
kernel void crc32_table(global const uchar *data, constant uint *table, global uint *crc, int bytes)
{
	int i = get_global_id(0);
	global const uchar *block = data + i * bytes;
	uint value = 0xffffffffu;

	for (int k = 0; k < bytes; k++)
		value = (value >> 8) ^ table[(value ^ block[k]) & 255u];
	crc[i] = ~value;
}
