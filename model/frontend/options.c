/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Build options, of three kinds. Those that change the language or the code are analysed or
 * priced; those that change neither are taken, with a note; those that touch files, and those that
 * the device's compiler refuses, are refused.
 *
 * A client's options never reach libclang raw: -MD, -include or -Xclang would read and write files
 * with our rights. What is taken with a note reaches nothing.
 */
#include "model/frontend/parse.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPTION_WORDS_MAX = 1024 };

/* Options without a value that OpenCL defines (OpenCL API 3.0, 5.8.6): what each changes. */
static const struct {
	const char *name;
	bool is_passed; /* libclang is to see it */
	uint32_t build; /* enum build_option that it turns on, or 0 */
} flags[] = {
        {"-cl-single-precision-constant", true, 0},
        {"-cl-denorms-are-zero", false, BUILD_DENORMS_ARE_ZERO},
        {"-cl-fp32-correctly-rounded-divide-sqrt", false, 0},
        {"-cl-opt-disable", false, BUILD_OPT_DISABLE},
        {"-cl-strict-aliasing", false, 0},
        {"-cl-mad-enable", false, BUILD_MAD_ENABLE},
        {"-cl-no-signed-zeros", false, BUILD_NO_SIGNED_ZEROS},
        {"-cl-unsafe-math-optimizations", true,
         BUILD_UNSAFE_MATH | BUILD_MAD_ENABLE | BUILD_NO_SIGNED_ZEROS | BUILD_DENORMS_ARE_ZERO},
        {"-cl-finite-math-only", true, BUILD_FINITE_MATH},
        {"-cl-fast-relaxed-math", true,
         BUILD_FAST_RELAXED | BUILD_UNSAFE_MATH | BUILD_FINITE_MATH | BUILD_MAD_ENABLE |
                 BUILD_NO_SIGNED_ZEROS | BUILD_DENORMS_ARE_ZERO},
        {"-cl-uniform-work-group-size", false, 0},
        {"-cl-no-subgroup-ifp", false, 0},
        {"-cl-kernel-arg-info", false, 0},
        {"-w", false, 0},
        {"-Werror", false, 0},
};

static const char *const standards[] = {"CL1.0", "CL1.1", "CL1.2", "CL2.0", "CL3.0"};

/*
 * Beginnings of options that touch files, run other parts of a compiler or hand it arguments
 * unseen (clang 19, gcc 12). They come before those that are taken.
 */
static const char *const touching[] = {
        "-include",
        "-imacros",
        "-isystem",
        "-iquote",
        "-idirafter",
        "-iprefix",
        "-iwith",
        "-isysroot",
        "--",
        "-M",
        "-o",
        "-X",
        "-Wp,",
        "-Wa,",
        "-Wl,",
        "-fmodule",
        "-fplugin",
        "-fpass-plugin",
        "-fprofile",
        "-ftime-trace",
        "-fcs-",
        "-fcoverage",
        "-fcrash-",
        "-fdebug-",
        "-fdump-",
        "-fdepfile",
        "-ffile-",
        "-fmacro-prefix",
        "-fembed-",
        "-fsave-opt",
        "-fthinlto-",
        "-flto",
        "-foptimization-record",
        "-fuse-ld",
        "-fproc-stat",
        "-gsplit-",
        "-gen-",
        "-mllvm",
        "-mlink-",
};

/* Beginnings of options that change no time here: vendors', and those of their compilers. */
static const char *const taken[] = {
        "-cl-nv-",  "-cl-intel-", "-cl-amd-",    "-cl-arm-", "-cl-qcom-", "-qcom-",
        "-cl-ext=", "-spir-std=", "-save-temps", "-W",       "-f",        "-m",
        "-g",       "-O",         "-pedantic",   "-v",
};

/* Options of NVIDIA's compiler whose number may be a word of its own. */
static const char *const numbered[] = {"-cl-nv-maxrregcount", "-cl-nv-opt-level"};

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
	return error_set(error, STATUS_INVALID,
	                 "build option %s is not one of OpenCL's or of a known vendor's", text);
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

static bool begins_with(const char *word, const char *const *beginnings, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strncmp(word, beginnings[i], strlen(beginnings[i])) == 0)
			return true;
	return false;
}

