/* SPDX-License-Identifier: Apache-2.0 */
/* Distinct lines of windows, counted by hand, and the traffic that follows. */
#include "tests/test.h"

#include "model/answer/predict.h"
#include "model/passes/passes.h"
#include "model/traffic/footprint.h"
#include "tests/unit/predict/kernels.h"

#include <stdlib.h>

struct run {
	struct device *device;
	struct ir_kernel *kernel;
	struct launch launch;
	struct evaluation evaluation;
	struct footprint *footprint;
	double loops[1];
};

/* Takes the kernel; `buffers` of `bytes` each, then the int argument `n` unless 0. */
static void start_in(const struct footprint_order *order, struct run *run, struct ir_kernel *kernel,
                     struct launch launch, unsigned buffers, uint64_t bytes, int64_t n)
{
	struct error error = {0};

	*run = (struct run){.device = device_gpu(), .kernel = kernel, .launch = launch};
	for (unsigned i = 0; i < buffers; i++)
		launch_buffer(&run->launch, bytes);
	if (n != 0)
		launch_integer(&run->launch, SCALAR_INT, n);
	assert_int_equal(evaluate(kernel, run->device, &run->launch, PREDICTION_BUDGET,
	                          &run->evaluation, &error),
	                 STATUS_OK);
	run->footprint = footprint_new(kernel, &run->evaluation, &run->launch, order);
	assert_non_null(run->footprint);
	run->loops[0] = 1;
}

static void start(struct run *run, struct ir_kernel *kernel, struct launch launch, unsigned buffers,
                  uint64_t bytes, int64_t n)
{
	const struct footprint_order order = {
	        .kind = &gpu_footprint, .abreast = 32, .units = 10, .resident_groups = 8};

	start_in(&order, run, kernel, launch, buffers, bytes, n);
}

static void done(struct run *run)
{
	footprint_free(run->footprint);
	evaluation_deinit(&run->evaluation);
	kernel_free(run->kernel);
	free(run->device);
}

static double lines(struct run *run, double local_x, double local_y, double groups_x,
                    double groups_y)
{
	struct footprint_window window = {.local = {local_x, local_y, 1},
	                                  .group = {groups_x, groups_y, 1},
	                                  .loops = run->loops,
	                                  .items_share = 1};

	return footprint_bytes(run->footprint, &window, 64) / 64;
}

static void vector_add_touches_three_runs(void **state)
{
	struct run run;

	(void)state;
	start(&run, kernel_vector_add(), launch_1d(1 << 20, 256), 3, 4 << 20, 0);
	assert_close(lines(&run, 16, 1, 1, 1), 3, 1e-6);
	assert_close(lines(&run, 256, 1, 1, 1), 3 * 16, 1e-6);
	assert_close(lines(&run, 256, 1, 4096, 1), 3 * 65536, 1e-6);
	done(&run);
}

static void transpose_touches_a_line_for_each_row_and_column(void **state)
{
	struct run run;

	(void)state;
	start(&run, kernel_transpose(), launch_2d(1024, 1024, 16, 16), 2, 4 << 20, 1024);
	/* 16 work-items of one row: one line in, 16 lines out */
	assert_close(lines(&run, 16, 1, 1, 1), 1 + 16, 1e-6);
	/* a tile: 16 rows of one line, each way */
	assert_close(lines(&run, 16, 16, 1, 1), 16 + 16, 1e-6);
	assert_close(lines(&run, 16, 16, 64, 64), 2 * 65536, 1e-6);
	done(&run);
}

static void stencil_rows_overlap(void **state)
{
	struct run run;

	(void)state;
	start(&run, kernel_stencil(), launch_2d(1024, 1024, 16, 16), 2, 4 << 20, 1024);
	/* 16 rows of the grid: 18 rows of 64 lines in, 16 out */
	assert_close(lines(&run, 16, 16, 64, 1), 18 * 64 + 16 * 64, 0.02);
	/* all of it: each line once, whatever the five points */
	assert_close(lines(&run, 16, 16, 64, 64), 2 * 65536, 0.02);
	done(&run);
}

static void matmul_touches_rows_of_a_and_columns_of_b(void **state)
{
	struct run run;

	(void)state;
	start(&run, kernel_matmul(), launch_2d(256, 256, 16, 16), 3, 4 << 16, 256);
	/* a tile in one iteration: a column of 16 rows of a, a line of b, 16 lines of c */
	assert_close(lines(&run, 16, 16, 1, 1), 16 + 1 + 16, 1e-6);
	/* over all iterations: 16 rows of 16 lines, 256 rows of one line */
	run.loops[0] = 256;
	assert_close(lines(&run, 16, 16, 1, 1), 256 + 256 + 16, 1e-6);
	assert_close(lines(&run, 16, 16, 16, 16), 3 * 4096, 1e-6);
	done(&run);
}

