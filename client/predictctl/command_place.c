/* SPDX-License-Identifier: Apache-2.0 */
/* predictctl place: the fastest device of each launch, or a schedule of tasks. Nothing is run. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/predictctl/ask.h"
#include "client/predictctl/commands.h"
#include "client/predictctl/plan.h"
#include "client/predictctl/table.h"

static void placements_print(const struct options *options, const struct ask *ask,
                             const predictd_placement *placed)
{
	const struct case_list *cases = ask->cases;
	json_t *list = json_array();
	struct table *table = table_new("lllrl");
	static const char *const heads[] = {"case", "kernel", "fastest device", "in all", "key"};
	for (size_t i = 0; i < 5; i++)
		table_cell(table, "%s", heads[i]);
	for (size_t i = 0; i < cases->count; i++) {
		char time[TEXT_MAX] = "-", device[160] = "-";
		bool is_placed = placed[i].status == PREDICTD_OK;
		if (is_placed) {
			format_time(time, placed[i].total_time_s);
			(void)snprintf(device, sizeof device, "%u: %s", placed[i].device_index,
			               placed[i].device);
		} else {
			complain(cases->cases[i].id, "%s", placed[i].error);
		}
		table_cell(table, "%s", cases->cases[i].id);
		table_cell(table, "%s", ask_kernel(ask, i));
		table_cell(table, "%s", device);
		table_cell(table, "%s", time);
		table_cell(table, "%s", is_placed ? placed[i].device_key : "-");
		json_t *object = json_pack("{so ss ss so}", "case", json_text(cases->cases[i].id),
		                           "kernel", ask_kernel(ask, i), "status",
		                           predictd_status_name(placed[i].status), "error",
		                           json_text(placed[i].error));
		if (is_placed) {
			json_object_set_new(object, "device", json_string(placed[i].device));
			json_object_set_new(object, "device_index",
			                    json_integer(placed[i].device_index));
			json_object_set_new(object, "device_key",
			                    json_string(placed[i].device_key));
			json_object_set_new(object, "total_time_s",
			                    json_finite(placed[i].total_time_s));
		}
		json_array_append_new(list, object);
	}
	if (options->json)
		print_json(json_pack("{sO}", "placements", list));
	else
		table_print(table, "", stdout);
	json_decref(list);
	table_free(table);
}

/* The fastest device of each launch by itself. */
static enum exit_code place_each(const struct options *options)
{
	predictd_connection *connection = NULL;
	struct ask ask = {0};
	predictd_placement *placed = NULL;
	const struct case_list *cases = &options->cases_list;
	predictd_question *questions = NULL;
	enum exit_code code = ask_open(options, &connection);
	if (code != EXIT_DONE)
		return code;
	predictd_status status = ask_init(&ask, cases, connection);
	questions = calloc(cases->count + 1, sizeof *questions);
	if (status != PREDICTD_OK || questions == NULL) {
		complain("place", "no memory");
		code = EXIT_FAILED;
		goto out;
	}
	for (size_t i = 0; i < cases->count; i++) {
		const char *error;
		status = ask_question(&ask, i, options, &questions[i], &error);
		if (status != PREDICTD_OK) {
			complain(cases->cases[i].id, "%s", error);
			code = exit_of(status);
			goto out;
		}
	}
	status = predictd_place(connection, questions, cases->count,
	                        (const char *const *)options->devices, options->device_count,
	                        &placed);
	if (status != PREDICTD_OK) {
		code = complain_of("place", status);
		goto out;
	}
	placements_print(options, &ask, placed);
	for (size_t i = 0; i < cases->count; i++)
		if (placed[i].status != PREDICTD_OK)
			code = cases->count == 1 ? exit_of(placed[i].status) : EXIT_FAILED;
out:
	predictd_placements_free(placed, cases->count);
	free(questions);
	ask_deinit(&ask);
	predictd_close(connection);
	return code;
}

/* ---- a schedule ---------------------------------------------------------------------------- */

static bool is_schedule(const struct options *options)
{
	bool is_wanted = options->has_method || options->gantt || options->trace != NULL;
	for (size_t i = 0; i < options->cases_list.count && !is_wanted; i++)
		is_wanted = options->cases_list.cases[i].is_task;
	return is_wanted;
}

static bool trace_write(const struct plan *plan, const char *path)
{
	bool is_stream = strcmp(path, "-") == 0;
	FILE *file = is_stream ? stdout : fopen(path, "we");
	bool is_written = file != NULL && plan_trace(plan, file);
	if (file != NULL && !is_stream)
		is_written = fclose(file) == 0 && is_written;
	if (!is_written)
		complain(path, "%s", strerror(errno));
	return is_written;
}

static enum exit_code place_together(const struct options *options)
{
	predictd_connection *connection = NULL;
	struct ask ask = {0};
	struct plan plan = {0};
	enum exit_code code = ask_open(options, &connection);
	if (code == EXIT_DONE && options->transfers) {
		complain("--transfers", "a schedule's copies follow from 'reads' and 'writes'");
		code = EXIT_USAGE;
	}
	if (code == EXIT_DONE && ask_init(&ask, &options->cases_list, connection) != PREDICTD_OK) {
		complain("place", "no memory");
		code = EXIT_FAILED;
	}
	if (code == EXIT_DONE)
		code = plan_make(&plan, &ask, options);
	if (plan.schedule != NULL) {
		bool is_shown = options->trace == NULL || strcmp(options->trace, "-") != 0;
		if (options->trace != NULL && !trace_write(&plan, options->trace))
			code = EXIT_FAILED;
		if (options->json && is_shown)
			print_json(plan_json(&plan));
		else if (is_shown)
			plan_print(&plan, options->gantt, stdout);
	}
	plan_deinit(&plan);
	ask_deinit(&ask);
	predictd_close(connection);
	return code;
}

enum exit_code command_place(const struct options *options)
{
	return is_schedule(options) ? place_together(options) : place_each(options);
}
