/* SPDX-License-Identifier: Apache-2.0 */
/* What a dry run says of loops and branches that an evaluation of integers leaves open. */
#include "tests/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/evaluate/evaluate.h"
#include "model/passes/passes.h"
#include "tests/unit/frontend/analysis.h"
#include "tests/unit/predict/answers.h"
#include "tests/unit/predict/kernels.h"

enum { ITEMS = 4096, TRIPS = 64, BYTES = 1 << 20 };

/* Numbers at random from a state in a vector, which no evaluation of integers follows. */
#define RANDOM                                                                                     \
	"uint next(uint2 *s) { uint t = s->x ^ s->x << 9; s->x = s->y;"                            \
	" s->y = s->y ^ s->y >> 14 ^ t ^ t >> 5; return s->y; }"                                   \
	"float draw(uint2 *s) { return (next(s) >> 8) * 0x1p-24f + 0x1p-25f; }"                    \
	"uint2 seeded(uint x) { uint2 s = (uint2)(7, x * 0x9e3779b9u + 1);"                        \
	" for (int k = 0; k < 6; k++) next(&s); return s; }"

struct told {
	double last;   /* executions of the body of the last loop in the source */
	double branch; /* of the body of the first branch of the source */
	double doubt;  /* of the last loop */
	bool is_data_dependent;
	char note[EVALUATE_NOTE_MAX];
};

static uint64_t budget = PREDICTION_BUDGET;

static struct told told_of(const char *source, bool has_range, double hint)
{
	struct ir_kernel *kernel = analyse(source, "");
	struct launch launch = launch_1d(ITEMS, 64);
	struct device *device = device_gpu();
	struct evaluation e;
	struct error error = {0};
	struct told told = {.branch = -1};

	for (uint32_t i = 0; i < kernel->argument_count; i++) {
		if (kernel->arguments[i].kind == ARGUMENT_BUFFER) {
			launch_buffer(&launch, BYTES);
			launch.arguments[i].has_range =
			        has_range && type_is_integer(kernel->arguments[i].type);
			launch.arguments[i].high = 7;
		} else {
			launch_integer(&launch, (enum scalar)kernel->arguments[i].type.scalar,
			               TRIPS);
		}
	}
	if (hint > 0) {
		launch.hint_count = 1;
		launch.hints[0] = (struct launch_hint){.line = 1, .value = hint};
	}
	if (evaluate(kernel, device, &launch, budget, &e, &error) != STATUS_OK)
		fail_msg("%s", error.text);
	for (uint32_t i = 0; i < kernel->statement_count; i++) {
		const struct ir_statement *s = &kernel->statements[i];

		if (s->kind == STATEMENT_LOOP) {
			told.last = e.blocks[s->body].executions;
			told.doubt = e.blocks[s->body].doubt;
		}
		if (s->kind == STATEMENT_BRANCH && told.branch < 0)
			told.branch = e.blocks[s->body].executions;
	}
	told.is_data_dependent = e.is_data_dependent;
	memcpy(told.note, e.note, sizeof(told.note));
	evaluation_deinit(&e);
	kernel_free(kernel);
	free(device);
	return told;
}

static void a_loop_that_a_seed_ends_is_followed(void **state)
{
	/* gaps of a geometric kind: as many marks as fit in, 20 in the mean */
	struct told told = told_of(RANDOM "kernel void f(global float *b) {"
	                                  " uint2 s = seeded(get_global_id(0)); float sum = 0;"
	                                  " for (float at = 0; at < 20; at -= log(draw(&s)))"
	                                  "  sum += b[(int)at];"
	                                  " b[get_global_id(0)] = sum; }",
	                           false, 0);

	(void)state;
	assert_close(told.last, 21, 0.15);
	/* nothing was assumed of data */
	assert_false(told.is_data_dependent);
	assert_true(told.doubt <= 0);
}

static void a_branch_that_a_seed_decides_is_taken_as_often(void **state)
{
	struct told told = told_of(RANDOM "kernel void f(global float *b) {"
	                                  " uint2 s = seeded(get_global_id(0));"
	                                  " if (draw(&s) < 0.25f) b[get_global_id(0)] = 1; }",
	                           false, 0);

	(void)state;
	assert_true(told.branch > 0.12 && told.branch < 0.4);
	assert_false(told.is_data_dependent);
}

