/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A device's language as libclang is to see it: a standard, and a header of its macros.
 *
 * libclang's own macros come from its target, spir64, and from its base header. Those that the
 * device's compiler does not define are undefined after it, those that it has otherwise are defined
 * anew; what the client's own -D and -U say stands, as it does with the device's compiler.
 */
#include "model/frontend/parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Names that the preprocessor itself gives a meaning (ISO C17 6.10.8, and clang's). */
static const char *const reserved[] = {"defined", "__FILE__", "__LINE__", "__DATE__", "__TIME__"};

static const struct frontend_standard *standard_find(const struct frontend_language *language,
                                                     const char *option)
{
	for (size_t i = 0; i < language->standard_count; i++)
		if (strcmp(language->standards[i].option, option) == 0)
			return &language->standards[i];
	return NULL;
}

/* A macro's value in a standard, or NULL. */
static const char *macro_value(const struct frontend_language *language,
                               const struct frontend_standard *standard, const char *name)
{
	for (size_t i = 0; standard != NULL && i < standard->macro_count; i++)
		if (strcmp(standard->macros[i].name, name) == 0)
			return standard->macros[i].value;
	for (size_t i = 0; i < language->macro_count; i++)
		if (strcmp(language->macros[i].name, name) == 0)
			return language->macros[i].value;
	return NULL;
}

/* Whether the client's options define or undefine a macro. */
static bool is_clients(const struct option_list *options, const char *name)
{
	size_t length = strlen(name);
	for (unsigned i = 0; i < options->count; i++) {
		const char *argument = options->arguments[i];
		if (argument[0] == '-' && (argument[1] == 'D' || argument[1] == 'U') &&
		    strncmp(argument + 2, name, length) == 0 &&
		    strchr("=(", argument[2 + length]) != NULL) /* also at its end */
			return true;
	}
	return false;
}

static bool is_free(const struct option_list *options, const char *name)
{
	for (size_t i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++)
		if (strcmp(reserved[i], name) == 0)
			return false;
	return !is_clients(options, name);
}

static void write_macros(FILE *file, const struct option_list *options,
                         const struct frontend_macro *macros, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (is_free(options, macros[i].name))
			(void)fprintf(file, "#undef %s\n#define %s %s\n", macros[i].name,
			              macros[i].name, macros[i].value);
}

/*
 * libclang's own word for how its built-ins take pointers: by address space where there is no
 * generic one. Its opencl-c-base.h settles it for the target, so it follows the device's feature.
 */
static const char by_space[] = "__opencl_c_named_address_space_builtins";

/* Undefines first: what a standard defines comes after what others do. */
static void write_header(FILE *file, const struct frontend_language *language,
                         const struct frontend_standard *standard,
                         const struct option_list *options)
{
	for (size_t i = 0; i < language->undefined_count; i++)
		if (is_free(options, language->undefined[i]) &&
		    strcmp(language->undefined[i], by_space) != 0)
			(void)fprintf(file, "#undef %s\n", language->undefined[i]);
	for (size_t i = 0; i < language->standard_count; i++) {
		const struct frontend_standard *other = &language->standards[i];
		for (size_t j = 0; other != standard && j < other->macro_count; j++)
			if (is_free(options, other->macros[j].name))
				(void)fprintf(file, "#undef %s\n", other->macros[j].name);
	}
	write_macros(file, options, language->macros, language->macro_count);
	if (standard != NULL)
		write_macros(file, options, standard->macros, standard->macro_count);
	(void)fprintf(file,
	              "#ifndef __opencl_c_generic_address_space\n#undef %s\n#define %s 1\n#endif\n",
	              by_space, by_space);
}

/*
 * The standard that a build without -cl-std gets: by the device's own __OPENCL_C_VERSION__. OpenCL
 * C 1.0 has no such macro; of a device that is not known, it is 1.2, as the specification has it
 * for devices of OpenCL 1.2 and later (OpenCL API 3.0, 5.8.6.5).
 */
static void standard_of_default(const struct frontend_language *language,
                                const struct frontend_standard *standard, char option[24])
{
	const char *value =
	        language != NULL ? macro_value(language, standard, "__OPENCL_C_VERSION__") : NULL;
	unsigned long version = value != NULL ? strtoul(value, NULL, 10) : 120;
	(void)snprintf(option, 24, "-cl-std=CL%s",
	               version >= 300   ? "3.0"
	               : version >= 200 ? "2.0"
	               : version >= 120 ? "1.2"
	               : version >= 110 ? "1.1"
	                                : "1.0");
}

enum status profile_make(const struct frontend_language *language,
                         const struct option_list *options, char **text, char option[24],
                         char name[FRONTEND_LANGUAGE_MAX], struct error *error)
{
	const struct frontend_standard *standard =
	        language != NULL ? standard_find(language, options->standard) : NULL;
	if (standard != NULL && standard->is_refused)
		return error_set(error, STATUS_INVALID,
		                 "build option %s: this device's compiler refuses it",
		                 options->standard);
	if (options->standard[0] != '\0')
		(void)snprintf(option, 24, "%s", options->standard);
	else
		standard_of_default(language, standard, option);
	(void)snprintf(name, FRONTEND_LANGUAGE_MAX, "OpenCL C %.8s, %s",
	               option + strlen("-cl-std=CL"),
	               language != NULL ? language->origin : "of no device's compiler");
	size_t bytes;
	FILE *file = open_memstream(text, &bytes);
	if (file != NULL) {
		if (language != NULL)
			write_header(file, language, standard, options);
		bool is_whole = ferror(file) == 0;
		if (fclose(file) == 0 && is_whole && *text != NULL)
			return STATUS_OK;
	}
	return error_set(error, STATUS_NO_MEMORY, "no memory for a program");
}
