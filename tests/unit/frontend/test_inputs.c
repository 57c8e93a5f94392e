/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs of tests/inputs that were predicted wrong, each for a kind: what they become, and
 * what a prediction of them says.
 */
#include "tests/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/answer/predict.h"
#include "model/ir/text.h"
#include "tests/unit/frontend/analysis.h"
#include "tests/unit/golden/golden_device.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* The text of an input; the caller's to free. */
static char *input_read(const char *name)
{
	char path[500], *text = NULL;
	size_t bytes = 0;
	(void)snprintf(path, sizeof path, "%s/%s", INPUTS, name);
	FILE *file = fopen(path, "r");
	if (file == NULL)
		fail_msg("%s: cannot be read", path);
	text = calloc(1, 1 << 16);
	assert_non_null(text);
	bytes = fread(text, 1, (1 << 16) - 1, file);
	assert_true(bytes > 0);
	fclose(file);
	return text;
}

static struct ir_kernel *input_analyse(const char *name, const char *options)
{
	char *text = input_read(name);
	struct ir_kernel *kernel = analyse(text, options);
	free(text);
	return kernel;
}

static void predicted(const struct ir_kernel *kernel, struct prediction *prediction)
{
	struct launch launch = {.dimensions = 1,
	                        .global = {65536, 1, 1},
	                        .local = {64, 1, 1},
	                        .has_local = true,
	                        .argument_count = kernel->argument_count};
	struct device device;
	struct error error;
	for (uint32_t i = 0; i < launch.argument_count; i++) {
		launch.arguments[i].kind = kernel->arguments[i].kind;
		launch.arguments[i].type = kernel->arguments[i].type;
		launch.arguments[i].size_bytes =
		        kernel->arguments[i].kind == ARGUMENT_BUFFER ? 1 << 20 : 0;
		launch.arguments[i].access = BUFFER_READ_WRITE;
	}
	golden_device(&device);
	if (predict(kernel, &device, &launch, NULL, prediction, &error) != STATUS_OK)
		fail_msg("%s: %s", kernel->name, error.text);
}

static double width_of(const struct prediction *prediction)
{
	return log(prediction->high_s / prediction->low_s);
}

/* ---- unroll.cl ------------------------------------------------------------------------------- */

static void a_factor_by_a_macro_is_the_number_written_out(void **state)
{
	static const unsigned factors[] = {1, 2, 4, 64};
	char *text = input_read("unroll.cl"), *texts[COUNT(factors)];
	(void)state;
	for (size_t i = 0; i < COUNT(factors); i++) {
		char options[40], number[16], *literal = strdup(text);
		struct error error;
		char *two = NULL;
		/* "#pragma unroll FACTOR" -> "#pragma unroll     64" */
		char *word = strstr(literal, "unroll FACTOR");
		assert_non_null(word);
		(void)snprintf(number, sizeof number, "%6u", factors[i]);
		memcpy(word + strlen("unroll "), number, strlen("FACTOR"));
		(void)snprintf(options, sizeof options, "-DFACTOR=%u", factors[i]);
		struct ir_kernel *macro = analyse(text, options), *plain = analyse(literal, NULL);
		assert_int_equal(kernel_format(macro, 1 << 20, &texts[i], &error), STATUS_OK);
		assert_int_equal(kernel_format(plain, 1 << 20, &two, &error), STATUS_OK);
		assert_string_equal(texts[i], two);
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(texts[i], texts[j]);
		kernel_free(macro);
		kernel_free(plain);
		free(two);
		free(literal);
	}
	for (size_t i = 0; i < COUNT(factors); i++)
		free(texts[i]);
	free(text);
}

/* ---- objects --------------------------------------------------------------------------------- */

static void objects_are_counted_and_not_choices(void **state)
{
	static const char *const names[] = {"ptr2x.cl", "ptr2call.cl"};
	(void)state;
	for (size_t i = 0; i < COUNT(names); i++) {
		struct ir_kernel *kernel = input_analyse(names[i], NULL);
		assert_string_equal(kernel->unknown, "");
		assert_true(count_accesses(kernel, ACCESS_LOAD, "b") > 0);
		assert_true(count_accesses(kernel, ACCESS_LOAD, "c") > 0);
		kernel_free(kernel);
	}
	/* chosen twenty times: by then it is which of two, and a few choices after that */
	struct ir_kernel *kernel = input_analyse("ptr2x.cl", NULL);
	assert_in_range(count_accesses(kernel, ACCESS_LOAD, "b"), 1, 4);
	assert_in_range(count_accesses(kernel, ACCESS_LOAD, "c"), 1, 4);
	kernel_free(kernel);
}

