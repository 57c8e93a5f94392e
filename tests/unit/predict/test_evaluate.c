/* SPDX-License-Identifier: Apache-2.0 */
/* What a launch does: trips, lanes, segments, banks, affine forms. */
#include "tests/test.h"

#include "model/answer/predict.h"
#include "model/evaluate/evaluate.h"
#include "model/passes/passes.h"
#include "tests/unit/predict/kernels.h"

#include <stdlib.h>
#include <string.h>

struct run {
	struct device *device;
	struct ir_kernel *kernel;
	struct evaluation evaluation;
};

/* Takes the kernel. */
static struct run run_on(struct device *device, struct ir_kernel *kernel,
                         const struct launch *launch)
{
	struct run run = {.device = device, .kernel = kernel};
	struct error error = {0};

	if (evaluate(kernel, device, launch, PREDICTION_BUDGET, &run.evaluation, &error) !=
	    STATUS_OK)
		fail_msg("%s", error.text);
	return run;
}

static struct run run_gpu(struct ir_kernel *kernel, const struct launch *launch)
{
	return run_on(device_gpu(), kernel, launch);
}

static void done(struct run *run)
{
	evaluation_deinit(&run->evaluation);
	kernel_free(run->kernel);
	free(run->device);
}

/* ---- divisions ----------------------------------------------------------------------------- */

/* The share of 160 work-items. */
static double bypassed(struct ir_kernel *kernel)
{
	struct launch launch = launch_1d(160, 16);
	struct run run;
	double share;

	launch_buffer(&launch, 1 << 20);
	launch_buffer(&launch, 1 << 20);
	launch_integer(&launch, SCALAR_UINT, 48);
	run = run_on(device_cpu(), kernel, &launch);
	share = run.evaluation.blocks[0].bypassed[1];
	assert_close(run.evaluation.blocks[0].bypassed[0] + 1, 1, 0);
	done(&run);
	return share;
}

static void what_is_less_than_its_divisor_is_not_divided(void **state)
{
	(void)state;
	/* x + 1 exceeds 32 in all but 32 work-items */
	assert_close(bypassed(kernel_rest(32, false)), 128.0 / 160, 1e-6);
	assert_close(bypassed(kernel_rest(0, false)), 112.0 / 160, 1e-6);
	/* what may have more than 32 bits is divided, however short it is */
	assert_close(bypassed(kernel_rest(0, true)) + 1, 1, 0);
	assert_close(bypassed(kernel_rest(UINT64_C(1) << 32, false)) + 1, 1, 0);
}

/* ---- trips --------------------------------------------------------------------------------- */

static double counted(int64_t first, int64_t last, int64_t step)
{
	struct launch launch = launch_1d(256, 64);
	struct run run;
	double trips;

	launch_buffer(&launch, 1 << 20);
	launch_buffer(&launch, 1 << 20);
	launch_integer(&launch, SCALAR_LONG, first);
	launch_integer(&launch, SCALAR_LONG, last);
	launch_integer(&launch, SCALAR_LONG, step);
	run = run_gpu(kernel_counted(), &launch);
	trips = run.evaluation.loops[0].trips;
	assert_close(run.evaluation.accesses[0].executions, trips, 1e-6);
	assert_false(run.evaluation.is_capped);
	done(&run);
	return trips;
}

static void counted_loops_have_closed_forms(void **state)
{
	(void)state;
	assert_close(counted(0, 100, 1), 100, 1e-6);
	assert_close(counted(0, 100, 7), 15, 1e-6);
	assert_close(counted(-50, 50, 25), 4, 1e-6);
	assert_close(counted(3, 4, 1000), 1, 1e-6);
	assert_close(counted(5, 5, 1), 0, 1e-6);
	assert_close(counted(9, 5, 1), 0, 1e-6);
}

static void a_loop_of_2_to_60_trips_is_counted_not_run(void **state)
{
	(void)state;
	assert_close(counted(0, (int64_t)1 << 60, 1), 0x1p60, 1e-6);
	assert_close(counted(-((int64_t)1 << 62), (int64_t)1 << 62, 1 << 20), 0x1p43, 1e-6);
}