static void digits_of_an_id_lie_side_by_side(void **state)
{
	struct run run;

	(void)state;
	start(&run, kernel_pairs(), launch_1d(1 << 20, 256), 2, 8 << 20, 0);
	/* 2 KB in, 1 KB out */
	assert_close(lines(&run, 256, 1, 1, 1), 32 + 16, 0.05);
	assert_close(lines(&run, 256, 1, 4096, 1), 2 * 65536 + 65536, 0.05);
	done(&run);
}

static void a_warp_waits_for_lines_that_are_new(void **state)
{
	struct footprint_cache cache = {
	        .capacity_bytes = 65536, .line_bytes = 32, .is_private = true};
	double waits[8] = {0};
	struct run run;

	(void)state;
	start(&run, kernel_vector_add(), launch_1d(1 << 20, 256), 3, 4 << 20, 0);
	(void)footprint_misses(run.footprint, &cache, waits, NULL);
	assert_close(waits[0], 1, 1e-6);
	done(&run);
	/* neighbours in a row have brought most of what a work-item reads */
	start(&run, kernel_stencil(), launch_2d(1024, 1024, 16, 16), 2, 4 << 20, 1024);
	(void)footprint_misses(run.footprint, &cache, waits, NULL);
	assert_true(waits[0] < 0.5);
	done(&run);
}

static void random_reads_fill_a_buffer_by_occupancy(void **state)
{
	struct run run;
	double index, out, all = 65536;

	(void)state;
	start(&run, kernel_gather(), launch_1d(1 << 20, 256), 3, 4 << 20, 0);
	index = out = 1 << 14;
	/* 2^18 reads at chance of 2^16 lines: all but e^-4 */
	assert_close(lines(&run, 256, 1, 1024, 1), index + out + all * (1 - exp(-4)), 1e-3);
	done(&run);
}

static void fields_of_a_structure_lie_beside_each_other_wherever_it_is(void **state)
{
	double all[2];

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct run run;

		start(&run, kernel_fields(i == 0 ? 32 : 512), launch_1d(256, 256), 3, 1 << 28, 0);
		all[i] = lines(&run, 256, 1, 1, 1);
		done(&run);
	}
	/* 16 lines each in and out, and one a work-item or two */
	assert_close(all[0], 32 + 256, 0.01);
	assert_close(all[1], 32 + 512, 0.01);
}

static double misses(struct run *run, double capacity, double kept)
{
	struct footprint_cache cache = {.capacity_bytes = capacity, .line_bytes = 64, .kept = kept};

	return footprint_misses(run->footprint, &cache, NULL, NULL).lines;
}

/* Lines of 32 bytes that one level misses, where a tag keeps room for so many bytes. */
static double tagged_misses(struct run *run, double capacity, double tag)
{
	struct footprint_cache cache = {
	        .capacity_bytes = capacity, .line_bytes = 32, .tag_bytes = tag};

	return footprint_misses(run->footprint, &cache, NULL, NULL).lines;
}

static void tags_that_keep_room_for_more_than_a_line_are_full_sooner(void **state)
{
	struct run run;
	double all = 2 * 131072, none, some;

	(void)state;
	start(&run, kernel_transpose(), launch_2d(1024, 1024, 32, 4), 2, 4 << 20, 1024);
	none = tagged_misses(&run, 1 << 16, 0);
	some = tagged_misses(&run, 1 << 16, 128);
	assert_close(none, all, 0.05);
	assert_true(some > 1.25 * all);
	/* where there is room for all, a tag costs nothing */
	assert_close(tagged_misses(&run, 1 << 18, 128), all, 0.05);
	done(&run);
	/* a stream fills what its tags keep */
	start(&run, kernel_vector_add(), launch_1d(1 << 20, 256), 3, 4 << 20, 0);
	assert_close(tagged_misses(&run, 1 << 18, 128), tagged_misses(&run, 1 << 18, 0), 1e-6);
	done(&run);
}

