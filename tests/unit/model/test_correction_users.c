/* SPDX-License-Identifier: Apache-2.0 */
/* What is kept of users besides records: overheads of launches, and shifts of a device's times. */
#include "tests/unit/model/streams.h"

static const double LAUNCH_S = 2e-5;

/* Runs of a launch whose enqueueing took so long; the bits of answers that moved. */
static unsigned report(struct stream *stream, uint32_t uid, double launch_s, uint32_t flags,
                       unsigned count)
{
	struct correction_launch launch = launch_of(1024, 1e-3, BOTTLENECK_DRAM);
	struct correction_run run = {.device = STREAM_DEVICE,
	                             .kernel = 1,
	                             .uid = uid,
	                             .flags = flags,
	                             .time_s = 1e-3,
	                             .launch = launch,
	                             .overhead_s = {[CORRECTION_LAUNCH] = (float)launch_s},
	                             .overhead_static_s = {[CORRECTION_LAUNCH] = (float)LAUNCH_S}};
	struct error error = {0};
	unsigned moved, all = 0;

	for (unsigned i = 0; i < count; i++) {
		run.measured_at_s = stream->now_s++;
		if (correction_observe(stream->correction, &run, &moved, &error) != STATUS_OK)
			fail_msg("%s", error.text);
		all |= moved;
	}
	return all;
}

static double launch_time(const struct stream *stream, uint32_t uid)
{
	return correction_overhead(stream->correction, STREAM_DEVICE, uid, CORRECTION_LAUNCH,
	                           LAUNCH_S);
}

static void overheads_follow_what_a_user_measures(void **state)
{
	struct stream stream;

	(void)state;
	stream_init(&stream, 1, 0);
	assert_true(launch_time(&stream, 1) == LAUNCH_S);
	(void)report(&stream, 1, 0, 0, 3);
	assert_true(launch_time(&stream, 1) == LAUNCH_S);
	(void)report(&stream, 1, 5, CORRECTION_FIRST_RUN, 3);
	assert_true(launch_time(&stream, 1) == LAUNCH_S);
	assert_true(report(&stream, 1, 3 * LAUNCH_S, 0, 1) & CORRECTION_MOVED_DEVICE_USER);
	assert_close(launch_time(&stream, 1), 2.08 * LAUNCH_S, 0.01);
	(void)report(&stream, 1, 3 * LAUNCH_S, 0, 31);
	assert_close(launch_time(&stream, 1), 2.9 * LAUNCH_S, 0.03);
	/* of another size, kind or user it says nothing */
	assert_true(correction_overhead(stream.correction, STREAM_DEVICE, 1, CORRECTION_LAUNCH,
	                                1) == 1);
	assert_true(correction_overhead(stream.correction, STREAM_DEVICE, 1, CORRECTION_H2D,
	                                LAUNCH_S) == LAUNCH_S);
	assert_true(launch_time(&stream, 2) == LAUNCH_S);
	/* an accident among them moves nothing */
	(void)report(&stream, 1, 1, 0, 1);
	(void)report(&stream, 1, 3 * LAUNCH_S, 0, 7);
	assert_close(launch_time(&stream, 1), 2.9 * LAUNCH_S, 0.03);
	stream_deinit(&stream);
}

static void overheads_are_shared_as_the_median_of_three_users(void **state)
{
	struct stream stream;

	(void)state;
	stream_init(&stream, 1, 0);
	(void)report(&stream, 1, 2 * LAUNCH_S, 0, 16);
	(void)report(&stream, 2, 1e5, 0, 16);
	assert_true(launch_time(&stream, 9) == LAUNCH_S);
	assert_true(report(&stream, 3, 2.2 * LAUNCH_S, 0, 16) & CORRECTION_MOVED_DEVICE);
	assert_close(launch_time(&stream, 9), 2.15 * LAUNCH_S, 0.02);
	assert_close(launch_time(&stream, 1), 1.96 * LAUNCH_S, 0.02);
	/* who is forgotten has no part in it */
	const struct correction_scope scope = {.has_uid = true, .uid = 3};
	assert_int_equal(correction_forget(stream.correction, &scope), 16);
	assert_true(launch_time(&stream, 9) == LAUNCH_S);
	stream_deinit(&stream);
}

/* Records first, then users, as a daemon that begins anew loads them; returns how many users. */
static size_t carry_over(struct stream *from, struct stream *to)
{
	struct correction_record record;
	struct correction_user user;
	struct error error;
	size_t count = 0;

	while (correction_take_changed(from->correction, &record))
		assert_int_equal(correction_load(to->correction, &record, &error), STATUS_OK);
	while (correction_take_changed_user(from->correction, &user)) {
		assert_int_equal(correction_load_user(to->correction, &user, &error), STATUS_OK);
		count++;
	}
	correction_settle(to->correction);
	return count;
}

