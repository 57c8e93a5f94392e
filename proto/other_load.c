/* SPDX-License-Identifier: Apache-2.0 */
/* How much of this machine's processors others had. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "proto/other_load.h"

#include <sched.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* As proc_stat(5) orders them; guests' time is in user's. */
enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, COLUMNS };

static const char *stat_path = "/proc/stat";

void other_load_read_from(const char *path)
{
	stat_path = path;
}

/* What this process and the children that it waited for had; threads that ended count. */
static double own_s(void)
{
	double sum = 0;
	static const int whose[] = {RUSAGE_SELF, RUSAGE_CHILDREN};
	for (int i = 0; i < 2; i++) {
		struct rusage usage;
		if (getrusage(whose[i], &usage) == 0)
			sum += (double)usage.ru_utime.tv_sec + (double)usage.ru_stime.tv_sec +
			       1e-6 * ((double)usage.ru_utime.tv_usec +
			               (double)usage.ru_stime.tv_usec);
	}
	return sum;
}

/* A line "cpu3 12 0 7 ..." of a processor that this process may use. */
static void add_line(struct other_load *now, const char *line, const cpu_set_t *allowed,
                     double tick_s)
{
	unsigned long long column[COLUMNS] = {0};
	unsigned processor;
	if (sscanf(line, "cpu%u %llu %llu %llu %llu %llu %llu %llu %llu", &processor, &column[USER],
	           &column[NICE], &column[SYSTEM], &column[IDLE], &column[IOWAIT], &column[IRQ],
	           &column[SOFTIRQ], &column[STEAL]) < 1 + IDLE + 1)
		return;
	if (allowed != NULL && (processor >= CPU_SETSIZE || !CPU_ISSET(processor, allowed)))
		return;
	for (int i = 0; i < COLUMNS; i++) {
		now->all_s += tick_s * (double)column[i];
		if (i != IDLE && i != IOWAIT)
			now->busy_s += tick_s * (double)column[i];
	}
}

static double now_s(void)
{
	struct timespec now;
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void other_load_look(struct other_load *now)
{
	char line[512];
	cpu_set_t allowed;
	long ticks = sysconf(_SC_CLK_TCK);
	/* more processors than a set has: all count */
	bool is_some = sched_getaffinity(0, sizeof allowed, &allowed) == 0;
	*now = (struct other_load){.at_s = now_s()};
	FILE *file = fopen(stat_path, "re");
	if (file == NULL)
		return;
	while (fgets(line, sizeof line, file) != NULL)
		add_line(now, line, is_some ? &allowed : NULL, 1 / (double)(ticks > 0 ? ticks : 1));
	(void)fclose(file);
	now->own_s = own_s();
	now->is_known = now->all_s > 0;
}

double other_load_share(const struct other_load *before, const struct other_load *after)
{
	double all_s = after->all_s - before->all_s;
	double had_s = after->busy_s - before->busy_s - (after->own_s - before->own_s);
	if (!before->is_known || !after->is_known || !(all_s > 0))
		return 0;
	if (had_s <= 0)
		return 0;
	return had_s < all_s ? had_s / all_s : 1;
}

bool other_load_wait(double most_s)
{
	const struct timespec pause = {.tv_nsec = (long)(OTHER_LOAD_LOOK_S * 1e9)};
	for (double waited_s = 0; waited_s < most_s; waited_s += OTHER_LOAD_LOOK_S) {
		struct other_load before, after;
		other_load_look(&before);
		(void)nanosleep(&pause, NULL);
		other_load_look(&after);
		if (other_load_share(&before, &after) < OTHER_LOAD_MAX)
			return true;
	}
	return false;
}
