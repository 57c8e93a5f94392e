/* SPDX-License-Identifier: Apache-2.0 */
/* Columns, groups and joins against the host. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/accuracy/check/run.h"

static void format_timestamps_as_the_c_library_does(void **unused)
{
	enum { ROWS = 300, WIDTH = 20 };
	uint32_t seconds[ROWS];
	char text[ROWS * WIDTH];
	(void)unused;
	seed();
	fill_words(seconds, ROWS);
	seconds[0] = 0;
	seconds[1] = UINT32_MAX;
	seconds[2] = 951782399; /* the last second before 2000-02-29 */
	seconds[3] = 951868800; /* 2000-03-01 */
	RUN("frames/format_timestamps", "", WORK(320), WORK(32), ARRAY(seconds), ARRAY(text),
	    SCALAR(uint32_t, ROWS));
	for (int i = 0; i < ROWS; i++) {
		char want[WIDTH + 1];
		time_t stamp = seconds[i];
		struct tm parts;
		assert_non_null(gmtime_r(&stamp, &parts));
		assert_int_equal(strftime(want, sizeof want, "%Y-%m-%dT%H:%M:%SZ", &parts), WIDTH);
		assert_memory_equal(text + (size_t)i * WIDTH, want, WIDTH);
	}
}

static void log_lexer_counts_tokens(void **unused)
{
	enum { LINES = 70, MOST = 120, STATES = 32, CLASSES = 16 };
	int start[LINES + 1], class_of[256], next[STATES * CLASSES], all = 0;
	uint8_t text[LINES * MOST];
	uint16_t tokens[LINES], longest[LINES];
	(void)unused;
	seed();
	(void)fill_rows(start, LINES, MOST);
	fill_ints(class_of, 256, CLASSES);
	fill_ints(next, (size_t)STATES * CLASSES, STATES);
	for (int i = 0; i < LINES * MOST; i++)
		text[i] = (uint8_t)random_word();
	RUN("frames/log_lexer", "", WORK(96), WORK(32), ARRAY(text), ARRAY(start), ARRAY(class_of),
	    ARRAY(next), ARRAY(tokens), ARRAY(longest), INT(LINES));
	for (int line = 0; line < LINES; line++) {
		int state = STATES - 1, found = 0, length = 0, most = 0;
		for (int i = start[line]; i < start[line + 1]; i++) {
			state = next[state * CLASSES + class_of[text[i]]];
			length++;
			if (state > 5)
				continue;
			most = length > most ? length : most;
			found++;
			length = 0;
			state = STATES - 1;
		}
		all += found;
		assert_int_equal(tokens[line], found);
		assert_int_equal(longest[line], most);
	}
	assert_true(all > LINES);
}

/* A look at every quote of the symbol. */
static void asof_join_finds_the_last_quote(void **unused)
{
	enum { TRADES = 256, SYMBOLS = 20, MOST = 30, QUOTES = SYMBOLS * MOST, TOLERANCE = 25 };
	int symbol[TRADES], at[TRADES], start[SYMBOLS + 1], times[QUOTES], age[TRADES], joined = 0;
	float bid[QUOTES], ask[QUOTES], spread[TRADES];
	(void)unused;
	seed();
	(void)fill_rows(start, SYMBOLS, MOST);
	start[4] = start[5]; /* a symbol without quotes */
	fill_ints(symbol, TRADES, SYMBOLS);
	fill_ints(at, TRADES, 200);
	fill_floats(bid, QUOTES, 9, 10);
	fill_floats(ask, QUOTES, 10, 11);
	for (int q = 0; q < QUOTES; q++)
		times[q] = (q == 0 ? 0 : times[q - 1]) + (int)(random_word() % 20);
	symbol[0] = 4;
	RUN("frames/asof_join", "", WORK(TRADES), WORK(32), ARRAY(symbol), ARRAY(at), ARRAY(start),
	    ARRAY(times), ARRAY(bid), ARRAY(ask), INT(TOLERANCE), ARRAY(spread), ARRAY(age));
	for (int i = 0; i < TRADES; i++) {
		int from = start[symbol[i]], to = start[symbol[i] + 1], last = -1;
		for (int q = from; q < to; q++)
			if (times[q] - times[from] <= at[i])
				last = q;
		int want = last < 0 ? -1 : times[from] + at[i] - times[last];
		if (want < 0 || want > TOLERANCE) {
			assert_int_equal(age[i], -1);
			assert_true(isnan(spread[i]));
		} else {
			assert_int_equal(age[i], want);
			assert_floats(&spread[i], &(float){ask[last] - bid[last]}, 1, 0);
			joined++;
		}
	}
	assert_true(joined > 50);
}