static void what_a_break_leaves_behind_counts(void **state)
{
	/* the first of those that come one in eight times; behind the loop as many go round */
	struct told told = told_of(RANDOM "kernel void f(global float *b, int n) {"
	                                  " uint2 s = seeded(get_global_id(0)); int found = n;"
	                                  " for (int i = 0; i < n; i++)"
	                                  "  if ((next(&s) & 7) == 0) { found = i; break; }"
	                                  " float sum = 0;"
	                                  " for (int k = 0; k < found; k++) sum += b[k];"
	                                  " b[get_global_id(0)] = sum; }",
	                           false, 0);

	(void)state;
	assert_true(told.last > 4 && told.last < 11);
}

static void what_no_break_leaves_behind_is_the_end(void **state)
{
	/* never found: the variable is what it was before */
	struct told told = told_of(RANDOM "kernel void f(global float *b, int n) {"
	                                  " uint2 s = seeded(get_global_id(0)); int found = n;"
	                                  " for (int i = 0; i < n; i++)"
	                                  "  if ((next(&s) & 7) == 8) { found = i; break; }"
	                                  " float sum = 0;"
	                                  " for (int k = 0; k < found + (int)(s.x & 1); k++)"
	                                  "  sum += b[k];"
	                                  " b[get_global_id(0)] = sum; }",
	                           false, 0);

	(void)state;
	assert_close(told.last, (double)(int)TRIPS + 0.5, 0.05);
}

static void what_is_kept_in_an_array_is_found_again(void **state)
{
	struct told told =
	        told_of(RANDOM "kernel void f(global float *b) {"
	                       " uint2 s = seeded(get_global_id(0)); int kept[8];"
	                       " for (int i = 0; i < 8; i++) kept[i] = 3 * i + (int)(next(&s) & 1);"
	                       " float sum = 0;"
	                       " for (int k = 0; k < kept[next(&s) & 7]; k++) sum += b[k];"
	                       " b[get_global_id(0)] = sum; }",
	                false, 0);

	(void)state;
	assert_true(told.last > 3 && told.last < 10);
}

static void rays_leave_where_their_directions_take_them(void **state)
{
	/* from the middle of a square of 64 to its rim: some 40 cells, whatever the directions */
	struct told told =
	        told_of("kernel void f(global float2 *way, global float *image, int n) {"
	                " int i = get_global_id(0); float2 w = way[i];"
	                " float dx = fabs(1 / w.x), dy = fabs(1 / w.y), nx = dx, ny = dy;"
	                " int x = n / 2, y = n / 2; float sum = 0;"
	                " while (x >= 0 && x < n && y >= 0 && y < n) {"
	                "  sum += image[y * n + x];"
	                "  if (nx < ny) { x += w.x < 0 ? -1 : 1; nx += dx; }"
	                "  else { y += w.y < 0 ? -1 : 1; ny += dy; } }"
	                " image[i] = sum; }",
	                false, 0);

	(void)state;
	assert_true(told.last > 35 && told.last < 60);
	assert_true(told.is_data_dependent);
	assert_true(told.doubt > 0);
	assert_non_null(strstr(told.note, "by a dry run"));
}

static void reals_end_a_bounded_loop_half_as_soon_as_they_say(void **state)
{
	/* one in eight of such numbers: 8 trips, where half of the bound is 32 */
	struct told told =
	        told_of("kernel void f(global float2 *a, global float *b, int n) {"
	                " int x = get_global_id(0), i = 0; float2 p = a[x];"
	                " for (; i < n; i++) {"
	                "  float2 q = a[x + i]; if (fabs(p.x * 8 * q.y) < fabs(q.x * p.y)) break; }"
	                " b[x] = i; }",
	                false, 0);

	(void)state;
	assert_true(told.last > 6 && told.last < 30);
	assert_non_null(strstr(told.note, "by a dry run"));
}

static void a_number_without_a_scale_says_nothing(void **state)
{
	struct told told = told_of("kernel void f(global float *a, global float *b) {"
	                           " int i = get_global_id(0); if (a[i] > 1.5f) b[i] = 1; }",
	                           false, 0);

	(void)state;
	assert_close(told.branch, 0.5, 0.01);
}

