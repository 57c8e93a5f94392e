/* SPDX-License-Identifier: Apache-2.0 */
/* predictctl measure: kernels run as the calling user, and compared with what was predicted. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/predictctl/commands.h"
#include "client/predictctl/csv.h"
#include "client/predictctl/guess_cases.h"
#include "client/predictctl/interrupts.h"
#include "client/predictctl/measure_cases.h"
#include "client/predictctl/observe.h"
#include "client/predictctl/statistics.h"
#include "client/predictctl/table.h"
#include "proto/other_load.h"

/* Why a case is not run: no source, or none to read, or its answer says what is wrong with it. */
static const char *refusal(const struct ask *ask, const struct answers *answers, size_t i)
{
	const struct ask_program *program = &ask->programs[ask->program_of[i]];
	if (program->is_sourceless)
		return "a kernel without source is not run here; what its program measures is "
		       "reported by `predictctl observe`";
	if (program->source == NULL)
		return program->error;
	if (i >= answers->count || program->status != PREDICTD_OK ||
	    (answers->each[i].status != PREDICTD_INVALID &&
	     answers->each[i].status != PREDICTD_NOT_FOUND))
		return NULL;
	return answers->each[i].error;
}

struct watch {
	const struct ask *ask;
	const predictd_measure_case *runs;
	const struct answers *answers;
	bool csv; /* rows are printed as they come: what was measured outlives an interrupt */
	size_t done;
};

static const char *error_of(const struct watch *watch, size_t i, const predictd_measurement *run)
{
	return watch->runs[i].source == NULL ? refusal(watch->ask, watch->answers, i) : run->error;
}

static void csv_row(const struct watch *watch, size_t i, const predictd_measurement *run)
{
	const double values[] = {run->runs,       run->kernel_time_s, run->min_s,  run->mean_s,
	                         run->p90_s,      run->launch_time_s, run->wall_s, run->h2d_time_s,
	                         run->d2h_time_s, run->build_s};

	csv_text(stdout, true, watch->ask->cases->cases[i].id);
	csv_text(stdout, false, ask_kernel(watch->ask, i));
	for (size_t j = 0; j < sizeof values / sizeof values[0]; j++)
		csv_number(stdout, false, run->status == PREDICTD_OK ? values[j] : nan(""));
	csv_text(stdout, false, error_of(watch, i, run));
	csv_end(stdout);
	(void)fflush(stdout);
}

static void measured_one(size_t index, const predictd_measurement *measurement, void *context)
{
	struct watch *watch = context;

	if (watch->csv && watch->done > 0 && is_watched())
		(void)fputs("\r\033[K", stderr); /* a row does not go on a line of progress */
	if (watch->csv && watch->done == 0)
		(void)puts("case,kernel,runs,kernel_time_s,min_s,mean_s,p90_s,launch_time_s,wall_s,"
		           "h2d_time_s,d2h_time_s,build_s,error");
	if (watch->csv)
		csv_row(watch, index, measurement);
	watch->done++;
	if (is_watched())
		(void)fprintf(stderr, "\r\033[Kmeasured %zu of %zu", watch->done,
		              watch->ask->cases->count);
}

void others_print(predictd_device_type type, double others_share)
{
	if (type == PREDICTD_CPU && others_share > OTHER_LOAD_MAX)
		(void)printf("others had %.0f %% of the processors meanwhile, beside which kernels "
		             "take longer\n",
		             100 * others_share);
}

predictd_status measure_cases(const struct ask *ask, const struct options *options,
                              const char *device, const struct answers *answers,
                              predictd_measurement **measurements, double *others_share)
{
	const struct case_list *cases = ask->cases;
	predictd_measure_case *runs = calloc(cases->count + 1, sizeof *runs);
	predictd_status status = PREDICTD_NO_MEMORY;
	struct other_load before, after;
	*others_share = 0;
	if (runs == NULL)
		goto out;
	for (size_t i = 0; i < cases->count; i++) {
		/* a case that is not run has no source: its measurement says so */
		if (refusal(ask, answers, i) == NULL)
			runs[i].source = ask->programs[ask->program_of[i]].source;
		runs[i].question = case_question(&cases->cases[i]);
		runs[i].question.with_transfers = options->transfers;
		runs[i].question.pinned_transfers |= options->pinned;
	}
	struct watch watch = {.ask = ask, .runs = runs, .answers = answers, .csv = options->csv};
	interrupts_take(predictd_measure_stop);
	other_load_look(&before);
	status = predictd_measure(device, runs, cases->count, options->runs, options->budget_s,
	                          measured_one, &watch, measurements);
	other_load_look(&after);
	if (after.at_s - before.at_s >= OTHER_LOAD_LOOK_S)
		*others_share = other_load_share(&before, &after);
	interrupts_leave();
	if (is_watched())
		(void)fputs("\r\033[K", stderr);
	for (size_t i = 0; i < cases->count && status == PREDICTD_OK; i++)
		if (runs[i].source == NULL && (*measurements)[i].status != PREDICTD_CANCELLED)
			(*measurements)[i].error = error_of(&watch, i, &(*measurements)[i]);
out:
	free(runs);
	return status;
}

