/* SPDX-License-Identifier: Apache-2.0 */
/* Questions about a list of cases: programs registered once each, answers case by case. */
#include "client/predictctl/ask.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum exit_code ask_open(const struct options *options, predictd_connection **connection)
{
	predictd_status status = predictd_open(options->socket, connection);
	if (status == PREDICTD_OK)
		return EXIT_DONE;
	complain("predictd", "%s", predictd_error_text());
	return exit_of(status);
}

/* What is said of a case that names no kernel of a source of several. */
static void choice_say(struct ask_program *program)
{
	const predictd_kernel *kernels;
	size_t count = predictd_program_kernels(program->program, &kernels), used;
	if (count < 2)
		return;
	used = (size_t)snprintf(program->error, sizeof program->error,
	                        "want a kernel, as in %.80s:%.64s; the source has %zu",
	                        program->file, kernels[0].name, count);
	for (size_t i = 0; i < count && used < sizeof program->error; i++)
		used += (size_t)snprintf(program->error + used, sizeof program->error - used,
		                         "%s%s", i == 0 ? ": " : ", ", kernels[i].name);
}

static void program_load(struct ask_program *program, predictd_connection *connection)
{
	if (program->is_sourceless && connection == NULL)
		return; /* there is nothing to load */
	if (program->is_sourceless) {
		program->status = predictd_register_without_source(connection, program->file,
		                                                   &program->program);
		if (program->status != PREDICTD_OK)
			(void)snprintf(program->error, sizeof program->error, "%s",
			               predictd_error_text());
		return;
	}
	program->status = predictd_source_load(program->file, program->options, &program->source);
	if (program->status == PREDICTD_OK && connection != NULL)
		program->status = predictd_register(connection, program->source, &program->program);
	if (program->status != PREDICTD_OK)
		(void)snprintf(program->error, sizeof program->error, "%s", predictd_error_text());
	else if (program->program != NULL)
		choice_say(program);
}

predictd_status ask_init(struct ask *ask, const struct case_list *cases,
                         predictd_connection *connection)
{
	*ask = (struct ask){.connection = connection, .cases = cases};
	ask->programs = calloc(cases->count + 1, sizeof *ask->programs);
	ask->program_of = calloc(cases->count + 1, sizeof *ask->program_of);
	ask->sampled = calloc(cases->count + 1, sizeof *ask->sampled);
	if (ask->programs == NULL || ask->program_of == NULL || ask->sampled == NULL) {
		ask_deinit(ask);
		return PREDICTD_NO_MEMORY;
	}
	for (size_t i = 0; i < cases->count; i++) {
		const struct launch_case *one = &cases->cases[i];
		/* neighbours share a source: look from the last one back */
		size_t j = ask->program_count;
		while (j > 0 && (ask->programs[j - 1].is_sourceless != one->is_sourceless ||
		                 strcmp(ask->programs[j - 1].file, one->file) != 0 ||
		                 strcmp(ask->programs[j - 1].options, one->options) != 0))
			j--;
		if (j == 0) {
			ask->programs[ask->program_count].file = one->file;
			ask->programs[ask->program_count].options = one->options;
			ask->programs[ask->program_count].is_sourceless = one->is_sourceless;
			program_load(&ask->programs[ask->program_count], connection);
			j = ++ask->program_count;
		}
		ask->program_of[i] = j - 1;
	}
	return PREDICTD_OK;
}

void ask_deinit(struct ask *ask)
{
	for (size_t i = 0; i < ask->program_count; i++) {
		predictd_program_free(ask->programs[i].program);
		predictd_source_free(ask->programs[i].source);
	}
	for (size_t i = 0; ask->sampled != NULL && i < ask->cases->count; i++)
		sampled_deinit(&ask->sampled[i]);
	free(ask->programs);
	free(ask->program_of);
	free(ask->sampled);
	*ask = (struct ask){0};
}

