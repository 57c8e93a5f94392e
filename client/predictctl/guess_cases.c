/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of a file's kernels, sizes guessed. */
#include "client/predictctl/guess_cases.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/predictctl/guess.h"

enum { SIZE_DEFAULT = 65536 };

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

static enum exit_code guess_all(predictd_connection *connection, const struct launch_case *one,
                                const uint64_t *sizes, size_t size_count, bool is_said,
                                json_t **list)
{
	static const uint64_t usual[] = {SIZE_DEFAULT};
	struct guessing guessing;
	enum exit_code code = guessing_open(connection, one, &guessing);
	/* the file may be kept anywhere: paths in it are whole */
	char *path = realpath(one->file, NULL);
	*list = json_array();
	if (size_count == 0) {
		sizes = usual;
		size_count = 1;
	}
	for (size_t i = 0; i < guessing.count && code == EXIT_DONE; i++) {
		const predictd_kernel *kernel = &guessing.kernels[i];
		if (one->kernel != NULL && strcmp(one->kernel, kernel->name) != 0)
			continue;
		for (size_t j = 0; j < size_count; j++) {
			char said[1024];
			json_array_append_new(*list, guess_case(path != NULL ? path : one->file,
			                                        one->options, guessing.source->text,
			                                        kernel, sizes[j], said));
			if (is_said)
				(void)fprintf(stderr, "guessed: %s\n", said);
		}
		if (is_said && kernel->unsupported[0] != '\0')
			(void)fprintf(stderr, "note: %s: a rough fallback is all there is: %s\n",
			              kernel->name, kernel->unsupported);
	}
	if (code == EXIT_DONE && json_array_size(*list) == 0)
		code = none_complain(&guessing);
	free(path);
	guessing_close(&guessing);
	return code;
}

enum exit_code guess_json(predictd_connection *connection, const struct launch_case *one,
                          const uint64_t *sizes, size_t size_count, json_t **list)
{
	return guess_all(connection, one, sizes, size_count, true, list);
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
                          struct case_list *list)
{
	json_t *cases = NULL;
	struct complaint why = {"no memory"};
	*list = (struct case_list){0};
	enum exit_code code = guess_all(connection, one, NULL, 0, false, &cases);
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
