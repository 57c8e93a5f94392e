/* SPDX-License-Identifier: Apache-2.0 */
/* Simulated streams: drift, outliers, liars, sparse sizes, users that disagree; bounds are stated.
 */
#include "tests/unit/model/streams.h"

#define STATIC_S 1e-3

static struct correction_launch sized(double items)
{
	return launch_of(items, items * 1e-6, BOTTLENECK_DRAM);
}

/* Ten kernels at three sizes, round after round; kernel k takes 1 + k / 10 times the static time.
 */
static void rounds(struct stream *stream, uint32_t uid, double factor, unsigned count)
{
	for (unsigned round = 0; round < count; round++)
		for (uint64_t kernel = 1; kernel <= 10; kernel++)
			for (double items = 1024; items <= 16384; items *= 4) {
				struct correction_launch launch = sized(items);
				stream_runs(stream, uid, kernel, &launch,
				            items * 1e-6 * factor * (1 + 0.1 * (double)kernel), 1);
			}
}

static void a_tenth_of_samples_a_hundredfold_moves_nothing_much(void **state)
{
	(void)state;
	for (unsigned seed = 1; seed <= 50; seed++) {
		struct stream stream;
		struct correction_launch launch = sized(1024);
		stream_init(&stream, seed, 0.02);
		for (unsigned i = 0; i < 40; i++) {
			double factor = i % 10 == seed % 10 ? 100 : 1;
			stream_runs(&stream, STREAM_UID, 1, &launch, factor * 1.3e-3, 1);
		}
		assert_close(stream_ask(&stream, STREAM_UID, 1, &launch).time_s, 1.3e-3, 0.02);
		stream_deinit(&stream);
	}
}

static void one_run_that_took_a_hundred_times_longer_is_not_believed(void **state)
{
	struct stream stream;
	struct correction_launch launch = sized(1024);

	(void)state;
	stream_init(&stream, 1, 0.02);
	stream_report(&stream, STREAM_UID, 1, &launch, 100e-3, 0);
	assert_true(stream_ask(&stream, STREAM_UID, 1, &launch).time_s < 5e-3);
	/* two that agree are */
	stream_report(&stream, STREAM_UID, 1, &launch, 102e-3, 0);
	assert_close(stream_ask(&stream, STREAM_UID, 1, &launch).time_s, 0.1, 0.1);
	stream_deinit(&stream);
}

static void one_run_far_below_a_sure_estimate_is_believed(void **state)
{
	struct stream stream;
	struct correction_launch launch = sized(1024);

	(void)state;
	launch.static_sd = 0.1F;
	for (double factor = 0.1; factor < 2; factor *= 1.7) {
		stream_init(&stream, 1, 0);
		stream_report(&stream, STREAM_UID, 1, &launch, factor * 1e-3, 0);
		double moved = log(stream_ask(&stream, STREAM_UID, 1, &launch).time_s / 1e-3);
		if (fabs(log(factor)) > 0.5)
			assert_close(moved, log(factor), 0.1);
		else /* as much as may be noise is not */
			assert_true(moved / log(factor) > 0.5 && moved / log(factor) < 1);
		stream_deinit(&stream);
	}
}

static void disturbed_runs_count_only_until_there_are_others(void **state)
{
	struct stream stream;
	struct correction_launch launch = sized(1024);

	(void)state;
	stream_init(&stream, 1, 0.02);
	stream_report(&stream, STREAM_UID, 1, &launch, 3e-3, CORRECTION_FIRST_RUN);
	double first_s = stream_ask(&stream, STREAM_UID, 1, &launch).time_s;
	assert_true(first_s > 1e-3 && first_s < 2e-3);
	stream_report(&stream, STREAM_UID, 1, &launch, 1.2e-3, 0);
	assert_close(stream_ask(&stream, STREAM_UID, 1, &launch).time_s, 1.2e-3, 0.03);
	stream_report(&stream, STREAM_UID, 1, &launch, 5e-3, CORRECTION_OVERLAPPED);
	assert_close(stream_ask(&stream, STREAM_UID, 1, &launch).time_s, 1.2e-3, 0.03);
	stream_deinit(&stream);
}

