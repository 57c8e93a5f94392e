/* SPDX-License-Identifier: Apache-2.0 */
/* Cards, boards and trees of games against the host. */
#include <stdlib.h>
#include <string.h>

#include "tests/accuracy/check/run.h"

/* Five cards by the book: the category, then ranks by how often they come. */
static int value_of_five(const int *cards)
{
	int times[13] = {0}, category = 0, value = 0, low = 12, high = 0, most = 0, kinds = 0;
	bool is_flush = true;
	for (int i = 0; i < 5; i++) {
		times[cards[i] / 4]++;
		is_flush = is_flush && cards[i] % 4 == cards[0] % 4;
	}
	for (int r = 0; r < 13; r++) {
		kinds += times[r] > 0;
		most = times[r] > most ? times[r] : most;
		low = times[r] > 0 && r < low ? r : low;
		high = times[r] > 0 ? r : high;
	}
	bool is_wheel = kinds == 5 && high == 12 && times[0] && times[1] && times[2] && times[3];
	bool is_straight = kinds == 5 && (high - low == 4 || is_wheel);
	if (is_straight)
		category = is_flush ? 8 : 4;
	else if (most == 4)
		category = 7;
	else if (most == 3)
		category = kinds == 2 ? 6 : 3;
	else if (is_flush)
		category = 5;
	else
		category = 5 - kinds;
	if (is_straight)
		return category * 400000 + (is_wheel ? 3 : high);
	for (int n = 4; n > 0; n--)
		for (int r = 12; r >= 0; r--)
			for (int k = 0; k < n && times[r] == n; k++)
				value = 13 * value + r;
	return category * 400000 + value;
}

static int value_of_seven(const int *cards)
{
	int best = 0;
	for (int a = 0; a < 7; a++)
		for (int b = a + 1; b < 7; b++) {
			int five[5], n = 0;
			for (int k = 0; k < 7; k++)
				if (k != a && k != b)
					five[n++] = cards[k];
			int value = value_of_five(five);
			best = value > best ? value : best;
		}
	return best;
}

static void poker_equity_is_of_the_best_five(void **unused)
{
	enum { COUNT = 50, TRIALS = 120 };
	uint8_t matches[COUNT][4];
	uint32_t results[COUNT][4], ties = 0, none = 0;
	(void)unused;
	seed();
	for (int i = 0; i < 4 * COUNT; i++)
		matches[i / 4][i % 4] = (uint8_t)random_word();
	memcpy(matches[0], ((uint8_t[]){0, 5, 3, 52}), 4); /* 52 is 0 again */
	memcpy(matches[1], ((uint8_t[]){48, 44, 49, 45}), 4);
	RUN("games/poker_equity", "", WORK(64), WORK(32), ARRAY(matches), ARRAY(results),
	    SCALAR(uint32_t, TRIALS), SCALAR(uint32_t, 7), SCALAR(uint32_t, COUNT));
	for (uint32_t i = 0; i < COUNT; i++) {
		uint32_t want[4] = {0, 0, 0, TRIALS}, state = (i * 2654435761u ^ 7u) | 1;
		bool is_twice = false;
		for (int k = 0; k < 16; k++)
			is_twice = is_twice || (k / 4 != k % 4 &&
			                        matches[i][k / 4] % 52 == matches[i][k % 4] % 52);
		for (int t = 0; t < TRIALS && !is_twice; t++) {
			int hand[2][7];
			bool used[52] = {false};
			for (int k = 0; k < 4; k++) {
				hand[k / 2][k % 2] = matches[i][k] % 52;
				used[matches[i][k] % 52] = true;
			}
			for (int k = 2; k < 7;) {
				state ^= state << 13;
				state ^= state >> 17;
				state ^= state << 5;
				int card = (int)((uint64_t)state * 52 >> 32);
				if (used[card])
					continue;
				used[card] = true;
				hand[0][k] = hand[1][k] = card;
				k++;
			}
			int a = value_of_seven(hand[0]), b = value_of_seven(hand[1]);
			want[a > b ? 0 : a < b ? 1 : 2]++;
		}
		if (is_twice)
			want[3] = 0;
		none += is_twice;
		ties += want[2];
		assert_words(results[i], want, 4);
	}
	assert_true(none > 0 && none < COUNT / 2 && ties > 50);
}

