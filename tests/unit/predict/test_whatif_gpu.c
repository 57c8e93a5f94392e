/* SPDX-License-Identifier: Apache-2.0 */
/* Changes that kernels could follow on a GPU take what kernels take that have them written in. */
#include "tests/test.h"

#include <math.h>
#include <stdlib.h>

#include "model/passes/passes.h"
#include "model/whatif/whatif.h"
#include "tests/unit/predict/core.h"

enum { MANY = 1 << 20, FEW = 1 << 10, GROUP = 128, NUMBER = 64, BYTES = 64 << 20 };

static struct prediction asked(const char *source, uint64_t items,
                               const struct prediction_options *options)
{
	struct ir_kernel *kernel = analyse(source, "");
	struct device *device = device_gpu();
	struct launch launch = launch_1d(items, GROUP);
	struct prediction prediction;

	for (uint32_t i = 0; i < kernel->argument_count; i++) {
		if (kernel->arguments[i].kind == ARGUMENT_BUFFER)
			launch_buffer(&launch, BYTES);
		else
			launch_integer(&launch, (enum scalar)kernel->arguments[i].type.scalar,
			               NUMBER);
	}
	prediction = answer_by(kernel, device, &launch, options);
	free(device);
	kernel_free(kernel);
	return prediction;
}

/* NULL: it is not listed. */
static const struct what_if *found(const struct prediction *prediction, enum what_if_kind kind)
{
	for (uint32_t i = 0; i < prediction->what_if_count; i++)
		if (prediction->what_ifs[i].kind == kind)
			return &prediction->what_ifs[i];
	return NULL;
}

static bool lists(const char *source, enum what_if_kind kind)
{
	struct prediction before =
	        asked(source, MANY, &(struct prediction_options){.with_what_ifs = true});

	return found(&before, kind) != NULL;
}

/* And that it is sure, of a detail unless that is 0, and another time than before. */
static void assert_as_written(uint64_t items, const char *before_source, enum what_if_kind kind,
                              double detail, const char *after_source, double relative)
{
	struct prediction before =
	        asked(before_source, items, &(struct prediction_options){.with_what_ifs = true});
	struct prediction want = asked(after_source, items, &(struct prediction_options){0});
	const struct what_if *what_if = found(&before, kind);
	struct prediction got;

	assert_non_null(what_if);
	assert_true(what_if->is_sure);
	assert_true(detail == 0 || what_if->detail == detail);
	got = asked(before_source, items, &(struct prediction_options){.what_if = *what_if});
	assert_close(got.kernel_time_s, want.kernel_time_s, relative);
	assert_true(fabs(got.kernel_time_s / before.kernel_time_s - 1) > 0.03);
}

#define RECORD(place)                                                                              \
	"kernel void k(global const uchar *a, global uint *b)\n"                                   \
	"{ size_t i = get_global_id(0); uint s = 0;\n"                                             \
	"  for (int k = 0; k < 16; k++) s += a[" place "];\n"                                      \
	"  b[i] = s; }\n"

static void elements_of_a_record_are_a_vector(void **state)
{
	const char *shifted = RECORD("i * 16 + k + 3");
	struct prediction of_shifted =
	        asked(shifted, MANY, &(struct prediction_options){.with_what_ifs = true});

	(void)state;
	assert_as_written(
	        MANY, RECORD("i * 16 + k"), WHAT_IF_BESIDE, 16,
	        "kernel void k(global const uchar *a, global uint *b)\n"
	        "{ size_t i = get_global_id(0); uchar16 v = ((global const uchar16 *)a)[i];\n"
	        "  b[i] = (uint)v.s0 + v.s1 + v.s2 + v.s3 + v.s4 + v.s5 + v.s6 + v.s7 + v.s8 +\n"
	        "         v.s9 + v.sa + v.sb + v.sc + v.sd + v.se + v.sf; }\n",
	        0.02);
	/* no pointer to vectors points there */
	assert_non_null(found(&of_shifted, WHAT_IF_BESIDE));
	assert_false(found(&of_shifted, WHAT_IF_BESIDE)->is_sure);
	assert_false(lists(RECORD("i + k * 65536"), WHAT_IF_BESIDE));
}

