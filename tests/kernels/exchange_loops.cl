/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of reals and slots of a table, by exchanges that are repeated until they succeed. */
// launch: global=65536 local=64 args=buffer:4M:rw,buffer:256K:r,buffer:256K:r
// expect: kernel add_reals
// expect: accesses 4
// expect: trips 13 1
kernel void add_reals(global int *sums, global const float *values, global const int *bin)
{
	size_t i = get_global_id(0);
	volatile global int *at = &sums[bin[i]];
	int old, next;

	do {
		old = *at;
		next = as_int(as_float(old) + values[i]);
	} while (atomic_cmpxchg(at, old, next) != old);
}

// expect: kernel insert
// launch: global=65536 local=64 args=buffer:1M:rw,buffer:256K:r,uint:262143
// expect: accesses 2
// expect: trips 28 1
kernel void insert(global int *table, global const int *keys, uint mask)
{
	int key = keys[get_global_id(0)];
	uint slot = (uint)key * 2654435761u & mask;

	while (atomic_cmpxchg(&table[slot], 0, key) != 0)
		slot = (slot + 1) & mask;
}

// expect: kernel insert_bounded
// launch: global=65536 local=64 args=buffer:1M:rw,buffer:256K:r,uint:262143
// expect: accesses 2
// expect: trips 41 1
kernel void insert_bounded(global int *table, global const int *keys, uint mask)
{
	int key = keys[get_global_id(0)];
	uint slot = (uint)key * 2654435761u & mask;

	for (int tries = 0; tries < 32; tries++) {
		int old = atomic_cmpxchg(&table[slot], 0, key);
		if (old == 0 || old == key)
			return;
		slot = (slot + 1) & mask;
	}
}

// expect: kernel insert_crowded
// launch: global=65536 local=64 args=buffer:288K:rw,buffer:256K:r,uint:73728
// expect: trips 58 5
kernel void insert_crowded(global int *table, global const int *keys, uint places)
{
	int key = keys[get_global_id(0)];
	uint slot = (uint)key % places;

	/* 65536 of 73728 places are taken in the end: (1 + 9) / 2 */
	for (int tries = 0; tries < 32; tries++) {
		if (atomic_cmpxchg(&table[slot], 0, key) == 0)
			break;
		slot = (slot + 1) % places;
	}
}
