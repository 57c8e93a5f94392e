/* SPDX-License-Identifier: Apache-2.0 */
/* Which parts of a kernel a CPU's compiler makes vectors of, and what runs one by one beside them.
 */
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/passes/passes.h"
#include "tests/unit/frontend/analysis.h"
#include "tests/unit/predict/answers.h"
#include "tests/unit/predict/kernels.h"

enum { ITEMS = 1 << 16 };

/* Operations take 100 ps one by one, 10 in vectors; a wrong guess 10 ns; pow has no vectors. */
static struct device *core(void)
{
	struct device *device = device_cpu();

	for (unsigned type = 0; type < TYPE_CLASS_COUNT; type++)
		for (unsigned op = OP_CLASS_ADD; op < OP_CLASS_COUNT; op++) {
			double vector_s = op == OP_CLASS_POW ? 1e-10 : 1e-11;

			device_set(device,
			           coefficient_op(OP_MODE_VECTOR, (enum type_class)type,
			                          (enum op_class)op),
			           vector_s);
			device_set(device,
			           coefficient_op(OP_MODE_SCALAR, (enum type_class)type,
			                          (enum op_class)op),
			           1e-10);
		}
	device_set(device, COEFFICIENT_MISPREDICT, 1e-8);
	device_set(device, COEFFICIENT_INT_LATENCY, 1e-10);
	device_set(device, COEFFICIENT_ATOMIC_LOCAL_SAME, 1e-9);
	device_set(device, COEFFICIENT_ATOMIC_GLOBAL_SAME, 1e-9);
	return device;
}

static struct prediction ask_of(const struct device *device, const char *source, uint64_t group)
{
	struct ir_kernel *kernel = analyse(source, "");
	struct launch launch = launch_1d(ITEMS, group);
	struct prediction prediction;

	for (uint32_t i = 0; i < kernel->argument_count; i++) {
		if (kernel->arguments[i].kind == ARGUMENT_BUFFER)
			launch_buffer(&launch, (uint64_t)ITEMS * 4);
		else
			launch_integer(&launch, (enum scalar)kernel->arguments[i].type.scalar, 32);
	}
	prediction = answer(kernel, device, &launch);
	kernel_free(kernel);
	return prediction;
}

static struct prediction ask_in(const char *source, uint64_t group)
{
	struct device *device = core();
	struct prediction prediction = ask_of(device, source, group);

	free(device);
	return prediction;
}

static struct prediction ask(const char *source)
{
	return ask_in(source, 64);
}

static void a_call_without_vectors_leaves_them_to_the_regions_beside_it(void **state)
{
	static const char apart[] =
	        "kernel void f(global float *a) { local float t[64]; int x = get_local_id(0);"
	        " t[x] = pow(a[get_global_id(0)], 3.5f); barrier(CLK_LOCAL_MEM_FENCE);"
	        " for (int i = 0; i < 9; i++) {"
	        " t[x] = t[x] * 3 + (t[x] + 5) * (t[x] + 7) * (t[x] + 11);"
	        " barrier(CLK_LOCAL_MEM_FENCE); } a[get_global_id(0)] = t[x]; }";
	static const char together[] =
	        "kernel void f(global float *a) { local float t[64]; int x = get_local_id(0);"
	        " t[x] = a[get_global_id(0)]; barrier(CLK_LOCAL_MEM_FENCE);"
	        " for (int i = 0; i < 9; i++) { t[x] = pow(t[x], 3.5f) * 3 +"
	        " (t[x] + 5) * (t[x] + 7) * (t[x] + 11);"
	        " barrier(CLK_LOCAL_MEM_FENCE); } a[get_global_id(0)] = t[x]; }";
	struct prediction beside = ask(apart), within = ask(together);

	(void)state;
	assert_close(row_time(&beside, "float pow"), (double)ITEMS * 1e-10, 0.3);
	assert_true(row_time(&within, "float add") > 5 * row_time(&beside, "float add"));
}