#define STEPS(leaves, next, result)                                                                \
	"kernel void k(global const float *a, global float *b)\n"                                  \
	"{ size_t i = get_global_id(0); float x = a[i]; int k;\n"                                  \
	"  _Pragma(\"unroll\") for (k = 0; k < 24; k++) { " leaves " x = " next "; }\n"            \
	"  b[i] = " result "; }\n"

static void values_are_chosen_in_place_of_a_break(void **state)
{
	(void)state;
	assert_as_written(MANY, STEPS("if (x > 0.5f) break;", "x * 1.5f + 0.1f", "x"),
	                  WHAT_IF_CHOSEN, 0, STEPS("", "x > 0.5f ? x : x * 1.5f + 0.1f", "x"),
	                  0.02);
	/* it would not be left for good, the counter is asked for, or what comes first is no break
	 */
	assert_false(lists(STEPS("if (x > k) break;", "x * 1.5f", "x"), WHAT_IF_CHOSEN));
	assert_false(lists(STEPS("if (x > 0.5f) break;", "x * 1.5f", "x + k"), WHAT_IF_CHOSEN));
	assert_false(lists(STEPS("if (x > 0.5f) break; b[i + k] = x;", "x * 1.5f", "x"),
	                   WHAT_IF_CHOSEN));
	assert_false(lists(STEPS("if (x > 0.5f) return;", "x * 1.5f", "x"), WHAT_IF_CHOSEN));
}

#define PAIRS(tile, loop)                                                                          \
	"kernel void k(global const float *a, global float *b)\n"                                  \
	"{ " tile " float x = a[get_global_id(0)], s = 0;\n"                                       \
	"  " loop "\n"                                                                             \
	"  b[get_global_id(0)] = s; }\n"

/* The loop goes through a tile as another one around it goes through tiles. */
static void what_a_group_reads_alike_comes_by_a_loop_over_tiles(void **state)
{
	(void)state;
	assert_as_written(FEW, PAIRS("", "for (int k = 0; k < 4096; k++) s = a[k] * x + s;"),
	                  WHAT_IF_STAGED, 0,
	                  PAIRS("local float t[128];",
	                        "for (int j = 0; j < 4096; j += 128) {\n"
	                        "    t[get_local_id(0)] = a[j + get_local_id(0)];\n"
	                        "    barrier(CLK_LOCAL_MEM_FENCE);\n"
	                        "    for (int k = 0; k < 128; k++) s = t[k] * x + s;\n"
	                        "    barrier(CLK_LOCAL_MEM_FENCE); }"),
	                  0.03);
}

#define COUNT(place)                                                                               \
	"kernel void k(global const uint *a, volatile global uint *b)\n"                           \
	"{ size_t i = get_global_id(0);\n"                                                         \
	"  local uint s; if (get_local_id(0) == 0) s = 0; barrier(CLK_LOCAL_MEM_FENCE);\n"         \
	"  atomic_add(&s, a[i]); barrier(CLK_LOCAL_MEM_FENCE);\n"                                  \
	"  if (get_local_id(0) == 0) atomic_add(b + " place ", s); }\n"

#define COUNT_EACH(place, before, behind)                                                          \
	"kernel void k(global const uint *a, volatile global uint *b)\n"                           \
	"{ size_t i = get_global_id(0); " before " atomic_add(b + " place ", a[i]); " behind       \
	" }\n"

/* A group adds up in local memory what its work-items add to one place. */
static void a_group_counts_in_local_memory(void **state)
{
	(void)state;
	assert_as_written(MANY, COUNT_EACH("(i >> 7)", "", ""), WHAT_IF_IN_LOCAL, 4,
	                  COUNT("get_group_id(0)"), 0.1);
	assert_as_written(MANY, COUNT_EACH("0", "", ""), WHAT_IF_IN_LOCAL, 4, COUNT("0"), 0.1);
	/* each has a counter of its own; who asks for the sum needs the buffer's */
	assert_false(lists(COUNT_EACH("i", "", ""), WHAT_IF_IN_LOCAL));
	assert_false(lists(COUNT_EACH("0", "uint was =", "b[was] = i;"), WHAT_IF_IN_LOCAL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(elements_of_a_record_are_a_vector),
	        cmocka_unit_test(values_are_chosen_in_place_of_a_break),
	        cmocka_unit_test(what_a_group_reads_alike_comes_by_a_loop_over_tiles),
	        cmocka_unit_test(a_group_counts_in_local_memory),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