static void a_loop_that_halves_its_counter_is_followed(void **state)
{
	struct launch launch = launch_1d(256, 64);
	struct run run;

	(void)state;
	launch_buffer(&launch, 4096);
	run = run_gpu(kernel_halving(), &launch);
	assert_close(run.evaluation.loops[0].trips, 8, 1e-6);
	assert_close(run.evaluation.accesses[0].executions, 8, 1e-6);
	assert_false(run.evaluation.is_data_dependent);
	done(&run);
}

static void a_search_is_taken_to_run_half_way(void **state)
{
	struct launch launch = launch_1d(256, 64);
	struct run run;

	(void)state;
	launch_buffer(&launch, 4096);
	launch_integer(&launch, SCALAR_INT, 1000);
	run = run_gpu(kernel_search(), &launch);
	assert_close(run.evaluation.loops[0].trips, 500, 1e-3);
	assert_true(run.evaluation.is_data_dependent);
	assert_non_null(strstr(run.evaluation.note, "line 3"));
	done(&run);
}

static void a_loop_that_data_ends_takes_sixteen_trips_or_the_hint(void **state)
{
	struct launch launch = launch_1d(256, 64);
	struct run run;

	(void)state;
	launch_buffer(&launch, 4096);
	run = run_gpu(kernel_chase(), &launch);
	assert_close(run.evaluation.loops[0].trips, 16, 1e-6);
	assert_true(run.evaluation.is_data_dependent);
	done(&run);
	launch.hints[launch.hint_count++] = (struct launch_hint){.line = 3, .value = 7};
	run = run_gpu(kernel_chase(), &launch);
	assert_close(run.evaluation.loops[0].trips, 7, 1e-6);
	done(&run);
}

/* The note of a kernel's launch with one hint. */
static void hinted(struct ir_kernel *kernel, struct launch launch, bool is_branch, uint32_t line,
                   const char *note)
{
	launch.hints[launch.hint_count++] =
	        (struct launch_hint){.is_branch = is_branch, .line = line, .value = 1};
	struct run run = run_gpu(kernel, &launch);

	assert_string_equal(run.evaluation.note, note);
	done(&run);
}

static void a_hint_at_what_is_known_is_said_to_be_needless(void **state)
{
	struct launch launch = launch_1d(256, 64);

	(void)state;
	launch_buffer(&launch, 4096);
	hinted(kernel_chase(), launch, false, 3, "");
	hinted(kernel_halving(), launch, false, 3,
	       "loop at line 3: as hinted, though its trips are known");
	launch_integer(&launch, SCALAR_INT, 100);
	hinted(kernel_guarded(), launch, true, 2, "branch at line 2: known, not as hinted");
	launch.argument_count = 1;
	launch_buffer(&launch, 256);
	hinted(kernel_marked(), launch, true, 3, "");
}

static void an_endless_loop_ends_with_the_budget(void **state)
{
	struct launch launch = launch_1d(4096, 64);
	struct run run;

	(void)state;
	launch_buffer(&launch, 4096);
	launch_integer(&launch, SCALAR_ULONG, 1);
	run = run_gpu(kernel_endless(), &launch);
	assert_true(run.evaluation.is_capped);
	assert_true(run.evaluation.used <= PREDICTION_BUDGET * 5 / 4);
	assert_true(run.evaluation.loops[0].trips > 100);
	done(&run);
}

/* ---- lanes --------------------------------------------------------------------------------- */

static void a_guard_keeps_out_whole_warps(void **state)
{
	struct launch launch = launch_1d(256, 64);
	struct run run;

	(void)state;
	launch_buffer(&launch, 4096);
	launch_integer(&launch, SCALAR_INT, 100);
	run = run_gpu(kernel_guarded(), &launch);
	assert_close(run.evaluation.accesses[0].executions, 100 / 256.0, 1e-6);
	assert_close(run.evaluation.accesses[0].warp_executions, 4 / 8.0, 1e-6);
	assert_close(run.evaluation.accesses[0].lanes, 25, 1e-6);
	done(&run);
}

