/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks down columns whose lines fall into few sets of a CPU's cache: more lines
 * than those sets hold are fetched one by one from the next level, which costs a
 * multiple of a random read there, and a write costs more still.
 *
 * Where pages of the machine are mixed, addresses tell no more than their place
 * in a page: lines a page apart fight for the sets of all pages with that place, or for what
 * keeps the addresses of pages. How many stay is what is measured.
 */
#include "daemon/calibrator/memory.h"

#include <math.h>

#define SLOWER 2.0

enum { PAGE_BYTES = 4096, STEPS_MAX = 12 };

enum status memory_time_walk(struct bench *bench, const char *kernel, size_t units, uint32_t lines,
                             uint32_t apart_bytes, double *line_s, struct error *error)
{
	struct bench_run run = {.groups = units,
	                        .local = 1,
	                        .argument = {ARG_MEM(bench->data), ARG_MEM(bench->scratch),
	                                     ARG_UINT(lines), ARG_UINT(apart_bytes / 4),
	                                     ARG_UINT(16)}};
	enum status status = bench_kernel(bench, kernel, &run.kernel, error);
	if (status == STATUS_OK)
		status = bench_lengthen_argument(bench, &run, 4, 1u << 22, error);
	if (status == STATUS_OK)
		status = bench_time(bench, &run, 1, error);
	if (status == STATUS_OK)
		*line_s = run.time_s * (bench->has_cpu_clock ? bench->units / (double)units : 1) /
		          ((double)lines * run.argument[4].value.u32);
	return status;
}

static enum status set_walks(struct bench *bench, enum memory_level id, uint32_t lines,
                             uint32_t apart_bytes, struct error *error)
{
	double read_s = 0, write_s = 0;
	enum status status =
	        memory_time_walk(bench, "walk_read", 1, lines, apart_bytes, &read_s, error);
	if (status == STATUS_OK)
		status = memory_time_walk(bench, "walk_write", 1, lines, apart_bytes, &write_s,
		                          error);
	if (status != STATUS_OK)
		return status;
	bench_set(bench, coefficient_memory(id, MEMORY_COLUMN_WALK_READ), bench->units / read_s,
	          0.05);
	bench_set(bench, coefficient_memory(id, MEMORY_COLUMN_WALK_WRITE), bench->units / write_s,
	          0.05);
	return STATUS_OK;
}

double memory_walk_fits(const double *line_s, unsigned steps, uint32_t least, uint32_t *longest)
{
	unsigned at = 1;
	double part, missed;

	while (at < steps && line_s[at] < SLOWER * line_s[0])
		at++;
	if (at >= steps)
		return 0;
	part = log(SLOWER * line_s[0] / line_s[at - 1]) / log(line_s[at] / line_s[at - 1]);
	*longest = least << (at + 1 < steps ? at + 1 : at);
	missed = (SLOWER - 1) * line_s[0] / (line_s[at + 1 < steps ? at + 1 : at] - line_s[0]);
	missed = fmin(fmax(missed, 0.01), 0.99);
	return least * exp2(at - 1 + fmin(1, fmax(0, part))) * missed / -log1p(-missed);
}

/* How many lines a page apart the level keeps, of at most `most`; 0: all. */
static enum status find_pages(struct bench *bench, uint32_t least, uint32_t most, double *fits,
                              uint32_t *longest, struct error *error)
{
	double line_s[STEPS_MAX] = {0};
	unsigned steps = 0;
	enum status status = STATUS_OK;
	for (uint32_t lines = least; lines <= most && steps < STEPS_MAX && status == STATUS_OK;
	     lines *= 2)
		status = memory_time_walk(bench, "walk_read", 1, lines, PAGE_BYTES,
		                          &line_s[steps++], error);
	*fits = status == STATUS_OK ? memory_walk_fits(line_s, steps, least, longest) : 0;
	return status;
}

enum status memory_time_walks(struct bench *bench, enum memory_level id, struct error *error)
{
	const struct coefficient *known = bench->device->coefficient;
	double first_way = known[coefficient_memory(MEMORY_L1, MEMORY_COLUMN_WAY)].value;
	double first = known[coefficient_memory(MEMORY_L1, MEMORY_COLUMN_CAPACITY)].value;
	double capacity = known[coefficient_memory(id, MEMORY_COLUMN_CAPACITY)].value;
	double line = known[coefficient_memory(id, MEMORY_COLUMN_LINE)].value, fits = 0;
	uint32_t longest = 0, least;
	if (!(first_way > 0) || !(capacity > 0) || !(line > 0))
		return STATUS_OK;
	/* well beyond the ways of the first level */
	least = 8 * (uint32_t)fmax(2, round(first / first_way));
	if (id == MEMORY_L1)
		return set_walks(bench, MEMORY_L2, least, (uint32_t)first_way, error);
	uint32_t most =
	        (uint32_t)fmin(capacity / line / 2, (double)(bench->data_bytes / PAGE_BYTES));
	enum status status = find_pages(bench, least, most, &fits, &longest, error);
	if (status != STATUS_OK || !(fits > 0))
		return status;
	if (!known[coefficient_memory(id, MEMORY_COLUMN_WAY)].is_known) {
		bench_set(bench, coefficient_memory(id, MEMORY_COLUMN_WAY), PAGE_BYTES, 0);
		bench_set(bench, coefficient_memory(id, MEMORY_COLUMN_WALK_LINES), fits, 0.2);
	}
	return set_walks(bench, (enum memory_level)(id + 1), longest, PAGE_BYTES, error);
}
