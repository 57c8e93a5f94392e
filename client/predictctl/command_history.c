/* SPDX-License-Identifier: Apache-2.0 */
/* predictctl history: a kernel's runs on a device beside what was predicted of them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "client/predictctl/ask.h"
#include "client/predictctl/commands.h"
#include "client/predictctl/table.h"

enum { PLOT_COLUMNS = 60, PLOT_ROWS = 13, LAUNCH_TEXT_MAX = 3 * TEXT_MAX };

static void format_when(char text[TEXT_MAX], int64_t at_s)
{
	time_t when = (time_t)at_s;
	struct tm parts;
	if (localtime_r(&when, &parts) == NULL ||
	    strftime(text, TEXT_MAX, "%Y-%m-%d %H:%M:%S", &parts) == 0)
		(void)snprintf(text, TEXT_MAX, "%lld", (long long)at_s);
}

static void format_launch(char text[LAUNCH_TEXT_MAX], const predictd_history_entry *entry)
{
	char global[TEXT_MAX], local[TEXT_MAX];
	format_sizes(global, entry->global, entry->dimensions);
	format_sizes(local, entry->local, entry->dimensions);
	if (entry->dimensions == 0)
		(void)snprintf(text, LAUNCH_TEXT_MAX, "-");
	else if (entry->local[0] == 0)
		(void)snprintf(text, LAUNCH_TEXT_MAX, "%s", global);
	else
		(void)snprintf(text, LAUNCH_TEXT_MAX, "%s / %s", global, local);
}

static void format_flags(char text[TEXT_MAX], unsigned flags)
{
	(void)snprintf(text, TEXT_MAX, "%s%s%s",
	               (flags & PREDICTD_FIRST_RUN) != 0 ? ", first run" : "",
	               (flags & PREDICTD_OVERLAPPED) != 0 ? ", overlapped" : "",
	               (flags & PREDICTD_THROTTLED) != 0 ? ", throttled" : "");
	if (text[0] != '\0')
		memmove(text, text + 2, strlen(text) - 1); /* with its end */
}

static void table_rows(const predictd_history *history)
{
	struct table *table = table_new("lrllrrrrl");
	static const char *const heads[] = {"measured",      "user",     "of",
	                                    "launch",        "static",   "predicted",
	                                    "90 % interval", "observed", ""};
	for (size_t i = 0; i < 9; i++)
		table_cell(table, "%s", heads[i]);
	for (size_t i = 0; i < history->count; i++) {
		const predictd_history_entry *entry = &history->entries[i];
		char when[TEXT_MAX], launch[LAUNCH_TEXT_MAX], text[TEXT_MAX], flags[TEXT_MAX];
		bool was_asked = entry->predicted_time_s > 0;
		bool is_inside = entry->observed_time_s >= entry->low_s &&
		                 entry->observed_time_s <= entry->high_s;
		format_when(when, entry->measured_at_s);
		format_launch(launch, entry);
		table_cell(table, "%s", when);
		table_cell(table, "%u", entry->uid);
		table_cell(table, "%s", entry->is_task ? "task" : "kernel");
		table_cell(table, "%s", launch);
		format_time(text, entry->static_time_s);
		table_cell(table, "%s", entry->static_time_s > 0 ? text : "-");
		format_time(text, entry->predicted_time_s);
		table_cell(table, "%s", was_asked ? text : "-");
		format_interval(text, entry->low_s, entry->high_s);
		table_cell(table, "%s", was_asked ? text : "-");
		format_time(text, entry->observed_time_s);
		table_colored(table,
		              !was_asked  ? ""
		              : is_inside ? color_good()
		                          : color_bad(),
		              text);
		format_flags(flags, entry->flags);
		table_cell(table, "%s", flags);
	}
	table_print(table, "", stdout);
	table_free(table);
}

/* ---- the plot ------------------------------------------------------------------------------ */

/* Ratios to the static estimate, as logarithms, over the rows of the plot. */
struct scale {
	double low, high;
};

static void scale_widen(struct scale *scale, double time_s, double static_s)
{
	double value = log(time_s / static_s);
	if (!isfinite(value))
		return;
	scale->low = fmin(scale->low, value);
	scale->high = fmax(scale->high, value);
}

/* The row of a ratio, 0 at the top; -1 when there is none. */
static int row_of(const struct scale *scale, double time_s, double static_s)
{
	double value = log(time_s / static_s);
	if (!isfinite(value))
		return -1;
	double share = (scale->high - value) / (scale->high - scale->low);
	return (int)lround(fmin(fmax(share, 0), 1) * (PLOT_ROWS - 1));
}

static void plot_column(char plot[PLOT_ROWS][PLOT_COLUMNS + 1], const struct scale *scale,
                        size_t column, const predictd_history_entry *entry)
{
	double static_s = entry->static_time_s;
	int top = row_of(scale, entry->high_s, static_s);
	int bottom = row_of(scale, entry->low_s, static_s);
	for (int row = top; row >= 0 && row <= bottom; row++)
		plot[row][column] = ':';
	int model = row_of(scale, static_s, static_s);
	int predicted = row_of(scale, entry->predicted_time_s, static_s);
	int observed = row_of(scale, entry->observed_time_s, static_s);
	if (model >= 0)
		plot[model][column] = '-';
	if (predicted >= 0)
		plot[predicted][column] = '+';
	if (observed >= 0)
		plot[observed][column] = 'o';
}

