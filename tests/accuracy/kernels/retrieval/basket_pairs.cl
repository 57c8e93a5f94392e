/* SPDX-License-Identifier: Apache-2.0 */
/* What is bought together: each pair of goods in a basket is counted in a sketch of two rows, a hash function each
 * (Cormode and Muthukrishnan, 2005). Goods that are the same do not pair. */
static uint mixed(uint x, uint seed)
{
	x = (x ^ seed) * 0x85ebca6bu;
	x ^= x >> 13;
	x *= 0xc2b2ae35u;
	return x ^ x >> 16;
}

kernel void basket_pairs(global const int *start, global const ushort *goods, global uint *sketch, uint mask, int baskets)
{
	const int basket = get_global_id(0);
	if (basket >= baskets)
		return;

	const int first = start[basket], end = start[basket + 1];
	for (int i = first; i < end; i++) {
		const uint one = goods[i];
		for (int k = i + 1; k < end; k++) {
			const uint other = goods[k];
			if (one == other)
				continue;
			const uint pair = min(one, other) << 16 | max(one, other);
			atomic_inc(&sketch[mixed(pair, 0x9e3779b9u) & mask]);
			atomic_inc(&sketch[mask + 1 + (mixed(pair, 0x7f4a7c15u) & mask)]);
		}
	}
}
