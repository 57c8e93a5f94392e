/* SPDX-License-Identifier: Apache-2.0 */
/* predictctl observe: measured times of kernels and tasks reported to the daemon. */
#include <stdio.h>
#include <stdlib.h>

#include "client/predictctl/commands.h"
#include "client/predictctl/measured.h"
#include "client/predictctl/observe.h"

/* Measured times by case, of a file; NAN: none. */
struct measured {
	double *kernel_s, *task_s;
};

/* Appends a case's observations; else says in *error why there are none. */
static predictd_status case_append(const struct ask *ask, size_t index,
                                   const struct options *options, const struct measured *measured,
                                   predictd_observation *list, size_t *count, const char **error)
{
	predictd_question question;
	predictd_status status = ask_question(ask, index, options, &question, error);
	if (status != PREDICTD_OK)
		return status;
	question.device = options->device;
	predictd_observation one = {.question = question, .flags = options->flags};
	for (size_t i = 0; i < options->time_count; i++) {
		one.kernel_time_s = options->is_task ? 0 : options->times_s[i];
		one.task_time_s = options->is_task ? options->times_s[i] : 0;
		list[(*count)++] = one;
	}
	if (options->cases == NULL)
		return PREDICTD_OK;
	one.kernel_time_s = measured->kernel_s[index] > 0 ? measured->kernel_s[index] : 0;
	one.task_time_s = measured->task_s[index] > 0 ? measured->task_s[index] : 0;
	if (one.kernel_time_s > 0 || one.task_time_s > 0)
		list[(*count)++] = one;
	return PREDICTD_OK;
}

/* With --task, the file need not have times of kernels. */
static bool load(const struct options *options, const struct case_list *cases,
                 struct measured *measured)
{
	return measured_load(options->measured, cases, "kernel_time_s", options->is_task,
	                     measured->kernel_s) &&
	       measured_load(options->measured, cases, "task_time_s", !options->is_task,
	                     measured->task_s);
}

enum exit_code observations_report(predictd_connection *connection,
                                   const predictd_observation *list, size_t count,
                                   const struct options *options)
{
	predictd_status *statuses = calloc(count + 1, sizeof *statuses);
	if (statuses == NULL) {
		complain("observe", "no memory");
		return EXIT_FAILED;
	}
	predictd_status status = predictd_observe(connection, list, count, statuses);
	enum exit_code code = exit_of(status);
	size_t kept = 0;
	if (status != PREDICTD_OK)
		complain("observe", "%s", predictd_error_text());
	for (size_t i = 0; i < count; i++)
		kept += statuses[i] == PREDICTD_OK;
	if (status == PREDICTD_UNAVAILABLE)
		kept = 0;
	if (options == NULL)
		(void)fprintf(stderr, "%zu of %zu observations kept\n", kept, count);
	else if (options->json)
		print_json(json_pack("{sI sI ss}", "observations", (json_int_t)count, "kept",
		                     (json_int_t)kept, "status", predictd_status_name(status)));
	else if (code != EXIT_UNREACHABLE)
		(void)printf("%zu of %zu observations kept\n", kept, count);
	free(statuses);
	return code;
}

enum exit_code command_observe(const struct options *options)
{
	predictd_connection *connection = NULL;
	struct ask ask = {0};
	const struct case_list *cases = &options->cases_list;
	struct measured measured = {calloc(cases->count + 1, sizeof *measured.kernel_s),
	                            calloc(cases->count + 1, sizeof *measured.task_s)};
	size_t per_case = options->cases == NULL ? options->time_count : 1, count = 0;
	predictd_observation *list = calloc(cases->count * per_case + 1, sizeof *list);
	enum exit_code code = EXIT_FAILED;
	bool is_whole = true;
	if (measured.kernel_s == NULL || measured.task_s == NULL || list == NULL) {
		complain("observe", "no memory");
		goto out;
	}
	if (options->cases != NULL && !load(options, cases, &measured))
		goto out;
	code = ask_open(options, &connection);
	if (code != EXIT_DONE)
		goto out;
	predictd_status status = ask_init(&ask, cases, connection);
	if (status != PREDICTD_OK) {
		code = complain_of("observe", status);
		goto out;
	}
	for (size_t i = 0; i < cases->count; i++) {
		const char *error;
		status = case_append(&ask, i, options, &measured, list, &count, &error);
		if (status == PREDICTD_OK)
			continue;
		complain(cases->cases[i].id, "%s", error);
		code = cases->count == 1 ? exit_of(status) : EXIT_FAILED;
		is_whole = false;
	}
	if (count == 0 && is_whole) {
		complain(options->measured, "no times of these cases");
		code = EXIT_FAILED;
	}
	if (count > 0) {
		enum exit_code reported = observations_report(connection, list, count, options);
		code = is_whole ? reported : EXIT_FAILED;
	}
out:
	free(list);
	free(measured.kernel_s);
	free(measured.task_s);
	ask_deinit(&ask);
	predictd_close(connection);
	return code;
}
