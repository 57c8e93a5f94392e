/* SPDX-License-Identifier: Apache-2.0 */
/* What lines of the source add: to whom costs belong, and that they add up. */
#include "tests/test.h"

#include "model/answer/predict.h"
#include "tests/unit/frontend/analysis.h"
#include "tests/unit/predict/answers.h"
#include "tests/unit/predict/kernels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char dense[] = "#define TWICE(x) ((x) + (x))\n"         /* 1 */
                            "float weigh(float x)\n"                 /* 2 */
                            "{\n"                                    /* 3 */
                            "	return sqrt(x) / 3.1f;\n"            /* 4 */
                            "}\n"                                    /* 5 */
                            "kernel void f(global const float *a,\n" /* 6 */
                            "              global float *out, int n)\n"
                            "{\n"                               /* 8 */
                            "	size_t i = get_global_id(0);\n" /* 9 */
                            "	float x = a[i];\n"              /* 10 */
                            "	for (int k = 0; k < n; k++)\n"  /* 11 */
                            "		x = weigh(x\n"          /* 12 */
                            "			+ 1);\n"        /* 13 */
                            "	for (int k = 0; k < n; k++)\n"  /* 14 */
                            "		x = TWICE(x) * 0.6f;\n" /* 15 */
                            "	out[i] = x;\n"                  /* 16 */
                            "}\n";

static struct prediction_lines lines_of(const struct ir_kernel *kernel, const struct device *device,
                                        const struct launch *launch, struct prediction *whole)
{
	struct prediction_lines lines;
	const struct prediction_options options = {.lines = &lines};

	*whole = answer_by(kernel, device, launch, &options);
	return lines;
}

static double share_at(const struct prediction_lines *lines, uint32_t line)
{
	for (uint32_t i = 0; i < lines->count; i++)
		if (lines->at[i].line == line)
			return lines->at[i].share;
	return 0;
}

static double sum_of(const struct prediction_lines *lines)
{
	double sum = lines->rest + lines->elsewhere;

	for (uint32_t i = 0; i < lines->count; i++) {
		assert_true(lines->at[i].share > 0);
		sum += lines->at[i].share;
	}
	return sum;
}

static struct launch dense_launch(uint64_t items, int64_t trips)
{
	struct launch launch = launch_1d(items, 128);

	launch_buffer(&launch, items * 4);
	launch_buffer(&launch, items * 4);
	launch_integer(&launch, SCALAR_INT, trips);
	return launch;
}

static void lines_add_up_to_the_kernel(void **state)
{
	struct device *devices[] = {device_cpu(), device_gpu()};

	(void)state;
	for (unsigned d = 0; d < 2; d++) {
		struct ir_kernel *kernel = analyse(dense, NULL);

		for (uint64_t items = 128; items <= 1 << 20; items *= 8) {
			struct launch launch = dense_launch(items, 100);
			struct prediction p, alone = answer(kernel, devices[d], &launch);
			struct prediction_lines lines = lines_of(kernel, devices[d], &launch, &p);

			assert_close(sum_of(&lines), 1, 1e-5);
			assert_true(lines.elsewhere >= (double)p.elasticity[BOTTLENECK_LAUNCH]);
			/* to ask changes nothing */
			assert_memory_equal(&p, &alone, sizeof(p));
		}
		kernel_free(kernel);
		free(devices[d]);
	}
}

static void a_loop_costs_its_body_times_its_trips(void **state)
{
	struct device *device = device_gpu();
	struct ir_kernel *kernel = analyse(dense, NULL);
	struct launch launch = dense_launch(1 << 22, 1000), longer = dense_launch(1 << 22, 2000);
	struct prediction p, q;
	struct prediction_lines lines = lines_of(kernel, device, &launch, &p);
	struct prediction_lines twice = lines_of(kernel, device, &longer, &q);

	(void)state;
	/* an inlined function's own line, not that of the call; a macro's where it is used */
	assert_true(share_at(&lines, 4) > 0.4);
	assert_true(share_at(&lines, 4) > 4 * share_at(&lines, 12));
	assert_true(share_at(&lines, 15) > 0.02 && share_at(&lines, 1) == 0);
	assert_true(share_at(&lines, 16) < 0.1);
	assert_close(share_at(&twice, 4) * q.kernel_time_s /
	                     (share_at(&lines, 4) * p.kernel_time_s),
	             2, 0.1);
	kernel_free(kernel);
	free(device);
}

