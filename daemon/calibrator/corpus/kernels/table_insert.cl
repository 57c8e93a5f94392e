/* SPDX-License-Identifier: Apache-2.0 */
/* open addressing; 0 is free */
kernel void table_insert(global const uint *keys, global uint *table, uint mask)
{
	uint key = keys[get_global_id(0)] | 1;
	uint at = key * 2654435761u & mask;

	for (int tries = 0; tries < 32; tries++) {
		uint old = atomic_cmpxchg(&table[at], 0, key);
		if (old == 0 || old == key)
			return;
		at = (at + 1) & mask;
	}
}
