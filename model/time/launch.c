/* SPDX-License-Identifier: Apache-2.0 */
/* What a launch takes beside its work: its base, units that wake up, and the way to memory. */
#include <math.h>

#include "model/device/levels.h"
#include "model/device/wake_up.h"
#include "model/time/terms.h"

/*
 * Alone, a unit takes as many times longer as there are units - but reads shared memory faster
 * than its share of it.
 */
static struct waking waking_of(const struct terms *t, double total)
{
	const struct machine *m = t->machine;
	double groups = (double)evaluation_of(m)->groups, active = fmin(m->occupancy.units, groups);
	double time_s[BOTTLENECK_COUNT], gathering_s = t->gathering_s;

	if (m->is_lockstep || active < 2)
		return (struct waking){groups, active, total, total};
	for (unsigned i = 0; i < BOTTLENECK_COUNT; i++) {
		double longer = active;

		if (i >= BOTTLENECK_L1 && i <= BOTTLENECK_DRAM) {
			unsigned level = i - BOTTLENECK_L1;
			double all = level_value(m, level, MEMORY_COLUMN_READ, 0);
			double one = level_value(m, level, MEMORY_COLUMN_UNIT_READ, 0);

			if (all > 0 && one > 0)
				longer = fmin(active, fmax(1, all / one));
		}
		time_s[i] = t->time_s[i] * longer;
		if (i == BOTTLENECK_L1)
			gathering_s *= longer;
	}
	return (struct waking){
	        .groups = groups,
	        .active = active,
	        .all_s = total * waking_uneven(groups, m->occupancy.units, evaluation_of(m)->slope),
	        .alone_s = whole_of(t, time_s, gathering_s, (t->stalled_s + t->apart_s) * active),
	};
}

/*
 * A launch begins on one unit; the others come one by one, as threads that wake up, the later the
 * longer they have slept. In the end each has come and gone, whatever there was to do, and has
 * asked for work-groups in turn with the others.
 */
static double with_units_waking(const struct machine *m, const struct waking *w, double idle_s)
{
	const struct device *device = m->input->device;
	double base = device_idle_value(device, IDLE_BASE, idle_s, 0);
	double spread = device_idle_value(device, IDLE_SPREAD, idle_s, 0);
	double join = device_idle_value(device, IDLE_JOIN, idle_s, 0), total;

	if (m->is_lockstep || w->active < 2)
		return w->all_s;
	if (!device->coefficient[COEFFICIENT_JOIN].is_known) /* fitted to all that come at once */
		return w->alone_s <= spread ? w->alone_s
		                            : spread + w->all_s * (1 - spread / w->alone_s);
	total = waking_time_s(w->all_s, w->alone_s, m->occupancy.units, w->active, spread);
	/* in a row of launches threads are half awake; else they wake as the first one does, where
	 * that has to: an empty launch takes less than a thread does to wake up if none did. After
	 * a pause that is what was measured. */
	if (base * (m->occupancy.units - 1) >= spread &&
	    !(idle_s > 0 && device_has_idle_states(device)))
		join = fmax(join, fmin(base, spread));
	join *= w->active / m->occupancy.units;
	return fmax(total, join) + waking_handouts(w->groups, m->occupancy.units) *
	                                   device_value(device, COEFFICIENT_HANDOUT, 0);
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

	for (uint32_t i = 0; i < kernel->object_count && m->is_lockstep; i++)
		images += kernel->objects[i].space == SPACE_IMAGE;
	for (uint32_t i = 0; i < kernel->access_count && images > 0; i++)
		has_sampler |= kernel->objects[kernel->accesses[i].object].space == SPACE_IMAGE &&
		               kernel->accesses[i].kind == ACCESS_LOAD;
	return images + has_sampler;
}

/*
 * What no work hides of a GPU's launch, however much there is: its first warps find nothing in
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

	for (uint32_t i = 0; i < kernel->access_count && m->is_lockstep; i++) {
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

struct timed_launch timed_launch_of(const struct terms *t, double reaching_s)
{
	double total = whole_of(t, t->time_s, t->gathering_s, t->stalled_s + t->apart_s);

	return (struct timed_launch){
	        .machine = t->machine, .waking = waking_of(t, total), .reaching_s = reaching_s};
}

double launch_base(const struct timed_launch *launch, double idle_s)
{
	return device_idle_value(launch->machine->input->device, IDLE_BASE, idle_s, 1e-6) +
	       launch->reaching_s;
}

double launch_time(const void *context, double idle_s)
{
	const struct timed_launch *launch = context;

	return launch_base(launch, idle_s) +
	       with_units_waking(launch->machine, &launch->waking, idle_s);
}
