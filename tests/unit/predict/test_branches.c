/* SPDX-License-Identifier: Apache-2.0 */
/* How often branches that data decide are taken, and guessed wrong by a CPU's core. */
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/frontend/analysis.h"
#include "tests/unit/predict/answers.h"
#include "tests/unit/predict/kernels.h"

enum { ITEMS = 1 << 16 };

#define GUESSED_WRONG "branches guessed wrong"

/* On a CPU that makes no vectors; buffers hold integers from `low` to `high`, if that is more. */
static struct prediction among(const char *source, int64_t low, int64_t high)
{
	struct device *device = device_cpu();
	struct ir_kernel *kernel = analyse(source, "");
	struct launch launch = launch_1d(ITEMS, 64);
	struct prediction p;

	device_set(device, COEFFICIENT_MISPREDICT, 1e-9);
	device_make_scalar(device);
	for (uint32_t i = 0; i < kernel->argument_count; i++) {
		launch_buffer(&launch, ITEMS * 4 + 4096);
		launch.arguments[i].has_range = low < high;
		launch.arguments[i].low = low;
		launch.arguments[i].high = high;
	}
	p = answer(kernel, device, &launch);
	kernel_free(kernel);
	free(device);
	return p;
}

/* How often a is written, in whatever order. */
static double writes(const struct prediction *p)
{
	double count = 0;

	for (uint32_t i = 0; i < p->row_count; i++)
		if (strstr(p->rows[i].what, "write of a") != NULL)
			count += p->rows[i].count;
	return count;
}

static void the_best_so_far_is_found_seldom(void **state)
{
	struct prediction p;

	(void)state;
	p = among("kernel void f(global int *a, global int *b)"
	          "{ int x = get_global_id(0); int best = 1 << 30;"
	          " for (int k = 0; k < 100; k++)"
	          " { int v = b[x + k * 3]; if (v < best) { best = v; a[x] = k; } } }",
	          0, 0);
	/* 1 + 1/2 + ... + 1/100, nearly all guessed wrong */
	assert_close(writes(&p), 5.19, 0.02);
	assert_close(row_count(&p, GUESSED_WRONG), 5.1, 0.1);
	/* of all that two loops go through */
	p = among("kernel void f(global int *a, global int *b)"
	          "{ int x = get_global_id(0); int best = 1 << 30;"
	          " for (int j = 0; j < 10; j++) for (int k = 0; k < 10; k++)"
	          " { int v = b[x + k * 3 + j]; if (v < best) { best = v; a[x] = k; } } }",
	          0, 0);
	assert_close(writes(&p), 5.19, 0.02);
	/* what a store keeps, and the variable does not, is any value */
	p = among("kernel void f(global int *a, global int *b)"
	          "{ int x = get_global_id(0); int sum = 1 << 30;"
	          " for (int k = 0; k < 100; k++)"
	          " { int v = b[x + k * 3]; if (v < sum) { sum -= v; a[x] = k; } } }",
	          0, 0);
	assert_close(writes(&p), 50, 0.02);
}

static void one_among_the_best_is_found_more_often(void **state)
{
	struct prediction p;

	(void)state;
	/* 8 + 8 (1/9 + ... + 1/1000), each put in half way down at the mean: 7 places to go */
	p = among("kernel void f(global int *a, global int *b)"
	          "{ int x = get_global_id(0); int best[8];"
	          " for (int k = 0; k < 8; k++) best[k] = 1 << 30;"
	          " for (int k = 0; k < 1000; k++)"
	          " { int v = b[x + k * 3];"
	          " if (v < best[7]) { int at = 7;"
	          " for (; at > 0 && v < best[at - 1]; at--)"
	          " { best[at] = best[at - 1]; a[x] = k; }"
	          " best[at] = v; } } }",
	          0, 0);
	assert_close(writes(&p), 4 * 46.1, 0.02);
	/* what is put in first, and of two arrays in a struct each is as long as it is */
	p = among("struct both { int which[8]; int best[4]; };"
	          "kernel void f(global int *a, global int *b)"
	          "{ int x = get_global_id(0); struct both s;"
	          " for (int k = 0; k < 4; k++) s.best[k] = 1 << 30;"
	          " for (int k = 0; k < 1000; k++)"
	          " { int v = b[x + k * 3];"
	          " if (v < s.best[0]) { int at = 0;"
	          " for (; at < 3 && v < s.best[at + 1]; at++) s.best[at] = s.best[at + 1];"
	          " s.best[at] = v; s.which[at] = k; a[x] = k; } } }",
	          0, 0);
	assert_close(writes(&p), 4 * (1 + 5.402), 0.02);
	/* of each of ten lists */
	p = among("kernel void f(global int *a, global int *b)"
	          "{ int x = get_global_id(0); int best[4];"
	          " for (int j = 0; j < 10; j++) {"
	          " for (int k = 0; k < 4; k++) best[k] = 1 << 30;"
	          " for (int k = 0; k < 100; k++)"
	          " { int v = b[x + k * 3 + j];"
	          " if (v < best[3]) { a[x] = k; int at = 3;"
	          " for (; at > 0 && v < best[at - 1]; at--) best[at] = best[at - 1];"
	          " best[at] = v; } } } }",
	          0, 0);
	assert_close(writes(&p), 10 * 4 * (1 + 3.104), 0.02);
	/* the second best goes where the best was */
	p = among("kernel void f(global int *a, global int *b)"
	          "{ int x = get_global_id(0), first = 1 << 30, second = 1 << 30;"
	          " for (int k = 0; k < 100; k++)"
	          " { int v = b[x + k * 3];"
	          " if (v < first) { second = first; first = v; }"
	          " else if (v < second) { second = v; a[x] = k; } } }",
	          0, 0);
	assert_true(writes(&p) < 5.2);
}

