/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Questions on their way behind the caller's back: handed to the background's thread without a lock
 * that it, or anybody, holds, so that who asks is never kept by who answers.
 *
 * A question is claimed by its key before it is handed over, so that it is on its way once; of
 * questions that share a slot one waits for the other. One that failed is not asked again for a
 * while. Every function may be called by any thread, except where it says otherwise.
 */
#ifndef PREDICTD_CLIENT_LIBRARY_REFRESH_H
#define PREDICTD_CLIENT_LIBRARY_REFRESH_H

#include <pthread.h>
#include <stdatomic.h>

#include "client/library/error.h"
#include "client/library/key.h"
#include "client/library/queue.h"

enum { REFRESH_SLOTS = 1024 };

struct refresh_slot {
	_Atomic uint64_t pending; /* of whose key; 0: none */
	/* of the last that failed; its key is written last, and 0 meanwhile */
	_Atomic uint64_t refused;
	_Atomic int64_t until_ns;
	_Atomic int status;
};

struct refreshes {
	struct refresh_slot slots[REFRESH_SLOTS];
	_Atomic(struct queue_item *) handed; /* the last first */
	_Atomic uint64_t rounds;             /* of answers that came */
	pthread_mutex_t mutex;               /* held for an instant: of who waits for a round */
	pthread_cond_t round;
};

/* A child of fork() begins anew: what was handed over is its parent's. */
void refreshes_init(struct refreshes *refreshes);
void refreshes_deinit(struct refreshes *refreshes);

/* False: it is on its way, or another of its slot is. */
bool refresh_claim(struct refreshes *refreshes, const struct question_key *key);
/* Why it is not to be asked again now; PREDICTD_OK: nothing is known against it. */
predictd_status refresh_refusal(struct refreshes *refreshes, const struct question_key *key,
                                int64_t now_ns);
/* Of one that was claimed. */
void refresh_hand_over(struct refreshes *refreshes, struct queue_item *item);

/* By the background's thread: what was handed over, in its order. */
void refreshes_take(struct refreshes *refreshes, struct queue *queue);
bool refreshes_wait(struct refreshes *refreshes); /* some do */
/* It is not on its way any more. status: PREDICTD_OK, or why it failed, which stands until then. */
void refresh_end(struct refreshes *refreshes, const struct question_key *key,
                 predictd_status status, int64_t until_ns);
/* Wakes who waits for a round. */
void refreshes_announce(struct refreshes *refreshes);

uint64_t refreshes_rounds(struct refreshes *refreshes);
/* Sleeps until there were more rounds than those, or until then. */
void refreshes_await(struct refreshes *refreshes, uint64_t rounds, int64_t end_ns);

#endif
