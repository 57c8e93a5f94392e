/* SPDX-License-Identifier: Apache-2.0 */
/* How a kernel's time differs from state to state. */
#include "model/time/states.h"

#include <math.h>

#include "model/device/device.h"

/* States that differ by more than that are beyond numbers. */
static const double STATES_MOST = 50;

/*
 * Student's t of `degrees` degrees of freedom for 90 %, over that of the normal distribution
 * (Abramowitz, Stegun, Handbook of Mathematical Functions, 26.7.5).
 */
static double student(double degrees)
{
	double z2 = NINETY_PERCENT * NINETY_PERCENT;

	return 1 + (z2 + 1) / (4 * degrees) +
	       (5 * z2 * z2 + 16 * z2 + 3) / (96 * degrees * degrees);
}

/*
 * How far one more launch may be from the median of those that a calibration saw in a state. A
 * median of n is sqrt(pi / (2 n)) deviations unsure (sample.c of the calibrator); what others did
 * to all of them alike (calibrate.c) is no part of it.
 */
static double sd_of_launches(const struct device *device, enum idle_state state)
{
	const struct coefficient *base = &device->coefficient[coefficient_idle(state, IDLE_BASE)];
	double launches = idle_state_launches(state, device->is_quick);
	double others = device_value(device, COEFFICIENT_OTHERS_SHARE, 0);

	if (!base->is_known)
		return 0;
	double variance =
	        fmax(base->standard_error * base->standard_error - others * others / 12, 0);
	return sqrt(variance * launches * 2 / M_PI * (1 + 1 / launches)) * student(launches - 1);
}

/* The same after any pause: as in the worse of the states before and behind it. */
static double sd_after_pause(const struct device *device, double idle_s)
{
	double worst = 0;

	for (unsigned i = 0; i < IDLE_STATE_COUNT; i++) {
		bool is_last = i + 1 == IDLE_STATE_COUNT;
		bool is_before = idle_state_s((enum idle_state)i) <= idle_s &&
		                 (is_last || idle_state_s((enum idle_state)(i + 1)) > idle_s);
		bool is_behind = idle_state_s((enum idle_state)i) > idle_s &&
		                 (i == 0 || idle_state_s((enum idle_state)(i - 1)) < idle_s);

		if (is_before || is_behind)
			worst = fmax(worst, sd_of_launches(device, (enum idle_state)i));
	}
	return worst;
}

void states_fill(const struct device *device, const struct launch *launch,
                 double (*time_of)(const void *context, double idle_s), const void *context,
                 struct prediction *prediction)
{
	double below = 0, above = 0, own_s = time_of(context, launch->idle_s);

	if (!device_has_idle_states(device) || !(own_s > 0))
		return;
	if (launch->idle_s > 0) {
		prediction->state_sd = (float)(sd_after_pause(device, launch->idle_s) *
		                               (double)prediction->elasticity[BOTTLENECK_LAUNCH]);
		return;
	}
	for (unsigned i = 0; i < IDLE_STATE_COUNT; i++) {
		double longer = log(time_of(context, idle_state_s((enum idle_state)i)) / own_s);

		below = fmax(below, -longer);
		above = fmax(above, longer);
	}
	prediction->state_below = (float)fmin(below, STATES_MOST);
	prediction->state_above = (float)fmin(above, STATES_MOST);
}