static void locks_begin_when_guesses_are_known_to_be_right(void **state)
{
	static const char source[] =
	        "kernel void f(global float *a, global uint *n) { local uint c;"
	        " int x = get_local_id(0);"
	        " if (x == 0) c = 0; barrier(CLK_LOCAL_MEM_FENCE);"
	        " if (a[get_global_id(0)] > 5) atomic_inc(&c); barrier(CLK_LOCAL_MEM_FENCE);"
	        " if (x == 0) atomic_add(n, c); }";
	struct prediction p = ask(source);

	(void)state;
	/* though what else stands in the branch's block becomes vectors */
	assert_close(row_count(&p, "branches guessed wrong"), 0.25, 0.01);
	assert_true(p.kernel_time_s >
	            row_time(&p, "branches guessed wrong") + row_time(&p, "local atomic on c"));
}

static void like_terms_of_a_sum_are_packed_where_that_saves_something(void **state)
{
	static const char source[] = "kernel void f(global uchar *a, global int *b, int n)"
	                             "{ int x = get_global_id(0), s = 0; uchar m = a[x];"
	                             " %s b[x] = s; }";
	static const char *const sums[] = {
	        "s += ((a[x * n] ^ m) & 1) == 0; s += ((a[x * n + n] ^ m) & 1) == 0;"
	        " s += ((a[x * n + 3 * n] ^ m) & 1) == 0; s += ((a[x + n] ^ m) & 1) == 0;",
	        "s = a[x * n] + a[x * n + n] + a[x * n + 3 * n] + a[x + n] + m;"};
	double time_s[2];

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		char text[512];
		struct prediction p;

		(void)snprintf(text, sizeof(text), source, sums[i]);
		p = ask(text);
		time_s[i] = row_time(&p, "int mul") / row_count(&p, "int mul");
	}
	assert_true(time_s[0] > 5 * time_s[1]);
}

static void a_short_loop_with_a_branch_is_unrolled_without_vectors(void **state)
{
	static const char relax[] =
	        "kernel void f(global int *a, global int *b, int n) { int x = get_global_id(0);"
	        " int through = a[n] + b[x]; if (through < a[x]) a[x] = through; }";
	struct prediction narrow = ask_in(relax, 16), wide = ask_in(relax, 32);

	(void)state;
	assert_non_null(strstr(narrow.note, "that is short"));
	assert_null(strstr(wide.note, "that is short"));
}

static void vectors_are_widened_one_by_one(void **state)
{
	static const char dot[] =
	        "kernel void f(global int *a, global %s *b, int n) { int x = get_global_id(0), sum "
	        "= 0;"
	        " for (int k = 0; k < n; k++) { int4 v = convert_int4(b[k]); v *= v;"
	        " sum += v.x + v.y + v.z + v.w; } a[x] = sum; }";
	char source[2][512];
	struct prediction wide, narrow;

	(void)state;
	(void)snprintf(source[0], sizeof source[0], dot, "int4");
	(void)snprintf(source[1], sizeof source[1], dot, "char4");
	wide = ask(source[0]);
	narrow = ask(source[1]);
	assert_close(row_count(&narrow, "moves of a vector's parts") -
	                     row_count(&wide, "moves of a vector's parts"),
	             32 * 4, 1e-6);
}

static double waiting_s(unsigned apart)
{
	char source[512];
	struct prediction p;

	(void)snprintf(source, sizeof source,
	               "kernel void f(global int *a, global int *b, int n) {"
	               " int x = get_global_id(0), w[64], sum = 0;"
	               " for (int k = 0; k < 16; k++) w[k] = a[x + k];"
	               " for (int k = 16; k < 64; k++) w[k] = (w[k - %u] * 3 ^ k) * 5 + b[k];"
	               " for (int k = 0; k < 64; k++) sum ^= w[k]; a[x] = sum; }",
	               apart);
	p = ask(source);
	return row_time(&p, "latency of dependent operations");
}

