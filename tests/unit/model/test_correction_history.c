/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels without source: answered by the user's own runs, and a power law of their work. */
#include "tests/unit/model/streams.h"

static struct correction_launch launch_of_work(double work)
{
	uint64_t key;

	memcpy(&key, &work, sizeof key);
	return correction_describe_work(key, CORRECTION_OF_KERNEL, work);
}

static void report(struct stream *stream, uint32_t uid, double work, double time_s, unsigned count)
{
	const struct correction_launch launch = launch_of_work(work);

	stream_runs(stream, uid, 1, &launch, time_s, count);
}

static bool ask(struct stream *stream, uint32_t uid, double work, struct correction_answer *answer)
{
	const struct correction_launch launch = launch_of_work(work);

	return correction_ask_history(stream->correction, STREAM_DEVICE, 1, uid, &launch, answer);
}

static void nothing_is_known_before_the_first_run(void **state)
{
	struct stream stream;
	struct correction_answer answer;

	(void)state;
	stream_init(&stream, 1, 0.02);
	assert_false(ask(&stream, STREAM_UID, 1024, &answer));
	report(&stream, STREAM_UID, 1024, 1e-3, 1);
	assert_true(ask(&stream, STREAM_UID, 1024, &answer));
	/* not even by what three others have in common */
	for (uint32_t uid = 1; uid < 5; uid++)
		report(&stream, STREAM_UID + uid, 1024, 2e-3, 3);
	assert_false(ask(&stream, STREAM_UID + 9, 1024, &answer));
	assert_true(ask(&stream, STREAM_UID, 1024, &answer));
	assert_close(answer.time_s, 1e-3, 0.1);
	stream_deinit(&stream);
}

static void the_same_sizes_have_the_median_of_their_runs(void **state)
{
	struct stream stream;
	struct correction_answer answer;

	(void)state;
	stream_init(&stream, 2, 0.02);
	report(&stream, STREAM_UID, 4096, 5e-3, 12);
	report(&stream, STREAM_UID, 1 << 20, 7, 12);
	assert_true(ask(&stream, STREAM_UID, 4096, &answer));
	assert_close(answer.time_s, 5e-3, 0.03);
	assert_true(answer.low_s < answer.time_s && answer.time_s < answer.high_s);
	assert_true(answer.high_s / answer.low_s < 1.4);
	assert_int_equal(answer.basis, BASIS_OBSERVED);
	assert_int_equal(answer.count, 24);
	stream_deinit(&stream);
}

static void one_launch_is_scaled_with_the_work_and_little_is_sure(void **state)
{
	struct stream stream;
	struct correction_answer near, far;

	(void)state;
	stream_init(&stream, 3, 0.02);
	report(&stream, STREAM_UID, 1024, 1e-3, 3);
	assert_true(ask(&stream, STREAM_UID, 2048, &near));
	assert_true(ask(&stream, STREAM_UID, 1024 * 1024, &far));
	assert_close(near.time_s, 2e-3, 0.1);
	assert_close(far.time_s, 1.024, 0.1);
	assert_int_equal(far.basis, BASIS_HISTORY);
	assert_true(near.high_s / near.low_s > 2);
	assert_true(far.high_s / far.low_s > 10 * near.high_s / near.low_s);
	/* of an exponent of 0 or 2 it would be another thousandfold */
	assert_true(far.low_s < 2e-3 && far.high_s > 500);
	stream_deinit(&stream);
}

/* Exponents are learnt, and what lies between is surer than what lies beyond. */
static void exponents_follow_the_history(void **state)
{
	static const double exponents[] = {0, 0.5, 1, 1.5, 3};

	(void)state;
	for (unsigned i = 0; i < 5; i++) {
		struct stream stream;
		struct correction_answer between, beyond;
		double b = exponents[i];

		stream_init(&stream, 4 + i, 0.02);
		for (double work = 1024; work < 1e6; work *= 4)
			report(&stream, STREAM_UID, work, 1e-6 * pow(work / 1024, b), 4);
		assert_true(ask(&stream, STREAM_UID, 6 * 1024, &between));
		assert_true(ask(&stream, STREAM_UID, 64e6, &beyond));
		assert_close(between.time_s, 1e-6 * pow(6, b), 0.25);
		assert_true(between.low_s < 1e-6 * pow(6, b) && 1e-6 * pow(6, b) < between.high_s);
		assert_true(beyond.low_s < 1e-6 * pow(62500, b) &&
		            1e-6 * pow(62500, b) < beyond.high_s);
		assert_true(beyond.high_s / beyond.low_s > between.high_s / between.low_s);
		assert_true(between.high_s / between.low_s < 6);
		stream_deinit(&stream);
	}
}