static void a_loop_goes_half_as_far_as_its_end_within(void **state)
{
	struct prediction p;

	(void)state;
	p = among("kernel void f(global int *a, global int *b)"
	          "{ int x = get_global_id(0), sum = b[x];"
	          " for (int k = 20;; k--)"
	          " { if (k == 0) break; if (sum > 777) break;"
	          " sum += b[x + k]; a[x + k] = 0; } }",
	          0, 0);
	assert_close(writes(&p), 10, 0.01);
	/* what has been counted so far, one time in two: 100 / 2 / 2 at the mean, and half of that
	 */
	p = among("kernel void f(global int *a, global int *b)"
	          "{ int x = get_global_id(0), count = 0; int kept[100];"
	          " for (int k = 0; k < 101; k++)"
	          " { int v = b[x + k * 3];"
	          " if (v < 5) continue;"
	          " int at = count++;"
	          " while (at > 0 && v < kept[at - 1])"
	          " { kept[at] = kept[at - 1]; a[x] = at; at--; }"
	          " kept[at] = v; } }",
	          0, 0);
	assert_close(writes(&p), 101 / 2. * 12.5, 0.1);
	/* nothing but data: as ever */
	p = among("kernel void f(global int *a, global int *b)"
	          "{ int x = get_global_id(0), sum = b[x];"
	          " for (int k = 20;; k--)"
	          " { if (sum > 777) break; sum += b[x + k]; a[x + k] = 0; } }",
	          0, 0);
	assert_close(writes(&p), 16, 0.01);
}

static void what_asks_for_bytes_is_tried_with_all_of_them(void **state)
{
	struct prediction p;

	(void)state;
	p = among("kernel void f(global int *a, global uchar *b)"
	          "{ int x = get_global_id(0);"
	          " if ((uchar)((b[x] | 32) - 'a') < 26) a[x] = 0; }",
	          0, 0);
	assert_close(writes(&p), 52 / 256., 1e-6);
	/* parts of a vector */
	p = among("kernel void f(global int *a, global uchar4 *b)"
	          "{ int x = get_global_id(0);"
	          " uchar4 letter = (b[x] | (uchar4)(32)) - (uchar4)('a');"
	          " if (letter.z < 26) a[x] = 0; }",
	          0, 0);
	assert_close(writes(&p), 52 / 256., 1e-6);
	/* two of them, and either of two questions: (256 - 64)^2 / 256^2 + 0 */
	p = among("kernel void f(global int *a, global uchar *b)"
	          "{ int x = get_global_id(0);"
	          " int apart = abs(b[x] - b[x + 900]);"
	          " if (apart > 64 || apart < 0) a[x] = 0; }",
	          0, 0);
	assert_close(writes(&p), 0.56, 0.07);
	/* a range that is told, of numbers of any type */
	p = among("kernel void f(global int *a, global int *b)"
	          "{ int x = get_global_id(0); if (b[x] * b[x] < 50) a[x] = 0; }",
	          0, 99);
	assert_close(writes(&p), 0.08, 0.1);
	/* that a byte equals another is as seldom as the question makes sense for */
	p = among("kernel void f(global int *a, global uchar *b)"
	          "{ int x = get_global_id(0); if (b[x] == 10) a[x] = 0; }",
	          0, 0);
	assert_true(writes(&p) > 2 / 256.);
	/* of numbers nothing is known */
	p = among("kernel void f(global int *a, global int *b)"
	          "{ int x = get_global_id(0); if ((b[x] | 32) - 97 < 26) a[x] = 0; }",
	          0, 0);
	assert_close(writes(&p), 0.5, 1e-6);
}

