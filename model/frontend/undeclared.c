/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names that a program uses and libclang does not know. Built-ins of extensions are declared
 * by vendor.cl, which is put before a program that mentions one: others do not pay for it.
 * A call of any other undeclared function would lose its whole statement, since libclang
 * keeps nothing of it in C: a macro in front of the program makes it the arguments' values
 * and then a call of UNKNOWN_FUNCTION, which is an int.
 */
#include "model/frontend/parse.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *word, *argument;
} extensions[] = {
        {"amd_", "-D__PREDICTD_AMD"},
        {"intel_sub_group_", "-D__PREDICTD_INTEL"},
        {"async_work_group_copy_", "-D__PREDICTD_COPY"},
        {"sub_group_", "-D__PREDICTD_SUB_GROUP"},
        {"work_group_reduce_", "-D__PREDICTD_WORK_GROUP"},
        {"work_group_scan_", "-D__PREDICTD_WORK_GROUP"},
        {"work_group_broadcast", "-D__PREDICTD_WORK_GROUP"},
        {"work_group_all", "-D__PREDICTD_WORK_GROUP"},
        {"work_group_any", "-D__PREDICTD_WORK_GROUP"},
        {"_linear_id", "-D__PREDICTD_LINEAR_ID"},
        {"bitfield_", "-D__PREDICTD_BITS"},
        {"bit_reverse", "-D__PREDICTD_BITS"},
        {"dot_", "-D__PREDICTD_DOT"},
};

enum { EXTENSIONS = sizeof(extensions) / sizeof(extensions[0]) };

_Static_assert(EXTENSIONS + 4 <= UNDECLARED_ARGUMENTS_MAX, "room for two headers, too");

static void mentions_add(const char *text, size_t bytes, unsigned *found)
{
	for (unsigned i = 0; i < EXTENSIONS; i++)
		if ((*found >> i & 1) == 0 &&
		    memmem(text, bytes, extensions[i].word, strlen(extensions[i].word)) != NULL)
			*found |= 1u << i;
}

void undeclared_extensions(struct translation *t)
{
	const struct frontend_program *program = t->program;

	mentions_add(program->source, program->source_bytes, &t->extensions);
	for (size_t i = 0; i < program->header_count; i++)
		mentions_add(program->headers[i].text, program->headers[i].bytes, &t->extensions);
	if (program->options != NULL)
		mentions_add(program->options, strlen(program->options), &t->extensions);
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Whether a text has that name with a '(' behind it. */
static bool is_called_in(const char *text, size_t bytes, const char *name)
{
	const char *end = text + bytes;
	size_t length = strlen(name);

	for (const char *c = text; (c = memmem(c, (size_t)(end - c), name, length)) != NULL;
	     c += length) {
		const char *behind = c + length;

		if (c > text && is_word(c[-1]))
			continue;
		while (behind < end && isspace((unsigned char)*behind))
			behind++;
		if (behind < end && *behind == '(')
			return true;
	}
	return false;
}

static bool is_called(const struct frontend_program *program, const char *name)
{
	if (is_called_in(program->source, program->source_bytes, name) ||
	    (program->options != NULL &&
	     is_called_in(program->options, strlen(program->options), name)))
		return true;
	for (size_t i = 0; i < program->header_count; i++)
		if (is_called_in(program->headers[i].text, program->headers[i].bytes, name))
			return true;
	return false;
}

static bool is_before(const struct translation *t, unsigned fault)
{
	for (unsigned i = 0; i < fault; i++)
		if (strcmp(t->faults[i].name, t->faults[fault].name) == 0)
			return true;
	return false;
}

enum status undeclared_functions(struct translation *t, struct error *error)
{
	size_t bytes;
	char *text;
	FILE *stream = open_memstream(&text, &bytes);
	bool any = false;

	if (stream == NULL)
		return error_set(error, STATUS_NO_MEMORY, "no memory for a program");
	for (unsigned i = 0; i < t->fault_count; i++) {
		const char *name = t->faults[i].name;

		if (is_before(t, i) || !is_called(t->program, name))
			continue;
		any = true;
		(void)fprintf(stream, "#define %s(...) (__VA_OPT__((__VA_ARGS__),) %s(\"%s\"))\n",
		              name, UNKNOWN_FUNCTION, name);
	}
	if (fclose(stream) != 0) {
		free(text);
		return error_set(error, STATUS_NO_MEMORY, "no memory for a program");
	}
	if (!any) {
		free(text);
		return STATUS_OK;
	}
	t->unknown_functions = text;
	t->has_unknown_functions = true;
	t->files[t->file_count++] =
	        (struct CXUnsavedFile){"/virt/unknown.h", text, (unsigned long)bytes};
	return STATUS_OK;
}

unsigned undeclared_arguments(const struct translation *t, const char **arguments)
{
	unsigned count = 0;

	if (t->extensions != 0) {
		for (unsigned i = 0; i < EXTENSIONS; i++)
			if (t->extensions >> i & 1)
				arguments[count++] = extensions[i].argument;
		arguments[count++] = "-include";
		arguments[count++] = "/virt/vendor.h";
	}
	if (t->has_unknown_functions) {
		arguments[count++] = "-include";
		arguments[count++] = "/virt/unknown.h";
	}
	return count;
}
