/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Predictions for heavy users (daemon/serve/users.h): made by threads of a low priority, fewer
 * than there are processors, which rest most of the time; users in turn. The request at hand waits,
 * as one that waits for devices does, and is answered by the same call again when the prediction is
 * there.
 */
#ifndef PREDICTD_DAEMON_SERVE_EVALUATIONS_H
#define PREDICTD_DAEMON_SERVE_EVALUATIONS_H

#include "daemon/state/user_queue.h"
#include "model/answer/predict.h"

#include <stdbool.h>
#include <uv.h>

struct daemon;
struct evaluation;
struct program;
struct session;

enum { EVALUATION_THREADS_MAX = 4 };

enum { IR_TEXT_MAX = 1 << 20 }; /* bytes of a kernel's text */

struct evaluations {
	struct daemon *daemon;
	struct user_queue queue;           /* of those that wait for a thread */
	unsigned thread_count, busy_count; /* busy: with what is not collected */
	uint64_t made;                     /* in the background */
	bool is_started, is_stopping;
	uv_thread_t threads[EVALUATION_THREADS_MAX];
	uv_mutex_t mutex; /* of what follows */
	uv_cond_t given_one, end;
	struct evaluation *given, *done;
	bool is_ending;
};

/* Threads start when the first prediction needs one. */
void evaluations_init(struct evaluations *evaluations, struct daemon *daemon);

/* Ends the threads; what they were asked for is of no use to anyone. */
void evaluations_stop(struct evaluations *evaluations);

/*
 * predict() of daemon->launch for the request at hand, into daemon->prediction: now, or
 * in the background where the session's user is heavy, and, while others ask, where the kernel
 * is large: a first question about 50,000 nodes had the loop for 0.4 s. `kernel` is the program's.
 * with_text: its text form too, into daemon->ir_text; NULL there: no memory, or it is to be
 * written (kernel_format takes as long as its megabyte, so that it is left to the thread).
 *
 * STATUS_BUSY: it is being made. The request waits, and is processed again once
 * evaluation_is_awaited is false; then this call, for the same step of it, has the result.
 */
enum status evaluations_predict(struct evaluations *evaluations, struct session *session,
                                const struct program *program, const struct ir_kernel *kernel,
                                size_t device, const struct prediction_options *options,
                                bool with_text, struct error *error);

/* Lets requests go on whose predictions were made; in turns, while evaluations_are_made. */
void evaluations_collect(struct evaluations *evaluations);
static inline bool evaluations_are_made(const struct evaluations *evaluations)
{
	return evaluations->busy_count > 0;
}

/* Of a session's evaluation, or NULL. */
bool evaluation_is_awaited(const struct evaluation *evaluation);

/* The session needs it no more; accepts NULL. */
void evaluation_abandon(struct evaluation *evaluation);

#endif
