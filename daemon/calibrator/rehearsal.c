/* SPDX-License-Identifier: Apache-2.0 */
/* Processes that compile what a calibration is about to time. */
#include "daemon/calibrator/rehearsal.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "daemon/calibrator/opencl.h"
#include "daemon/calibrator/self.h"

/* At most, since with so many the longest program is waited for; numbers for all there is. */
enum { PROCESSES_MAX = 8, NUMBERS = 1024, TICKS = 10 /* polls from one tick to the next */ };

/* What one comes to with PoCL's LLVM. */
#define PROCESS_BYTES (320l << 20)

static const struct timespec poll_time = {.tv_nsec = 10000000};

bool rehearsal_is_worth(const struct device *device)
{
	const char *cache = getenv("POCL_KERNEL_CACHE");
	return device->type == DEVICE_CPU &&
	       strcmp(device->platform, "Portable Computing Language") == 0 &&
	       (cache == NULL || strcmp(cache, "0") != 0);
}

/* One a processor, as far as half of the machine's memory holds their compilers. */
static unsigned process_count(void)
{
	cpu_set_t set;
	long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
	CPU_ZERO(&set);
	int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
	if (count > PROCESSES_MAX)
		count = PROCESSES_MAX;
	if (pages > 0 && page_bytes > 0 && pages / 2 < count * (PROCESS_BYTES / page_bytes))
		count = (int)(pages / 2 / (PROCESS_BYTES / page_bytes));
	return count > 1 ? (unsigned)count : 1;
}

/* A pipe that holds the numbers, whole ones, and nothing after them; -1: none. */
static int open_numbers(void)
{
	uint16_t numbers[NUMBERS];
	int ends[2];
	for (unsigned i = 0; i < NUMBERS; i++)
		numbers[i] = (uint16_t)i;
	if (pipe2(ends, O_CLOEXEC) != 0)
		return -1;
	/* a pipe's buffer holds them: nobody reads yet */
	ssize_t written = write(ends[1], numbers, sizeof numbers);
	close(ends[1]);
	if (written == (ssize_t)sizeof numbers)
		return ends[0];
	close(ends[0]);
	return -1;
}

static pid_t start_process(size_t device_index, bool is_quick, int numbers)
{
	char rehearse[] = "--rehearse", device[] = "--device", index[24], quick[] = "--quick";
	char *arguments[] = {NULL, rehearse, device, index, is_quick ? quick : NULL, NULL};
	(void)snprintf(index, sizeof index, "%zu", device_index);
	return self_start(arguments, numbers, -1);
}

/* Those that have ended become -1; true when all have. */
static bool have_ended(pid_t *children, unsigned count)
{
	bool all = true;
	for (unsigned i = 0; i < count; i++) {
		if (children[i] > 0 && waitpid(children[i], NULL, WNOHANG) != 0)
			children[i] = -1;
		all &= children[i] < 0;
	}
	return all;
}

enum status rehearsal_run(size_t device_index, bool is_quick, double end_s, rehearsal_tick *tick,
                          void *context, struct error *error)
{
	pid_t children[PROCESSES_MAX];
	unsigned count = process_count();
	enum status status = STATUS_OK;
	int numbers = open_numbers();
	if (numbers < 0)
		return STATUS_OK;
	for (unsigned i = 0; i < count; i++)
		children[i] = start_process(device_index, is_quick, numbers);
	close(numbers);
	for (unsigned polls = 0; !have_ended(children, count) && clock_now_s() < end_s; polls++) {
		if (polls % TICKS == 0)
			status = tick(context, error);
		if (status != STATUS_OK)
			break;
		(void)nanosleep(&poll_time, NULL);
	}
	for (unsigned i = 0; i < count; i++) {
		if (children[i] < 0)
			continue;
		(void)kill(children[i], SIGKILL);
		(void)waitpid(children[i], NULL, 0);
	}
	return status;
}