static void numbers_that_differ_in_no_bit_are_equal(void **state)
{
	struct prediction equal, bits;

	(void)state;
	equal = among("kernel void f(global int *a, global int *b)"
	              "{ int x = get_global_id(0); if (a[x] == b[x]) a[x + 9] = 0; }",
	              0, 0);
	bits = among("kernel void f(global int *a, global int *b)"
	             "{ int x = get_global_id(0); if ((a[x] ^ b[x]) == 0) a[x + 9] = 0; }",
	             0, 0);
	assert_true(writes(&equal) < 0.1);
	assert_close(writes(&bits), writes(&equal), 1e-6);
	/* nor is a sum of bits, from one iteration to the next */
	bits = among("kernel void f(global uchar *a, global uchar *b)"
	             "{ int x = get_global_id(0); uchar sum = 0;"
	             " for (int i = 0; i < 8; i++) { sum ^= b[x + i]; }"
	             " if (sum == 0) a[x + 9] = 0; }",
	             0, 0);
	assert_true(writes(&bits) < 0.2);
	/* what stays as it is ends all the same */
	bits = among("kernel void f(global int *a, global int *b)"
	             "{ int x = get_global_id(0), sum = b[x];"
	             " for (int i = 0; i < 8; i++) { sum ^= (int)get_global_offset(0); }"
	             " if (sum == 0) a[x + 9] = 0; }",
	             0, 0);
	assert_true(writes(&bits) > 0);
}

static void what_is_looked_for_in_a_vector_is_seldom_there(void **state)
{
	static const char one[] = "kernel void f(global int *a, global int *b)"
	                          "{ int x = get_global_id(0);"
	                          " if (b[x] == b[x + 900]) a[x] = 0; }";
	static const char four[] = "kernel void f(global int *a, global int4 *b)"
	                           "{ int x = get_global_id(0);"
	                           " if (any(b[x / 4] == (int4)(b[x / 4 + 900].x))) a[x] = 0; }";
	static const char marked[] = "kernel void f(global int *a, global int4 *b)"
	                             "{ int x = get_global_id(0), at = -1;"
	                             " int4 equal = b[x / 4] == (int4)(b[x / 4 + 900].x);"
	                             " if (any(equal)) at = equal.x ? 0 : equal.y ? 1 : 2;"
	                             " if (at != -1) a[x] = 0; }";
	struct prediction p = among(one, 0, 0);
	double single = writes(&p), any;

	(void)state;
	p = among(four, 0, 0);
	any = writes(&p);
	assert_true(any > 3 * single && any < 0.4);
	/* that nothing was found is as frequent as that it was not */
	p = among(marked, 0, 0);
	assert_close(writes(&p), any, 1e-6);
}

static void an_end_that_comes_as_ever_is_foreseen(void **state)
{
	static const char source[] = "kernel void f(global int *a, global int *b)"
	                             "{ int x = get_global_id(0);"
	                             " for (int k = 0; k < (38 - clz(b[x] | 1)) / 7; k++)"
	                             " a[x + k * 3] = k; }";
	struct prediction p;

	(void)state;
	p = among(source, 1 << 15, 1 << 20); /* of 16 to 20 bits */
	assert_close(writes(&p), 3, 0.01);
	assert_close(row_count(&p, GUESSED_WRONG), 0, 1e-9);
	p = among(source, 0, 1 << 14 << 14); /* nearly always of 26 to 28 bits, and four trips */
	assert_true(row_count(&p, GUESSED_WRONG) < 0.1);
	p = among("kernel void f(global int *a, global int *b)"
	          "{ int x = get_global_id(0); for (int k = 0; k < b[x]; k++) a[x + k * 3] = k; }",
	          0, 9);
	assert_close(row_count(&p, GUESSED_WRONG), 1, 0.01);
}

static void a_loop_that_data_leave_is_left_at_a_wrong_guess(void **state)
{
	struct prediction p;

	(void)state;
	/* goes on with one chance in four, as often as it is guessed wrong */
	p = among("kernel void f(global ushort *a, global int *b)"
	          "{ int x = get_global_id(0), k = 0;"
	          " while (k < 12 && b[x + k] == b[x + k + 900]) k++;"
	          " a[x] = k; }",
	          0, 3);
	assert_true(row_count(&p, GUESSED_WRONG) > 0.2);
	assert_true(row_count(&p, GUESSED_WRONG) < 0.5);
	/* of what nothing is known once, wherever it ends */
	p = among("kernel void f(global ushort *a, global int *b)"
	          "{ int x = get_global_id(0), k = 0, sum = 0;"
	          " for (; k < 200; k++) { sum += b[x + k]; if (sum > 777) break; }"
	          " a[x] = k; }",
	          0, 0);
	assert_close(row_count(&p, GUESSED_WRONG), 1, 0.01);
}