/* PoCL compiles at a first launch: 50 times what the next one takes. */
static void a_first_run_that_compiles_moves_little_until_it_comes_again(void **state)
{
	struct stream stream;
	struct correction_launch launch = sized(1024);
	double time_s[3];
	static const unsigned runs[] = {1, 1, 8};

	(void)state;
	stream_init(&stream, 1, 0.02);
	double static_s = stream_ask(&stream, STREAM_UID, 1, &launch).time_s;
	for (unsigned i = 0; i < 3; i++) {
		for (unsigned run = 0; run < runs[i]; run++)
			stream_report(&stream, STREAM_UID, 1, &launch, 50 * static_s,
			              CORRECTION_FIRST_RUN);
		time_s[i] = stream_ask(&stream, STREAM_UID, 1, &launch).time_s;
	}
	assert_true(time_s[0] > static_s && time_s[0] < 1.35 * static_s);
	assert_true(time_s[1] > time_s[0] && time_s[1] < 2 * static_s);
	assert_true(time_s[2] > 4 * static_s);
	stream_deinit(&stream);
	/* one that is shorter than expected cannot be so by accident */
	stream_init(&stream, 1, 0.02);
	stream_report(&stream, STREAM_UID, 1, &launch, static_s / 5, CORRECTION_FIRST_RUN);
	assert_true(stream_ask(&stream, STREAM_UID, 1, &launch).time_s < static_s / 2);
	stream_deinit(&stream);
}

static void a_lone_liar_steers_his_own_answers_only(void **state)
{
	struct stream stream;
	struct correction_launch launch = sized(1024);

	(void)state;
	stream_init(&stream, 1, 0.02);
	stream_runs(&stream, 666, 1, &launch, 100e-3, 50);
	assert_close(stream_ask(&stream, 666, 1, &launch).time_s, 0.1, 0.05);
	struct correction_answer answer = stream_ask(&stream, STREAM_UID, 1, &launch);
	assert_close(answer.time_s, 1.024e-3, 1e-3);
	assert_int_equal(answer.basis, BASIS_STATIC);
	/* nor two; three that agree are believed by everybody */
	stream_runs(&stream, 1, 1, &launch, 1.5e-3, 5);
	answer = stream_ask(&stream, STREAM_UID, 1, &launch);
	assert_int_equal(answer.basis, BASIS_STATIC);
	stream_runs(&stream, 2, 1, &launch, 1.6e-3, 5);
	answer = stream_ask(&stream, STREAM_UID, 1, &launch);
	assert_int_equal(answer.basis, BASIS_OBSERVED);
	assert_true(answer.time_s > 1.4e-3 && answer.time_s < 1.75e-3);
	stream_deinit(&stream);
}

static void the_daemons_own_benchmarks_are_believed_at_once(void **state)
{
	struct stream stream;
	struct correction_launch launch = sized(1024);

	(void)state;
	stream_init(&stream, 1, 0.02);
	stream_runs(&stream, CORRECTION_UID_DAEMON, 1, &launch, 2e-3, 3);
	struct correction_answer answer = stream_ask(&stream, STREAM_UID, 1, &launch);
	assert_int_equal(answer.basis, BASIS_OBSERVED);
	assert_close(answer.time_s, 2e-3, 0.05);
	stream_deinit(&stream);
}

static void two_users_that_disagree_get_an_answer_each(void **state)
{
	struct stream stream;
	struct correction_launch launch = sized(1024), other = sized(4096);

	(void)state;
	stream_init(&stream, 1, 0.02);
	for (unsigned i = 0; i < 10; i++) {
		stream_runs(&stream, 1, 1, &launch, 1e-3, 1);
		stream_runs(&stream, 2, 1, &launch, 2e-3, 1);
	}
	assert_close(stream_ask(&stream, 1, 1, &launch).time_s, 1e-3, 0.03);
	assert_close(stream_ask(&stream, 2, 1, &launch).time_s, 2e-3, 0.03);
	assert_close(stream_ask(&stream, 2, 1, &other).time_s /
	                     stream_ask(&stream, 1, 1, &other).time_s,
	             2, 0.25);
	assert_int_equal(stream_ask(&stream, 3, 1, &launch).basis, BASIS_STATIC);
	stream_deinit(&stream);
}

/* 51 honest users between 1.4 and 1.6 ms; the others report anything. */
static void hostile_users_short_of_half_stay_within_honest_ones(void **state)
{
	static const double lies[] = {1e-5, 1e-1, 1.2e-3, 1.9e-3};

	(void)state;
	for (unsigned l = 0; l < sizeof(lies) / sizeof(lies[0]); l++) {
		struct stream stream;
		struct correction_launch launch = sized(1024);
		stream_init(&stream, l, 0);
		for (uint32_t user = 0; user < 100; user++) {
			double time_s =
			        user % 2 == 0 || user == 1 ? 1.4e-3 + 0.2e-3 * user / 98 : lies[l];
			stream_runs(&stream, 1 + user, 1, &launch, time_s, 1 + user % 5);
		}
		correction_settle(stream.correction);
		double time_s = stream_ask(&stream, 5000, 1, &launch).time_s;
		if (!(time_s >= 1.4e-3 * (1 - 1e-5) && time_s <= 1.6e-3 * (1 + 1e-5)))
			fail_msg("lie %g: %g is out of 1.4e-3 to 1.6e-3", lies[l], time_s);
		stream_deinit(&stream);
	}
}

