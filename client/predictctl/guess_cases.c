/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of a file's kernels, sizes guessed. */
#include "client/predictctl/guess_cases.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/predictctl/guess.h"
#include "proto/text.h"

enum {
	SIZE_DEFAULT = 65536,
	SIZE_LEAST = 256, /* work-items; a kernel that takes long with so few does so by itself */
	SIZE_STEP = 4,
	ROUNDS_MOST = 4 /* in which buffers grow */
};

static const double time_most_s = 1; /* that a case of no size in particular may take */

/* A registered source of which kernels are guessed. */
struct guessing {
	const struct launch_case *one;
	predictd_source *source;
	predictd_program *program;
	const predictd_kernel *kernels;
	size_t count;
};

static enum exit_code guessing_open(predictd_connection *connection, const struct launch_case *one,
                                    struct guessing *guessing)
{
	*guessing = (struct guessing){.one = one};
	predictd_status status = predictd_source_load(one->file, one->options, &guessing->source);
	if (status == PREDICTD_OK)
		status = predictd_register(connection, guessing->source, &guessing->program);
	if (status != PREDICTD_OK)
		return complain_of(one->file, status);
	guessing->count = predictd_program_kernels(guessing->program, &guessing->kernels);
	const char *undefined = predictd_program_undefined(guessing->program);
	if (undefined[0] != '\0')
		complain(one->file, "%s", undefined);
	return EXIT_DONE;
}

static void guessing_close(struct guessing *guessing)
{
	predictd_program_free(guessing->program);
	predictd_source_free(guessing->source);
}

static enum exit_code none_complain(const struct guessing *guessing)
{
	const char *left_out = predictd_program_left_out(guessing->program);
	char names[256] = "";
	size_t used = 0;
	for (size_t i = 0; i < guessing->count && used < sizeof names; i++)
		used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
		                         i > 0 ? ", " : "", guessing->kernels[i].name);
	if (guessing->count == 0)
		complain(guessing->one->file, "the source has no kernel%s%s",
		         left_out[0] != '\0' ? ": the preprocessor left out " : "", left_out);
	else
		complain(guessing->one->file, "no kernel '%s'; it has %s%s%s",
		         guessing->one->kernel, names,
		         left_out[0] != '\0' ? "; the preprocessor left out " : "", left_out);
	return EXIT_FAILED;
}

/* ---- what the launch reaches --------------------------------------------------------------- */

/* The guessed cases as questions, and their answers. */
struct check {
	struct case_list cases;
	predictd_prediction *predictions;
	size_t count; /* of both; 0: nobody answered */
};

static void check_deinit(struct check *check)
{
	predictd_predictions_free(check->predictions, check->count);
	case_list_deinit(&check->cases);
	*check = (struct check){0};
}

static void check_ask(predictd_connection *connection, const struct guessing *guessing,
                      const char *device, const json_t *list, struct check *check)
{
	struct complaint why;
	*check = (struct check){0};
	char *text = json_dumps(list, 0);
	bool is_read = text != NULL && json_array_size(list) > 0 &&
	               case_list_parse(text, strlen(text), "", &check->cases, &why);
	predictd_question *questions =
	        is_read ? calloc(check->cases.count, sizeof *questions) : NULL;
	for (size_t i = 0; questions != NULL && i < check->cases.count; i++) {
		questions[i] = case_question(&check->cases.cases[i]);
		questions[i].program = guessing->program;
		questions[i].device = device;
		questions[i].explain = true; /* what data may lead to is reached, too */
	}
	if (questions != NULL && predictd_predict_batch(connection, questions, check->cases.count,
	                                                &check->predictions) == PREDICTD_OK)
		check->count = check->cases.count;
	free(questions);
	free(text);
}

/* Makes an argument as large as a warning wants it; false where that is no mending. */
static bool argument_grow(json_t *one, const char *warning, bool is_said)
{
	unsigned index;
	uint64_t bytes;
	if (sscanf(warning, "argument %u (%*[^)]): want at least %" SCNu64 " bytes", &index,
	           &bytes) != 2)
		return false;
	json_t *argument = json_array_get(json_object_get(one, "args"), index);
	const char *kind = json_object_get(argument, "buffer") != NULL ? "buffer" : "local";
	json_t *size = json_object_get(argument, kind);
	if (!json_is_integer(size) || bytes > guess_most(kind) ||
	    bytes <= (uint64_t)json_integer_value(size))
		return false;
	/* work-items and trips are sampled, and others may reach farther: a power of two */
	uint64_t room = 1;
	while (room < bytes)
		room *= 2;
	json_object_set_new(argument, kind, json_integer((json_int_t)room));
	if (is_said)
		(void)fprintf(stderr, "guessed: %s: %s\n",
		              json_string_value(json_object_get(one, "kernel")), warning);
	return true;
}