static void a_search_is_guessed_wrong_at_every_other_step(void **state)
{
	struct prediction p;

	(void)state;
	p = among("kernel void f(global int *a, global int *b)"
	          "{ int x = get_global_id(0), low = 0, high = 1000, key = a[x];"
	          " for (int k = 0; k < 10; k++)"
	          " { int middle = (low + high) / 2;"
	          " if (b[middle] < key) low = middle + 1; else high = middle; }"
	          " a[x] = low; }",
	          0, 0);
	assert_close(row_count(&p, GUESSED_WRONG), 10 * 0.5, 0.01);
	/* what is compared with another value each time looks for none */
	p = among("kernel void f(global int *a, global int *b)"
	          "{ int x = get_global_id(0), left = b[x]; for (int k = 0; k < 40; k++)"
	          " { int need = b[x + k * 3]; left += b[x + k * 5];"
	          " if (left >= need) { left -= need; a[x] = k; } } }",
	          0, 0);
	assert_close(row_count(&p, GUESSED_WRONG), 40 * 0.25, 0.01);
}

static void a_select_is_a_branch_where_its_condition_comes_late(void **state)
{
	struct prediction p;

	(void)state;
	/* nothing waits for what is compared */
	p = among("kernel void f(global int *a, global int *b)"
	          "{ int x = get_global_id(0), most = 0;"
	          " for (int k = 0; k < 100; k++) most = max(most, b[x + k]);"
	          " a[x] = most; }",
	          0, 0);
	assert_close(row_count(&p, GUESSED_WRONG), 0, 1e-9);
	/* a loop goes through both maxima, of which the first waits for one side much longer */
	p = among("kernel void f(global int *a, global int *b)"
	          "{ int x = get_global_id(0), w = a[x], left = 0, skipped = 0;"
	          " for (int k = 0; k < 100; k++)"
	          " { skipped = max(left - w, skipped - 2);"
	          " left = max(b[x + k] * w * w * w, skipped); }"
	          " a[x] = left; }",
	          0, 0);
	assert_close(row_count(&p, GUESSED_WRONG), 100 * 0.25, 0.01);
}

static void what_an_array_holds_is_data_where_data_were_stored(void **state)
{
	static const char *kept = "kernel void f(global int *a, global int *b)"
	                          "{ int x = get_global_id(0), n = get_local_size(0), t[2];"
	                          " for (int k = 0; k < 2; k++) t[k] = STORED;"
	                          " for (int k = 0; k < 2; k++) if (t[k] & 1) a[x + k] = 1; }";
	char source[512];
	struct prediction p;

	(void)state;
	snprintf(source, sizeof source, "#define STORED b[x + k]\n%s", kept);
	p = among(source, 0, 0);
	assert_close(row_count(&p, GUESSED_WRONG), 2 * 0.5, 1e-3);
	snprintf(source, sizeof source, "#define STORED n * k\n%s", kept);
	p = among(source, 0, 0);
	assert_close(row_count(&p, GUESSED_WRONG), 0, 1e-9);
}

static void a_few_choices_within_each_other_are_selected(void **state)
{
	struct prediction p;

	(void)state;
	p = among("kernel void f(global int *a, global int *b)"
	          "{ int x = get_global_id(0), least = 99, second = 99;"
	          " for (int k = 0; k < 100; k++) { int v = b[x + k];"
	          " if (v & 1) { second = least; least = v; } else if (v & 2) second = v; }"
	          " a[x] = least * second; }",
	          0, 0);
	assert_close(row_count(&p, GUESSED_WRONG), 0, 1e-9);
}

static void what_is_far_below_zero_stands_for_none(void **state)
{
	static const struct {
		const char *test;
		double share;
	} tests[] = {{"v < -9999.0f", 0.5 / 10000}, {"-9000.0f < v", 1 - 0.5 / 9001}};

	(void)state;
	for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
		char source[256];
		struct prediction p;

		snprintf(source, sizeof source,
		         "kernel void f(global float *a, global float *b)"
		         "{ int x = get_global_id(0); float v = b[x]; if (%s) a[x] = 1; }",
		         tests[i].test);
		p = among(source, 0, 0);
		assert_close(writes(&p), tests[i].share, 1e-3);
	}
}

