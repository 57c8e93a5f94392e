/* SPDX-License-Identifier: Apache-2.0 */
/* predictctl observe: measured kernel times reported to the daemon. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "client/predictctl/commands.h"
#include "client/predictctl/measured.h"
#include "client/predictctl/observe.h"

/* The times of case `index`: of the command line, or of the file. */
static const double *times_of(const struct options *options, const double *measured_s, size_t index,
                              size_t *count)
{
	*count = options->cases == NULL ? options->time_count : 1;
	return options->cases == NULL ? options->times_s : &measured_s[index];
}

/* Appends a case's observations; else says in *error why there are none. */
static predictd_status case_append(const struct ask *ask, size_t index,
                                   const struct options *options, const double *times_s,
                                   size_t time_count, predictd_observation *list, size_t *count,
                                   const char **error)
{
	predictd_question question;
	predictd_status status = ask_question(ask, index, options, &question, error);
	if (status != PREDICTD_OK)
		return status;
	question.device = options->device;
	for (size_t i = 0; i < time_count; i++) {
		if (!(times_s[i] > 0))
			continue; /* not measured */
		list[(*count)++] = (predictd_observation){
		        .question = question,
		        .kernel_time_s = times_s[i],
		        .flags = options->flags,
		};
	}
	return PREDICTD_OK;
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
	double *measured_s = calloc(cases->count + 1, sizeof *measured_s);
	size_t per_case = options->cases == NULL ? options->time_count : 1, count = 0;
	predictd_observation *list = calloc(cases->count * per_case + 1, sizeof *list);
	enum exit_code code = EXIT_FAILED;
	bool is_whole = true;
	if (measured_s == NULL || list == NULL) {
		complain("observe", "no memory");
		goto out;
	}
	if (options->cases != NULL && !measured_load(options->measured, cases, measured_s))
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
		size_t time_count;
		const double *times_s = times_of(options, measured_s, i, &time_count);
		const char *error;
		status = case_append(&ask, i, options, times_s, time_count, list, &count, &error);
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
	free(measured_s);
	ask_deinit(&ask);
	predictd_close(connection);
	return code;
}