/* The kernel that a case is about, as the daemon knows it; NULL: it does not. */
static const predictd_kernel *kernel_of(const struct ask *ask, size_t index)
{
	const predictd_kernel *kernels;
	const char *name = ask_kernel(ask, index);
	const struct ask_program *program = &ask->programs[ask->program_of[index]];
	size_t count = predictd_program_kernels(program->program, &kernels);
	for (size_t i = 0; i < count; i++)
		if (strcmp(kernels[i].name, name) == 0)
			return &kernels[i];
	return NULL;
}

/* The samples of a case's buffers into its question; they are taken once. */
static bool sample_case(const struct ask *ask, size_t index, bool every,
                        predictd_question *question)
{
	const struct launch_case *one = &ask->cases->cases[index];
	struct sampled *sampled = &ask->sampled[index];
	if (!every && one->is_sampled == NULL)
		return true;
	if (sampled->arguments == NULL &&
	    !sampled_init(one, kernel_of(ask, index), every, sampled)) {
		struct complaint why = sampled->why;
		sampled_deinit(sampled);
		sampled->why = why;
		return false;
	}
	question->arguments = sampled->arguments;
	return true;
}

predictd_status ask_question(const struct ask *ask, size_t index, const struct options *options,
                             predictd_question *question, const char **error)
{
	const struct ask_program *program = &ask->programs[ask->program_of[index]];
	predictd_question made = case_question(&ask->cases->cases[index]);
	*error = program->error;
	if (program->status != PREDICTD_OK)
		return program->status;
	if (ask_kernel(ask, index)[0] == '\0' && program->error[0] != '\0')
		return PREDICTD_INVALID;
	made.program = program->program;
	made.with_transfers = options->transfers;
	made.pinned_transfers |= options->pinned;
	if (!sample_case(ask, index, options->sample, &made)) {
		*error = ask->sampled[index].why.text;
		return PREDICTD_INVALID;
	}
	*question = made;
	return PREDICTD_OK;
}

predictd_status ask_predict(const struct ask *ask, const struct options *options,
                            predictd_model model, const char *device, struct answers *answers)
{
	size_t count = ask->cases->count;
	predictd_question *questions = calloc(count + 1, sizeof *questions);
	predictd_status status = PREDICTD_OK;
	*answers = (struct answers){.count = count};
	answers->each = calloc(count + 1, sizeof *answers->each);
	if (questions == NULL || answers->each == NULL) {
		status = PREDICTD_NO_MEMORY;
		goto out;
	}
	size_t asked = 0;
	for (size_t i = 0; i < count; i++) {
		struct answer *answer = &answers->each[i];
		predictd_question *question = &questions[asked];
		answer->status = ask_question(ask, i, options, question, &answer->error);
		if (answer->status != PREDICTD_OK)
			continue;
		asked++;
		question->device = device;
		question->model = model;
		question->explain = options->explain;
		question->explain_ir = options->explain_ir;
		question->static_only = options->static_only;
	}
	if (asked > 0)
		status = predictd_predict_batch(ask->connection, questions, asked,
		                                &answers->predictions);
	if (status != PREDICTD_OK)
		goto out;
	answers->prediction_count = asked;
	for (size_t i = 0, next = 0; i < count; i++) {
		if (answers->each[i].status != PREDICTD_OK)
			continue;
		const predictd_prediction *got = &answers->predictions[next++];
		answers->each[i] = (struct answer){got->status, got->error,
		                                   got->status == PREDICTD_OK ? got : NULL};
	}
out:
	free(questions);
	if (status != PREDICTD_OK)
		answers_deinit(answers);
	return status;
}

void answers_deinit(struct answers *answers)
{
	predictd_predictions_free(answers->predictions, answers->prediction_count);
	free(answers->each);
	*answers = (struct answers){0};
}

void answers_warn(const struct answers *answers, const struct case_list *cases)
{
	for (size_t i = 0; i < answers->count; i++) {
		const predictd_prediction *got = answers->each[i].prediction;
		for (size_t j = 0; got != NULL && j < got->warning_count; j++)
			warn_of(cases->cases[i].id, got->warnings[j]);
	}
}