enum kind { KIND_UNKNOWN, KIND_SILENT, KIND_PASSED, KIND_STANDARD, KIND_TAKEN, KIND_TOUCHING };

/* What a word is; the build options that it turns on go to *build. */
static enum kind word_kind(const char *word, uint32_t *build)
{
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		if (strcmp(word, flags[i].name) != 0)
			continue;
		*build |= flags[i].build;
		return flags[i].is_passed ? KIND_PASSED : KIND_SILENT;
	}
	if (is_standard(word))
		return KIND_STANDARD;
	if (begins_with(word, touching, sizeof(touching) / sizeof(touching[0])))
		return KIND_TOUCHING;
	if (begins_with(word, taken, sizeof(taken) / sizeof(taken[0])))
		return KIND_TAKEN;
	return KIND_UNKNOWN;
}

/* Names an option in the note, once. */
static void note_add(struct option_list *list, const char *word)
{
	char text[64];
	word_print(word, text);
	const char *there = strstr(list->note, text);
	size_t used = strlen(list->note), length = strlen(text);
	if (there != NULL && (there[length] == '\0' || there[length] == ','))
		return;
	if (used + length + 8 > sizeof(list->note))
		(void)snprintf(list->note + used, sizeof(list->note) - used, "%s",
		               strstr(list->note, ", ...") != NULL ? "" : ", ...");
	else
		(void)snprintf(list->note + used, sizeof(list->note) - used, "%s%s",
		               used > 0 ? ", " : "", text);
}

/* The word after -cl-nv-maxrregcount and the like, where it is its number. */
static void skip_number(const char *word, const char **rest)
{
	const char *at = *rest;
	for (size_t i = 0; i < sizeof(numbered) / sizeof(numbered[0]); i++) {
		if (strcmp(word, numbered[i]) != 0)
			continue;
		while (isspace((unsigned char)*at))
			at++;
		size_t digits = strspn(at, "0123456789");
		if (digits > 0 && (at[digits] == '\0' || isspace((unsigned char)at[digits])))
			*rest = at + digits;
	}
}

/* Whether the device's compiler was seen to refuse that option. */
static bool is_refused(const struct frontend_language *language, const char *word)
{
	for (size_t i = 0; language != NULL && i < language->refused_count; i++)
		if (strcmp(language->refused[i], word) == 0)
			return true;
	return false;
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

/* Takes one word, and what of the rest belongs to it. */
static enum status take_word(struct option_list *list, const struct frontend_language *language,
                             char *word, const char **rest, struct error *error)
{
	char text[64];
	word_print(word, text);
	if (is_refused(language, word))
		return error_set(error, STATUS_INVALID,
		                 "build option %s: this device's compiler refuses it", text);
	switch (word_kind(word, &list->build)) {
	case KIND_SILENT:
		return STATUS_OK;
	case KIND_PASSED:
		return list_add(list, word, "")
		               ? STATUS_OK
		               : error_set(error, STATUS_NO_MEMORY, "no memory for build options");
	case KIND_STANDARD:
		(void)snprintf(list->standard, sizeof(list->standard), "%s", word);
		return STATUS_OK;
	case KIND_TAKEN:
		note_add(list, word);
		skip_number(word, rest);
		return STATUS_OK;
	case KIND_TOUCHING:
		return error_set(error, STATUS_INVALID,
		                 "build option %s is not allowed: it touches files, or passes "
		                 "arguments on",
		                 text);
	case KIND_UNKNOWN:
		break;
	}
	if (word[0] == '-' && (word[1] == 'D' || word[1] == 'U' || word[1] == 'I'))
		return take_valued(list, word, rest, error);
	return refuse(word, error);
}

enum status option_list_parse(const char *options, const struct frontend_language *language,
                              struct option_list *list, struct error *error)
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
	while (status == STATUS_OK && next_word(&options, word))
		status = list->count == OPTION_WORDS_MAX
		                 ? error_set(error, STATUS_LIMIT, "build options: at most %d",
		                             OPTION_WORDS_MAX)
		                 : take_word(list, language, word, &options, error);

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
	enum status status = option_list_parse(options, NULL, &list, error);
	if (status == STATUS_OK)
		option_list_free(&list);
	return status;
}