static void a_loop_waits_for_what_it_wrote_two_iterations_before(void **state)
{
	(void)state;
	assert_true(waiting_s(2) > 1.2 * waiting_s(16));
	assert_close(waiting_s(16), waiting_s(1), 1e-9); /* which stays in a register */
}

/* What 65536 work-items wait in 32 iterations of a loop that hands `v` on. */
static double handing_on_s(const char *declarations, const char *type, const char *next)
{
	char source[512];
	struct prediction p;

	(void)snprintf(source, sizeof source,
	               "kernel void f(global uint *a, global %s *b, int n) {"
	               " uint x = get_global_id(0); %s %s v = b[x];"
	               " for (int k = 0; k < n; k++) v = %s; a[x] = v; }",
	               type, declarations, type, next);
	p = ask(source);
	return row_time(&p, "latency of dependent operations");
}

static void narrow_numbers_are_parts_of_the_same_registers(void **state)
{
	double words_s = handing_on_s("", "uint", "(v ^ b[k]) * 5"), bytes_s;

	(void)state;
	bytes_s = handing_on_s("", "uchar", "(v ^ b[k]) * 5");
	/* two operations; and to extend a byte another one, at the most */
	assert_true(bytes_s >= words_s && bytes_s < 1.6 * words_s);
}

static void tables_in_local_and_private_memory_are_waited_for(void **state)
{
	double global_s = handing_on_s("", "uint", "b[v & 255]"), local_s, private_s, register_s;

	(void)state;
	local_s = handing_on_s("local uint t[256]; t[x & 255] = x;", "uint", "t[v & 255]");
	private_s = handing_on_s("uint t[256]; for (int i = 0; i < 256; i++) t[i] = b[i];", "uint",
	                         "t[v & 255]");
	register_s = handing_on_s("uint t[2]; t[0] = b[0]; t[1] = b[1];", "uint", "t[1] ^ (v * 5)");
	assert_true(global_s > 2 * register_s);
	assert_true(local_s > 0.5 * global_s && local_s < 1.1 * global_s);
	assert_true(private_s > 0.5 * global_s);
}

static void a_step_of_a_tree_that_moves_much_is_left_to_the_few_that_take_it(void **state)
{
	static const char tree[] =
	        "kernel void f(global float *a, global float *b) { int l = get_local_id(0);"
	        " local float s[64], t[64], u[64];"
	        " s[l] = b[get_global_id(0)]; t[l] = u[l] = s[l] * 2;"
	        " for (int h = 32; h > 0; h >>= 1) { barrier(1); if (l < h) { %s } }"
	        " if (l == 0) a[get_group_id(0)] = s[0] + t[0] + u[0]; }";
	char one[512], three[512];

	(void)state;
	(void)snprintf(one, sizeof one, tree, "s[l] += s[l + h];");
	(void)snprintf(three, sizeof three, tree,
	               "s[l] += s[l + h]; t[l] += t[l + h]; u[l] += u[l + h];");
	assert_null(strstr(ask(one).note, "not vectorised in part"));
	assert_non_null(strstr(ask(three).note, "not vectorised in part"));
	/* it is done one by one, and by half of the work-items less each time */
	assert_true(ask(three).kernel_time_s < 2 * ask(one).kernel_time_s);
}

static double moves_count(const char *next)
{
	char source[512];
	struct prediction p;

	(void)snprintf(source, sizeof source,
	               "kernel void f(global float2 *a, global float2 *b, int n) {"
	               " int x = get_global_id(0); float2 s = 0;"
	               " for (int k = 0; k < n; k++) { float2 v = b[k]; %s } a[x] = s; }",
	               next);
	p = ask(source);
	return row_count(&p, "moves of a vector's parts");
}

static void what_is_only_added_to_stays_a_vector(void **state)
{
	double crossed = moves_count("float t = s.x; s.x = s.y + v.x; s.y = t + v.x;");
	double added = moves_count("s.x += v.x; s.y += v.x;");

	(void)state;
	/* in each of 32 iterations two components need not come out, but go in */
	assert_close(crossed - added, 32 * 2, 1e-6);
}

