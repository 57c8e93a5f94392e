/* SPDX-License-Identifier: Apache-2.0 */
/* Corrections: what holds of any evidence. */
#include "tests/unit/model/streams.h"

#define STATIC_S 1e-3

static double width(const struct correction_answer *answer)
{
	return answer->high_s / answer->low_s;
}

static void without_evidence_the_answer_is_the_static_one(void **state)
{
	struct stream stream;
	struct correction_launch launch = launch_of(1024, STATIC_S, BOTTLENECK_DRAM);

	(void)state;
	stream_init(&stream, 1, 0.03);
	struct correction_answer answer = stream_ask(&stream, STREAM_UID, 1, &launch);
	assert_close(answer.time_s, STATIC_S, 1e-6);
	assert_close(answer.low_s, STATIC_S / 1.9307, 1e-3);
	assert_close(answer.high_s, STATIC_S * 1.9307, 1e-3);
	assert_int_equal(answer.basis, BASIS_STATIC);
	assert_int_equal(answer.count, 0);
	correction_ask(stream.correction, STREAM_DEVICE, 1, STREAM_UID, &launch, true, &answer);
	assert_int_equal(answer.basis, BASIS_FALLBACK);
	stream_deinit(&stream);
}

static void one_run_already_moves_the_answer(void **state)
{
	struct stream stream;
	struct correction_launch launch = launch_of(1024, STATIC_S, BOTTLENECK_DRAM);

	(void)state;
	stream_init(&stream, 1, 0);
	unsigned moved = stream_report(&stream, STREAM_UID, 1, &launch, 1.5 * STATIC_S, 0);
	assert_true(moved & CORRECTION_MOVED_KERNEL_USER);
	assert_false(moved & (CORRECTION_MOVED_KERNEL | CORRECTION_MOVED_DEVICE));
	struct correction_answer answer = stream_ask(&stream, STREAM_UID, 1, &launch);
	assert_close(answer.time_s, 1.5 * STATIC_S, 0.05);
	assert_int_equal(answer.basis, BASIS_OBSERVED);
	assert_int_equal(answer.count, 1);
	stream_deinit(&stream);
}

static void runs_that_agree_narrow_the_interval_though_the_time_stays(void **state)
{
	struct stream stream;
	struct correction_launch launch = launch_of(1024, STATIC_S, BOTTLENECK_DRAM);
	unsigned moved[65];

	(void)state;
	stream_init(&stream, 1, 0);
	for (unsigned run = 1; run <= 64; run++)
		moved[run] = stream_report(&stream, STREAM_UID, 1, &launch, STATIC_S, 0);
	for (unsigned run = 1; run <= 16; run++)
		assert_true(moved[run] & CORRECTION_MOVED_KERNEL_USER);
	/* of a launch that is known well, not every run is news */
	for (unsigned run = 33; run <= 64; run++)
		assert_int_equal((moved[run] & CORRECTION_MOVED_KERNEL_USER) != 0, run % 4 == 0);
	stream_deinit(&stream);
}

static void other_sizes_of_the_kernel_follow(void **state)
{
	struct stream stream;
	struct correction_launch launch = launch_of(1024, STATIC_S, BOTTLENECK_DRAM);
	struct correction_launch other = launch_of(4096, 4 * STATIC_S, BOTTLENECK_DRAM);

	(void)state;
	stream_init(&stream, 1, 0.02);
	stream_runs(&stream, STREAM_UID, 1, &launch, 2 * STATIC_S, 5);
	struct correction_answer answer = stream_ask(&stream, STREAM_UID, 1, &other);
	assert_int_equal(answer.basis, BASIS_REFINED);
	assert_close(answer.time_s, 8 * STATIC_S, 0.25);
	assert_true(width(&answer) < 1.9307 * 1.9307);
	stream_deinit(&stream);
}

