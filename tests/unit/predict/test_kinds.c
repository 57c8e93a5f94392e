/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds of processor: which one a device is, and that each says all that is asked of it. */
#include "tests/test.h"

#include "model/machine/machine.h"
#include "model/time/cpu/cpu.h"
#include "model/time/gpu/gpu.h"
#include "model/traffic/groups.h"
#include "tests/unit/predict/kernels.h"

#include <stdlib.h>

static void a_device_is_a_gpu_where_work_items_run_in_lockstep(void **state)
{
	(void)state;
	struct device *device = device_cpu();
	struct coefficient *warp = &device->coefficient[COEFFICIENT_WARP_ITEMS];

	warp->is_known = false;
	assert_ptr_equal(processor_of(device), &cpu_processor);
	warp->is_known = true;
	warp->value = 1;
	assert_ptr_equal(processor_of(device), &cpu_processor);
	warp->value = 2;
	assert_ptr_equal(processor_of(device), &gpu_processor);
	warp->value = 64;
	assert_ptr_equal(processor_of(device), &gpu_processor);
	free(device);
}

static void each_processor_is_of_its_kind(void **state)
{
	(void)state;
	assert_int_equal(cpu_processor.kind, PROCESSOR_CPU);
	assert_int_equal(gpu_processor.kind, PROCESSOR_GPU);
	assert_ptr_equal(cpu_terms.footprint, &cpu_footprint);
	assert_ptr_equal(gpu_terms.footprint, &gpu_footprint);
}

#define ASSERT_SAYS(of, member) assert_true((of)->member != NULL)

static void each_kind_says_all_that_is_asked_of_it(void **state)
{
	(void)state;
	static const struct {
		const struct processor *processor;
		const struct processor_terms *terms;
		const struct recurrence_steps *steps;
	} kinds[] = {{&cpu_processor, &cpu_terms, &core_steps},
	             {&gpu_processor, &gpu_terms, &warp_steps}};

	for (unsigned i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		const struct processor_terms *terms = kinds[i].terms;

		ASSERT_SAYS(kinds[i].processor, fill_units);
		ASSERT_SAYS(kinds[i].processor, block_mode);
		ASSERT_SAYS(kinds[i].processor, block_items);
		ASSERT_SAYS(terms, add_terms);
		ASSERT_SAYS(terms, settle);
		ASSERT_SAYS(terms, access_time);
		ASSERT_SAYS(terms, accessed);
		ASSERT_SAYS(terms, texel_time);
		ASSERT_SAYS(terms, local_time);
		ASSERT_SAYS(terms, conflict_time);
		ASSERT_SAYS(terms, items_abreast);
		ASSERT_SAYS(terms, level_time);
		ASSERT_SAYS(terms, atomic_time);
		ASSERT_SAYS(terms, group_at_once);
		ASSERT_SAYS(terms, whole);
		ASSERT_SAYS(terms, waking);
		ASSERT_SAYS(terms->footprint, grow);
		ASSERT_SAYS(terms->footprint, unit_lines);
		ASSERT_SAYS(terms->footprint, hits_of);
		ASSERT_SAYS(terms->footprint, most_lines);
		ASSERT_SAYS(terms->footprint, fill_waits);
		ASSERT_SAYS(kinds[i].steps, node_latency);
		ASSERT_SAYS(kinds[i].steps, operand_latency);
		ASSERT_SAYS(kinds[i].steps, load_latency);
		ASSERT_SAYS(kinds[i].steps, variable_latency);
		ASSERT_SAYS(kinds[i].steps, is_forwarded);
		assert_true(terms->line_bytes > 0);
	}
}

/* A chance, and the smaller the more often a launch goes around what a cache holds. */
static void hits_fall_with_the_round(void **state)
{
	(void)state;
	static const struct footprint_kind *const kinds[] = {&cpu_footprint, &gpu_footprint};

	for (unsigned i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		double last = 1;

		for (double ratio = 1.1; ratio < 20; ratio *= 1.5) {
			double hits = kinds[i]->hits_of(ratio);

			assert_true(hits >= 0 && hits <= last && hits < 1);
			last = hits;
		}
	}
	assert_true(gpu_footprint.hits_of(1.05) > gpu_footprint.hits_of(1.2));
	/* where any line is given up, more survive a round than where the oldest is */
	assert_true(cpu_footprint.hits_of(1.5) > gpu_footprint.hits_of(1.5));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(a_device_is_a_gpu_where_work_items_run_in_lockstep),
	        cmocka_unit_test(each_processor_is_of_its_kind),
	        cmocka_unit_test(each_kind_says_all_that_is_asked_of_it),
	        cmocka_unit_test(hits_fall_with_the_round),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("kinds", tests, NULL, NULL);
}
