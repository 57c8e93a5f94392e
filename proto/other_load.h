/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much of this machine's processors others had: processes, the kernel's interrupts, and other
 * virtual machines (what /proc/stat calls stolen), as a share of the processors that this process
 * may use, less what it had itself. A container sees it of the whole machine, which is what
 * disturbs; a switch between processes, which getrusage counts, says less: who shares a core's
 * caches, or memory, makes launches longer without one.
 */
#ifndef PREDICTD_PROTO_OTHER_LOAD_H
#define PREDICTD_PROTO_OTHER_LOAD_H

#include <stdbool.h>

/* Above it they disturb: what a system does for itself is less. */
#define OTHER_LOAD_MAX 0.1

/* Looks closer than that say nothing: the kernel counts in hundredths of a second. */
#define OTHER_LOAD_LOOK_S 0.25

/* Seconds since the machine started, of all processors that count. */
struct other_load {
	double busy_s, all_s;
	double own_s; /* of them, this process's and its children's */
	double at_s;  /* by a monotonic clock */
	bool is_known;
};

void other_load_look(struct other_load *now);

/* The share that others had from one look to the other, 0 to 1; 0 where nothing is known. */
double other_load_share(const struct other_load *before, const struct other_load *after);

/*
 * Sleeps until others had less than OTHER_LOAD_MAX for a while, at most most_s; whether they had.
 */
bool other_load_wait(double most_s);

/* Instead of /proc/stat, for tests; static storage. */
void other_load_read_from(const char *path);

#endif
