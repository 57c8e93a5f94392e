/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse products in four formats against the same matrix multiplied out on the host. */
#include "tests/accuracy/check/run.h"

enum { ROWS = 128, WIDTH = 9, ENTRIES_MAX = ROWS * WIDTH };

static int start[ROWS + 1], column[ENTRIES_MAX];
static float value[ENTRIES_MAX], x[ROWS], y[ROWS], want[ROWS];

static int make(void)
{
	seed();
	int entries = fill_rows(start, ROWS, WIDTH);
	fill_ints(column, ENTRIES_MAX, ROWS);
	fill_floats(value, ENTRIES_MAX, -1, 1);
	fill_floats(x, ROWS, -1, 1);
	for (int i = 0; i < ROWS; i++) {
		want[i] = 0;
		for (int k = start[i]; k < start[i + 1]; k++)
			want[i] += value[k] * x[column[k]];
	}
	return entries;
}

static void csr_rows_are_multiplied(void **unused)
{
	(void)unused;
	make();
	RUN("sparse/csr_scalar", "", WORK(160), WORK(32), ARRAY(start), ARRAY(column), ARRAY(value),
	    ARRAY(x), ARRAY(y), INT(ROWS));
	assert_floats(y, want, ROWS, 1e-5f);
}

static void csr_teams_share_a_row(void **unused)
{
	(void)unused;
	make();
	RUN("sparse/csr_vector", "", WORK(ROWS * 16), WORK(64), ARRAY(start), ARRAY(column),
	    ARRAY(value), ARRAY(x), ARRAY(y), LOCAL(64 * 4));
	assert_floats(y, want, ROWS, 1e-5f);
}

static void ell_skips_absent_entries(void **unused)
{
	static int places[ENTRIES_MAX];
	static float entries[ENTRIES_MAX];
	(void)unused;
	make();
	for (int row = 0; row < ROWS; row++)
		for (int k = 0; k < WIDTH; k++) {
			bool present = start[row] + k < start[row + 1];
			places[k * ROWS + row] = present ? column[start[row] + k] : -1;
			entries[k * ROWS + row] = present ? value[start[row] + k] : NAN;
		}
	RUN("sparse/ell", "", WORK(ROWS), WORK(32), ARRAY(places), ARRAY(entries), ARRAY(x),
	    ARRAY(y), INT(ROWS), INT(WIDTH));
	assert_floats(y, want, ROWS, 1e-5f);
}

static void coo_entries_are_added_up(void **unused)
{
	static int row[ENTRIES_MAX], whole[ENTRIES_MAX], vector[ROWS], sums[ROWS], expected[ROWS];
	int entries = make();
	(void)unused;
	fill_ints(whole, ENTRIES_MAX, 100);
	fill_ints(vector, ROWS, 100);
	fill_ints(sums, ROWS, 100);
	for (int i = 0; i < ROWS; i++) {
		expected[i] = sums[i];
		for (int k = start[i]; k < start[i + 1]; k++) {
			row[k] = i;
			expected[i] += whole[k] * vector[column[k]];
		}
	}
	RUN("sparse/coo_atomic", "", WORK(ENTRIES_MAX), WORK(32), ARRAY(row), ARRAY(column),
	    ARRAY(whole), ARRAY(vector), ARRAY(sums), INT(entries));
	assert_ints(sums, expected, ROWS);
}

static void diagonals_run_off_the_edge(void **unused)
{
	static const int offset[5] = {-20, -1, 0, 1, 33};
	static float bands[5 * ROWS];
	int offsets[5];
	(void)unused;
	make();
	fill_floats(bands, 5 * ROWS, -1, 1);
	for (int d = 0; d < 5; d++)
		offsets[d] = offset[d];
	for (int i = 0; i < ROWS; i++) {
		want[i] = 0;
		for (int j = 0; j < ROWS; j++)
			for (int d = 0; d < 5; d++)
				if (j - i == offset[d])
					want[i] += bands[d * ROWS + i] * x[j];
	}
	RUN("sparse/diagonals", "", WORK(ROWS), WORK(64), ARRAY(bands), ARRAY(offsets), ARRAY(x),
	    ARRAY(y), INT(ROWS), INT(5));
	assert_floats(y, want, ROWS, 1e-5f);
}

static void jacobi_csr_divides_the_rest(void **unused)
{
	float diagonal[ROWS], b[ROWS];
	(void)unused;
	make();
	fill_floats(diagonal, ROWS, 2, 4);
	fill_floats(b, ROWS, -1, 1);
	for (int i = 0; i < ROWS; i++)
		want[i] = (b[i] - want[i]) / diagonal[i];
	RUN("sparse/jacobi_csr", "", WORK(ROWS), WORK(32), ARRAY(start), ARRAY(column),
	    ARRAY(value), ARRAY(diagonal), ARRAY(b), ARRAY(x), ARRAY(y));
	assert_floats(y, want, ROWS, 1e-5f);
}

CHECK_FAMILY(sparse, cmocka_unit_test(csr_rows_are_multiplied),
             cmocka_unit_test(csr_teams_share_a_row), cmocka_unit_test(ell_skips_absent_entries),
             cmocka_unit_test(coo_entries_are_added_up),
             cmocka_unit_test(diagonals_run_off_the_edge),
             cmocka_unit_test(jacobi_csr_divides_the_rest))
