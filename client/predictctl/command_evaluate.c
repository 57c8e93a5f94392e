/* SPDX-License-Identifier: Apache-2.0 */
/* predictctl evaluate: how good static predictions are, per class and in all, model by model. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/predictctl/commands.h"
#include "client/predictctl/interrupts.h"
#include "client/predictctl/measure_cases.h"
#include "client/predictctl/measured.h"
#include "client/predictctl/statistics.h"
#include "client/predictctl/table.h"

enum { MODELS = PREDICTD_UNCACHED + 1, BASES = PREDICTD_FALLBACK + 1 };

static const double large_launches = 3; /* times an empty one */

/* What one model is worth. */
struct judged {
	predictd_model model;
	struct answers answers;
	struct score all;
	struct score *groups; /* as `group_names` */
	size_t basis[BASES];
};

struct evaluation {
	const struct case_list *cases;
	struct case_list asked; /* those that the daemon is asked about, borrowed of `cases` */
	size_t *asked_as;       /* by case: where it is in `asked`; SIZE_MAX: nowhere */
	double *measured_s;     /* by case; NAN: not measured */
	double others_share;    /* of the processors, while it was measured */
	double empty_s;         /* an empty launch of the device; NAN: not known */
	size_t group_count;
	const char **group_names;
	size_t *group_of;
	size_t model_count;
	struct judged models[MODELS];
	struct comparison *comparisons; /* room for every case */
};

static void evaluation_deinit(struct evaluation *evaluation)
{
	for (size_t i = 0; i < evaluation->model_count; i++) {
		answers_deinit(&evaluation->models[i].answers);
		free(evaluation->models[i].groups);
	}
	free(evaluation->asked.cases);
	free(evaluation->asked_as);
	free(evaluation->measured_s);
	free(evaluation->group_names);
	free(evaluation->group_of);
	free(evaluation->comparisons);
}

static bool evaluation_init(struct evaluation *evaluation, const struct case_list *cases)
{
	size_t room = cases->count + 1;
	*evaluation = (struct evaluation){.cases = cases, .empty_s = nan("")};
	evaluation->asked.cases = calloc(room, sizeof *evaluation->asked.cases);
	evaluation->asked_as = calloc(room, sizeof *evaluation->asked_as);
	evaluation->measured_s = calloc(room, sizeof *evaluation->measured_s);
	evaluation->group_names = calloc(room, sizeof *evaluation->group_names);
	evaluation->group_of = calloc(room, sizeof *evaluation->group_of);
	evaluation->comparisons = calloc(room, sizeof *evaluation->comparisons);
	if (evaluation->asked.cases == NULL || evaluation->asked_as == NULL ||
	    evaluation->measured_s == NULL || evaluation->group_names == NULL ||
	    evaluation->group_of == NULL || evaluation->comparisons == NULL)
		return false;
	for (size_t i = 0; i < cases->count; i++) {
		size_t group = 0;
		evaluation->measured_s[i] = nan("");
		while (group < evaluation->group_count &&
		       strcmp(evaluation->group_names[group], cases->cases[i].group) != 0)
			group++;
		if (group == evaluation->group_count)
			evaluation->group_names[evaluation->group_count++] = cases->cases[i].group;
		evaluation->group_of[i] = group;
	}
	return true;
}

static bool measured_now(struct evaluation *evaluation, const struct ask *ask,
                         const struct options *options, const char *device)
{
	predictd_measurement *runs = NULL;
	const struct answers none = {0};
	if (measure_cases(ask, options, device, &none, &runs, &evaluation->others_share) !=
	    PREDICTD_OK) {
		complain("evaluate", "%s", predictd_error_text());
		return false;
	}
	for (size_t i = 0; i < evaluation->cases->count; i++) {
		if (runs[i].status == PREDICTD_OK && runs[i].kernel_time_s > 0)
			evaluation->measured_s[i] = runs[i].kernel_time_s;
		else if (runs[i].status != PREDICTD_CANCELLED) /* said once, at the end */
			complain(evaluation->cases->cases[i].id, "not measured: %s", runs[i].error);
	}
	predictd_measurements_free(runs, evaluation->cases->count);
	return true;
}

/* What to ask about: where times are recorded, cases that have one; others count for nothing. */
static void cases_choose(struct evaluation *evaluation, bool is_recorded)
{
	for (size_t i = 0; i < evaluation->cases->count; i++) {
		evaluation->asked_as[i] = SIZE_MAX;
		if (is_recorded && isnan(evaluation->measured_s[i]))
			continue;
		evaluation->asked_as[i] = evaluation->asked.count;
		evaluation->asked.cases[evaluation->asked.count++] = evaluation->cases->cases[i];
	}
}