static void a_divergent_warp_pays_for_both_sides(void **state)
{
	struct launch launch = launch_1d(65536, 256);
	struct run run;

	(void)state;
	launch_buffer(&launch, 1 << 20);
	launch_buffer(&launch, 1 << 20);
	run = run_gpu(kernel_divergent(), &launch);
	for (unsigned i = 0; i < 2; i++) {
		assert_close(run.evaluation.accesses[i].executions, 0.5, 1e-6);
		assert_close(run.evaluation.accesses[i].warp_executions, 1, 1e-6);
	}
	done(&run);
}

static void a_group_is_rounded_up_to_warps(void **state)
{
	struct launch launch = launch_1d(400, 40);
	struct run run;

	(void)state;
	launch_buffer(&launch, 4096);
	launch_integer(&launch, SCALAR_INT, 400);
	run = run_gpu(kernel_guarded(), &launch);
	assert_int_equal(run.evaluation.group_warps, 2);
	assert_close(run.evaluation.accesses[0].executions, 1, 1e-2);
	assert_close(run.evaluation.accesses[0].warp_executions, 1, 1e-6);
	done(&run);
}

/* ---- segments and banks -------------------------------------------------------------------- */

static struct evaluation_access strided(int64_t stride, int64_t offset)
{
	struct launch launch = launch_1d(65536, 256);
	struct evaluation_access access;
	struct run run;

	launch_buffer(&launch, 1 << 26);
	launch_buffer(&launch, 1 << 26);
	launch_integer(&launch, SCALAR_INT, stride);
	launch_integer(&launch, SCALAR_INT, offset);
	run = run_gpu(kernel_strided(), &launch);
	access = run.evaluation.accesses[0];
	done(&run);
	return access;
}

static void segments_follow_the_stride(void **state)
{
	(void)state;
	assert_close(strided(1, 0).segments, 4, 1e-6);
	assert_close(strided(1, 1).segments, 5, 1e-6);
	assert_close(strided(2, 0).segments, 8, 1e-6);
	assert_close(strided(32, 0).segments, 32, 1e-6);
	assert_close(strided(-1, 65535).segments, 4, 1e-6);
	assert_close(strided(0, 17).segments, 1, 1e-6);
}

static void neighbours_are_unit_uniform_or_neither(void **state)
{
	(void)state;
	assert_close(strided(1, 0).unit, 1, 1e-6);
	assert_close(strided(-1, 65535).unit, 1, 1e-6);
	assert_close(strided(0, 0).uniform, 1, 1e-6);
	assert_close(strided(2, 0).unit + strided(2, 0).uniform, 0, 1e-6);
}

static void an_index_from_memory_touches_a_segment_a_lane(void **state)
{
	struct launch launch = launch_1d(65536, 256);
	struct run run;

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		launch_buffer(&launch, 1 << 26);
	run = run_gpu(kernel_gather(), &launch);
	assert_close(run.evaluation.accesses[1].segments, 32, 1e-3);
	assert_true(run.evaluation.accesses[1].address.is_random);
	done(&run);
	launch.arguments[2].has_range = true;
	launch.arguments[2].low = 0;
	launch.arguments[2].high = 7;
	run = run_gpu(kernel_gather(), &launch);
	assert_close(run.evaluation.accesses[1].segments, 1, 1e-6);
	done(&run);
}

static void one_place_of_a_buffer_holds_one_value(void **state)
{
	struct launch launch = launch_1d(65536, 256);
	struct run run;

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		launch_buffer(&launch, 1 << 26);
	launch.arguments[2].has_range = true;
	launch.arguments[2].low = 0;
	launch.arguments[2].high = 1 << 20;
	run = run_gpu(kernel_shared_index(), &launch);
	assert_close(run.evaluation.accesses[1].uniform, 1, 1e-6);
	assert_close(run.evaluation.accesses[1].segments, 1, 1e-6);
	done(&run);
}

static struct evaluation_access tabled(bool by_lane)
{
	struct launch launch = launch_1d(65536, 256);
	struct evaluation_access access;
	struct run run;