static void what_lies_far_from_made_up_reals_has_a_scale(void **state)
{
	/* the distance to something, less one that the launch tells (64), and less 2 */
	struct told far = told_of("kernel void f(global float *a, global float *b, int n) {"
	                          " int i = get_global_id(0);"
	                          " float at = sqrt(a[i] * a[i + 1] + a[i + 2]) - n;"
	                          " if (at >= 0) b[i] = at; }",
	                          false, 0);
	struct told near = told_of("kernel void f(global float *a, global float *b, int n) {"
	                           " int i = get_global_id(0);"
	                           " float at = sqrt(a[i] * a[i + 1] + a[i + 2]) - n / 32;"
	                           " if (at >= 0) b[i] = at; }",
	                           false, 0);
	/* which is on both sides of a comparison */
	struct told both = told_of("kernel void f(global float *a, global float *b, int n) {"
	                           " int i = get_global_id(0);"
	                           " float at = sqrt(a[i] * a[i + 1] + a[i + 2]) - n;"
	                           " if (at > a[i + 3] + n) b[i] = at; }",
	                           false, 0);

	(void)state;
	assert_close(far.branch, 0.5, 0.01);
	assert_true(near.branch < 0.1);
	assert_true(both.branch < 0.1);
}

static void few_bytes_are_equal_though_all_are_as_likely(void **state)
{
	/* runs of equal bytes are not as rare as bytes at random have them */
	struct told equal = told_of("kernel void f(global uchar *a, global int *b, int n) {"
	                            " int x = get_global_id(0), i = 0; uchar2 s = (uchar2)(a[x]);"
	                            " while (i < n && (a[i + x] ^ s.y) == 0) { i++; s = s.yx; }"
	                            " b[x] = i; }",
	                            false, 0);

	(void)state;
	assert_null(strstr(equal.note, "by a dry run"));
}

static void what_others_store_in_local_memory_says_nothing(void **state)
{
	struct told told = told_of("kernel void f(global int *b) {"
	                           " local int changed; int mine = b[get_global_id(0)], again;"
	                           " do { if (get_local_id(0) == 0) changed = 0;"
	                           "  barrier(CLK_LOCAL_MEM_FENCE);"
	                           "  if (mine & 1) { mine >>= 1; changed = 1; }"
	                           "  barrier(CLK_LOCAL_MEM_FENCE); again = changed;"
	                           "  barrier(CLK_LOCAL_MEM_FENCE); } while (again);"
	                           " b[get_global_id(0)] = mine; }",
	                           false, 0);

	(void)state;
	assert_null(strstr(told.note, "by a dry run"));
}

/* Bits of a mask in local memory, one after the other; and what stands between. */
static struct told through_bits(const char *between)
{
	char source[512];

	snprintf(source, sizeof(source),
	         "kernel void f(global int *a, global int *b) { local uint open[64];"
	         " int lid = get_local_id(0), sum = 0; open[lid] = a[get_global_id(0)];"
	         " while (open[lid] != 0) {"
	         "  uint rest = open[lid]; open[lid] = rest & (rest - 1); sum += b[rest]; %s }"
	         " b[get_global_id(0)] = sum; }",
	         between);
	return told_of(source, true, 0);
}

static void what_is_ones_own_in_local_memory_is_found_again(void **state)
{
	struct told told = through_bits("");

	(void)state;
	/* numbers to 7 have 1.5 in the mean; the last iteration finds none */
	assert_close(told.last, 2.5, 0.2);
	assert_non_null(strstr(told.note, "by a dry run"));
	/* others may have stored there meanwhile */
	told = through_bits("barrier(CLK_LOCAL_MEM_FENCE);");
	assert_null(strstr(told.note, "by a dry run"));
	told = through_bits("if (rest > 9) atomic_inc(&open[7]);");
	assert_null(strstr(told.note, "by a dry run"));
}

static void few_places_leave_a_ring_at_its_end(void **state)
{
	/* of integers that a dry run knows nothing of */
	struct told told =
	        told_of("kernel void f(global int *a, global int *b)"
	                "{ int x = get_global_id(0), n = get_global_size(0), to = b[x] + b[x + 1];"
	                " b[x] = to >= n ? to - n : to; if (to >= n) a[x] = 1; }",
	                false, 0);

	(void)state;
	assert_close(told.branch, 1.0 / (int)ITEMS, 0.1);
}

static void a_hint_comes_first(void **state)
{
	struct told told =
	        told_of("kernel void f(global int *a, global float *b, int n) {"
	                " int x = get_global_id(0), i = 0; float sum = 0;"
	                " while (i < n && a[i + x] < 4) { sum += b[i]; i += 1 + (a[i] & 1); }"
	                " b[x] = sum; }",
	                true, 30);

	(void)state;
	assert_close(told.last, 30, 0.01);
}

static void what_does_not_end_is_cut(void **state)
{
	struct told told = told_of(RANDOM "kernel void f(global float *b) {"
	                                  " uint2 s = seeded(get_global_id(0));"
	                                  " while (draw(&s) < 2.0f) b[next(&s) & 1023] = 1; }",
	                           false, 0);

	(void)state;
	assert_true(isfinite(told.last) && told.last > 0);
}

