/* SPDX-License-Identifier: Apache-2.0 */
/* A CPU's last cache, and what lies beyond it. */
#include <math.h>

#include "daemon/calibrator/memory.h"
#include "daemon/calibrator/plateau.h"

#define MANY   4   /* memory is read in windows of so many times the last cache, at least */
#define BEYOND 4.0 /* times what the caches of all units hold, of which nothing is left */
#define TOLD_MOST_BYTES                                                                            \
	((cl_ulong)1 << 30) /* of a cache: what drivers say that is more is an error */

enum status memory_reach(struct bench *bench, const struct level *levels, size_t count,
                         struct error *error)
{
	double last = count < 2 ? 0 : levels[count - 2].capacity;
	cl_ulong told = 0;

	if (count < 2)
		return STATUS_OK;
	if (!bench->is_gpu && !bench->is_quick && bench->units >= 2 &&
	    clGetDeviceInfo(bench->opencl->device, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, sizeof told,
	                    &told, NULL) == CL_SUCCESS &&
	    told <= TOLD_MOST_BYTES)
		last = fmax(last, (double)told);
	return bench_grow_data(bench, (size_t)(MANY * last), error);
}

size_t memory_add_shared(struct level *levels, size_t *count, double units, const double *window,
                         const double *rate, size_t n)
{
	struct plateau plateaus[2];
	size_t own = 0; /* caches of the units' own */

	while (own < *count && levels[own].instances > 1)
		own++;
	if (own == 0 || own + 1 > *count || *count > own + 2 || own + 2 > MEMORY_LEVEL_COUNT ||
	    plateau_find(window, rate, n, LEVEL_DROP, LEVEL_POINTS, plateaus, 2) < 2)
		return 0;
	/* what one unit found of it, and took for its own */
	while (own > 1 && levels[own - 1].read * (1 - LEVEL_DROP) < plateaus[0].rate)
		own--;
	levels[own + 1] = levels[*count - 1];
	levels[own] = (struct level){
	        .capacity = units * plateaus[0].capacity, .instances = 1, .read = plateaus[0].rate};
	*count = own + 2;
	return own;
}

enum status memory_find_shared(struct bench *bench, struct level *levels, size_t *count,
                               struct error *error)
{
	double window[PLATEAU_POINTS_MAX], rate[PLATEAU_POINTS_MAX], units = bench->units, one;
	double own_bytes = 0;
	size_t n = 0, shared;

	if (bench->is_quick || units < 2)
		return STATUS_OK;
	for (size_t i = 0; i < *count && levels[i].instances > 1; i++)
		own_bytes = levels[i].capacity;
	for (double bytes = BEYOND * own_bytes; bytes > 0 && n < PLATEAU_POINTS_MAX;
	     bytes *= sqrt(2)) {
		if (bytes * units > (double)bench->data_bytes)
			break;
		window[n++] = bytes;
	}
	if (n < (size_t)2 * LEVEL_POINTS)
		return STATUS_OK;
	enum status status = memory_read_windows(bench, units, window, rate, n, 0.4, 0.4, error);
	if (status != STATUS_OK)
		return status;
	shared = memory_add_shared(levels, count, units, window, rate, n);
	if (shared == 0)
		return STATUS_OK;
	/* one alone may have more than its share of it */
	window[0] = 0.7 * levels[shared].capacity;
	status = memory_read_windows(bench, 1, window, &one, 1, 0.4, 0.4, error);
	if (status == STATUS_OK)
		levels[shared].read =
		        fmax(levels[shared].read, one * (bench->has_cpu_clock ? 1 : units));
	return status;
}