/* Wrong guesses of a work-item whose condition is read by the work-items' rows or columns. */
static double guessed_by(const char *place)
{
	struct device *device = device_cpu();
	struct launch launch = launch_2d(1024, 64, 64, 1);
	struct ir_kernel *kernel;
	struct prediction p;
	char source[512];

	snprintf(source, sizeof source,
	         "kernel void f(global uint *a, global uint *b)"
	         "{ uint x = get_global_id(0), y = get_global_id(1);"
	         " for (uint k = 0; k < 10; k++) if (b[b[%s] + k] & 1) a[x * 64 + y] = k; }",
	         place);
	kernel = analyse(source, "");
	device_set(device, COEFFICIENT_MISPREDICT, 1e-9);
	device_make_scalar(device);
	for (unsigned i = 0; i < 2; i++)
		launch_buffer(&launch, ITEMS * 4 + 4096);
	p = answer(kernel, device, &launch);
	kernel_free(kernel);
	free(device);
	return row_count(&p, GUESSED_WRONG);
}

static void what_a_row_has_in_common_is_guessed_right(void **state)
{
	(void)state;
	assert_close(guessed_by("x"), 10 * 0.5, 1e-3);
	assert_close(guessed_by("y"), 0, 1e-9);
}

static void a_bound_is_seldom_passed(void **state)
{
	static const char *late = "kernel void f(global int *a, global int *b)"
	                          "{ int x = get_global_id(0), w = a[x], left = 0, skipped = 0;"
	                          " for (int k = 0; k < 100; k++)"
	                          " { skipped = max(left - w, skipped - 2);"
	                          " left = max(min(b[x + k] * w * w * w, BOUND), skipped); }"
	                          " a[x] = left; }";
	static const char *const bounds[] = {"w", "127"};

	(void)state;
	/* one wrong guess in four of the maximum, and as many of what any number may exceed */
	for (unsigned i = 0; i < 2; i++) {
		char source[512];
		struct prediction p;

		snprintf(source, sizeof source, "#define BOUND %s\n%s", bounds[i], late);
		p = among(source, 0, 0);
		assert_close(row_count(&p, GUESSED_WRONG), i == 0 ? 50 : 25, 0.01);
	}
}

static double guessing_time_s(const char *source)
{
	struct prediction p = among(source, 0, 0);

	for (uint32_t i = 0; i < p.row_count; i++)
		if (strcmp(p.rows[i].what, GUESSED_WRONG) == 0)
			return p.rows[i].time_s;
	return 0;
}

static void guesses_of_one_value_wait_for_it_once(void **state)
{
	double one_s, two_s;

	(void)state;
	one_s = guessing_time_s("kernel void f(global int *a, global int *b)"
	                        "{ int x = get_global_id(0), v = ((b[x] * 5 ^ 3) * 7 ^ 5) * 9;"
	                        " if (v & 1) a[x] = v; }");
	two_s = guessing_time_s("kernel void f(global int *a, global int *b)"
	                        "{ int x = get_global_id(0), v = ((b[x] * 5 ^ 3) * 7 ^ 5) * 9;"
	                        " if (v & 1) a[x] = v; if (v & 2) a[x + 9] = v; }");
	/* the second begins where the first was known, or waits where that was right: 3 of 4 */
	assert_true(one_s > 0.5 * (double)ITEMS * 1.1e-9);
	assert_close(two_s - (double)ITEMS * 1e-9, 1.5 * (one_s - 0.5 * (double)ITEMS * 1e-9), 0.1);
}

static void searches_in_order_part_from_each_other_late(void **state)
{
	static const char *search =
	        "kernel void f(global int *a, global int *b)"
	        "{ int x = get_global_id(0), low = 0, key = KEY;"
	        " for (int step = 1 << 13; step > 0; step >>= 1)"
	        " { if (b[low + step] <= key) low = low + step; else a[x + low] = 1; }"
	        " a[x] = low; }";
	char source[512];
	struct prediction p;

	(void)state;
	snprintf(source, sizeof source, "#define KEY x * 5\n%s", search);
	p = among(source, 0, 0);
	assert_close(row_count(&p, GUESSED_WRONG), 2, 0.01);
	/* every place has the same key */
	snprintf(source, sizeof source, "#define KEY x * a[7]\n%s", search);
	p = among(source, 0, 0);
	assert_close(row_count(&p, GUESSED_WRONG), 2, 0.01);
	snprintf(source, sizeof source, "#define KEY a[x]\n%s", search);
	p = among(source, 0, 0);
	assert_true(row_count(&p, GUESSED_WRONG) > 3);
}

/* Whether work-items are kept from being lanes by what they do under a condition. */
static bool is_emulated(const char *source)
{
	struct device *device = device_cpu();
	struct ir_kernel *kernel = analyse(source, "");
	struct launch launch = launch_1d(ITEMS, 64);
	bool is_emulated;

	for (uint32_t i = 0; i < kernel->argument_count; i++)
		launch_buffer(&launch, ITEMS * 4 + 4096);
	is_emulated = strstr(answer(kernel, device, &launch).note, "gathered under a") != NULL;
	kernel_free(kernel);
	free(device);
	return is_emulated;
}

