/* SPDX-License-Identifier: Apache-2.0 */
/* Threads of a CPU that wake up one by one. */
#include "model/device/wake_up.h"

#include <math.h>

enum { UNITS_MAX = 4096 }; /* one by one; those behind them come together */

/* PoCL's POCL_PTHREAD_MIN_WGS, for each thread; and what is enough to tell who ends last. */
enum { SHARE_MOST = 32, UNEVEN_MAX = 256, UNEVEN_STEPS = 4096 };

double waking_time_s(double all_s, double alone_s, double units, double active, double spread_s)
{
	double time_s = 0, left = 1;

	if (!(all_s > 0) || !(alone_s > 0) || !(spread_s > 0) || units < 2)
		return all_s;
	for (unsigned n = 1;; n++) {
		double speed = fmin(n / alone_s, 1 / all_s), step_s = spread_s / (units - 1);

		if (n >= active || n >= UNITS_MAX)
			return time_s + left * all_s;
		if (speed * step_s >= left)
			return time_s + left / speed;
		left -= speed * step_s;
		time_s += step_s;
	}
}

double waking_handouts(double groups, double units)
{
	return groups > units && units >= 1 ? units * log(groups / units) : 0;
}

/* The work of all groups up to one, in all of them. */
static double up_to(double place, const struct waking_spread *spread)
{
	unsigned part;
	double at;

	if (spread->parts == 0)
		return place * (1 + spread->slope * (place - 1) / 2);
	at = place * spread->parts;
	part = at < spread->parts ? (unsigned)at : spread->parts - 1;
	return spread->up_to[part] + (at - part) * (spread->up_to[part + 1] - spread->up_to[part]);
}

/* When the last of n units ends. */
static double ended(double groups, double units, const struct waking_spread *spread)
{
	double ends[UNEVEN_MAX] = {0}, begun = 0, last = 0;
	unsigned n = (unsigned)fmin(fmin(units, groups), (double)UNEVEN_MAX);

	while (begun < groups) {
		double left = groups - begun;
		double taken = ceil(fmin(left / units, (double)SHARE_MOST * units));
		unsigned next = 0;

		taken = fmax(taken, groups / (double)UNEVEN_STEPS);
		taken = fmin(taken, left);
		for (unsigned i = 1; i < n; i++)
			if (ends[i] < ends[next])
				next = i;
		ends[next] +=
		        up_to((begun + taken) / groups, spread) - up_to(begun / groups, spread);
		begun += taken;
		last = fmax(last, ends[next]);
	}
	return last;
}

double waking_uneven(double groups, double units, const struct waking_spread *spread)
{
	static const struct waking_spread even = {0};

	if ((spread->parts == 0 && spread->slope == 0) || !(fmin(units, groups) >= 2))
		return 1;
	return fmax(1, ended(groups, units, spread) / ended(groups, units, &even));
}
