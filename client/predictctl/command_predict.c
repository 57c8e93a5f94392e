/* SPDX-License-Identifier: Apache-2.0 */
/* predictctl predict: answers from the daemon, nothing is run. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "client/predictctl/ask.h"
#include "client/predictctl/commands.h"
#include "client/predictctl/csv.h"
#include "client/predictctl/guess_cases.h"
#include "client/predictctl/lines.h"
#include "client/predictctl/table.h"

/* What the time follows: a resource that is 10 % slower makes it so much slower. */
static void elasticities_print(const predictd_prediction *got)
{
	const char *separator = "  the time follows ";
	for (size_t i = 0; i < got->elasticity_count; i++) {
		double percent = round(100 * got->elasticities[i]);
		if (!(percent >= 1))
			continue;
		(void)printf("%s%s by %.0f %%", separator, predictd_resource_name(i), percent);
		separator = ", ";
	}
	if (separator[0] == ',')
		(void)putchar('\n');
}

/* The table of Fig. 5a: what, how many per work-item, time in the kernel. */
static void explain_print(const struct launch_case *one, const predictd_prediction *got)
{
	char text[TEXT_MAX];
	struct table *table = table_new("lrr");
	table_cell(table, "Cost type");
	table_cell(table, "#");
	table_cell(table, "time in us");
	table_rule(table);
	for (size_t i = 0; i < got->row_count; i++) {
		const predictd_row *row = &got->rows[i];
		table_cell(table, "%s", row->what);
		format_number(text, row->count, 4);
		table_cell(table, "%s", row->count == 0 ? "" : text);
		format_number(text, 1e6 * row->time_s, 4);
		table_cell(table, "%s", text);
	}
	uint32_t dimensions = one->dimensions;
	while (dimensions > 1 && got->local[dimensions - 1] == 1)
		dimensions--;
	format_sizes(text, got->local, dimensions);
	table_cell(table, "work-group size");
	table_cell(table, "%s", text);
	table_cell(table, "-");
	table_rule(table);
	format_number(text, 1e6 * got->kernel_time_s, 4);
	table_cell(table, "final prediction");
	table_cell(table, " ");
	table_cell(table, "%s", text);
	table_print(table, "  ", stdout);
	table_free(table);
	if (got->language[0] != '\0')
		(void)printf("  language: %s\n", got->language);
	elasticities_print(got);
	if (got->ir[0] != '\0')
		(void)printf("\n%s\n", got->ir);
}

/* Of tasks, once some were observed; before, it follows from what else is said. */
static void task_line(const predictd_prediction *got)
{
	char time[TEXT_MAX], interval[TEXT_MAX];
	if (got->task_observation_count == 0)
		return;
	format_time(time, got->task_time_s);
	format_interval(interval, got->task_low_s, got->task_high_s);
	(void)printf("  the whole task %s  (%s, 90 %%), by %llu observed\n", time, interval,
	             (unsigned long long)got->task_observation_count);
}

/* That an answer without a model rests on: of kernels, else of tasks. */
static uint64_t runs_of(const predictd_prediction *got)
{
	return got->observation_count > 0 ? got->observation_count : got->task_observation_count;
}

