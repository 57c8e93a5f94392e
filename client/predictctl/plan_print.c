/* SPDX-License-Identifier: Apache-2.0 */
/* A schedule as a table, a chart (Gantt, 1910), JSON, and a trace. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "client/predictctl/plan.h"
#include "client/predictctl/table.h"
#include "client/predictctl/trace.h"

enum { COLUMNS_DEFAULT = 80, COLUMNS_MIN = 40, COLUMNS_MAX = 400, LABEL = 8, CRITICAL_SHOWN = 12 };

static const char *task_id(const struct plan *plan, size_t task)
{
	return plan->ask->cases->cases[task].id;
}

/* ---- table --------------------------------------------------------------------------------- */

/* The best of the other devices, and how much later it would have ended there. */
static void runner_up(const struct plan *plan, const predictd_planned *one, char text[96])
{
	size_t best = SIZE_MAX;
	char time[TEXT_MAX];
	(void)snprintf(text, 96, "-");
	for (size_t i = 0; i < plan->device_count; i++)
		if (i != one->device && isfinite(one->ends_s[i]) &&
		    (best == SIZE_MAX || one->ends_s[i] < one->ends_s[best]))
			best = i;
	if (best == SIZE_MAX)
		return;
	format_time(time, fabs(one->ends_s[best] - one->end_s));
	(void)snprintf(text, 96, "%u: %s%s", plan->about[best]->index,
	               one->ends_s[best] < one->end_s ? "-" : "+", time);
}

/* What a task fetches. */
static void fetched(const struct plan *plan, size_t task, char text[TEXT_MAX])
{
	double bytes = 0;
	(void)snprintf(text, TEXT_MAX, "-");
	for (size_t i = 0; i < plan->got.copy_count; i++)
		if (plan->got.copies[i].task == task && plan->got.copies[i].to != PREDICTD_HOST)
			bytes += (double)plan->buffers[plan->got.copies[i].buffer].size_bytes;
	if (bytes > 0)
		format_bytes(text, bytes);
}

static void table_of_tasks(const struct plan *plan, FILE *file)
{
	static const char *const heads[] = {"task", "kernel",  "device", "start",
	                                    "end",  "fetches", "by",     "runner-up"};
	struct table *table = table_new("lllrrrll");
	for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
		table_cell(table, "%s", heads[i]);
	for (size_t i = 0; i < plan->got.task_count; i++) {
		const predictd_planned *one = &plan->got.tasks[i];
		char start[TEXT_MAX] = "-", end[TEXT_MAX] = "-", fetches[TEXT_MAX] = "-",
		     other[96] = "-";
		bool is_placed = one->device != SIZE_MAX;
		if (is_placed) {
			format_time(start, one->start_s);
			format_time(end, one->end_s);
			fetched(plan, i, fetches);
			runner_up(plan, one, other);
		}
		table_cell(table, "%s%s", task_id(plan, i), one->is_critical ? " *" : "");
		table_cell(table, "%s", ask_kernel(plan->ask, i));
		if (is_placed)
			table_cell(table, "%u", plan->about[one->device]->index);
		else
			table_colored(table, color_bad(), "none");
		table_cell(table, "%s", start);
		table_cell(table, "%s", end);
		table_cell(table, "%s", fetches);
		table_cell(table, "%s", is_placed ? predictd_placed_by_name(one->by) : "-");
		table_cell(table, "%s", other);
	}
	table_print(table, "", file);
	table_free(table);
}

