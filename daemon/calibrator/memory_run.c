/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines in order that a CPU's gathers read, word by word: whether prefetchers follow them, and how
 * well, is the difference between such a run through a window and one that stays in the first
 * level.
 */
#include <math.h>

#include "daemon/calibrator/memory.h"

#define ITEM_FLOATS 8.0
#define NEAR_BYTES  4096.0 /* what any first level holds */
#define LEAST       0.02   /* of the time, beyond that of the first level: less is none */

enum status memory_time_run(struct bench *bench, enum memory_level id, double footprint,
                            double line_bytes, struct error *error)
{
	double floats = exp2(floor(log2(fmax(footprint, NEAR_BYTES) / 4)));
	double bytes = fmax(4 * floats, 1 << 20), stream, more_s;
	struct bench_run runs[2];
	cl_kernel kernel;
	enum status status = bench_kernel(bench, "gather_run", &kernel, error);

	if (status != STATUS_OK)
		return status;
	for (int i = 0; i < 2; i++) {
		double window = i == 0 ? NEAR_BYTES / 4 : floats;

		runs[i] = (struct bench_run){
		        .kernel = kernel,
		        .groups = (size_t)(bytes / 4 / ITEM_FLOATS / (double)bench->local),
		        .local = bench->local,
		        .is_parallel = true,
		        .argument = {ARG_MEM(bench->data), ARG_MEM(bench->scratch),
		                     ARG_UINT(window - 1)}};
	}
	status = bench_time(bench, runs, 2, error);
	if (status != STATUS_OK)
		return status;
	/* no faster than streams */
	stream = bench_value(bench, coefficient_memory(id, MEMORY_COLUMN_READ), 0) / line_bytes;
	more_s = fmax(runs[1].time_s - runs[0].time_s, LEAST * runs[0].time_s);
	bench_set(bench, coefficient_memory(id, MEMORY_COLUMN_UNSTREAMED),
	          stream > 0 ? fmin(bytes / line_bytes / more_s, stream)
	                     : bytes / line_bytes / more_s,
	          fmax(runs[0].standard_error, runs[1].standard_error) * runs[1].time_s / more_s);
	return STATUS_OK;
}