static void a_stream_misses_every_line_once(void **state)
{
	struct run run;

	(void)state;
	start(&run, kernel_vector_add(), launch_1d(1 << 20, 256), 3, 4 << 20, 0);
	assert_close(misses(&run, 65536, 0), 3 * 65536, 0.01);
	assert_close(misses(&run, 1 << 20, 1), 3 * 65536, 0.01);
	assert_close(misses(&run, 1e12, 0), 3 * 65536, 0.01);
	done(&run);
}

/* b and c by gathers, as a CPU that cannot prove neighbours to be such. */
static void a_run_that_is_gathered_is_told_from_streams_and_lone_lines(void **state)
{
	const bool is_unstreamed[8] = {true, true, false};
	const struct footprint_order order = {.kind = &cpu_footprint,
	                                      .abreast = 16,
	                                      .units = 1,
	                                      .resident_groups = 1,
	                                      .is_unstreamed = is_unstreamed};
	const struct footprint_cache cache = {.capacity_bytes = 1 << 20, .line_bytes = 64};
	struct footprint_traffic traffic;
	struct run run;

	(void)state;
	start_in(&order, &run, kernel_vector_add(), launch_1d(1 << 20, 256), 3, 4 << 20, 0);
	assert_int_equal(run.kernel->accesses[2].kind, ACCESS_STORE);
	traffic = footprint_misses(run.footprint, &cache, NULL, NULL);
	assert_close(traffic.unstreamed_lines, 2 * 65536, 0.01);
	assert_close(traffic.read_bytes, 0, 1e-9);
	assert_close(traffic.gather_lines, 0, 1e-9);
	assert_close(traffic.write_bytes, 4 << 20, 0.01);
	done(&run);
}

static void what_stands_outside_of_a_loop_is_not_read_in_each_iteration(void **state)
{
	struct run run;

	(void)state;
	/* 400 iterations of arithmetic, then one store; the resident groups' lines do not fit */
	start(&run, kernel_nested(0), launch_1d(1 << 20, 256), 1, 4 << 20, 0);
	assert_close(misses(&run, 4096, 0), 65536, 0.01);
	done(&run);
}

static void what_fits_a_kept_cache_does_not_miss(void **state)
{
	struct run run;
	double last = 3 * 65536 * 1.01;

	(void)state;
	start(&run, kernel_vector_add(), launch_1d(1 << 20, 256), 3, 4 << 20, 0);
	assert_close(misses(&run, 64 << 20, 1), 0, 1e-9);
	/* with another unit's half in the way, half of it */
	assert_close(misses(&run, 64 << 20, 0.5), 3 * 65536 / 2.0, 0.01);
	/* the transition is gradual and never turns back */
	for (double capacity = 1 << 20; capacity < 64 << 20; capacity *= 1.1) {
		double now = misses(&run, capacity, 1);

		assert_true(now <= last);
		last = now;
	}
	done(&run);
}

static void a_gpu_keeps_hardly_anything_of_what_does_not_fit_and_a_cpu_some(void **state)
{
	const struct footprint_order cpu = {
	        .kind = &cpu_footprint, .abreast = 16, .units = 1, .resident_groups = 1};
	double all = 3 * 65536, capacity = 3 * 65536 * 64 / 1.25;
	struct run run;

	(void)state;
	start(&run, kernel_vector_add(), launch_1d(1 << 20, 256), 3, 4 << 20, 0);
	assert_true(misses(&run, capacity, 1) > 0.9 * all);
	done(&run);
	start_in(&cpu, &run, kernel_vector_add(), launch_1d(1 << 20, 256), 3, 4 << 20, 0);
	/* 0.371 solves m = 1 - exp(-1.25 m) */
	assert_close(misses(&run, capacity, 1), 0.371 * all, 0.02);
	done(&run);
}

static void matmul_reuses_more_in_a_larger_cache(void **state)
{
	struct run run;
	double last = 1e30, most;

	(void)state;
	start(&run, kernel_matmul(), launch_2d(1024, 1024, 16, 16), 3, 4 << 20, 1024);
	most = misses(&run, 4096, 0);
	for (double capacity = 4096; capacity < 64 << 20; capacity *= 2) {
		double now = misses(&run, capacity, 0);

		assert_true(now <= last * 1.05);
		last = now;
	}
	assert_true(most > 20 * last);
	assert_close(last, 3 * 65536, 0.01);
	done(&run);
}