static void prediction_line(const char *name, const predictd_prediction *got, bool transfers)
{
	char time[TEXT_MAX], interval[TEXT_MAX], up[TEXT_MAX], down[TEXT_MAX];
	format_time(time, got->kernel_time_s);
	format_interval(interval, got->low_s, got->high_s);
	(void)printf("%s  %s  (%s, 90 %%)  bottleneck %s", name, time, interval, got->bottleneck);
	if (transfers) {
		format_time(up, got->h2d_time_s);
		format_time(down, got->d2h_time_s);
		format_time(time, got->launch_time_s + got->kernel_time_s + got->h2d_time_s +
		                          got->d2h_time_s);
		(void)printf("  to the device %s, back %s, in all %s", up, down, time);
	}
	(void)putchar('\n');
	task_line(got);
	if (!(got->static_time_s > 0)) {
		(void)printf("  %s%s by %llu run%s of this kernel%s\n", color_dim(),
		             predictd_basis_name(got->basis), (unsigned long long)runs_of(got),
		             runs_of(got) == 1 ? "" : "s", color_end());
	} else if (got->nodes > 0) {
		format_time(time, got->static_time_s);
		(void)printf("  %srefined, by %u node%s of the site; the model alone says %s%s\n",
		             color_dim(), got->nodes, got->nodes == 1 ? "" : "s", time,
		             color_end());
	} else if (got->observation_count > 0) {
		format_time(time, got->static_time_s);
		(void)printf("  %s%s by %llu run%s of this kernel; the model alone says %s%s\n",
		             color_dim(), predictd_basis_name(got->basis),
		             (unsigned long long)got->observation_count,
		             got->observation_count == 1 ? "" : "s", time, color_end());
	} else if (got->basis == PREDICTD_REFINED) {
		format_time(time, got->static_time_s);
		(void)printf("  %srefined by runs of other kernels; the model alone says %s%s\n",
		             color_dim(), time, color_end());
	}
	if (got->basis == PREDICTD_FALLBACK || got->note[0] != '\0')
		(void)printf("  %s%s%s%s%s\n", color_dim(),
		             got->basis == PREDICTD_FALLBACK ? "fallback" : "",
		             got->basis == PREDICTD_FALLBACK && got->note[0] != '\0' ? ": " : "",
		             got->note, color_end());
}

static void case_table_print(const struct ask *ask, const struct answers *answers)
{
	struct table *table = table_new("llrrll");
	static const char *const heads[] = {"case",          "kernel",     "predicted",
	                                    "90 % interval", "bottleneck", "note"};
	for (size_t i = 0; i < 6; i++)
		table_cell(table, "%s", heads[i]);
	for (size_t i = 0; i < answers->count; i++) {
		const struct answer *answer = &answers->each[i];
		const predictd_prediction *got = answer->prediction;
		char time[TEXT_MAX] = "-", interval[TEXT_MAX] = "-";
		if (got != NULL) {
			format_time(time, got->kernel_time_s);
			format_interval(interval, got->low_s, got->high_s);
		}
		table_cell(table, "%s", ask->cases->cases[i].id);
		table_cell(table, "%s", ask_kernel(ask, i));
		table_cell(table, "%s", time);
		table_cell(table, "%s", interval);
		table_cell(table, "%s", got != NULL ? got->bottleneck : "-");
		if (got == NULL)
			table_colored(table, color_bad(), answer->error);
		else
			table_cell(table, "%s%s",
			           got->basis == PREDICTD_FALLBACK ? "fallback: " : "", got->note);
	}
	table_print(table, "", stdout);
	table_free(table);
}

static void case_csv_print(const struct ask *ask, const struct answers *answers,
                           predictd_model model)
{
	(void)puts("case,kernel,model,kernel_time_s,low_s,high_s,h2d_time_s,d2h_time_s,"
	           "launch_time_s,basis,bottleneck,note,error,task_time_s,task_low_s,task_high_s");
	for (size_t i = 0; i < answers->count; i++) {
		const predictd_prediction *got = answers->each[i].prediction;
		char note[1024];
		csv_text(stdout, true, ask->cases->cases[i].id);
		csv_text(stdout, false, ask_kernel(ask, i));
		csv_text(stdout, false, predictd_model_name(model));
		if (got == NULL) {
			for (unsigned field = 0; field < 9; field++)
				csv_text(stdout, false, "");
		} else {
			csv_number(stdout, false, got->kernel_time_s);
			csv_number(stdout, false, got->low_s);
			csv_number(stdout, false, got->high_s);
			csv_number(stdout, false, got->h2d_time_s);
			csv_number(stdout, false, got->d2h_time_s);
			csv_number(stdout, false, got->launch_time_s);
			csv_text(stdout, false, predictd_basis_name(got->basis));
			csv_text(stdout, false, got->bottleneck);
			csv_text(stdout, false, answer_note(got, note));
		}
		csv_text(stdout, false, answers->each[i].error);
		csv_number(stdout, false, got != NULL ? got->task_time_s : nan(""));
		csv_number(stdout, false, got != NULL ? got->task_low_s : nan(""));
		csv_number(stdout, false, got != NULL ? got->task_high_s : nan(""));
		csv_end(stdout);
	}
}

