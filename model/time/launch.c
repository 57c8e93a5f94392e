/* SPDX-License-Identifier: Apache-2.0 */
/* What a launch takes beside its work: its base, and units that wake up. */
#include <math.h>

#include "model/device/wake_up.h"
#include "model/time/terms.h"

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

	if (w->active < 2)
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

struct timed_launch timed_launch_of(const struct terms *t)
{
	double total = t->kind->whole(t, t->time_s, t->gathering_s, t->stalled_s + t->apart_s);

	return (struct timed_launch){.machine = t->machine,
	                             .waking = t->kind->waking(t, total),
	                             .reaching_s = t->reaching_s};
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
