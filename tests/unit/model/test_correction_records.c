/* SPDX-License-Identifier: Apache-2.0 */
/* Records of corrections: saved, loaded, displaced, forgotten. */
#include "tests/unit/model/streams.h"

static void fill(struct stream *stream)
{
	for (uint64_t kernel = 1; kernel <= 9; kernel++)
		for (double items = 256; items <= 65536; items *= 4) {
			struct correction_launch launch =
			        launch_of(items, items * 1e-6, BOTTLENECK_DRAM);
			stream_runs(stream, STREAM_UID, kernel, &launch,
			            items * 1e-6 * (0.5 + 0.2 * (double)kernel), 6);
			stream_runs(stream, STREAM_UID + 1, kernel, &launch, items * 2e-6, 2);
		}
	struct correction_launch launch = launch_of(777, 1e-5, BOTTLENECK_LAUNCH);
	stream_report(stream, STREAM_UID, 1, &launch, 5e-5, CORRECTION_FIRST_RUN);
}

static void assert_same(struct stream *a, struct stream *b)
{
	for (uint32_t uid = STREAM_UID; uid < STREAM_UID + 3; uid++)
		for (uint64_t kernel = 1; kernel <= 10; kernel++)
			for (double items = 256; items <= 262144; items *= 2) {
				struct correction_launch launch =
				        launch_of(items, items * 1e-6, BOTTLENECK_DRAM);
				struct correction_answer x = stream_ask(a, uid, kernel, &launch);
				struct correction_answer y = stream_ask(b, uid, kernel, &launch);
				assert_close(x.time_s, y.time_s, 1e-9);
				assert_close(x.low_s, y.low_s, 1e-9);
				assert_close(x.high_s, y.high_s, 1e-9);
				assert_int_equal(x.count, y.count);
				assert_int_equal(x.basis, y.basis);
			}
}

/* Hands every change of one over to another, through bytes as a database keeps them. */
static unsigned carry_over(struct stream *from, struct stream *to)
{
	struct correction_record record;
	unsigned count = 0;

	while (correction_take_changed(from->correction, &record)) {
		uint8_t bytes[CORRECTION_RECORD_BYTES];
		size_t size = correction_encode(&record, bytes);
		struct correction_record read = {
		        .device = record.device, .kernel = record.kernel, .uid = record.uid};
		struct error error = {0};
		read.launch.key = record.launch.key;
		count++;
		if (record.sample_count == 0)
			continue;
		if (correction_decode(bytes, size, &read, &error) != STATUS_OK ||
		    correction_load(to->correction, &read, &error) != STATUS_OK)
			fail_msg("%s", error.text);
	}
	return count;
}

static void answers_survive_saving_and_loading(void **state)
{
	struct stream before, after;

	(void)state;
	stream_init(&before, 1, 0.05);
	stream_init(&after, 1, 0.05);
	fill(&before);
	assert_int_equal(carry_over(&before, &after), 9 * 5 * 2 + 1);
	assert_int_equal(carry_over(&before, &after), 0);
	correction_settle(before.correction);
	correction_settle(after.correction);
	assert_same(&before, &after);
	assert_int_equal(correction_runs(before.correction), correction_runs(after.correction));
	assert_int_equal(correction_runs(before.correction), 9 * 5 * 8 + 1);
	stream_deinit(&before);
	stream_deinit(&after);
}

static void a_record_that_was_not_saved_is_handed_out_again(void **state)
{
	struct stream stream;
	struct correction_record record, again;
	struct correction_launch launch = launch_of(256, 1e-3, BOTTLENECK_DRAM);
	const struct correction_scope all = {0};

	(void)state;
	stream_init(&stream, 1, 0);
	stream_runs(&stream, STREAM_UID, 1, &launch, 1e-3, 1);
	assert_true(correction_take_changed(stream.correction, &record));
	assert_false(correction_take_changed(stream.correction, &again));
	correction_keep_changed(stream.correction, &record);
	stream_runs(&stream, STREAM_UID, 1, &launch, 1e-3, 1);
	assert_true(correction_take_changed(stream.correction, &again));
	assert_int_equal(again.sample_count, 2);
	assert_false(correction_take_changed(stream.correction, &again));
	/* and one that is to be deleted */
	assert_int_equal(correction_forget(stream.correction, &all), 2);
	assert_true(correction_take_changed(stream.correction, &record));
	assert_int_equal(record.sample_count, 0);
	correction_keep_changed(stream.correction, &record);
	assert_true(correction_take_changed(stream.correction, &again));
	assert_int_equal(again.sample_count, 0);
	assert_int_equal(again.launch.key, launch.key);
	assert_false(correction_take_changed(stream.correction, &again));
	stream_deinit(&stream);
}