static json_t *answer_json(const struct ask *ask, size_t index, const struct answer *answer)
{
	const predictd_prediction *got = answer->prediction;
	json_t *object =
	        json_pack("{so ss ss so}", "case", json_text(ask->cases->cases[index].id), "kernel",
	                  ask_kernel(ask, index), "status", predictd_status_name(answer->status),
	                  "error", json_text(answer->error));
	if (got == NULL)
		return object;
	json_t *local = json_array(), *rows = json_array();
	for (uint32_t i = 0; i < ask->cases->cases[index].dimensions; i++)
		json_array_append_new(local, json_integer((json_int_t)got->local[i]));
	for (size_t i = 0; i < got->row_count; i++)
		json_array_append_new(rows, json_pack("{ss so so}", "what", got->rows[i].what,
		                                      "count", json_finite(got->rows[i].count),
		                                      "time_s", json_finite(got->rows[i].time_s)));
	json_t *more = json_pack(
	        "{ss so so so so so so so ss ss so sb sb sI so sI ss sI}", "model",
	        predictd_model_name(got->model), "kernel_time_s", json_finite(got->kernel_time_s),
	        "low_s", json_finite(got->low_s), "high_s", json_finite(got->high_s), "h2d_time_s",
	        json_finite(got->h2d_time_s), "d2h_time_s", json_finite(got->d2h_time_s),
	        "launch_time_s", json_finite(got->launch_time_s), "local", local, "basis",
	        predictd_basis_name(got->basis), "bottleneck", got->bottleneck, "note",
	        json_text(got->note), "capped", got->is_capped, "data_dependent",
	        got->is_data_dependent, "epoch", (json_int_t)got->epoch, "static_time_s",
	        json_finite(got->static_time_s), "observation_count",
	        (json_int_t)got->observation_count, "device_key", got->device_key, "device_index",
	        (json_int_t)got->device_index);
	json_object_set_new(more, "task_time_s", json_finite(got->task_time_s));
	json_object_set_new(more, "task_low_s", json_finite(got->task_low_s));
	json_object_set_new(more, "task_high_s", json_finite(got->task_high_s));
	json_object_set_new(more, "task_observation_count",
	                    json_integer((json_int_t)got->task_observation_count));
	json_object_set_new(more, "nodes", json_integer((json_int_t)got->nodes));
	json_object_set_new(more, "warnings", warnings_json(got));
	if (got->row_count > 0)
		json_object_set(more, "rows", rows);
	json_decref(rows);
	json_t *elasticities = json_object();
	for (size_t i = 0; i < got->elasticity_count; i++)
		if (got->elasticities[i] > 0)
			json_object_set_new(elasticities, predictd_resource_name(i),
			                    json_finite(got->elasticities[i]));
	if (json_object_size(elasticities) > 0)
		json_object_set(more, "elasticities", elasticities);
	json_decref(elasticities);
	if (got->language[0] != '\0')
		json_object_set_new(more, "language", json_text(got->language));
	if (got->ir[0] != '\0')
		json_object_set_new(more, "ir", json_text(got->ir));
	(void)json_object_update(object, more);
	json_decref(more);
	return object;
}

