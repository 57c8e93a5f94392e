/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a calibration found and cannot be: figures that contradict each other, or what the driver
 * and the node tell. What one says is a reason to measure again, never a figure itself.
 */
#ifndef PREDICTD_CALIBRATOR_IMPOSSIBLE_H
#define PREDICTD_CALIBRATOR_IMPOSSIBLE_H

#include <stddef.h>

#include "daemon/calibrator/node_caches.h"
#include "model/answer/interval.h"
#include "model/device/device.h"

enum { IMPOSSIBLE_MAX = 12, IMPOSSIBLE_TEXT_MAX = 160 };

/* What has to be measured again. */
enum impossible_family { IMPOSSIBLE_LAUNCH, IMPOSSIBLE_OPERATIONS, IMPOSSIBLE_MEMORY };

struct impossible {
	enum impossible_family family;
	enum doubt kind; /* of the kernels whose time follows it */
	/* of ln(time): how unsure a time is that either of the two figures may be behind, each time
	 * between them alike likely */
	double log_sd;
	char text[IMPOSSIBLE_TEXT_MAX]; /* a sentence */
};

/*
 * told_bytes  of the last cache, by the driver; 0: not told
 * node        of the processors that are the device, or NULL
 * found       out: at most IMPOSSIBLE_MAX
 *
 * Returns how many.
 */
size_t impossible_find(const struct device *device, double told_bytes,
                       const struct node_caches *node, struct impossible found[IMPOSSIBLE_MAX]);

/* How many of so many caches' capacities, and of their number, the node tells otherwise. */
unsigned impossible_capacities(const double *capacity, unsigned caches,
                               const struct node_caches *node);

/* Their sentences to the device's doubts, and its intervals as wide as they make them. */
void impossible_tell(const struct impossible *found, size_t count, struct device *device);

#endif
