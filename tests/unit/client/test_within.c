/* SPDX-License-Identifier: Apache-2.0 */
/* Estimates within a time, prepared questions, and arguments from bytes. */
#include "tests/unit/client/client_fixture.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/library/clock.h"
#include "client/library/sample.h"

enum { THREADS = 8, ROUNDS = 200, SHAPES = 32 };

/* ---- within a time ------------------------------------------------------------------------- */

static void an_answer_is_waited_for_as_long_as_was_said(void **state)
{
	(void)state;
	predictd_estimate estimate;
	predictd_question question = question_of(7);
	fake.holds = true;
	int64_t begin_ns = clock_now_ns();
	assert_int_equal(predictd_predict_within(connection, &question, 0.03, &estimate),
	                 PREDICTD_BUSY);
	assert_true(clock_now_ns() - begin_ns >= 30000000);
	assert_int_equal(predictd_predict_within(connection, &question, 0, &estimate),
	                 PREDICTD_BUSY);
	assert_int_equal(predictd_predict_within(connection, &question, -1, &estimate),
	                 PREDICTD_BUSY);
	fake.holds = false;
	assert_ok(predictd_predict_within(connection, &question, 20, &estimate));
	assert_close(estimate.kernel_time_s, 7e-9, 1e-15);
	assert_true(estimate.is_fresh);
	assert_int_equal(fake.singles, 1); /* asked once, however often it was wanted */
}

static void the_last_answer_stands_in_for_one_that_is_late(void **state)
{
	(void)state;
	predictd_estimate estimate;
	predictd_question question = question_of(7);
	assert_ok(predictd_predict_within(connection, &question, 20, &estimate));
	fake.scale = 3;
	fake_daemon_raise(&fake);
	fake.holds = true;
	assert_ok(predictd_predict_within(connection, &question, 0.01, &estimate));
	assert_false(estimate.is_fresh);
	assert_close(estimate.kernel_time_s, 7e-9, 1e-15);
	fake.holds = false;
	assert_ok(predictd_predict_within(connection, &question, 20, &estimate));
	assert_true(estimate.is_fresh);
	assert_close(estimate.kernel_time_s, 21e-9, 1e-15);
}

static void a_refusal_is_not_waited_for_beyond_its_coming(void **state)
{
	(void)state;
	predictd_estimate estimate = {.kernel_time_s = 5};
	predictd_question question = question_of(7);
	question.device = "raw";
	assert_int_equal(predictd_predict_within(connection, &question, 1e9, &estimate),
	                 PREDICTD_UNCALIBRATED);
	assert_true(estimate.kernel_time_s == 5); /* unchanged */
	question.dimensions = 4;
	assert_int_equal(predictd_predict_within(connection, &question, 1e9, &estimate),
	                 PREDICTD_INVALID);
	question = question_of(7);
	question.program = NULL;
	assert_int_equal(predictd_predict_within(connection, &question, 1e9, &estimate),
	                 PREDICTD_INVALID);
}

static void a_daemon_that_hangs_keeps_nobody(void **state)
{
	(void)state;
	predictd_estimate estimate;
	fake.is_silent = true;
	for (uint64_t i = 1; i <= 50; i++) {
		predictd_question question = question_of(i);
		assert_int_equal(predictd_predict_within(connection, &question, 0.001, &estimate),
		                 PREDICTD_BUSY);
	}
}

static void *ask_over_and_over(void *context)
{
	unsigned *failures = context;
	for (unsigned i = 0; i < ROUNDS; i++) {
		predictd_question question = question_of(i % SHAPES + 1);
		predictd_estimate estimate;
		if (predictd_predict_within(connection, &question, 20, &estimate) != PREDICTD_OK ||
		    fabs(estimate.kernel_time_s - 1e-9 * (i % SHAPES + 1)) > 1e-15)
			++*failures;
		if (i % 50 == 0)
			fake_daemon_raise(&fake);
	}
	return NULL;
}

