/* SPDX-License-Identifier: Apache-2.0 */
/* Schedules: many tasks over devices, before any has run. <predictd.h> includes this. */
#ifndef PREDICTD_SCHEDULE_H
#define PREDICTD_SCHEDULE_H

#include "predictd.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A plan of what runs where and when: tasks that depend on each other, on devices with queues and
 * memory of their own, and data that lies somewhere. It is made in the caller's process. One
 * thread at a time may use a schedule.
 *
 * Times are seconds of one clock of the caller's. A device runs one task at a time. Copies are
 * between a device and the host; from device to device they go by way of the host. Beside its
 * kernels, a device makes one copy each way at a time. A copy stays until the buffer is written
 * elsewhere.
 */
typedef struct predictd_schedule predictd_schedule;

typedef enum predictd_method {
	/* heterogeneous earliest finish time, with insertion (Topcuoglu, Hariri, Wu, IEEE TPDS
	 * 13(3), 2002): by the longest way to the end, where a task ends first */
	PREDICTD_HEFT,
	/* of the tasks that are ready, what ends first (Ibarra, Kim, JACM 24(2), 1977); its cost
	 * grows with the square of how many are ready at once */
	PREDICTD_MIN_MIN,
	PREDICTD_FASTEST /* each where its own time is the least, in the order given */
} predictd_method;

enum {
	PREDICTD_SCHEDULE_DEVICES_MAX = 64,
	PREDICTD_SCHEDULE_TASKS_MAX = 1 << 20, /* buffers, too */
	PREDICTD_HOST = 64                     /* in place of a device: the host's memory */
};

typedef struct predictd_schedule_device {
	char key[PREDICTD_KEY_BYTES]; /* of the questions; "": all times are given */
	double busy_until_s;          /* it begins nothing before */
	uint64_t memory_bytes;        /* of the tasks' buffers at most; 0: without limit */
	/* a copy of n bytes takes latency + n / rate, none where both are 0 */
	double upload_latency_s, upload_bytes_per_s; /* from the host; rate 0: only the latency */
	double download_latency_s, download_bytes_per_s;
	uint64_t reserved[4]; /* 0 */
} predictd_schedule_device;

typedef struct predictd_schedule_options {
	size_t size; /* sizeof(predictd_schedule_options) */
	predictd_method method;
	size_t device_count; /* 1 to 64 */
	const predictd_schedule_device *devices;
	/*
	 * How many times longer a task takes on device i while device j works, at
	 * [i * device_count + j], 1 or more. A task that is placed beside those that are planned
	 * takes longer as long as they work; those of the same addition also, where they are their
	 * devices' last ones and nothing rests on their ends. NULL: as it was measured
	 * (predictd_contention, at the first addition with a connection, of devices that all have
	 * keys), by how much of each task's time follows memory. A task whose times are given
	 * counts as the worse of compute and memory; pairs that were not measured as 1.
	 */
	const double *slowdowns;
} predictd_schedule_options;

typedef struct predictd_schedule_buffer {
	uint64_t size_bytes;
	bool is_on_host;    /* what it holds at the beginning lies there */
	uint64_t on_device; /* and there: bit i for device i; neither: it holds nothing yet */
} predictd_schedule_buffer;

typedef struct predictd_schedule_task {
	const char *name; /* for messages; or NULL */
	/* asked for each device (its own is not used); NULL: times_s is given. Whole tasks' times,
	 * without transfers, are what counts. */
	const predictd_question *question;
	const double *times_s; /* one a device; INFINITY: it cannot run there */
	int priority;          /* of tasks that are ready, higher ones are placed first */
	/*
	 * Tasks that end before it begins: numbers over all tasks of the schedule, in the order
	 * they were added. What buffers ask for need not be said: tasks that use one of them, and
	 * not only read it, run in the order of their numbers, unless needs demand another.
	 */
	size_t need_count;
	const size_t *needs;
	/* Numbers of buffers. What is written is written whole: else it is read as well. */
	size_t read_count;
	const size_t *reads;
	size_t write_count;
	const size_t *writes;
} predictd_schedule_task;

/*
 * Devices to plan for: key, memory, and what copies take, by two predictions of a copy each.
 *
 * connection   to the daemon
 * names        `count` keys, indices or parts of names; count 0: every calibrated one that is here
 * devices      out: room for 64
 * found        out: how many
 *
 * PREDICTD_NOT_FOUND: one is not known, or away. PREDICTD_INVALID: one is given twice.
 * PREDICTD_UNCALIBRATED: one, or every one, is not calibrated.
 */
