/* SPDX-License-Identifier: Apache-2.0 */
/* What parts of a launch read and write, and which kernels are refused: by small kernels. */
#include "tests/test.h"

#include <stdio.h>
#include <string.h>

#include "model/split/split.h"
#include "tests/unit/frontend/analysis.h"

enum { ITEMS = 1024, ROWS = 256, GROUP = 64 };

static struct split_reaches reaches;

/* What `body` does, of `a` and `b`, floats, and `n`, along a dimension of 1024 x 256 work-items. */
static void find(const char *body, uint32_t dimension, bool has_local)
{
	char source[2048];
	static struct launch launch;
	struct error error;
	(void)snprintf(source, sizeof source,
	               "kernel void k(global float *a, global float *b, global int *c, int n)\n"
	               "{\nsize_t x = get_global_id(0), y = get_global_id(1);\n"
	               "int i = get_global_id(0), l = get_local_id(0);\n%s\n}\n",
	               body);
	struct ir_kernel *kernel = analyse(source, "");
	memset(&launch, 0, sizeof launch);
	launch.dimensions = 2;
	launch.global[0] = ITEMS;
	launch.global[1] = ROWS;
	launch.global[2] = launch.local[1] = launch.local[2] = 1;
	launch.local[0] = GROUP;
	launch.has_local = has_local;
	launch.argument_count = 4;
	for (unsigned i = 0; i < 3; i++)
		launch.arguments[i] = (struct launch_argument){.kind = ARGUMENT_BUFFER,
		                                               .access = BUFFER_READ_WRITE,
		                                               .size_bytes = 4 * ITEMS * ROWS};
	launch.arguments[3].kind = ARGUMENT_SCALAR;
	launch.arguments[3].type = type_scalar(SCALAR_INT);
	launch.arguments[3].value.integer[0] = 1000;
	assert_int_equal(launch_check(kernel, NULL, &launch, &error), STATUS_OK);
	assert_int_equal(split_find_reaches(kernel, &launch, dimension, &reaches, &error),
	                 STATUS_OK);
	kernel_free(kernel);
}

static void assert_reach(const struct reach *reach, int64_t stride, int64_t low, int64_t high)
{
	assert_int_equal(reach->kind, REACH_OWN);
	if (reach->stride_bytes != stride || reach->low_bytes != low || reach->high_bytes != high)
		fail_msg("got %lld i %+lld .. %+lld", (long long)reach->stride_bytes,
		         (long long)reach->low_bytes, (long long)reach->high_bytes);
}

static void assert_split(const char *body, uint32_t dimension)
{
	find(body, dimension, true);
	assert_string_equal(reaches.refusal, "");
	for (uint32_t i = 0; i < reaches.argument_count; i++)
		assert_string_equal(reaches.arguments[i].refusal, "");
}

static void assert_refused(const char *body, uint32_t dimension, const char *why)
{
	const char *said = NULL;
	find(body, dimension, true);
	said = reaches.refusal;
	for (uint32_t i = 0; i < reaches.argument_count && said[0] == '\0'; i++)
		said = reaches.arguments[i].refusal;
	if (strstr(said, why) == NULL)
		fail_msg("want \"%s\", got \"%s\"", why, said);
}

#define READS(i)  (&reaches.arguments[i].reads)
#define WRITES(i) (&reaches.arguments[i].writes)

static void items_and_rows_are_parts_own(void **state)
{
	(void)state;
	assert_split("b[x] = a[x];", 0);
	assert_reach(READS(0), 4, 0, 0);
	assert_reach(WRITES(1), 4, 0, 0);
	assert_true(reaches.arguments[1].is_filled && READS(1)->kind == REACH_NOTHING);
	assert_split("b[y * 1024 + x] = a[y * 1024 + x];", 1);
	assert_reach(READS(0), 4096, 0, 0);
	assert_reach(WRITES(1), 4096, 0, 0);
	assert_true(reaches.arguments[1].is_filled);
	assert_split("b[1023 - x] = 1;", 0); /* from behind */
	assert_reach(WRITES(1), -4, 4096, 4096);
	assert_split("vstore4((float4)(1), x, b);", 0);
	assert_reach(WRITES(1), 16, 0, 0);
	assert_split("b[3 * x + 1] = 1;", 0); /* with holes */
	assert_reach(WRITES(1), 12, 4, -4);
	assert_false(reaches.arguments[1].is_filled);
}

static void neighbours_are_a_halo(void **state)
{
	(void)state;
	assert_split("if (x > 0 && x < 1023) b[x] = a[x - 1] + a[x + 1];", 0);
	assert_reach(READS(0), 4, -4, 4);
	assert_false(reaches.arguments[1].is_filled); /* edges stay */
	/* clamped at both ends: none is beyond its neighbours */
	assert_split("b[x] = a[max(i - 1, 0)] + a[min(i + 1, 1023)];", 0);
	assert_reach(READS(0), 4, -4, 4);
	assert_split("b[x] = a[i == 0 ? 0 : i - 1];", 0);
	assert_reach(READS(0), 4, -4, 0);
	assert_split("float s = 0; for (int k = -3; k <= 3; k++) s += a[i + 8 + k]; b[x] = s;", 0);
	assert_reach(READS(0), 4, 20, 44);
	assert_split("float s = 0; for (int k = i; k < i + 5; k++) s += a[k]; b[x] = s;", 0);
	assert_reach(READS(0), 4, 0, 16);
}

