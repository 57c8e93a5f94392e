/* SPDX-License-Identifier: Apache-2.0 */
/* Trees of sums in local memory, and what they take by their first half. */
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>

#include "model/passes/passes.h"
#include "model/whatif/whatif.h"
#include "tests/unit/predict/core.h"

enum { MANY = 1 << 18, BYTES = 64 << 20, ROUNDS = 64 };

/* distances; who adds; what is added; what is read of the sums. */
#define TREE                                                                                       \
	"kernel void k(global const float *a, global float *b, int n)\n"                           \
	"{ local float x[256]; uint lane = get_local_id(0); float sum = a[get_global_id(0)];\n"    \
	"  for (int r = 0; r < n; r++) { x[lane] = sum; barrier(CLK_LOCAL_MEM_FENCE);\n"           \
	"    for (%s) { if (%s) %s; barrier(CLK_LOCAL_MEM_FENCE); }\n"                             \
	"    sum = 0.5f * sum + x[%s]; barrier(CLK_LOCAL_MEM_FENCE); }\n"                          \
	"  b[get_global_id(0)] = sum; }\n"
#define RISING  "uint s = 1; s < 256; s *= 2"
#define FALLING "uint s = 128; s > 0; s /= 2"
#define APART   "x[2 * s * lane] += x[2 * s * lane + s]"
#define NEAR    "x[lane] += x[lane + s]"

static struct prediction asked(const char *distances, const char *who, const char *sum,
                               const char *read, bool is_gpu, size_t group,
                               const struct prediction_options *options)
{
	char source[2048];
	struct ir_kernel *kernel;
	struct device *device = is_gpu ? device_gpu() : device_cpu();
	struct launch launch = launch_1d(MANY, group);
	struct prediction prediction;

	(void)snprintf(source, sizeof source, TREE, distances, who, sum, read);
	kernel = analyse(source, "");
	launch_buffer(&launch, BYTES);
	launch_buffer(&launch, BYTES);
	launch_integer(&launch, SCALAR_INT, ROUNDS);
	prediction = answer_by(kernel, device, &launch, options);
	free(device);
	kernel_free(kernel);
	return prediction;
}

/* NULL: it is not listed. */
static const struct what_if *found(const struct prediction *prediction)
{
	for (uint32_t i = 0; i < prediction->what_if_count; i++)
		if (prediction->what_ifs[i].kind == WHAT_IF_TREE)
			return &prediction->what_ifs[i];
	return NULL;
}

static bool lists(const char *distances, const char *who, const char *sum, const char *read,
                  bool is_gpu, size_t group)
{
	struct prediction before = asked(distances, who, sum, read, is_gpu, group,
	                                 &(struct prediction_options){.with_what_ifs = true});

	return found(&before) != NULL;
}

static void assert_as_written(const char *who, const char *sum)
{
	struct prediction before = asked(RISING, who, sum, "0", true, 256,
	                                 &(struct prediction_options){.with_what_ifs = true});
	struct prediction want =
	        asked(FALLING, "lane < s", NEAR, "0", true, 256, &(struct prediction_options){0});
	const struct what_if *what_if = found(&before);
	struct prediction got;

	assert_non_null(what_if);
	assert_int_equal(what_if->line, 4);
	assert_close(what_if->detail, 256, 1e-9);
	got = asked(RISING, who, sum, "0", true, 256,
	            &(struct prediction_options){.what_if = *what_if});
	assert_close(got.kernel_time_s, want.kernel_time_s, 1e-6);
	assert_true(got.kernel_time_s < before.kernel_time_s);
}

static void a_tree_of_far_places_takes_what_one_by_its_first_half_takes(void **state)
{
	(void)state;
	assert_as_written("2 * s * lane < 256", APART);
	assert_as_written("lane * 2 * s < 256", "x[lane * 2 * s] += x[lane * 2 * s + s]");
}

static void a_tree_of_scattered_work_items_takes_what_one_by_its_first_half_takes(void **state)
{
	(void)state;
	assert_as_written("lane % (2 * s) == 0", NEAR);
	assert_as_written("!(lane % (2 * s))", NEAR);
	assert_as_written("(lane & (2 * s - 1)) == 0", NEAR);
}

static void the_bound_may_be_the_group_s_size(void **state)
{
	(void)state;
	assert_true(lists("uint s = 1; s < get_local_size(0); s <<= 1", "2 * s * lane < 256", APART,
	                  "0", true, 256));
	assert_false(lists(RISING, "2 * s * lane < 256", APART, "0", true, 128));
}

static void other_trees_and_sums_stay(void **state)
{
	(void)state;
	/* it goes by its first half already */
	assert_false(lists(FALLING, "lane < s", NEAR, "0", true, 256));
	/* not those that add */
	assert_false(lists(RISING, "lane < s", NEAR, "0", true, 256));
	assert_false(lists(RISING, "lane % s == 0", NEAR, "0", true, 256));
	/* the order matters */
	assert_false(lists(RISING, "2 * s * lane < 256",
	                   "x[2 * s * lane] = x[2 * s * lane + s] - x[2 * s * lane]", "0", true,
	                   256));
	/* partners as far as elements of other kinds, or of another place */
	assert_false(lists(RISING, "2 * s * lane < 256", "x[2 * s * lane] += x[2 * s * lane + 1]",
	                   "0", true, 256));
	/* each work-item looks at what is left at its place: a scan */
	assert_false(lists(RISING, "2 * s * lane < 256", APART, "lane", true, 256));
	/* to a CPU places are as near as before */
	assert_false(lists(RISING, "2 * s * lane < 256", APART, "0", false, 256));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(a_tree_of_far_places_takes_what_one_by_its_first_half_takes),
	        cmocka_unit_test(
	                a_tree_of_scattered_work_items_takes_what_one_by_its_first_half_takes),
	        cmocka_unit_test(the_bound_may_be_the_group_s_size),
	        cmocka_unit_test(other_trees_and_sums_stay),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