static json_t *times_json(const predictd_measurement *run)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < run->runs && run->times_s != NULL; i++)
		json_array_append_new(list, json_finite(run->times_s[i]));
	return list;
}

static json_t *measure_json(const struct ask *ask, size_t i, const predictd_measurement *run,
                            const predictd_prediction *got)
{
	json_t *object =
	        json_pack("{so ss ss so}", "case", json_text(ask->cases->cases[i].id), "kernel",
	                  ask_kernel(ask, i), "status", predictd_status_name(run->status), "error",
	                  json_text(run->error));
	if (run->status == PREDICTD_OK) {
		json_t *more = json_pack(
		        "{sI so so so so so so so so so so}", "runs", (json_int_t)run->runs,
		        "kernel_time_s", json_finite(run->kernel_time_s), "min_s",
		        json_finite(run->min_s), "mean_s", json_finite(run->mean_s), "p90_s",
		        json_finite(run->p90_s), "launch_time_s", json_finite(run->launch_time_s),
		        "wall_s", json_finite(run->wall_s), "h2d_time_s",
		        json_finite(run->h2d_time_s), "d2h_time_s", json_finite(run->d2h_time_s),
		        "build_s", json_finite(run->build_s), "times_s", times_json(run));
		(void)json_object_update(object, more);
		json_decref(more);
	}
	if (got != NULL)
		json_object_set_new(object, "warnings", warnings_json(got));
	if (got != NULL)
		json_object_set_new(object, "predicted",
		                    json_pack("{so so so ss}", "kernel_time_s",
		                              json_finite(got->kernel_time_s), "low_s",
		                              json_finite(got->low_s), "high_s",
		                              json_finite(got->high_s), "basis",
		                              predictd_basis_name(got->basis)));
	if (got != NULL && run->status == PREDICTD_OK && run->kernel_time_s > 0)
		json_object_set_new(object, "ratio",
		                    json_finite(got->kernel_time_s / run->kernel_time_s));
	return object;
}

/* Whether a buffer that is read holds nothing but zeros: nobody said what measuring puts there. */
static bool reads_zeros(const struct launch_case *one)
{
	for (size_t i = 0; i < one->argument_count; i++) {
		const predictd_argument *argument = &one->arguments[i];
		if (argument->kind == PREDICTD_BUFFER && argument->access != PREDICTD_WRITE &&
		    argument->init == NULL)
			return true;
	}
	return false;
}

/* Why it was not measured, and what was noticed before: a driver that crashes does not say why. */
static void failure_cell(struct table *table, const char *error, const predictd_prediction *got)
{
	char text[2048], note[1024] = "";
	if (got != NULL)
		(void)answer_note(got, note);
	(void)snprintf(text, sizeof text, "%s%s%s", error, note[0] != '\0' ? "; " : "", note);
	table_colored(table, color_bad(), text);
}

static void table_rows(const struct ask *ask, const predictd_measurement *runs,
                       const struct answers *answers)
{
	struct table *table = table_new("lrrrl");
	static const char *const heads[] = {"case", "predicted", "measured", "ratio", ""};
	for (size_t i = 0; i < 5; i++)
		table_cell(table, "%s", heads[i]);
	for (size_t i = 0; i < ask->cases->count; i++) {
		const struct answer *answer = i < answers->count ? &answers->each[i] : NULL;
		const predictd_prediction *got = answer != NULL ? answer->prediction : NULL;
		char predicted[TEXT_MAX] = "-", measured[TEXT_MAX] = "-", ratio[TEXT_MAX] = "-";
		bool is_measured = runs[i].status == PREDICTD_OK, is_near = false;
		if (got != NULL)
			format_time(predicted, got->kernel_time_s);
		if (is_measured)
			format_time(measured, runs[i].kernel_time_s);
		if (got != NULL && is_measured && runs[i].kernel_time_s > 0) {
			double value = got->kernel_time_s / runs[i].kernel_time_s;
			(void)snprintf(ratio, sizeof ratio, "%.2f", value);
			is_near = value <= 1.5 && value >= 1 / 1.5;
		}
		table_cell(table, "%s", ask->cases->cases[i].id);
		table_cell(table, "%s", predicted);
		table_cell(table, "%s", measured);
		table_colored(table,
		              ratio[0] == '-' ? ""
		              : is_near       ? color_good()
		                              : color_bad(),
		              ratio);
		if (!is_measured)
			failure_cell(table, runs[i].error, got);
		else if (answer != NULL && got == NULL)
			table_colored(table, color_bad(), answer->error);
		else
			table_cell(table, "%s%s",
			           got != NULL && got->basis == PREDICTD_FALLBACK ? "fallback: "
			                                                          : "",
			           got != NULL ? got->note : "");
	}
	table_print(table, "", stdout);
	table_free(table);
}

