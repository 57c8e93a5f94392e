/* SPDX-License-Identifier: Apache-2.0 */
/* a hash of keys of 32 bytes */
kernel void one_at_a_time(global const uint *words, global uint *hash)
{
	int i = get_global_id(0);
	uint h = 0;

	for (int k = 0; k < 8; k++) {
		uint word = words[8 * i + k];
		for (int byte = 0; byte < 4; byte++) {
			h += word >> 8 * byte & 255;
			h += h << 10;
			h ^= h >> 6;
		}
	}
	h += h << 3;
	h ^= h >> 11;
	hash[i] = h + (h << 15);
}