/* NULL where there is none: it failed, or was not asked for. */
static const predictd_prediction *prediction_of(const struct evaluation *evaluation,
                                                const struct judged *judged, size_t index)
{
	size_t asked_as = evaluation->asked_as[index];
	return asked_as == SIZE_MAX ? NULL : judged->answers.each[asked_as].prediction;
}

/* The comparisons of a group (SIZE_MAX: of all). */
static size_t comparisons_fill(const struct evaluation *evaluation, const struct judged *judged,
                               size_t group)
{
	size_t count = 0;
	for (size_t i = 0; i < evaluation->cases->count; i++) {
		const predictd_prediction *got = prediction_of(evaluation, judged, i);
		double measured_s = evaluation->measured_s[i];
		if (got == NULL || isnan(measured_s) ||
		    (group != SIZE_MAX && evaluation->group_of[i] != group))
			continue;
		evaluation->comparisons[count++] = (struct comparison){
		        .predicted_s = got->kernel_time_s,
		        .low_s = got->low_s,
		        .high_s = got->high_s,
		        .measured_s = measured_s,
		        .is_large = !isnan(evaluation->empty_s) &&
		                    measured_s >= large_launches * evaluation->empty_s};
	}
	return count;
}

static bool judge(struct evaluation *evaluation, struct judged *judged)
{
	judged->groups = calloc(evaluation->group_count + 1, sizeof *judged->groups);
	if (judged->groups == NULL)
		return false;
	for (size_t i = 0; i < evaluation->cases->count; i++) {
		const predictd_prediction *got = prediction_of(evaluation, judged, i);
		if (got != NULL && (size_t)got->basis < BASES)
			judged->basis[got->basis]++;
	}
	size_t count = comparisons_fill(evaluation, judged, SIZE_MAX);
	if (!score_compute(evaluation->comparisons, count, &judged->all))
		return false;
	for (size_t i = 0; i < evaluation->group_count; i++) {
		count = comparisons_fill(evaluation, judged, i);
		if (!score_compute(evaluation->comparisons, count, &judged->groups[i]))
			return false;
	}
	return true;
}

/* ---- printing ------------------------------------------------------------------------------ */

static void percent_cell(struct table *table, double share)
{
	if (isnan(share))
		table_cell(table, "-");
	else
		table_cell(table, "%.0f %%", 100 * share);
}

static void number_cell(struct table *table, const char *before, double value)
{
	char text[TEXT_MAX];
	if (isnan(value)) {
		table_cell(table, "-");
		return;
	}
	format_number(text, value, 3);
	table_cell(table, "%s%s", before, text);
}

static void score_row(struct table *table, const char *group, const struct judged *judged,
                      const struct score *score)
{
	table_cell(table, "%s", group);
	table_cell(table, "%s", predictd_model_name(judged->model));
	table_cell(table, "%zu", score->all.count);
	percent_cell(table, score->all.within30);
	percent_cell(table, score->all.within15);
	percent_cell(table, score->all.median_error);
	percent_cell(table, score->all.mean_error);
	table_cell(table, "%zu", score->large.count);
	percent_cell(table, score->large.within30);
	percent_cell(table, score->large.within15);
	percent_cell(table, score->large.median_error);
	number_cell(table, "", score->spearman);
	percent_cell(table, score->coverage);
	number_cell(table, "x", score->median_width);
}

static void scores_print(const struct evaluation *evaluation)
{
	struct table *table = table_new("llrrrrrrrrrrrr");
	static const char *const heads[] = {"class",  "model",    "cases",   "30 %", "x1.5",
	                                    "median", "mean",     "large",   "30 %", "x1.5",
	                                    "median", "Spearman", "covered", "width"};
	for (size_t i = 0; i < 14; i++)
		table_cell(table, "%s", heads[i]);
	table_rule(table);
	for (size_t i = 0; i < evaluation->group_count && evaluation->group_count > 1; i++)
		for (size_t j = 0; j < evaluation->model_count; j++)
			score_row(table, evaluation->group_names[i], &evaluation->models[j],
			          &evaluation->models[j].groups[i]);
	table_rule(table);
	for (size_t j = 0; j < evaluation->model_count; j++)
		score_row(table, "all", &evaluation->models[j], &evaluation->models[j].all);
	table_print(table, "", stdout);
	table_free(table);
}

