/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which OpenCL drivers can be loaded and asked at all: found out in a child
 * process each, since drivers crash and hang, and one of several may not take
 * the others along. The ICD loader asks every driver as it starts, so the bad
 * ones have to be out of its sight before.
 */
#ifndef PREDICTD_CALIBRATOR_PROBE_H
#define PREDICTD_CALIBRATOR_PROBE_H

#include <stddef.h>

enum { PROBE_TEXT_MAX = 120, PROBE_DRIVERS_MAX = 32, PROBE_LIMIT_S = 5 };

struct bad_driver {
	char name[PROBE_TEXT_MAX]; /* of its platform, or of its .icd file */
	char why[PROBE_TEXT_MAX];
};

struct drivers {
	size_t bad_count;
	struct bad_driver bad[PROBE_DRIVERS_MAX];
	char folder[64]; /* of links to the good ones, or empty */
};

/*
 * Tries every driver of $OCL_ICD_VENDORS or /etc/OpenCL/vendors. Where some are
 * bad, sets OCL_ICD_VENDORS to a temporary folder with the others. Call it before
 * this process uses OpenCL, and drivers_deinit once the loader has loaded.
 */
void drivers_init(struct drivers *drivers);
void drivers_deinit(struct drivers *drivers);

#endif
