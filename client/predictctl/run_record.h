/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records that the OpenCL layer wrote of processes (docs/programs.md). A program that is followed
 * may have written there what it likes: nothing of them is believed but what is checked here.
 */
#ifndef PREDICTD_CLIENT_PREDICTCTL_RUN_RECORD_H
#define PREDICTD_CLIENT_PREDICTCTL_RUN_RECORD_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "client/predictctl/arguments.h"

enum {
	RUN_SHAPES_MAX = 65536,
	RUN_DEVICES_MAX = 64,
	RUN_KINDS_MAX = 16,
	RUN_RECORD_BYTES_MAX = 128 << 20
};

struct run_answer {
	double time_s, low_s, high_s, launch_time_s;
	const char *basis, *bottleneck, *note;
	uint64_t taught; /* observations of this run that were there before it */
};

/* Texts are the record's. Counts are sane: 2^53 at most. */
struct run_shape {
	const char *kernel, *program; /* program: its hash */
	size_t device;                /* < device_count */
	uint32_t dimensions;
	uint64_t global[3], local[3];
	uint64_t launches, untimed, failed, overlapped, timed, clean;
	uint64_t near; /* of other values than the answer's; launches at most */
	double total_time_s;
	double time_s; /* the median; 0: no launch has a time */
	bool has_answer, is_fallback;
	struct run_answer answer;
	const char *why; /* without an answer */
};

struct run_transfers {
	const char *kind;
	uint64_t count, untimed, failed, blocking, bytes, timed_bytes;
	double time_s;
};

struct run_device {
	const char *key, *name;
	uint64_t launches, gaps, launches_when_idle;
	double span_s, idle_s, unqueued_s, launch_time_s;
	size_t kind_count;
	struct run_transfers kinds[RUN_KINDS_MAX];
};

struct run_record {
	json_t *json;
	uint64_t pid;
	const char *name, *mode, *away;
	bool observes, has_answered;
	uint64_t sent, refused, dropped;
	uint64_t lost_launches, lost_shapes, lost_transfers, lost_spans;
	size_t device_count, shape_count;
	struct run_device *devices;
	struct run_shape *shapes; /* number i is at i, as lines of spans have it */
};

/* record   to run_record_deinit after either */
bool run_record_parse(const char *text, size_t size, struct run_record *record,
                      struct complaint *why);
bool run_record_load(const char *path, struct run_record *record, struct complaint *why);
void run_record_deinit(struct run_record *record);

/* A line of a file of spans. */
struct run_span {
	bool is_launch;
	size_t shape;                    /* of a launch */
	size_t kind, device;             /* of a transfer: kind as of run_kind_name */
	uint64_t size_bytes;             /* of a transfer */
	double queued_s, start_s, end_s; /* of the device's clock; end_s >= start_s >= 0 */
	bool is_first, is_overlapped;
};

bool run_span_parse(const char *line, const struct run_record *record, struct run_span *span);
const char *run_kind_name(size_t kind);

#endif
