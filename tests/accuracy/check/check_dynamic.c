/* SPDX-License-Identifier: Apache-2.0 */
/* Dynamic programming: steps put together to a whole table against the recursion on the host. */
#include <string.h>

#include "tests/accuracy/check/run.h"

enum { N = 33, CELLS = N * N };

static int greater(int a, int b)
{
	return a > b ? a : b;
}

static int less(int a, int b)
{
	return a < b ? a : b;
}

static void nw_diagonals_fill_the_table(void **unused)
{
	enum { PENALTY = 3 };
	int score[CELLS] = {0}, match[CELLS], want[CELLS] = {0};
	(void)unused;
	seed();
	fill_ints(match, CELLS, 10);
	for (int i = 0; i < N; i++)
		score[i * N] = score[i] = want[i * N] = want[i] = -i * PENALTY;
	for (int i = 1; i < N; i++)
		for (int j = 1; j < N; j++)
			want[i * N + j] = greater(
			        want[(i - 1) * N + j - 1] + match[i * N + j],
			        greater(want[(i - 1) * N + j], want[i * N + j - 1]) - PENALTY);
	for (int diagonal = 2; diagonal < 2 * N - 1; diagonal++)
		RUN("dynamic/nw_diagonal", "", WORK(48), WORK(16), ARRAY(score), ARRAY(match),
		    INT(N), INT(diagonal), INT(PENALTY));
	assert_ints(score, want, CELLS);
}

static void lcs_diagonals_end_at_its_length(void **unused)
{
	enum { LENGTH = 40 };
	unsigned char a[LENGTH], b[LENGTH];
	int table[LENGTH + 1][LENGTH + 1] = {{0}};
	int before[LENGTH + 1] = {0}, last[LENGTH + 1] = {0}, now[LENGTH + 1] = {0};
	(void)unused;
	seed();
	for (int i = 0; i < LENGTH; i++) {
		a[i] = (unsigned char)(random_word() % 4);
		b[i] = (unsigned char)(random_word() % 4);
	}
	for (int i = 1; i <= LENGTH; i++)
		for (int j = 1; j <= LENGTH; j++)
			table[i][j] = a[i - 1] == b[j - 1]
			                      ? table[i - 1][j - 1] + 1
			                      : greater(table[i - 1][j], table[i][j - 1]);
	for (int diagonal = 2; diagonal <= 2 * LENGTH; diagonal++) {
		memset(now, 0, sizeof now);
		RUN("dynamic/lcs_diagonal", "", WORK(48), WORK(16), ARRAY(a), ARRAY(b),
		    ARRAY(before), ARRAY(last), ARRAY(now), INT(LENGTH), INT(diagonal));
		memcpy(before, last, sizeof last);
		memcpy(last, now, sizeof now);
	}
	assert_int_equal(now[LENGTH], table[LENGTH][LENGTH]);
}

static void knapsack_items_fill_it_best(void **unused)
{
	enum { CAPACITY = 100, ITEMS = 8 };
	int weight[ITEMS], value[ITEMS], before[CAPACITY + 1] = {0}, now[CAPACITY + 1], best = 0;
	(void)unused;
	seed();
	fill_ints(weight, ITEMS, 40);
	fill_ints(value, ITEMS, 100);
	for (int item = 0; item < ITEMS; item++) {
		RUN("dynamic/knapsack", "", WORK(128), WORK(32), ARRAY(before), ARRAY(now),
		    INT(weight[item]), INT(value[item]), INT(CAPACITY));
		memcpy(before, now, sizeof now);
	}
	for (unsigned chosen = 0; chosen < 1u << ITEMS; chosen++) {
		int heavy = 0, worth = 0;
		for (int item = 0; item < ITEMS; item++)
			if (chosen >> item & 1) {
				heavy += weight[item];
				worth += value[item];
			}
		if (heavy <= CAPACITY)
			best = greater(best, worth);
	}
	assert_int_equal(now[CAPACITY], best);
}

