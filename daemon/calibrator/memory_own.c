/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random writes to a cache of each core's own. Cores that write into one window take its lines away
 * from each other, and what is timed is that: here each has a window of its own, and one
 * work-group that stays there.
 */
#include <math.h>

#include "daemon/calibrator/memory.h"

enum { WRITES = 8 }; /* of one trip of the kernel */

enum status memory_scatter_own(struct bench *bench, enum memory_level id, double bytes,
                               double line_bytes, struct error *error)
{
	double window = exp2(floor(log2(fmax(bytes, 2 * line_bytes))));
	struct bench_run run = {
	        .groups = (size_t)bench->units,
	        .local = 1,
	        .is_parallel = true,
	        .argument = {ARG_MEM(bench->data), ARG_UINT(window / line_bytes - 1),
	                     ARG_UINT(log2(line_bytes / 4)), ARG_UINT(window / 4), ARG_UINT(64)}};
	double rate = bench_value(bench, coefficient_memory(id, MEMORY_COLUMN_SCATTER), 0), found;
	enum status status;

	if (window * bench->units > (double)bench->data_bytes)
		return STATUS_OK;
	status = bench_kernel(bench, "scatter_own", &run.kernel, error);
	if (status == STATUS_OK)
		status = bench_lengthen_argument(bench, &run, 4, 1u << 20, error);
	if (status == STATUS_OK)
		status = bench_time(bench, &run, 1, error);
	if (status != STATUS_OK)
		return status;
	found = (double)WRITES * (double)run.groups * run.argument[4].value.u32 / run.time_s;
	/* few cores hardly meet, and their compiler may do better where it sees no loop */
	if (found > rate)
		bench_set(bench, coefficient_memory(id, MEMORY_COLUMN_SCATTER), found,
		          run.standard_error);
	return STATUS_OK;
}
