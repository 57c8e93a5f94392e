/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples of buffers that users have sent, for their questions to name.
 *
 * A sample is found by who sent it and by its name: nobody else can use it, or learn that it is
 * here. Those of one user are bounded by count and bytes, and those of all by bytes; where there
 * is no room, what was used longest ago goes.
 */
#ifndef PREDICTD_DAEMON_STATE_SAMPLES_H
#define PREDICTD_DAEMON_STATE_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <uthash.h>

#include "model/device/launch.h"
#include "model/device/sample.h"
#include "proto/sample_name.h"

/* Without padding: it is hashed as bytes. */
struct sample_owner {
	uint64_t user;
	uint8_t name[SAMPLE_NAME_BYTES];
};

struct kept_sample {
	struct sample_owner owner;
	struct sample_user *user;
	const struct sample *sample;       /* held */
	size_t bytes;                      /* that it counts for */
	uint64_t use;                      /* the last one: they are numbered */
	int64_t used_at_s;                 /* since 1970 */
	int64_t told_at_s;                 /* of the last use that on_kept was told of */
	bool is_stored;                    /* by who is told, who sets it */
	struct kept_sample *newer, *older; /* used, of the same user */
	UT_hash_handle hh;
};

/* One who has samples. */
struct sample_user {
	uint64_t id;
	size_t count, bytes;
	struct kept_sample *newest, *oldest; /* used */
	UT_hash_handle hh;
};

struct samples {
	struct kept_sample *table;
	struct sample_user *users;
	uint64_t uses;
	size_t bytes;
	size_t count_per_user, bytes_per_user, bytes_max;
	uint64_t evicted; /* for room, since the daemon started */
	/* Told of what is new, or used again after a day, and of what goes; NULL: nobody is. */
	void (*on_kept)(void *data, struct kept_sample *kept);
	void (*on_dropped)(void *data, struct kept_sample *kept);
	void *data;
};

/* Also evicts what is over the new bounds. */
void samples_bound(struct samples *samples, size_t count_per_user, size_t bytes_per_user,
                   size_t bytes_max);
void samples_deinit(struct samples *samples);

/*
 * Takes a sample, also when it fails, and gives it its key; where it is here already, it counts
 * as used. STATUS_LIMIT: it alone is more than a user may have. STATUS_NO_MEMORY.
 */
enum status samples_keep(struct samples *samples, uid_t user, const uint8_t name[SAMPLE_NAME_BYTES],
                         struct sample *sample, int64_t now_s, struct error *error);

/* The same for one that is stored, and was used then: nobody is told. */
enum status samples_restore(struct samples *samples, const struct sample_owner *owner,
                            struct sample *sample, int64_t used_at_s, struct error *error);

/* What is kept of that owner, or NULL; it does not count as used. */
struct kept_sample *samples_find(const struct samples *samples, const struct sample_owner *owner);

/* The user's sample of that name, which is used now; NULL: it is not here (any more). */
const struct sample *samples_use(struct samples *samples, uid_t user,
                                 const uint8_t name[SAMPLE_NAME_BYTES], int64_t now_s);

/*
 * Forgets samples that were not used since before_s: of one user, or of all. Returns how many.
 * A launch that holds one keeps it until it is predicted.
 */
size_t samples_forget(struct samples *samples, bool has_user, uid_t user, int64_t before_s);

/* A launch that outlives this turn of the loop holds its samples, and releases them in the end. */
void samples_hold(const struct launch *launch);
void samples_release(const struct launch *launch);

#endif
