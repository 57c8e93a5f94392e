/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples in the store, where the configuration says that they are kept: what is in memory
 * (daemon/state/samples.h) is in the store some seconds later, and what goes from memory, by
 * forgetting or for want of room, goes from the store. So the bounds of memory are those of the
 * store. Where they are not kept the store has none.
 */
#ifndef PREDICTD_DAEMON_STATE_SAMPLE_PERSISTENCE_H
#define PREDICTD_DAEMON_STATE_SAMPLE_PERSISTENCE_H

#include "daemon/state/observations.h"
#include "daemon/state/samples.h"
#include "daemon/state/store_worker.h"

struct daemon;
struct sample_change;
struct sample_saving;

struct sample_persistence {
	struct daemon *daemon;
	uv_timer_t timer;              /* until changes are saved */
	struct sample_change *changes; /* not given to the store; one an owner */
	struct sample_saving *saving;  /* given to it, or NULL */
	size_t left;                   /* of the changes there were when saving began: the first */
	struct save_wait *waits;       /* for those; and for what has changed since */
	struct save_wait *later_waits;
	bool keeps;
	bool clears; /* the next saving stores what is kept then, and nothing else */
	bool is_stopping;
};

/* What the store had: read by its thread, taken up on the loop. */
struct loaded_samples {
	bool keeps;      /* false: what the store has is deleted */
	bool is_partial; /* memory was short */
	size_t count, room;
	struct loaded_sample {
		struct sample_owner owner;
		struct sample *sample; /* NULL: it could not be decoded */
		int64_t used_at_s;
	} *samples;
};

/* Is told of what happens to the daemon's samples from here on. */
void sample_persistence_init(struct sample_persistence *persistence, struct daemon *daemon);

/* Whether they are kept; what was stored goes where they are not any more. */
void sample_persistence_set(struct sample_persistence *persistence, bool keeps);

/* Fills *loaded, whose `keeps` is set, by the store's thread; freed by taking it up. */
enum status sample_persistence_read(struct store *store, struct loaded_samples *loaded,
                                    struct error *error);
void sample_persistence_take_up(struct sample_persistence *persistence,
                                struct loaded_samples *loaded);

/* Calls wait->done when what has gone from memory is gone from the store, or cannot be deleted. */
void sample_persistence_wait(struct sample_persistence *persistence, struct save_wait *wait);

/* Who waits for a store that does not answer is told so. */
void sample_persistence_go_on(struct sample_persistence *persistence);

/* Saves what has changed, and no more. */
void sample_persistence_stop(struct sample_persistence *persistence);

/* Before the daemon's samples end, which stay in the store. */
void sample_persistence_deinit(struct sample_persistence *persistence);

#endif
