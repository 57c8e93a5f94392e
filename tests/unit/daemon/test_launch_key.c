/* SPDX-License-Identifier: Apache-2.0 */
/* Keys and words of launches. */
#include "tests/test.h"

#include "daemon/codec/launch_key.h"
#include "model/device/sample.h"

#include <stdlib.h>
#include <string.h>

static int setup(void **state)
{
	struct launch *launch = calloc(1, sizeof *launch);
	assert_non_null(launch);
	launch->dimensions = 2;
	launch->has_local = true;
	for (int i = 0; i < 3; i++) {
		launch->global[i] = i < 2 ? 64 : 1;
		launch->local[i] = i < 2 ? 8 : 1;
	}
	launch->argument_count = 4;
	launch->arguments[0] = (struct launch_argument){
	        .kind = ARGUMENT_BUFFER, .access = BUFFER_READ, .size_bytes = 4096};
	launch->arguments[1] = (struct launch_argument){.kind = ARGUMENT_SCALAR,
	                                                .type = {.scalar = SCALAR_INT, .width = 2}};
	launch->arguments[1].value.integer[0] = -5;
	launch->arguments[1].value.integer[1] = 7;
	launch->arguments[2] = (struct launch_argument){
	        .kind = ARGUMENT_SCALAR, .type = {.scalar = SCALAR_FLOAT, .width = 1}};
	launch->arguments[2].value.real[0] = 0.5;
	launch->arguments[3] = (struct launch_argument){.kind = ARGUMENT_LOCAL, .size_bytes = 512};
	*state = launch;
	return 0;
}

static int teardown(void **state)
{
	free(*state);
	return 0;
}

static void what_runs_differently_has_another_key(void **state)
{
	struct launch *launch = *state;
	uint64_t key = launch_key(launch);
	assert_true(launch_key(launch) == key);
	launch->global[1] = 128;
	assert_true(launch_key(launch) != key);
	launch->global[1] = 64;
	launch->local[0] = 4;
	assert_true(launch_key(launch) != key);
	launch->local[0] = 8;
	launch->offset[2] = 1;
	assert_true(launch_key(launch) != key);
	launch->offset[2] = 0;
	launch->arguments[0].size_bytes++;
	assert_true(launch_key(launch) != key);
	launch->arguments[0].size_bytes--;
	launch->arguments[1].value.integer[1] = 8;
	assert_true(launch_key(launch) != key);
	launch->arguments[1].value.integer[1] = 7;
	launch->arguments[2].value.real[0] = 0.25;
	assert_true(launch_key(launch) != key);
	launch->arguments[2].value.real[0] = 0.5;
	launch->argument_count = 3;
	assert_true(launch_key(launch) != key);
	launch->argument_count = 4;
	assert_true(launch_key(launch) == key);
}

static void a_local_size_that_was_assumed_does_not_count(void **state)
{
	struct launch *launch = *state;
	launch->has_local = false;
	uint64_t key = launch_key(launch);
	launch->local[0] = 16;
	assert_true(launch_key(launch) == key);
}

static void hints_make_another_question_about_the_same_launch(void **state)
{
	struct launch *launch = *state;
	uint64_t key = launch_key(launch), question = launch_question_key(launch);
	launch->arguments[0].has_range = true;
	launch->arguments[0].high = 100;
	assert_true(launch_key(launch) == key);
	assert_true(launch_question_key(launch) != question);
	launch->arguments[0].has_range = false;
	launch->arguments[0].high = 0;
	launch->hint_count = 1;
	launch->hints[0] = (struct launch_hint){.line = 3, .value = 9};
	assert_true(launch_key(launch) == key);
	uint64_t hinted = launch_question_key(launch);
	assert_true(hinted != question);
	launch->hints[0].value = 10;
	assert_true(launch_question_key(launch) != hinted);
}

