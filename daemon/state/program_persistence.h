/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Analysed programs in the store, so that a daemon that starts again need not
 * analyse them again: looked up one by one when they are registered, saved in
 * batches some time after they were analysed. What is lost is analysed again.
 *
 * They are kept under the SHA-256 of the analyser that made them: another analyser
 * never sees its predecessor's work. What was loaded is decoded as hostile input.
 */
#ifndef PREDICTD_DAEMON_STATE_PROGRAM_PERSISTENCE_H
#define PREDICTD_DAEMON_STATE_PROGRAM_PERSISTENCE_H

#include "daemon/state/program_cache.h"
#include "daemon/state/store_worker.h"

struct daemon;
struct program_saving;

enum {
	PROGRAM_VERSION_TEXT = 65, /* hexadecimal digits of a SHA-256, and the terminator */
	PROGRAM_MARK_BITS = 1 << 20
};

struct program_persistence {
	struct daemon *daemon;
	uv_timer_t timer;                    /* until what was analysed is saved */
	struct program_saving *collected;    /* not given to the store yet; or NULL */
	size_t looked_up_bytes, saved_bytes; /* on their way */
	bool is_listed, is_stopping;
	/* the worker thread's, until is_listed */
	char version[PROGRAM_VERSION_TEXT]; /* empty: nothing can be kept */
	/*
	 * A bit for each key that the store has, by its first bits: clear means that it is not
	 * there, so that a new source need not wait for the store.
	 */
	uint8_t marks[PROGRAM_MARK_BITS / 8];
};

/* A look into the store; embedded in what waits for it. */
struct program_lookup {
	struct store_job job;
	struct program_persistence *persistence;
	struct program_key key;
	size_t waiting_bytes;           /* that wait with it, for the bound */
	struct program_content content; /* found, unpacked: the callee's; or empty */
	int64_t used_at_s;              /* of what was found */
	void (*done)(struct program_lookup *lookup);
};

void program_persistence_init(struct program_persistence *persistence, struct daemon *daemon);

/* The store is being opened: then lists what it has. */
void program_persistence_open(struct program_persistence *persistence);

/*
 * Looks for a program on behalf of a user; lookup->done is called later, on the loop. False, and
 * nothing happens: the store does not have it, or too much waits for it.
 */
bool program_persistence_find(struct program_persistence *persistence,
                              struct program_lookup *lookup, const struct program_key *key,
                              uid_t user, size_t waiting_bytes,
                              void (*done)(struct program_lookup *lookup));

/* Has a program saved, some time later; copies the reply. */
void program_persistence_save(struct program_persistence *persistence,
                              const struct program_key *key, const uint8_t *reply,
                              size_t reply_bytes, double analysis_time_s);

/* The same for one in use, unless that was done within a day. */
void program_persistence_use(struct program_persistence *persistence, struct program *program);

/* Saves what was collected, and no more. */
void program_persistence_stop(struct program_persistence *persistence);

#endif
