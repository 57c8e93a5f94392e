/* SPDX-License-Identifier: Apache-2.0 */
/* Loops that are followed through what was sampled. */
#include "tests/test.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/frontend/analysis.h"
#include "tests/unit/predict/answers.h"
#include "tests/unit/predict/kernels.h"
#include "tests/unit/predict/sampled.h"

enum { ITEMS = 1 << 12, GROUP = 64 };

#define MEASURES_STRINGS                                                                           \
	"kernel void f(global const int *start, global const uchar *text, global int *length) {"   \
	" size_t i = get_global_id(0); int at = start[i];"                                         \
	" for (; text[at] != 0; at++) ; length[i] = at - start[i]; }"

#define HASHES_STRINGS                                                                             \
	"kernel void f(global const int *start, global const uchar *text, global uint *hash) {"    \
	" size_t i = get_global_id(0); uint sum = 1;"                                              \
	" for (int at = start[i]; text[at] != 0; at++) sum = (sum ^ text[at]) * 16777619u;"        \
	" hash[i] = sum; }"

/* A string ends at its first zero, not at any that a search for it would come upon. */
static void strings_end_where_they_end(void **state)
{
	static const char *const sources[] = {MEASURES_STRINGS, HASHES_STRINGS};
	struct device *devices[] = {device_gpu(), device_cpu()};
	int32_t *start = calloc(ITEMS, sizeof(*start));
	uint8_t *text = malloc(16 * ITEMS);
	uint64_t sequence = 3, at = 0;

	(void)state;
	assert_true(start && text);
	for (unsigned i = 0; i < ITEMS; i++) {
		uint64_t length = 1 + any_below(&sequence, 13);

		start[i] = (int32_t)at;
		memset(text + at, 'a', length);
		text[at + length] = 0;
		at += length + 1;
	}
	for (unsigned i = 0; i < 4; i++) {
		struct ir_kernel *kernel = analyse(sources[i / 2], "");
		struct launch launch = launch_1d(ITEMS, GROUP);
		struct evaluation e;

		launch_data(&launch, start, ITEMS * sizeof(*start), SCALAR_INT, true);
		launch_data(&launch, text, at, SCALAR_UCHAR, true);
		launch_buffer(&launch, ITEMS * sizeof(int32_t));
		e = evaluated(kernel, devices[i % 2], &launch);
		/* with or without the last one, which leaves at its beginning */
		assert_close(e.loops[0].trips, 7.5, 0.1);
		assert_true(e.loops[0].most < 64);
		evaluation_deinit(&e);
		launch_end(&launch);
		kernel_free(kernel);
	}
	free(start);
	free(text);
	free(devices[0]);
	free(devices[1]);
}

#define LOOKS_AROUND                                                                               \
	"kernel void f(global const uchar *x, global int *found) {"                                \
	" int i = get_global_id(0) + 64, r = 1;"                                                   \
	" for (; r <= 6; r++) { int count = 0;"                                                    \
	"  for (int k = i - r; k <= i + r; k++) if (x[k] != 0) count++;"                           \
	"  if (count >= 3) break; } found[get_global_id(0)] = r; }"

/* What an inner loop has counted decides when the loop around it ends. */
static void counts_end_loops_around_them(void **state)
{
	struct ir_kernel *kernel = analyse(LOOKS_AROUND, "");
	struct device *devices[] = {device_gpu(), device_cpu()};
	uint8_t *x = calloc(ITEMS + 128, 1);

	(void)state;
	assert_non_null(x);
	/* every `step`-th has a value: of one in two a radius of two or three has three of them */
	for (unsigned i = 0; i < 6; i++) {
		unsigned step = i / 2 + 1;
		double trips = step == 1 ? 1 : step == 2 ? 2.5 : 11 / 3.0;
		struct launch launch = launch_1d(ITEMS, GROUP);
		struct evaluation e;

		for (unsigned k = 0; k < ITEMS + 128; k++)
			x[k] = k % step == 0;
		launch_data(&launch, x, ITEMS + 128, SCALAR_UCHAR, true);
		launch_buffer(&launch, ITEMS * sizeof(int32_t));
		e = evaluated(kernel, devices[i % 2], &launch);
		assert_close(e.loops[0].trips, trips, 0.1);
		evaluation_deinit(&e);
		launch_end(&launch);
	}
	free(x);
	kernel_free(kernel);
	free(devices[0]);
	free(devices[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(strings_end_where_they_end),
	        cmocka_unit_test(counts_end_loops_around_them),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("followed", tests, NULL, NULL);
}
