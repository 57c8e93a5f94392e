/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When a device had nothing to do between its commands, from their spans, which come in about the
 * order of their ends. A span that comes late fills gaps; the oldest gaps are counted for good.
 */
#ifndef CLIENT_OPENCL_LAYER_BUSY_H
#define CLIENT_OPENCL_LAYER_BUSY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BUSY_GAPS = 32 };

struct busy_gap {
	double begin_s, end_s;
	double queued_s; /* when the command behind it was enqueued */
};

struct busy_totals {
	uint64_t gaps;
	double idle_s;
	double unqueued_s; /* of it, while nothing was enqueued: the program's own */
};

struct busy {
	bool has_spans;
	double begin_s, end_s; /* of all spans */
	size_t open_count;
	struct busy_gap open[BUSY_GAPS + 1];
	struct busy_totals closed;
};

/* Returns true where the device had nothing to do when the command was enqueued. */
bool busy_add(struct busy *busy, double queued_s, double start_s, double end_s);
struct busy_totals busy_totals(const struct busy *busy);

#endif
