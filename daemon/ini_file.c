/* SPDX-License-Identifier: Apache-2.0 */
/* Configuration files, by inih. */
#include "daemon/ini_file.h"

#include <errno.h>
#include <ini.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reading {
	ini_key *take;
	void *into;
	FILE *file;
	int line;           /* being read */
	struct error error; /* the first, and its line */
	int error_line;
};

/* fgets, counting: inih as packaged tells its handler no line. */
static char *read_line(char *text, int room, void *data)
{
	struct reading *reading = data;
	reading->line++;
	return fgets(text, room, reading->file);
}

static int on_key(void *data, const char *section, const char *key, const char *value)
{
	struct reading *reading = data;
	struct error error = {.status = STATUS_OK};
	enum status status = reading->take(reading->into, section, key, value, &error);
	if (status != STATUS_OK && reading->error.status == STATUS_OK) {
		reading->error_line = reading->line;
		error_set(&reading->error, status, "[%.24s] %.40s: %.140s", section, key,
		          error.text);
	}
	return status == STATUS_OK;
}

enum status ini_load(const char *path, ini_key *take, void *into, struct error *error)
{
	struct reading reading = {.take = take, .into = into};
	FILE *file = fopen(path, "re");
	if (file == NULL)
		return error_set(error, errno == ENOENT ? STATUS_NOT_FOUND : STATUS_IO, "%s: %s",
		                 path, strerror(errno));
	reading.file = file;
	int line = ini_parse_stream(read_line, &reading, on_key, &reading);
	bool failed = ferror(file) != 0;
	fclose(file);
	if (failed || line < 0)
		return error_set(error, STATUS_IO, "%s: cannot be read", path);
	if (line > 0)
		/* the first in error: a refused key and a malformed line count alike */
		return error_set(error, STATUS_INVALID, "%.96s:%d: %.150s", path, line,
		                 reading.error_line == line
		                         ? reading.error.text
		                         : "want \"key = value\" or \"[section]\"");
	return STATUS_OK;
}

enum status ini_text(char *field, size_t size, const char *value, struct error *error)
{
	size_t length = strlen(value);
	if (length >= size)
		return error_set(error, STATUS_INVALID, "want at most %zu bytes, got %zu", size - 1,
		                 length);
	memcpy(field, value, length + 1);
	return STATUS_OK;
}

enum status ini_number(uint32_t *field, const char *value, uint64_t least, uint64_t most,
                       struct error *error)
{
	char *end;
	errno = 0;
	unsigned long long number = strtoull(value, &end, 10);
	unsigned shift = *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;
	if (shift > 0)
		end++;
	if (value[0] < '0' || value[0] > '9' || *end != '\0' || errno != 0 ||
	    number > UINT64_MAX >> shift || number << shift < least || number << shift > most)
		return error_set(error, STATUS_INVALID,
		                 "want %" PRIu64 " to %" PRIu64 ", got \"%.40s\"", least, most,
		                 value);
	*field = (uint32_t)(number << shift);
	return STATUS_OK;
}

enum status ini_word(const char *value, const char *words, struct error *error)
{
	for (const char *word = words; *word != '\0'; word += strspn(word, " ,")) {
		size_t length = strcspn(word, " ,");
		if (strlen(value) == length && strncmp(word, value, length) == 0 &&
		    strcmp(value, "or") != 0)
			return STATUS_OK;
		word += length;
	}
	return error_set(error, STATUS_INVALID, "want %s, got \"%.40s\"", words, value);
}