static void many_threads_wait_for_the_same_answers(void **state)
{
	(void)state;
	pthread_t threads[THREADS];
	unsigned failures[THREADS] = {0};
	for (size_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, ask_over_and_over, &failures[i]),
		                 0);
	for (size_t i = 0; i < THREADS; i++) {
		(void)pthread_join(threads[i], NULL);
		assert_int_equal(failures[i], 0);
	}
}

/* ---- prepared questions -------------------------------------------------------------------- */

static const float factor = 2;
static const uint32_t count = 100;

static const predictd_argument arguments[] = {
        {.kind = PREDICTD_BUFFER, .access = PREDICTD_READ, .size_bytes = 4096},
        {.kind = PREDICTD_SCALAR, .type = "float", .reals = {1}},
        {.kind = PREDICTD_SCALAR, .type = "uint", .integers = {1}},
        {.kind = PREDICTD_LOCAL, .size_bytes = 64},
        {.kind = PREDICTD_IMAGE, .width = 4, .height = 4},
};

static predictd_question question_with_arguments(void)
{
	predictd_question question = question_of(1);
	question.arguments = arguments;
	question.argument_count = sizeof arguments / sizeof arguments[0];
	return question;
}

static predictd_prepared *prepare(const predictd_question *question, const char *const *devices,
                                  size_t device_count)
{
	predictd_prepared *prepared = NULL;
	assert_ok(predictd_prepared_new(connection, question, devices, device_count, &prepared));
	return prepared;
}

static void a_prepared_question_is_the_whole_one(void **state)
{
	(void)state;
	const char *const devices[] = {"first", "second"};
	const uint64_t global[] = {9}, local[] = {3}, offset[] = {6};
	const predictd_value values[] = {{.argument = 0, .size_bytes = 8192},
	                                 {1, sizeof factor, &factor, NULL},
	                                 {2, sizeof count, &count, NULL},
	                                 {.argument = 3, .size_bytes = 128}};
	const predictd_launch launch = {global, local, offset, 4, values};
	predictd_question question = question_with_arguments();
	predictd_prepared *prepared = prepare(&question, devices, 2);
	predictd_estimate estimates[2], one;
	assert_ok(predictd_prepared_within(prepared, &launch, 0, 2, 20, estimates));
	assert_close(estimates[0].kernel_time_s, 9e-9, 1e-15);
	assert_close(estimates[1].kernel_time_s, 9e-9, 1e-15);
	unsigned asked = fake.asked;
	/* the same question, made by hand, is known already */
	predictd_argument changed[sizeof arguments / sizeof arguments[0]];
	memcpy(changed, arguments, sizeof arguments);
	changed[0].size_bytes = 8192;
	changed[1].reals[0] = 2;
	changed[2].integers[0] = count;
	changed[3].size_bytes = 128;
	question.arguments = changed;
	question.global[0] = 9;
	question.local[0] = 3;
	question.offset[0] = 6;
	for (size_t i = 0; i < 2; i++) {
		question.device = devices[i];
		assert_ok(predictd_predict_now(connection, &question, &one));
	}
	assert_int_equal(fake.asked, asked);
	/* and any other value makes another one */
	changed[1].reals[0] = 3;
	assert_int_equal(predictd_predict_now(connection, &question, &one), PREDICTD_BUSY);
	predictd_prepared_free(prepared);
}

static void a_launch_without_values_is_the_question(void **state)
{
	(void)state;
	predictd_question question = question_with_arguments();
	predictd_prepared *prepared = prepare(&question, NULL, 0);
	const predictd_launch launch = {0};
	predictd_estimate estimate;
	assert_ok(predictd_prepare(connection, &question, 1, NULL));
	unsigned asked = fake.asked;
	assert_ok(predictd_prepared_within(prepared, &launch, 0, 1, 0, &estimate));
	assert_int_equal(fake.asked, asked);
	predictd_prepared_free(prepared);
}