/* As if what is forgotten had never been reported. */
static void what_is_forgotten_leaves_no_trace(void **state)
{
	struct stream with, without;
	const struct correction_scope user = {.has_uid = true, .uid = STREAM_UID + 7};
	const uint64_t kernels[] = {4, 50, 52, 700};
	const struct correction_scope kernel = {
	        .has_kernels = true, .kernels = kernels + 1, .kernel_count = 3};
	const struct correction_scope none = {.has_kernels = true};
	const struct correction_scope device = {.has_device = true, .device = 99};
	struct correction_launch launch = launch_of(1024, 1e-3, BOTTLENECK_ARITHMETIC);
	struct correction_run run = {.device = 99,
	                             .kernel = 1,
	                             .uid = STREAM_UID,
	                             .time_s = 1,
	                             .measured_at_s = 1,
	                             .launch = launch};
	struct error error;

	(void)state;
	stream_init(&with, 1, 0.05);
	stream_init(&without, 1, 0.05);
	fill(&with);
	fill(&without);
	for (unsigned i = 0; i < 20; i++) {
		stream_report(&with, STREAM_UID + 7, 1 + i % 9, &launch, 10, 0);
		stream_report(&with, STREAM_UID, 50, &launch, 10, 0);
		assert_int_equal(correction_observe(with.correction, &run, NULL, &error),
		                 STATUS_OK);
	}
	assert_int_equal(correction_forget(with.correction, &user), 20);
	assert_int_equal(correction_forget(with.correction, &none), 0);
	assert_int_equal(correction_forget(with.correction, &kernel), 20);
	assert_int_equal(correction_forget(with.correction, &device), 20);
	while (correction_settle_step(with.correction))
		continue;
	correction_settle(without.correction);
	assert_same(&with, &without);
	stream_deinit(&with);
	stream_deinit(&without);
}

static void old_runs_are_forgotten_by_age(void **state)
{
	struct stream stream;
	struct correction_launch launch = launch_of(1024, 1e-3, BOTTLENECK_DRAM);
	struct correction_launch old = launch_of(2048, 1e-3, BOTTLENECK_DRAM);

	(void)state;
	stream_init(&stream, 1, 0.01);
	stream_runs(&stream, STREAM_UID, 1, &old, 3e-3, 5);
	stream_runs(&stream, STREAM_UID, 1, &launch, 3e-3, 5);
	const struct correction_scope scope = {.has_before = true, .before_s = stream.now_s};
	stream_runs(&stream, STREAM_UID, 1, &launch, 1e-3, 5);
	assert_int_equal(correction_forget(stream.correction, &scope), 10);
	assert_int_equal(correction_runs(stream.correction), 5);
	assert_int_equal(correction_records(stream.correction), 1);
	struct correction_answer answer = stream_ask(&stream, STREAM_UID, 1, &launch);
	assert_close(answer.time_s, 1e-3, 0.02);
	assert_int_equal(answer.count, 5);
	stream_deinit(&stream);
}

static void records_stay_within_their_number(void **state)
{
	struct stream stream;
	struct error error;
	struct correction_record record;

	(void)state;
	stream_init(&stream, 1, 0.05);
	correction_free(stream.correction);
	assert_int_equal(correction_new(64, 16, &stream.correction, &error), STATUS_OK);
	struct correction_launch first = launch_of(3, 1e-3, BOTTLENECK_DRAM);
	stream_runs(&stream, 1, 1, &first, 2e-3, 3);
	/* one user with more than there is room for displaces his own, nobody else's */
	for (unsigned i = 0; i < 2000; i++) {
		struct correction_launch launch = launch_of(10 + i, 1e-3, BOTTLENECK_DRAM);
		stream_runs(&stream, 2, 1 + i % 50, &launch, 1e-3, 1);
		assert_true(correction_records(stream.correction) <= 64);
	}
	struct correction_answer answer = stream_ask(&stream, 1, 1, &first);
	assert_int_equal(answer.basis, BASIS_OBSERVED);
	/* somebody new takes the place of who has most */
	stream_runs(&stream, 3, 1, &first, 4e-3, 3);
	answer = stream_ask(&stream, 3, 1, &first);
	assert_int_equal(answer.basis, BASIS_OBSERVED);
	assert_true(correction_records(stream.correction) <= 64);
	unsigned kept = 0, changes = 0;
	while (correction_take_changed(stream.correction, &record)) {
		kept += record.sample_count > 0;
		changes++;
	}
	assert_int_equal(kept, correction_records(stream.correction));
	assert_true(changes < 200);
	stream_deinit(&stream);
}