static int compare(const void *a, const void *b)
{
	return *(const int16_t *)a - *(const int16_t *)b;
}

static void rolling_median_sorts_a_window(void **unused)
{
	enum { ROWS = 600 };
	int16_t column[ROWS], median[ROWS];
	uint32_t valid[ROWS / 32 + 1];
	int nulls = 0;
	(void)unused;
	seed();
	for (int i = 0; i < ROWS; i++)
		column[i] = (int16_t)random_word();
	fill_words(valid, ROWS / 32 + 1);
	valid[3] = 0x01000010;
	RUN("frames/rolling_median", "", WORK(608), WORK(32), ARRAY(column), ARRAY(valid),
	    ARRAY(median), INT(ROWS));
	for (int row = 0; row < ROWS; row++) {
		int16_t window[9];
		size_t count = 0;
		for (int i = row < 8 ? 0 : row - 8; i <= row; i++)
			if (valid[i / 32] >> i % 32 & 1)
				window[count++] = column[i];
		qsort(window, count, sizeof window[0], compare);
		nulls += count < 3;
		assert_int_equal(median[row], count < 3 ? INT16_MIN : window[(count - 1) / 2]);
	}
	assert_true(nulls > 2);
}

static void groupby_partials_aggregates_by_key(void **unused)
{
	enum { ROWS = 1000, CHUNK = 300, PARTS = 4, KEYS = 50, FLOOR = 400 };
	int keys[ROWS], values[ROWS], out[PARTS * KEYS][4], want[PARTS * KEYS][4];
	(void)unused;
	seed();
	fill_ints(keys, ROWS, KEYS);
	fill_ints(values, ROWS, 2000);
	for (int i = 0; i < PARTS * KEYS; i++)
		memcpy(want[i], (int[]){0, 0, INT_MAX, INT_MIN}, sizeof want[i]);
	for (int i = 0; i < ROWS; i++) {
		int *row = want[i / CHUNK * KEYS + keys[i]], v = values[i];
		if (v <= FLOOR)
			continue;
		row[0]++;
		row[1] += v;
		row[2] = v < row[2] ? v : row[2];
		row[3] = v > row[3] ? v : row[3];
	}
	RUN("frames/groupby_partials", "", WORK(PARTS * 32), WORK(32), ARRAY(keys), ARRAY(values),
	    INT(ROWS), INT(CHUNK), INT(FLOOR), INT(KEYS), LOCAL(16 * KEYS), ARRAY(out));
	assert_ints(out[0], want[0], sizeof want / sizeof(int));
}

/* Every event asks whether it begins a session, looking back to where that began. */
static void sessionize_splits_at_pauses(void **unused)
{
	enum { USERS = 60, MOST = 40, TIMEOUT = 60000 };
	int first[USERS + 1], summary[4 * USERS];
	uint16_t pause[USERS * MOST], session[USERS * MOST];
	uint8_t campaign[USERS * MOST];
	(void)unused;
	seed();
	(void)fill_rows(first, USERS, MOST);
	for (int i = 0; i < USERS * MOST; i++) {
		pause[i] = (uint16_t)random_word();
		campaign[i] = (uint8_t)random_word();
	}
	RUN("frames/sessionize", "", WORK(64), WORK(32), ARRAY(first), ARRAY(pause),
	    ARRAY(campaign), ARRAY(session), ARRAY(summary), INT(USERS), INT(TIMEOUT));
	for (int u = 0; u < USERS; u++) {
		int want[4] = {0};
		for (int begin = first[u], end; begin < first[u + 1]; begin = end) {
			int lasts = 0;
			want[0]++;
			for (end = begin; end < first[u + 1]; end++) {
				bool is_new = pause[end] > TIMEOUT ||
				              campaign[end] / 32 > campaign[begin] / 32 + 3;
				if (end > begin && is_new)
					break;
				lasts += end > begin ? pause[end] : 0;
				assert_int_equal(session[end], want[0]);
			}
			want[1] = lasts > want[1] ? lasts : want[1];
			want[2] = end - begin > want[2] ? end - begin : want[2];
			want[3] += end - begin == 1;
		}
		assert_ints(&summary[4 * u], want, 4);
	}
}

CHECK_FAMILY(frames, cmocka_unit_test(format_timestamps_as_the_c_library_does),
             cmocka_unit_test(log_lexer_counts_tokens),
             cmocka_unit_test(asof_join_finds_the_last_quote),
             cmocka_unit_test(rolling_median_sorts_a_window),
             cmocka_unit_test(groupby_partials_aggregates_by_key),
             cmocka_unit_test(sessionize_splits_at_pauses))