	launch_buffer(&launch, 1 << 20);
	launch_buffer(&launch, (uint64_t)1 << 32);
	run = run_gpu(kernel_tabled(by_lane), &launch);
	access = run.evaluation.accesses[1];
	done(&run);
	return access;
}

static void lanes_that_read_one_place_go_on_beside_each_other(void **state)
{
	(void)state;
	/* whatever the table holds, a warp's 32 floats lie in four sectors side by side */
	assert_close(tabled(false).unit, 1, 1e-6);
	assert_close(tabled(false).lines[0], 4, 1e-6);
	/* but nobody knows where */
	assert_close(tabled(false).unknown, 1, 1e-6);
	assert_true(tabled(false).high_bytes <= tabled(false).low_bytes);
	assert_close(tabled(true).lines[0], 32, 0.01);
}

static void an_int_that_a_size_is_added_to_goes_in_steps(void **state)
{
	struct launch launch = launch_1d(1024, 64);
	struct run run;

	(void)state;
	launch_buffer(&launch, 1 << 20);
	launch_buffer(&launch, 1 << 20);
	launch_integer(&launch, SCALAR_INT, 65536);
	run = run_gpu(kernel_rounds(), &launch);
	assert_close(run.evaluation.loops[0].trips, 64, 1e-6);
	assert_true(run.evaluation.accesses[0].address.is_known);
	assert_int_equal(run.evaluation.accesses[0].address.term_count, 2);
	done(&run);
}

/* A first level with 32 banks that looks up four lines at once. */
static struct device *device_tagged(void)
{
	struct device *device = device_gpu();

	device_set(device, COEFFICIENT_SEGMENT_BYTES, 128);
	device_set(device, COEFFICIENT_LOCAL_BANKS, 32);
	device_set(device, COEFFICIENT_LOAD_VECTOR, 1e-13);
	device_set(device, COEFFICIENT_LOAD_GATHER, 9e-13);
	device_set(device, COEFFICIENT_TRANSACTION, 3.6e-12);
	return device;
}

/* Turns of a warp's load there. */
static double turns(int64_t stride, int64_t from)
{
	struct launch launch = launch_1d(65536, 256);
	struct device *device = device_tagged();
	struct run run;
	double ways;

	launch_buffer(&launch, 1 << 26);
	launch_buffer(&launch, 1 << 26);
	launch_integer(&launch, SCALAR_INT, stride);
	launch_integer(&launch, SCALAR_INT, from);
	run = run_on(device, kernel_strided(), &launch);
	ways = run.evaluation.accesses[0].ways;
	done(&run);
	return ways;
}

static void lanes_of_one_bank_and_lines_beyond_four_take_turns(void **state)
{
	(void)state;
	assert_close(turns(0, 0), 1, 1e-6);
	assert_close(turns(1, 0), 1, 1e-6);
	assert_close(turns(2, 0), 2, 1e-6);
	assert_close(turns(32, 0), 32, 1e-6);
	/* a warp that begins between two fours of lines has a part with one more */
	assert_close(turns(33, 0), 8, 0.1);
	/* every second and every fourth line, each in a bank of its own */
	assert_close(turns(65, 0), 8, 0.1);
	assert_close(turns(129, 0), 8, 0.1);
}

/* Turns of a gather from so many bytes, of the same first level. */
static double turns_at_chance(uint64_t bytes)
{
	struct launch launch = launch_1d(65536, 256);
	struct device *device = device_tagged();
	struct run run;
	double ways;

	launch_buffer(&launch, bytes);
	launch_buffer(&launch, 1 << 26);
	launch_buffer(&launch, 1 << 26);
	run = run_on(device, kernel_gather(), &launch);
	ways = run.evaluation.accesses[1].ways;
	done(&run);
	return ways;
}

static void lanes_at_chance_meet_in_lines_of_a_small_table(void **state)
{
	(void)state;
	/* eight lines: the fullest bank, 1 + log2(33) / 2 */
	assert_close(turns_at_chance(1024), 3.522, 1e-3);
	/* as many lines as lanes: of 32 in four parts the fullest, 8 + sqrt(8 ln 4) */
	assert_close(turns_at_chance(1 << 26), 11.33, 1e-3);
}