static void what_each_needs_is_whole(void **state)
{
	(void)state;
	/* a matrix product: rows of a, all of c */
	assert_split("float s = 0; for (int k = 0; k < 1024; k++) s += a[y * 1024 + k] * "
	             "c[k * 256 + x]; b[y * 1024 + x] = s;",
	             1);
	assert_reach(READS(0), 4096, 0, 0);
	assert_true(READS(2)->kind == REACH_WHOLE);
	assert_split("b[x] = a[c[x]];", 0); /* indirect */
	assert_true(READS(0)->kind == REACH_WHOLE);
	assert_reach(READS(2), 4, 0, 0);
	assert_split("b[x] = a[x] * c[5];", 0);
	assert_reach(READS(2), 0, 20, 24);
}

static void guards_bound_rows(void **state)
{
	(void)state;
	/* more work-items than a row has columns */
	assert_refused("b[y * 1000 + x] = 1;", 1, "neighbours along dimension 1");
	assert_split("if (x < n) b[y * n + x] = 1;", 1);
	assert_reach(WRITES(1), 4000, 0, 0);
	assert_split("if (x >= n || y >= 200) return; b[y * n + x] = 1;", 1);
	assert_reach(WRITES(1), 4000, 0, 0);
	assert_split("if (n == 5) b[0] = 1; b[x] = 2;", 0); /* never */
	assert_reach(WRITES(1), 4, 0, 0);
}

static void tiles_begin_with_their_group(void **state)
{
	(void)state;
	assert_split("local float t[64]; t[l] = a[i - l + (l + 1) % 64]; "
	             "barrier(CLK_LOCAL_MEM_FENCE); b[x] = t[63 - l];",
	             0);
	assert_reach(READS(0), 4, 0, 0);
	assert_split("for (int k = l; k < 64; k += 64) b[i - l + k] = 1;", 0);
	assert_reach(WRITES(1), 4, 0, 0);
}

static void writes_that_are_no_parts_own_are_refused(void **state)
{
	(void)state;
	assert_refused("b[c[x]] = 1;", 0, "line 5: it is written where data");
	assert_refused("b[0] = a[x];", 0, "written at places that do not go with dimension 0");
	assert_refused("b[x / 2] = 1;", 0, "dimension 0");
	assert_refused("b[x] = 1; b[x + 1] = 2;", 0, "not one piece");
	assert_refused("b[x] = 1; b[x + 4096] = 2;", 0, "not one piece");
	assert_refused("atomic_inc(&c[a[x] > 0]);", 0, "an atomic is");
	assert_refused("b[y * 1024 + x] = 1;", 0, "neighbours along dimension 0");
	assert_refused("b[x] = b[x + 1];", 0, "a part reads of it what other parts write");
	assert_refused("b[x] = b[7];", 0, "a part reads of it what other parts write");
	assert_split("b[1024 + x] = b[7];", 0); /* which nobody writes */
}

static void what_is_of_a_part_is_refused(void **state)
{
	(void)state;
	assert_refused("b[x] = get_global_size(0);", 0,
	               "line 5: get_global_size(0) is of the part");
	assert_refused("b[get_group_id(0) * 64 + l] = 1;", 0, "get_group_id(0)");
	assert_refused("for (size_t k = x; k < 4096; k += get_global_size(0)) b[k] = 1;", 0,
	               "get_global_size(0)");
	assert_refused("if (get_num_groups(0) > 4) b[x] = 1;", 0, "get_num_groups(0)");
	assert_refused("b[get_global_linear_id()] = 1;", 1, "get_global_");
	assert_refused("b[x - get_global_offset(0)] = 1;", 0, "get_global_offset(0)");
	assert_split("b[y * get_global_size(0) + x] = 1;", 1); /* of the other dimension */
	assert_reach(WRITES(1), 4096, 0, 0);
	find("b[x] = l;", 0, false);
	assert_non_null(strstr(reaches.refusal, "the work-group's size is not said"));
	find("b[x] = 1;", 0, false);
	assert_string_equal(reaches.refusal, "");
	assert_reach(WRITES(1), 4, 0, 0);
}

static void integers_that_wrap_are_not_believed(void **state)
{
	(void)state;
	/* as unsigned, x - 1 of the first item is far beyond the buffer */
	assert_split("b[x] = a[(uint)x - 1u > 5u ? 0 : (uint)x - 1u];", 0);
	assert_true(READS(0)->kind == REACH_WHOLE);
	assert_refused("b[(uchar)x] = 1;", 0, "dimension 0");
	assert_refused("uint k = x * 8388608u; b[k >> 23] = 1;", 0, "data or unknown values");
}

static void bytes_end_with_the_buffer(void **state)
{
	(void)state;
	const struct reach halo = {REACH_OWN, 4, -4, 4}, down = {REACH_OWN, -4, 4096, 4096},
	                   far = {REACH_OWN, INT64_MAX, 0, 0};
	uint64_t from, to;
	reach_bytes(&halo, 0, 512, 4096, &from, &to);
	assert_true(from == 0 && to == 2052);
	reach_bytes(&halo, 512, 1024, 4096, &from, &to);
	assert_true(from == 2044 && to == 4096);
	reach_bytes(&halo, 7, 7, 4096, &from, &to);
	assert_true(from == to);
	reach_bytes(&down, 0, 256, 4096, &from, &to);
	assert_true(from == 3072 && to == 4096);
	reach_bytes(&far, 2, 4, 4096, &from, &to);
	assert_true(from == 0 && to == 4096);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(items_and_rows_are_parts_own),
	        cmocka_unit_test(neighbours_are_a_halo),
	        cmocka_unit_test(what_each_needs_is_whole),
	        cmocka_unit_test(guards_bound_rows),
	        cmocka_unit_test(tiles_begin_with_their_group),
	        cmocka_unit_test(writes_that_are_no_parts_own_are_refused),
	        cmocka_unit_test(what_is_of_a_part_is_refused),
	        cmocka_unit_test(integers_that_wrap_are_not_believed),
	        cmocka_unit_test(bytes_end_with_the_buffer),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
