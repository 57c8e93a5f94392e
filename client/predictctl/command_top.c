/* SPDX-License-Identifier: Apache-2.0 */
/*
 * predictctl top: what is asked now, how fast it is answered, how good that is. Rates are
 * differences of the daemon's own counters (predictctl metrics) from one look to the next.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "client/predictctl/ask.h"
#include "client/predictctl/commands.h"
#include "client/predictctl/known.h"
#include "client/predictctl/page.h"
#include "client/predictctl/table.h"
#include "client/predictctl/watch.h"
#include "client/predictd_operation.h"

enum { ROWS_MAX = 12, USERS_MAX = 1000 };

struct sight {
	char *page;
	predictd_kernels *kernels;
	predictd_users *users;
	double at_s;
};

static void sight_deinit(struct sight *sight)
{
	free(sight->page);
	predictd_kernels_free(sight->kernels);
	predictd_users_free(sight->users);
	*sight = (struct sight){0};
}

static predictd_status look(predictd_connection *connection, struct sight *sight)
{
	struct timespec now;
	*sight = (struct sight){0};
	predictd_status status = predictd_get_metrics(connection, &sight->page);
	if (status == PREDICTD_OK)
		status = predictd_list_kernels(connection, 0, 1, &sight->kernels);
	if (status == PREDICTD_OK)
		status = predictd_list_users(connection, NULL, USERS_MAX, &sight->users);
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	sight->at_s = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
	if (status != PREDICTD_OK)
		sight_deinit(sight);
	return status;
}

/* A frame, as text or as JSON. */
struct frame {
	const struct sight *before, *now;
	double elapsed_s;
	json_t *json; /* NULL: text */
};

static double rate(const struct frame *frame, const char *family, const char *labels)
{
	return (page_value(frame->now->page, family, labels) -
	        page_value(frame->before->page, family, labels)) /
	       frame->elapsed_s;
}

static void rate_cell(struct table *table, double per_s)
{
	char text[TEXT_MAX];
	format_number(text, per_s, 3);
	table_cell(table, "%s", text);
}

static void time_cell(struct table *table, double time_s)
{
	char text[TEXT_MAX];
	format_time(text, time_s);
	table_cell(table, "%s", time_s > 0 ? text : "-");
}

static void show(const struct frame *frame, const char *name, struct table *table, json_t *list)
{
	if (frame->json != NULL)
		json_object_set(frame->json, name, list);
	else {
		(void)fputc('\n', stdout);
		table_print(table, "", stdout);
	}
	json_decref(list);
	table_free(table);
}

static void heads(struct table *table, const char *const *words)
{
	for (; *words != NULL; words++)
		table_cell(table, "%s", *words);
}

/* ---- parts --------------------------------------------------------------------------------- */

static void show_daemon(const struct frame *frame)
{
	const char *page = frame->now->page;
	char memory[TEXT_MAX], predictions[TEXT_MAX], refused[TEXT_MAX];
	double hits = rate(frame, "predictd_cache_hits_total", "cache=\"answers\"");
	double per_s = rate(frame, "predictd_predictions_total", ""), refusals = 0;
	struct page_sample sample;
	for (const char *at = page; page_next(&at, "predictd_refusals_total", &sample);)
		refusals += rate(frame, "predictd_refusals_total", sample.labels);
	double resident = page_value(page, "predictd_resident_memory_bytes", "");
	double connections = page_value(page, "predictd_connections", "");
	if (frame->json != NULL) {
		(void)json_object_update_new(
		        frame->json, json_pack("{sf sf sf sf sf sf}", "elapsed_s", frame->elapsed_s,
		                               "predictions_per_s", per_s, "from_memory_per_s",
		                               hits, "refused_per_s", refusals, "connections",
		                               connections, "resident_bytes", resident));
		return;
	}
	format_bytes(memory, resident);
	format_number(predictions, per_s, 3);
	format_number(refused, refusals, 3);
	(void)printf("predictd: %s predictions/s, %.0f %% of them from memory; %s refused/s; %.0f "
	             "connections; %s; over %.1f s\n",
	             predictions, per_s > 0 ? 100 * hits / per_s : 0, refused, connections, memory,
	             frame->elapsed_s);
}

static void show_requests(const struct frame *frame)
{
	static const char *const words[] = {"request", "per s", "median", "99 %", NULL};
	static const char family[] = "predictd_request_duration_seconds";
	struct table *table = table_new("lrrr");
	json_t *list = json_array();
	struct page_sample sample;
	char kind[PAGE_LABEL_MAX];
	heads(table, words);
	for (const char *at = frame->now->page;
	     page_next(&at, "predictd_requests_total", &sample);) {
		double per_s = rate(frame, "predictd_requests_total", sample.labels);
		if (!(per_s > 0) || !page_label(&sample, "request", kind))
			continue;
		double median_s = page_quantile(frame->before->page, frame->now->page, family,
		                                sample.labels, 0.5);
		double most_s = page_quantile(frame->before->page, frame->now->page, family,
		                              sample.labels, 0.99);
		table_cell(table, "%s", kind);
		rate_cell(table, per_s);
		time_cell(table, median_s);
		time_cell(table, most_s);
		json_array_append_new(list,
		                      json_pack("{ss sf sf sf}", "request", kind, "per_s", per_s,
		                                "median_s", median_s, "p99_s", most_s));
	}
	show(frame, "requests", table, list);
}

static uint64_t asked_before(const struct frame *frame, const predictd_asked_kernel *asked)
{
	const predictd_kernels *before = frame->before->kernels;
	for (size_t i = 0; i < before->asked_count; i++)
		if (before->asked[i].kernel == asked->kernel &&
		    before->asked[i].uid == asked->uid &&
		    strcmp(before->asked[i].device, asked->device) == 0 &&
		    before->asked[i].questions <= asked->questions)
			return before->asked[i].questions;
	return 0;
}

