/* SPDX-License-Identifier: Apache-2.0 */
/* Samples: which bytes are read, which pages are not, and that they are sent where missed. */
#include "tests/unit/client/client_fixture.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "client/library/sample.h"

enum { SMALL = 4096 };

static predictd_sample *take(const void *data, uint64_t size, const char *type, unsigned flags)
{
	predictd_sample *sample = NULL;
	assert_ok(predictd_sample_take(data, size, type, flags, &sample));
	return sample;
}

/* Memory that nobody has touched. */
static uint8_t *map(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
	                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	assert_ptr_not_equal(memory, MAP_FAILED);
	return memory;
}

static size_t resident_pages(uint8_t *data, size_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), count = size / page, found = 0;
	unsigned char *pages = malloc(count);
	assert_non_null(pages);
	assert_int_equal(mincore(data, size, pages), 0);
	for (size_t i = 0; i < count; i++)
		found += pages[i] & 1;
	free(pages);
	return found;
}

/* ---- taking -------------------------------------------------------------------------------- */

static void runs_are_apart_and_have_both_ends(void **state)
{
	const uint64_t sizes[] = {SAMPLE_BYTES + 1,        SAMPLE_BYTES + 64, 70000,     1 << 20,
	                          (UINT64_C(1) << 32) + 4, UINT64_C(1) << 47, UINT64_MAX};
	(void)state;
	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
		uint64_t end = 0;
		for (unsigned run = 0; run < SAMPLE_RUNS; run++) {
			uint64_t offset = sample_run_offset(sizes[i], run);
			assert_true(offset >= end);
			assert_true(offset % 64 == 0 || run == SAMPLE_RUNS - 1);
			end = offset + SAMPLE_RUN_BYTES;
		}
		assert_true(sample_run_offset(sizes[i], 0) == 0);
		assert_true(end == sizes[i]);
	}
}

static void runs_are_in_no_step_with_rows(void **state)
{
	enum { ROW = 1 << 16, ROWS = 1024 };
	unsigned columns[4] = {0};
	(void)state;
	for (unsigned run = 1; run < SAMPLE_RUNS - 1; run++)
		columns[sample_run_offset((uint64_t)ROW * ROWS, run) % ROW / (ROW / 4)]++;
	for (unsigned i = 0; i < 4; i++)
		assert_true(columns[i] >= 2);
}

static void a_small_buffer_is_read_whole(void **state)
{
	static int32_t data[SAMPLE_BYTES / 4];
	(void)state;
	for (int32_t i = 0; i < SAMPLE_BYTES / 4; i++)
		data[i] = i;
	for (size_t size = 4; size <= sizeof data; size = size * 3 + 4) {
		predictd_sample *sample = take(data, size, "int", 0);
		assert_int_equal(predictd_sample_bytes(sample), size);
		assert_int_equal(sample->message.n_offsets_bytes, 1);
		assert_memory_equal(sample->bytes, data, size);
		predictd_sample_free(sample);
	}
	/* what is no whole element at its end is left out */
	predictd_sample *sample = take(data, 4098, "double2", 0);
	assert_int_equal(predictd_sample_bytes(sample), 4096);
	assert_int_equal(sample->message.size_bytes, 4098);
	assert_string_equal(sample->message.type, "double");
	predictd_sample_free(sample);
}

static void runs_hold_what_stands_at_their_offsets(void **state)
{
	enum { COUNT = 1 << 20 };
	uint32_t *data = malloc(COUNT * sizeof *data), at = 0;
	(void)state;
	assert_non_null(data);
	for (uint32_t i = 0; i < COUNT; i++)
		data[i] = i;
	predictd_sample *sample = take(data, COUNT * sizeof *data, "uint", 0);
	assert_int_equal(predictd_sample_bytes(sample), SAMPLE_BYTES);
	for (size_t run = 0; run < sample->message.n_offsets_bytes; run++) {
		uint32_t first;
		memcpy(&first, sample->bytes + at, sizeof first);
		assert_int_equal(first, sample->offsets_bytes[run] / 4);
		at += sample->lengths_bytes[run];
	}
	predictd_sample_free(sample);
	free(data);
}

