/* SPDX-License-Identifier: Apache-2.0 */
/* Launches from messages that lie. */
#include "tests/test.h"

#include "daemon/codec/launch_codec.h"

#include <stdlib.h>
#include <string.h>

static struct launch launch; /* large */

struct question {
	uint64_t sizes[4];
	int64_t integers[17];
	double reals[17];
	Predictd__Argument argument, *arguments[LAUNCH_ARGUMENTS_MAX + 1];
	Predictd__Hint hint, *hints[LAUNCH_HINTS_MAX + 1];
	Predictd__Launch message;
};

static struct question *ask(void)
{
	static struct question question;
	question = (struct question){.sizes = {64, 1, 1, 1}};
	predictd__launch__init(&question.message);
	predictd__argument__init(&question.argument);
	predictd__hint__init(&question.hint);
	question.message.global_items = question.sizes;
	question.message.n_global_items = 1;
	for (size_t i = 0; i <= LAUNCH_ARGUMENTS_MAX; i++)
		question.arguments[i] = &question.argument;
	for (size_t i = 0; i <= LAUNCH_HINTS_MAX; i++)
		question.hints[i] = &question.hint;
	question.message.arguments = question.arguments;
	question.message.hints = question.hints;
	question.argument.integers = question.integers;
	question.argument.reals = question.reals;
	question.argument.kind = ARGUMENT_SCALAR;
	return &question;
}

static struct question *ask_scalar(char *type, size_t integers, size_t reals)
{
	struct question *question = ask();
	question->message.n_arguments = 1;
	question->argument.type = type;
	question->argument.n_integers = integers;
	question->argument.n_reals = reals;
	return question;
}

static void assert_invalid(const struct question *question, const char *part)
{
	struct error error;
	assert_int_equal(launch_decode(&question->message, &launch, &error), STATUS_INVALID);
	if (strstr(error.text, part) == NULL)
		fail_msg("want \"%s\" in \"%s\"", part, error.text);
}

static void decode_well(const struct question *question)
{
	struct error error = {.text = ""};
	if (launch_decode(&question->message, &launch, &error) != STATUS_OK)
		fail_msg("%s", error.text);
}

static void absent_launches_are_refused(void **state)
{
	(void)state;
	struct error error;
	assert_int_equal(launch_decode(NULL, &launch, &error), STATUS_INVALID);
}

static void sizes_have_one_to_three_dimensions(void **state)
{
	(void)state;
	struct question *question = ask();
	question->message.n_global_items = 0;
	assert_invalid(question, "want 1 to 3 sizes, got 0");
	question->message.n_global_items = 4;
	assert_invalid(question, "want 1 to 3 sizes, got 4");
	question = ask();
	question->message.local_items = question->sizes;
	question->message.n_local_items = 2;
	assert_invalid(question, "local size: want none or 1");
	question = ask();
	question->message.offset_items = question->sizes;
	question->message.n_offset_items = 3;
	assert_invalid(question, "offset: want none or 1");
}

static void absent_local_size_is_remembered_as_absent(void **state)
{
	(void)state;
	struct question *question = ask();
	decode_well(question);
	assert_false(launch.has_local);
	assert_int_equal(launch.dimensions, 1);
	assert_int_equal(launch.global[0], 64);
	assert_int_equal(launch.global[1], 1);
	question->message.local_items = question->sizes;
	question->message.n_local_items = 1;
	decode_well(question);
	assert_true(launch.has_local);
	assert_int_equal(launch.local[0], 64);
	assert_int_equal(launch.local[2], 1);
}

static void counts_are_bounded(void **state)
{
	(void)state;
	struct question *question = ask_scalar("int", 1, 0);
	question->message.n_arguments = LAUNCH_ARGUMENTS_MAX;
	decode_well(question);
	question->message.n_arguments++;
	assert_invalid(question, "arguments");
	question = ask();
	question->message.n_hints = LAUNCH_HINTS_MAX;
	decode_well(question);
	question->message.n_hints++;
	assert_invalid(question, "hints");
}

static void kinds_and_accesses_are_bounded(void **state)
{
	(void)state;
	struct question *question = ask_scalar("int", 1, 0);
	question->argument.kind = ARGUMENT_KIND_COUNT;
	assert_invalid(question, "argument 0: want a kind");
	question->argument.kind = UINT32_MAX;
	assert_invalid(question, "argument 0: want a kind");
	question->argument.kind = ARGUMENT_BUFFER;
	question->argument.access = 4;
	assert_invalid(question, "access");
	question->argument.access = 0;
	decode_well(question);
	assert_int_equal(launch.arguments[0].access, BUFFER_READ_WRITE);
	question->argument.has_range = true;
	question->argument.low = 2;
	question->argument.high = 1;
	assert_invalid(question, "range");
}

