/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Connect four, random playouts on bitboards: seven bits a column, the top one never taken. Dimension 1 is the
 * position (the moves that lead to it, a row of bytes), dimension 0 the playout. Ends are counted per row of the
 * work-group, then per position: first player, second player, draw.
 */
#define ROWS_MAX 4

static bool is_won(ulong b)
{
	ulong m = b & (b >> 7);
	if (m & (m >> 14))
		return true;
	m = b & (b >> 6);
	if (m & (m >> 12))
		return true;
	m = b & (b >> 8);
	if (m & (m >> 16))
		return true;
	m = b & (b >> 1);
	return (m & (m >> 2)) != 0;
}

kernel void connect_playouts(global const int *start, global const uchar *moves, uint seed, global int *ends,
                             int positions)
{
	local int counts[ROWS_MAX][3];
	int position = get_global_id(1);
	int row = get_local_id(1);

	if (get_local_id(0) < 3)
		counts[row][get_local_id(0)] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);

	if (position < positions) {
		ulong side[2] = {0, 0};
		uchar height[7] = {0, 0, 0, 0, 0, 0, 0};
		int turn = 0, stones = 0, winner = 2;

		for (int k = start[position]; k < start[position + 1] && winner == 2; k++) {
			int column = moves[k] % 7;
			if (height[column] == 6)
				continue;
			side[turn] |= 1ul << (7 * column + height[column]++);
			stones++;
			if (is_won(side[turn]))
				winner = turn;
			turn ^= 1;
		}

		uint state = seed ^ (uint)(get_global_id(0) + 1) * 0x9e3779b9u ^ (uint)position * 0x85ebca6bu;
		while (winner == 2 && stones < 42) {
			state = state * 1664525u + 1013904223u;
			int column = (int)((state >> 16) % 7);
			while (height[column] == 6)
				column = column == 6 ? 0 : column + 1;
			side[turn] |= 1ul << (7 * column + height[column]++);
			stones++;
			if (is_won(side[turn]))
				winner = turn;
			turn ^= 1;
		}
		atomic_inc(&counts[row][winner]);
	}

	barrier(CLK_LOCAL_MEM_FENCE);
	if (position < positions && get_local_id(0) < 3)
		atomic_add(&ends[3 * position + get_local_id(0)], counts[row][get_local_id(0)]);
}
