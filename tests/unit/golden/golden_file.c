/* SPDX-License-Identifier: Apache-2.0 */
/* Expectations and launches, read from the comments of a kernel file. */
#include "tests/unit/golden/golden_file.h"
#include "tests/unit/golden/golden_data.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum status read_whole(struct golden_file *file, struct error *error)
{
	enum { SOURCE_MAX = 1 << 20 };
	FILE *stream = fopen(file->path, "re");

	if (stream == NULL)
		return error_set(error, STATUS_IO, "%s: %s", file->path, strerror(errno));
	file->source = malloc(SOURCE_MAX + 1);
	if (file->source != NULL) {
		file->source_bytes = fread(file->source, 1, SOURCE_MAX, stream);
		file->source[file->source_bytes] = '\0';
	}
	fclose(stream);
	if (file->source == NULL)
		return error_set(error, STATUS_NO_MEMORY, "%s: no memory", file->path);
	return STATUS_OK;
}

/* The value of `key=` in a launch line: up to a space, or within quotes. */
static bool find_value(const char *text, const char *key, char *value, size_t room)
{
	size_t length = strlen(key);
	for (const char *at = text; *at != '\0';) {
		while (*at == ' ')
			at++;
		bool is_match = strncmp(at, key, length) == 0 && at[length] == '=';
		const char *from = strchr(at, '=');
		if (from == NULL)
			return false;
		from++;
		const char *stop = " ";
		if (*from == '"') {
			from++;
			stop = "\"";
		}
		size_t size = strcspn(from, stop);
		if (is_match) {
			if (size >= room)
				return false;
			memcpy(value, from, size);
			value[size] = '\0';
			return true;
		}
		at = from + size + (from[size] == '"');
	}
	return false;
}

static enum status collect(struct golden_file *file, struct error *error)
{
	static const char *const marks[] = {"// expect: ", "// launch: "};
	unsigned number = 1;

	for (const char *at = file->source; *at != '\0'; number++) {
		size_t length = strcspn(at, "\n");
		for (unsigned kind = 0; kind < 2; kind++) {
			size_t mark = strlen(marks[kind]);
			if (length <= mark || strncmp(at, marks[kind], mark) != 0)
				continue;
			if (file->count == GOLDEN_EXPECTATIONS_MAX ||
			    length - mark >= GOLDEN_TEXT_MAX)
				return error_set(error, STATUS_LIMIT, "%s:%u: too many or too long",
				                 file->path, number);
			struct golden_line *line = &file->lines[file->count++];
			line->line = number;
			line->is_launch = kind == 1;
			memcpy(line->text, at + mark, length - mark);
			line->text[length - mark] = '\0';
			if (kind == 1 && file->options[0] == '\0')
				find_value(line->text, "options", file->options,
				           sizeof file->options);
		}
		at += length + (at[length] == '\n');
	}
	return STATUS_OK;
}

enum status golden_file_init(struct golden_file *file, const char *path, struct error *error)
{
	memset(file, 0, sizeof *file);
	file->path = path;
	enum status status = read_whole(file, error);
	if (status == STATUS_OK)
		status = collect(file, error);
	if (status != STATUS_OK)
		golden_file_deinit(file);
	return status;
}

void golden_file_deinit(struct golden_file *file)
{
	free(file->source);
	file->source = NULL;
}

static bool parse_size(const char *text, uint64_t *size)
{
	char *end;
	errno = 0;
	*size = strtoull(text, &end, 10);
	unsigned shift = *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;
	*size <<= shift;
	return errno == 0 && end != text && (end[shift > 0] == '\0' || end[shift > 0] == ':');
}

/* "4096,4096" into up to three sizes; how many, or 0. */
static uint32_t parse_sizes(const char *text, uint64_t sizes[3])
{
	uint32_t count = 0;

	sizes[0] = sizes[1] = sizes[2] = 1;
	while (count < 3) {
		char *end;
		sizes[count] = strtoull(text, &end, 10);
		if (end == text)
			return 0;
		count++;
		if (*end != ',')
			return *end == '\0' ? count : 0;
		text = end + 1;
	}
	return 0;
}

/* What the buffer holds, as its sample. */
static bool parse_data(const char *text, struct launch_argument *argument)
{
	struct sample *sample = NULL;
	struct error error;

	if (golden_data(text, argument->size_bytes, &sample, &error) != STATUS_OK)
		return false;
	sample_release(argument->sample);
	argument->sample = sample;
	return true;
}