static void neighbours_that_begin_within_a_sector_touch_one_more(void **state)
{
	(void)state;
	/* four sectors of two lines pass at once, a fifth with those of the next load */
	assert_close(turns(1, 8), 1, 1e-6);
	assert_close(turns(1, 32), 1, 1e-6);
	assert_close(turns(1, 1), 1.25, 1e-6);
	assert_close(turns(1, 31), 1.25, 1e-6);
	assert_close(turns(2, 1), 2, 1e-6);
}

static void rows_share_what_their_loop_goes_through(void **state)
{
	struct launch launch = launch_1d(1024, 64);
	struct run run;

	(void)state;
	launch_buffer(&launch, 4 * 1025);
	launch_buffer(&launch, 4 * 1024 * 24);
	launch_buffer(&launch, 4 * 1024);
	run = run_gpu(kernel_rows(), &launch);
	assert_close(run.evaluation.loops[0].trips, 24, 1e-6);
	assert_true(run.evaluation.is_data_dependent);
	assert_non_null(strstr(run.evaluation.note, "the mean length of a row"));
	done(&run);
	/* a hint says more than the buffer's size */
	launch.arguments[0].has_range = true;
	launch.arguments[0].low = 0;
	launch.arguments[0].high = 1024 * 4;
	run = run_gpu(kernel_rows(), &launch);
	assert_close(run.evaluation.loops[0].trips, 4, 1e-6);
	/* neighbours read a row apart, of 16 bytes: two in a segment of 32 */
	assert_close(run.evaluation.accesses[2].segments, 16, 1e-6);
	assert_false(run.evaluation.accesses[2].address.is_random);
	done(&run);
	/* no room for a row: nothing is known */
	launch.arguments[0].has_range = false;
	launch.arguments[0].size_bytes = 4;
	run = run_gpu(kernel_rows(), &launch);
	assert_close(run.evaluation.loops[0].trips, EVALUATE_TRIPS_DEFAULT, 1e-6);
	done(&run);
}

static double ways(int64_t stride)
{
	struct launch launch = launch_1d(65536, 128);
	struct run run;
	double result;

	launch_buffer(&launch, 1 << 20);
	launch_integer(&launch, SCALAR_INT, stride);
	run = run_gpu(kernel_banks(), &launch);
	result = run.evaluation.accesses[0].ways;
	done(&run);
	return result;
}

static void banks_conflict_by_common_factors(void **state)
{
	(void)state;
	assert_close(ways(0), 1, 1e-6);
	assert_close(ways(1), 1, 1e-6);
	assert_close(ways(2), 2, 1e-6);
	assert_close(ways(32), 32, 1e-6);
	assert_close(ways(33), 1, 1e-6);
}

/* ---- affine forms -------------------------------------------------------------------------- */

static void a_matrix_index_has_a_stride_for_each_counter(void **state)
{
	struct launch launch = launch_2d(256, 256, 16, 16);
	const struct affine *b;
	struct run run;

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		launch_buffer(&launch, 4 << 16);
	launch_integer(&launch, SCALAR_INT, 256);
	run = run_gpu(kernel_matmul(), &launch);
	b = &run.evaluation.accesses[1].address;
	assert_true(b->is_known);
	assert_int_equal(b->term_count, 2);
	assert_int_equal(b->terms[0].base, AFFINE_GLOBAL + 0);
	assert_int_equal(b->terms[0].factor, 4);
	assert_int_equal(b->terms[1].base, AFFINE_LOOP + 0);
	assert_int_equal(b->terms[1].factor, 1024);
	assert_int_equal(b->terms[1].extent, 256);
	done(&run);
}

static struct affine global_id(uint64_t extent)
{
	struct affine form = {.is_known = true, .term_count = 1};

	form.terms[0] = (struct affine_term){AFFINE_GLOBAL, 1, extent, 1};
	return form;
}

