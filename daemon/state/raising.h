/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Epochs of many answers, raised at most once a second: whoever makes corrections move back
 * and forth costs others one question a second, no more. What comes in between waits for its end.
 */
#ifndef PREDICTD_DAEMON_STATE_RAISING_H
#define PREDICTD_DAEMON_STATE_RAISING_H

#include "daemon/state/epochs.h"

#include <stddef.h>
#include <uv.h>

enum {
	RAISING_INTERVAL_MS = 1000,
	RAISING_SCOPES_MAX = 16 /* that wait; of more, every answer is raised */
};

struct raising {
	struct epochs *epochs; /* borrowed; NULL: there are none */
	uv_timer_t timer;
	bool is_ready; /* the timer can be started */
	struct epochs_scope waiting[RAISING_SCOPES_MAX];
	size_t count;
};

void raising_init(struct raising *raising, struct epochs *epochs, uv_loop_t *loop);

/* Answers of this scope are out of date, now or at the second's end. */
void raising_add(struct raising *raising, const struct epochs_scope *scope);

/* Raises what waits, then no more; the loop closes the timer. */
void raising_stop(struct raising *raising);

#endif
