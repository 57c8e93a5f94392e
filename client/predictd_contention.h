/* SPDX-License-Identifier: Apache-2.0 */
/* What devices do to each other. <predictd.h> includes this. */
#ifndef PREDICTD_CONTENTION_H
#define PREDICTD_CONTENTION_H

#include "predictd.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Devices that share processors, memory or a bus slow each other down, by what either one does. */
typedef enum predictd_load {
	PREDICTD_LOAD_COMPUTE,   /* arithmetic, and launches */
	PREDICTD_LOAD_MEMORY,    /* beyond every cache */
	PREDICTD_LOAD_TRANSFERS, /* from the host and back */
	PREDICTD_LOADS
} predictd_load;

/* "compute", "memory", "transfers"; "unknown" for a number out of range. Static storage. */
const char *predictd_load_name(predictd_load load);

typedef struct predictd_slowdown {
	bool is_known; /* else factors are 1 */
	bool is_stale; /* not known: a device had another driver when it was measured */
	bool was_busy; /* others used the machine meanwhile, so that factors may be theirs */
	/* how many times longer one device takes for a load while the other has a load:
	 * [its own][the other's], 1 or more */
	double factors[PREDICTD_LOADS][PREDICTD_LOADS];
	double standard_error; /* relative, of the least sure of the pair's factors */
	int64_t measured_at_s; /* since 1970 */
	uint64_t reserved[4];  /* 0 */
} predictd_slowdown;

/*
 * What devices do to each other, as it was measured (predictd_calibrate_pair). What the daemon has
 * answered is remembered while it stands; then no question is asked.
 *
 * devices      `count` keys, indices or parts of names
 * slowdowns    out, count * count: at [i * count + j] device i beside device j. On the diagonal
 *              nothing is known.
 *
 * PREDICTD_NOT_FOUND, PREDICTD_INVALID: a device that there is not, or a part of several names.
 * PREDICTD_LIMIT: more than 64 devices. PREDICTD_UNSUPPORTED: an older daemon. slowdowns are
 * unchanged then.
 */
predictd_status predictd_contention(predictd_connection *connection, const char *const *devices,
                                    size_t count, predictd_slowdown *slowdowns);

/*
 * Measures what two devices that are here do to each other, in about six seconds. Who may, progress
 * and cancelling are as of predictd_calibrate. A pair is of the drivers it was measured with.
 */
predictd_status predictd_calibrate_pair(predictd_connection *connection, const char *device,
                                        const char *other, predictd_progress progress,
                                        void *context);

#ifdef __cplusplus
}
#endif

#endif