static void sizes_far_apart_give_the_trend_between_them(void **state)
{
	struct stream stream;

	(void)state;
	stream_init(&stream, 1, 0.02);
	/* the static estimate grows too slowly: the truth by a power of 0.1 more */
	for (double items = 256; items <= 1 << 20; items *= 16) {
		struct correction_launch launch = sized(items);
		stream_runs(&stream, STREAM_UID, 1, &launch, 1e-6 * pow(items, 1.1), 4);
	}
	for (double items = 1024; items <= 1 << 20; items *= 16) {
		struct correction_launch launch = sized(items);
		struct correction_answer answer = stream_ask(&stream, STREAM_UID, 1, &launch);
		assert_close(answer.time_s, 1e-6 * pow(items, 1.1), 0.05);
		assert_int_equal(answer.basis, BASIS_REFINED);
	}
	/* and one size beyond */
	struct correction_launch beyond = sized(1 << 22);
	assert_close(stream_ask(&stream, STREAM_UID, 1, &beyond).time_s, 1e-6 * pow(1 << 22, 1.1),
	             0.1);
	stream_deinit(&stream);
}

static void drift_is_noticed_widens_and_ends(void **state)
{
	struct stream stream;
	char sentence[CORRECTION_SENTENCE_MAX];
	struct correction_launch launch = sized(1024), last = sized(16384);

	(void)state;
	stream_init(&stream, 1, 0.03);
	rounds(&stream, STREAM_UID, 1, 10);
	assert_false(correction_drift(stream.correction, STREAM_DEVICE, sentence));
	struct correction_answer before = stream_ask(&stream, STREAM_UID, 10, &last);
	assert_false(before.is_drifting);
	stream.now_s += 3600;
	/* throttled: within one round of 30 launches it is noticed */
	unsigned runs = 0;
	while (!correction_drift(stream.correction, STREAM_DEVICE, sentence) && runs < 30) {
		uint64_t kernel = 1 + runs % 5;
		stream_runs(&stream, STREAM_UID, kernel, &launch,
		            1.5 * 1.024e-3 * (1 + 0.1 * (double)kernel), 1);
		runs++;
	}
	assert_true(runs < 20);
	assert_non_null(strstr(sentence, "rose by "));
	struct correction_answer during = stream_ask(&stream, STREAM_UID, 10, &last);
	assert_true(during.is_drifting);
	assert_true(during.high_s / during.low_s > 1.3 * before.high_s / before.low_s);
	/* launches measured again follow after a few runs, and others lose their width */
	rounds(&stream, STREAM_UID, 1.5, 5);
	during = stream_ask(&stream, STREAM_UID, 10, &last);
	assert_close(during.time_s, 1.5 * 16.384e-3 * 2, 0.05);
	assert_true(during.high_s / during.low_s < 1.5);
	/* and back */
	stream.now_s += 3600;
	rounds(&stream, STREAM_UID, 1, 6);
	assert_false(correction_drift(stream.correction, STREAM_DEVICE, sentence));
	struct correction_answer after = stream_ask(&stream, STREAM_UID, 10, &last);
	assert_false(after.is_drifting);
	assert_close(after.time_s, 16.384e-3 * 2, 0.05);
	stream_deinit(&stream);
}

/* As short kernels report it: before and after lie in one second. */
static void a_shift_within_a_second_is_counted_once(void **state)
{
	struct stream stream;
	char sentence[CORRECTION_SENTENCE_MAX];
	struct correction_launch launch = sized(1024);
	int rose;

	(void)state;
	stream_init(&stream, 1, 0.01);
	for (unsigned round = 0; round < 60; round++) {
		for (uint64_t kernel = 1; kernel <= 10; kernel++) {
			stream.now_s = STREAM_START_S + (round < 20 ? 0 : round - 19);
			stream_runs(&stream, STREAM_UID, kernel, &launch,
			            (round < 10 ? 1 : 1.5) * 1e-3, 1);
		}
		if (!correction_drift(stream.correction, STREAM_DEVICE, sentence))
			assert_true(round < 11);
		else if (sscanf(sentence, "times rose by %d %%", &rose) != 1 || abs(rose - 50) > 5)
			fail_msg("round %u: %s", round, sentence);
	}
	assert_close(stream_ask(&stream, STREAM_UID, 10, &launch).time_s, 1.5e-3, 0.03);
	stream_deinit(&stream);
}