static void histogram_print(const struct evaluation *evaluation)
{
	struct table *table = table_new(evaluation->model_count == 1 ? "lr" : "lrrr");
	(void)puts("\npredicted / measured");
	table_cell(table, " ");
	for (size_t j = 0; j < evaluation->model_count; j++)
		table_cell(table, "%s", predictd_model_name(evaluation->models[j].model));
	for (size_t i = 0; i < HISTOGRAM_BINS; i++) {
		if (i + 1 < HISTOGRAM_BINS)
			table_cell(table, "%.1f to %.1f", histogram_edges[i],
			           histogram_edges[i + 1]);
		else
			table_cell(table, "%.1f and more", histogram_edges[i]);
		for (size_t j = 0; j < evaluation->model_count; j++)
			table_cell(table, "%zu", evaluation->models[j].all.histogram[i]);
	}
	table_rule(table);
	for (size_t i = 0; i < BASES; i++) {
		table_cell(table, "%s answers", predictd_basis_name((predictd_basis)i));
		for (size_t j = 0; j < evaluation->model_count; j++)
			table_cell(table, "%zu", evaluation->models[j].basis[i]);
	}
	table_print(table, "  ", stdout);
	table_free(table);
}

static json_t *accuracy_json(const struct accuracy *accuracy)
{
	return json_pack("{sI so so so so}", "cases", (json_int_t)accuracy->count, "within30",
	                 json_finite(accuracy->within30), "within15",
	                 json_finite(accuracy->within15), "median_error",
	                 json_finite(accuracy->median_error), "mean_error",
	                 json_finite(accuracy->mean_error));
}

static json_t *score_json(const struct score *score)
{
	json_t *histogram = json_array();
	for (size_t i = 0; i < HISTOGRAM_BINS; i++)
		json_array_append_new(histogram,
		                      json_pack("{sf sI}", "from", histogram_edges[i], "cases",
		                                (json_int_t)score->histogram[i]));
	return json_pack("{so so so so so so}", "all", accuracy_json(&score->all), "large",
	                 accuracy_json(&score->large), "spearman", json_finite(score->spearman),
	                 "coverage", json_finite(score->coverage), "median_width",
	                 json_finite(score->median_width), "histogram", histogram);
}

static json_t *evaluation_json(const struct evaluation *evaluation, const char *device)
{
	json_t *models = json_object(), *cases = json_array();
	for (size_t j = 0; j < evaluation->model_count; j++) {
		const struct judged *judged = &evaluation->models[j];
		json_t *groups = json_object(), *basis = json_object();
		for (size_t i = 0; i < evaluation->group_count; i++)
			json_object_set_new(groups, evaluation->group_names[i],
			                    score_json(&judged->groups[i]));
		for (size_t i = 0; i < BASES; i++)
			json_object_set_new(basis, predictd_basis_name((predictd_basis)i),
			                    json_integer((json_int_t)judged->basis[i]));
		json_object_set_new(models, predictd_model_name(judged->model),
		                    json_pack("{so so so}", "all", score_json(&judged->all),
		                              "classes", groups, "basis", basis));
	}
	for (size_t i = 0; i < evaluation->cases->count; i++) {
		json_t *predicted = json_object();
		for (size_t j = 0; j < evaluation->model_count; j++) {
			const struct judged *judged = &evaluation->models[j];
			const predictd_prediction *got = prediction_of(evaluation, judged, i);
			json_object_set_new(predicted, predictd_model_name(judged->model),
			                    got != NULL ? json_finite(got->kernel_time_s)
			                                : json_null());
		}
		json_array_append_new(
		        cases, json_pack("{ss ss so so}", "case", evaluation->cases->cases[i].id,
		                         "class", evaluation->cases->cases[i].group, "measured_s",
		                         json_finite(evaluation->measured_s[i]), "predicted_s",
		                         predicted));
	}
	return json_pack("{ss so sf so so}", "device", device, "empty_launch_s",
	                 json_finite(evaluation->empty_s), "others_share", evaluation->others_share,
	                 "models", models, "cases", cases);
}

/* The score that "METRIC" (all cases) or "CLASS:METRIC" is of; *metric: the name alone. */
static const struct score *score_of(const struct evaluation *evaluation, const char *text,
                                    const char **metric)
{
	const struct judged *judged = &evaluation->models[0];
	const char *colon = strrchr(text, ':');
	*metric = colon != NULL ? colon + 1 : text;
	if (colon == NULL)
		return &judged->all;
	for (size_t i = 0; i < evaluation->group_count; i++)
		if (strlen(evaluation->group_names[i]) == (size_t)(colon - text) &&
		    strncmp(evaluation->group_names[i], text, (size_t)(colon - text)) == 0)
			return &judged->groups[i];
	return NULL;
}

/* --require: of the first model shown. */
static bool requirements_check(const struct options *options, const struct evaluation *evaluation)
{
	bool is_met = true;
	for (size_t i = 0; i < options->requirement_count; i++) {
		const struct requirement *want = &options->requirements[i];
		double value;
		bool more_is_better;
		const char *metric;
		const struct score *score = score_of(evaluation, want->metric, &metric);
		if (score == NULL || !score_metric(score, metric, &value, &more_is_better)) {
			complain("--require", "%s: no case is of that class", want->metric);
			is_met = false;
		} else if (!(more_is_better ? value >= want->value : value <= want->value)) {
			complain("--require", "%s: want %s %g, have %g", want->metric,
			         more_is_better ? "at least" : "at most", want->value, value);
			is_met = false;
		}
	}
	return is_met;
}

