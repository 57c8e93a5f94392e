/* SPDX-License-Identifier: Apache-2.0 */
/* How often a GPU's lanes and warps go around loops that data end. */
#include "tests/test.h"

#include <math.h>
#include <stdlib.h>

#include "model/evaluate/evaluate.h"
#include "model/passes/passes.h"
#include "tests/unit/frontend/analysis.h"
#include "tests/unit/predict/answers.h"
#include "tests/unit/predict/kernels.h"

enum { ITEMS = 4096, TRIPS = 1024, BYTES = 1 << 20 };

/* What is asked of the body of a kernel's innermost loop. */
struct trips {
	double lanes, warps; /* executions of each */
	double uniform;      /* of its first access */
	double sectors;      /* that a warp's lanes touch there */
	double slope;        /* of the launch */
};

static uint32_t innermost(const struct ir_kernel *kernel)
{
	uint32_t body = IR_NONE;

	for (uint32_t i = 0; i < kernel->summary->loop_count; i++)
		body = kernel->statements[kernel->summary->loops[i].statement].body;
	return body;
}

/* Of a kernel whose buffers are of 1 MB, of integers to a number or any, and whose integers are
 * TRIPS. */
static struct trips trips_to(const char *source, int64_t high)
{
	struct ir_kernel *kernel = analyse(source, "");
	struct launch launch = launch_1d(ITEMS, 64);
	struct device *device = device_gpu();
	struct evaluation e;
	struct error error = {0};
	struct trips trips = {0};
	uint32_t body = innermost(kernel);

	for (uint32_t i = 0; i < kernel->argument_count; i++) {
		if (kernel->arguments[i].kind == ARGUMENT_BUFFER) {
			launch_buffer(&launch, BYTES);
			launch.arguments[i].has_range = high > 0;
			launch.arguments[i].high = high;
		} else {
			launch_integer(&launch, (enum scalar)kernel->arguments[i].type.scalar,
			               TRIPS);
		}
	}
	if (evaluate(kernel, device, &launch, PREDICTION_BUDGET, &e, &error) != STATUS_OK)
		fail_msg("%s", error.text);
	trips.lanes = e.blocks[body].executions;
	trips.slope = e.slope;
	trips.warps = e.blocks[body].warp_executions;
	for (uint32_t i = 0; i < kernel->access_count; i++)
		if (kernel->summary->access_block[i] == body) {
			trips.uniform = e.accesses[i].uniform;
			trips.sectors = e.accesses[i].lines[0];
			break;
		}
	evaluation_deinit(&e);
	kernel_free(kernel);
	free(device);
	return trips;
}

static struct trips trips_of(const char *source)
{
	return trips_to(source, 0);
}

static void a_warp_goes_on_until_its_last_lane_has_found(void **state)
{
	struct trips trips = trips_of("kernel void f(global int *rule, global int *mine, int n)"
	                              "{ int x = get_global_id(0), i;"
	                              " for (i = 0; i < n; i++) if (rule[i] > mine[x]) break;"
	                              " mine[x] = i; }");

	(void)state;
	assert_close(trips.lanes, TRIPS / 2, 0.1);
	assert_close(trips.warps, TRIPS, 0.1);
	/* and those that are left ask the same rule */
	assert_close(trips.uniform, 1, 1e-6);
}

static void what_all_lanes_ask_alike_all_find_together(void **state)
{
	struct trips trips = trips_of("kernel void f(global int *rule, global int *mine, int n)"
	                              "{ int x = get_global_id(0), i;"
	                              " for (i = 0; i < n; i++) if (rule[i] > n) break;"
	                              " mine[x] = i; }");

	(void)state;
	assert_close(trips.lanes, TRIPS / 2, 0.01);
	assert_close(trips.warps, TRIPS / 2, 0.01);
}

static void few_lanes_leave_before_the_last_of_all_would(void **state)
{
	struct trips trips = trips_of("kernel void f(global int *rule, global int *mine, int n)"
	                              "{ int x = get_global_id(0), i = 0;"
	                              " if ((mine[x] & 15) == 3)"
	                              "  for (i = 0; i < n; i++) if (rule[i] > mine[x]) break;"
	                              " mine[x] = i; }");
	/* two of 32 lanes, whose greater number is at two thirds; seven of eight warps have any */
	(void)state;
	assert_close(trips.lanes, (double)(int)TRIPS / 2 / 16, 0.1);
	assert_close(trips.warps, 0.69 * (double)(int)TRIPS * (1 - pow(15.0 / 16, 32)), 0.1);
}

