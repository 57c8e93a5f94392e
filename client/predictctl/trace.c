/* SPDX-License-Identifier: Apache-2.0 */
/* Traces in Chrome's format. */
#include "client/predictctl/trace.h"

#include "client/predictctl/text.h"

enum { DIGITS = 13 }; /* a nanosecond of some hours, in microseconds */

/* Takes the event. */
static void event(struct trace *trace, json_t *object)
{
	(void)fputs(trace->has_events ? ",\n" : "\n", trace->file);
	trace->has_events = true;
	if (object == NULL ||
	    json_dumpf(object, trace->file, JSON_COMPACT | JSON_REAL_PRECISION(DIGITS)) != 0)
		(void)fputs("{}", trace->file);
	json_decref(object);
}

void trace_begin(struct trace *trace, FILE *file)
{
	*trace = (struct trace){.file = file};
	(void)fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", file);
}

static void name(struct trace *trace, const char *what, struct trace_row row, const char *text)
{
	event(trace, json_pack("{ss ss sI sI s{so}}", "ph", "M", "name", what, "pid",
	                       (json_int_t)row.process, "tid", (json_int_t)row.row, "args", "name",
	                       json_text(text)));
}

void trace_name_process(struct trace *trace, uint64_t process, const char *text)
{
	name(trace, "process_name", (struct trace_row){process, 0}, text);
}

void trace_name_row(struct trace *trace, struct trace_row row, const char *text)
{
	name(trace, "thread_name", row, text);
}

void trace_span(struct trace *trace, struct trace_row row, const char *text, double start_s,
                double time_s, json_t *details)
{
	/* the format's unit is the microsecond */
	json_t *span = json_pack("{ss so sI sI sf sf}", "ph", "X", "name", json_text(text), "pid",
	                         (json_int_t)row.process, "tid", (json_int_t)row.row, "ts",
	                         1e6 * start_s, "dur", 1e6 * time_s);
	if (details != NULL)
		json_object_set_new(span, "args", details);
	event(trace, span);
}

bool trace_end(struct trace *trace)
{
	(void)fputs("\n]}\n", trace->file);
	return fflush(trace->file) == 0 && ferror(trace->file) == 0;
}