static void samples_are_put_and_taken_away(void **state)
{
	(void)state;
	static uint8_t data[4096];
	predictd_sample *sample = NULL;
	memset(data, 1, sizeof data); /* pages that were never touched are left alone */
	assert_ok(predictd_sample_take(data, sizeof data, NULL, 0, &sample));
	predictd_question question = question_with_arguments();
	predictd_prepared *prepared = prepare(&question, NULL, 0);
	const predictd_value with = {.argument = 0, .size_bytes = 4096, .sample = sample};
	const predictd_value without = {.argument = 0, .size_bytes = 4096};
	const predictd_launch launches[] = {{.value_count = 1, .values = &with},
	                                    {.value_count = 1, .values = &without}};
	predictd_estimate estimate;
	assert_ok(predictd_prepared_within(prepared, &launches[0], 0, 1, 20, &estimate));
	assert_int_equal(fake.samples, 1); /* sent when it was missed */
	unsigned sampled = fake.sampled;
	assert_int_equal(fake.unsampled, 0);
	assert_ok(predictd_prepared_within(prepared, &launches[1], 0, 1, 20, &estimate));
	assert_int_equal(fake.sampled, sampled);
	assert_int_equal(fake.unsampled, 1);
	predictd_prepared_free(prepared);
	predictd_sample_free(sample);
}

/* More words than a key has: the whole question is made. */
static void many_arguments_are_no_other_matter(void **state)
{
	(void)state;
	enum { MANY = 100 };
	predictd_argument many[MANY];
	predictd_question question = question_of(3);
	for (size_t i = 0; i < MANY; i++)
		many[i] = arguments[1];
	question.arguments = many;
	question.argument_count = MANY;
	predictd_prepared *prepared = prepare(&question, NULL, 0);
	const predictd_value value = {MANY - 1, sizeof factor, &factor, NULL};
	const predictd_launch launch = {.value_count = 1, .values = &value};
	predictd_estimate estimate;
	assert_ok(predictd_prepared_within(prepared, &launch, 0, 1, 20, &estimate));
	many[MANY - 1].reals[0] = 2;
	assert_ok(predictd_predict_now(connection, &question, &estimate));
	predictd_prepared_free(prepared);
}

static void values_that_do_not_fit_are_refused(void **state)
{
	(void)state;
	const double wide = 2;
	const predictd_value wrong[] = {{.argument = 5, .size_bytes = 4},
	                                {.argument = SIZE_MAX, .size_bytes = 4},
	                                {1, sizeof wide, &wide, NULL},
	                                {1, sizeof factor, NULL, NULL},
	                                {4, sizeof factor, &factor, NULL}};
	const char *const says[] = {"argument 5 of 5", "of 5", "want 4 bytes of float, have 8",
	                            "have 0", "an image"};
	predictd_question question = question_with_arguments();
	predictd_prepared *prepared = prepare(&question, NULL, 0);
	predictd_estimate estimate = {.kernel_time_s = 5};
	const predictd_observation observation = {.kernel_time_s = 1e-3};
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		const predictd_launch launch = {.value_count = 1, .values = &wrong[i]};
		predictd_status want = i == 4 ? PREDICTD_UNSUPPORTED : PREDICTD_INVALID;
		assert_int_equal(predictd_prepared_within(prepared, &launch, 0, 1, 0, &estimate),
		                 want);
		assert_non_null(strstr(predictd_error_text(), says[i]));
		assert_int_equal(predictd_prepared_report(prepared, &launch, 0, &observation),
		                 want);
	}
	const predictd_launch launch = {0};
	assert_int_equal(predictd_prepared_within(prepared, &launch, 1, 1, 0, &estimate),
	                 PREDICTD_INVALID);
	assert_int_equal(predictd_prepared_within(prepared, &launch, SIZE_MAX, 2, 0, &estimate),
	                 PREDICTD_INVALID);
	assert_int_equal(predictd_prepared_report(prepared, &launch, 1, &observation),
	                 PREDICTD_INVALID);
	const predictd_observation timeless = {.flags = PREDICTD_FIRST_RUN};
	assert_int_equal(predictd_prepared_report(prepared, &launch, 0, &timeless),
	                 PREDICTD_INVALID);
	assert_non_null(strstr(predictd_error_text(), "kernel time"));
	predictd_report_counts counts;
	predictd_get_report_counts(connection, &counts);
	assert_int_equal(counts.refused, sizeof wrong / sizeof wrong[0] + 2);
	assert_int_equal(counts.reported + counts.dropped + counts.waiting, 0);
	assert_true(estimate.kernel_time_s == 5);
	predictd_prepared_free(prepared);
	prepared = NULL;
	question.dimensions = 0;
	assert_int_equal(predictd_prepared_new(connection, &question, NULL, 0, &prepared),
	                 PREDICTD_INVALID);
	assert_null(prepared);
	question = question_of(1);
	const char *devices[257] = {0};
	assert_int_equal(predictd_prepared_new(connection, &question, devices, 257, &prepared),
	                 PREDICTD_LIMIT);
	assert_null(prepared);
}