static void what_is_left_out_goes_around_as_often_as_what_was_walked(void **state)
{
	const char *source =
	        "kernel void f(global int *a, global int *b) {"
	        " int x = get_global_id(0), sum = 0;"
	        " for (int i = 0; i < a[x]; i++) for (int j = 0; j < a[x + i]; j++)"
	        "  for (int k = 0; k < a[j + x]; k++) for (int l = 0; l < a[k + x]; l++)"
	        "   for (int m = 0; m < a[l + x]; m++) sum = max(sum, b[m]);"
	        " b[x] = sum; }";
	double all, some;

	(void)state;
	all = told_of(source, true, 0).last;
	budget = 200000;
	some = told_of(source, true, 0).last;
	budget = PREDICTION_BUDGET;
	/* not 16 times each of five loops, a million */
	assert_true(all > 100 && all < 3000);
	assert_true(some < 10 * all && some > all / 10);
}

static void arrays_may_hang_on_each_other_in_any_number(void **state)
{
	/* each loop's end lies in an array that a loop before it fills */
	char source[8192];
	size_t at = (size_t)snprintf(source, sizeof(source),
	                             "kernel void f(global int *a, global int *b) {"
	                             " int x = get_global_id(0), s = a[x] & 7; int k0[8];"
	                             " for (int i = 0; i < 8; i++) k0[i] = a[i + x] & 7;");
	struct told told;

	(void)state;
	for (unsigned i = 1; i < 40; i++)
		at += (size_t)snprintf(source + at, sizeof(source) - at,
		                       " int k%u[8]; for (int i = 0; i < k%u[s]; i++)"
		                       " k%u[i & 7] = k%u[i & 7] + 1 & 7;",
		                       i, i - 1, i, i - 1);
	snprintf(source + at, sizeof(source) - at,
	         " for (int i = 0; i < k39[s]; i++) b[i] = s; b[x] = s; }");
	told = told_of(source, false, 0);
	assert_true(isfinite(told.last));
}

static void who_leaves_at_the_end_takes_along_the_last_iteration(void **state)
{
	/* throws of a die until a one or 20 points, until 50 of these: 3.75 throws, 4.5 times */
	struct told told = told_of("kernel void f(global int *b, uint seed) {"
	                           " uint s = seed ^ (get_global_id(0) * 2654435761u); int sum = 0;"
	                           " while (sum < 50) { int turn = 0, d;"
	                           "  do { s ^= s << 13; s ^= s >> 17; s ^= s << 5;"
	                           "   d = s % 6u + 1; turn += d; } while (d != 1 && turn < 20);"
	                           "  sum += turn; }"
	                           " b[get_global_id(0)] = sum; }",
	                           false, 0);

	(void)state;
	assert_close(told.last, 16.9, 0.05);
	assert_false(told.is_data_dependent);
}

static void what_data_draw_bounds_a_loop_and_leaves_it(void **state)
{
	/* divisors of 9 to 16: 2, 3 or none up to the root */
	struct told told = told_of("kernel void f(global uint *a, global int *b) {"
	                           " int x = get_global_id(0), prime = 1; uint n = a[x] + 9;"
	                           " for (uint d = 2; d * d <= n; d++)"
	                           "  if (n % d == 0) { prime = 0; break; }"
	                           " b[x] = prime; }",
	                           true, 0);

	(void)state;
	assert_close(told.last, 1.5, 0.1);
	assert_true(told.is_data_dependent && told.doubt > 0);
}

static void a_byte_has_eight_bits_in_an_integer(void **state)
{
	struct told told = told_of("kernel void f(global uchar *a, global int *b) {"
	                           " int x = get_global_id(0), sum = 0; uint m = a[x];"
	                           " for (; m != 0; m >>= 1) sum += b[m & 1];"
	                           " b[x] = sum; }",
	                           false, 0);

	(void)state;
	assert_close(told.last, 7, 0.1);
}

static void a_loop_around_goes_on_with_what_data_ended(void **state)
{
	/* words of 8 letters in the mean, and spaces between them: 64 bytes in all */
	struct told told = told_of("kernel void f(global uchar *a, global int *b, int n) {"
	                           " int x = get_global_id(0), i = x * n, end = i + n, words = 0;"
	                           " while (i < end) {"
	                           "  while (i < end && (a[i] & 7) == 0) i++;"
	                           "  while (i < end && (a[i] & 7) != 0) i++;"
	                           "  words++; }"
	                           " b[x] = words; }",
	                           false, 0);

	(void)state;
	assert_true(told.last > 50 && told.last < 80);
}