static void a_minimum_of_integers_is_a_comparison_and_a_choice(void **state)
{
	struct prediction p =
	        ask("kernel void f(global int *a, global int *b, int n) { int x = get_global_id(0),"
	            " v = 0; for (int k = 0; k < n; k++) v = max(v ^ b[k], x) * 3; a[x] = v; }");

	(void)state;
	assert_close(row_time(&p, "int minmax") / row_count(&p, "int minmax"),
	             2 * row_time(&p, "int add") / row_count(&p, "int add"), 1e-6);
}

static double nested_wait_s(const char *outside, const char *inside)
{
	struct device *device = core();
	char source[512];
	struct prediction p;

	(void)snprintf(source, sizeof source,
	               "kernel void f(global uint *a, global uint *b, int n) {"
	               " uint x = get_global_id(0); %s"
	               " for (int k = 0; k < n; k++) { %s"
	               " for (int i = 0; i < 16; i++) v = v * 5 + b[k + i];"
	               " a[x + k] = v; } }",
	               outside, inside);
	device_set(device, COEFFICIENT_WINDOW, 400);
	p = ask_of(device, source, 64);
	free(device);
	return row_time(&p, "latency of dependent operations");
}

static void iterations_overlap_where_the_loop_within_begins_anew(void **state)
{
	double carried_s = nested_wait_s("uint v = 0;", ""),
	       anew_s = nested_wait_s("", "uint v = 0;");

	(void)state;
	assert_true(anew_s < 0.7 * carried_s);
}

static bool goes_around_by(const char *before, const char *loop, const char *place)
{
	char source[1024];
	struct ir_kernel *kernel;
	bool is_outer;

	(void)snprintf(source, sizeof source,
	               "kernel void f(global float *a, global float *b, int n) {"
	               " local float t[96]; int l = get_local_id(0), at = l; float sum = 0;"
	               " %s barrier(CLK_LOCAL_MEM_FENCE);"
	               " for (%s) sum += t[%s];"
	               " a[get_global_id(0)] = sum; }",
	               before, loop, place);
	kernel = analyse(source, "");
	is_outer = kernel->summary->loops[kernel->summary->loop_count - 1].is_outer;
	kernel_free(kernel);
	return is_outer;
}

static bool goes_around(const char *before, const char *place)
{
	return goes_around_by(before, "int k = 0; k < 9; k++", place);
}

static void a_loop_stays_inside_that_does_not_count_from_zero(void **state)
{
	static const char fill[] = "t[l] = b[l];";

	(void)state;
	assert_true(goes_around_by(fill, "int k = 0; k < n; k++", "k"));
	assert_false(goes_around_by(fill, "int k = 1; k < 9; k++", "k"));
	assert_false(goes_around_by(fill, "int k = -8; k <= 8; k++", "k + 8"));
	assert_false(goes_around_by(fill, "int k = 0; k < n; k += 2", "k"));
	assert_false(goes_around_by(fill, "int k = 9; k > 0; k--", "k"));
	assert_false(goes_around_by(fill, "int k = n; k > 0; k >>= 1", "k"));
	assert_false(goes_around_by(fill, "int k = n; k < 2 * n; k++", "k"));
}