static void quotient_and_remainder_are_digits(void **state)
{
	struct affine p = global_id(1 << 20), quotient = affine_divide(&p, 1000);
	struct affine remainder = affine_remainder(&p, 1000);

	(void)state;
	assert_true(quotient.is_known && remainder.is_known);
	assert_int_equal(quotient.terms[0].divisor, 1000);
	assert_int_equal(quotient.terms[0].extent, 1049);
	assert_int_equal(remainder.terms[0].divisor, 1);
	assert_int_equal(remainder.terms[0].extent, 1000);
	assert_int_equal(remainder.terms[0].factor, 1);
}

static void division_of_a_row_stride_is_exact(void **state)
{
	struct affine x = global_id(64), y = global_id(64), p, quotient;

	(void)state;
	y.terms[0].base = AFFINE_GLOBAL + 1;
	y = affine_scale(&y, 64);
	p = affine_add(&x, &y);
	quotient = affine_divide(&p, 64);
	assert_true(quotient.is_known && !quotient.is_rough);
	assert_int_equal(quotient.term_count, 1);
	assert_int_equal(quotient.terms[0].base, AFFINE_GLOBAL + 1);
	assert_int_equal(quotient.terms[0].factor, 1);
}

static void what_overflows_is_unknown(void **state)
{
	struct affine p = global_id(1 << 20), huge = affine_scale(&p, INT64_MAX);

	(void)state;
	assert_true(huge.is_known);
	assert_false(affine_add(&huge, &huge).is_known);
	assert_false(affine_scale(&huge, 2).is_known);
}

static void a_sum_that_cancels_has_no_term(void **state)
{
	struct affine p = global_id(1 << 20), minus = affine_scale(&p, -1);
	struct affine sum = affine_add(&p, &minus);

	(void)state;
	assert_true(sum.is_known);
	assert_int_equal(sum.term_count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(what_is_less_than_its_divisor_is_not_divided),
	        cmocka_unit_test(counted_loops_have_closed_forms),
	        cmocka_unit_test(a_loop_of_2_to_60_trips_is_counted_not_run),
	        cmocka_unit_test(a_loop_that_halves_its_counter_is_followed),
	        cmocka_unit_test(a_search_is_taken_to_run_half_way),
	        cmocka_unit_test(a_loop_that_data_ends_takes_sixteen_trips_or_the_hint),
	        cmocka_unit_test(a_hint_at_what_is_known_is_said_to_be_needless),
	        cmocka_unit_test(an_endless_loop_ends_with_the_budget),
	        cmocka_unit_test(a_guard_keeps_out_whole_warps),
	        cmocka_unit_test(a_divergent_warp_pays_for_both_sides),
	        cmocka_unit_test(a_group_is_rounded_up_to_warps),
	        cmocka_unit_test(segments_follow_the_stride),
	        cmocka_unit_test(neighbours_are_unit_uniform_or_neither),
	        cmocka_unit_test(an_index_from_memory_touches_a_segment_a_lane),
	        cmocka_unit_test(one_place_of_a_buffer_holds_one_value),
	        cmocka_unit_test(lanes_that_read_one_place_go_on_beside_each_other),
	        cmocka_unit_test(an_int_that_a_size_is_added_to_goes_in_steps),
	        cmocka_unit_test(lanes_of_one_bank_and_lines_beyond_four_take_turns),
	        cmocka_unit_test(lanes_at_chance_meet_in_lines_of_a_small_table),
	        cmocka_unit_test(neighbours_that_begin_within_a_sector_touch_one_more),
	        cmocka_unit_test(rows_share_what_their_loop_goes_through),
	        cmocka_unit_test(banks_conflict_by_common_factors),
	        cmocka_unit_test(a_matrix_index_has_a_stride_for_each_counter),
	        cmocka_unit_test(quotient_and_remainder_are_digits),
	        cmocka_unit_test(division_of_a_row_stride_is_exact),
	        cmocka_unit_test(what_overflows_is_unknown),
	        cmocka_unit_test(a_sum_that_cancels_has_no_term),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("evaluate", tests, NULL, NULL);
}