static enum exit_code device_get(predictd_connection *connection, const struct options *options,
                                 predictd_devices **devices, const predictd_device **device)
{
	predictd_status status = predictd_list_devices(connection, true, devices);
	if (status != PREDICTD_OK)
		return complain_of("evaluate", status);
	enum device_found found = device_find(*devices, options->device, device);
	if (found != DEVICE_FOUND) {
		complain("evaluate", "%s '%s'; see `predictctl devices`",
		         found == DEVICE_NONE ? "no device" : "more than one device has",
		         options->device != NULL ? options->device : "");
		return EXIT_FAILED;
	}
	if ((*device)->is_calibrated)
		return EXIT_DONE;
	complain("evaluate", "%s is not calibrated: type `predictctl calibrate %u`",
	         (*device)->name, (*device)->index);
	return EXIT_UNCALIBRATED;
}

/* Asks every model; complains of what fails, once a case. */
static enum exit_code models_ask(struct evaluation *evaluation, const struct ask *ask,
                                 const struct options *options, const char *device)
{
	enum exit_code code = EXIT_DONE;
	for (int model = 0; model < MODELS; model++) {
		if (options->has_model && (int)options->model != model)
			continue;
		struct judged *judged = &evaluation->models[evaluation->model_count];
		judged->model = (predictd_model)model;
		predictd_status status =
		        ask_predict(ask, options, judged->model, device, &judged->answers);
		if (status != PREDICTD_OK)
			return complain_of("evaluate", status);
		evaluation->model_count++;
		for (size_t i = 0; i < evaluation->asked.count; i++) {
			if (judged->answers.each[i].status == PREDICTD_OK)
				continue;
			if (evaluation->model_count == 1)
				complain(evaluation->asked.cases[i].id, "%s",
				         judged->answers.each[i].error);
			code = EXIT_FAILED;
		}
		if (!judge(evaluation, judged)) {
			complain("evaluate", "no memory");
			return EXIT_FAILED;
		}
	}
	return code;
}

enum exit_code command_evaluate(const struct options *options)
{
	predictd_connection *connection = NULL;
	predictd_devices *devices = NULL;
	const predictd_device *device = NULL;
	struct ask ask = {0};
	struct evaluation evaluation = {0};
	enum exit_code code = ask_open(options, &connection);
	if (code == EXIT_DONE)
		code = device_get(connection, options, &devices, &device);
	if (code != EXIT_DONE)
		goto out;
	if (!evaluation_init(&evaluation, &options->cases_list)) {
		complain("evaluate", "no memory");
		code = EXIT_FAILED;
		goto out;
	}
	if (options->measured != NULL &&
	    !measured_load(options->measured, evaluation.cases, "kernel_time_s", false,
	                   evaluation.measured_s)) {
		code = EXIT_FAILED;
		goto out;
	}
	cases_choose(&evaluation, options->measured != NULL);
	if (ask_init(&ask, &evaluation.asked, connection) != PREDICTD_OK) {
		complain("evaluate", "no memory");
		code = EXIT_FAILED;
		goto out;
	}
	for (size_t i = 0; i < device->coefficient_count; i++)
		if (strcmp(device->coefficients[i].name, "launch.base.time_s") == 0)
			evaluation.empty_s = device->coefficients[i].value;
	if (options->measured == NULL && !measured_now(&evaluation, &ask, options, device->key)) {
		code = EXIT_FAILED;
		goto out;
	}
	code = models_ask(&evaluation, &ask, options, device->key);
	if (evaluation.model_count == 0)
		goto out;
	if (evaluation.models[0].all.all.count == 0) {
		complain("evaluate", "no case has both a prediction and a measured time");
		code = EXIT_FAILED;
		goto out;
	}
	if (options->json) {
		print_json(evaluation_json(&evaluation, device->name));
	} else {
		(void)printf("%s, %zu of %zu cases compared\n", device->name,
		             evaluation.models[0].all.all.count, evaluation.cases->count);
		others_print(device->type, evaluation.others_share);
		(void)puts("");
		scores_print(&evaluation);
		histogram_print(&evaluation);
	}
	if (!requirements_check(options, &evaluation))
		code = EXIT_FAILED;
out:
	if (interrupts_came()) {
		complain("evaluate", "interrupted: not every case was measured");
		code = EXIT_INTERRUPTED;
	}
	evaluation_deinit(&evaluation);
	ask_deinit(&ask);
	predictd_devices_free(devices);
	predictd_close(connection);
	return code;
}