/* Those asked about last, first. */
static void show_kernels(const struct frame *frame)
{
	static const char *const words[] = {"kernel", "device", "user", "per s", "asked", NULL};
	const predictd_kernels *kernels = frame->now->kernels;
	struct table *table = table_new("lllrr");
	json_t *list = json_array();
	char user[TEXT_MAX];
	heads(table, words);
	for (size_t i = 0; i < kernels->asked_count && i < ROWS_MAX; i++) {
		const predictd_asked_kernel *asked = &kernels->asked[kernels->asked_count - 1 - i];
		double per_s =
		        (double)(asked->questions - asked_before(frame, asked)) / frame->elapsed_s;
		user_text(asked->uid, user);
		table_cell(table, "%s", asked->name);
		table_cell(table, "%s", asked->device);
		table_cell(table, "%s", user);
		rate_cell(table, per_s);
		table_cell(table, "%" PRIu64, asked->questions);
		json_array_append_new(
		        list, json_pack("{so ss sI sf sI}", "kernel", json_text(asked->name),
		                        "device", asked->device, "uid", (json_int_t)asked->uid,
		                        "per_s", per_s, "questions", (json_int_t)asked->questions));
	}
	show(frame, "kernels", table, list);
}

static void show_devices(const struct frame *frame)
{
	static const char *const words[] = {"device", "of",          "basis", "runs",
	                                    "error",  "in interval", NULL};
	const char *page = frame->now->page;
	struct table *table = table_new("lllrrr");
	json_t *list = json_array();
	struct page_sample sample;
	char device[PAGE_LABEL_MAX], of[PAGE_LABEL_MAX], basis[PAGE_LABEL_MAX];
	heads(table, words);
	for (const char *at = page; page_next(&at, "predictd_judged_runs_total", &sample);) {
		double error = page_value(page, "predictd_prediction_error_median", sample.labels);
		double within = page_value(page, "predictd_interval_coverage_ratio", sample.labels);
		if (!page_label(&sample, "device", device) || !page_label(&sample, "of", of) ||
		    !page_label(&sample, "basis", basis))
			continue;
		table_cell(table, "%s", device);
		table_cell(table, "%s", of);
		table_cell(table, "%s", basis);
		table_cell(table, "%.0f", sample.value);
		table_cell(table, "%.1f %%", 100 * error);
		table_cell(table, "%.0f %%", 100 * within);
		json_array_append_new(list, json_pack("{ss ss ss sf sf sf}", "device", device, "of",
		                                      of, "basis", basis, "runs", sample.value,
		                                      "error_median", error, "coverage", within));
	}
	show(frame, "devices", table, list);
}

static uint64_t requests_before(const struct frame *frame, const predictd_known_user *user)
{
	const predictd_users *before = frame->before->users;
	for (size_t i = 0; i < before->count; i++)
		if (before->users[i].uid == user->uid &&
		    before->users[i].requests <= user->requests)
			return before->users[i].requests;
	return 0;
}

/* Those who are connected. */
static void show_users(const struct frame *frame)
{
	static const char *const words[] = {"user", "connections", "per s", "memory", NULL};
	const predictd_users *users = frame->now->users;
	struct table *table = table_new("lrrr");
	json_t *list = json_array();
	char name[TEXT_MAX], memory[TEXT_MAX];
	size_t shown = 0;
	heads(table, words);
	for (size_t i = 0; i < users->count && shown < ROWS_MAX; i++) {
		const predictd_known_user *user = &users->users[i];
		double per_s =
		        (double)(user->requests - requests_before(frame, user)) / frame->elapsed_s;
		if (user->connections == 0)
			continue;
		shown++;
		user_text(user->uid, name);
		format_bytes(memory, (double)user->held_bytes);
		table_cell(table, "%s", name);
		table_cell(table, "%" PRIu64, user->connections);
		rate_cell(table, per_s);
		table_cell(table, "%s", memory);
		json_array_append_new(list,
		                      json_pack("{sI so sI sf sI}", "uid", (json_int_t)user->uid,
		                                "name", json_text(name), "connections",
		                                (json_int_t)user->connections, "per_s", per_s,
		                                "held_bytes", (json_int_t)user->held_bytes));
	}
	show(frame, "users", table, list);
}

static void show_frame(const struct sight *before, const struct sight *now,
                       const struct options *options)
{
	struct frame frame = {before, now, now->at_s - before->at_s,
	                      options->json ? json_object() : NULL};
	if (!(frame.elapsed_s > 1e-3))
		frame.elapsed_s = 1e-3;
	show_daemon(&frame);
	show_requests(&frame);
	show_kernels(&frame);
	show_devices(&frame);
	show_users(&frame);
	if (frame.json != NULL)
		print_json(frame.json);
}

enum exit_code command_top(const struct options *options)
{
	predictd_connection *connection = NULL;
	struct sight before = {0}, now = {0};
	struct watch watch;
	enum exit_code code = ask_open(options, &connection);
	if (code != EXIT_DONE)
		return code;
	watch_init(&watch, options);
	predictd_status status = look(connection, &before);
	bool goes_on = status == PREDICTD_OK && watch_pause(&watch);
	while (goes_on) {
		status = look(connection, &now);
		if (status != PREDICTD_OK)
			break;
		watch_frame(&watch);
		show_frame(&before, &now, options);
		sight_deinit(&before);
		before = now;
		now = (struct sight){0}; /* moved */
		goes_on = watch_next(&watch);
	}
	if (status != PREDICTD_OK)
		code = complain_of("top", status);
	sight_deinit(&before);
	predictd_close(connection);
	return code;
}