static void bytes_gathered_under_a_mask_leave_no_vectors(void **state)
{
	(void)state;
	/* as scalar evolution can say nothing of an int with a literal */
	assert_true(is_emulated("kernel void f(global int *a, global uchar *b)"
	                        "{ int x = get_global_id(0);"
	                        " if (a[x] > 5) a[x] = b[x + 3]; }"));
	/* as everything is under a mask behind an exit; a place for all is gathered, too */
	assert_true(is_emulated("kernel void f(global int *a, global uchar *b)"
	                        "{ size_t x = get_global_id(0);"
	                        " if (a[x] > 5) return; a[x] = b[7]; }"));
	assert_true(is_emulated("kernel void f(global int *a, global short *b)"
	                        "{ size_t x = get_global_id(0);"
	                        " if (a[x] > 5) a[x] = b[2 * x]; }"));
	/* words are gathered, neighbours are under a mask of their own */
	assert_false(is_emulated("kernel void f(global int *a, global int *b)"
	                         "{ int x = get_global_id(0);"
	                         " if (a[x] > 5) a[x] = b[x + 3]; }"));
	assert_false(is_emulated("kernel void f(global int *a, global uchar *b)"
	                         "{ size_t x = get_global_id(0);"
	                         " if (a[x] > 5) a[x] = b[x + 3] + b[1000 - x]; }"));
	assert_false(is_emulated("kernel void f(global int *a, global uchar *b)"
	                         "{ int x = get_global_id(0); a[x] = b[x + 3]; }"));
	/* what is taken away again is no literal; one store is made of branches */
	assert_false(is_emulated("kernel void f(global int *a, global uchar *b)"
	                         "{ int x = get_global_id(0) + 1;"
	                         " if (a[x] > 5) a[x] = b[x - 1]; }"));
	assert_false(is_emulated("kernel void f(global int *a, global uchar *b)"
	                         "{ int x = get_global_id(0);"
	                         " if (a[x] > 5) b[x + 3] = a[x]; }"));
	assert_true(is_emulated("kernel void f(global int *a, global uchar *b)"
	                        "{ int x = get_global_id(0);"
	                        " if (a[x] > 5) { b[x + 3] = a[x]; b[x + 7] = 1; } }"));
}

/* On a CPU that makes vectors, rows of 16 by 16. */
static struct prediction in_rows(const char *source)
{
	struct device *device = device_cpu();
	struct ir_kernel *kernel = analyse(source, "");
	struct launch launch = launch_2d(256, 256, 16, 16);
	struct prediction p;

	for (uint32_t i = 0; i < kernel->argument_count; i++)
		launch_buffer(&launch, ITEMS * 4 + 4096);
	p = answer(kernel, device, &launch);
	kernel_free(kernel);
	free(device);
	return p;
}

static void what_one_row_does_is_no_work_of_others(void **state)
{
	struct prediction p;

	(void)state;
	p = in_rows("kernel void f(global float *a, global float *b)"
	            "{ size_t x = get_global_id(0), y = get_global_id(1);"
	            " if (y == 0) a[x] = exp(b[x]); }");
	assert_true(row_count(&p, "float exp") < 0.1);
	/* by what a row reads of an array that nothing is written to */
	p = in_rows("kernel void f(global float *a, global int *b)"
	            "{ size_t x = get_global_id(0), y = get_global_id(1);"
	            " if (b[y] & 1) a[y * 256 + x] = exp(a[y * 256 + x]); }");
	assert_close(row_count(&p, "float exp"), 0.5, 0.1);
	/* lanes of one vector: all do what one of them does */
	p = in_rows("kernel void f(global float *a, global float *b)"
	            "{ size_t x = get_global_id(0), y = get_global_id(1);"
	            " if (x == 0) a[y] = exp(b[y]); }");
	assert_close(row_count(&p, "float exp"), 1, 0.01);
}

static void operations_of_vectors_leave_no_lanes(void **state)
{
	(void)state;
	assert_true(in_rows("kernel void f(global float *a, global float *b)"
	                    "{ size_t x = get_global_id(0);"
	                    " float3 v = (float3)(b[x], b[x + 1], b[x + 2]) / b[x + 3];"
	                    " a[x] = dot(v, v); }")
	                    .is_scalar);
	/* one component is all that is needed: an operation of scalars */
	assert_false(in_rows("kernel void f(global float *a, global float *b)"
	                     "{ size_t x = get_global_id(0);"
	                     " float2 v = (float2)(b[x], b[x + 1]) / b[x + 3];"
	                     " a[x] = v.y; }")
	                     .is_scalar);
}