static void a_loop_stays_inside_where_nobody_knows_that_all_get_to_it(void **state)
{
	static const char fill[] = "for (int i = l; i < 80; i += 64) t[i] = b[i];";

	(void)state;
	assert_true(goes_around("t[l] = b[l];", "l + k"));
	/* l is made one of 64 bits before the loop, and behind it where that was not entered */
	assert_false(goes_around(fill, "l + k"));
	assert_true(goes_around(fill, "k"));
	/* so it is where what else loops count, and literals, are added; but for other numbers */
	assert_false(goes_around(fill, "l + 3 + k"));
	assert_false(goes_around(fill, "l + k * 4"));
	assert_true(goes_around(fill, "l * 2 + k"));
	assert_true(goes_around(fill, "l + n + k"));
	assert_true(
	        goes_around("t[l] = b[l]; for (int i = l; i < 80; i += 64) t[i] = b[i];", "l + k"));
	/* all meet behind what some skip, but not behind either of two sides */
	assert_true(goes_around("if (l < 5) for (int i = 0; i < n; i++) t[i + l] = b[i];", "k"));
	assert_false(goes_around("if (l < 5) for (int i = 0; i < n; i++) t[i + l] = b[i];"
	                         " else for (int i = 0; i < n; i++) t[i + l] = b[n - i];",
	                         "k"));
	assert_true(goes_around("if (n < 5) for (int i = 0; i < n; i++) t[i + l] = b[i];"
	                        " else for (int i = 0; i < n; i++) t[i + l] = b[n - i];",
	                        "k"));
	assert_true(goes_around("if (l < 5) t[l] = b[l]; else t[l] = 0;", "k"));
}

/* Whether each loop within the first one is straight code on a CPU. */
static bool is_straight(const char *trips, const char *body)
{
	char source[1024];
	struct ir_kernel *kernel;
	bool is_unrolled;

	(void)snprintf(source, sizeof source,
	               "kernel void f(global float *a, global float *b, int n) {"
	               " int x = get_global_id(0); float s[8]; float r = 0;"
	               " for (int k = 0; k < n; k++) for (int j = 0; j < %s; j++) %s"
	               " a[x] = s[n] + r; }",
	               trips, body);
	kernel = analyse(source, "");
	is_unrolled = kernel->summary->loops[1].is_unrolled_early;
	kernel_free(kernel);
	return is_unrolled;
}

static void a_short_loop_of_two_iterations_is_straight_code(void **state)
{
	(void)state;
	assert_true(is_straight("2", "s[j] += b[k + j * 16];"));
	assert_false(is_straight("3", "s[j] += b[k + j * 16];"));
	assert_false(is_straight("n", "s[j] += b[k + j * 16];"));
	/* whether it goes on is known to the compiler, but what it hands on is needed */
	assert_false(is_straight("2", "r += b[k + j * 16];"));
	assert_false(is_straight("2", "if (b[j] > 0) s[j] += b[k + j * 16];"));
	/* more than ten instructions */
	assert_false(is_straight("2", "s[j] += b[k + j * 16] * a[k + j * 16] - b[j * n + 1];"));
}

/* A tile that is transposed by way of local memory, four rows of it a work-item. */
static double kept_by_group(uint64_t width, uint64_t height, const char *row)
{
	struct device *device = core();
	struct launch launch = launch_2d(width * 64, height * 64, width, height);
	struct ir_kernel *kernel;
	struct prediction p;
	char source[1024];

	(void)snprintf(source, sizeof source,
	               "kernel void f(global float *a, global float *b, int n) {"
	               " local float t[1024]; int x = get_local_id(0); size_t y = get_local_id(1);"
	               " int column = get_group_id(0) * 8, top = get_group_id(1) * 8;"
	               " for (int i = 0; i < 4; i++)"
	               " t[(%s) * 8 + x] = a[(top + (%s)) * n + column + x];"
	               " barrier(CLK_LOCAL_MEM_FENCE);"
	               " for (int i = 0; i < 4; i++)"
	               " b[(column + (%s)) * n + top + x] = t[x * 8 + (%s)]; }",
	               row, row, row, row);
	kernel = analyse(source, "");
	launch_buffer(&launch, 1 << 22);
	launch_buffer(&launch, 1 << 22);
	launch_integer(&launch, SCALAR_INT, 1024);
	p = answer(kernel, device, &launch);
	kernel_free(kernel);
	free(device);
	return row_count(&p, "values kept across barriers");
}