static void each_device_has_its_own_status(void **state)
{
	(void)state;
	const char *const devices[] = {"raw", NULL, "raw", "a", "b", "c", "d", "e", "f", "g"};
	predictd_question question = question_of(3);
	predictd_prepared *prepared = prepare(&question, devices, 10);
	const predictd_launch launch = {0};
	predictd_estimate estimates[10];
	assert_int_equal(predictd_prepared_within(prepared, &launch, 0, 10, 20, estimates),
	                 PREDICTD_UNCALIBRATED);
	for (size_t i = 0; i < 10; i++) {
		bool is_raw = i == 0 || i == 2;
		assert_int_equal(estimates[i].status, is_raw ? PREDICTD_UNCALIBRATED : PREDICTD_OK);
	}
	assert_ok(predictd_prepared_within(prepared, &launch, 3, 7, 0, estimates));
	predictd_prepared_free(prepared);
}

static void a_prepared_launch_is_reported(void **state)
{
	(void)state;
	const uint64_t global[] = {77};
	const predictd_launch launch = {.global = global};
	predictd_question question = question_with_arguments();
	predictd_prepared *prepared = prepare(&question, NULL, 0);
	const predictd_observation observation = {.kernel_time_s = 1e-3};
	assert_ok(predictd_prepared_report(prepared, &launch, 0, &observation));
	assert_ok(predictd_flush(connection));
	assert_int_equal(fake.observations, 1);
	assert_int_equal(fake.observed_items, 77);
	predictd_prepared_free(prepared);
}

/* ---- arguments from bytes ------------------------------------------------------------------ */

static const char *const names[] = {"b", "l", "s", "c", "us", "f3", "h", "d", "ul2", "i", "v"};
static const char *const types[] = {"buffer float",     "local float",   "struct 12",
                                    "scalar char",      "scalar ushort", "scalar float3",
                                    "scalar half",      "scalar double", "scalar ulong2",
                                    "image 2d r rgba8", "buffer 24"};
static const predictd_kernel kernel = {.name = "k",
                                       .argument_count = sizeof types / sizeof types[0],
                                       .argument_names = names,
                                       .argument_types = types};

static predictd_argument argument_of(size_t index, uint64_t size, const void *bytes)
{
	predictd_argument argument = {0};
	assert_ok(predictd_argument_from_bytes(&kernel, index, size, bytes, &argument));
	return argument;
}

static void bytes_become_arguments_by_the_kernels_types(void **state)
{
	(void)state;
	const int8_t c = -3;
	const uint16_t us = 65535;
	const float f3[4] = {1, -2, 3, 99};
	const double d = -1e300;
	const uint64_t ul2[2] = {UINT64_MAX, 5};
	predictd_argument argument = argument_of(0, 4096, NULL);
	assert_int_equal(argument.kind, PREDICTD_BUFFER);
	assert_int_equal(argument.access, PREDICTD_READ_WRITE);
	assert_int_equal(argument.size_bytes, 4096);
	assert_int_equal(argument_of(10, 24, NULL).kind, PREDICTD_BUFFER);
	assert_int_equal(argument_of(1, 256, NULL).kind, PREDICTD_LOCAL);
	assert_int_equal(argument_of(2, 12, f3).kind, PREDICTD_STRUCT);
	argument = argument_of(3, sizeof c, &c);
	assert_int_equal(argument.kind, PREDICTD_SCALAR);
	assert_string_equal(argument.type, "char");
	assert_int_equal(argument.integers[0], -3);
	assert_int_equal(argument_of(4, sizeof us, &us).integers[0], 65535);
	argument = argument_of(5, sizeof f3, f3);
	assert_true(argument.reals[0] == 1 && argument.reals[1] == -2 && argument.reals[2] == 3);
	assert_true(argument.reals[3] == 0); /* a vector of three has no fourth */
	assert_true(argument_of(7, sizeof d, &d).reals[0] == d);
	argument = argument_of(8, sizeof ul2, ul2);
	assert_true(argument.integers[0] == -1 && argument.integers[1] == 5);
}