/* A constant and a part by the work: no one power law, but one in each region. */
static void launches_nearby_count_most(void **state)
{
	struct stream stream;
	struct correction_answer answer;

	(void)state;
	stream_init(&stream, 12, 0.02);
	for (double work = 1; work < 1e9; work *= 8)
		report(&stream, STREAM_UID, work, 1e-5 + 1e-9 * work, 3);
	for (double work = 3; work < 1e8; work *= 9) {
		double time_s = 1e-5 + 1e-9 * work;
		assert_true(ask(&stream, STREAM_UID, work, &answer));
		assert_close(answer.time_s, time_s, 0.35);
		assert_true(answer.low_s < time_s && time_s < answer.high_s);
	}
	stream_deinit(&stream);
}

static void a_launch_that_lies_apart_draws_little(void **state)
{
	struct stream stream;
	struct correction_answer answer;

	(void)state;
	stream_init(&stream, 13, 0.02);
	for (double work = 1024; work < 1e6; work *= 2)
		report(&stream, STREAM_UID, work, 1e-9 * work * (work == 16384 ? 100 : 1), 3);
	assert_true(ask(&stream, STREAM_UID, 20000, &answer));
	assert_close(answer.time_s, 2e-5, 0.5);
	stream_deinit(&stream);
}

static void any_work_has_a_finite_answer(void **state)
{
	static const double works[] = {1, 2, 1e18, 0x1p63, 0x1p92};
	struct stream stream;
	struct correction_answer answer;

	(void)state;
	stream_init(&stream, 14, 0);
	for (unsigned i = 0; i < 5; i++)
		report(&stream, STREAM_UID, works[i], i % 2 == 0 ? 1e-9 : 1e6, 1);
	for (double work = 1; work < 0x1p92; work *= 3) {
		assert_true(ask(&stream, STREAM_UID, work, &answer));
		assert_true(isfinite(answer.time_s) && isfinite(answer.high_s) && answer.low_s > 0);
		assert_true(answer.low_s < answer.time_s && answer.time_s < answer.high_s);
	}
	/* beyond what can be filed */
	struct correction_run run = {.device = STREAM_DEVICE,
	                             .time_s = 1,
	                             .measured_at_s = 1,
	                             .launch = launch_of_work(0x1p189)};
	struct error error = {0};
	assert_int_equal(correction_observe(stream.correction, &run, NULL, &error), STATUS_INVALID);
	stream_deinit(&stream);
}

/* The oldest launches give way, and answers are by those that are left. */
static void so_many_launches_are_kept(void **state)
{
	struct stream stream;
	struct correction_answer answer;

	(void)state;
	stream_init(&stream, 15, 0.02);
	for (unsigned i = 0; i < 3 * CORRECTION_LAUNCHES; i++)
		report(&stream, STREAM_UID, 1000 + i, 1e-3, 1);
	assert_int_equal(correction_records(stream.correction), CORRECTION_LAUNCHES);
	assert_true(ask(&stream, STREAM_UID, 1000, &answer));
	assert_int_equal(answer.count, CORRECTION_LAUNCHES);
	assert_int_equal(answer.basis, BASIS_HISTORY);
	stream_deinit(&stream);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(nothing_is_known_before_the_first_run),
	        cmocka_unit_test(the_same_sizes_have_the_median_of_their_runs),
	        cmocka_unit_test(one_launch_is_scaled_with_the_work_and_little_is_sure),
	        cmocka_unit_test(exponents_follow_the_history),
	        cmocka_unit_test(launches_nearby_count_most),
	        cmocka_unit_test(a_launch_that_lies_apart_draws_little),
	        cmocka_unit_test(any_work_has_a_finite_answer),
	        cmocka_unit_test(so_many_launches_are_kept),
	};

	return cmocka_run_group_tests_name("correction history", tests, NULL, NULL);
}
