/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of comma-separated values (RFC 4180). */
#include "client/predictctl/csv.h"

#include "proto/text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void csv_text(FILE *file, bool is_first, const char *text)
{
	if (!is_first)
		(void)fputc(',', file);
	if (text == NULL)
		return;
	char *clean = strdup(text);
	if (clean == NULL)
		return;
	text_clean(clean);
	bool needs_quotes = strpbrk(clean, ",\"") != NULL;
	if (needs_quotes)
		(void)fputc('"', file);
	for (const char *at = clean; *at != '\0'; at++) {
		if (*at == '"')
			(void)fputc('"', file);
		(void)fputc(*at, file);
	}
	if (needs_quotes)
		(void)fputc('"', file);
	free(clean);
}

void csv_number(FILE *file, bool is_first, double value)
{
	if (!is_first)
		(void)fputc(',', file);
	if (isfinite(value))
		(void)fprintf(file, "%.9g", value);
}

void csv_end(FILE *file)
{
	(void)fputc('\n', file);
}

static bool bytes_load(const char *path, struct csv *csv, size_t *size, const char **error)
{
	FILE *file = fopen(path, "rbe");
	size_t room = 65536, used = 0;
	if (file == NULL) {
		*error = strerror(errno);
		return false;
	}
	csv->bytes = malloc(room + 1);
	while (csv->bytes != NULL) {
		used += fread(csv->bytes + used, 1, room - used, file);
		if (used < room)
			break;
		room *= 2;
		char *grown = room > CSV_BYTES_MAX ? NULL : realloc(csv->bytes, room + 1);
		if (grown == NULL) {
			free(csv->bytes);
			csv->bytes = NULL;
		} else {
			csv->bytes = grown;
		}
	}
	bool is_read = csv->bytes != NULL && !ferror(file);
	if (!is_read)
		*error = csv->bytes == NULL ? "too large" : "cannot be read";
	else
		csv->bytes[used] = '\0';
	(void)fclose(file);
	*size = used;
	return is_read;
}

/* Ends the field at *at with NUL in place; true when the row goes on. */
static bool field_end(char **at, char **field)
{
	char *from = *at, *to = *at;
	*field = to;
	if (*from == '"') {
		for (from++; *from != '\0'; from++) {
			if (*from == '"' && from[1] != '"')
				break;
			from += *from == '"';
			*to++ = *from;
		}
		from += *from == '"';
	}
	while (*from != ',' && *from != '\n' && *from != '\0')
		*to++ = *from++;
	bool goes_on = *from == ',';
	if (*from != '\0')
		from++;
	if (to > *field && to[-1] == '\r' && !goes_on)
		to--;
	*to = '\0';
	*at = from;
	return goes_on;
}

bool csv_load(const char *path, struct csv *csv, const char **error, size_t *line)
{
	size_t size, room = 0, count = 0, rows = 0;
	*csv = (struct csv){0};
	*line = 0;
	if (!bytes_load(path, csv, &size, error)) {
		csv_deinit(csv);
		return false;
	}
	for (char *at = csv->bytes; *at != '\0';) {
		size_t columns = 0;
		bool goes_on = true;
		(*line)++;
		if (*at == '\n') { /* an empty line */
			at++;
			continue;
		}
		while (goes_on) {
			if (count == room) {
				room = room == 0 ? 256 : 2 * room;
				const char **grown =
				        realloc(csv->fields, room * sizeof *csv->fields);
				if (grown == NULL) {
					*error = "no memory";
					csv_deinit(csv);
					return false;
				}
				csv->fields = grown;
			}
			char *field;
			goes_on = field_end(&at, &field);
			csv->fields[count++] = field;
			columns++;
		}
		if (rows == 0)
			csv->columns = columns;
		if (columns != csv->columns || columns > CSV_COLUMNS_MAX) {
			*error = "a row of another length than the header";
			csv_deinit(csv);
			return false;
		}
		rows++;
	}
	if (rows == 0) {
		*error = "empty, not even a header";
		csv_deinit(csv);
		return false;
	}
	csv->rows = rows - 1;
	return true;
}

void csv_deinit(struct csv *csv)
{
	free(csv->bytes);
	free(csv->fields);
	*csv = (struct csv){0};
}

int csv_column(const struct csv *csv, const char *name)
{
	for (size_t i = 0; i < csv->columns; i++)
		if (strcmp(csv->fields[i], name) == 0)
			return (int)i;
	return -1;
}

const char *csv_field(const struct csv *csv, size_t row, int column)
{
	return csv->fields[(row + 1) * csv->columns + (size_t)column];
}
