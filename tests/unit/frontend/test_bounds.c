/* SPDX-License-Identifier: Apache-2.0 */
/* What libclang takes, however long it would take: bounded, and refused by name and line. */
#include "tests/test.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/frontend/analysis.h"

enum { ROOM = 1 << 20 };

static char source[ROOM];
static size_t used;

static void begin(void)
{
	used = 0;
	source[0] = '\0';
}

__attribute__((format(printf, 1, 2))) static void add(const char *format, ...)
{
	va_list list;
	va_start(list, format);
	used += (size_t)vsnprintf(source + used, ROOM - used, format, list);
	va_end(list);
	assert_true(used < ROOM);
}

/* Structs of two of the one before each: 2^levels members of the first. */
static void add_structs(unsigned levels)
{
	add("struct s0 { int x; };\n");
	for (unsigned i = 1; i <= levels; i++)
		add("struct s%u { struct s%u a, b; };\n", i, i - 1);
}

static void add_path(unsigned levels)
{
	for (unsigned i = 0; i < levels; i++)
		add(".b");
	add(".x");
}

static void members_of_structs_within_structs_are_counted(void **state)
{
	static const unsigned levels[] = {12, 13, 24, 60};
	(void)state;
	for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
		begin();
		add_structs(levels[i]);
		add("kernel void k(global int *a) {\n  struct s%u s;\n  a[0] = s", levels[i]);
		add_path(levels[i]);
		add(";\n}\n");
		if (levels[i] < 13) {
			kernel_free(analyse(source, NULL));
			continue;
		}
		assert_unsupported(source, "struct with more than 16384 members");
	}
}

/* Through a pointer, in an initialiser and in a loop alike. */
static void members_are_counted_wherever_they_are_named(void **state)
{
	static const char *const kernels[] = {
	        "kernel void k(global struct s24 *a) { a[1].a = a[0].b; }\n",
	        "kernel void k(global int *a) { struct s24 s = {.b = {}}; a[0] = sizeof s; }\n",
	        "kernel void k(global int *a) { struct s24 s; while (a[0]) s.a.a = s.b.b; }\n",
	};
	(void)state;
	for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
		begin();
		add_structs(24);
		add("%s", kernels[i]);
		assert_unsupported(source, "struct with more than 16384 members");
	}
}

static void add_inlining(unsigned kernels)
{
	begin();
	add("int f0(int x) { return x * x; }\n");
	for (unsigned i = 1; i <= 12; i++)
		add("int f%u(int x) { return f%u(x) + f%u(x + %u); }\n", i, i - 1, i - 1, i);
	for (unsigned i = 0; i < kernels; i++)
		add("kernel void k%u(global int *a) { a[%u] = f12(a[0]); }\n", i, i);
}

/* The first ones are understood all the same. */
static void kernels_share_the_work_that_a_program_may_be(void **state)
{
	enum { KERNELS = 200 };
	struct frontend_program program = {.name = "x.cl", .source = source};
	struct ir_kernel **kernels;
	struct error error;
	size_t count, refused = 0;
	char want[128];
	(void)state;
	add_inlining(KERNELS);
	program.source_bytes = used;
	assert_int_equal(frontend_analyse(&program, &kernels, &count, NULL, &error), STATUS_OK);
	assert_int_equal(count, KERNELS);
	assert_string_equal(kernels[0]->unsupported, "");
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(kernels[i]->argument_count, 1);
		if (kernels[i]->unsupported[0] == '\0') {
			assert_int_equal(refused, 0); /* in order */
			continue;
		}
		refused++;
		(void)snprintf(want, sizeof want,
		               "line %zu: the kernels before it are all that one program may be; "
		               "put it into another",
		               14 + i);
		assert_string_equal(kernels[i]->unsupported, want);
	}
	assert_in_range(refused, KERNELS / 2, KERNELS - 1);
	frontend_free(kernels, count);
}

static void small_kernels_are_all_understood(void **state)
{
	struct frontend_program program = {.name = "x.cl", .source = source};
	struct ir_kernel **kernels;
	struct error error;
	size_t count;
	(void)state;
	begin();
	for (unsigned i = 0; i < 1000; i++)
		add("kernel void k%u(global int *a, int n) {\n"
		    "  for (int i = 0; i < n; i++) if (a[i] > %u) a[i] += i; else a[i] -= n;\n}\n",
		    i, i);
	program.source_bytes = used;
	assert_int_equal(frontend_analyse(&program, &kernels, &count, NULL, &error), STATUS_OK);
	assert_int_equal(count, 1000);
	for (size_t i = 0; i < count; i++)
		assert_string_equal(kernels[i]->unsupported, "");
	frontend_free(kernels, count);
}

static void kernels_have_so_many_arguments(void **state)
{
	struct ir_kernel *kernel;
	(void)state;
	for (unsigned count = IR_ARGUMENTS_MAX; count <= 2 * IR_ARGUMENTS_MAX;
	     count += IR_ARGUMENTS_MAX) {
		begin();
		add("kernel void k(int a0");
		for (unsigned i = 1; i < count; i++)
			add(", int a%u", i);
		add(") {}\n");
		if (count == IR_ARGUMENTS_MAX) {
			kernel = analyse(source, NULL);
			assert_int_equal(kernel->argument_count, IR_ARGUMENTS_MAX);
			kernel_free(kernel);
			continue;
		}
		assert_unsupported(source, "line 1: more than 256 arguments");
	}
}

static void a_kernel_that_is_declared_often_is_defined_once(void **state)
{
	struct frontend_program program = {.name = "x.cl", .source = source};
	struct ir_kernel **kernels;
	struct error error;
	size_t count;
	(void)state;
	begin();
	for (unsigned i = 0; i < 5000; i++)
		add("kernel void k(global int *a);\n");
	add("kernel void k(global int *a) { a[0] = 1; }\n");
	for (unsigned i = 0; i < 5000; i++)
		add("kernel void k(global int *a);\n");
	program.source_bytes = used;
	assert_int_equal(frontend_analyse(&program, &kernels, &count, NULL, &error), STATUS_OK);
	assert_int_equal(count, 1);
	assert_int_equal(kernels[0]->line, 5001);
	assert_string_equal(kernels[0]->unsupported, "");
	frontend_free(kernels, count);
}

static void jumps_to_many_labels_are_bounded(void **state)
{
	(void)state;
	begin();
	add("kernel void k(global int *a, int x) {\n");
	for (unsigned i = 0; i < 5000; i++)
		add("l%u: a[%u] = x; if (a[%u] > x) goto l%u;\n", i, i, i, i == 0 ? 0 : 1);
	add("}\n");
	assert_unsupported(source, "too large or nested too deeply");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	        cmocka_unit_test(members_of_structs_within_structs_are_counted),
	        cmocka_unit_test(members_are_counted_wherever_they_are_named),
	        cmocka_unit_test(kernels_share_the_work_that_a_program_may_be),
	        cmocka_unit_test(small_kernels_are_all_understood),
	        cmocka_unit_test(kernels_have_so_many_arguments),
	        cmocka_unit_test(a_kernel_that_is_declared_often_is_defined_once),
	        cmocka_unit_test(jumps_to_many_labels_are_bounded),
	};
	/* as the analyser runs it: on the caller's stack, and a crash is a crash */
	(void)setenv("LIBCLANG_NOTHREADS", "1", 1);
	(void)setenv("LIBCLANG_DISABLE_CRASH_RECOVERY", "1", 1);
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("frontend bounds", tests, NULL, NULL);
}
