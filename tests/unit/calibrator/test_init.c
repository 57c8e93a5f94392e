/* SPDX-License-Identifier: Apache-2.0 */
/* What measured buffers hold, and the bits of a half. */
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/calibrator/arguments.h"
#include "proto/init.h"

enum { ITEMS = 1000 };

static void parse(const char *text, struct init *init)
{
	char problem[INIT_PROBLEM_MAX];
	if (!init_open(text, init, problem))
		fail_msg("%s", problem);
}

static void every_generator_is_read(void **state)
{
	(void)state;
	struct init init;
	static const char *const good[] = {
	        "zero",        "iota",     "rand_float",   "rand_float:-1:1e3",
	        "rand_double", "rand_u32", "rand_index:7", "csr_rowptr:100:16"};
	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		parse(good[i], &init);
}

static void what_is_no_generator_is_refused_by_name(void **state)
{
	(void)state;
	struct init init;
	char problem[INIT_PROBLEM_MAX];
	static const char *const bad[] = {"",
	                                  "random",
	                                  "zero:1",
	                                  "rand_float:1",
	                                  "rand_float:2:1",
	                                  "rand_float:nan:1",
	                                  "rand_index",
	                                  "rand_index:0",
	                                  "rand_index:-3",
	                                  "rand_index:99999999999",
	                                  "csr_rowptr:10",
	                                  "csr_rowptr:4000000000:4000000000",
	                                  "rand_u32 "};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		assert_false(init_open(bad[i], &init, problem));
		assert_non_null(strstr(problem, "want zero, iota"));
	}
}

static void a_file_is_repeated_and_cut(void **state)
{
	struct init init;
	char path[] = "/tmp/predictd-init-XXXXXX", named[64], bytes[11], problem[INIT_PROBLEM_MAX];
	int file = mkstemp(path);
	(void)state;
	assert_true(file >= 0);
	(void)snprintf(named, sizeof named, "@%s", path);
	assert_false(init_open(named, &init, problem));
	assert_non_null(strstr(problem, "want a file of one byte or more, have an empty one"));
	assert_int_equal(write(file, "abcd", 4), 4);
	close(file);
	parse(named, &init);
	init_fill(&init, 0, 0, bytes, sizeof bytes);
	assert_memory_equal(bytes, "abcdabcdabc", sizeof bytes);
	init_fill(&init, 0, UINT64_C(1) << 40 | 2, bytes, 3);
	assert_memory_equal(bytes, "cda", 3);
	assert_int_equal(truncate(path, 1), 0);
	init_fill(&init, 0, 0, bytes, 4);
	assert_memory_equal(bytes, "a\0\0\0", 4);
	init_close(&init);
	assert_int_equal(unlink(path), 0);
	assert_false(init_open(named, &init, problem));
	assert_non_null(strstr(problem, "No such file"));
}

static void what_is_no_file_of_data_is_named(void **state)
{
	struct init init;
	char folder[] = "/tmp/predictd-init-XXXXXX", path[64], named[80], problem[INIT_PROBLEM_MAX];
	(void)state;
	assert_non_null(mkdtemp(folder));
	(void)snprintf(named, sizeof named, "@%s", folder);
	assert_false(init_open(named, &init, problem));
	assert_non_null(strstr(problem, "have a folder"));
	(void)snprintf(path, sizeof path, "%s/pipe", folder);
	(void)snprintf(named, sizeof named, "@%s", path);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_false(init_open(named, &init, problem)); /* and does not wait for a writer */
	assert_non_null(strstr(problem, "have a pipe"));
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(folder), 0);
	assert_false(init_open("@/dev/zero", &init, problem));
	assert_non_null(strstr(problem, "have a special file"));
}

static void floats_stay_in_their_range_and_differ_by_seed(void **state)
{
	(void)state;
	struct init init;
	static float first[ITEMS], again[ITEMS], other[ITEMS];
	double sum = 0;
	parse("rand_float:10:20", &init);
	init_fill(&init, 1, 0, first, sizeof first);
	init_fill(&init, 1, 0, again, sizeof again);
	init_fill(&init, 2, 0, other, sizeof other);
	assert_memory_equal(first, again, sizeof first);
	assert_memory_not_equal(first, other, sizeof first);
	for (int i = 0; i < ITEMS; i++) {
		assert_true(first[i] >= 10 && first[i] <= 20);
		sum += (double)first[i];
	}
	assert_close(sum / (int)ITEMS, 15, 0.03);
}

