/* SPDX-License-Identifier: Apache-2.0 */
/* The analyser's process: started, watched, and started again after it died, later each time. */
#ifndef PREDICTD_DAEMON_CHILDREN_ANALYSER_PROCESS_H
#define PREDICTD_DAEMON_CHILDREN_ANALYSER_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

enum analyser_event {
	ANALYSER_READY,
	ANALYSER_ENDED,      /* it had been ready */
	ANALYSER_NOT_STARTED /* it never got ready; `problem` says why */
};

struct analyser_process {
	uv_loop_t *loop;
	const char *libexec;
	void (*on_event)(void *data, enum analyser_event event);
	void *data;
	uv_process_t process;
	uv_poll_t poll;
	uv_timer_t timer; /* until "ready", or until the next start */
	int control;      /* our end of the zygote's socket, or -1 */
	bool is_spawned;  /* and not yet reaped */
	bool is_ready, is_stopping;
	unsigned open_handles; /* of the process that lives or is being buried */
	unsigned failures;     /* in a row */
	uint64_t ready_ms;
	char problem[256]; /* why there is none, or empty */
	char lack[256];    /* what its jail lacks, or empty; of the last that was ready */
};

void analyser_process_init(struct analyser_process *analyser, uv_loop_t *loop, const char *libexec,
                           void (*on_event)(void *data, enum analyser_event event), void *data);
void analyser_process_start(struct analyser_process *analyser);

/* True when it is gone, maybe before ANALYSER_ENDED tells. */
bool analyser_process_has_ended(const struct analyser_process *analyser);

/* Kills it and closes the handles; no event comes any more. */
void analyser_process_stop(struct analyser_process *analyser);

#endif