/* Takes out of the list what would still go wrong where it ran. */
static void faulty_remove(const struct check *check, json_t *list)
{
	for (size_t i = check->count; i-- > 0;) {
		const predictd_prediction *got = &check->predictions[i];
		if (got->status != PREDICTD_OK || got->warning_count == 0)
			continue;
		(void)fprintf(stderr, "left out: %s: %s\n", check->cases.cases[i].kernel,
		              got->warnings[0]);
		json_array_remove(list, i);
	}
}

/* The case of one kernel, and what is guessed in it. */
static json_t *case_make(const struct guessing *guessing, const predictd_kernel *kernel,
                         uint64_t items, char said[1024])
{
	/* the file may be kept anywhere: paths in it are whole */
	char *path = realpath(guessing->one->file, NULL);
	json_t *made = guess_case(path != NULL ? path : guessing->one->file, guessing->one->options,
	                          guessing->source->text, kernel, items, said);
	free(path);
	return made;
}

static const predictd_kernel *kernel_of(const struct guessing *guessing, const char *name)
{
	for (size_t i = 0; i < guessing->count; i++)
		if (strcmp(guessing->kernels[i].name, name) == 0)
			return &guessing->kernels[i];
	return NULL;
}

/* Kernels that would run for long get fewer work-items. All cases are of SIZE_DEFAULT. */
static void time_fill(predictd_connection *connection, const struct guessing *guessing,
                      const char *device, bool is_said, json_t *list)
{
	bool is_long = true;
	for (uint64_t items = SIZE_DEFAULT / SIZE_STEP; items >= SIZE_LEAST && is_long;
	     items /= SIZE_STEP) {
		struct check check;
		check_ask(connection, guessing, device, list, &check);
		is_long = false;
		for (size_t i = 0; i < check.count; i++) {
			char said[1024];
			const predictd_prediction *got = &check.predictions[i];
			const predictd_kernel *kernel =
			        kernel_of(guessing, check.cases.cases[i].kernel);
			if (got->status != PREDICTD_OK || !(got->kernel_time_s > time_most_s) ||
			    kernel == NULL)
				continue;
			json_t *fewer = case_make(guessing, kernel, items, said);
			bool is_other =
			        !json_equal(json_object_get(fewer, "global"),
			                    json_object_get(json_array_get(list, i), "global"));
			if (!is_other) { /* a group is the least */
				json_decref(fewer);
				continue;
			}
			is_long = true;
			if (is_said)
				(void)fprintf(stderr,
				              "guessed: %s: %" PRIu64
				              " work-items, as with more it takes %.2g s\n"
				              "guessed: %s\n",
				              kernel->name, items, got->kernel_time_s, said);
			json_array_set_new(list, i, fewer);
		}
		check_deinit(&check);
	}
}

/* Buffers grow until the answers no longer warn of them, or cannot grow. */
static void reach_fill(predictd_connection *connection, const struct guessing *guessing,
                       const char *device, bool is_said, bool is_run, json_t *list)
{
	struct check check = {0};
	bool is_grown = true;
	for (unsigned round = 0; round < ROUNDS_MOST && is_grown; round++) {
		check_deinit(&check);
		check_ask(connection, guessing, device, list, &check);
		is_grown = false;
		for (size_t i = 0; i < check.count; i++) {
			const predictd_prediction *got = &check.predictions[i];
			for (size_t j = 0; j < got->warning_count; j++)
				is_grown |= argument_grow(json_array_get(list, i), got->warnings[j],
				                          is_said);
		}
	}
	if (is_run && check.count > 0 && check.predictions[0].status == PREDICTD_UNCALIBRATED)
		(void)fprintf(stderr, "note: not checked whether buffers are overrun: %s\n",
		              check.predictions[0].error);
	if (is_run)
		faulty_remove(&check, list);
	check_deinit(&check);
}

static enum exit_code guess_all(predictd_connection *connection, const struct launch_case *one,
                                const char *device, const uint64_t *sizes, size_t size_count,
                                bool is_said, bool is_run, json_t **list)
{
	static const uint64_t usual[] = {SIZE_DEFAULT};
	struct guessing guessing;
	bool is_any_size = size_count == 0;
	*list = json_array();
	if (one->file[text_clean_bytes(one->file)] != '\0') {
		complain(one->file,
		         "its name is not in UTF-8, or has control characters, which cases "
		         "cannot have: rename it, or say --global and arguments");
		return EXIT_FAILED;
	}
	enum exit_code code = guessing_open(connection, one, &guessing);
	if (is_any_size) {
		sizes = usual;
		size_count = 1;
	}
	for (size_t i = 0; i < guessing.count && code == EXIT_DONE; i++) {
		const predictd_kernel *kernel = &guessing.kernels[i];
		if (one->kernel != NULL && strcmp(one->kernel, kernel->name) != 0)
			continue;
		for (size_t j = 0; j < size_count; j++) {
			char said[1024];
			json_array_append_new(*list, case_make(&guessing, kernel, sizes[j], said));
			if (is_said)
				(void)fprintf(stderr, "guessed: %s\n", said);
		}
		if (is_said && kernel->unsupported[0] != '\0')
			(void)fprintf(stderr, "note: %s: a rough fallback is all there is: %s\n",
			              kernel->name, kernel->unsupported);
	}
	bool is_there = json_array_size(*list) > 0;
	if (code == EXIT_DONE && !is_there)
		code = none_complain(&guessing);
	if (code == EXIT_DONE && is_run && is_any_size)
		time_fill(connection, &guessing, device, is_said, *list);
	if (code == EXIT_DONE)
		reach_fill(connection, &guessing, device, is_said, is_run, *list);
	if (is_there && json_array_size(*list) == 0) {
		complain(one->file, "no kernel can be run with what is guessed: say its sizes");
		code = EXIT_FAILED;
	}
	guessing_close(&guessing);
	return code;
}

