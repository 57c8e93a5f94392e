/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is kept of each shape, program and device that the layer has seen, for the files that
 * implement knowledge.h. All but what is marked belongs to the harvesting thread.
 */
#ifndef CLIENT_OPENCL_LAYER_KNOWN_H
#define CLIENT_OPENCL_LAYER_KNOWN_H

#include <pthread.h>

#include "client/opencl/layer/busy.h"
#include "client/opencl/layer/knowledge.h"
#include "client/opencl/layer/times.h"

enum { KNOWN_DEVICES_MAX = 64 };

/* Of a shape's question. Written once by the asking thread, then read by everybody. */
enum known_state { KNOWN_WAITS, KNOWN_ANSWERED, KNOWN_UNANSWERED };

struct known_answer {
	double time_s, low_s, high_s, static_time_s, launch_time_s;
	predictd_basis basis;
	uint64_t observation_count;
	uint64_t taught; /* observations that this process had sent before it was asked */
	char *bottleneck, *note;
};

/* The asking thread's own. */
struct known_program {
	predictd_program *program; /* NULL: not registered, or it cannot be */
	bool is_refused;
	char *why; /* of a program that is refused */
};

struct known_shape {
	seen_shape *shape;
	uint32_t number;                /* 0, 1, ... of this process, as in its record */
	struct known_shape *next;       /* of all, in the order they came up */
	struct known_shape *next_asked; /* under the asking thread's mutex */
	/* the asking thread's until `state` is no longer KNOWN_WAITS */
	predictd_program *program; /* that observations name; NULL: there is none */
	bool owns_program;         /* of a kernel without source */
	unsigned tries;
	struct known_answer answer;
	char *why;         /* of a shape without an answer; else NULL */
	_Atomic int state; /* enum known_state */
	/* launches */
	uint64_t launches, untimed, failed, overlapped;
	uint64_t near;       /* of other values, for which there was no shape any more */
	double first_time_s; /* 0: it has none */
	uint64_t timed;      /* with a profile */
	double total_time_s; /* of these */
	struct times clean;  /* of these, without first, overlapped and near ones */
};

struct known_transfers {
	uint64_t count, untimed, failed, blocking, bytes, timed_bytes;
	double time_s;
};

struct known_device {
	const seen_device *device;
	uint64_t launches;
	struct times launch; /* enqueue to start, where the device had nothing to do */
	struct busy busy;
	struct known_transfers transfers[SEEN_TRANSFER_KINDS];
};

struct known {
	layer_mode mode;
	bool observes;
	char *folder; /* or NULL */
	double started_at_s;
	char executable[256], name[64];
	struct known_shape *first, *last;
	uint32_t shape_count;
	size_t device_count;
	struct known_device devices[KNOWN_DEVICES_MAX];
	uint64_t devices_lost; /* commands on devices beyond these */
};

/* The text in memory of its own, or NULL. */
char *known_text(const char *text);

/* ---- ask.c: the asking thread -------------------------------------------------------------- */

struct ask_counts {
	uint64_t sent, refused, dropped;
	bool has_asked; /* the daemon answered something */
	char away[256]; /* why it is away, or "" */
};

/* Asks about a shape, and starts the thread where there is none. name: of the program. */
void ask_shape(struct known_shape *shape, const char *name);
/* Has a launch reported once its shape has its answer. launch_time_s 0: not known. */
void ask_report(struct known_shape *shape, const seen_times *times, double launch_time_s);
/*
 * Waits until nothing is left to do, the daemon is away, or the time is over; as long as it
 * answers, patience_s longer.
 */
void ask_close(double wait_s, double patience_s);
/* In a child of fork(), which has no such thread. */
void ask_forked(void);
void ask_get_counts(struct ask_counts *counts);

/* ---- question.c: a shape as a question ------------------------------------------------------ */

struct question {
	predictd_question question;
	predictd_argument *arguments;
};

/*
 * program   registered; of a kernel without source as well
 * why       out: of room `size`, why there is no such question
 *
 * The caller frees question->arguments.
 */
bool question_make(const seen_shape *shape, const predictd_program *program, bool is_sourceless,
                   struct question *question, char *why, size_t size);

/* ---- record.c, spans.c: files for predictctl ------------------------------------------------ */

/* Writes FOLDER/PID.json; false: it could not be. */
bool record_write(const struct known *known, const seen_losses *losses, uint64_t spans_lost);

/* Lines are kept in memory, and written by an own open(): a program may close every descriptor. */
void spans_open(const char *folder);
void spans_launch(uint32_t shape_number, const seen_times *times);
void spans_transfer(seen_transfer_kind kind, size_t device_number, uint64_t size_bytes,
                    const seen_times *times);
void spans_flush(void);
void spans_forked(void);
/* How many were not written: too many, or the file cannot be. */
uint64_t spans_lost(void);

#endif