static void pages_that_nobody_touched_stay_so(void **state)
{
	const size_t size = (size_t)1 << 30;
	uint8_t *data = map(size);
	predictd_sample *sample = NULL;
	(void)state;
	assert_int_equal(predictd_sample_take(data, size, "int", 0, &sample), PREDICTD_NOT_FOUND);
	assert_null(sample);
	assert_int_equal(resident_pages(data, size), 0);
	data[0] = 1;
	data[size - 1] = 2;
	size_t touched = resident_pages(data, size);
	sample = take(data, size, "uchar", 0);
	assert_int_equal(sample->message.n_offsets_bytes, 2);
	assert_int_equal(sample->bytes[0], 1);
	assert_int_equal(sample->bytes[predictd_sample_bytes(sample) - 1], 2);
	assert_int_equal(resident_pages(data, size), touched);
	predictd_sample_free(sample);
	sample = take(data, size, "uchar", PREDICTD_SAMPLE_TOUCH);
	assert_int_equal(predictd_sample_bytes(sample), SAMPLE_BYTES);
	predictd_sample_free(sample);
	assert_int_equal(munmap(data, size), 0);
}

static void memory_that_is_not_there_is_not_read(void **state)
{
	uint8_t *data = map(3 * SAMPLE_BYTES);
	(void)state;
	memset(data, 1, 3 * SAMPLE_BYTES);
	assert_int_equal(munmap(data + SAMPLE_BYTES, SAMPLE_BYTES), 0);
	predictd_sample *sample = take(data, 3 * SAMPLE_BYTES, NULL, 0);
	assert_true(predictd_sample_bytes(sample) < SAMPLE_BYTES);
	predictd_sample_free(sample);
	assert_int_equal(munmap(data, SAMPLE_BYTES), 0);
	assert_int_equal(munmap(data + (size_t)2 * SAMPLE_BYTES, SAMPLE_BYTES), 0);
}

static void a_name_is_that_of_the_data(void **state)
{
	static uint8_t data[2 * SAMPLE_BYTES], same[2 * SAMPLE_BYTES];
	(void)state;
	memset(data, 1, sizeof data);
	memset(same, 1, sizeof same);
	predictd_sample *one = take(data, sizeof data, "int", 0);
	predictd_sample *two = take(same, sizeof same, "int4", 0);
	predictd_sample *typed = take(same, sizeof same, "uint", 0);
	same[0] = 2;
	predictd_sample *other = take(same, sizeof same, "int", 0);
	assert_memory_equal(one->name, two->name, sizeof one->name);
	assert_memory_not_equal(one->name, typed->name, sizeof one->name);
	assert_memory_not_equal(one->name, other->name, sizeof one->name);
	predictd_sample_free(one);
	predictd_sample_free(two);
	predictd_sample_free(typed);
	predictd_sample_free(other);
}

static void what_is_no_sample_is_refused(void **state)
{
	const int data[4] = {0};
	predictd_sample *sample = NULL;
	(void)state;
#define REFUSED(data, size, type, flags, status, text)                                             \
	do {                                                                                       \
		assert_int_equal(predictd_sample_take(data, size, type, flags, &sample), status);  \
		assert_string_equal(predictd_error_text(), text);                                  \
		assert_null(sample);                                                               \
	} while (0)
	REFUSED(data, 0, "int", 0, PREDICTD_INVALID, "a sample of 0 bytes");
	REFUSED(NULL, 4, "int", 0, PREDICTD_INVALID, "a sample of no memory");
	REFUSED(data, UINT64_MAX, "int", 0, PREDICTD_INVALID,
	        "a sample of 18446744073709551615 bytes");
	REFUSED(data, 16, "int5", 0, PREDICTD_INVALID, "sample: no type of elements: 'int5'");
	REFUSED(data, 16, "void", 0, PREDICTD_INVALID, "sample: no type of elements: 'void'");
	REFUSED(data, 16, "int", 2, PREDICTD_INVALID, "sample: unknown flags 0x2");
	REFUSED(data, 3, "int", 0, PREDICTD_NOT_FOUND, "sample: none of its elements is to be had");
	predictd_sample_free(NULL);
}

/* ---- asking -------------------------------------------------------------------------------- */

static uint8_t contents[SMALL];

static predictd_sample *sample_of(uint8_t byte)
{
	memset(contents, byte, sizeof contents);
	return take(contents, sizeof contents, "uchar", 0);
}

