/* SPDX-License-Identifier: Apache-2.0 */
/* Predictions kept as the model made them: found by all of their key, and whole but for accesses.
 */
#include "tests/test.h"

#include "daemon/state/static_memo.h"

#include <stdlib.h>
#include <string.h>

struct kept {
	struct static_memo memo;
	struct prediction prediction, found;
};

static int setup(void **state)
{
	struct kept *kept = calloc(1, sizeof *kept);
	assert_non_null(kept);
	kept->prediction.kernel_time_s = 2e-6;
	(void)strcpy(kept->prediction.note, "a note");
	row_add(&kept->prediction, 3, 1e-6, "float %s", "mul");
	row_add(&kept->prediction, 1, 2e-6, "launch");
	kept->prediction.access_count = 1;
	*state = kept;
	return 0;
}

static int teardown(void **state)
{
	struct kept *kept = *state;
	static_memo_deinit(&kept->memo);
	free(kept);
	return 0;
}

static void a_prediction_is_found_with_its_rows(void **state)
{
	struct kept *kept = *state;
	const struct static_key key = {.kernel = 1, .device = 2, .launch = 3, .user = 4};
	assert_false(static_memo_find(&kept->memo, &key, &kept->found));
	static_memo_keep(&kept->memo, &key, &kept->prediction);
	assert_true(static_memo_find(&kept->memo, &key, &kept->found));
	assert_true(kept->found.kernel_time_s == 2e-6);
	assert_string_equal(kept->found.note, "a note");
	assert_int_equal(kept->found.row_count, 2);
	assert_string_equal(kept->found.rows[1].what, "launch");
	assert_int_equal(kept->found.access_count, 0);
}

static void every_word_of_a_key_counts(void **state)
{
	struct kept *kept = *state;
	const struct static_key key = {1, 2, 3, 4, 5, 6};
	const struct static_key others[] = {{0, 2, 3, 4, 5, 6}, {1, 0, 3, 4, 5, 6},
	                                    {1, 2, 0, 4, 5, 6}, {1, 2, 3, 0, 5, 6},
	                                    {1, 2, 3, 4, 0, 6}, {1, 2, 3, 4, 5, 0}};
	static_memo_keep(&kept->memo, &key, &kept->prediction);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		assert_false(static_memo_find(&kept->memo, &others[i], &kept->found));
}

static void a_new_one_takes_the_place_of_another(void **state)
{
	struct kept *kept = *state;
	struct static_key key = {.kernel = 1, .generation = 1};
	static_memo_keep(&kept->memo, &key, &kept->prediction);
	/* devices have changed: it is of the same place */
	key.generation = 2;
	kept->prediction.kernel_time_s = 3e-6;
	row_add(&kept->prediction, 1, 1e-6, "int add");
	static_memo_keep(&kept->memo, &key, &kept->prediction);
	assert_true(static_memo_find(&kept->memo, &key, &kept->found));
	assert_true(kept->found.kernel_time_s == 3e-6);
	assert_int_equal(kept->found.row_count, 3);
	key.generation = 1;
	assert_false(static_memo_find(&kept->memo, &key, &kept->found));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(a_prediction_is_found_with_its_rows, setup,
	                                        teardown),
	        cmocka_unit_test_setup_teardown(every_word_of_a_key_counts, setup, teardown),
	        cmocka_unit_test_setup_teardown(a_new_one_takes_the_place_of_another, setup,
	                                        teardown),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("static_memo", tests, NULL, NULL);
}
