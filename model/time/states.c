/* SPDX-License-Identifier: Apache-2.0 */
/* How a kernel's time differs from state to state. */
#include "model/time/states.h"

#include <math.h>

#include "model/device/device.h"

/* States that differ by more than that are beyond numbers. */
static const double STATES_MOST = 50;

void states_fill(const struct device *device, const struct launch *launch,
                 double (*time_of)(const void *context, double idle_s), const void *context,
                 struct prediction *prediction)
{
	double below = 0, above = 0, own_s = time_of(context, launch->idle_s);

	if (launch->idle_s > 0 || !device_has_idle_states(device) || !(own_s > 0))
		return;
	for (unsigned i = 0; i < IDLE_STATE_COUNT; i++) {
		double longer = log(time_of(context, idle_state_s((enum idle_state)i)) / own_s);

		below = fmax(below, -longer);
		above = fmax(above, longer);
	}
	prediction->state_below = (float)fmin(below, STATES_MOST);
	prediction->state_above = (float)fmin(above, STATES_MOST);
}
