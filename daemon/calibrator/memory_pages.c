/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many pages a CPU's core keeps the addresses of (its TLB), and what an access to another one
 * takes: walks down columns of few lines, each in a page of its own and in another set of the
 * caches, which hold all of them. All cores walk at once, since those that share a core share its
 * addresses, too.
 */
#include "daemon/calibrator/memory.h"

#include <math.h>

enum {
	PAGE_BYTES = 4096,
	APART_BYTES = PAGE_BYTES + 64, /* the next set of each cache */
	LINES_LEAST = 128,
	STEPS_MAX = 12,
	LINE_BYTES = 64,
	SHARE = 2 /* of the cache, at most */
};

#define SLOWER 1.5 /* times; less are no addresses that have to be looked up */

enum status memory_time_pages(struct bench *bench, double own_bytes, struct error *error)
{
	double line_s[STEPS_MAX] = {0}, most = own_bytes / ((double)SHARE * (double)LINE_BYTES),
	       pages;
	enum status status = STATUS_OK;
	unsigned steps = 0;
	uint32_t longest;

	most = fmin(most, (double)(bench->data_bytes / APART_BYTES));
	for (uint32_t lines = LINES_LEAST; lines <= most && steps < STEPS_MAX; lines *= 2) {
		status = memory_time_walk(bench, "walk_read", (size_t)bench->units, lines,
		                          APART_BYTES, &line_s[steps++], error);
		if (status != STATUS_OK)
			return status;
	}
	if (steps < 2 || line_s[steps - 1] < SLOWER * line_s[0])
		return STATUS_OK;
	pages = memory_walk_fits(line_s, steps, LINES_LEAST, &longest);
	if (!(pages > 0))
		return STATUS_OK;
	bench_set(bench, COEFFICIENT_PAGES, pages, 0.2);
	bench_set(bench, COEFFICIENT_PAGE, line_s[steps - 1] - line_s[0], 0.1);
	return STATUS_OK;
}