/* ---- what is not known ----------------------------------------------------------------------- */

static void what_is_little_known_of_is_an_estimate_with_a_wider_interval(void **state)
{
	static const struct {
		const char *name, *what, *without; /* the same kernel with all known */
	} rows[] = {
	        {"ptr20.cl", "line 18: pointer to one of more than 16 objects",
	         "kernel void k(global float *a0, int s) { global float *p = a0;\n"
	         "p[get_global_id(0)] = 1; }"},
	        {"svm.cl", "line 3: a pointer in memory is taken as one to somewhere in n",
	         "typedef struct node { global struct node *next; float v; } node;\n"
	         "kernel void walk(global node *n, global float *o) { float s = 0; int g = "
	         "get_global_id(0); for (int i = 0; i < 10; i++) s += n[g].v + i; o[g] = s; }"},
	        {"nvasm.cl", "line 2: inline assembly",
	         "kernel void k(global uint *a) { a[get_global_id(0)] = 3; }"},
	};
	struct prediction *p = calloc(2, sizeof *p);
	(void)state;
	assert_non_null(p);
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct ir_kernel *kernel = input_analyse(rows[i].name, NULL);
		struct ir_kernel *known = analyse(rows[i].without, NULL);
		predicted(kernel, &p[0]);
		predicted(known, &p[1]);
		assert_int_equal(p[0].basis, BASIS_STATIC);
		assert_non_null(strstr(p[0].note, rows[i].what));
		assert_non_null(strstr(p[0].note, "% of what runs"));
		assert_true(width_of(&p[0]) > width_of(&p[1]));
		kernel_free(kernel);
		kernel_free(known);
	}
	free(p);
}

/* A list ends where memory says so: the loop has trips, however its end is written. */
static void a_list_ends_by_its_data(void **state)
{
	static const char *const loops[] = {
	        "node p = n + i; while (p) { s += p->v * 3 + 1; p = p->next; }",
	        "for (node p = n[i].next; p != 0; p = p->next) s += p->v * 3 + 1;",
	        "node p = n + i; while (p != (node)0 && s < 3) { s += p->v * 3 + 1; p = p->next; }",
	        "node p = n + i; do { s += p->v * 3 + 1; p = p->next; } while (p);",
	        "node p = n + i; for (;;) { if (p == 0) break; s += p->v * 3 + 1; p = p->next; }",
	};
	struct prediction *p = calloc(1, sizeof *p);
	(void)state;
	assert_non_null(p);
	for (size_t i = 0; i < COUNT(loops); i++) {
		char source[600];
		(void)snprintf(source, sizeof source,
		               "struct s { global struct s *next; float v; };\n"
		               "typedef global struct s *node;\n"
		               "kernel void walk(global struct s *n, global float *o) { float s = "
		               "0; int i = "
		               "get_global_id(0); %s o[i] = s; }",
		               loops[i]);
		struct ir_kernel *kernel = analyse(source, NULL);
		predicted(kernel, p);
		assert_int_equal(p->basis, BASIS_STATIC);
		assert_true(p->is_data_dependent);
		assert_false(p->is_capped);
		assert_non_null(strstr(p->note, "a pointer in memory"));
		kernel_free(kernel);
	}
	free(p);
}

static void what_is_mostly_unknown_is_a_fallback(void **state)
{
	static const char *const sources[] = {
	        "kernel void k(global int *a) { for (int i = 0; i < 100; i++) a[i] = magic(i, "
	        "a[0], "
	        "3, 4); a[1] = magic(magic(1, 2), 2); }",
	        "int hidden(int a, int b, int c); kernel void k(global int *a) { "
	        "for (int i = 0; i < 100; i++) hidden(i, i, i); *a = 1; }",
	        "kernel void k(global int *a) { int r; for (int i = 0; i < 100; i++) "
	        "asm volatile(\"mov 1; mov 2; mov 3; mov 4; mov 5;\" : \"=r\"(r)); *a = r; }",
	};
	struct prediction *p = calloc(1, sizeof *p);
	(void)state;
	assert_non_null(p);
	for (size_t i = 0; i < COUNT(sources); i++) {
		struct ir_kernel *kernel = analyse(sources[i], NULL);
		predicted(kernel, p);
		assert_int_equal(p->basis, BASIS_FALLBACK);
		assert_string_not_equal(kernel->unknown, "");
		assert_non_null(strstr(p->note, kernel->unknown));
		kernel_free(kernel);
	}
	free(p);
}

