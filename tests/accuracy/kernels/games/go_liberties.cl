/* SPDX-License-Identifier: Apache-2.0 */
/* Go: chains of stones and their liberties, a work-group per board of 19 by 19. Chains take the least number of
   their points, passed on until nothing changes; each empty point is a liberty once of every chain that it
   touches. Writes for each point the liberties of its chain (0: empty), and counts stones of chains with just one. */
#define SIDE 19
#define POINTS (SIDE * SIDE)

int neighbour(int p, int d)
{
	switch (d) {
	case 0:
		return p % SIDE > 0 ? p - 1 : -1;
	case 1:
		return p % SIDE < SIDE - 1 ? p + 1 : -1;
	case 2:
		return p >= SIDE ? p - SIDE : -1;
	default:
		return p < POINTS - SIDE ? p + SIDE : -1;
	}
}

kernel void go_liberties(global const uchar *boards, global uchar *liberties, global uint *in_atari)
{
	local uchar stone[POINTS];
	local int chain[POINTS];
	local int free_points[POINTS];
	local int is_changed;
	int board = get_group_id(0);
	int lid = get_local_id(0), size = get_local_size(0);

	for (int p = lid; p < POINTS; p += size) {
		stone[p] = boards[board * POINTS + p] % 3;
		chain[p] = p;
		free_points[p] = 0;
	}

	do {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (lid == 0)
			is_changed = 0;
		barrier(CLK_LOCAL_MEM_FENCE);
		for (int p = lid; p < POINTS; p += size) {
			if (stone[p] == 0)
				continue;
			int least = chain[p];
			for (int d = 0; d < 4; d++) {
				int q = neighbour(p, d);
				if (q >= 0 && stone[q] == stone[p])
					least = min(least, chain[q]);
			}
			least = chain[least];
			if (least < chain[p]) {
				atomic_min(&chain[chain[p]], least);
				atomic_min(&chain[p], least);
				is_changed = 1;
			}
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	} while (is_changed);

	for (int p = lid; p < POINTS; p += size) {
		if (stone[p] != 0)
			continue;
		int met[4];
		int count = 0;
		for (int d = 0; d < 4; d++) {
			int q = neighbour(p, d);
			if (q < 0 || stone[q] == 0)
				continue;
			int c = chain[q], k = 0;
			while (k < count && met[k] != c)
				k++;
			if (k == count) {
				met[count++] = c;
				atomic_inc(&free_points[c]);
			}
		}
	}
	barrier(CLK_LOCAL_MEM_FENCE);

	for (int p = lid; p < POINTS; p += size) {
		int n = stone[p] == 0 ? 0 : free_points[chain[p]];
		liberties[board * POINTS + p] = (uchar)min(n, 255);
		if (n == 1)
			atomic_inc(&in_atari[board]);
	}
}