const char *answer_note(const predictd_prediction *got, char text[1024])
{
	size_t used = 0;
	text[0] = '\0';
	for (size_t i = 0; i < got->warning_count && used < 1024; i++)
		used += (size_t)snprintf(text + used, 1024 - used, "%swarning: %s",
		                         i > 0 ? "; " : "", got->warnings[i]);
	if (got->note[0] != '\0' && used < 1024)
		(void)snprintf(text + used, 1024 - used, "%s%s", used > 0 ? "; " : "", got->note);
	return text;
}

json_t *warnings_json(const predictd_prediction *got)
{
	json_t *list = json_array();
	for (size_t i = 0; i < got->warning_count; i++)
		json_array_append_new(list, json_text(got->warnings[i]));
	return list;
}

const char *ask_kernel(const struct ask *ask, size_t index)
{
	const struct launch_case *one = &ask->cases->cases[index];
	const struct ask_program *program = &ask->programs[ask->program_of[index]];
	const predictd_kernel *kernels;
	if (one->kernel != NULL)
		return one->kernel;
	if (program->program == NULL || predictd_program_kernels(program->program, &kernels) != 1)
		return "";
	return kernels[0].name;
}

enum exit_code answers_code(const struct answers *answers)
{
	enum exit_code code = EXIT_DONE;
	for (size_t i = 0; i < answers->count; i++) {
		enum exit_code own = exit_of(answers->each[i].status);
		if (i == 0)
			code = own;
		else if (own != code)
			return EXIT_FAILED; /* some did, some did not, or for unlike reasons */
	}
	return code;
}

/* How well a text names a device: not at all, by part of its name, by the whole of it. */
static int named(const predictd_device *device, const char *text)
{
	if (strcmp(device->name, text) == 0)
		return 2;
	return strcasestr(device->name, text) != NULL ? 1 : 0;
}

/* Of those present, the first calibrated one, else the first; NULL: there is none. */
static const predictd_device *default_device(const predictd_devices *devices)
{
	const predictd_device *first = NULL;
	for (size_t i = devices->count; i-- > 0;) {
		const predictd_device *one = &devices->devices[i];
		if (one->is_present &&
		    (first == NULL || one->is_calibrated || !first->is_calibrated))
			first = one;
	}
	return first;
}

static enum device_found find_by_name(const predictd_devices *devices, const char *text,
                                      const predictd_device **device)
{
	const predictd_device *present = NULL;
	size_t count = 0, present_count = 0;
	int best = 1;
	for (size_t i = 0; i < devices->count; i++) {
		const predictd_device *one = &devices->devices[i];
		int how = named(one, text);
		if (how < best)
			continue;
		if (how > best)
			count = present_count = 0;
		best = how;
		*device = one;
		count++;
		if (one->is_present) {
			present = one;
			present_count++;
		}
	}
	if (count > 1 && present_count != 1)
		return DEVICE_AMBIGUOUS;
	if (count > 1)
		*device = present;
	return count > 0 ? DEVICE_FOUND : DEVICE_NONE;
}

enum device_found device_find(const predictd_devices *devices, const char *text,
                              const predictd_device **device)
{
	*device = NULL;
	if (text == NULL || text[0] == '\0') {
		*device = default_device(devices);
		return *device != NULL ? DEVICE_FOUND : DEVICE_NONE;
	}
	for (size_t i = 0; i < devices->count; i++)
		if (devices->devices[i].key[0] != '\0' &&
		    strcmp(devices->devices[i].key, text) == 0) {
			*device = &devices->devices[i];
			return DEVICE_FOUND;
		}
	if (!is_device_index(text))
		return find_by_name(devices, text, device);
	unsigned long index = strtoul(text, NULL, 10);
	for (size_t i = 0; i < devices->count; i++)
		if (devices->devices[i].index == index)
			*device = &devices->devices[i];
	return *device != NULL ? DEVICE_FOUND : DEVICE_NONE;
}

bool is_device_index(const char *text)
{
	return text[0] != '\0' && text[strspn(text, "0123456789")] == '\0';
}