/* buffer:SIZE[:r|w|rw][:LOW..HIGH][:TYPE=FORMULA] */
static bool parse_buffer(char *rest, struct launch_argument *argument)
{
	argument->kind = ARGUMENT_BUFFER;
	argument->access = BUFFER_READ_WRITE;
	if (!parse_size(rest, &argument->size_bytes))
		return false;
	for (char *part = strchr(rest, ':'); part != NULL; part = strchr(part + 1, ':')) {
		const char *word = part + 1;
		if (word[strcspn(word, "=:")] == '=') {
			if (!parse_data(word, argument))
				return false;
		} else if (strncmp(word, "rw", 2) == 0)
			argument->access = BUFFER_READ_WRITE;
		else if (word[0] == 'r')
			argument->access = BUFFER_READ;
		else if (word[0] == 'w')
			argument->access = BUFFER_WRITE;
		else if (sscanf(word, "%" SCNd64 "..%" SCNd64, &argument->low, &argument->high) ==
		         2)
			argument->has_range = true;
		else
			return false;
	}
	return true;
}

/* "64x32x4:r32f:w" */
static bool parse_image(char *rest, struct launch_argument *argument)
{
	char *part = strchr(rest, ':');
	enum image_format format;

	argument->kind = ARGUMENT_IMAGE;
	if (sscanf(rest, "%" SCNu32 "x%" SCNu32 "x%" SCNu32, &argument->width, &argument->height,
	           &argument->depth) < 1)
		return false;
	for (; part != NULL; part = strchr(part, ':')) {
		char word[16];

		(void)snprintf(word, sizeof word, "%.*s", (int)strcspn(part + 1, ":"), part + 1);
		part++;
		if (image_format_parse(word, &format)) {
			argument->has_format = true;
			argument->format = (uint8_t)format;
		} else {
			argument->access = word[0] == 'w' ? BUFFER_WRITE : BUFFER_READ;
		}
	}
	return true;
}

static bool parse_argument(char *text, struct launch_argument *argument)
{
	char *rest = strchr(text, ':');

	memset(argument, 0, sizeof *argument);
	if (rest == NULL && strcmp(text, "sampler") != 0)
		return false;
	if (rest != NULL)
		*rest++ = '\0';
	if (strcmp(text, "buffer") == 0)
		return parse_buffer(rest, argument);
	if (strcmp(text, "local") == 0 || strcmp(text, "bytes") == 0) {
		argument->kind = text[0] == 'l' ? ARGUMENT_LOCAL : ARGUMENT_STRUCT;
		return parse_size(rest, &argument->size_bytes);
	}
	if (strcmp(text, "image") == 0) {
		return parse_image(rest, argument);
	}
	if (strcmp(text, "sampler") == 0) {
		argument->kind = ARGUMENT_SAMPLER;
		return sampler_parse(rest == NULL ? "" : rest, &argument->sampler);
	}
	argument->kind = ARGUMENT_SCALAR;
	if (!type_parse(text, &argument->type))
		return false;
	for (unsigned lane = 0; lane < 16 && *rest != '\0'; lane++) {
		char *end;
		if (type_is_real(argument->type))
			argument->value.real[lane] = strtod(rest, &end);
		else
			argument->value.integer[lane] = (int64_t)strtoull(rest, &end, 10);
		if (end == rest)
			return false;
		rest = end + (*end == ',');
	}
	return true;
}

void golden_launch_deinit(struct launch *launch)
{
	for (uint32_t i = 0; i < launch->argument_count; i++)
		sample_release(launch->arguments[i].sample);
	memset(launch, 0, sizeof *launch);
}

enum status golden_launch(const char *text, struct launch *launch, struct error *error)
{
	char value[GOLDEN_TEXT_MAX];

	golden_launch_deinit(launch);
	launch->local[0] = launch->local[1] = launch->local[2] = 1;
	if (!find_value(text, "global", value, sizeof value))
		return error_set(error, STATUS_INVALID, "no global= in \"%.100s\"", text);
	launch->dimensions = parse_sizes(value, launch->global);
	if (launch->dimensions == 0)
		return error_set(error, STATUS_INVALID, "global=%.100s", value);
	if (find_value(text, "local", value, sizeof value)) {
		launch->has_local = true;
		if (parse_sizes(value, launch->local) != launch->dimensions)
			return error_set(error, STATUS_INVALID, "local=%.100s", value);
	}
	if (!find_value(text, "args", value, sizeof value))
		return STATUS_OK;
	/* a part without a colon goes on with the value before: float2:1,2 */
	for (char *at = value; *at != '\0';) {
		size_t length = strcspn(at, ",");
		while (at[length] == ',' &&
		       strcspn(at + length + 1, ",") < strcspn(at + length + 1, ":"))
			length += 1 + strcspn(at + length + 1, ",");
		char *next = at + length + (at[length] == ',');
		at[length] = '\0';
		char copy[GOLDEN_TEXT_MAX];
		strcpy(copy, at);
		if (launch->argument_count == LAUNCH_ARGUMENTS_MAX ||
		    !parse_argument(at, &launch->arguments[launch->argument_count++]))
			return error_set(error, STATUS_INVALID, "argument \"%.100s\"", copy);
		at = next;
	}
	return STATUS_OK;
}