static predictd_question sampled(uint64_t items, predictd_argument *argument,
                                 const predictd_sample *sample)
{
	predictd_question question = question_of(items);
	*argument = (predictd_argument){
	        .kind = PREDICTD_BUFFER, .access = 1, .size_bytes = SMALL, .sample = sample};
	question.arguments = argument;
	question.argument_count = 1;
	return question;
}

static void a_sample_is_sent_once_where_it_is_missed(void **state)
{
	predictd_argument argument;
	predictd_prediction *prediction;
	predictd_estimate estimate;
	(void)state;
	predictd_sample *sample = sample_of(1);
	for (uint64_t items = 1; items <= 3; items++) {
		const predictd_question question = sampled(items, &argument, sample);
		assert_ok(predictd_predict(connection, &question, &prediction));
		predictd_predictions_free(prediction, 1);
		assert_ok(predictd_predict_into(connection, &question, &estimate));
	}
	assert_int_equal(fake.samples, 1);
	assert_int_equal(fake.registrations, 1);
	assert_int_equal(fake.unsampled, 0);
	predictd_sample_free(sample);
}

static void another_sample_is_another_question(void **state)
{
	predictd_argument arguments[3];
	predictd_estimate estimate;
	(void)state;
	predictd_sample *one = sample_of(1), *two = sample_of(2);
	const predictd_question questions[] = {sampled(5, &arguments[0], one),
	                                       sampled(5, &arguments[1], two),
	                                       sampled(5, &arguments[2], NULL)};
	for (unsigned again = 0; again < 2; again++)
		for (size_t i = 0; i < 3; i++)
			assert_ok(predictd_predict_into(connection, &questions[i], &estimate));
	assert_int_equal(fake.samples, 2);
	assert_int_equal(fake.sampled, 4); /* each once, and once more when it was sent */
	assert_int_equal(fake.unsampled, 1);
	predictd_sample_free(one);
	predictd_sample_free(two);
}

static void more_samples_than_there_is_room_for_go_in_parts(void **state)
{
	enum { COUNT = 20 };
	predictd_sample *samples[COUNT];
	predictd_argument arguments[COUNT];
	predictd_question questions[COUNT];
	predictd_prediction *predictions;
	(void)state;
	fake.sample_room = 8;
	for (uint8_t i = 0; i < COUNT; i++) {
		samples[i] = sample_of(i);
		questions[i] = sampled(i + 1u, &arguments[i], samples[i]);
	}
	assert_ok(predictd_predict_batch(connection, questions, COUNT, &predictions));
	for (size_t i = 0; i < COUNT; i++)
		assert_int_equal(predictions[i].status, PREDICTD_OK);
	predictd_predictions_free(predictions, COUNT);
	assert_int_equal(fake.unsampled, 0);
	for (size_t i = 0; i < COUNT; i++)
		predictd_sample_free(samples[i]);
}

static void a_question_of_more_than_there_is_room_for_goes_without(void **state)
{
	predictd_argument arguments[3];
	predictd_estimate estimate;
	(void)state;
	fake.sample_room = 2;
	predictd_sample *samples[] = {sample_of(1), sample_of(2), sample_of(3)};
	predictd_question question = question_of(7);
	for (size_t i = 0; i < 3; i++)
		(void)sampled(7, &arguments[i], samples[i]);
	question.arguments = arguments;
	question.argument_count = 3;
	assert_ok(predictd_predict_into(connection, &question, &estimate));
	assert_int_equal(fake.unsampled, 1);
	/* which is no answer to keep for it */
	assert_ok(predictd_predict_into(connection, &question, &estimate));
	assert_int_equal(fake.unsampled, 2);
	for (size_t i = 0; i < 3; i++)
		predictd_sample_free(samples[i]);
}

static void where_they_are_refused_questions_go_without(void **state)
{
	predictd_argument argument;
	predictd_prediction *prediction;
	predictd_placement *placement;
	(void)state;
	fake.refuses_samples = true;
	predictd_sample *sample = sample_of(1);
	const predictd_question question = sampled(5, &argument, sample);
	const predictd_observation observation = {.question = question, .kernel_time_s = 1};
	assert_ok(predictd_predict(connection, &question, &prediction));
	predictd_predictions_free(prediction, 1);
	assert_ok(predictd_place(connection, &question, 1, NULL, 0, &placement));
	assert_int_equal(placement->status, PREDICTD_OK);
	predictd_placements_free(placement, 1);
	assert_ok(predictd_observe(connection, &observation, 1, NULL));
	assert_int_equal(fake.unsampled, 3);
	predictd_sample_free(sample);
}