static void types_must_be_known_and_have_their_lanes(void **state)
{
	(void)state;
	assert_invalid(ask_scalar("", 1, 0), "argument 0: want a scalar");
	assert_invalid(ask_scalar("void", 1, 0), "argument 0: want a scalar");
	assert_invalid(ask_scalar("float5", 0, 5), "argument 0: want a scalar");
	assert_invalid(ask_scalar("int4", 3, 0), "want 4 integers, got 3");
	assert_invalid(ask_scalar("int", 0, 1), "want 1 integers, got 0");
	assert_invalid(ask_scalar("float", 0, 17), "want 1 reals, got 17");
	assert_invalid(ask_scalar("int", 1, 1), "1 of the other kind");
	decode_well(ask_scalar("double16", 0, 16));
	assert_int_equal(launch.arguments[0].type.width, 16);
}

static void integers_fit_their_type(void **state)
{
	(void)state;
	static const struct {
		char *type;
		int64_t value;
		bool fits;
		int64_t want;
	} cases[] = {
	        {"uchar", 255, true, 255},
	        {"uchar", 256, false, 0},
	        {"uchar", -128, true, 128},
	        {"uchar", -129, false, 0},
	        {"char", 255, true, -1},
	        {"char", -1, true, -1},
	        {"short", 65535, true, -1},
	        {"uint", -1, true, UINT32_MAX},
	        {"uint", INT64_C(1) << 32, false, 0},
	        {"int", INT32_MIN, true, INT32_MIN},
	        {"int", (int64_t)INT32_MIN - 1, false, 0},
	        {"long", INT64_MIN, true, INT64_MIN},
	        {"ulong", -1, true, -1},
	        {"bool", 2, true, 1},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct question *question = ask_scalar(cases[i].type, 1, 0);
		question->integers[0] = cases[i].value;
		if (!cases[i].fits) {
			assert_invalid(question, "does not fit");
			continue;
		}
		decode_well(question);
		if (launch.arguments[0].value.integer[0] != cases[i].want)
			fail_msg("%s %lld: got %lld", cases[i].type, (long long)cases[i].value,
			         (long long)launch.arguments[0].value.integer[0]);
	}
}

static void hints_are_within_reason(void **state)
{
	(void)state;
	static const struct {
		bool is_branch;
		double value;
		bool fits;
	} cases[] = {
	        {false, 0, true},           {false, 1e18, true},
	        {false, 1e19, false},       {false, -1, false},
	        {true, 0.5, true},          {true, 1.01, false},
	        {true, (double)NAN, false}, {false, (double)INFINITY, false},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct question *question = ask();
		question->message.n_hints = 1;
		question->hint.is_branch = cases[i].is_branch;
		question->hint.line = 7;
		question->hint.value = cases[i].value;
		if (cases[i].fits)
			decode_well(question);
		else
			assert_invalid(question, "of line 7");
	}
}

static void pauses_are_within_reason(void **state)
{
	(void)state;
	static const struct {
		double idle_s;
		bool fits;
	} cases[] = {
	        {0, true},
	        {1e-9, true},
	        {1e6, true},
	        {1.1e6, false},
	        {-1e-9, false},
	        {(double)NAN, false},
	        {(double)INFINITY, false},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct question *question = ask();
		question->message.idle_s = cases[i].idle_s;
		if (cases[i].fits)
			decode_well(question);
		else
			assert_invalid(question, "idle time: want 0 to 1e+06 s");
		if (cases[i].fits)
			assert_close(launch.idle_s, cases[i].idle_s, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(absent_launches_are_refused),
	        cmocka_unit_test(sizes_have_one_to_three_dimensions),
	        cmocka_unit_test(absent_local_size_is_remembered_as_absent),
	        cmocka_unit_test(counts_are_bounded),
	        cmocka_unit_test(kinds_and_accesses_are_bounded),
	        cmocka_unit_test(types_must_be_known_and_have_their_lanes),
	        cmocka_unit_test(integers_fit_their_type),
	        cmocka_unit_test(hints_are_within_reason),
	        cmocka_unit_test(pauses_are_within_reason),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("launch_codec", tests, NULL, NULL);
}
