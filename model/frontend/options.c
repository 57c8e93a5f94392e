/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Build options: an allowlist. A client's options never reach libclang raw:
 * -MD, -include or -Xclang would read and write files with our rights.
 */
#include "model/frontend/parse.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { OPTION_WORDS_MAX = 1024 };

/* Options without a value; `passed` says whether libclang is to see them. */
static const struct {
	const char *name;
	bool passed;
} flags[] = {
        {"-cl-single-precision-constant", true},
        {"-cl-denorms-are-zero", false},
        {"-cl-fp32-correctly-rounded-divide-sqrt", false},
        {"-cl-opt-disable", false},
        {"-cl-strict-aliasing", false},
        {"-cl-mad-enable", false},
        {"-cl-no-signed-zeros", false},
        {"-cl-unsafe-math-optimizations", true},
        {"-cl-finite-math-only", true},
        {"-cl-fast-relaxed-math", true},
        {"-cl-uniform-work-group-size", false},
        {"-cl-no-subgroup-ifp", false},
        {"-cl-kernel-arg-info", false},
        {"-w", false},
        {"-Werror", false},
};

static const char *const standards[] = {"CL1.0", "CL1.1", "CL1.2", "CL2.0", "CL3.0"};

/* Copies a word for a message: printable and short. */
static void word_print(const char *word, char text[64])
{
	size_t n = 0;
	for (; word[n] != '\0' && n < 60; n++)
		text[n] = isprint((unsigned char)word[n]) ? word[n] : '?';
	text[n] = '\0';
}

static enum status refuse(const char *word, struct error *error)
{
	char text[64];
	word_print(word, text);
	return error_set(error, STATUS_INVALID, "build option %s is not allowed", text);
}

/*
 * Takes the next word off *options into `word` (as large as the options).
 * Quotes and backslashes group as a shell's do. False at the end.
 */
static bool next_word(const char **options, char *word)
{
	const char *in = *options;
	char quote = '\0';
	bool any = false;

	while (isspace((unsigned char)*in))
		in++;
	for (; *in != '\0'; in++) {
		if (quote == '\0' && isspace((unsigned char)*in))
			break;
		any = true;
		if (*in == '\\' && in[1] != '\0' && quote != '\'') {
			*word++ = *++in;
		} else if (quote != '\0' && *in == quote) {
			quote = '\0';
		} else if (quote == '\0' && (*in == '"' || *in == '\'')) {
			quote = *in;
		} else {
			*word++ = *in;
		}
	}
	*word = '\0';
	*options = in;
	return any;
}

static bool is_identifier(const char *text, size_t bytes)
{
	if (bytes == 0 || bytes > 256 || isdigit((unsigned char)text[0]))
		return false;
	for (size_t i = 0; i < bytes; i++)
		if (!isalnum((unsigned char)text[i]) && text[i] != '_')
			return false;
	return true;
}

/* NAME, NAME=VALUE or NAME(A,B)=VALUE: nothing in it can start another option. */
static bool is_definition(const char *text, bool may_have_value)
{
	size_t name = strcspn(text, may_have_value ? "=(" : "");
	if (!is_identifier(text, name))
		return false;
	for (const char *c = text; *c != '\0'; c++)
		if (*c == '\n' || *c == '\r')
			return false;
	return true;
}

static bool list_add(struct option_list *list, const char *prefix, const char *value)
{
	size_t bytes = strlen(prefix) + strlen(value) + 1;
	char *argument = malloc(bytes);
	if (argument == NULL)
		return false;
	(void)memcpy(argument, prefix, strlen(prefix));
	(void)memcpy(argument + strlen(prefix), value, strlen(value) + 1);
	list->arguments[list->count++] = argument;
	return true;
}

static bool is_standard(const char *word)
{
	if (strncmp(word, "-cl-std=", 8) != 0)
		return false;
	for (size_t i = 0; i < sizeof(standards) / sizeof(standards[0]); i++)
		if (strcmp(word + 8, standards[i]) == 0)
			return true;
	return false;
}

/* What one word asks for: 0 refused, 1 ignored, 2 passed on as it is. */
static int flag_find(const char *word)
{
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (strcmp(word, flags[i].name) == 0)
			return flags[i].passed ? 2 : 1;
	if (is_standard(word))
		return 2;
	if (strncmp(word, "-cl-nv-", 7) == 0)
		return 1;
	return 0;
}

/* Handles -D, -U and -I, whose value is the rest of the word or the next one. */
static enum status take_valued(struct option_list *list, char *word, const char **rest,
                               struct error *error)
{
	char kind = word[1];
	char option[64];
	word_print(word, option);
	char *value = word + 2;
	if (*value == '\0') {
		value = word;
		if (!next_word(rest, value))
			return error_set(error, STATUS_INVALID, "build option %s lacks its value",
			                 option);
	}
	if (kind == 'I')
		return STATUS_OK;
	if (!is_definition(value, kind == 'D')) {
		char text[64];
		word_print(value, text);
		return error_set(error, STATUS_INVALID, "build option -%c: %s is no macro name",
		                 kind, text);
	}
	if (!list_add(list, kind == 'D' ? "-D" : "-U", value))
		return error_set(error, STATUS_NO_MEMORY, "no memory for build options");
	return STATUS_OK;
}

enum status option_list_parse(const char *options, struct option_list *list, struct error *error)
{
	enum status status = STATUS_OK;
	char *word = NULL;

	*list = (struct option_list){0};
	if (options == NULL)
		return STATUS_OK;
	size_t bytes = strnlen(options, FRONTEND_OPTIONS_MAX + 1);
	if (bytes > FRONTEND_OPTIONS_MAX)
		return error_set(error, STATUS_LIMIT, "build options: at most %d bytes",
		                 FRONTEND_OPTIONS_MAX);
	word = malloc(bytes + 1);
	list->arguments = calloc(OPTION_WORDS_MAX, sizeof(*list->arguments));
	if (word == NULL || list->arguments == NULL) {
		status = error_set(error, STATUS_NO_MEMORY, "no memory for build options");
		goto out;
	}
	while (status == STATUS_OK && next_word(&options, word)) {
		int flag = flag_find(word);
		if (list->count == OPTION_WORDS_MAX)
			status = error_set(error, STATUS_LIMIT, "build options: at most %d",
			                   OPTION_WORDS_MAX);
		else if (flag == 2)
			status = list_add(list, word, "")
			                 ? STATUS_OK
			                 : error_set(error, STATUS_NO_MEMORY,
			                             "no memory for build options");
		else if (flag == 0 && word[0] == '-' &&
		         (word[1] == 'D' || word[1] == 'U' || word[1] == 'I'))
			status = take_valued(list, word, &options, error);
		else if (flag == 0)
			status = refuse(word, error);
	}

out:
	free(word);
	if (status != STATUS_OK)
		option_list_free(list);
	return status;
}

void option_list_free(struct option_list *list)
{
	for (unsigned i = 0; i < list->count; i++)
		free(list->arguments[i]);
	free(list->arguments);
	*list = (struct option_list){0};
}

enum status frontend_check_options(const char *options, struct error *error)
{
	struct option_list list;
	enum status status = option_list_parse(options, &list, error);
	if (status == STATUS_OK)
		option_list_free(&list);
	return status;
}
