/* SPDX-License-Identifier: Apache-2.0 */
/* Threads of a CPU that wake up one by one. */
#include "model/waking.h"

#include <math.h>

enum { UNITS_MAX = 4096 }; /* one by one; those behind them come together */

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
