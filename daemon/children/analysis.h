/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The daemon's side of the analyser: one zygote process that forks a child per
 * program, or for several variants of one (daemon/analyser). The daemon passes it a socket for
 * each child, writes the program to the other end and reads the kernels from it.
 *
 * A zygote that dies is started again, later each time; what it was working on
 * fails, what waits goes on. Users take turns in the queue; programs of one who has much
 * analysed are analysed in the background: at a low priority, fewer at once than processors, and
 * he rests three times as long as the work took. Who has none running may begin one beyond these
 * numbers, up to twice as many, so that his small source never waits for another's large ones.
 */
#ifndef PREDICTD_DAEMON_CHILDREN_ANALYSIS_H
#define PREDICTD_DAEMON_CHILDREN_ANALYSIS_H

#include "daemon/children/analyser_process.h"
#include "daemon/serve/users.h"
#include "daemon/state/program_cache.h"
#include "daemon/state/user_queue.h"
#include "model/ir/ir.h"
#include "proto/predictd.pb-c.h"

#include <stdbool.h>
#include <sys/types.h>
#include <uv.h>

struct analysis_job;

struct analysis {
	uv_loop_t *loop;
	struct analyser_process process;
	bool is_stopping;
	struct user_queue queue;
	struct user_queue_bounds bounds;
	struct analysis_job *running;
	size_t running_count, running_max;
	size_t background_count, background_max; /* of these */
	uint64_t rested_ns; /* when the first of those who rest and have some waiting may go on */
	uv_timer_t rest_timer;
	bool (*is_background)(void *data, uid_t user);
	void *data;                     /* its */
	struct users *users;            /* whom it is all counted for; set before the start */
	struct analysis_job *decoding;  /* whose large reply is being decoded: one at a time, */
	struct analysis_job *undecoded; /* and those that came meanwhile, in order */
	uint32_t deadline_ms;
	uint64_t forks;            /* children that were given programs */
	uint64_t background_forks; /* of these */
	uint64_t given_up;         /* likewise: without a reply, for a crash, memory or time */
};

/*
 * What came of a program; takes the content, if any. Called later, on the loop: once, and for
 * variants once each, in their order. Where no reply came of one (is_analysers is not set), this
 * is the last call, and those after it have not been analysed.
 */
struct analysis_result {
	enum status status;
	struct error error;
	struct program_content content;
	struct analysis_report report; /* of a program that was refused: the header that it lacks */
	uint64_t run_ns;               /* that a child took for it */
	bool is_analysers; /* the status is what the child replied; else it did not reply */
};
typedef void (*analysis_done)(void *data, struct analysis_result *result);

/*
 * libexec         a colon list of directories (daemon/libexec.h); borrowed
 * is_background   whether a user's next program is analysed in the background; gets `data`
 */
void analysis_init(struct analysis *analysis, uv_loop_t *loop, const char *libexec,
                   bool (*is_background)(void *data, uid_t user), void *data);
void analysis_start(struct analysis *analysis);

/* Bounds, of the configuration; running_max 0: two per core. */
void analysis_bound(struct analysis *analysis, size_t queued_max, size_t queued_per_user_max,
                    size_t running_max, uint32_t deadline_ms);

/* How many variants one child may be given: its deadline is the sum of theirs. At least 1. */
size_t analysis_variants_max(const struct analysis *analysis);

/*
 * Asks for a program's kernels on behalf of a user. `frame` is the framed AnalyserRequest, on the
 * heap; taken, also on failure. `programs` is how many replies it asks for. *job stands until
 * `done` is called for the last time. STATUS_BUSY: the queue is full; STATUS_UNAVAILABLE: no
 * analyser; `done` is not called then.
 */
enum status analysis_submit(struct analysis *analysis, uint8_t *frame, size_t frame_bytes,
                            size_t programs, uid_t user, analysis_done done, void *data,
                            struct analysis_job **job, struct error *error);

/*
 * Another user wants it, too: where it waits among those of one who has much analysed, and he has
 * not, it is his from here on.
 */
void analysis_hasten(struct analysis *analysis, struct analysis_job *job, uid_t user);

/* Nobody wants it any more: true, and `done` is not called, while it still waits. */
bool analysis_withdraw(struct analysis *analysis, struct analysis_job *job);

/* Fails what runs and waits, ends the zygote, closes the handles. */
void analysis_stop(struct analysis *analysis);

#endif
