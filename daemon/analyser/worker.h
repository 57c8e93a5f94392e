/* SPDX-License-Identifier: Apache-2.0 */
/* A child of the analyser: one program in, its kernels' IR or one error out; or variants of one. */
#ifndef PREDICTD_DAEMON_ANALYSER_WORKER_H
#define PREDICTD_DAEMON_ANALYSER_WORKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "model/status.h"

enum {
	WORKER_DEADLINE_MS_MAX = 600000,
	/* a job's message: the deadline in ms, little-endian, and its socket; the highest bit:
	 * it is done in the background */
	WORKER_TICKET_BYTES = 4,
	/* of a job in the background, and of one that takes long: beside busy programs a tenth of
	 * what each of them gets; at 19 a small source would take seconds there */
	WORKER_NICE = 10
};

struct worker_job {
	uint32_t deadline_ms;
	bool is_background;
	int socket; /* the stream to the asker */
};

/*
 * Sends and receives a job. worker_receive: 1 and the caller's job->socket; 0 when the peer
 * has closed; -1 for a message that is no job (it is dropped, with every descriptor in it)
 * or for errno EAGAIN.
 */
int worker_receive(int channel, struct worker_job *job);
bool worker_send(int channel, const struct worker_job *job);

/*
 * Packs the replies that are sent when nothing can be packed any more, and
 * makes the front-end ready: once in the zygote, before the jail.
 */
enum status worker_prepare(struct error *error);

/* Tells the asker on `socket` that there are too many at work. Never blocks. */
void worker_refuse(int socket);

/*
 * The child: enters its jail, touches the memory that a parse will touch,
 * waits on `channel` for its job, answers it, ends. `parent` is the zygote. A job that
 * takes long is finished at a low priority.
 */
_Noreturn void worker_run(int channel, pid_t parent);

#endif
