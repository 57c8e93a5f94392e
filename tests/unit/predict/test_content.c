/* SPDX-License-Identifier: Apache-2.0 */
/* What memory holds before a launch, as far as it is known. */
#include "tests/test.h"

#include <stdlib.h>

#include "model/evaluate/content.h"
#include "tests/unit/frontend/analysis.h"
#include "tests/unit/predict/kernels.h"

enum { ITEMS = 1024, DRAWS = 4096, ROWS = 1024, ROW = 8 };

/* The question about a kernel whose arguments are all buffers. */
struct asked {
	struct ir_kernel *kernel;
	struct launch launch;
	struct question question;
	struct rows rows;
};

static struct asked *ask(const char *source, bool has_range, int64_t low, int64_t high)
{
	struct asked *asked = calloc(1, sizeof(*asked));
	struct loop_facts facts[8] = {0};

	assert_non_null(asked);
	asked->kernel = analyse(source, "");
	asked->launch = launch_1d(ITEMS, 64);
	for (uint32_t i = 0; i < asked->kernel->argument_count; i++) {
		launch_buffer(&asked->launch, i == 0 ? (ROWS + 1) * sizeof(int32_t)
		                                     : (uint64_t)ROWS * ROW * sizeof(float));
		asked->launch.arguments[i].has_range = has_range;
		asked->launch.arguments[i].low = low;
		asked->launch.arguments[i].high = high;
	}
	asked->question = (struct question){.kernel = asked->kernel, .launch = &asked->launch};
	assert_true(asked->kernel->summary->loop_count < 8);
	rows_find(&asked->question, &asked->rows, facts);
	return asked;
}

static void asked_free(struct asked *asked)
{
	kernel_free(asked->kernel);
	free(asked);
}

/* What the first load from an argument yields, or of what is no argument (IR_NONE). */
static struct content content_from(const struct asked *asked, uint32_t argument,
                                   const struct rows *rows)
{
	const struct ir_kernel *kernel = asked->kernel;

	for (uint32_t i = 0; i < kernel->access_count; i++)
		if (kernel->accesses[i].kind == ACCESS_LOAD &&
		    kernel->objects[kernel->accesses[i].object].argument == argument)
			return content_of(&asked->question, rows, &kernel->accesses[i],
			                  kernel->accesses[i].type);
	fail_msg("no load from argument %u", argument);
	return (struct content){0};
}

#define SUM                                                                                        \
	"kernel void f(global const int *a, global const uchar *b, global const float *c,"         \
	" global float *out) { size_t i = get_global_id(0); out[i] = a[i] + b[i] + c[i]; }"

static void without_a_range_the_type_alone_tells(void **state)
{
	struct asked *asked = ask(SUM, false, 0, 0);

	(void)state;
	assert_int_equal(content_from(asked, 0, &asked->rows).kind, CONTENT_OPEN);
	assert_int_equal(content_from(asked, 1, &asked->rows).kind, CONTENT_BYTE);
	assert_int_equal(content_from(asked, 2, &asked->rows).kind, CONTENT_REAL);
	asked_free(asked);
}

static void a_range_is_of_integers(void **state)
{
	struct asked *asked = ask(SUM, true, -3, 4);

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		struct content content = content_from(asked, i, &asked->rows);

		assert_int_equal(content.kind, CONTENT_RANGE);
		assert_int_equal(content.low, -3);
		assert_int_equal(content.span, 7);
	}
	assert_int_equal(content_from(asked, 2, &asked->rows).kind, CONTENT_REAL);
	asked_free(asked);
}

static void numbers_of_a_range_are_all_of_it(void **state)
{
	const struct type type = {.scalar = SCALAR_INT, .width = 1};
	struct asked *asked = ask(SUM, true, -3, 4);
	struct content content = content_from(asked, 0, &asked->rows);
	unsigned seen[8] = {0};

	(void)state;
	for (uint64_t i = 0; i < DRAWS; i++) {
		int64_t number = content_number(&content, type, number_mix(i));

		assert_in_range(number + 3, 0, 7);
		seen[number + 3]++;
	}
	for (unsigned i = 0; i < 8; i++)
		assert_true(seen[i] > 0);
	asked_free(asked);
}