/* The newest runs are kept, not the longest. */
static void many_runs_within_a_second_are_located_as_in_many(void **state)
{
	struct correction_launch launch = sized(1024);

	(void)state;
	for (unsigned seed = 1; seed <= 10; seed++) {
		struct stream stream;
		stream_init(&stream, seed, 0.3);
		for (unsigned i = 0; i < 1000; i++) {
			stream.now_s = STREAM_START_S;
			stream_runs(&stream, STREAM_UID, 1, &launch, 1e-3, 1);
		}
		assert_close(stream_ask(&stream, STREAM_UID, 1, &launch).time_s, 1e-3, 0.25);
		stream_deinit(&stream);
	}
}

static void noise_alone_is_no_drift(void **state)
{
	(void)state;
	for (unsigned seed = 1; seed <= 10; seed++) {
		struct stream stream;
		char sentence[CORRECTION_SENTENCE_MAX];
		stream_init(&stream, seed, 0.1);
		for (unsigned i = 0; i < 40; i++) {
			rounds(&stream, STREAM_UID, 1, 1);
			assert_false(correction_drift(stream.correction, STREAM_DEVICE, sentence));
		}
		stream_deinit(&stream);
	}
}

static void a_new_calibration_keeps_what_was_measured(void **state)
{
	struct stream stream;
	struct correction_launch launch = sized(1024), again = launch;

	(void)state;
	stream_init(&stream, 1, 0.02);
	stream_runs(&stream, STREAM_UID, 1, &launch, 2e-3, 5);
	again.epoch = 2;
	again.static_log += (float)log(1.7);
	assert_close(stream_ask(&stream, STREAM_UID, 1, &again).time_s, 2e-3, 0.03);
	stream_deinit(&stream);
}

static void intervals_cover_nine_of_ten(void **state)
{
	struct stream stream;
	unsigned covered[4] = {0}, counts[4] = {0};

	(void)state;
	stream_init(&stream, 9, 0.05);
	for (uint64_t kernel = 1; kernel <= 300; kernel++) {
		double factor = exp(0.4 * stream_normal(&stream));
		struct correction_launch launch = sized(1024);
		for (unsigned run = 0; run < 11; run++) {
			double time_s =
			        1.024e-3 * factor * exp(stream.noise * stream_normal(&stream));
			struct correction_answer answer =
			        stream_ask(&stream, STREAM_UID, kernel, &launch);
			int class = run == 0 ? 0 : run == 1 ? 1 : run == 3 ? 2 : run == 10 ? 3 : -1;
			if (class >= 0) {
				counts[class]++;
				covered[class] += time_s >= answer.low_s && time_s <= answer.high_s;
			}
			stream_report(&stream, STREAM_UID, kernel, &launch, time_s, 0);
		}
	}
	for (unsigned i = 0; i < 4; i++) {
		double share = (double)covered[i] / counts[i];
		if (!(share >= 0.85 && share <= 0.95))
			fail_msg("class %u covers %.3f", i, share);
	}
	stream_deinit(&stream);
}

/* First runs, and what others do meanwhile, only make a run longer. */
static void the_longest_of_a_few_runs_is_not_counted(void **state)
{
	static const double all[][3] = {{1.6, 1.0, 1.15}, {1.0, 1.15, 1.6}, {0.01, 1.07, 1.08}};
	struct correction_launch launch = launch_of(1024, 1e-3, BOTTLENECK_DRAM);

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct stream stream;
		stream_init(&stream, 1, 0);
		for (unsigned j = 0; j < 3; j++)
			stream_report(&stream, STREAM_UID, 1, &launch, all[i][j] * 1e-3, 0);
		/* and one far too short moves nothing */
		assert_close(stream_ask(&stream, STREAM_UID, 1, &launch).time_s, 1.07e-3, 0.02);
		stream_deinit(&stream);
	}
}

