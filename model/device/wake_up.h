/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A launch on a CPU, whose units are threads that wake up one by one and ask for
 * work-groups in turn. The model and the calibrator's fit share it.
 */
#ifndef PREDICTD_MODEL_DEVICE_WAKE_UP_H
#define PREDICTD_MODEL_DEVICE_WAKE_UP_H

/*
 * Seconds of work that all units do in all_s and one in alone_s >= all_s, where the first
 * begins at once and one more every spread_s / (units - 1), `active` of them at most: not more
 * than there are work-groups. units >= 1, active >= 1.
 */
double waking_time_s(double all_s, double alone_s, double units, double active, double spread_s);

/*
 * How often units ask for work-groups beyond once each, when each is handed its share of
 * those that are left, as by PoCL.
 */
double waking_handouts(double groups, double units);

/* How work lies along the work-groups, from the first to the last. */
struct waking_spread {
	double slope;        /* by how many means (-2 to 2) it rises all along; or, */
	unsigned parts;      /* if not 0, of so many equal parts of them, */
	const double *up_to; /* [parts + 1] the share of it up to each: 0 to 1 */
};

/*
 * How many times longer units take for that than for their shares, where work-groups' work is
 * spread like that: a share that was handed out early may be the longest.
 */
double waking_uneven(double groups, double units, const struct waking_spread *spread);

#endif