static void drift_and_overheads_survive_saving_and_loading(void **state)
{
	char before[CORRECTION_SENTENCE_MAX], after[CORRECTION_SENTENCE_MAX];
	struct stream stream, other;

	(void)state;
	stream_init(&stream, 1, 0.01);
	stream_init(&other, 1, 0.01);
	for (unsigned i = 0; i < 40; i++)
		for (uint64_t kernel = 1; kernel <= 6; kernel++) {
			struct correction_launch launch = launch_of(1024, 1e-3, BOTTLENECK_DRAM);
			stream_runs(&stream, STREAM_UID, kernel, &launch, i < 20 ? 1e-3 : 1.6e-3,
			            1);
		}
	(void)report(&stream, STREAM_UID, 3 * LAUNCH_S, 0, 8);
	assert_true(correction_drift(stream.correction, STREAM_DEVICE, before));
	assert_int_equal(correction_changed_users(stream.correction), 1);
	assert_int_equal(carry_over(&stream, &other), 1);
	assert_int_equal(correction_changed_users(stream.correction), 0);
	assert_true(correction_drift(other.correction, STREAM_DEVICE, after));
	/* but for how many runs it has lasted */
	assert_memory_equal(before, after, strlen("times rose by 60 % at 2023-11-14 22:15"));
	assert_close(launch_time(&other, STREAM_UID), launch_time(&stream, STREAM_UID), 1e-6);
	stream_deinit(&stream);
	stream_deinit(&other);
}

static void users_without_records_are_to_be_deleted(void **state)
{
	const struct correction_scope all = {.has_uid = false};
	struct correction_user user;
	struct stream stream, other;
	struct error error;

	(void)state;
	stream_init(&stream, 1, 0);
	stream_init(&other, 1, 0);
	(void)report(&stream, 1, 3 * LAUNCH_S, 0, 1);
	assert_true(correction_take_changed_user(stream.correction, &user));
	assert_true(user.size > 0 && user.uid == 1 && user.device == STREAM_DEVICE);
	assert_int_equal(correction_load_user(other.correction, &user, &error), STATUS_NOT_FOUND);
	assert_int_equal(correction_changed_users(other.correction), 1);
	/* what was not saved is handed out again, as it is then */
	correction_keep_changed_user(stream.correction, &user);
	assert_int_equal(correction_changed_users(stream.correction), 1);
	assert_int_equal(correction_forget(stream.correction, &all), 1);
	assert_true(correction_take_changed_user(stream.correction, &user));
	assert_int_equal(user.size, 0);
	assert_false(correction_take_changed_user(stream.correction, &user));
	correction_keep_changed_user(stream.correction, &user);
	assert_true(correction_take_changed_user(stream.correction, &user));
	assert_int_equal(user.size, 0);
	stream_deinit(&stream);
	stream_deinit(&other);
}

static void hostile_bytes_are_refused_or_harmless(void **state)
{
	struct correction_launch launch = launch_of(1024, 1e-3, BOTTLENECK_DRAM);
	struct correction_user user, broken;
	struct stream stream, other;
	struct error error;

	(void)state;
	stream_init(&stream, 1, 0.01);
	stream_init(&other, 1, 0.01);
	(void)report(&stream, 1, 3 * LAUNCH_S, 0, 20);
	assert_true(correction_take_changed_user(stream.correction, &user));
	(void)report(&other, 1, 0, 0, 1);
	for (uint32_t size = 0; size < user.size; size++) {
		broken = user;
		broken.size = size;
		assert_int_equal(correction_load_user(other.correction, &broken, &error),
		                 STATUS_CORRUPT);
	}
	for (unsigned i = 0; i < 20000; i++) {
		broken = user;
		for (unsigned j = 0; j <= i % 4; j++)
			broken.bytes[(size_t)(stream_uniform(&stream) * user.size)] =
			        (uint8_t)(stream_uniform(&stream) * 256);
		if (correction_load_user(other.correction, &broken, &error) != STATUS_OK)
			continue;
		double time_s = launch_time(&other, 1);
		struct correction_answer answer = stream_ask(&other, 1, 1, &launch);
		assert_true(isfinite(time_s) && time_s > 0);
		assert_true(isfinite(answer.time_s) && answer.low_s <= answer.high_s);
	}
	stream_deinit(&stream);
	stream_deinit(&other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(overheads_follow_what_a_user_measures),
	        cmocka_unit_test(overheads_are_shared_as_the_median_of_three_users),
	        cmocka_unit_test(drift_and_overheads_survive_saving_and_loading),
	        cmocka_unit_test(users_without_records_are_to_be_deleted),
	        cmocka_unit_test(hostile_bytes_are_refused_or_harmless),
	};

	return cmocka_run_group_tests_name("correction users", tests, NULL, NULL);
}