static void traffic_belongs_to_the_access_that_causes_it(void **state)
{
	static const char source[] = "kernel void f(global const float *a, global float *out)\n"
	                             "{\n"
	                             "	size_t i = get_global_id(0);\n"
	                             "	float x = a[32 * i];\n" /* 4: a line of memory each */
	                             "	x += a[i / 1024];\n"    /* 5: in cache */
	                             "	out[i] = x;\n"
	                             "}\n";
	struct device *devices[] = {device_cpu(), device_gpu()};

	(void)state;
	for (unsigned d = 0; d < 2; d++) {
		struct ir_kernel *kernel = analyse(source, NULL);
		struct launch launch = launch_1d(1 << 22, 256);
		struct prediction p;

		launch_buffer(&launch, (uint64_t)128 << 22);
		launch_buffer(&launch, (uint64_t)4 << 22);
		struct prediction_lines lines = lines_of(kernel, devices[d], &launch, &p);

		assert_close(sum_of(&lines), 1, 1e-5);
		assert_true(share_at(&lines, 4) > 0.5);
		assert_true(share_at(&lines, 4) > 5 * share_at(&lines, 5));
		assert_true(share_at(&lines, 4) > 5 * share_at(&lines, 6));
		for (uint32_t i = 0; i < lines.count; i++)
			if (lines.at[i].line == 4)
				assert_int_equal(lines.at[i].bottleneck, BOTTLENECK_DRAM);
		kernel_free(kernel);
		free(devices[d]);
	}
}

static void the_least_of_many_lines_are_summed(void **state)
{
	enum { LINES = 600 };
	struct device *device = device_cpu();
	char *source = malloc(LINES * 40 + 200);
	size_t used = (size_t)sprintf(source, "kernel void f(global float *a)\n{\n"
	                                      "float x = a[get_global_id(0)];\n");
	struct launch launch = launch_1d(1 << 16, 128);
	struct prediction p;

	(void)state;
	for (unsigned i = 0; i < LINES; i++)
		used += (size_t)sprintf(source + used, "x = x * x + %u.5f;\n", i);
	(void)sprintf(source + used, "a[get_global_id(0)] = x;\n}\n");
	struct ir_kernel *kernel = analyse(source, NULL);
	launch_buffer(&launch, 4 << 16);
	struct prediction_lines lines = lines_of(kernel, device, &launch, &p);

	assert_int_equal(lines.count, PREDICTION_LINES_MAX);
	assert_true(lines.rest > 0.2);
	assert_close(sum_of(&lines), 1, 1e-5);
	for (uint32_t i = 1; i < lines.count; i++)
		assert_true(lines.at[i].line > lines.at[i - 1].line);
	kernel_free(kernel);
	free(device);
	free(source);
}

static void barriers_and_local_memory_have_lines(void **state)
{
	static const char source[] = "kernel void f(global float *out, local float *l)\n"
	                             "{\n"
	                             "	size_t i = get_local_id(0);\n"
	                             "	for (int k = 0; k < 100; k++) {\n"
	                             "		l[i] += l[(i + 32 * k) % 256];\n" /* 5 */
	                             "		barrier(CLK_LOCAL_MEM_FENCE);\n"  /* 6 */
	                             "	}\n"
	                             "	out[get_global_id(0)] = l[i];\n"
	                             "}\n";
	struct device *device = device_gpu();
	struct ir_kernel *kernel = analyse(source, NULL);
	struct launch launch = launch_1d(1 << 20, 256);
	struct prediction p;

	(void)state;
	launch_buffer(&launch, 4 << 20);
	launch.arguments[launch.argument_count++] =
	        (struct launch_argument){.kind = ARGUMENT_LOCAL, .size_bytes = 1024};
	struct prediction_lines lines = lines_of(kernel, device, &launch, &p);
	assert_close(sum_of(&lines), 1, 1e-5);
	assert_true(share_at(&lines, 5) > share_at(&lines, 8));
	assert_true(share_at(&lines, 6) > 0);
	kernel_free(kernel);
	free(device);
}

static void other_models_and_fallbacks_have_none(void **state)
{
	struct device *device = device_cpu();
	struct ir_kernel *kernel = analyse(dense, NULL);
	struct launch launch = dense_launch(1 << 16, 10);
	struct prediction_lines lines;
	struct prediction_options options = {.model = MODEL_PATTERN, .lines = &lines};

	(void)state;
	(void)answer_by(kernel, device, &launch, &options);
	assert_int_equal(lines.count, 0);
	assert_true(lines.elsewhere == 0 && lines.rest == 0);
	kernel_free(kernel);
	free(device);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(lines_add_up_to_the_kernel),
	        cmocka_unit_test(a_loop_costs_its_body_times_its_trips),
	        cmocka_unit_test(traffic_belongs_to_the_access_that_causes_it),
	        cmocka_unit_test(the_least_of_many_lines_are_summed),
	        cmocka_unit_test(barriers_and_local_memory_have_lines),
	        cmocka_unit_test(other_models_and_fallbacks_have_none),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("lines", tests, NULL, NULL);
}