/* Four in a row anywhere on the grid. */
static bool has_four(int grid[7][6], int who)
{
	static const int ways[4][2] = {{1, 0}, {0, 1}, {1, 1}, {1, -1}};
	for (int i = 0; i < 7 * 6 * 4; i++) {
		int n = 0;
		for (int k = 0; k < 4; k++) {
			int x = i / 24 + k * ways[i % 4][0], y = i / 4 % 6 + k * ways[i % 4][1];
			n += x < 7 && y >= 0 && y < 6 && grid[x][y] == who;
		}
		if (n == 4)
			return true;
	}
	return false;
}

static bool drop(int grid[7][6], int column, int who)
{
	for (int y = 0; y < 6; y++)
		if (grid[column][y] == 0) {
			grid[column][y] = who;
			return true;
		}
	return false;
}

static void connect_playouts_end_as_on_a_grid(void **unused)
{
	enum { POSITIONS = 11, MOST = 30, PLAYOUTS = 64, SEED = 5 };
	int start[POSITIONS + 1], ends[3 * POSITIONS] = {0}, want[3 * POSITIONS] = {0};
	uint8_t moves[POSITIONS * MOST];
	int draws = 0;
	(void)unused;
	seed();
	fill_rows(start, POSITIONS, MOST);
	for (int i = 0; i < POSITIONS * MOST; i++)
		moves[i] = (uint8_t)random_word();
	for (uint32_t i = 0; i < POSITIONS * PLAYOUTS; i++) {
		uint32_t p = i / PLAYOUTS,
		         state = SEED ^ (i % PLAYOUTS + 1) * 0x9e3779b9u ^ p * 0x85ebca6bu;
		int grid[7][6] = {{0}}, who = 1, stones = 0, winner = 3;
		for (int k = start[p]; winner == 3 && stones < 42;) {
			bool is_opening = k < start[p + 1];
			if (!is_opening)
				state = state * 1664525u + 1013904223u;
			int column = is_opening ? moves[k++] % 7 : (int)(state >> 16) % 7;
			bool is_done = drop(grid, column, who);
			for (int next = 1; !is_done && !is_opening; next++)
				is_done = drop(grid, (column + next) % 7, who);
			if (!is_done)
				continue;
			stones++;
			winner = has_four(grid, who) ? who : 3;
			who = 3 - who;
		}
		want[3 * p + (uint32_t)winner - 1]++;
		draws += winner == 3;
	}
	RUN("games/connect_playouts", "", WORK(PLAYOUTS, 12), WORK(16, 4), ARRAY(start),
	    ARRAY(moves), SCALAR(uint32_t, SEED), ARRAY(ends), INT(POSITIONS));
	assert_ints(ends, want, (size_t)3 * POSITIONS);
	assert_true(draws > 0);
}

/* By ranks and files, with walls where the board ends. */
static int there(const uint8_t *board, int rank, int file)
{
	if (rank < 0 || rank > 7 || file < 0 || file > 7)
		return -1;
	int square = 8 * rank + file, piece = board[square / 2] >> square % 2 * 4 & 15;
	return piece % 8 == 7 || piece == 8 ? 0 : piece;
}

