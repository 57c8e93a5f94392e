/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traces in Chrome's format, which Perfetto opens (Trace Event Format, Google, 2016): spans in rows
 * of processes. Whatever shows what runs when uses this writer.
 */
#ifndef PREDICTD_CLIENT_PREDICTCTL_TRACE_H
#define PREDICTD_CLIENT_PREDICTCTL_TRACE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct trace {
	FILE *file; /* the caller's */
	bool has_events;
};

struct trace_row {
	uint64_t process, row;
};

void trace_begin(struct trace *trace, FILE *file);
void trace_name_process(struct trace *trace, uint64_t process, const char *name);
void trace_name_row(struct trace *trace, struct trace_row row, const char *name);
/*
 * Spans of one row do not overlap, or lie within each other.
 *
 * details   shown when the span is chosen; taken; may be NULL
 */
void trace_span(struct trace *trace, struct trace_row row, const char *name, double start_s,
                double time_s, json_t *details);
/* False: something was not written. */
bool trace_end(struct trace *trace);

#endif