/* The share of what is unknown makes the interval wider, without a step between. */
static void an_interval_widens_with_the_share_that_is_unknown(void **state)
{
	struct prediction *p = calloc(1, sizeof *p);
	double before = 0;
	(void)state;
	assert_non_null(p);
	for (unsigned asms = 0; asms <= 8; asms += 2) {
		char source[900] =
		        "kernel void k(global int *a) { int i = get_global_id(0); int r = a[i]; "
		        "for (int k = 0; k < 8; k++) r = r * 3 + a[k];\n";
		for (unsigned k = 0; k < asms; k++)
			strcat(source, "asm volatile(\"nop\");\n");
		strcat(source, "a[i] = r; }");
		struct ir_kernel *kernel = analyse(source, NULL);
		predicted(kernel, p);
		assert_int_equal(p->basis, BASIS_STATIC);
		assert_true(width_of(p) > before);
		before = width_of(p);
		kernel_free(kernel);
	}
	free(p);
}

static void what_assembly_and_functions_assign_is_not_known_afterwards(void **state)
{
	static const struct {
		const char *source, *part, *not;
	} rows[] = {
	        {"kernel void k(global int *a) { int r = 3; asm(\"mov %0, 1\" : \"=r\"(r)); a[0] = "
	         "r; }",
	         "store int a[0] = unknown()", "= 3"},
	        {"kernel void k(global int *a) { int r = 3, q = 4; asm(\"mov %0, %1\" : \"=r\"(r) "
	         ": "
	         "\"r\"(q)); a[0] = q; }",
	         "store int a[0] = 4", "unknown()"},
	        {"void fill(int *p); kernel void k(global int *a) { int r = 3; fill(&r); a[0] = r; "
	         "}",
	         "store int a[0] = unknown()", "= 3"},
	        {"void fill(global int *p); kernel void k(global int *a) { a[0] = 1; fill(a); a[1] "
	         "= "
	         "a[0]; }",
	         "load a[0]", "unknown()"},
	        {"kernel void k(global int *a, int n) { int r = 3; for (int i = 0; i < n; i++) { "
	         "a[i] = "
	         "r; asm(\"add %0\" : \"+r\"(r)); } }",
	         "= int var 3", "= 3\n"},
	        {"kernel void k(global float4 *a) { a[0] = spell(a[1].x, a[2]); }",
	         "load a[0 + 32]", "unsupported"},
	        {"kernel void k(global int *a) { spell(); a[0] = 1; }", "unknown 1", "unsupported"},
	        {"#define S(x) spell(x)\nkernel void k(global int *a) { a[0] = S(a[1]); }",
	         "load a[0 + 4]", "unsupported"},
	};
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct ir_kernel *kernel = analyse(rows[i].source, NULL);
		assert_string_not_equal(kernel->unknown, "");
		assert_text(kernel, rows[i].part);
		assert_no_text(kernel, rows[i].not);
		kernel_free(kernel);
	}
}

static void vendors_and_khronos_inputs_have_nothing_unknown(void **state)
{
	(void)state;
	struct ir_kernel *kernel = input_analyse("intelsg.cl", NULL);
	assert_string_equal(kernel->unknown, "");
	assert_int_equal(count_accesses(kernel, ACCESS_LOAD, "a"), 4);
	kernel_free(kernel);
	kernel = input_analyse("dot4.cl", "-cl-std=CL3.0");
	assert_string_equal(kernel->unknown, "");
	/* two dot products of four bytes */
	assert_int_equal(count_nodes(kernel, NODE_MUL) + count_nodes(kernel, NODE_FMA), 2 * 4 + 1);
	kernel_free(kernel);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	        cmocka_unit_test(a_factor_by_a_macro_is_the_number_written_out),
	        cmocka_unit_test(objects_are_counted_and_not_choices),
	        cmocka_unit_test(what_is_little_known_of_is_an_estimate_with_a_wider_interval),
	        cmocka_unit_test(a_list_ends_by_its_data),
	        cmocka_unit_test(what_is_mostly_unknown_is_a_fallback),
	        cmocka_unit_test(an_interval_widens_with_the_share_that_is_unknown),
	        cmocka_unit_test(what_assembly_and_functions_assign_is_not_known_afterwards),
	        cmocka_unit_test(vendors_and_khronos_inputs_have_nothing_unknown),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("frontend inputs", tests, NULL, NULL);
}