static void chess_mobility_counts_moves(void **unused)
{
	enum { COUNT = 70 };
	static const int worth[8] = {0, 1, 3, 3, 5, 9, 100, 0};
	uint8_t boards[COUNT][32], prize[COUNT];
	uint16_t mobility[COUNT];
	(void)unused;
	seed();
	for (int i = 0; i < 32 * COUNT; i++) {
		boards[i / 32][i % 32] = (uint8_t)random_word();
		if (i / 32 % 2 == 0) /* emptier ones */
			boards[i / 32][i % 32] &= random_word() % 2   ? 0xf0
			                          : random_word() % 2 ? 15
			                                              : 0;
	}
	/* The game's beginning: 20 moves. */
	memset(boards[0], 0, 32);
	memcpy(boards[0], ((uint8_t[]){0x24, 0x53, 0x36, 0x42, 0x11, 0x11, 0x11, 0x11}), 8);
	memcpy(boards[0] + 24, ((uint8_t[]){0x99, 0x99, 0x99, 0x99, 0xac, 0xdb, 0xbe, 0xca}), 8);
	RUN("games/chess_mobility", "", WORK(96), WORK(32), ARRAY(boards), ARRAY(mobility),
	    ARRAY(prize), INT(COUNT));
	assert_int_equal(mobility[0], 20);
	assert_int_equal(prize[0], 0);
	for (int i = 0; i < COUNT; i++) {
		int moves = 0, best = 0;
		for (int s = 0; s < 64 * 25; s++) {
			int rank = s / 200, file = s / 25 % 8, up = s % 5 - 2,
			    right = s / 5 % 5 - 2;
			int piece = there(boards[i], rank, file), far = 1;
			bool is_step = abs(up) < 2 && abs(right) < 2 && (up != 0 || right != 0);
			bool is_straight = is_step && (up == 0 || right == 0);
			bool is_jump = abs(up) + abs(right) == 3;
			if (piece == 1 && up == 1 && abs(right) < 2) {
				int to = there(boards[i], rank + 1, file + right);
				moves += right == 0 ? to == 0 : to > 8;
				moves += right == 0 && to == 0 && rank == 1 &&
				         there(boards[i], rank + 2, file) == 0;
				if (right != 0 && to > 8)
					best = worth[to % 8] > best ? worth[to % 8] : best;
			}
			if (piece < 2 || piece > 6 || !(piece == 2 ? is_jump : is_step) ||
			    (piece == 3 && is_straight) || (piece == 4 && !is_straight))
				continue;
			while (there(boards[i], rank + far * up, file + far * right) == 0) {
				far++;
				moves++;
				if (piece == 2 || piece == 6)
					break;
			}
			if (far > 1 && (piece == 2 || piece == 6))
				continue;
			int to = there(boards[i], rank + far * up, file + far * right);
			moves += to > 8;
			if (to > 8)
				best = worth[to % 8] > best ? worth[to % 8] : best;
		}
		assert_int_equal(mobility[i], moves);
		assert_int_equal(prize[i], best);
	}
}

static void ucb_descend_takes_the_best_bound(void **unused)
{
	enum { NODES = 400, SEARCHES = 60, DEPTH = 9 };
	int roots[SEARCHES], first[NODES], visits[NODES], pending[NODES] = {0}, want[NODES] = {0};
	int path[DEPTH * SEARCHES] = {0}, depths[SEARCHES], unvisited = 0, deep = 0;
	uint8_t children[NODES];
	float value[NODES];
	(void)unused;
	seed();
	fill_ints(roots, SEARCHES, NODES);
	fill_ints(first, NODES, NODES - 31);
	fill_ints(visits, NODES, 90);
	fill_floats(value, NODES, 0, 1);
	for (int i = 0; i < NODES; i++)
		children[i] = (uint8_t)random_word();
	RUN("games/ucb_descend", "", WORK(64), WORK(32), ARRAY(roots), ARRAY(first),
	    ARRAY(children), ARRAY(visits), ARRAY(value), FLOAT(0.7f), INT(DEPTH), ARRAY(pending),
	    ARRAY(path), ARRAY(depths), INT(SEARCHES));
	for (int s = 0; s < SEARCHES; s++) {
		assert_int_equal(path[s], roots[s]);
		assert_in_range(depths[s], 0, DEPTH - 1);
		for (int d = 0; d <= depths[s]; d++) {
			int node = path[d * SEARCHES + s], count = children[node] & 31;
			double best = -1, chosen = -1;
			want[node]++;
			if (d == depths[s]) {
				assert_true(d == DEPTH - 1 || count == 0 || visits[node] == 0);
				break;
			}
			int next = path[(d + 1) * SEARCHES + s], new = -1;
			assert_true(visits[node] > 0 && next >= first[node] &&
			            next < first[node] + count);
			for (int c = first[node]; c < first[node] + count; c++) {
				double bound = (double)value[c] +
				               0.7 * sqrt(log(visits[node] + 1.0) / visits[c]);
				if (visits[c] == 0 && new < 0)
					new = c;
				best = fmax(best, bound);
				chosen = c == next ? bound : chosen;
			}
			if (new >= 0)
				assert_int_equal(next, new);
			else
				assert_true(chosen > best - 1e-5);
			unvisited += new >= 0;
		}
		deep += depths[s] > 2;
	}
	assert_ints(pending, want, NODES);
	assert_true(unvisited > 3 && deep > SEARCHES / 4);
}