static void a_kernel_keeps_the_launches_reported_last(void **state)
{
	struct stream stream;

	(void)state;
	stream_init(&stream, 1, 0);
	for (unsigned i = 0; i < 100; i++) {
		struct correction_launch launch = launch_of(10 + i, 1e-3, BOTTLENECK_DRAM);
		stream_runs(&stream, STREAM_UID, 1, &launch, 1e-3, 1);
	}
	assert_int_equal(correction_records(stream.correction), CORRECTION_LAUNCHES);
	struct correction_launch newest = launch_of(109, 1e-3, BOTTLENECK_DRAM);
	struct correction_launch oldest = launch_of(10, 1e-3, BOTTLENECK_DRAM);
	assert_int_equal(stream_ask(&stream, STREAM_UID, 1, &newest).basis, BASIS_OBSERVED);
	assert_int_equal(stream_ask(&stream, STREAM_UID, 1, &oldest).basis, BASIS_REFINED);
	stream_deinit(&stream);
}

static void hostile_bytes_are_refused(void **state)
{
	struct stream stream, other;
	struct correction_record record, read = {0};
	struct error error;
	uint8_t bytes[CORRECTION_RECORD_BYTES];

	(void)state;
	stream_init(&stream, 1, 0.05);
	stream_init(&other, 1, 0.05);
	fill(&stream);
	assert_true(correction_take_changed(stream.correction, &record));
	size_t size = correction_encode(&record, bytes);
	assert_true(size <= CORRECTION_RECORD_BYTES);
	for (size_t i = 0; i < size; i++)
		assert_int_equal(correction_decode(bytes, i, &read, &error), STATUS_CORRUPT);
	/* whatever the bytes: refused, or answers stay finite */
	for (unsigned i = 0; i < 20000; i++) {
		uint8_t broken[CORRECTION_RECORD_BYTES];
		memcpy(broken, bytes, size);
		for (unsigned j = 0; j <= i % 4; j++)
			broken[(size_t)(stream_uniform(&stream) * (double)size)] =
			        (uint8_t)(stream_uniform(&stream) * 256);
		read = (struct correction_record){.device = STREAM_DEVICE, .kernel = i % 5};
		if (correction_decode(broken, size, &read, &error) != STATUS_OK)
			continue;
		read.launch.key = i % 50;
		if (correction_load(other.correction, &read, &error) != STATUS_OK)
			continue;
		if (i % 100 == 0)
			correction_settle(other.correction);
		struct correction_launch launch = launch_of(1024, 1e-3, BOTTLENECK_DRAM);
		struct correction_answer answer = stream_ask(&other, 0, i % 5, &launch);
		assert_true(isfinite(answer.time_s) && answer.time_s > 0);
		assert_true(answer.low_s <= answer.time_s && answer.time_s <= answer.high_s);
		assert_true(isfinite(answer.high_s) && answer.low_s > 0);
	}
	assert_true(correction_records(other.correction) > 10);
	stream_deinit(&stream);
	stream_deinit(&other);
}

/* Version 2 had no parts of a task behind the shares, and version 1 only the first 16 of these. */
static void records_of_the_versions_before_are_read(void **state)
{
	enum { HEAD_SHARES = 36, SHARES_1 = 16, PARTS_BYTES = 8 };
	struct correction_launch launch = launch_of(1024, 1e-3, BOTTLENECK_DRAM);
	struct correction_record record = {.sample_count = 2, .runs = 5, .launch = launch}, read;
	struct error error = {0};

	(void)state;
	record.samples[1].time_log = -7;
	for (uint8_t version = 1; version <= 2; version++) {
		uint8_t bytes[CORRECTION_RECORD_BYTES];
		size_t size = correction_encode(&record, bytes);
		size_t shares = version == 1 ? SHARES_1 : CORRECTION_SHARES;
		size_t behind = HEAD_SHARES + CORRECTION_SHARES + PARTS_BYTES;
		bytes[0] = version;
		memmove(bytes + HEAD_SHARES + shares, bytes + behind, size - behind);
		size -= behind - HEAD_SHARES - shares;
		read = (struct correction_record){.launch.key = launch.key};
		assert_int_equal(correction_decode(bytes, size, &read, &error), STATUS_OK);
		assert_memory_equal(read.launch.share, launch.share, CORRECTION_SHARES);
		assert_int_equal(read.runs, 5);
		assert_close((double)read.samples[1].time_log, -7, 1e-6);
		assert_int_equal(correction_decode(bytes, size - 1, &read, &error), STATUS_CORRUPT);
	}
}