static void a_range_of_all_numbers_has_them_all(void **state)
{
	const struct type type = {.scalar = SCALAR_LONG, .width = 1};
	struct asked *asked = ask("kernel void f(global const long *a, global long *out)"
	                          " { out[get_global_id(0)] = a[get_global_id(0)]; }",
	                          true, INT64_MIN, INT64_MAX);
	struct content content = content_from(asked, 0, &asked->rows);

	(void)state;
	assert_int_equal(content.kind, CONTENT_RANGE);
	assert_int_equal(content_number(&content, type, 0), INT64_MIN);
	assert_int_equal(content_number(&content, type, UINT64_MAX), INT64_MAX);
	asked_free(asked);
}

static void reals_lie_between_zero_and_one(void **state)
{
	const struct content content = {.kind = CONTENT_REAL};
	const struct type type = {.scalar = SCALAR_DOUBLE, .width = 1};

	(void)state;
	assert_true(number_real(content_number(&content, type, 0)) >= 0);
	assert_true(number_real(content_number(&content, type, UINT64_MAX)) < 1);
}

/* Who asks whether rows begin there is told so, be there a range or not. */
static void where_rows_begin_is_told_apart(void **state)
{
	static const char source[] =
	        "kernel void f(global const int *start, global const float *value,"
	        " global float *out) { size_t i = get_global_id(0); float sum = 0;"
	        " for (int k = start[i]; k < start[i + 1]; k++) sum += value[k]; out[i] = sum; }";

	(void)state;
	for (int has_range = 0; has_range < 2; has_range++) {
		struct asked *asked = ask(source, has_range, 0, ROWS * ROW);

		assert_int_equal(content_from(asked, 0, &asked->rows).kind, CONTENT_ROW);
		assert_int_equal(rows_begin(&asked->rows, 3), 3 * ROW);
		assert_int_equal(content_from(asked, 0, NULL).kind,
		                 has_range ? CONTENT_RANGE : CONTENT_OPEN);
		assert_int_equal(content_from(asked, 1, &asked->rows).kind, CONTENT_REAL);
		asked_free(asked);
	}
}

/* The bits of where a row begins are no real that anybody could draw. */
static void reals_among_rows_are_reals(void **state)
{
	struct asked *asked =
	        ask("kernel void f(global const int *start, global const float *value,"
	            " global float *out) { size_t i = get_global_id(0);"
	            " float sum = ((global const float *)start)[i];"
	            " for (int k = start[i]; k < start[i + 1]; k++) sum += value[k];"
	            " out[i] = sum; }",
	            false, 0, 0);
	unsigned reals = 0, rows = 0;

	(void)state;
	for (uint32_t i = 0; i < asked->kernel->access_count; i++) {
		const struct ir_access *access = &asked->kernel->accesses[i];

		if (!rows_are_of(&asked->rows, access))
			continue;
		if (type_is_real(access->type)) {
			reals++;
			assert_int_equal(
			        content_of(&asked->question, &asked->rows, access, access->type)
			                .kind,
			        CONTENT_REAL);
		} else {
			rows++;
		}
	}
	assert_true(reals > 0);
	assert_true(rows > 0);
	asked_free(asked);
}

static void what_is_no_argument_has_no_range(void **state)
{
	struct asked *asked = ask("constant int table[4] = {7, 1, 4, 2};"
	                          "kernel void f(global int *out)"
	                          " { out[get_global_id(0)] = table[get_global_id(0) & 3]; }",
	                          true, 0, 1);

	(void)state;
	assert_int_equal(content_from(asked, IR_NONE, &asked->rows).kind, CONTENT_OPEN);
	asked_free(asked);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(without_a_range_the_type_alone_tells),
	        cmocka_unit_test(a_range_is_of_integers),
	        cmocka_unit_test(numbers_of_a_range_are_all_of_it),
	        cmocka_unit_test(a_range_of_all_numbers_has_them_all),
	        cmocka_unit_test(reals_lie_between_zero_and_one),
	        cmocka_unit_test(where_rows_begin_is_told_apart),
	        cmocka_unit_test(reals_among_rows_are_reals),
	        cmocka_unit_test(what_is_no_argument_has_no_range),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("content", tests, NULL, NULL);
}