/* Searches of so many rows for the first that has anything, of one in ten numbers: in a row of 8.
 */
static double searches(unsigned rows)
{
	char source[512];

	snprintf(source, sizeof(source),
	         "kernel void f(global float *a, global int *b) {"
	         " int x = get_global_id(0), found = -1;"
	         " for (int j = 0; j < %u && found < 0; j++)"
	         "  for (int i = 0; i < 8; i++)"
	         "   if (a[x + j] * a[i + j] < 0.1f * a[i]) { found = j; break; }"
	         " b[x] = found; }",
	         rows);
	return told_of(source, false, 0).last;
}

static void a_bound_beside_reals_is_a_part_of_the_condition(void **state)
{
	(void)state;
	/* the scale of reals is nobody's: half of all rows counts as much as what reals say */
	assert_true(searches(64) > 1.5 * searches(4));
	assert_true(searches(64) < 6 * searches(4));
}

static void a_row_ends_for_other_reasons_as_well(void **state)
{
	/* four bytes in a row, of which hardly any ends it; not 16 */
	struct told told = told_of("kernel void f(global const int *start, global const uchar *a,"
	                           " global int *b) { int x = get_global_id(0), open = 2;"
	                           " for (int k = start[x]; k < start[x + 1] && open == 2; k++)"
	                           "  if (a[k] % 200 == 3) open = 1;"
	                           " b[x] = open; }",
	                           false, 0);

	(void)state;
	assert_close(told.last, 4, 0.05);
}

static void a_half_of_a_byte_is_as_likely_as_others(void **state)
{
	/* one in sixteen, as by a mask; not every other one */
	struct told told = told_of("kernel void f(global const uchar *a, global int *b) {"
	                           " int sum = 0; uchar kept[2];"
	                           " for (int k = 0; k < 8; k++) {"
	                           "  kept[0] = a[get_global_id(0) * 8 + k] & 15;"
	                           "  kept[1] = a[get_global_id(0) * 8 + k] >> 4;"
	                           "  for (int j = 0; j < 2; j++)"
	                           "   if (kept[j] == 0) sum += b[kept[j] + j]; }"
	                           " b[get_global_id(0)] = sum; }",
	                           false, 0);

	(void)state;
	assert_true(told.branch > 0.5 && told.branch < 1.5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(a_loop_that_a_seed_ends_is_followed),
	        cmocka_unit_test(a_branch_that_a_seed_decides_is_taken_as_often),
	        cmocka_unit_test(what_a_break_leaves_behind_counts),
	        cmocka_unit_test(what_no_break_leaves_behind_is_the_end),
	        cmocka_unit_test(what_is_kept_in_an_array_is_found_again),
	        cmocka_unit_test(rays_leave_where_their_directions_take_them),
	        cmocka_unit_test(reals_end_a_bounded_loop_half_as_soon_as_they_say),
	        cmocka_unit_test(a_number_without_a_scale_says_nothing),
	        cmocka_unit_test(what_lies_far_from_made_up_reals_has_a_scale),
	        cmocka_unit_test(few_bytes_are_equal_though_all_are_as_likely),
	        cmocka_unit_test(what_others_store_in_local_memory_says_nothing),
	        cmocka_unit_test(what_is_ones_own_in_local_memory_is_found_again),
	        cmocka_unit_test(few_places_leave_a_ring_at_its_end),
	        cmocka_unit_test(a_hint_comes_first),
	        cmocka_unit_test(what_does_not_end_is_cut),
	        cmocka_unit_test(arrays_may_hang_on_each_other_in_any_number),
	        cmocka_unit_test(who_leaves_at_the_end_takes_along_the_last_iteration),
	        cmocka_unit_test(what_data_draw_bounds_a_loop_and_leaves_it),
	        cmocka_unit_test(a_byte_has_eight_bits_in_an_integer),
	        cmocka_unit_test(a_loop_around_goes_on_with_what_data_ended),
	        cmocka_unit_test(a_bound_beside_reals_is_a_part_of_the_condition),
	        cmocka_unit_test(what_is_left_out_goes_around_as_often_as_what_was_walked),
	        cmocka_unit_test(a_row_ends_for_other_reasons_as_well),
	        cmocka_unit_test(a_half_of_a_byte_is_as_likely_as_others),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("dryrun", tests, NULL, NULL);
}
