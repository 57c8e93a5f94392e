/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What devices do to each other, by pairs of keys (model/device/contention.h). A pair serves two
 * devices of the registry by their own keys, else by those of calibrations that serve them, as an
 * imported one does; and while both have the drivers that it was measured with.
 */
#ifndef PREDICTD_DAEMON_STATE_PAIRS_H
#define PREDICTD_DAEMON_STATE_PAIRS_H

#include "daemon/state/registry.h"
#include "model/device/contention.h"

enum { PAIRS_MAX = 1024 };

struct pairs {
	struct contention *pairs;
	size_t count;
};

void pairs_init(struct pairs *pairs);
void pairs_deinit(struct pairs *pairs);

/* In place of an earlier one of the same keys. STATUS_LIMIT, STATUS_NO_MEMORY: nothing changed. */
enum status pairs_keep(struct pairs *pairs, const struct contention *pair, struct error *error);

bool pairs_has(const struct pairs *pairs, const struct contention *pair);

/* Drops those of a key. */
void pairs_drop(struct pairs *pairs, const char *key);

/* A pair that is of two devices of the registry, by their places among those that were asked for.
 */
struct paired {
	const struct contention *pair; /* borrowed until the pairs change */
	size_t first, second;          /* of the pair's sides */
	bool is_stale;                 /* a device has another driver by now */
};

/*
 * The pairs of every two of `count` devices, at most one for two of them.
 *
 * places   of the registry
 * found    out: the caller's, to free()
 */
enum status pairs_find(const struct pairs *pairs, const struct registry *registry,
                       const size_t *places, size_t count, struct paired **found,
                       size_t *found_count, struct error *error);

#endif