static void the_next_iteration_waits_for_all_of_a_quotient(void **state)
{
	struct device *device = device_cpu();
	struct ir_kernel *kernel = analyse("kernel void f(global float *a, global float *b)"
	                                   "{ int x = get_global_id(0); float s = b[x];"
	                                   " for (int k = 0; k < 100; k++) s = b[x + k] / s;"
	                                   " a[x] = s; }",
	                                   "");
	struct launch launch = launch_1d(ITEMS, 64);

	(void)state;
	launch_buffer(&launch, ITEMS * 4 + 4096);
	launch_buffer(&launch, ITEMS * 4 + 4096);
	device_set(device, COEFFICIENT_WINDOW, 0);
	device_set(device, coefficient_op(OP_MODE_SCALAR, TYPE_CLASS_FLOAT, OP_CLASS_DIV), 1e-8);
	/* eleven cycles for each three in which the divider takes one in */
	assert_close(answer(kernel, device, &launch).kernel_time_s,
	             (double)ITEMS * 100 * 3.5 * 1e-8, 0.1);
	kernel_free(kernel);
	free(device);
}

static double latency_s(const char *source)
{
	struct prediction p = among(source, 0, 0);

	for (uint32_t i = 0; i < p.row_count; i++)
		if (strcmp(p.rows[i].what, "latency of dependent operations") == 0)
			return p.rows[i].time_s;
	return 0;
}

static void a_sum_in_memory_waits_as_one_in_a_register(void **state)
{
	(void)state;
	assert_close(latency_s("kernel void f(global float *a, global float *b)"
	                       "{ int x = get_global_id(0);"
	                       " for (int k = 0; k < 1000; k++) a[x] += b[x + k]; }"),
	             latency_s("kernel void f(global float *a, global float *b)"
	                       "{ int x = get_global_id(0); float s = a[x];"
	                       " for (int k = 0; k < 1000; k++) s += b[x + k];"
	                       " a[x] = s; }"),
	             0.05);
}

static void a_flag_is_guessed_wrong_when_it_changes(void **state)
{
	/* a byte in 256 changes it; the bytes behind a changed one are guessed right */
	const char *source = "kernel void f(global uchar *a, global uchar *b)"
	                     "{ int x = get_global_id(0), q = 0, n = 0;"
	                     " for (int k = 0; k < 256; k++) {"
	                     "  if (b[x + k] == 7) q = !q;"
	                     "  else if (!q) { if (b[x + 2 * k] == 9) n++; a[x + k] = n; } }"
	                     " a[x] = n; }";
	struct prediction p = among(source, 0, 0);

	(void)state;
	assert_true(row_count(&p, GUESSED_WRONG) > 1);
	assert_true(row_count(&p, GUESSED_WRONG) < 256 / 8);
}

static void what_a_branch_chooses_is_a_step_where_it_is_selected(void **state)
{
	(void)state;
	assert_close(latency_s("kernel void f(global int *a, global int *b)"
	                       "{ int x = get_global_id(0), s = b[x];"
	                       " for (int k = 0; k < 1000; k++) if (s > k) s = s ^ x;"
	                       " a[x] = s; }"),
	             latency_s("kernel void f(global int *a, global int *b)"
	                       "{ int x = get_global_id(0), s = b[x];"
	                       " for (int k = 0; k < 1000; k++) s = (s ^ k) + x;"
	                       " a[x] = s; }"),
	             0.05);
}

static void a_rest_of_a_division_by_a_constant_waits_for_two_products(void **state)
{
	(void)state;
	/* a product, a shift, a product, a difference; and the sum */
	assert_close(latency_s("kernel void f(global uint *a, global uint *b)"
	                       "{ int x = get_global_id(0); uint s = 0;"
	                       " for (uint k = 0; k < 1000; k++) s = (s + k) % 65521;"
	                       " a[x] = s; }") /
	                     latency_s("kernel void f(global uint *a, global uint *b)"
	                               "{ int x = get_global_id(0); uint s = 0;"
	                               " for (uint k = 0; k < 1000; k++) s = (s + k) ^ x;"
	                               " a[x] = s; }"),
	             (1 + 1 + 1 + 3 + 1) / 2.0, 0.3);
}

static void a_state_in_a_byte_waits_as_one_in_a_word(void **state)
{
	(void)state;
	assert_close(latency_s("kernel void f(global uchar *a, global uchar *b)"
	                       "{ int x = get_global_id(0); uchar s = 0;"
	                       " for (int k = 0; k < 1000; k++) s = b[s * 8 + (k & 7)] & 15;"
	                       " a[x] = s; }"),
	             latency_s("kernel void f(global uchar *a, global uchar *b)"
	                       "{ int x = get_global_id(0); uint s = 0;"
	                       " for (int k = 0; k < 1000; k++) s = b[s + (k & 7)] & 15;"
	                       " a[x] = s; }"),
	             0.05);
}

