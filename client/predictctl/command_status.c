/* SPDX-License-Identifier: Apache-2.0 */
/* predictctl status and metrics: the daemon's own account of itself. */
#include <stdio.h>
#include <stdlib.h>

#include "client/predictctl/ask.h"
#include "client/predictctl/commands.h"
#include "client/predictctl/table.h"
#include "client/predictctl/watch.h"

static void format_uptime(char text[TEXT_MAX], double uptime_s)
{
	unsigned long seconds = uptime_s > 0 && uptime_s < 1e15 ? (unsigned long)uptime_s : 0;
	unsigned long days = seconds / 86400, hours = seconds / 3600 % 24;
	unsigned long minutes = seconds / 60 % 60;
	if (days > 0)
		(void)snprintf(text, TEXT_MAX, "%lu d %lu h", days, hours);
	else if (hours > 0)
		(void)snprintf(text, TEXT_MAX, "%lu h %lu min", hours, minutes);
	else if (minutes > 0)
		(void)snprintf(text, TEXT_MAX, "%lu min %lu s", minutes, seconds % 60);
	else
		(void)snprintf(text, TEXT_MAX, "%lu s", seconds);
}

static json_t *status_json(const predictd_daemon_status *status)
{
	json_t *drifts = json_array();
	for (size_t i = 0; i < status->drift_count; i++)
		json_array_append_new(drifts, json_text(status->drifts[i]));
	return json_pack(
	        "{ss ss ss ss ss ss ss ss ss sf sI sI sI sI sI sI sI sI sI sI sI sI ss so}",
	        "version", status->version, "socket", status->socket, "state_directory",
	        status->state_directory, "store_problem", status->store_problem, "analyser_problem",
	        status->analyser_problem, "jail_problem", status->jail_problem, "device_problem",
	        status->device_problem, "calibrating", status->calibrating, "calibrating_key",
	        status->calibrating_key, "uptime_s", status->uptime_s, "connections",
	        (json_int_t)status->connections, "requests", (json_int_t)status->requests,
	        "predictions", (json_int_t)status->predictions, "programs",
	        (json_int_t)status->programs, "analyses", (json_int_t)status->analyses, "refused",
	        (json_int_t)status->refused, "resident_bytes", (json_int_t)status->resident_bytes,
	        "observations", (json_int_t)status->observations, "background",
	        (json_int_t)status->background, "site_records", (json_int_t)status->site_records,
	        "borrowed_devices", (json_int_t)status->borrowed_devices, "coming_devices",
	        (json_int_t)status->coming_devices, "coming_waits_for", status->coming_waits_for,
	        "drifts", drifts);
}

static void problem_row(struct table *table, const char *name, const char *problem)
{
	table_cell(table, "%s", name);
	table_colored(table, problem[0] == '\0' ? color_good() : color_bad(),
	              problem[0] == '\0' ? "ok" : problem);
}

static void count_row(struct table *table, const char *name, uint64_t count)
{
	table_cell(table, "%s", name);
	table_cell(table, "%llu", (unsigned long long)count);
}

static enum exit_code show_status(predictd_connection *connection, const struct options *options,
                                  struct watch *watch)
{
	predictd_daemon_status *status = NULL;
	char text[TEXT_MAX];
	enum exit_code code = EXIT_DONE;
	predictd_status result = predictd_get_status(connection, &status);
	if (result != PREDICTD_OK) {
		code = complain_of("status", result);
		goto out;
	}
	watch_frame(watch);
	if (options->json) {
		print_json(status_json(status));
		goto out;
	}
	struct table *table = table_new("ll");
	table_cell(table, "predictd");
	table_cell(table, "%s", status->version);
	format_uptime(text, status->uptime_s);
	table_cell(table, "running for");
	table_cell(table, "%s", text);
	table_cell(table, "socket");
	table_cell(table, "%s",
	           status->socket[0] != '\0' ? status->socket : predictd_socket_path(connection));
	table_cell(table, "state");
	table_cell(table, "%s", status->state_directory);
	problem_row(table, "store", status->store_problem);
	problem_row(table, "analyser", status->analyser_problem);
	problem_row(table, "jail", status->jail_problem);
	problem_row(table, "devices", status->device_problem);
	for (size_t i = 0; i < status->drift_count; i++)
		problem_row(table, "drift", status->drifts[i]);
	table_cell(table, "calibrating");
	if (status->calibrating[0] != '\0')
		table_cell(table, "%s (%s)", status->calibrating, status->calibrating_key);
	else
		table_cell(table, "nothing");
	if (status->coming_devices > 0 && status->coming_waits_for[0] != '\0') {
		table_cell(table, "to be calibrated");
		table_cell(table, "%llu, waiting for %s",
		           (unsigned long long)status->coming_devices, status->coming_waits_for);
	}
	count_row(table, "connections", status->connections);
	count_row(table, "requests", status->requests);
	count_row(table, "predictions", status->predictions);
	count_row(table, "observations", status->observations);
	if (status->site_records > 0)
		count_row(table, "from other nodes", status->site_records);
	if (status->borrowed_devices > 0)
		count_row(table, "borrowed devices", status->borrowed_devices);
	count_row(table, "programs kept", status->programs);
	count_row(table, "analyses", status->analyses);
	count_row(table, "in the background", status->background);
	count_row(table, "refused", status->refused);
	format_bytes(text, (double)status->resident_bytes);
	table_cell(table, "memory");
	table_cell(table, "%s", text);
	table_print(table, "", stdout);
	table_free(table);
out:
	predictd_status_free(status);
	return code;
}

enum exit_code command_status(const struct options *options)
{
	predictd_connection *connection = NULL;
	struct watch watch = {.left = 1};
	enum exit_code code = ask_open(options, &connection);
	if (code != EXIT_DONE)
		return code;
	if (options->watch)
		watch_init(&watch, options);
	do
		code = show_status(connection, options, &watch);
	while (code == EXIT_DONE && watch_next(&watch));
	predictd_close(connection);
	return code;
}

enum exit_code command_metrics(const struct options *options)
{
	predictd_connection *connection = NULL;
	char *text = NULL;
	enum exit_code code = ask_open(options, &connection);
	if (code != EXIT_DONE)
		return code;
	predictd_status result = predictd_get_metrics(connection, &text);
	if (result != PREDICTD_OK)
		code = complain_of("metrics", result);
	else
		(void)fputs(text, stdout);
	free(text);
	predictd_close(connection);
	return code;
}