static void a_column_is_kept_for_the_work_items_beside_it_only_if_all_of_it_fits(void **state)
{
	struct footprint_order order = {
	        .kind = &cpu_footprint, .abreast = 16, .units = 1, .resident_groups = 1};
	double all = 1024.0 * 1024 * 1024, together, apart;
	struct run run;

	(void)state;
	/* b is read down its columns: lanes abreast share their lines ... */
	start_in(&order, &run, kernel_matmul(), launch_2d(1024, 1024, 16, 16), 3, 4 << 20, 1024);
	together = misses(&run, 16384, 0);
	assert_true(together < all / 8);
	done(&run);
	/* ... but a work-item that ends its loop before the next finds none of its 1024 lines */
	order.abreast = 1;
	start_in(&order, &run, kernel_matmul(), launch_2d(1024, 1024, 16, 16), 3, 4 << 20, 1024);
	apart = misses(&run, 16384, 0);
	assert_true(apart > all && apart < 1.2 * all);
	assert_true(misses(&run, 1 << 20, 0) < all / 8);
	done(&run);
}

/*
 * What a matrix with rows of n floats makes its transposition write by fights for sets, where so
 * many lines of a set were found to stay.
 */
static double fights(unsigned n, double stay)
{
	const struct footprint_order order = {
	        .kind = &cpu_footprint, .abreast = 16, .units = 1, .resident_groups = 1};
	const struct footprint_cache cache = {.capacity_bytes = 49152,
	                                      .line_bytes = 64,
	                                      .way_bytes = 4096,
	                                      .walk_lines = stay,
	                                      .walk_bytes = 4096,
	                                      .is_private = true};
	struct footprint_traffic traffic;
	struct run run;

	start_in(&order, &run, kernel_transpose(), launch_2d(n, n, 16, 16), 2, 4 << 20, n);
	traffic = footprint_misses(run.footprint, &cache, NULL, NULL);
	done(&run);
	return traffic.walk_writes;
}

static void lines_of_one_set_fight_for_it(void **state)
{
	double items = 1024.0 * 1024;

	(void)state;
	/* 16 lanes write 16 lines of one set with 12 ways: a part of them stays */
	assert_true(fights(1024, 0) > 0.1 * items && fights(1024, 0) < items);
	assert_close(fights(1024, 12), fights(1024, 0), 1e-9);
	/* pages that are mixed crowd it sooner */
	assert_true(fights(1024, 8) > 1.2 * fights(1024, 0));
	/* 16 floats more, and each line has a set of its own */
	assert_close(fights(1008, 0), 0, 1e-9);
	assert_close(fights(1008, 8), 0, 1e-9);
}

/* A core's cache of lines of 64 bytes, whose sets repeat with each page. */
static struct footprint_cache first_level(double capacity_bytes)
{
	return (struct footprint_cache){.capacity_bytes = capacity_bytes,
	                                .line_bytes = 64,
	                                .way_bytes = 4096,
	                                .walk_bytes = 4096,
	                                .is_private = true};
}

/*
 * What a stencil reads by fights for sets of a cache, and lines in all for each of its accesses.
 */
static double fights_of_rows(unsigned n, double abreast, double capacity_bytes, double *lines)
{
	const struct footprint_order order = {
	        .kind = &cpu_footprint, .abreast = abreast, .units = 1, .resident_groups = 1};
	const struct footprint_cache cache = first_level(capacity_bytes);
	struct footprint_traffic traffic;
	struct run run;

	start_in(&order, &run, kernel_stencil(), launch_2d(n, n, 16, 16), 2, 4 << 20, n);
	traffic = footprint_misses(run.footprint, &cache, NULL, NULL);
	*lines = traffic.lines / ((double)n * n * 6);
	done(&run);
	return traffic.walk_reads;
}

static void rows_that_are_no_way_apart_have_sets_of_their_own(void **state)
{
	double lines;

	(void)state;
	assert_true(fights_of_rows(1024, 1, 6144, &lines) > 0);
	/* a load misses a line and no more, or two where it lies in both */
	assert_true(lines < 1.1);
	assert_true(fights_of_rows(512, 1, 6144, &lines) < 0.05 * 512 * 512);
}

static void lines_that_are_used_in_whole_as_they_come_fight_for_nothing(void **state)
{
	double lines, all = 1024.0 * 1024 * 6;

	(void)state;
	/* 18 rows of a tile in sets of 12 ways: each line is done with before it has to go */
	assert_true(fights_of_rows(1024, 16, 49152, &lines) < 0.01 * all);
	assert_true(lines > 0 && lines < 1.1);
}

