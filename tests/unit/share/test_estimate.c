/* SPDX-License-Identifier: Apache-2.0 */
/* What a site says of a launch: medians over nodes, over observers. */
#include "tests/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "daemon/share/estimate.h"

static struct estimate estimate;

static struct correction_record record_of(double time_s, uint32_t count)
{
	struct correction_record record = {.sample_count = count, .runs = count};
	record.launch.static_log = -7;
	for (uint32_t i = 0; i < count; i++)
		record.samples[i] = (struct correction_sample){.time_log = (float)log(time_s),
		                                               .at_s = 1000 + i};
	return record;
}

static void add(const char *node, double time_s)
{
	struct correction_record record = record_of(time_s, 3);
	estimate_add(&estimate, node, &record);
}

static void nodes_agree_or_nothing_is_said(void **state)
{
	(void)state;
	struct correction_record record = {.runs = 77};
	estimate_init(&estimate);
	assert_int_equal(estimate_finish(&estimate, 1, &record), 0);
	add("a", 1e-3);
	add("b", 1e-3);
	assert_int_equal(estimate_finish(&estimate, 3, &record), 2);
	assert_int_equal(record.runs, 77);
}

static void one_that_lies_is_one_of_many(void **state)
{
	(void)state;
	struct correction_record record;
	estimate_init(&estimate);
	add("a", 1.0e-3);
	add("b", 1.1e-3);
	/* a node's word is one, however many it has speak for it */
	for (int i = 0; i < 200; i++)
		add("c", 1e3);
	add("d", 0.9e-3);
	assert_int_equal(estimate_finish(&estimate, 3, &record), 4);
	assert_int_equal(record.sample_count, 4);
	assert_close(exp((double)record.samples[1].time_log), 1.0e-3, 1e-5);
	assert_close(exp((double)record.samples[2].time_log), 1.1e-3, 1e-5);
	assert_int_equal(record.runs, 3 * 203);
	assert_int_equal(record.launch.epoch, 0);
}

static void a_node_is_the_median_of_its_observers(void **state)
{
	(void)state;
	struct correction_record record;
	estimate_init(&estimate);
	add("a", 1e-3);
	add("a", 2e-3);
	add("a", 9);
	assert_int_equal(estimate_finish(&estimate, 1, &record), 1);
	assert_close(exp((double)record.samples[0].time_log), 2e-3, 1e-5);
}

static void disturbed_runs_do_not_count(void **state)
{
	(void)state;
	struct correction_record record = record_of(1e-3, 5), site;
	record.samples[0].flags = CORRECTION_FIRST_RUN;
	record.samples[0].time_log = 3;
	record.samples[1].flags = CORRECTION_OVERLAPPED;
	record.samples[1].time_log = 3;
	record.samples[2].flags = CORRECTION_OVERLAPPED;
	record.samples[2].time_log = 3;
	estimate_init(&estimate);
	estimate_add(&estimate, "a", &record);
	assert_int_equal(estimate_finish(&estimate, 1, &site), 1);
	assert_close(exp((double)site.samples[0].time_log), 1e-3, 1e-5);
	assert_int_equal(site.samples[0].flags, 0);
	record.sample_count = 3;
	estimate_init(&estimate);
	estimate_add(&estimate, "a", &record);
	assert_int_equal(estimate_finish(&estimate, 1, &site), 0);
}

static void of_many_nodes_ranks_are_kept(void **state)
{
	(void)state;
	struct correction_record record;
	char node[16];
	estimate_init(&estimate);
	for (int i = 0; i < 2 * ESTIMATE_NODES_MAX; i++) {
		(void)snprintf(node, sizeof node, "%d", i);
		add(node, 1e-3 * (1 + i % 100));
	}
	assert_int_equal(estimate_finish(&estimate, 3, &record), ESTIMATE_NODES_MAX);
	assert_int_equal(record.sample_count, CORRECTION_SAMPLES);
	assert_close(exp((double)record.samples[0].time_log), 1e-3, 1e-5);
	assert_close(exp((double)record.samples[15].time_log), 0.1, 1e-5);
	assert_close(exp((double)record.samples[7].time_log), 0.047, 0.1);
	for (int i = 1; i < CORRECTION_SAMPLES; i++)
		assert_true(record.samples[i - 1].time_log <= record.samples[i].time_log);
}

static void what_is_no_number_is_left_out(void **state)
{
	(void)state;
	struct correction_record record = record_of(1, 1), site;
	record.samples[0].time_log = NAN;
	estimate_init(&estimate);
	estimate_add(&estimate, "a", &record);
	record.sample_count = 0;
	estimate_add(&estimate, "b", &record);
	assert_int_equal(estimate_finish(&estimate, 1, &site), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(nodes_agree_or_nothing_is_said),
	        cmocka_unit_test(one_that_lies_is_one_of_many),
	        cmocka_unit_test(a_node_is_the_median_of_its_observers),
	        cmocka_unit_test(disturbed_runs_do_not_count),
	        cmocka_unit_test(of_many_nodes_ranks_are_kept),
	        cmocka_unit_test(what_is_no_number_is_left_out),
	};
	return cmocka_run_group_tests_name("share/estimate", tests, NULL, NULL);
}
