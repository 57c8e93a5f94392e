/* SPDX-License-Identifier: Apache-2.0 */
/* What /proc/stat says of others, by files in its place. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "tests/test.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "proto/other_load.h"

static char path[] = "/tmp/others-XXXXXX";

/* A processor that this process may use, and one that it may not. */
static int allowed_processor(bool is_allowed)
{
	cpu_set_t set;
	assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
	for (unsigned i = 0; i < CPU_SETSIZE; i++)
		if ((CPU_ISSET(i, &set) != 0) == is_allowed)
			return (int)i;
	return CPU_SETSIZE;
}

/* Ticks so far, of that processor: others', stolen and idle ones. */
static void say(int processor, unsigned user, unsigned stolen, unsigned idle)
{
	FILE *file = fopen(path, "we");
	assert_non_null(file);
	(void)fprintf(file, "cpu  1 2 3 4\ncpu%d %u 0 0 %u 7 0 0 %u 0 0\nintr 12 0\nctxt 99\n",
	              processor, user, idle, stolen);
	assert_int_equal(fclose(file), 0);
	other_load_read_from(path);
}

static double share_of(int processor, unsigned user, unsigned stolen, unsigned idle)
{
	struct other_load before, after;
	say(processor, 1000, 500, 9000);
	other_load_look(&before);
	say(processor, 1000 + user, 500 + stolen, 9000 + idle);
	other_load_look(&after);
	return other_load_share(&before, &after);
}

static void others_are_what_runs_and_what_is_stolen(void **state)
{
	int processor = allowed_processor(true);
	(void)state;
	assert_close(share_of(processor, 0, 0, 100000), 0, 1e-9);
	assert_true(fabs(share_of(processor, 30000, 0, 70000) - 0.3) < 0.01);
	assert_true(fabs(share_of(processor, 0, 20000, 80000) - 0.2) < 0.01);
}

static void what_this_process_has_is_not_others(void **state)
{
	int processor = allowed_processor(true);
	struct other_load before, after;
	volatile double sum = 0;
	(void)state;
	say(processor, 0, 0, 0);
	other_load_look(&before);
	do {
		for (int i = 0; i < 1000000; i++)
			sum += i;
		other_load_look(&after);
	} while (after.own_s - before.own_s < 0.1);
	/* it had the processor all the time */
	say(processor, (unsigned)(100 * (after.own_s - before.own_s)), 0, 5);
	other_load_look(&after);
	assert_true(other_load_share(&before, &after) < 0.1);
}

static void processors_that_are_not_ours_do_not_count(void **state)
{
	struct other_load now;
	(void)state;
	say(allowed_processor(false), 1000, 0, 1000);
	other_load_look(&now);
	assert_false(now.is_known);
}

static void nothing_is_known_without_a_file(void **state)
{
	struct other_load before, after;
	(void)state;
	other_load_read_from("/nonexistent");
	other_load_look(&before);
	other_load_look(&after);
	assert_false(after.is_known);
	assert_close(other_load_share(&before, &after), 0, 0);
	assert_true(other_load_wait(0.3));
	assert_false(other_load_wait(0));
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(others_are_what_runs_and_what_is_stolen),
	        cmocka_unit_test(what_this_process_has_is_not_others),
	        cmocka_unit_test(processors_that_are_not_ours_do_not_count),
	        cmocka_unit_test(nothing_is_known_without_a_file),
	};
	int fd = mkstemp(path);
	if (fd < 0)
		return EXIT_FAILURE;
	close(fd);
	int failed = cmocka_run_group_tests_name("others", tests, NULL, NULL);
	(void)unlink(path);
	return failed;
}