static void placements_and_observations_send_them_too(void **state)
{
	predictd_argument argument;
	predictd_placement *placement;
	predictd_observation observations[2];
	(void)state;
	predictd_sample *one = sample_of(1), *two = sample_of(2);
	predictd_question question = sampled(5, &argument, one);
	assert_ok(predictd_place(connection, &question, 1, NULL, 0, &placement));
	assert_int_equal(placement->status, PREDICTD_OK);
	predictd_placements_free(placement, 1);
	assert_int_equal(fake.samples, 1);
	argument.sample = two;
	observations[0] = observations[1] =
	        (predictd_observation){.question = question, .kernel_time_s = 1};
	assert_ok(predictd_observe(connection, observations, 2, NULL));
	assert_int_equal(fake.samples, 2);
	assert_ok(predictd_report(connection, observations));
	assert_ok(predictd_flush(connection));
	assert_int_equal(fake.unsampled, 0);
	predictd_sample_free(one);
	predictd_sample_free(two);
}

static void a_question_that_waits_keeps_its_sample(void **state)
{
	predictd_argument argument;
	struct answers answers = {0};
	(void)state;
	fake.holds = true;
	predictd_sample *sample = sample_of(9);
	const predictd_question question = sampled(1, &argument, sample);
	assert_ok(predictd_predict_async(connection, &question, 1, keep_answers, &answers));
	predictd_sample_free(sample);
	fake.holds = false;
	while (answers.count == 0)
		(void)predictd_dispatch(connection, 10);
	assert_int_equal(answers.last, PREDICTD_OK);
	assert_int_equal(fake.samples, 1);
}

static void they_are_switched_off_by_option_and_environment(void **state)
{
	predictd_argument argument;
	predictd_connection *own;
	predictd_program *registered;
	predictd_prediction *prediction;
	(void)state;
	predictd_sample *sample = sample_of(1);
	for (unsigned by_environment = 0; by_environment < 2; by_environment++) {
		const predictd_options options = {.size = sizeof options,
		                                  .socket_path = fake.path,
		                                  .without_samples = !by_environment};
		if (by_environment)
			assert_int_equal(setenv("PREDICTD_SAMPLES", "no", 1), 0);
		assert_ok(predictd_open_with(&options, &own));
		assert_int_equal(unsetenv("PREDICTD_SAMPLES"), 0);
		assert_ok(predictd_register(own, &source, &registered));
		predictd_question question = sampled(5, &argument, sample);
		question.program = registered;
		assert_ok(predictd_predict(own, &question, &prediction));
		predictd_predictions_free(prediction, 1);
		predictd_program_free(registered);
		predictd_close(own);
	}
	assert_int_equal(fake.sampled, 0);
	assert_int_equal(fake.samples, 0);
	predictd_sample_free(sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(runs_are_apart_and_have_both_ends),
	        cmocka_unit_test(runs_are_in_no_step_with_rows),
	        cmocka_unit_test(a_small_buffer_is_read_whole),
	        cmocka_unit_test(runs_hold_what_stands_at_their_offsets),
	        cmocka_unit_test(pages_that_nobody_touched_stay_so),
	        cmocka_unit_test(memory_that_is_not_there_is_not_read),
	        cmocka_unit_test(a_name_is_that_of_the_data),
	        cmocka_unit_test(what_is_no_sample_is_refused),
	        WITH_DAEMON(a_sample_is_sent_once_where_it_is_missed),
	        WITH_DAEMON(another_sample_is_another_question),
	        WITH_DAEMON(more_samples_than_there_is_room_for_go_in_parts),
	        WITH_DAEMON(a_question_of_more_than_there_is_room_for_goes_without),
	        WITH_DAEMON(where_they_are_refused_questions_go_without),
	        WITH_DAEMON(placements_and_observations_send_them_too),
	        WITH_DAEMON(a_question_that_waits_keeps_its_sample),
	        WITH_DAEMON(they_are_switched_off_by_option_and_environment),
	};
	return cmocka_run_group_tests_name("client/samples", tests, NULL, NULL);
}
