/* SPDX-License-Identifier: Apache-2.0 */
/* Scheduling: what the kernel says of a process that asked for it. Each asks in a child. */
#include "tests/test.h"

#include "daemon/scheduling.h"

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* The slice of the calling thread as the kernel tells it; 0: it tells none (before Linux 6.12). */
static uint64_t slice_ns(void)
{
	uint64_t attributes[6] = {0}; /* of 48 bytes: the fourth is the run time */
	if (syscall(SYS_sched_getattr, 0, attributes, sizeof attributes, 0) != 0)
		return 0;
	return attributes[3];
}

static int child_status(bool (*holds)(void))
{
	int status = -1;
	pid_t pid = fork();
	if (pid == 0)
		_exit(holds() ? 0 : 1);
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static bool has_default_slice_in_a_child(void)
{
	uint64_t usual_ns = slice_ns();
	scheduling_prompt();
	uint64_t prompt_ns = slice_ns();
	if (usual_ns == 0)
		return prompt_ns == 0;
	pid_t pid = fork();
	if (pid == 0)
		_exit(slice_ns() == usual_ns ? 0 : 1);
	int status = -1;
	return prompt_ns < usual_ns && waitpid(pid, &status, 0) == pid && status == 0;
}

static bool has_stepped_back(void)
{
	enum { NICE = 7 };
	cpu_set_t before, after;
	int first = 0;
	uint64_t usual_ns = slice_ns();
	if (sched_getaffinity(0, sizeof before, &before) != 0)
		return false;
	while (!CPU_ISSET((size_t)first, &before))
		first++;
	scheduling_background(NICE);
	if (sched_getaffinity(0, sizeof after, &after) != 0 ||
	    getpriority(PRIO_PROCESS, 0) < NICE || (usual_ns > 0 && slice_ns() <= usual_ns))
		return false;
	if (CPU_COUNT(&before) < 2)
		return CPU_EQUAL(&before, &after);
	CPU_CLR((size_t)first, &before);
	return CPU_EQUAL(&before, &after);
}

static bool keeps_a_policy(void)
{
	struct sched_param none = {.sched_priority = 0};
	uint64_t before_ns = slice_ns();
	if (sched_setscheduler(0, SCHED_BATCH, &none) != 0)
		return false;
	scheduling_prompt();
	return sched_getscheduler(0) == SCHED_BATCH && slice_ns() == before_ns;
}

static void a_prompt_thread_has_a_short_slice_and_its_children_the_usual_one(void **state)
{
	(void)state;
	assert_int_equal(child_status(has_default_slice_in_a_child), 0);
}

static void what_is_in_the_background_is_nice_and_leaves_a_processor_alone(void **state)
{
	(void)state;
	assert_int_equal(child_status(has_stepped_back), 0);
}

static void a_policy_that_somebody_chose_stays(void **state)
{
	(void)state;
	assert_int_equal(child_status(keeps_a_policy), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(a_prompt_thread_has_a_short_slice_and_its_children_the_usual_one),
	        cmocka_unit_test(what_is_in_the_background_is_nice_and_leaves_a_processor_alone),
	        cmocka_unit_test(a_policy_that_somebody_chose_stays),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("scheduling", tests, NULL, NULL);
}