/* Three runs of 30 kernels, the i-th exp(excess / i) times as long as later ones would be. */
static double taught_by_first_runs(double factor, double excess)
{
	struct correction_launch launch = launch_of(1024, STATIC_S, BOTTLENECK_DRAM);
	struct stream stream;

	stream_init(&stream, 3, 0.02);
	for (uint64_t kernel = 1; kernel <= 30; kernel++) {
		double time_s = factor * STATIC_S * exp(0.1 * stream_normal(&stream));
		for (unsigned i = 1; i <= 3; i++)
			stream_runs(&stream, STREAM_UID, kernel, &launch, time_s * exp(excess / i),
			            1);
	}
	correction_settle(stream.correction);
	double time_s = stream_ask(&stream, STREAM_UID, 99, &launch).time_s;
	stream_deinit(&stream);
	return time_s;
}

static void first_runs_that_take_longer_teach_nothing_of_the_device(void **state)
{
	(void)state;
	assert_close(taught_by_first_runs(1, 0.4), STATIC_S, 0.05);
	assert_close(taught_by_first_runs(1.5, 0.4), 1.5 * STATIC_S, 0.1);
	/* where they do not, what they all take longer is the device's */
	assert_close(taught_by_first_runs(1.2, 0), 1.2 * STATIC_S, 0.05);
}

static void intervals_reach_as_far_as_runs_do_on_either_side(void **state)
{
	struct stream stream;
	struct correction_launch asked = launch_of(1024 << 8, 1e-3 * 256, BOTTLENECK_DRAM);
	unsigned covered = 0;

	(void)state;
	stream_init(&stream, 5, 0.02);
	for (uint64_t kernel = 1; kernel <= 60; kernel++) {
		double level = exp(0.1 * stream_normal(&stream));
		for (unsigned size = 0; size < 5; size++) {
			struct correction_launch launch = launch_of(
			        1024 << 2 * size, 1e-3 * (1 << 2 * size), BOTTLENECK_DRAM);
			double time_s = level * 1e-3 * (1 << 2 * size);
			/* the first run of every third launch takes longer */
			double slow = exp(fmax(0, stream_uniform(&stream) - 0.67));
			struct correction_answer answer =
			        stream_ask(&stream, STREAM_UID, kernel, &launch);
			if (kernel > 30)
				covered += answer.low_s <= slow * time_s &&
				           slow * time_s <= answer.high_s;
			stream_report(&stream, STREAM_UID, kernel, &launch, slow * time_s, 0);
			stream_runs(&stream, STREAM_UID, kernel, &launch, time_s, 5);
		}
	}
	struct correction_launch seen = launch_of(1024, 1e-3, BOTTLENECK_DRAM);
	stream_runs(&stream, STREAM_UID, 99, &seen, 1e-3, 6);
	struct correction_answer answer = stream_ask(&stream, STREAM_UID, 99, &asked);
	assert_true(log(answer.high_s / answer.time_s) > 1.5 * log(answer.time_s / answer.low_s));
	assert_in_range(covered, 150 * 83 / 100, 150 * 97 / 100);
	stream_deinit(&stream);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(a_tenth_of_samples_a_hundredfold_moves_nothing_much),
	        cmocka_unit_test(one_run_that_took_a_hundred_times_longer_is_not_believed),
	        cmocka_unit_test(one_run_far_below_a_sure_estimate_is_believed),
	        cmocka_unit_test(disturbed_runs_count_only_until_there_are_others),
	        cmocka_unit_test(a_first_run_that_compiles_moves_little_until_it_comes_again),
	        cmocka_unit_test(a_lone_liar_steers_his_own_answers_only),
	        cmocka_unit_test(the_daemons_own_benchmarks_are_believed_at_once),
	        cmocka_unit_test(two_users_that_disagree_get_an_answer_each),
	        cmocka_unit_test(hostile_users_short_of_half_stay_within_honest_ones),
	        cmocka_unit_test(sizes_far_apart_give_the_trend_between_them),
	        cmocka_unit_test(drift_is_noticed_widens_and_ends),
	        cmocka_unit_test(a_shift_within_a_second_is_counted_once),
	        cmocka_unit_test(many_runs_within_a_second_are_located_as_in_many),
	        cmocka_unit_test(noise_alone_is_no_drift),
	        cmocka_unit_test(a_new_calibration_keeps_what_was_measured),
	        cmocka_unit_test(intervals_cover_nine_of_ten),
	        cmocka_unit_test(the_longest_of_a_few_runs_is_not_counted),
	        cmocka_unit_test(first_runs_that_take_longer_teach_nothing_of_the_device),
	        cmocka_unit_test(intervals_reach_as_far_as_runs_do_on_either_side),
	};

	return cmocka_run_group_tests_name("correction streams", tests, NULL, NULL);
}