static void a_buffer_may_be_filled_in_pieces(void **state)
{
	(void)state;
	static const char *const kinds[] = {"iota",     "rand_float",   "rand_double",
	                                    "rand_u32", "rand_index:9", "csr_rowptr:50:3"};
	static unsigned char whole[4096], pieces[4096];
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
		struct init init;
		parse(kinds[k], &init);
		init_fill(&init, 3, 0, whole, sizeof whole);
		for (size_t at = 0; at < sizeof pieces; at += 512)
			init_fill(&init, 3, at, pieces + at, 512);
		assert_memory_equal(whole, pieces, sizeof whole);
	}
}

static void indices_stay_below_their_bound(void **state)
{
	(void)state;
	struct init init;
	static int32_t index[ITEMS];
	unsigned seen = 0;
	parse("rand_index:5", &init);
	init_fill(&init, 0, 0, index, sizeof index);
	for (int i = 0; i < ITEMS; i++) {
		assert_true(index[i] >= 0 && index[i] < 5);
		seen |= 1u << index[i];
	}
	assert_int_equal(seen, 31);
}

static void row_pointers_grow_by_the_row_and_end_at_the_total(void **state)
{
	(void)state;
	struct init init;
	static int32_t row[ITEMS];
	parse("csr_rowptr:100:16", &init);
	init_fill(&init, 0, 0, row, sizeof row);
	assert_int_equal(row[0], 0);
	assert_int_equal(row[1], 16);
	assert_int_equal(row[100], 1600);
	assert_int_equal(row[500], 1600);
}

static void a_rest_shorter_than_an_element_is_zero(void **state)
{
	(void)state;
	struct init init;
	unsigned char bytes[7];
	memset(bytes, 0xff, sizeof bytes);
	parse("rand_u32", &init);
	init_fill(&init, 0, 0, bytes, sizeof bytes);
	assert_int_equal(bytes[4] | bytes[5] | bytes[6], 0);
}

static void halves_are_rounded_to_nearest_even(void **state)
{
	(void)state;
	assert_int_equal(half_bits(0), 0);
	assert_int_equal(half_bits(1), 0x3c00);
	assert_int_equal(half_bits(-2), 0xc000);
	assert_int_equal(half_bits(0.1), 0x2e66);
	assert_int_equal(half_bits(65504), 0x7bff);
	assert_int_equal(half_bits(1e6), 0x7c00);
	assert_int_equal(half_bits(0x1p-24), 1);
	assert_int_equal(half_bits(0x1p-14), 0x0400);
	assert_int_equal(half_bits(1 + 0x1p-11), 0x3c00);   /* a tie, down to even */
	assert_int_equal(half_bits(1 + 0x1.8p-10), 0x3c02); /* a tie, up to even */
	assert_int_equal(half_bits(2 - 0x1p-12), 0x4000);   /* carries into the exponent */
	assert_int_equal(half_bits((double)NAN) & 0x7c00, 0x7c00);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(every_generator_is_read),
	        cmocka_unit_test(what_is_no_generator_is_refused_by_name),
	        cmocka_unit_test(a_file_is_repeated_and_cut),
	        cmocka_unit_test(what_is_no_file_of_data_is_named),
	        cmocka_unit_test(floats_stay_in_their_range_and_differ_by_seed),
	        cmocka_unit_test(a_buffer_may_be_filled_in_pieces),
	        cmocka_unit_test(indices_stay_below_their_bound),
	        cmocka_unit_test(row_pointers_grow_by_the_row_and_end_at_the_total),
	        cmocka_unit_test(a_rest_shorter_than_an_element_is_zero),
	        cmocka_unit_test(halves_are_rounded_to_nearest_even),
	};
	return cmocka_run_group_tests_name("init", tests, NULL, NULL);
}