/* Observed times over the static estimate, the oldest at the left, one column a run. */
static void plot_print(const predictd_history *history)
{
	char plot[PLOT_ROWS][PLOT_COLUMNS + 1];
	struct scale scale = {-0.1, 0.1};
	size_t count = history->count < PLOT_COLUMNS ? history->count : PLOT_COLUMNS;
	/* of a kernel without source nothing is static */
	if (count < 2 || !(history->entries[0].static_time_s > 0))
		return;
	for (size_t row = 0; row < PLOT_ROWS; row++) {
		memset(plot[row], ' ', PLOT_COLUMNS);
		plot[row][count] = '\0';
	}
	for (size_t i = 0; i < count; i++) {
		const predictd_history_entry *entry = &history->entries[i];
		scale_widen(&scale, entry->observed_time_s, entry->static_time_s);
		scale_widen(&scale, entry->predicted_time_s, entry->static_time_s);
		scale_widen(&scale, entry->low_s, entry->static_time_s);
		scale_widen(&scale, entry->high_s, entry->static_time_s);
	}
	for (size_t i = 0; i < count; i++)
		plot_column(plot, &scale, count - 1 - i, &history->entries[i]);
	(void)printf("\ntime over the static estimate:  o observed  + predicted  "
	             ": its interval  - static\n");
	for (int row = 0; row < PLOT_ROWS; row++) {
		double value = scale.high - (scale.high - scale.low) * row / (PLOT_ROWS - 1);
		if (row % 3 == 0)
			(void)printf("%8.2f |%s\n", exp(value), plot[row]);
		else
			(void)printf("         |%s\n", plot[row]);
	}
}

/* ---- the command --------------------------------------------------------------------------- */

static json_t *entry_json(const predictd_history_entry *entry)
{
	json_t *global = json_array(), *local = json_array();
	for (uint32_t i = 0; i < entry->dimensions; i++) {
		json_array_append_new(global, json_integer((json_int_t)entry->global[i]));
		if (entry->local[0] != 0)
			json_array_append_new(local, json_integer((json_int_t)entry->local[i]));
	}
	return json_pack("{sI sI sI ss so so so so so so so so}", "measured_at_s",
	                 (json_int_t)entry->measured_at_s, "uid", (json_int_t)entry->uid, "flags",
	                 (json_int_t)entry->flags, "of", entry->is_task ? "task" : "kernel",
	                 "global", global, "local", local, "arguments", json_text(entry->arguments),
	                 "observed_time_s", json_finite(entry->observed_time_s), "static_time_s",
	                 json_finite(entry->static_time_s), "predicted_time_s",
	                 json_finite(entry->predicted_time_s), "low_s", json_finite(entry->low_s),
	                 "high_s", json_finite(entry->high_s));
}

static void history_print(const char *kernel, const predictd_history *history,
                          const struct options *options)
{
	if (options->json) {
		json_t *list = json_array();
		for (size_t i = 0; i < history->count; i++)
			json_array_append_new(list, entry_json(&history->entries[i]));
		print_json(json_pack("{ss ss sI so}", "kernel", kernel, "device_key",
		                     history->device_key, "total", (json_int_t)history->total,
		                     "runs", list));
		return;
	}
	/* an older daemon names no device */
	(void)printf("%s%s%s: %llu run%s observed", kernel,
	             history->device_key[0] != '\0' ? " on " : "", history->device_key,
	             (unsigned long long)history->total, history->total == 1 ? "" : "s");
	if (history->count < history->total)
		(void)printf(", the newest %zu that are kept:\n", history->count);
	else
		(void)putchar('\n');
	if (history->count == 0)
		return;
	table_rows(history);
	plot_print(history);
}

enum exit_code command_history(const struct options *options)
{
	predictd_connection *connection = NULL;
	predictd_history *history = NULL;
	struct ask ask = {0};
	enum exit_code code = ask_open(options, &connection);
	if (code != EXIT_DONE)
		return code;
	predictd_status status = ask_init(&ask, &options->cases_list, connection);
	predictd_question question;
	const char *error;
	if (status == PREDICTD_OK) {
		status = ask_question(&ask, 0, options, &question, &error);
		if (status != PREDICTD_OK) {
			complain(options->cases_list.cases[0].id, "%s", error);
			code = exit_of(status);
			goto out;
		}
		question.device = options->device;
		status = predictd_get_history(connection, &question, options->count, &history);
	}
	if (status != PREDICTD_OK)
		code = complain_of("history", status);
	else
		history_print(ask_kernel(&ask, 0), history, options);
out:
	predictd_history_free(history);
	ask_deinit(&ask);
	predictd_close(connection);
	return code;
}
