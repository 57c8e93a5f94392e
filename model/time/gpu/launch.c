/* SPDX-License-Identifier: Apache-2.0 */
/* What a GPU's units do with a launch together, and the way to memory and back. */
#include <math.h>
#include <string.h>

#include "model/device/levels.h"
#include "model/time/gpu/gpu.h"
#include "model/underived.h"

/*
 * Latency is no resource that others compete for but a bound: it stands beside the norm, and what
 * is about as long as that adds to it in part, since not all warps wait at the same time.
 */
double warp_whole(const struct terms *t, const double *time_s, double gathering_s, double stalled_s)
{
	double norm = norm_of(t->machine->input->device), terms[BOTTLENECK_COUNT];
	/* local memory is the first level's: what passes both does so one by one */
	double passing_s = t->passing_share * time_s[BOTTLENECK_L1];
	double others[2] = {time_s[BOTTLENECK_L1] - passing_s, time_s[BOTTLENECK_LOCAL]}, beside[2];

	(void)gathering_s;
	(void)stalled_s;
	memcpy(terms, time_s, sizeof(terms));
	terms[BOTTLENECK_L1] = passing_s + soft_maximum(others, 2, norm);
	terms[BOTTLENECK_LATENCY] = terms[BOTTLENECK_LOCAL] = 0;
	beside[0] = soft_maximum(terms, BOTTLENECK_COUNT, norm);
	beside[1] = time_s[BOTTLENECK_LATENCY];
	return soft_maximum(beside, 2, WAITING_NORM);
}

struct waking warp_waking(const struct terms *t, double total)
{
	(void)t;
	return (struct waking){.active = 1, .all_s = total, .alone_s = total};
}

/*
 * What is looked up one after another before the first texel of a launch: what describes each
 * image, and the sampler where one is read. Both have caches of their own, which every launch of
 * a GPU begins with empty, since the host may have written others.
 */
static double descriptors(const struct machine *m)
{
	const struct ir_kernel *kernel = m->input->kernel;
	unsigned images = 0;
	bool has_sampler = false;

	for (uint32_t i = 0; i < kernel->object_count; i++)
		images += kernel->objects[i].space == SPACE_IMAGE;
	for (uint32_t i = 0; i < kernel->access_count && images > 0; i++)
		has_sampler |= kernel->objects[kernel->accesses[i].object].space == SPACE_IMAGE &&
		               kernel->accesses[i].kind == ACCESS_LOAD;
	return images + has_sampler;
}

/*
 * What no work hides of a launch, however much there is: its first warps find nothing in
 * any unit's cache, and it has not ended before its last stores have arrived.
 */
double reaching_of(const struct machine *m)
{
	const struct ir_kernel *kernel = m->input->kernel;
	unsigned below = cache_levels(m->input->device) > 1 ? MEMORY_L1 + 1 : MEMORY_DRAM;
	double far = level_value(m, below, MEMORY_COLUMN_LATENCY, 0), waits = 0;
	double near = fmin(far, level_value(m, MEMORY_L1, MEMORY_COLUMN_LATENCY, 0));
	bool is_stored = false, is_loaded = false;
	double looked_up_s = descriptors(m) * level_value(m, MEMORY_DRAM, MEMORY_COLUMN_LATENCY, 0);

	for (uint32_t i = 0; i < kernel->access_count; i++) {
		const struct ir_access *access = &kernel->accesses[i];
		unsigned space = kernel->objects[access->object].space;

		if (!(access_items(m, i) > 0) || (space != SPACE_GLOBAL && space != SPACE_IMAGE))
			continue;
		if (access->kind != ACCESS_LOAD)
			is_stored = true;
		else
			is_loaded = true, waits = fmax(waits, fmin(1, m->waits[i]));
	}
	return (is_stored ? far : 0) + (is_loaded ? (1 - waits) * (far - near) : 0) + looked_up_s;
}