static void local_memory_lies_in_the_caches_of_a_cpu(void **state)
{
	const struct footprint_order order = {
	        .kind = &cpu_footprint, .abreast = 16, .units = 1, .resident_groups = 1};
	struct run run;

	(void)state;
	/* 128 lines of the array; of the tile 8, of whatever groups, and none on a GPU */
	start_in(&order, &run, kernel_filled(1), launch_1d(1 << 20, 128), 1, 32768, 0);
	assert_close(lines(&run, 128, 1, 1, 1), 128 + 8, 1e-6);
	assert_close(lines(&run, 128, 1, 8192, 1), 128 + 8, 1e-6);
	done(&run);
	start(&run, kernel_filled(1), launch_1d(1 << 20, 128), 1, 32768, 0);
	assert_close(lines(&run, 128, 1, 1, 1), 128, 1e-6);
	done(&run);
}

/* Lines that groups of 128 bring in again and again, beside a tile with lanes so far apart. */
static double lines_beside(int64_t stride)
{
	const struct footprint_order order = {
	        .kind = &cpu_footprint, .abreast = 16, .units = 1, .resident_groups = 1};
	const struct footprint_cache cache = first_level(49152);
	struct footprint_traffic traffic;
	struct run run;

	start_in(&order, &run, kernel_filled(stride), launch_1d(1 << 20, 128), 1, 32768, 0);
	traffic = footprint_misses(run.footprint, &cache, NULL, NULL);
	done(&run);
	return traffic.lines;
}

static void local_memory_crowds_the_sets_of_what_it_is_filled_from(void **state)
{
	(void)state;
	/* 16 sets of 12 ways hold 128 lines of the array, and not as many of the tile as well */
	assert_true(lines_beside(1) < 200);
	assert_true(lines_beside(64) > 0.1 * (1 << 20));
	/* elsewhere there is room for both */
	assert_true(lines_beside(48) < 400);
}

static void neighbours_far_apart_are_one_run_once_their_runs_meet(void **state)
{
	struct run run;

	(void)state;
	start(&run, kernel_apart(64), launch_1d(1 << 20, 256), 2, 8 << 20, 0);
	/* 64 bytes of each place and 256 between them; then all of a once, and b */
	assert_close(lines(&run, 16, 1, 1, 1), 2 * 2 + 1, 0.5);
	assert_close(lines(&run, 256, 1, 1, 1), 16 + 4 + 16, 0.05);
	assert_close(lines(&run, 256, 1, 4096, 1), 2 * 65536, 0.01);
	done(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(vector_add_touches_three_runs),
	        cmocka_unit_test(transpose_touches_a_line_for_each_row_and_column),
	        cmocka_unit_test(stencil_rows_overlap),
	        cmocka_unit_test(matmul_touches_rows_of_a_and_columns_of_b),
	        cmocka_unit_test(digits_of_an_id_lie_side_by_side),
	        cmocka_unit_test(lines_that_are_used_in_whole_as_they_come_fight_for_nothing),
	        cmocka_unit_test(local_memory_lies_in_the_caches_of_a_cpu),
	        cmocka_unit_test(local_memory_crowds_the_sets_of_what_it_is_filled_from),
	        cmocka_unit_test(neighbours_far_apart_are_one_run_once_their_runs_meet),
	        cmocka_unit_test(rows_that_are_no_way_apart_have_sets_of_their_own),
	        cmocka_unit_test(a_warp_waits_for_lines_that_are_new),
	        cmocka_unit_test(fields_of_a_structure_lie_beside_each_other_wherever_it_is),
	        cmocka_unit_test(random_reads_fill_a_buffer_by_occupancy),
	        cmocka_unit_test(tags_that_keep_room_for_more_than_a_line_are_full_sooner),
	        cmocka_unit_test(a_stream_misses_every_line_once),
	        cmocka_unit_test(a_run_that_is_gathered_is_told_from_streams_and_lone_lines),
	        cmocka_unit_test(what_stands_outside_of_a_loop_is_not_read_in_each_iteration),
	        cmocka_unit_test(what_fits_a_kept_cache_does_not_miss),
	        cmocka_unit_test(a_gpu_keeps_hardly_anything_of_what_does_not_fit_and_a_cpu_some),
	        cmocka_unit_test(matmul_reuses_more_in_a_larger_cache),
	        cmocka_unit_test(
	                a_column_is_kept_for_the_work_items_beside_it_only_if_all_of_it_fits),
	        cmocka_unit_test(lines_of_one_set_fight_for_it),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("footprint", tests, NULL, NULL);
}