predictd_status predictd_schedule_devices(predictd_connection *connection, const char *const *names,
                                          size_t count, predictd_schedule_device *devices,
                                          size_t *found);

/*
 * An empty schedule. Options are copied.
 *
 * schedule   out: the caller's, to predictd_schedule_free
 *
 * PREDICTD_INVALID: no device, a time that is NaN, negative or infinite, a slowdown below 1.
 * PREDICTD_LIMIT: more than 64 devices.
 */
predictd_status predictd_schedule_new(const predictd_schedule_options *options,
                                      predictd_schedule **schedule);
void predictd_schedule_free(predictd_schedule *schedule); /* accepts NULL */

/*
 * Adds buffers, which are numbered in the order that they are added.
 *
 * PREDICTD_INVALID: one lies on a device that the schedule does not have. PREDICTD_LIMIT: too many,
 * or more lies on a device than its memory holds. Nothing is added then.
 */
predictd_status predictd_schedule_add_buffers(predictd_schedule *schedule,
                                              const predictd_schedule_buffer *buffers,
                                              size_t count);

/*
 * Places tasks, all of them together; what was placed before stays as it is, and what is added
 * fills gaps. A task that arrives is added by itself.
 *
 * connection   of the questions; NULL where all times are given
 * tasks        copied
 * now_s        nothing of it, no copy either, begins before
 *
 * Returns before anything is placed, with nothing changed: PREDICTD_INVALID for a cycle (its tasks
 * are named), a number that there is not, a time that is NaN or negative, a buffer read that holds
 * nothing; PREDICTD_LIMIT for too many; PREDICTD_UNSUPPORTED, or what the daemon said, for a task
 * that no device can run. An answer that is missing for any other reason than that the device
 * cannot run it (unreachable, timeout) is returned as well.
 *
 * PREDICTD_LIMIT, with other tasks placed: one fits into no device's memory; it and what comes
 * after it have a status. PREDICTD_NO_MEMORY: only predictd_schedule_free may follow.
 */
predictd_status predictd_schedule_add(predictd_schedule *schedule, predictd_connection *connection,
                                      const predictd_schedule_task *tasks, size_t count,
                                      double now_s);

/* Why a task is where it is. */
typedef enum predictd_placed_by {
	/* it ends first there; where devices slow each other down, after what others lose by it */
	PREDICTD_BY_FINISH,
	PREDICTD_BY_ABILITY, /* no other device can run it */
	PREDICTD_BY_MEMORY,  /* others that can run it lack the memory */
	PREDICTD_BY_DATA,    /* it ends first there, since its data need no copy */
	PREDICTD_BY_TIME     /* PREDICTD_FASTEST: its own time is the least */
} predictd_placed_by;

typedef struct predictd_planned {
	predictd_status status; /* PREDICTD_OK, else it has no place */
	size_t device;          /* its number; SIZE_MAX: none */
	double start_s, end_s;
	predictd_placed_by by;
	bool is_critical;
	/* one a device: when it would have ended there, as seen when it was placed; INFINITY: not
	 * at all, as statuses tell */
	const double *ends_s;
	/* PREDICTD_OK, PREDICTD_LIMIT (its memory), else why it cannot run there */
	const predictd_status *statuses;
	uint64_t reserved[2]; /* 0 */
} predictd_planned;

typedef struct predictd_planned_copy {
	size_t task, buffer;
	size_t from, to; /* devices; PREDICTD_HOST: the host */
	double start_s, end_s;
} predictd_planned_copy;

typedef struct predictd_plan {
	double makespan_s; /* when the last task ends, on the caller's clock; 0: there is none */
	size_t task_count;
	const predictd_planned *tasks;
	size_t copy_count;
	const predictd_planned_copy *copies;
	/* tasks, first to last, each of which waited for the one before: what the end hangs on */
	size_t critical_count;
	const size_t *critical;
	bool is_contention_known; /* slowdowns were given, or are known of every two devices */
} predictd_plan;

/* What is planned; all of it lives until the schedule is changed or freed. */
void predictd_schedule_get(predictd_schedule *schedule, predictd_plan *plan);

/* "heft", "min-min", "fastest"; "unknown" for a number out of range. Static storage. */
const char *predictd_method_name(predictd_method method);
/* "finish", "ability", "memory", "data", "time"; as above. */
const char *predictd_placed_by_name(predictd_placed_by by);

#ifdef __cplusplus
}
#endif

#endif