enum exit_code guess_json(predictd_connection *connection, const struct launch_case *one,
                          const char *device, const uint64_t *sizes, size_t size_count,
                          json_t **list)
{
	return guess_all(connection, one, device, sizes, size_count, true, true, list);
}

/* ---- as options ---------------------------------------------------------------------------- */

static void size_print(uint64_t size)
{
	static const char suffixes[] = " KMG";
	unsigned power = 0;
	while (power < 3 && size >= 1024 && size % 1024 == 0) {
		size /= 1024;
		power++;
	}
	(void)fprintf(stderr, power > 0 ? "%" PRIu64 "%c" : "%" PRIu64, size, suffixes[power]);
}

static void sizes_print(const char *option, const uint64_t sizes[3], uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		(void)fprintf(stderr, "%s%" PRIu64, i == 0 ? option : ",", sizes[i]);
}

static void argument_print(const predictd_argument *argument)
{
	static const char *const accesses[] = {"", ":r", ":w", ":rw"};
	const char *access = argument->access <= 3 ? accesses[argument->access] : "";
	(void)fputs(" --arg ", stderr);
	switch (argument->kind) {
	case PREDICTD_BUFFER:
		(void)fputs("buffer:", stderr);
		size_print(argument->size_bytes);
		(void)fputs(access, stderr);
		if (argument->has_range)
			(void)fprintf(stderr, ":%" PRId64 "..%" PRId64, argument->low,
			              argument->high);
		if (argument->init != NULL)
			(void)fprintf(stderr, ":%s", argument->init);
		break;
	case PREDICTD_LOCAL:
	case PREDICTD_STRUCT:
		(void)fputs(argument->kind == PREDICTD_LOCAL ? "local:" : "bytes:", stderr);
		size_print(argument->size_bytes);
		break;
	case PREDICTD_IMAGE:
		(void)fprintf(stderr, "image:%u", argument->width);
		if (argument->height > 0)
			(void)fprintf(stderr, "x%u", argument->height);
		if (argument->depth > 0)
			(void)fprintf(stderr, "x%u", argument->depth);
		if (argument->type != NULL)
			(void)fprintf(stderr, ":%s", argument->type);
		(void)fputs(access, stderr);
		break;
	case PREDICTD_SAMPLER:
		(void)fprintf(stderr, "sampler:%s", argument->type);
		break;
	default: /* one value fills every lane */
		if (scalar_type_find(argument->type)->is_real)
			(void)fprintf(stderr, "%s:%g", argument->type, argument->reals[0]);
		else
			(void)fprintf(stderr, "%s:%" PRId64, argument->type, argument->integers[0]);
	}
}

enum exit_code guess_list(predictd_connection *connection, const struct launch_case *one,
                          const char *device, bool is_run, struct case_list *list)
{
	json_t *cases = NULL;
	struct complaint why = {"no memory"};
	*list = (struct case_list){0};
	enum exit_code code = guess_all(connection, one, device, NULL, 0, false, is_run, &cases);
	char *text = code == EXIT_DONE ? json_dumps(cases, 0) : NULL;
	if (code == EXIT_DONE &&
	    (text == NULL || !case_list_parse(text, strlen(text), "", list, &why))) {
		complain(one->file, "%s", why.text);
		code = EXIT_FAILED;
	}
	for (size_t i = 0; i < list->count; i++) {
		struct launch_case *guessed = &list->cases[i];
		guessed->idle_s = one->idle_s;
		(void)fprintf(stderr, "guessed: %s:", guessed->kernel);
		sizes_print(" --global ", guessed->global, guessed->dimensions);
		if (guessed->has_groups)
			sizes_print(" --local ", guessed->local, guessed->dimensions);
		for (size_t j = 0; j < guessed->argument_count; j++)
			argument_print(&guessed->arguments[j]);
		(void)fputc('\n', stderr);
	}
	free(text);
	json_decref(cases);
	return code;
}
