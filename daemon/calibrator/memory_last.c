/* SPDX-License-Identifier: Apache-2.0 */
/* A CPU's last cache, and what lies beyond it. */
#include <math.h>

#include "daemon/calibrator/memory.h"
#include "daemon/calibrator/plateau.h"

#define MANY   4   /* memory is read in windows of so many times the last cache, at least */
#define BEYOND 4.0 /* times what the caches of all units hold, of which nothing is left */
#define AGREED 1.4 /* times, of capacities: what they are at most apart when they are one */
#define TOLD_MOST_BYTES                                                                            \
	((cl_ulong)1 << 30)          /* of a cache: what drivers say that is more is an error */
#define QUICK_MOST_BYTES 134217728.0 /* of a cache: a quick calibration has no time for more */

enum {
	CORE_CACHES = 2, /* of a core's own that are taken for what one unit found them to be */
	QUICK_POINTS = 2 /* of a plateau: a quick calibration's windows are twice as far apart */
};

double memory_told_bytes(const struct bench *bench)
{
	cl_ulong told = 0;

	if (clGetDeviceInfo(bench->opencl->device, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, sizeof told,
	                    &told, NULL) != CL_SUCCESS ||
	    told > TOLD_MOST_BYTES)
		return 0;
	return (double)told;
}

enum status memory_reach(struct bench *bench, const struct level *levels, size_t count,
                         struct error *error)
{
	double last = count < 2 ? 0 : levels[count - 2].capacity;

	if (count < 2)
		return STATUS_OK;
	if (!bench->is_gpu && !bench->is_quick && bench->units >= 2)
		last = fmax(last, memory_told_bytes(bench));
	return bench_grow_data(bench, (size_t)(MANY * last), error);
}

static bool is_one(double capacity, double other)
{
	return capacity < AGREED * other && other < AGREED * capacity;
}

/* How many caches, from the first, are one a unit. */
static size_t count_own(const struct level *levels, size_t count)
{
	size_t own = 0;

	while (own < count && levels[own].instances > 1)
		own++;
	return own;
}

void memory_drop_unreached(struct level *levels, size_t *count, double units)
{
	size_t own = count_own(levels, *count);

	while (own > 0 && own + 2 < *count &&
	       levels[own].capacity < units * levels[own - 1].capacity) {
		(*count)--;
		for (size_t i = own; i < *count; i++)
			levels[i] = levels[i + 1];
	}
}

size_t memory_add_shared(struct level *levels, size_t *count, double units, const double *window,
                         const double *rate, size_t n, size_t points, double told)
{
	struct plateau plateaus[2];
	size_t own = count_own(levels, *count);

	if (own == 0 || own + 1 > *count || *count > own + 2 ||
	    plateau_find(window, rate, n, LEVEL_DROP, points, plateaus, 2) < 2)
		return 0;
	/* as much for each as one alone found, and no more than there is: of each one's own */
	for (size_t i = 0; i + 1 < *count && told <= AGREED * plateaus[0].capacity; i++)
		if (is_one(levels[i].capacity, plateaus[0].capacity)) {
			levels[i].instances = units;
			return 0;
		}
	/* what one unit found of it, or of its pages' addresses, and took for its own; all windows
	 * are far larger than what it surely has */
	while (own > 1 && levels[own - 1].capacity > window[0] / BEYOND * (1 + 1e-9) &&
	       levels[own - 1].read * (1 - LEVEL_DROP) < plateaus[0].rate)
		own--;
	while (own + 2 > MEMORY_LEVEL_COUNT)
		own--;
	levels[own + 1] = levels[*count - 1];
	levels[own] = (struct level){
	        .capacity = units * plateaus[0].capacity, .instances = 1, .read = plateaus[0].rate};
	*count = own + 2;
	return own;
}

/*
 * Whether there may be a shared cache that one unit did not find. A quick calibration takes what it
 * found for all, unless the driver tells of a much larger one.
 */
static bool is_sought(const struct bench *bench, const struct level *levels, size_t count)
{
	size_t own = count_own(levels, count);

	if (bench->units < 2 || own == 0 || own + 1 > count || count > own + 2)
		return false;
	return !bench->is_quick || own + 1 == count ||
	       memory_told_bytes(bench) >= BEYOND * levels[own].capacity;
}

enum status memory_find_shared(struct bench *bench, struct level *levels, size_t *count,
                               struct error *error)
{
	double window[PLATEAU_POINTS_MAX], rate[PLATEAU_POINTS_MAX], units = bench->units, one;
	double step = bench->is_quick ? 2 : sqrt(2), own_bytes = 0;
	size_t points = bench->is_quick ? QUICK_POINTS : LEVEL_POINTS, n = 0, shared;

	if (!is_sought(bench, levels, *count))
		return STATUS_OK;
	/* a full one has grown them before (memory_reach) */
	double told = fmin(memory_told_bytes(bench), QUICK_MOST_BYTES);
	enum status status =
	        bench->is_quick ? bench_grow_data(bench, (size_t)(MANY * told), error) : STATUS_OK;
	if (status != STATUS_OK)
		return status;
	/* a third may be one of pages' addresses: then all of it is the shared one */
	for (size_t i = 0; i < *count && i < CORE_CACHES && levels[i].instances > 1; i++)
		own_bytes = levels[i].capacity;
	for (double bytes = BEYOND * own_bytes; bytes > 0 && n < PLATEAU_POINTS_MAX;
	     bytes *= step) {
		if (bytes * units > (double)bench->data_bytes)
			break;
		window[n++] = bytes;
	}
	if (n < 2 * points)
		return STATUS_OK;
	status = memory_read_windows(bench, units, window, rate, n, 0.4, 0.4, error);
	if (status != STATUS_OK)
		return status;
	shared = memory_add_shared(levels, count, units, window, rate, n, points,
	                           memory_told_bytes(bench));
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
