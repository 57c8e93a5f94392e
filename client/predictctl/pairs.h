/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of devices that slow each other down, for people and as JSON. */
#ifndef PREDICTD_CLIENT_PREDICTCTL_PAIRS_H
#define PREDICTD_CLIENT_PREDICTCTL_PAIRS_H

#include <jansson.h>
#include <stdio.h>

#include "client/predictd.h"

struct pairs {
	size_t count;                 /* devices */
	const char *const *keys;      /* the caller's */
	const char *const *names;     /* likewise */
	predictd_slowdown *slowdowns; /* as predictd_contention */
	const char **listed;          /* of pairs_list: keys, and names behind them; or NULL */
	const predictd_devices *from; /* of pairs_list */
};

/* Asks. False: none can be told, and why is predictd_error_text; pairs_deinit after either. */
bool pairs_init(struct pairs *pairs, predictd_connection *connection, const char *const *keys,
                const char *const *names, size_t count);
void pairs_deinit(struct pairs *pairs);

enum pairs_of {
	PAIRS_OF_HERE,  /* what can be measured together */
	PAIRS_OF_KNOWN, /* of devices that are calibrated, too */
};

/* The same of devices of a list, which must outlive it; keys and names are its own. */
bool pairs_list(struct pairs *pairs, predictd_connection *connection,
                const predictd_devices *devices, enum pairs_of of);

/* Whether every two of them were measured. */
bool pairs_are_known(const struct pairs *pairs);

/*
 * A sentence on what a plan assumed: that devices slow each other down as measured, and which pairs
 * were not. Nothing of one device.
 */
void pairs_print(const struct pairs *pairs, FILE *file);

/* Of pairs_list, a line for every two: when they were measured together, or that they were not. */
void pairs_tell(const struct pairs *pairs, FILE *file);

/* A list: every two of them, whether they are known, and their factors. */
json_t *pairs_json(const struct pairs *pairs);

/* The device's name, or its key where another one has that name. */
const char *pairs_name(const struct pairs *pairs, size_t device);

#endif
