/* SPDX-License-Identifier: Apache-2.0 */
/* Work that gathers in one part of the NDRange, as samples tell it, and threads that share it. */
#include "tests/test.h"

#include <math.h>
#include <stdlib.h>

#include "model/passes/passes.h"
#include "tests/unit/frontend/analysis.h"
#include "tests/unit/predict/answers.h"
#include "tests/unit/predict/kernels.h"
#include "tests/unit/predict/sampled.h"

enum { ITEMS = 1 << 20, GROUP = 256, FIRST = ITEMS / 16 };

#define FEW                                                                                        \
	"kernel void f(global const uchar *in, global float *out) {"                               \
	" size_t i = get_global_id(0); float v = in[i] * 0.01f;"                                   \
	" if (in[i] > 100) for (int k = 0; k < 64; k++) v = v * v + 0.25f;"                        \
	" out[i] = v; }"

static struct launch launch_of(const uint8_t *data, bool is_sampled)
{
	struct launch launch = launch_1d(ITEMS, GROUP);

	launch_data(&launch, data, ITEMS, SCALAR_UCHAR, is_sampled);
	launch_buffer(&launch, (uint64_t)ITEMS * sizeof(float));
	return launch;
}

/* A sixteenth of the bytes is bright: all of those at the beginning or the end, or any. */
enum where { BEGINNING, END, ANYWHERE };

static void fill(uint8_t *data, enum where where)
{
	uint64_t sequence = 77;

	for (unsigned i = 0; i < ITEMS; i++)
		data[i] = where == BEGINNING ? (i < FIRST ? 200 : 10)
		          : where == END     ? (i >= ITEMS - FIRST ? 200 : 10)
		                             : (any_below(&sequence, 16) == 0 ? 200 : 10);
}

static double time_of(const struct ir_kernel *kernel, const struct device *device, uint8_t *data,
                      enum where where)
{
	struct launch launch;
	double time_s;

	fill(data, where);
	launch = launch_of(data, true);
	time_s = answer(kernel, device, &launch).kernel_time_s;
	launch_end(&launch);
	return time_s;
}

static void parts_do_what_samples_say(void **state)
{
	struct ir_kernel *kernel = analyse(FEW, "");
	struct device *device = device_cpu();
	uint8_t *data = malloc(ITEMS);
	struct launch launch;
	struct evaluation e;
	uint32_t body = kernel->statements[kernel->summary->loops[0].statement].body;
	double first = 0, rest = 0;

	(void)state;
	assert_non_null(data);
	fill(data, BEGINNING);
	launch = launch_of(data, true);
	e = evaluated(kernel, device, &launch);
	assert_int_equal(e.parts, EVALUATE_PARTS);
	for (unsigned half = 0; half < 2 * e.parts; half++) {
		double executions = (double)e.part_executions[half * kernel->block_count + body];

		if (half < 2 * e.parts / 16)
			first += executions / (2 * e.parts / 16);
		else
			rest += executions;
	}
	/* the run at the beginning is nearest to most of the first sixteenth, its neighbour is dark
	 */
	assert_true(first > 24 && first <= 64);
	assert_true(rest / (2 * e.parts * 15 / 16) < 1);
	/* and the whole is as bright as its parts */
	assert_close(e.blocks[body].executions, first / 16 + rest / (2 * e.parts), 0.35);
	evaluation_deinit(&e);
	launch_end(&launch);

	/* nobody asks where no sample decides, nor where warps run in lockstep */
	launch = launch_of(data, false);
	e = evaluated(kernel, device, &launch);
	assert_int_equal(e.parts, 0);
	evaluation_deinit(&e);
	launch_end(&launch);
	free(device);
	device = device_gpu();
	launch = launch_of(data, true);
	e = evaluated(kernel, device, &launch);
	assert_int_equal(e.parts, 0);
	evaluation_deinit(&e);
	launch_end(&launch);
	free(data);
	free(device);
	kernel_free(kernel);
}

static void who_gets_all_of_it_is_waited_for(void **state)
{
	struct ir_kernel *kernel = analyse(FEW, "");
	struct device *device = device_cpu();
	uint8_t *data = malloc(ITEMS);
	double anywhere, beginning, end;

	(void)state;
	assert_non_null(data);
	device_set(device, COEFFICIENT_UNITS, 16);
	anywhere = time_of(kernel, device, data, ANYWHERE);
	beginning = time_of(kernel, device, data, BEGINNING);
	end = time_of(kernel, device, data, END);
	/* the first to ask gets the first sixteenth; the last ones are handed out one by one */
	assert_true(beginning > 4 * anywhere && beginning < 16 * anywhere);
	assert_true(end < 2 * anywhere);
	free(data);
	free(device);
	kernel_free(kernel);
}

/* Wrong guesses of a work-item where bytes are as dark or bright as so many before them. */
static double wrong_guesses(unsigned run)
{
	struct ir_kernel *kernel = analyse(FEW, "");
	struct device *device = device_cpu();
	uint8_t *data = malloc(ITEMS);
	uint64_t sequence = 5;
	struct launch launch;
	struct prediction p;
	double wrong;

	assert_non_null(data);
	for (unsigned i = 0; i < ITEMS; i++)
		data[i] = i % run != 0 ? data[i - 1] : any_below(&sequence, 2) ? 200 : 10;
	device_set(device, COEFFICIENT_MISPREDICT, 1e-9);
	device_make_scalar(device);
	launch = launch_of(data, true);
	p = answer(kernel, device, &launch);
	launch_end(&launch);
	wrong = row_find(&p, "branches guessed wrong") ? row_count(&p, "branches guessed wrong")
	                                               : 0;
	free(data);
	free(device);
	kernel_free(kernel);
	return wrong;
}

static void what_neighbours_do_is_guessed(void **state)
{
	(void)state;
	/* whoever has no neighbours like him is guessed wrong as often as the rarer side comes */
	assert_close(wrong_guesses(1), 0.5, 0.25);
	/* half of the runs of 64 end another way, and two guesses are wrong until that is learned
	 */
	assert_true(wrong_guesses(64) < 0.1);
	assert_true(wrong_guesses(4096) < 0.01);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(parts_do_what_samples_say),
	        cmocka_unit_test(who_gets_all_of_it_is_waited_for),
	        cmocka_unit_test(what_neighbours_do_is_guessed),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("spread", tests, NULL, NULL);
}