static void launches_that_another_resource_bounds_are_less_sure(void **state)
{
	struct stream stream;
	struct correction_launch launch = launch_of(1024, STATIC_S, BOTTLENECK_DRAM);
	struct correction_launch alike = launch_of(4096, 4 * STATIC_S, BOTTLENECK_DRAM);
	struct correction_launch other = launch_of(4096, 4 * STATIC_S, BOTTLENECK_ARITHMETIC);

	(void)state;
	stream_init(&stream, 1, 0.02);
	stream_runs(&stream, STREAM_UID, 1, &launch, 2 * STATIC_S, 5);
	struct correction_answer near = stream_ask(&stream, STREAM_UID, 1, &alike);
	struct correction_answer far = stream_ask(&stream, STREAM_UID, 1, &other);
	assert_true(width(&far) > 1.5 * width(&near));
	assert_true(far.time_s < near.time_s);
	stream_deinit(&stream);
}

static void agreeing_evidence_never_widens(void **state)
{
	(void)state;
	for (unsigned seed = 1; seed <= 20; seed++) {
		struct stream stream;
		stream_init(&stream, seed, 0.05);
		for (uint64_t kernel = 1; kernel <= seed % 5; kernel++)
			for (double items = 256; items <= 65536; items *= 4) {
				struct correction_launch launch =
				        launch_of(items, items * 1e-6, BOTTLENECK_DRAM);
				stream_runs(&stream, STREAM_UID, kernel, &launch, items * 1.3e-6,
				            1 + seed % 7);
			}
		struct correction_launch launch = launch_of(2048, STATIC_S, BOTTLENECK_DRAM);
		struct correction_launch near = launch_of(8192, 4 * STATIC_S, BOTTLENECK_DRAM);
		for (unsigned i = 0; i < 40; i++) {
			struct correction_answer before =
			        stream_ask(&stream, STREAM_UID, 1, &launch);
			struct correction_answer at = stream_ask(&stream, STREAM_UID, 1, &near);
			stream_report(&stream, STREAM_UID, 1, &launch, before.time_s, 0);
			struct correction_answer after =
			        stream_ask(&stream, STREAM_UID, 1, &launch);
			struct correction_answer then = stream_ask(&stream, STREAM_UID, 1, &near);
			/* what neighbours tell of it is weighed by an estimate as well */
			if (width(&after) > width(&before) * 1.003)
				fail_msg("seed %u run %u: from x%.4f to x%.4f", seed, i,
				         width(&before), width(&after));
			/* quantiles of other sizes are estimates, made anew now and then */
			if (width(&then) > width(&at) * 1.05)
				fail_msg("seed %u run %u, another size: from x%.4f to x%.4f", seed,
				         i, width(&at), width(&then));
		}
		stream_deinit(&stream);
	}
}

enum { RUNS = 300 };

static void the_order_of_observations_does_not_matter(void **state)
{
	struct stream streams[2];
	struct correction_run runs[RUNS];
	struct error error;

	(void)state;
	for (unsigned i = 0; i < 2; i++)
		stream_init(&streams[i], 3, 0.05);
	for (unsigned i = 0; i < RUNS; i++) {
		double items = 1024 << 2 * (i % 4);
		runs[i] = (struct correction_run){
		        .device = STREAM_DEVICE,
		        .kernel = i % 7,
		        .uid = STREAM_UID + i % 2,
		        .time_s = items * 1e-6 * exp(0.1 * stream_normal(&streams[0])),
		        .measured_at_s = STREAM_START_S + i,
		        .launch = launch_of(items, items * 1e-6, BOTTLENECK_DRAM)};
	}
	for (unsigned i = 0; i < RUNS; i++) {
		assert_int_equal(correction_observe(streams[0].correction, &runs[i], NULL, &error),
		                 STATUS_OK);
		assert_int_equal(correction_observe(streams[1].correction,
		                                    &runs[(i * 7919 + 100) % RUNS], NULL, &error),
		                 STATUS_OK);
	}
	for (unsigned i = 0; i < 2; i++)
		correction_settle(streams[i].correction);
	for (unsigned i = 0; i < RUNS; i++) {
		struct correction_answer a, b;
		a = stream_ask(&streams[0], runs[i].uid, runs[i].kernel, &runs[i].launch);
		b = stream_ask(&streams[1], runs[i].uid, runs[i].kernel, &runs[i].launch);
		assert_close(a.time_s, b.time_s, 1e-4);
		assert_close(a.low_s, b.low_s, 1e-4);
		assert_close(a.high_s, b.high_s, 1e-4);
		assert_int_equal(a.count, b.count);
	}
	for (unsigned i = 0; i < 2; i++)
		stream_deinit(&streams[i]);
}