static void a_group_whose_loops_are_unrolled_keeps_nothing_in_arrays(void **state)
{
	(void)state;
	assert_close(kept_by_group(8, 2, "y + i * 2"), 0, 1e-9);
	assert_close(kept_by_group(16, 1, "y + i * 2"), 0, 1e-9);
	assert_true(kept_by_group(8, 4, "y + i * 2") > 0);
	/* a product that both loops need makes them too long */
	assert_true(kept_by_group(8, 2, "y * 4 + i") > 0);
}

static double kept_by_trips(const char *trips)
{
	char source[1024];
	struct prediction p;

	(void)snprintf(source, sizeof source,
	               "kernel void f(global float *a, global float *b) { local float t[64];"
	               " int l = get_local_id(0); float v = b[get_global_id(0)], sum = 0; t[l] = v;"
	               " barrier(CLK_LOCAL_MEM_FENCE);"
	               " for (int k = 1; k < %s; k++) sum += t[k] * v;"
	               " a[get_global_id(0)] = sum; }",
	               trips);
	p = ask(source);
	return row_count(&p, "values kept across barriers");
}

static void what_a_loop_needs_is_loaded_before_it(void **state)
{
	(void)state;
	assert_true(kept_by_trips("9") > 0);
	assert_close(kept_by_trips("9"), kept_by_trips("50"), 1e-6);
}

static struct prediction in_regions(const char *between)
{
	char source[1024];

	(void)snprintf(source, sizeof source,
	               "kernel void f(global float *a, int n) { local float t[1024];"
	               " int l = get_local_id(0); float v = a[get_global_id(0)], s = 0; t[l] = v;"
	               " barrier(CLK_LOCAL_MEM_FENCE);"
	               "\n#pragma unroll\n for (int k = 0; k < 60; k++) v = v * v + 3;\n"
	               " %s"
	               "\n#pragma unroll\n for (int k = 0; k < 40; k++) t[l + k * 11] = s;\n"
	               " a[get_global_id(0)] = s + v; }",
	               between);
	return ask(source);
}

static void regions_between_barriers_do_not_overlap(void **state)
{
	struct prediction one = in_regions("if (n < 1) return;"),
	                  two = in_regions("if (n < 1) barrier(CLK_LOCAL_MEM_FENCE);");

	(void)state;
	assert_true(row_time(&two, "regions one after another") >
	            3 * rows_time(&one, "regions one after another"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(regions_between_barriers_do_not_overlap),
	        cmocka_unit_test(a_short_loop_of_two_iterations_is_straight_code),
	        cmocka_unit_test(a_group_whose_loops_are_unrolled_keeps_nothing_in_arrays),
	        cmocka_unit_test(what_a_loop_needs_is_loaded_before_it),
	        cmocka_unit_test(a_loop_stays_inside_that_does_not_count_from_zero),
	        cmocka_unit_test(a_loop_stays_inside_where_nobody_knows_that_all_get_to_it),
	        cmocka_unit_test(a_call_without_vectors_leaves_them_to_the_regions_beside_it),
	        cmocka_unit_test(locks_begin_when_guesses_are_known_to_be_right),
	        cmocka_unit_test(a_short_loop_with_a_branch_is_unrolled_without_vectors),
	        cmocka_unit_test(vectors_are_widened_one_by_one),
	        cmocka_unit_test(a_loop_waits_for_what_it_wrote_two_iterations_before),
	        cmocka_unit_test(narrow_numbers_are_parts_of_the_same_registers),
	        cmocka_unit_test(tables_in_local_and_private_memory_are_waited_for),
	        cmocka_unit_test(a_step_of_a_tree_that_moves_much_is_left_to_the_few_that_take_it),
	        cmocka_unit_test(what_is_only_added_to_stays_a_vector),
	        cmocka_unit_test(a_minimum_of_integers_is_a_comparison_and_a_choice),
	        cmocka_unit_test(iterations_overlap_where_the_loop_within_begins_anew),
	        cmocka_unit_test(like_terms_of_a_sum_are_packed_where_that_saves_something),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