static void runs_after_a_pause_are_of_another_launch(void **state)
{
	struct launch *launch = *state;
	const double states_s[] = {0, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1};
	enum { STATES = sizeof states_s / sizeof *states_s };
	uint64_t keys[STATES], question;
	for (unsigned i = 0; i < STATES; i++) {
		launch->idle_s = states_s[i];
		keys[i] = launch_key(launch);
		for (unsigned j = 0; j < i; j++)
			assert_true(keys[i] != keys[j]);
	}
	/* no two pauses are equally long, but states are */
	launch->idle_s = 1.1e-3;
	assert_true(launch_key(launch) == keys[4]);
	question = launch_question_key(launch);
	launch->idle_s = 0.9e-3;
	assert_true(launch_key(launch) == keys[4]);
	assert_true(launch_question_key(launch) != question);
	launch->idle_s = 3600;
	assert_true(launch_key(launch) == keys[STATES - 1]);
	launch->idle_s = 1e-9;
	assert_true(launch_key(launch) == keys[1]);
}

static void other_data_makes_another_launch(void **state)
{
	struct launch *launch = *state;
	struct sample one = {.key = {1, 2}}, other = {.key = {1, 3}};
	uint64_t key = launch_key(launch);
	launch->arguments[0].sample = &one;
	uint64_t sampled = launch_key(launch), question = launch_question_key(launch);
	assert_true(sampled != key);
	launch->arguments[0].sample = &other;
	assert_true(launch_key(launch) != sampled);
	assert_true(launch_question_key(launch) != question);
	launch->arguments[0].sample = NULL;
	assert_true(launch_key(launch) == key);
}

static void images_differ_by_format_and_layers_and_samplers_by_their_bits(void **state)
{
	struct launch *launch = *state;
	launch->arguments[3] =
	        (struct launch_argument){.kind = ARGUMENT_IMAGE, .width = 64, .height = 64};
	uint64_t key = launch_key(launch);
	launch->arguments[3].has_format = true;
	uint64_t first = launch_key(launch);
	assert_true(first != key);
	launch->arguments[3].format = 1;
	assert_true(launch_key(launch) != first);
	launch->arguments[3].has_format = false;
	launch->arguments[3].depth = 8;
	assert_true(launch_key(launch) != key);
	launch->arguments[3] = (struct launch_argument){.kind = ARGUMENT_SAMPLER};
	key = launch_key(launch);
	launch->arguments[3].sampler = 0x12;
	assert_true(launch_key(launch) != key);
}

static void words_are_those_of_predictctl(void **state)
{
	struct launch *launch = *state;
	char text[128];
	launch_format_arguments(launch, text, sizeof text);
	assert_string_equal(text, "buffer:4096:r int2:-5,7 float:0.5 local:512");
	launch->argument_count = 3;
	launch->arguments[0] = (struct launch_argument){.kind = ARGUMENT_STRUCT, .size_bytes = 24};
	launch->arguments[1] =
	        (struct launch_argument){.kind = ARGUMENT_IMAGE, .width = 8, .height = 4};
	launch->arguments[2] = (struct launch_argument){.kind = ARGUMENT_SAMPLER};
	launch_format_arguments(launch, text, sizeof text);
	assert_string_equal(text, "bytes:24 image:8x4 sampler");
	launch->argument_count = 0;
	launch_format_arguments(launch, text, sizeof text);
	assert_string_equal(text, "");
}

static void words_that_do_not_fit_are_cut_behind_an_argument(void **state)
{
	struct launch *launch = *state;
	char text[32];
	launch_format_arguments(launch, text, sizeof text);
	assert_string_equal(text, "buffer:4096:r int2:-5,7 ...");
	launch_format_arguments(launch, text, 8);
	assert_string_equal(text, "...");
}

static void work_items_are_those_of_the_range(void **state)
{
	struct launch *launch = *state;
	assert_true(launch_items(launch) == 4096);
}

#define KEY_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        KEY_TEST(what_runs_differently_has_another_key),
	        KEY_TEST(a_local_size_that_was_assumed_does_not_count),
	        KEY_TEST(hints_make_another_question_about_the_same_launch),
	        KEY_TEST(runs_after_a_pause_are_of_another_launch),
	        KEY_TEST(other_data_makes_another_launch),
	        KEY_TEST(images_differ_by_format_and_layers_and_samplers_by_their_bits),
	        KEY_TEST(words_are_those_of_predictctl),
	        KEY_TEST(words_that_do_not_fit_are_cut_behind_an_argument),
	        KEY_TEST(work_items_are_those_of_the_range),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("launch_key", tests, NULL, NULL);
}