static void a_device_ten_times_slower_is_the_same_in_other_units(void **state)
{
	struct stream streams[2];
	const double scale[2] = {1, 10};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		stream_init(&streams[i], 5, 0.0);
		for (uint64_t kernel = 1; kernel < 6; kernel++)
			for (double items = 1024; items <= 65536; items *= 4) {
				/* within one decade: noise is learnt by durations */
				struct correction_launch launch =
				        launch_of(items, scale[i] * 1e-1, BOTTLENECK_DRAM);
				stream_runs(&streams[i], STREAM_UID, kernel, &launch,
				            scale[i] * 1e-1 * (1 + 0.1 * (double)kernel), 3);
			}
	}
	for (uint64_t kernel = 1; kernel < 8; kernel++) {
		struct correction_answer answers[2];
		for (unsigned i = 0; i < 2; i++) {
			struct correction_launch launch =
			        launch_of(4096 * 4, scale[i] * 1e-1, BOTTLENECK_DRAM);
			answers[i] = stream_ask(&streams[i], STREAM_UID, kernel, &launch);
		}
		assert_close(answers[1].time_s, 10 * answers[0].time_s, 1e-4);
		assert_close(answers[1].low_s, 10 * answers[0].low_s, 1e-4);
		assert_close(answers[1].high_s, 10 * answers[0].high_s, 1e-4);
	}
	for (unsigned i = 0; i < 2; i++)
		stream_deinit(&streams[i]);
}

static void kernels_bound_by_one_resource_teach_of_that_resource(void **state)
{
	struct stream stream;

	(void)state;
	stream_init(&stream, 5, 0.02);
	for (uint64_t kernel = 1; kernel <= 30; kernel++) {
		enum bottleneck resource = kernel % 2 ? BOTTLENECK_DRAM : BOTTLENECK_ARITHMETIC;
		double factor = kernel % 2 ? 1.6 : 0.8;
		struct correction_launch launch = launch_of(4096, STATIC_S, resource);
		stream_runs(&stream, STREAM_UID, kernel, &launch,
		            factor * STATIC_S * exp(0.1 * stream_normal(&stream)), 4);
	}
	correction_settle(stream.correction);
	struct correction_launch launch = launch_of(100, STATIC_S, BOTTLENECK_DRAM);
	struct correction_answer answer = stream_ask(&stream, STREAM_UID, 99, &launch);
	assert_close(answer.time_s, 1.6 * STATIC_S, 0.1);
	assert_int_equal(answer.basis, BASIS_REFINED);
	assert_true(width(&answer) < 2.5);
	launch = launch_of(100, STATIC_S, BOTTLENECK_ARITHMETIC);
	answer = stream_ask(&stream, STREAM_UID, 99, &launch);
	assert_close(answer.time_s, 0.8 * STATIC_S, 0.1);
	/* who reported nothing is told nothing else, as long as one user alone did */
	answer = stream_ask(&stream, STREAM_UID + 1, 99, &launch);
	assert_int_equal(answer.basis, BASIS_STATIC);
	stream_deinit(&stream);
}