/* Of one record each, in a full pool, whoever comes next displaces another, never himself. */
static void a_new_user_finds_room_among_users_of_one_record(void **state)
{
	struct correction *correction = NULL;
	struct error error;
	struct correction_run run = {
	        .time_s = 1, .measured_at_s = 1, .launch = launch_of(64, 1, BOTTLENECK_DRAM)};

	(void)state;
	assert_int_equal(correction_new(64, 16, &correction, &error), STATUS_OK);
	for (unsigned i = 0; i < 200; i++) {
		run.uid = i;
		assert_int_equal(correction_observe(correction, &run, NULL, &error), STATUS_OK);
		assert_int_equal(correction_records(correction), i < 64 ? i + 1 : 64);
	}
	correction_free(correction);
}

static void devices_and_users_are_bounded(void **state)
{
	struct stream stream;
	struct error error;
	struct correction_run run = {
	        .time_s = 1, .measured_at_s = 1, .launch = launch_of(64, 1, BOTTLENECK_DRAM)};

	(void)state;
	stream_init(&stream, 1, 0);
	for (unsigned i = 0; i < CORRECTION_DEVICES; i++) {
		run.device = i;
		assert_int_equal(correction_observe(stream.correction, &run, NULL, &error),
		                 STATUS_OK);
	}
	run.device = CORRECTION_DEVICES;
	assert_int_equal(correction_observe(stream.correction, &run, NULL, &error), STATUS_LIMIT);
	run.device = 0;
	for (unsigned i = 0; i < CORRECTION_USERS - CORRECTION_DEVICES; i++) {
		run.uid = 1 + i;
		run.kernel = i; /* of one kernel there is room for 1024 records */
		assert_int_equal(correction_observe(stream.correction, &run, NULL, &error),
		                 STATUS_OK);
	}
	/* who reported longest ago gives way to a new user, with all that he had */
	run.uid = 1;
	for (unsigned i = 0; i < 5; i++) {
		run.kernel = i;
		assert_int_equal(correction_observe(stream.correction, &run, NULL, &error),
		                 STATUS_OK);
	}
	for (unsigned i = 0; i < CORRECTION_USERS; i++) {
		run.uid = 5000 + i;
		run.kernel = i;
		run.measured_at_s = 2 + i;
		assert_int_equal(correction_observe(stream.correction, &run, NULL, &error),
		                 STATUS_OK);
	}
	assert_int_equal(correction_records(stream.correction), CORRECTION_USERS);
	assert_int_equal(correction_runs(stream.correction), CORRECTION_USERS);
	run.uid = 1;
	assert_int_equal(correction_forget(stream.correction,
	                                   &(struct correction_scope){.has_uid = true, .uid = 1}),
	                 0);
	/* forgetting makes room for users and for devices */
	const struct correction_scope all = {0};
	assert_int_equal(correction_forget(stream.correction, &all), CORRECTION_USERS);
	run.device = CORRECTION_DEVICES;
	assert_int_equal(correction_observe(stream.correction, &run, NULL, &error), STATUS_OK);
	stream_deinit(&stream);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(answers_survive_saving_and_loading),
	        cmocka_unit_test(a_record_that_was_not_saved_is_handed_out_again),
	        cmocka_unit_test(what_is_forgotten_leaves_no_trace),
	        cmocka_unit_test(old_runs_are_forgotten_by_age),
	        cmocka_unit_test(records_stay_within_their_number),
	        cmocka_unit_test(a_kernel_keeps_the_launches_reported_last),
	        cmocka_unit_test(a_new_user_finds_room_among_users_of_one_record),
	        cmocka_unit_test(hostile_bytes_are_refused),
	        cmocka_unit_test(records_of_the_versions_before_are_read),
	        cmocka_unit_test(devices_and_users_are_bounded),
	};

	return cmocka_run_group_tests_name("correction records", tests, NULL, NULL);
}
