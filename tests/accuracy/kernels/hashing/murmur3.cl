/* SPDX-License-Identifier: Apache-2.0 */
/* Murmur3's 32-bit hash of keys of four words. */
kernel void murmur3(global const uint4 *keys, global uint *hash, uint seed)
{
	int i = get_global_id(0);
	uint4 key = keys[i];
	uint parts[4] = {key.x, key.y, key.z, key.w};
	uint h = seed;

	for (int k = 0; k < 4; k++) {
		uint part = parts[k] * 0xcc9e2d51u;
		part = rotate(part, 15u) * 0x1b873593u;
		h = rotate(h ^ part, 13u) * 5u + 0xe6546b64u;
	}
	h ^= 16u;
	h ^= h >> 16;
	h *= 0x85ebca6bu;
	h ^= h >> 13;
	h *= 0xc2b2ae35u;
	h ^= h >> 16;
	hash[i] = h;
}