static void kernels_that_do_one_kind_of_work_teach_of_that_work(void **state)
{
	struct stream stream;

	(void)state;
	stream_init(&stream, 5, 0.02);
	for (uint64_t kernel = 1; kernel <= 30; kernel++) {
		struct correction_launch launch =
		        launch_doing(4096, STATIC_S, BOTTLENECK_ARITHMETIC,
		                     kernel % 2 ? "float exp" : "int add");
		stream_runs(&stream, STREAM_UID, kernel, &launch,
		            (kernel % 2 ? 1.6 : 1) * STATIC_S * exp(0.1 * stream_normal(&stream)),
		            4);
	}
	correction_settle(stream.correction);
	/* another function is as much off, and other operations are not */
	struct correction_launch launch =
	        launch_doing(100, STATIC_S, BOTTLENECK_ARITHMETIC, "double log");
	assert_close(stream_ask(&stream, STREAM_UID, 99, &launch).time_s, 1.6 * STATIC_S, 0.1);
	launch = launch_doing(100, STATIC_S, BOTTLENECK_ARITHMETIC, "int add");
	assert_close(stream_ask(&stream, STREAM_UID, 99, &launch).time_s, STATIC_S, 0.1);
	stream_deinit(&stream);
}

static void many_launches_of_few_kernels_do_not_outweigh_many_kernels(void **state)
{
	struct stream stream;
	struct correction_launch launch = launch_of(64, STATIC_S, BOTTLENECK_DRAM);

	(void)state;
	stream_init(&stream, 6, 0.02);
	for (uint64_t kernel = 1; kernel <= 60; kernel++)
		stream_runs(&stream, STREAM_UID, kernel, &launch, 1.5 * STATIC_S, 2);
	for (uint64_t kernel = 61; kernel <= 72; kernel++)
		for (unsigned i = 1; i <= 32; i++) {
			launch = launch_of(64 * i, STATIC_S * i, BOTTLENECK_DRAM);
			stream_runs(&stream, STREAM_UID, kernel, &launch, STATIC_S * i, 2);
		}
	correction_settle(stream.correction);
	launch = launch_of(4096, STATIC_S, BOTTLENECK_DRAM);
	assert_close(stream_ask(&stream, STREAM_UID, 99, &launch).time_s, 1.5 * STATIC_S, 0.1);
	stream_deinit(&stream);
}

static void what_is_out_of_range_is_refused(void **state)
{
	struct stream stream;
	struct error error;
	struct correction_run good = {.device = 1,
	                              .kernel = 1,
	                              .time_s = 1,
	                              .measured_at_s = 1,
	                              .launch = launch_of(64, 1, BOTTLENECK_DRAM)};
	struct correction_run bad[8];

	(void)state;
	stream_init(&stream, 1, 0);
	for (unsigned i = 0; i < 8; i++)
		bad[i] = good;
	bad[0].time_s = 0;
	bad[1].time_s = (double)NAN;
	bad[2].time_s = (double)INFINITY;
	bad[3].measured_at_s = -1;
	bad[4].flags = 8;
	bad[5].launch.static_log = NAN;
	bad[6].launch.items_log = INFINITY;
	bad[7].launch.share[0] = 200;
	bad[7].launch.share[1] = 200;
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(correction_observe(stream.correction, &bad[i], NULL, &error),
		                 STATUS_INVALID);
	assert_int_equal(correction_runs(stream.correction), 0);
	assert_int_equal(correction_observe(stream.correction, &good, NULL, &error), STATUS_OK);
	stream_deinit(&stream);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(without_evidence_the_answer_is_the_static_one),
	        cmocka_unit_test(one_run_already_moves_the_answer),
	        cmocka_unit_test(runs_that_agree_narrow_the_interval_though_the_time_stays),
	        cmocka_unit_test(other_sizes_of_the_kernel_follow),
	        cmocka_unit_test(launches_that_another_resource_bounds_are_less_sure),
	        cmocka_unit_test(agreeing_evidence_never_widens),
	        cmocka_unit_test(the_order_of_observations_does_not_matter),
	        cmocka_unit_test(a_device_ten_times_slower_is_the_same_in_other_units),
	        cmocka_unit_test(kernels_bound_by_one_resource_teach_of_that_resource),
	        cmocka_unit_test(kernels_that_do_one_kind_of_work_teach_of_that_work),
	        cmocka_unit_test(many_launches_of_few_kernels_do_not_outweigh_many_kernels),
	        cmocka_unit_test(what_is_out_of_range_is_refused),
	};

	return cmocka_run_group_tests_name("correction", tests, NULL, NULL);
}