static void floyd_steps_end_at_shortest_paths(void **unused)
{
	enum { NODES = 16 };
	int distance[NODES * NODES], want[NODES * NODES];
	(void)unused;
	seed();
	fill_ints(distance, NODES * NODES, 100);
	for (int i = 0; i < NODES; i++)
		distance[i * NODES + i] = 0;
	memcpy(want, distance, sizeof want);
	for (int round = 0; round < NODES; round++)
		for (int i = 0; i < NODES; i++)
			for (int k = 0; k < NODES; k++)
				for (int j = 0; j < NODES; j++)
					want[i * NODES + j] =
					        less(want[i * NODES + j],
					             want[i * NODES + k] + want[k * NODES + j]);
	for (int k = 0; k < NODES; k++)
		RUN("dynamic/floyd_step", "", WORK(NODES, NODES), WORK(8, 4), ARRAY(distance),
		    INT(NODES), INT(k));
	assert_ints(distance, want, NODES * NODES);
}

static void path_rows_take_the_cheapest_way_down(void **unused)
{
	enum { COLUMNS = 90, ROWS = 5, GROUP = 32, USEFUL = GROUP - 2 * ROWS };
	int wall[ROWS * COLUMNS], source[COLUMNS], result[COLUMNS], now[COLUMNS], next[COLUMNS];
	(void)unused;
	seed();
	fill_ints(wall, ROWS * COLUMNS, 10);
	fill_ints(source, COLUMNS, 10);
	memcpy(now, source, sizeof now);
	for (int row = 0; row < ROWS; row++) {
		for (int x = 0; x < COLUMNS; x++)
			next[x] = wall[row * COLUMNS + x] +
			          less(now[x], less(now[x > 0 ? x - 1 : 0],
			                            now[x < COLUMNS - 1 ? x + 1 : x]));
		memcpy(now, next, sizeof now);
	}
	RUN("dynamic/path_rows", "", WORK((COLUMNS + USEFUL - 1) / USEFUL * GROUP), WORK(GROUP),
	    ARRAY(wall), ARRAY(source), ARRAY(result), INT(COLUMNS), INT(ROWS), LOCAL(GROUP * 4),
	    LOCAL(GROUP * 4));
	assert_ints(result, now, COLUMNS);
}

/* Cost of the best way to (i, j), where j runs from i to i + 7 and stands for the last beyond the
 * end. */
static void dtw_band_finds_the_cheapest_alignment(void **unused)
{
	enum { LENGTH = 20, PAIRS = 32, BAND = 8 };
	float a[LENGTH * PAIRS], b[LENGTH * PAIRS], distance[PAIRS], want[PAIRS];
	(void)unused;
	seed();
	fill_floats(a, LENGTH * PAIRS, 0, 1);
	fill_floats(b, LENGTH * PAIRS, 0, 1);
	for (int p = 0; p < PAIRS; p++) {
		float table[LENGTH + 1][LENGTH + BAND + 1];
		for (int i = 0; i <= LENGTH; i++)
			for (int j = 0; j <= LENGTH + BAND; j++)
				table[i][j] = i == 0 && j == 0 ? 0 : 1e30f;
		for (int i = 1; i <= LENGTH; i++)
			for (int j = i; j < i + BAND; j++) {
				float cost =
				        fabsf(a[(i - 1) * PAIRS + p] -
				              b[(j <= LENGTH ? j - 1 : LENGTH - 1) * PAIRS + p]);
				float best = fminf(table[i - 1][j - 1],
				                   fminf(table[i - 1][j], table[i][j - 1]));
				table[i][j] = best + cost;
			}
		want[p] = table[LENGTH][LENGTH];
	}
	RUN("dynamic/dtw_band", "", WORK(PAIRS), WORK(16), ARRAY(a), ARRAY(b), ARRAY(distance),
	    INT(LENGTH), INT(PAIRS));
	assert_floats(distance, want, PAIRS, 1e-4f);
}

CHECK_FAMILY(dynamic, cmocka_unit_test(nw_diagonals_fill_the_table),
             cmocka_unit_test(lcs_diagonals_end_at_its_length),
             cmocka_unit_test(knapsack_items_fill_it_best),
             cmocka_unit_test(floyd_steps_end_at_shortest_paths),
             cmocka_unit_test(path_rows_take_the_cheapest_way_down),
             cmocka_unit_test(dtw_band_finds_the_cheapest_alignment))