static void what_work_items_keep_in_arrays_of_their_own_differs(void **state)
{
	static const char table[] = "kernel void f(global int *a, global int *b)"
	                            "{ int x = get_global_id(0); int t[4], sum = 0;"
	                            " for (int k = 0; k < 4; k++) t[k] = %s;"
	                            " for (int k = 0; k < 4; k++) if (t[k] & 1)"
	                            " for (int i = 0; i < x; i++) sum += b[i] ^ sum;"
	                            " a[x] = sum; }";
	char source[512];
	struct prediction p;

	(void)state;
	(void)snprintf(source, sizeof source, table, "b[x * 4 + k]");
	p = among(source, 0, 0);
	assert_close(row_count(&p, GUESSED_WRONG), 2, 0.02);
	(void)snprintf(source, sizeof source, table, "b[k]");
	p = among(source, 0, 0);
	assert_close(row_count(&p, GUESSED_WRONG), 0, 1e-9);
}

static double wrong_where(const char *condition)
{
	char source[512];
	struct prediction p;

	(void)snprintf(source, sizeof source,
	               "kernel void f(global float *a, global float *b) { int x = "
	               "get_global_id(0);"
	               " float u = 3 * b[x] - 1, v = 3 * b[x + 9] - 1, s = u * u + v * v;"
	               " if (%s) { a[x] = u; a[x + 1] = v; a[x + 2] = s; }"
	               " else { a[x + 3] = v; a[x + 4] = u; a[x + 5] = s; } }",
	               condition);
	p = among(source, 0, 0);
	return row_count(&p, GUESSED_WRONG);
}

static void each_of_joined_conditions_is_guessed(void **state)
{
	double one = wrong_where("u < 0.5f"), both = wrong_where("u < 0 || u > 1");

	(void)state;
	assert_true(both > 1.2 * one);
	assert_close(wrong_where("!(u >= 0 && u <= 1)"), both, 0.1);
	/* a sum of squares is none below zero */
	assert_close(wrong_where("s < 0.5f && s > 0"), wrong_where("s < 0.5f"), 0.1);
	/* nor what is at least that, or as long as a side across */
	assert_close(wrong_where("s < 0.5f && fmax(u, 0.0f) >= 0"), wrong_where("s < 0.5f"), 0.1);
	assert_close(wrong_where("s < 0.5f && hypot(u, v) > 0"), wrong_where("s < 0.5f"), 0.1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(each_of_joined_conditions_is_guessed),
	        cmocka_unit_test(what_work_items_keep_in_arrays_of_their_own_differs),
	        cmocka_unit_test(the_best_so_far_is_found_seldom),
	        cmocka_unit_test(one_among_the_best_is_found_more_often),
	        cmocka_unit_test(a_loop_goes_half_as_far_as_its_end_within),
	        cmocka_unit_test(what_asks_for_bytes_is_tried_with_all_of_them),
	        cmocka_unit_test(numbers_that_differ_in_no_bit_are_equal),
	        cmocka_unit_test(what_is_looked_for_in_a_vector_is_seldom_there),
	        cmocka_unit_test(an_end_that_comes_as_ever_is_foreseen),
	        cmocka_unit_test(a_loop_that_data_leave_is_left_at_a_wrong_guess),
	        cmocka_unit_test(a_search_is_guessed_wrong_at_every_other_step),
	        cmocka_unit_test(a_select_is_a_branch_where_its_condition_comes_late),
	        cmocka_unit_test(what_an_array_holds_is_data_where_data_were_stored),
	        cmocka_unit_test(a_few_choices_within_each_other_are_selected),
	        cmocka_unit_test(what_is_far_below_zero_stands_for_none),
	        cmocka_unit_test(what_a_row_has_in_common_is_guessed_right),
	        cmocka_unit_test(a_bound_is_seldom_passed),
	        cmocka_unit_test(guesses_of_one_value_wait_for_it_once),
	        cmocka_unit_test(searches_in_order_part_from_each_other_late),
	        cmocka_unit_test(the_next_iteration_waits_for_all_of_a_quotient),
	        cmocka_unit_test(a_sum_in_memory_waits_as_one_in_a_register),
	        cmocka_unit_test(a_flag_is_guessed_wrong_when_it_changes),
	        cmocka_unit_test(what_a_branch_chooses_is_a_step_where_it_is_selected),
	        cmocka_unit_test(a_rest_of_a_division_by_a_constant_waits_for_two_products),
	        cmocka_unit_test(a_state_in_a_byte_waits_as_one_in_a_word),
	        cmocka_unit_test(what_one_row_does_is_no_work_of_others),
	        cmocka_unit_test(operations_of_vectors_leave_no_lanes),
	        cmocka_unit_test(bytes_gathered_under_a_mask_leave_no_vectors),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