static void a_bisection_begins_where_all_others_do(void **state)
{
	struct trips trips = trips_of("kernel void f(global int *sorted, global int *mine, int n)"
	                              "{ int x = get_global_id(0), low = 0, high = n;"
	                              " while (low < high) { int middle = (low + high) / 2;"
	                              "  if (sorted[middle] > mine[x]) high = middle;"
	                              "  else low = middle + 1; }"
	                              " mine[x] = low; }");
	double sectors = 0;

	(void)state;
	assert_close(trips.lanes, 10.5, 0.1);
	for (unsigned step = 0; step < 11; step++) /* one of so many places for each of 32 lanes */
		sectors += exp2(step) * -expm1(-32 / exp2(step));
	assert_close(trips.sectors, sectors / 11, 0.1);
}

static void lanes_find_their_best_ones_at_first_and_so_together(void **state)
{
	struct trips trips = trips_of("kernel void f(global int *a, global int *b, int n)"
	                              "{ int x = get_global_id(0), best = 1 << 30;"
	                              " for (int i = 0; i < n; i++) {"
	                              " int v = a[x + i * 7];"
	                              " if (v < best) { best = v;"
	                              " for (int k = 0; k < 3; k++) b[x + k] = i; } } }");

	(void)state;
	/* 1 + 1/2 + ... + 1/1024; 1 - (1 - 1/i)^32 of each i */
	assert_close(trips.lanes, 3 * 7.51, 0.02);
	assert_close(trips.warps, 3 * 124.9, 0.03);
}

static void what_one_real_number_places_lies_side_by_side(void **state)
{
	/* whatever turn[n] holds, it is the same for all lanes: at most a float apart each */
	struct trips trips = trips_of("kernel void f(global float2 *turn, global float *in, int n)"
	                              "{ int x = get_global_id(0); float2 w = turn[n];"
	                              " int at = (int)(x * w.x + 10 * w.y); float sum = 0;"
	                              " for (int k = 0; k < n; k++) sum += in[at + k];"
	                              " in[x] = sum; }");

	(void)state;
	assert_true(trips.sectors >= 1 && trips.sectors < 6);
}

static void a_window_of_what_is_in_order_ends_soon(void **state)
{
	static const char *const windows[] = {
	        "kernel void f(global int *t, global int *out, int n) {"
	        " int x = get_global_id(0), sum = 0; for (int k = x + 1; k < 100 * n; k++) {"
	        "  if (t[k] - t[x] > n) break; sum += k * sum; } out[x] = sum; }",
	        "kernel void f(global int *t, global int *out, int n) {"
	        " int x = get_global_id(0), sum = 0; for (int k = x + 1; k < 100 * n; k++) {"
	        "  if (t[x] + n < t[k]) break; sum += k * sum; } out[x] = sum; }",
	        "kernel void f(global float *t, global int *out, int n) {"
	        " int x = get_global_id(0), sum = 0; for (int k = x + 1; k < 100 * n; k++) {"
	        "  if (t[k] - t[x] > 3.5f) break; sum += k * sum; } out[x] = sum; }",
	};
	struct trips trips;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		trips = trips_of(windows[i]);
		assert_close(trips.lanes, EVALUATE_TRIPS_DEFAULT, 0.1);
		assert_close(trips.warps, EVALUATE_TRIPS_DEFAULT, 0.1);
	}
	/* 50 apart in the mean: as many as fit into 1024 */
	trips = trips_to(windows[0], INT64_C(50) * (BYTES / 4 - 1));
	assert_close(trips.lanes, 1024.0 / 50, 0.1);
	/* less than nothing apart says nothing of an order */
	trips = trips_of(
	        "kernel void f(global int *t, global int *out, int n) {"
	        " int x = get_global_id(0), sum = 0; for (int k = x + 1; k < 100 * n; k++) {"
	        "  if (t[k] - t[x] > 0) break; sum += k * sum; } out[x] = sum; }");
	assert_true(trips.lanes > 1000);
}

