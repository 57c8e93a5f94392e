/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Schedules behind <predictd_schedule.h>. Tasks come in by schedule.c, which checks them;
 * schedule_graph.c says what waits for what and in which order tasks are placed; schedule_place.c
 * finds each its device and time; schedule_ask.c alone knows a connection.
 */
#ifndef PREDICTD_CLIENT_LIBRARY_SCHEDULE_H
#define PREDICTD_CLIENT_LIBRARY_SCHEDULE_H

#include "client/predictd.h"

/* Spans that do not overlap, by their start. */
struct timeline {
	size_t count, room;
	size_t packed; /* so many of the first leave no gap between them */
	struct span {
		double start_s, end_s;
		size_t task;
	} *spans;
};

/* A device's memory: what stays, and what goes at a known time, by that time. */
struct room {
	uint64_t kept_bytes;
	size_t count, size;
	struct leaving {
		double end_s;
		uint64_t bytes;
	} *leaving;
};

struct planned_device {
	predictd_schedule_device own;
	struct timeline runs, uploads, downloads;
	/* what its tasks lose to others beside them that their spans do not show, since something
	 * rests on their ends: the last one pays, of which so much is in its span */
	double debt_s, paid_s;
	struct room room;
};

/* A copy of a buffer; those of one buffer stand together, one a device, and the host's last. */
struct buffer_copy {
	bool is_valid;
	double since_s, used_until_s;
};

struct planned_buffer {
	uint64_t size_bytes;
	/* the graph's: the last writer of those known, and who reads what that one writes */
	size_t writer, readers; /* SIZE_MAX: none */
	/* placing's: who wrote what there is, and how many tasks without a place use it */
	size_t made_by, users;
};

struct reader {
	size_t task, next;
};

struct predictd_schedule {
	predictd_method method;
	size_t device_count;
	struct planned_device *devices;
	double *slowdowns;                   /* or NULL */
	predictd_slowdown *pairs;            /* in their place, once asked for; or NULL */
	bool is_pair_known, are_pairs_known; /* one of them; all */
	size_t buffer_count, buffer_room;
	struct planned_buffer *buffers;
	struct buffer_copy *buffer_copies;
	size_t reader_count, reader_room;
	struct reader *readers;
	size_t task_count, task_room;
	predictd_planned *tasks;
	double *shares;   /* by task: how much of it follows memory (predictd_estimate); -1: unknown
	                   */
	size_t *blockers; /* by task: what it waited for last; SIZE_MAX: nothing */
	size_t copy_count, copy_room;
	predictd_planned_copy *copies;
	size_t critical_count; /* of the task that was the last one when it was marked */
	size_t *critical;
	size_t last, marked; /* the task that ends last, and the one that was; SIZE_MAX: none */
	double makespan_s;
	struct ends *ends; /* of the tasks, a block an addition */
	/* for tests: no gap is filled; each task's device is given */
	bool is_append;
	const size_t *forced;
};

/* What tasks of one addition would take, and when they would end, one a device. */
struct ends {
	struct ends *next;
	predictd_status *statuses;
	double ends_s[];
};

/* What a task waits for, and what it fetches of it. */
struct before {
	size_t task;
	uint64_t bytes;
};

/* Tasks that are being added. */
struct adding {
	predictd_schedule *schedule;
	const predictd_schedule_task *tasks;
	size_t count, first; /* the number of the first of them */
	double now_s;
	double *times_s;           /* one a device; INFINITY: not there */
	double *shares;            /* one a device, as of the schedule's tasks */
	bool *is_fixed;            /* something is planned that rests on when it ends */
	double *ends_s;            /* out of placing: when it would end, one a device */
	predictd_status *statuses; /* one a device */
	size_t *order;             /* so that needs come first */
	size_t *before_begins, *before_counts;
	size_t before_total, before_room;
	struct before *befores;
	double *ranks; /* higher ones are placed first */
};

/* An array with room for one more; false: no memory. */
bool array_grow(void **array, size_t *room, size_t count, size_t item_bytes);

/* "task 3 (gemm)" */
const char *adding_name(const struct adding *adding, size_t task, char text[96]);

/*
 * Fills order: needs come first, else lower numbers do. PREDICTD_INVALID: a cycle, named; a buffer
 * that is read and holds nothing.
 */
predictd_status graph_order(struct adding *adding);
/* Fills befores, of needs and of buffers; the schedule's buffers know these tasks from then on. */
predictd_status graph_link(struct adding *adding);
/*
 * Fills ranks: the longest way to the end by mean times (Topcuoglu et al., eq. 8); zeros for other
 * methods than PREDICTD_HEFT.
 */
void graph_rank(struct adding *adding);

/* Places every task; fills the schedule. PREDICTD_LIMIT: one has no place. */
predictd_status place_tasks(struct adding *adding);

/* Of tasks with a question: times_s, statuses. Fails where an answer is missing. */
predictd_status schedule_ask(struct adding *adding, predictd_connection *connection);

/* ---- contention ---------------------------------------------------------------------------- */

/* What devices do to each other, once, where it was not given and there are keys to ask by. */
predictd_status schedule_contention_ask(predictd_schedule *schedule,
                                        predictd_connection *connection);
/*
 * When a task that begins then ends on a device, beside what others have planned.
 *
 * share    of it follows memory, -1: unknown
 * work_s   what it takes alone
 * harm_s   out: what those others lose meanwhile, of their own rates, all together
 */
double contention_end_s(const predictd_schedule *schedule, size_t device, double share,
                        double start_s, double work_s, double *harm_s);
/* When it can begin, from ready_s on, so that it also ends before what is planned behind it. */
double contention_start_s(const predictd_schedule *schedule, size_t device, double share,
                          double ready_s, double work_s, double *end_s, double *harm_s);
/*
 * After a task has its place, the last one of its device or in a gap: the last tasks of all
 * devices, of this addition, end as late as they do beside each other, unless something rests on
 * their ends. What others lose is their devices' debt.
 */
void contention_settle(struct adding *adding, size_t device, const struct span *placed);

/* ---- parts of placing ---------------------------------------------------------------------- */

/* When a span of that length can begin, from ready_s on. */
double timeline_find(const struct timeline *timeline, double ready_s, double time_s,
                     bool is_append);
/* False: no memory. */
bool timeline_insert(struct timeline *timeline, double start_s, double end_s, size_t task);
/* The task of the span that ends at a time, or SIZE_MAX. */
size_t timeline_before(const struct timeline *timeline, double start_s);
/* The first span that ends after a time. */
size_t timeline_after(const struct timeline *timeline, double time_s);
void timeline_deinit(struct timeline *timeline);

/* From when on there is room for so many bytes for good; INFINITY: never. limit_bytes 0: none. */
double room_find(const struct room *room, uint64_t limit_bytes, uint64_t bytes);
/* What stays goes at end_s. False: no memory. */
bool room_leave(struct room *room, double end_s, uint64_t bytes);
/* What would go from end_s on, and before later_s, goes then. */
void room_delay(struct room *room, double end_s, double later_s);

#endif
