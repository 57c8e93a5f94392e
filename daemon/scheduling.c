/* SPDX-License-Identifier: Apache-2.0 */
/* Scheduling, by sched_setattr(2), which glibc has no function for before 2.41. */
#include "daemon/scheduling.h"

#include <sched.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The least and the most that the kernel grants. */
enum { SLICE_SHORT_NS = 100000, SLICE_LONG_NS = 100000000, RESET_ON_FORK = 1 };

/* The kernel's structure in its first form: <linux/sched/types.h> does not go with <sched.h>. */
struct scheduling {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t slice_ns, deadline_ns, period_ns;
};

/* Leaves policies alone that somebody has chosen. */
static void set_slice(uint64_t slice_ns, uint64_t flags)
{
	struct scheduling scheduling = {.size = sizeof scheduling};
	if (syscall(SYS_sched_getattr, 0, &scheduling, sizeof scheduling, 0) != 0 ||
	    scheduling.policy != SCHED_OTHER)
		return;
	scheduling.size = sizeof scheduling;
	scheduling.flags |= flags;
	scheduling.slice_ns = slice_ns;
	(void)syscall(SYS_sched_setattr, 0, &scheduling, 0);
}

/* Of those that it may use, if there are others. */
static void leave_first_processor(void)
{
	cpu_set_t set;
	if (sched_getaffinity(0, sizeof set, &set) != 0 || CPU_COUNT(&set) < 2)
		return;
	for (size_t processor = 0; processor < CPU_SETSIZE; processor++)
		if (CPU_ISSET(processor, &set)) {
			CPU_CLR(processor, &set);
			break;
		}
	(void)sched_setaffinity(0, sizeof set, &set);
}

void scheduling_prompt(void)
{
	set_slice(SLICE_SHORT_NS, RESET_ON_FORK);
}

void scheduling_background(int nice)
{
	(void)setpriority(PRIO_PROCESS, 0, nice); /* of this thread alone, on Linux */
	set_slice(SLICE_LONG_NS, 0);
	leave_first_processor();
}