static void work_may_fall_from_group_to_group(void **state)
{
	(void)state;
	assert_close(trips_of("kernel void f(global float *a, int n) { float s = 0;"
	                      " for (int k = get_group_id(0); k < 64; k++) s += a[k * n];"
	                      " a[get_global_id(0)] = s; }")
	                     .slope,
	             -1.9, 0.1);
	/* three quarters of all */
	assert_close(trips_of("kernel void f(global float *a, int n) { float s = 0;"
	                      " if (get_group_id(0) >= 48) return;"
	                      " for (int k = 0; k < n; k++) s += a[k * n];"
	                      " a[get_global_id(0)] = s; }")
	                     .slope,
	             -1.5, 0.25);
	/* every other one */
	assert_close(trips_of("kernel void f(global float *a, int n) { float s = 0;"
	                      " if (get_group_id(0) & 1) return;"
	                      " for (int k = 0; k < n; k++) s += a[k * n];"
	                      " a[get_global_id(0)] = s; }")
	                             .slope +
	                     1,
	             1, 0);
}

static void several_rows_at_once_are_as_many_times_as_long(void **state)
{
	/* rows of one element each: 16 x 1024 of them, which work-items of a group take in turn */
	struct trips known =
	        trips_of("kernel void f(global int *start, global float *a, int n)"
	                 "{ int x = get_global_id(0), lid = get_local_id(0); float s = 0;"
	                 " for (int k = start[x]; k < start[min(x + 16 * n, 262143)]; k += n) s += "
	                 "a[k + lid];"
	                 " a[x] = s; }");
	/* data say how far on rows end: any number */
	struct trips open =
	        trips_of("kernel void f(global int *start, global float *a, int n)"
	                 "{ int x = get_global_id(0), lid = get_local_id(0); float s = 0;"
	                 " for (int k = start[x]; k < start[start[x + n]]; k += 2) s += a[k + lid];"
	                 " a[x] = s; }");

	(void)state;
	assert_close(known.lanes, 16, 0.1);
	assert_close(open.lanes, EVALUATE_TRIPS_DEFAULT, 0.01);
}

static void what_is_used_up_in_parts_was_bought_before(void **state)
{
	/* half of 1024 trades buy a lot; of the others each takes two tries to use one up */
	struct trips trips =
	        trips_of("kernel void f(global int *trade, global int *out, int n)"
	                 "{ int x = get_global_id(0), lots = 0, kept[16], missing = 0;"
	                 " for (int t = 0; t < n; t++) { int size = trade[x + t * 7];"
	                 "  if (size > 0) { kept[lots & 15] = size; lots++; continue; }"
	                 "  int left = -size;"
	                 "  while (left > 0 && lots > 0) {"
	                 "   int lot = kept[(lots - 1) & 15], used = min(left, lot);"
	                 "   left -= used;"
	                 "   if (used == lot) lots--; else kept[(lots - 1) & 15] = lot - used; }"
	                 "  missing += left; }"
	                 " out[x] = missing; }");
	/* a number of its own, wherever the loop around has got to, is no stock */
	struct trips own = trips_of("kernel void f(global float *a, global float *out, int n)"
	                            "{ int x = get_global_id(0); float kept[32];"
	                            " for (int t = 0; t < 32; t++) {"
	                            "  float v = a[x + t * n]; int at = t;"
	                            "  while (at > 0 && kept[at - 1] > v) {"
	                            "   kept[at] = kept[at - 1]; at--; }"
	                            "  kept[at] = v; }"
	                            " out[x] = kept[x & 31]; }");

	(void)state;
	assert_close(trips.lanes, TRIPS / 2 * 2, 0.2);
	assert_true(own.lanes > 4 * 32);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(a_warp_goes_on_until_its_last_lane_has_found),
	        cmocka_unit_test(what_all_lanes_ask_alike_all_find_together),
	        cmocka_unit_test(few_lanes_leave_before_the_last_of_all_would),
	        cmocka_unit_test(lanes_find_their_best_ones_at_first_and_so_together),
	        cmocka_unit_test(a_bisection_begins_where_all_others_do),
	        cmocka_unit_test(what_one_real_number_places_lies_side_by_side),
	        cmocka_unit_test(a_window_of_what_is_in_order_ends_soon),
	        cmocka_unit_test(work_may_fall_from_group_to_group),
	        cmocka_unit_test(several_rows_at_once_are_as_many_times_as_long),
	        cmocka_unit_test(what_is_used_up_in_parts_was_bought_before),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("trips", tests, NULL, NULL);
}