static void summary_print(const struct plan *plan, FILE *file)
{
	char time[TEXT_MAX];
	format_time(time, plan->got.makespan_s);
	(void)fprintf(file, "\nmakespan %s by %s; %zu cop%s\n", time,
	              predictd_method_name(plan->method), plan->got.copy_count,
	              plan->got.copy_count == 1 ? "y" : "ies");
	for (size_t i = 0; i < plan->device_count; i++) {
		size_t count = 0;
		double busy_s = 0;
		for (size_t j = 0; j < plan->got.task_count; j++)
			if (plan->got.tasks[j].device == i) {
				count++;
				busy_s += plan->got.tasks[j].end_s - plan->got.tasks[j].start_s;
			}
		(void)fprintf(file, "%u: %s, %zu task%s, busy %.0f %%\n", plan->about[i]->index,
		              plan->about[i]->name, count, count == 1 ? "" : "s",
		              plan->got.makespan_s > 0 ? 100 * busy_s / plan->got.makespan_s : 0);
	}
	(void)fputs("critical path (*):", file);
	for (size_t i = 0; i < plan->got.critical_count && i < CRITICAL_SHOWN; i++)
		(void)fprintf(file, "%s %s", i > 0 ? "," : "",
		              task_id(plan, plan->got.critical[i]));
	if (plan->got.critical_count > CRITICAL_SHOWN)
		(void)fprintf(file, ", ... of %zu", plan->got.critical_count);
	(void)fputc('\n', file);
	pairs_print(&plan->pairs, file);
}

/* ---- chart --------------------------------------------------------------------------------- */

/* A cell of a chart: a letter, or one of the lines' parts. */
enum cell { CELL_IDLE = 1, CELL_BEGIN, CELL_LINE, CELL_END, CELL_FULL };

static const char *cell_text(unsigned char cell, bool is_utf8, char text[2])
{
	static const char *const plain[] = {"", ".", "[", "=", "]", "#"};
	static const char *const lines[] = {"", "·", "├", "─", "┤", "█"};
	if (cell >= CELL_IDLE && cell <= CELL_FULL)
		return is_utf8 ? lines[cell] : plain[cell];
	text[0] = (char)cell;
	text[1] = '\0';
	return text;
}

/* A task's cells: its name between its ends where there is room. */
static void span_draw(unsigned char *cells, size_t columns, double start, double end,
                      const char *name)
{
	size_t first = (size_t)(start * (double)columns), last = (size_t)(end * (double)columns);
	if (first >= columns)
		first = columns - 1;
	if (last > columns)
		last = columns;
	if (last <= first + 2) {
		for (size_t i = first; i < last || i == first; i++)
			cells[i] = CELL_FULL;
		return;
	}
	cells[first] = CELL_BEGIN;
	cells[last - 1] = CELL_END;
	for (size_t i = first + 1; i < last - 1; i++) {
		unsigned char letter = name[0] != '\0' ? (unsigned char)*name++ : CELL_LINE;
		cells[i] = letter < 128 ? letter : '?';
	}
}

static void line_print(const unsigned char *cells, size_t columns, bool is_utf8, FILE *file)
{
	char text[2];
	for (size_t i = 0; i < columns; i++)
		(void)fputs(cell_text(cells[i], is_utf8, text), file);
	(void)fputc('\n', file);
}

static void device_chart(const struct plan *plan, size_t device, size_t columns, bool is_utf8,
                         FILE *file)
{
	unsigned char cells[COLUMNS_MAX];
	bool has_copies = false;
	double whole_s = plan->got.makespan_s;
	memset(cells, CELL_IDLE, columns);
	for (size_t i = 0; i < plan->got.task_count && whole_s > 0; i++) {
		const predictd_planned *one = &plan->got.tasks[i];
		if (one->device == device)
			span_draw(cells, columns, one->start_s / whole_s, one->end_s / whole_s,
			          task_id(plan, i));
	}
	(void)fprintf(file, "%-*u", LABEL, plan->about[device]->index);
	line_print(cells, columns, is_utf8, file);
	memset(cells, ' ', columns);
	for (size_t i = 0; i < plan->got.copy_count && whole_s > 0; i++) {
		const predictd_planned_copy *copy = &plan->got.copies[i];
		if (copy->from != device && copy->to != device)
			continue;
		size_t first = (size_t)(copy->start_s / whole_s * (double)columns);
		size_t last = (size_t)(copy->end_s / whole_s * (double)columns);
		unsigned char own = copy->to == device ? '>' : '<';
		has_copies = true;
		for (size_t j = first; (j < last || j == first) && j < columns; j++)
			cells[j] = cells[j] == ' ' || cells[j] == own ? own : 'x';
	}
	if (!has_copies)
		return;
	(void)fprintf(file, "%-*s", LABEL, "copies");
	line_print(cells, columns, is_utf8, file);
}