/* "n of m within x1.5, median error"; adds it to `object` where there is one. */
static void summary_print(const struct ask *ask, const predictd_measurement *runs,
                          const struct answers *answers, json_t *object)
{
	struct comparison *comparisons = calloc(answers->count + 1, sizeof *comparisons);
	struct score score;
	size_t count = 0;
	if (comparisons == NULL)
		return;
	for (size_t i = 0; i < answers->count; i++) {
		const predictd_prediction *got = answers->each[i].prediction;
		if (got == NULL || runs[i].status != PREDICTD_OK || !(runs[i].kernel_time_s > 0))
			continue;
		comparisons[count++] = (struct comparison){.predicted_s = got->kernel_time_s,
		                                           .low_s = got->low_s,
		                                           .high_s = got->high_s,
		                                           .measured_s = runs[i].kernel_time_s};
	}
	if (count > 0 && score_compute(comparisons, count, &score)) {
		size_t near = (size_t)lround(score.all.within15 * (double)count);
		if (object != NULL)
			json_object_set_new(object, "summary",
			                    json_pack("{sI sI sf}", "compared", (json_int_t)count,
			                              "within15", (json_int_t)near, "median_error",
			                              score.all.median_error));
		else
			(void)printf("%zu of %zu within x1.5, median error %.0f %%\n", near, count,
			             100 * score.all.median_error);
		if (object == NULL && ask->cases->count == 1 && near < count &&
		    reads_zeros(&ask->cases->cases[0]))
			(void)puts("buffers held zeros: if the time depends on data, say what "
			           "they hold, as in buffer:4M:r:rand_index:1000");
	} else if (object == NULL && ask->cases->count > 1) {
		(void)puts("nothing to compare");
	}
	free(comparisons);
}

/*
 * The device to run on, and its type: the one that is asked about, by its key, since the daemon's
 * indices are not those of this process. Without a daemon it is what the user says, of this
 * process's devices, and no type is known.
 */
static enum exit_code device_choose(predictd_connection *connection, const struct options *options,
                                    char key[PREDICTD_KEY_BYTES], const char **chosen,
                                    predictd_device_type *type)
{
	predictd_devices *devices = NULL;
	const predictd_device *device = NULL;
	enum exit_code code = EXIT_DONE;
	*chosen = options->device;
	if (connection == NULL || predictd_list_devices(connection, false, &devices) != PREDICTD_OK)
		return EXIT_DONE;
	enum device_found found = device_find(devices, options->device, &device);
	if (found == DEVICE_AMBIGUOUS) {
		complain("measure", "more than one device has '%s'; see `predictctl devices`",
		         options->device);
		code = EXIT_FAILED;
	} else if (found == DEVICE_NONE && options->device != NULL &&
	           is_device_index(options->device)) {
		complain("measure", "predictd knows no device %s; see `predictctl devices`",
		         options->device);
		code = EXIT_FAILED;
	} else if (found == DEVICE_FOUND && !device->is_present) {
		complain("measure", "device %u \"%s\" (%s) is away", device->index, device->name,
		         device->key);
		code = EXIT_FAILED;
	} else if (found == DEVICE_FOUND && device->key[0] != '\0') {
		(void)snprintf(key, PREDICTD_KEY_BYTES, "%s", device->key);
		*chosen = key;
		*type = device->type;
	}
	predictd_devices_free(devices);
	return code;
}