/* Which device was asked, where none was named and another could have been meant. */
static void device_print(predictd_connection *connection)
{
	predictd_devices *devices = NULL;
	const predictd_device *asked;
	size_t count = 0;
	if (predictd_list_devices(connection, false, &devices) != PREDICTD_OK)
		return; /* the answers are there all the same */
	for (size_t i = 0; i < devices->count; i++)
		count += devices->devices[i].is_calibrated;
	if (count > 1 && device_find(devices, NULL, &asked) == DEVICE_FOUND)
		(void)printf("%son device %u, %s; --device asks another%s\n", color_dim(),
		             asked->index, asked->name, color_end());
	predictd_devices_free(devices);
}

static void errors_complain(const struct ask *ask, const struct answers *answers)
{
	const char *last = NULL;
	for (size_t i = 0; i < answers->count; i++) {
		const char *error = answers->each[i].error;
		if (answers->each[i].status == PREDICTD_OK || error == last)
			continue;
		complain(ask->cases->cases[i].id, "%s", error);
		last = error;
	}
}

/* Lines of a case that was answered: printed, or as JSON. */
static json_t *lines_of(const struct ask *ask, const struct options *options, size_t index,
                        bool is_printed)
{
	predictd_question question = {0};
	const char *error;
	if (ask_question(ask, index, options, &question, &error) != PREDICTD_OK)
		return NULL; /* it was, a moment ago */
	question.device = options->device;
	question.model = options->model;
	question.static_only = options->static_only;
	if (!is_printed)
		return lines_json(ask->connection, &question, &ask->cases->cases[index]);
	(void)lines_print(ask->connection, &question, &ask->cases->cases[index]);
	return NULL;
}

enum exit_code command_predict(const struct options *options)
{
	predictd_connection *connection = NULL;
	struct ask ask = {0};
	struct answers answers = {0};
	struct case_list guessed = {0};
	const struct case_list *cases = options->is_guessed ? &guessed : &options->cases_list;
	enum exit_code code = ask_open(options, &connection);
	if (code == EXIT_DONE && options->is_guessed)
		code = guess_list(connection, &options->cases_list.cases[0], options->device, false,
		                  &guessed);
	if (code != EXIT_DONE)
		goto out;
	predictd_status status = ask_init(&ask, cases, connection);
	if (status == PREDICTD_OK)
		status = ask_predict(&ask, options, options->model, options->device, &answers);
	if (status != PREDICTD_OK) {
		code = complain_of("predict", status);
		goto out;
	}
	code = answers_code(&answers);
	if (code == EXIT_DONE && options->device == NULL && !options->json && !options->csv)
		device_print(connection);
	if (options->json) {
		json_t *list = json_array();
		for (size_t i = 0; i < answers.count; i++) {
			json_t *one = answer_json(&ask, i, &answers.each[i]);
			if (options->explain_lines && answers.each[i].prediction != NULL)
				json_object_set_new(one, "lines",
				                    lines_of(&ask, options, i, false));
			json_array_append_new(list, one);
		}
		print_json(json_pack("{so}", "predictions", list));
	} else if (options->csv) {
		case_csv_print(&ask, &answers, options->model);
	} else if (options->cases != NULL && !options->explain) {
		case_table_print(&ask, &answers);
	} else {
		for (size_t i = 0; i < answers.count; i++) {
			const predictd_prediction *got = answers.each[i].prediction;
			if (got == NULL)
				continue;
			const char *kernel = ask_kernel(&ask, i);
			prediction_line(options->cases == NULL && kernel[0] != '\0'
			                        ? kernel
			                        : cases->cases[i].id,
			                got, options->transfers);
			if (options->explain_lines)
				lines_of(&ask, options, i, true);
			else if (options->explain)
				explain_print(&cases->cases[i], got);
		}
	}
	answers_warn(&answers, cases);
	errors_complain(&ask, &answers);
out:
	answers_deinit(&answers);
	ask_deinit(&ask);
	case_list_deinit(&guessed);
	predictd_close(connection);
	return code;
}
