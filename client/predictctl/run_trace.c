/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Predicted and observed spans of a run. A predicted span begins where the observed one does, or
 * where the predicted one before it ends. Clocks are the devices' own: each one's first command is
 * at 0, and rows of two devices cannot be compared.
 */
#include <stdlib.h>
#include <string.h>

#include "client/predictctl/run.h"
#include "client/predictctl/text.h"
#include "client/predictctl/trace.h"

enum { LANES = 8, LINE_BYTES = 256 };

enum row_kind { ROW_OBSERVED, ROW_PREDICTED, ROW_TRANSFERS, ROW_KINDS };

struct lanes {
	size_t used;
	double end_s[LANES];
};

struct device_rows {
	bool has_begin;
	double begin_s;
	struct lanes kinds[ROW_KINDS];
};

struct tracer {
	struct trace trace;
	const struct run_record *record;
	struct device_rows devices[RUN_DEVICES_MAX];
	bool is_told[RUN_SHAPES_MAX]; /* of its record */
};

/* The first row that is free at the time; of launches that overlap, the last is drawn over. */
static struct trace_row row_of(struct tracer *tracer, size_t device, enum row_kind kind,
                               double start_s, double end_s)
{
	static const char *const words[ROW_KINDS] = {"observed", "predicted", "transfers"};
	struct lanes *lanes = &tracer->devices[device].kinds[kind];
	size_t lane = 0;
	while (lane < lanes->used && lane < LANES - 1 && lanes->end_s[lane] > start_s)
		lane++;
	const struct trace_row row = {tracer->record->pid,
	                              (device * ROW_KINDS + kind) * LANES + lane};
	if (lane >= lanes->used) {
		char name[320];
		(void)snprintf(name, sizeof name, "%.256s: %s",
		               tracer->record->devices[device].name, words[kind]);
		trace_name_row(&tracer->trace, row, name);
		lanes->used = lane + 1;
	}
	lanes->end_s[lane] = end_s;
	return row;
}

/* What is the same of each launch of a shape stands at the first: a trace may have a million. */
static json_t *answer_details(struct tracer *tracer, size_t number)
{
	const struct run_shape *shape = &tracer->record->shapes[number];
	char sizes[TEXT_MAX];
	if (tracer->is_told[number])
		return NULL;
	tracer->is_told[number] = true;
	format_sizes(sizes, shape->global, shape->dimensions);
	return json_pack("{ss sf sf so so so}", "global", sizes, "low_us",
	                 1e6 * shape->answer.low_s, "high_us", 1e6 * shape->answer.high_s, "basis",
	                 json_text(shape->answer.basis), "bottleneck",
	                 json_text(shape->answer.bottleneck), "assumed",
	                 json_text(shape->answer.note));
}

static void launch_trace(struct tracer *tracer, const struct run_span *span, double start_s)
{
	const struct run_shape *shape = &tracer->record->shapes[span->shape];
	double time_s = span->end_s - span->start_s, wait_s = span->start_s - span->queued_s;
	char sizes[TEXT_MAX];
	format_sizes(sizes, shape->global, shape->dimensions);
	json_t *details = json_pack("{ss sf}", "global", sizes, "waited_us", 1e6 * wait_s);
	if (span->is_first)
		json_object_set_new(details, "first", json_true());
	if (span->is_overlapped)
		json_object_set_new(details, "overlapped", json_true());
	struct trace_row row =
	        row_of(tracer, span->device, ROW_OBSERVED, start_s, start_s + time_s);
	trace_span(&tracer->trace, row, shape->kernel, start_s, time_s, details);
	if (!shape->has_answer)
		return;
	const double *end_s = tracer->devices[span->device].kinds[ROW_PREDICTED].end_s;
	double begin_s = end_s[0] > start_s ? end_s[0] : start_s;
	row = row_of(tracer, span->device, ROW_PREDICTED, begin_s, begin_s + shape->answer.time_s);
	trace_span(&tracer->trace, row, shape->kernel, begin_s, shape->answer.time_s,
	           answer_details(tracer, span->shape));
}

static void span_trace(struct tracer *tracer, const struct run_span *span)
{
	struct device_rows *device = &tracer->devices[span->device];
	if (!device->has_begin) {
		device->has_begin = true;
		device->begin_s = span->start_s;
	}
	double start_s = span->start_s - device->begin_s, time_s = span->end_s - span->start_s;
	if (span->is_launch) {
		launch_trace(tracer, span, start_s);
		return;
	}
	struct trace_row row =
	        row_of(tracer, span->device, ROW_TRANSFERS, start_s, start_s + time_s);
	trace_span(&tracer->trace, row, run_kind_name(span->kind), start_s, time_s,
	           json_pack("{sI}", "bytes", (json_int_t)span->size_bytes));
}

static void record_trace(struct tracer *tracer, const char *folder)
{
	char path[128], line[LINE_BYTES];
	struct run_span span;
	(void)snprintf(path, sizeof path, "%s/%llu.spans", folder,
	               (unsigned long long)tracer->record->pid);
	FILE *file = fopen(path, "re");
	if (file == NULL)
		return;
	trace_name_process(&tracer->trace, tracer->record->pid, tracer->record->name);
	while (fgets(line, sizeof line, file) != NULL)
		if (run_span_parse(line, tracer->record, &span))
			span_trace(tracer, &span);
	(void)fclose(file);
}

bool run_trace(const struct run *run, const struct run_summary *summary, FILE *file)
{
	struct tracer *tracer = calloc(1, sizeof *tracer);
	if (tracer == NULL)
		return false;
	trace_begin(&tracer->trace, file);
	for (size_t i = 0; i < summary->record_count; i++) {
		tracer->record = &summary->records[i];
		memset(tracer->devices, 0, sizeof tracer->devices);
		memset(tracer->is_told, 0, sizeof tracer->is_told);
		record_trace(tracer, run->folder);
	}
	bool is_written = trace_end(&tracer->trace);
	free(tracer);
	return is_written;
}
