/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A rate limit: epochs of many answers are raised at most once a second. Whoever makes corrections
 * move back and forth costs others one question a second, no more. What comes in between waits for
 * the second's end.
 */
#ifndef PREDICTD_DAEMON_STATE_EPOCH_LIMIT_H
#define PREDICTD_DAEMON_STATE_EPOCH_LIMIT_H

#include "daemon/state/epochs.h"

#include <stddef.h>
#include <uv.h>

enum {
	EPOCH_LIMIT_INTERVAL_MS = 1000,
	EPOCH_LIMIT_SCOPES_MAX = 16 /* that wait; of more, every answer is raised */
};

struct epoch_limit {
	struct epochs *epochs; /* borrowed; NULL: there are none */
	uv_timer_t timer;
	bool is_ready; /* the timer can be started */
	struct epochs_scope waiting[EPOCH_LIMIT_SCOPES_MAX];
	size_t count;
};

void epoch_limit_init(struct epoch_limit *limit, struct epochs *epochs, uv_loop_t *loop);

/* Answers of this scope are out of date, now or at the second's end. */
void epoch_limit_add(struct epoch_limit *limit, const struct epochs_scope *scope);

/* Raises what waits, then no more; the loop closes the timer. */
void epoch_limit_stop(struct epoch_limit *limit);

#endif