static void tablebase_pass_decides_what_it_can(void **unused)
{
	enum { COUNT = 300, MOST = 9 };
	int start[COUNT + 1], next[COUNT * MOST], decided[1] = {0}, want_decided = 0, lost = 0;
	uint8_t value[COUNT], distance[COUNT], got[COUNT], far[COUNT];
	(void)unused;
	seed();
	fill_rows(start, COUNT, MOST);
	fill_ints(next, (size_t)COUNT * MOST, COUNT);
	for (int p = 0; p < COUNT; p++) {
		value[p] =
		        (uint8_t)(random_word() << 2 | (random_word() % 2 ? 1 : random_word() % 4));
		distance[p] = (uint8_t)random_word();
	}
	RUN("games/tablebase_pass", "", WORK(320), WORK(32), ARRAY(start), ARRAY(next),
	    ARRAY(value), ARRAY(distance), ARRAY(got), ARRAY(far), ARRAY(decided), INT(COUNT));
	for (int p = 0; p < COUNT; p++) {
		int want = value[p] % 4, steps = distance[p], counts[4] = {0}, first_lost = -1,
		    most = -1;
		for (int k = start[p]; k < start[p + 1]; k++) {
			counts[value[next[k]] % 4]++;
			if (value[next[k]] % 4 == 2 && first_lost < 0)
				first_lost = next[k];
			if (value[next[k]] % 4 == 1 && distance[next[k]] > most)
				most = distance[next[k]];
		}
		if (want == 0 && first_lost >= 0) {
			want = 1;
			steps = distance[first_lost] + 1;
		} else if (want == 0 && counts[0] + counts[3] == 0) {
			want = 2;
			steps = most + 1;
			lost++;
		}
		want_decided += value[p] % 4 == 0 && want != 0;
		assert_int_equal(got[p], want);
		assert_int_equal(far[p], steps > 255 ? 255 : steps);
	}
	assert_int_equal(decided[0], want_decided);
	assert_true(lost > 3 && want_decided > lost + 3);
}

/* A chain is filled from each of its stones. */
static void go_liberties_are_of_whole_chains(void **unused)
{
	enum { BOARDS = 6, SIDE = 19, POINTS = SIDE * SIDE };
	uint8_t boards[BOARDS][POINTS], liberties[BOARDS][POINTS];
	uint32_t in_atari[BOARDS] = {0}, want_in_atari[BOARDS] = {0};
	int longest = 0;
	(void)unused;
	seed();
	for (int i = 0; i < BOARDS * POINTS; i++) {
		uint32_t draw = random_word();
		boards[i / POINTS][i % POINTS] = (uint8_t)(i / POINTS % 2 ? draw : draw % 16 < 11);
	}
	RUN("games/go_liberties", "", WORK((size_t)BOARDS * 64), WORK(64), ARRAY(boards),
	    ARRAY(liberties), ARRAY(in_atari));
	for (int i = 0; i < BOARDS * POINTS; i++) {
		const uint8_t *board = boards[i / POINTS];
		int stack[POINTS], top = 0, length = 0, free_points = 0,
		                   colour = board[i % POINTS] % 3;
		bool is_seen[POINTS] = {false};
		if (colour != 0)
			stack[top++] = i % POINTS;
		is_seen[i % POINTS] = true;
		while (top > 0) {
			int p = stack[--top], x = p % SIDE, y = p / SIDE;
			const int beside[4] = {x > 0 ? p - 1 : -1, x < SIDE - 1 ? p + 1 : -1,
			                       y > 0 ? p - SIDE : -1, y < SIDE - 1 ? p + SIDE : -1};
			length++;
			for (int d = 0; d < 4; d++) {
				int q = beside[d];
				if (q < 0 || is_seen[q] ||
				    (board[q] % 3 != 0 && board[q] % 3 != colour))
					continue;
				is_seen[q] = true;
				if (board[q] % 3 == 0)
					free_points++;
				else
					stack[top++] = q;
			}
		}
		want_in_atari[i / POINTS] += colour != 0 && free_points == 1;
		longest = length > longest ? length : longest;
		assert_int_equal(liberties[i / POINTS][i % POINTS], free_points);
	}
	assert_words(in_atari, want_in_atari, BOARDS);
	assert_true(longest > 40);
}

CHECK_FAMILY(games, cmocka_unit_test(poker_equity_is_of_the_best_five),
             cmocka_unit_test(connect_playouts_end_as_on_a_grid),
             cmocka_unit_test(chess_mobility_counts_moves),
             cmocka_unit_test(ucb_descend_takes_the_best_bound),
             cmocka_unit_test(tablebase_pass_decides_what_it_can),
             cmocka_unit_test(go_liberties_are_of_whole_chains))