/* Reports what was measured, under the device that was asked about. */
static enum exit_code measured_report(const struct ask *ask, const struct options *options,
                                      const char *device, const predictd_measurement *runs)
{
	size_t count = 0;
	predictd_observation *list = calloc(ask->cases->count + 1, sizeof *list);
	if (list == NULL) {
		complain("observe", "no memory");
		return EXIT_FAILED;
	}
	for (size_t i = 0; i < ask->cases->count; i++) {
		const char *error;
		predictd_question question;
		if (runs[i].status != PREDICTD_OK ||
		    ask_question(ask, i, options, &question, &error) != PREDICTD_OK)
			continue;
		question.device = device;
		list[count++] = (predictd_observation){
		        .question = question,
		        .kernel_time_s = runs[i].kernel_time_s,
		        .h2d_time_s = options->transfers ? runs[i].h2d_time_s : 0,
		        .d2h_time_s = options->transfers ? runs[i].d2h_time_s : 0,
		        .launch_time_s = runs[i].launch_time_s,
		};
	}
	enum exit_code code =
	        count > 0 ? observations_report(ask->connection, list, count, NULL) : EXIT_DONE;
	free(list);
	return code;
}

enum exit_code command_measure(const struct options *options)
{
	predictd_connection *connection = NULL;
	struct ask ask = {0};
	struct answers answers = {0};
	predictd_measurement *runs = NULL;
	struct case_list guessed = {0};
	const struct case_list *cases = options->is_guessed ? &guessed : &options->cases_list;
	char key[PREDICTD_KEY_BYTES];
	const char *device;
	predictd_device_type type = PREDICTD_OTHER;
	double others_share = 0;
	/* measuring needs no daemon: without one there is nothing to compare with */
	predictd_status opened = predictd_open(options->socket, &connection);
	if (opened != PREDICTD_OK && options->is_guessed) {
		complain("measure",
		         "want --global N[,N[,N]], or a daemon, which tells a kernel's "
		         "arguments, to guess sizes: %s",
		         predictd_error_text());
		return exit_of(opened);
	}
	if (opened != PREDICTD_OK && !options->csv)
		complain("measure", "not compared: %s", predictd_error_text());
	enum exit_code code = device_choose(connection, options, key, &device, &type);
	if (code == EXIT_DONE && options->is_guessed)
		code = guess_list(connection, &options->cases_list.cases[0], device, true,
		                  &guessed);
	if (code != EXIT_DONE)
		goto out;
	predictd_status status = ask_init(&ask, cases, connection);
	if (status == PREDICTD_OK && connection != NULL && !options->csv &&
	    ask_predict(&ask, options, options->model, device, &answers) != PREDICTD_OK)
		complain("measure", "not compared: %s", predictd_error_text());
	if (status == PREDICTD_OK) /* before they run: a driver may go down over it */
		answers_warn(&answers, cases);
	if (status == PREDICTD_OK)
		status = measure_cases(&ask, options, device, &answers, &runs, &others_share);
	if (status != PREDICTD_OK) {
		complain("measure", "%s", predictd_error_text());
		code = EXIT_FAILED;
		goto out;
	}
	if (answers.count > 0 && answers_code(&answers) == EXIT_UNCALIBRATED) {
		complain("measure", "not compared: %s", answers.each[0].error);
		answers_deinit(&answers);
	}
	if (options->json) {
		json_t *list = json_array();
		for (size_t i = 0; i < cases->count; i++)
			json_array_append_new(
			        list, measure_json(&ask, i, &runs[i],
			                           i < answers.count ? answers.each[i].prediction
			                                             : NULL));
		json_t *object =
		        json_pack("{so sf}", "measurements", list, "others_share", others_share);
		summary_print(&ask, runs, &answers, object);
		print_json(object);
	} else if (!options->csv) {
		table_rows(&ask, runs, &answers);
		summary_print(&ask, runs, &answers, NULL);
		others_print(type, others_share);
	}
	size_t left = 0;
	for (size_t i = 0; i < cases->count; i++) {
		if (runs[i].status == PREDICTD_CANCELLED)
			left++;
		if (runs[i].status == PREDICTD_OK || runs[i].status == PREDICTD_CANCELLED)
			continue;
		code = EXIT_FAILED;
		if (options->csv || options->cases == NULL)
			complain(cases->cases[i].id, "%s", runs[i].error);
	}
	if (options->observe && connection == NULL) {
		complain("observe", "nothing was reported: predictd does not answer");
		code = EXIT_UNREACHABLE;
	} else if (options->observe) {
		enum exit_code reported = measured_report(&ask, options, device, runs);
		code = code == EXIT_DONE ? reported : code;
	}
	if (left > 0) {
		complain("measure", "interrupted: %zu of %zu cases were not measured", left,
		         cases->count);
		code = EXIT_INTERRUPTED;
	}
out:
	predictd_measurements_free(runs, cases->count);
	answers_deinit(&answers);
	ask_deinit(&ask);
	case_list_deinit(&guessed);
	predictd_close(connection);
	return code;
}
