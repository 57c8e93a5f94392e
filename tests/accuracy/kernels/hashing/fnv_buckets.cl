/* SPDX-License-Identifier: Apache-2.0 */
/* FNV-1a of keys of eight bytes, counted in buckets by atomics. */
kernel void fnv_buckets(global const uchar *keys, global uint *bucket, uint mask)
{
	int i = get_global_id(0);
	uint h = 2166136261u;

	for (int k = 0; k < 8; k++) {
		h ^= keys[i * 8 + k];
		h *= 16777619u;
	}
	atomic_inc(&bucket[h & mask]);
}