static void half_is_read_as_ieee_754_has_it(void **state)
{
	(void)state;
	const struct {
		uint16_t bits;
		double value;
	} halves[] = {{0x3c00, 1},
	              {0xc000, -2},
	              {0x0001, 0x1p-24},
	              {0x03ff, 0x3ffp-24},
	              {0x7bff, 65504},
	              {0x8000, -0.0},
	              {0x0400, 0x1p-14},
	              {0x7c00, (double)INFINITY},
	              {0xfc00, -(double)INFINITY}};
	for (size_t i = 0; i < sizeof halves / sizeof halves[0]; i++) {
		double got = argument_of(6, 2, &halves[i].bits).reals[0];
		assert_true(got == halves[i].value);
		assert_int_equal(signbit(got) != 0, signbit(halves[i].value) != 0);
	}
	const uint16_t nan = 0x7e00;
	assert_true(isnan(argument_of(6, 2, &nan).reals[0]));
}

static void bytes_that_do_not_fit_are_refused(void **state)
{
	(void)state;
	const uint64_t zero = 0;
	predictd_argument argument = {.size_bytes = 5};
	assert_int_equal(predictd_argument_from_bytes(&kernel, 11, 4, &zero, &argument),
	                 PREDICTD_INVALID);
	assert_non_null(strstr(predictd_error_text(), "takes 11 arguments, no number 11"));
	assert_int_equal(predictd_argument_from_bytes(&kernel, 3, 4, &zero, &argument),
	                 PREDICTD_INVALID);
	assert_non_null(
	        strstr(predictd_error_text(), "argument 3 (c): want 1 bytes of char, have 4"));
	assert_int_equal(predictd_argument_from_bytes(&kernel, 3, 1, NULL, &argument),
	                 PREDICTD_INVALID);
	assert_int_equal(predictd_argument_from_bytes(&kernel, 2, 16, &zero, &argument),
	                 PREDICTD_INVALID);
	assert_int_equal(predictd_argument_from_bytes(&kernel, 9, 8, &zero, &argument),
	                 PREDICTD_UNSUPPORTED);
	assert_true(argument.size_bytes == 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        WITH_DAEMON(an_answer_is_waited_for_as_long_as_was_said),
	        WITH_DAEMON(the_last_answer_stands_in_for_one_that_is_late),
	        WITH_DAEMON(a_refusal_is_not_waited_for_beyond_its_coming),
	        WITH_DAEMON(a_daemon_that_hangs_keeps_nobody),
	        WITH_DAEMON(many_threads_wait_for_the_same_answers),
	        WITH_DAEMON(a_prepared_question_is_the_whole_one),
	        WITH_DAEMON(a_launch_without_values_is_the_question),
	        WITH_DAEMON(samples_are_put_and_taken_away),
	        WITH_DAEMON(many_arguments_are_no_other_matter),
	        WITH_DAEMON(values_that_do_not_fit_are_refused),
	        WITH_DAEMON(each_device_has_its_own_status),
	        WITH_DAEMON(a_prepared_launch_is_reported),
	        cmocka_unit_test(bytes_become_arguments_by_the_kernels_types),
	        cmocka_unit_test(half_is_read_as_ieee_754_has_it),
	        cmocka_unit_test(bytes_that_do_not_fit_are_refused),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("within", tests, NULL, NULL);
}
