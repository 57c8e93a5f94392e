/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a platform's driver can be asked at all: found out in a child
 * process, since drivers crash and hang, and one of several may not take the
 * others along.
 */
#ifndef PREDICTD_CALIBRATOR_PROBE_H
#define PREDICTD_CALIBRATOR_PROBE_H

#include "model/status.h"

enum { PROBE_NAME_MAX = 128, PROBE_LIMIT_S = 5 };

enum probe {
	PROBE_FINE,
	PROBE_NONE,    /* there are not so many platforms */
	PROBE_BAD,     /* the platform crashed or did not answer: `why` says so */
	PROBE_UNLOADED /* so did the loader, before any platform was known */
};

/*
 * Asks platform `index` for its name and its devices in a child of this process,
 * which may not have used OpenCL before. name and why hold sentences for
 * PROBE_BAD and PROBE_UNLOADED.
 */
enum probe platform_probe(unsigned index, char name[PROBE_NAME_MAX], char why[PROBE_NAME_MAX]);

#endif