void plan_chart(const struct plan *plan, size_t columns, bool is_utf8, FILE *file)
{
	char time[TEXT_MAX];
	if (columns < COLUMNS_MIN)
		columns = COLUMNS_MIN;
	if (columns > COLUMNS_MAX)
		columns = COLUMNS_MAX;
	columns -= LABEL;
	for (size_t i = 0; i < plan->device_count; i++)
		device_chart(plan, i, columns, is_utf8, file);
	format_time(time, plan->got.makespan_s);
	(void)fprintf(file, "%-*s0%*s\n", LABEL, "device", (int)columns - 1, time);
	if (plan->got.copy_count > 0)
		(void)fputs("copies: > to the device, < from it, x both\n", file);
}

static size_t terminal_columns(FILE *file)
{
	struct winsize size;
	if (ioctl(fileno(file), TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		return size.ws_col;
	const char *told = getenv("COLUMNS");
	unsigned long columns = told != NULL ? strtoul(told, NULL, 10) : 0;
	return columns > 0 && columns < COLUMNS_MAX ? columns : COLUMNS_DEFAULT;
}

/* Whether the locale's characters are UTF-8, by the variables that say so (locale(7)). */
static bool takes_utf8(void)
{
	static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};
	for (size_t i = 0; i < 3; i++) {
		const char *value = getenv(variables[i]);
		if (value != NULL && value[0] != '\0')
			return strcasestr(value, "utf-8") != NULL ||
			       strcasestr(value, "utf8") != NULL;
	}
	return false;
}

void plan_print(const struct plan *plan, bool with_chart, FILE *file)
{
	table_of_tasks(plan, file);
	if (with_chart) {
		(void)fputc('\n', file);
		plan_chart(plan, terminal_columns(file), takes_utf8(), file);
	}
	summary_print(plan, file);
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static json_t *place_json(const struct plan *plan, size_t device)
{
	return device == PREDICTD_HOST ? json_string("host")
	                               : json_string(plan->devices[device].key);
}

static json_t *task_json(const struct plan *plan, size_t task)
{
	const predictd_planned *one = &plan->got.tasks[task];
	json_t *ends = json_array();
	for (size_t i = 0; i < plan->device_count; i++)
		json_array_append_new(ends,
		                      json_pack("{so so ss}", "device_key", place_json(plan, i),
		                                "end_s", json_finite(one->ends_s[i]), "status",
		                                predictd_status_name(one->statuses[i])));
	json_t *object = json_pack("{so ss ss so}", "case", json_text(task_id(plan, task)),
	                           "kernel", ask_kernel(plan->ask, task), "status",
	                           predictd_status_name(one->status), "ends", ends);
	if (one->device == SIZE_MAX)
		return object;
	json_object_set_new(object, "device_key", place_json(plan, one->device));
	json_object_set_new(object, "device_index", json_integer(plan->about[one->device]->index));
	json_object_set_new(object, "start_s", json_finite(one->start_s));
	json_object_set_new(object, "end_s", json_finite(one->end_s));
	json_object_set_new(object, "by", json_string(predictd_placed_by_name(one->by)));
	json_object_set_new(object, "critical", json_boolean(one->is_critical));
	return object;
}

json_t *plan_json(const struct plan *plan)
{
	json_t *devices = json_array(), *tasks = json_array(), *copies = json_array(),
	       *critical = json_array();
	for (size_t i = 0; i < plan->device_count; i++) {
		const predictd_schedule_device *one = &plan->devices[i];
		json_array_append_new(
		        devices,
		        json_pack("{so so sI sI so so so so}", "device_key", place_json(plan, i),
		                  "name", json_text(plan->about[i]->name), "device_index",
		                  (json_int_t)plan->about[i]->index, "memory_bytes",
		                  (json_int_t)one->memory_bytes, "upload_latency_s",
		                  json_finite(one->upload_latency_s), "upload_bytes_per_s",
		                  json_finite(one->upload_bytes_per_s), "download_latency_s",
		                  json_finite(one->download_latency_s), "download_bytes_per_s",
		                  json_finite(one->download_bytes_per_s)));
	}
	for (size_t i = 0; i < plan->got.task_count; i++)
		json_array_append_new(tasks, task_json(plan, i));
	for (size_t i = 0; i < plan->got.copy_count; i++) {
		const predictd_planned_copy *one = &plan->got.copies[i];
		json_array_append_new(copies,
		                      json_pack("{so so so so so so}", "case",
		                                json_text(task_id(plan, one->task)), "buffer",
		                                json_text(plan->buffer_names[one->buffer]), "from",
		                                place_json(plan, one->from), "to",
		                                place_json(plan, one->to), "start_s",
		                                json_finite(one->start_s), "end_s",
		                                json_finite(one->end_s)));
	}
	for (size_t i = 0; i < plan->got.critical_count; i++)
		json_array_append_new(critical, json_text(task_id(plan, plan->got.critical[i])));
	return json_pack("{s{ss so sb so so so so so}}", "schedule", "method",
	                 predictd_method_name(plan->method), "makespan_s",
	                 json_finite(plan->got.makespan_s), "contention_known",
	                 plan->got.is_contention_known, "contention", pairs_json(&plan->pairs),
	                 "devices", devices, "tasks", tasks, "copies", copies, "critical",
	                 critical);
}

/* ---- trace --------------------------------------------------------------------------------- */

bool plan_trace(const struct plan *plan, FILE *file)
{
	enum { ROW_TASKS, ROW_UPLOADS, ROW_DOWNLOADS, ROWS };
	static const char *const words[ROWS] = {"tasks", "to it", "from it"};
	struct trace trace;
	trace_begin(&trace, file);
	trace_name_process(&trace, 1, "schedule, as predicted");
	for (size_t i = 0; i < plan->device_count * ROWS; i++) {
		char name[320];
		(void)snprintf(name, sizeof name, "%.256s: %s", plan->about[i / ROWS]->name,
		               words[i % ROWS]);
		trace_name_row(&trace, (struct trace_row){1, i}, name);
	}
	for (size_t i = 0; i < plan->got.task_count; i++) {
		const predictd_planned *one = &plan->got.tasks[i];
		if (one->device != SIZE_MAX)
			trace_span(&trace, (struct trace_row){1, one->device * ROWS + ROW_TASKS},
			           task_id(plan, i), one->start_s, one->end_s - one->start_s,
			           json_pack("{ss ss sb}", "kernel", ask_kernel(plan->ask, i), "by",
			                     predictd_placed_by_name(one->by), "critical",
			                     one->is_critical));
	}
	for (size_t i = 0; i < plan->got.copy_count; i++) {
		const predictd_planned_copy *one = &plan->got.copies[i];
		size_t row = one->to == PREDICTD_HOST ? one->from * ROWS + ROW_DOWNLOADS
		                                      : one->to * ROWS + ROW_UPLOADS;
		trace_span(&trace, (struct trace_row){1, row}, plan->buffer_names[one->buffer],
		           one->start_s, one->end_s - one->start_s,
		           json_pack("{so sI}", "for", json_text(task_id(plan, one->task)), "bytes",
		                     (json_int_t)plan->buffers[one->buffer].size_bytes));
	}
	return trace_end(&trace);
}
