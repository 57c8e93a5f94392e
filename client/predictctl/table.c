/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of aligned columns; a cell's colour takes no room. */
#include "client/predictctl/table.h"

#include "proto/text.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "client/predictctl/text.h"

struct cell {
	char *text;
	const char *color;
	bool has_rule; /* above the row; on its first cell */
};

struct table {
	const char *alignment;
	size_t columns, count, room;
	struct cell *cells;
	bool wants_rule;
};

struct table *table_new(const char *alignment)
{
	struct table *table = calloc(1, sizeof *table);
	if (table != NULL) {
		table->alignment = alignment;
		table->columns = strlen(alignment);
	}
	return table;
}

void table_free(struct table *table)
{
	if (table == NULL)
		return;
	for (size_t i = 0; i < table->count; i++)
		free(table->cells[i].text);
	free(table->cells);
	free(table);
}

/* Takes `text`. */
static void table_add(struct table *table, const char *color, char *text)
{
	if (table == NULL) {
		free(text);
		return;
	}
	if (table->count == table->room) {
		size_t room = table->room == 0 ? 64 : 2 * table->room;
		struct cell *grown = realloc(table->cells, room * sizeof *grown);
		if (grown == NULL) {
			free(text);
			return;
		}
		table->cells = grown;
		table->room = room;
	}
	if (text != NULL)
		text_clean(text);
	table->cells[table->count++] = (struct cell){text, color, table->wants_rule};
	table->wants_rule = false;
}

void table_cell(struct table *table, const char *format, ...)
{
	char *text = NULL;
	va_list arguments;
	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		text = NULL;
	va_end(arguments);
	table_add(table, "", text);
}

void table_colored(struct table *table, const char *color, const char *text)
{
	table_add(table, color, strdup(text));
}

void table_rule(struct table *table)
{
	if (table != NULL)
		table->wants_rule = true;
}

/* Columns that a text takes on a terminal: its UTF-8 characters. */
static size_t text_width(const char *text)
{
	size_t width = 0;
	for (; text != NULL && *text != '\0'; text++)
		width += ((unsigned char)*text & 0xc0) != 0x80;
	return width;
}

static void print_times(char c, size_t times, FILE *file)
{
	for (size_t i = 0; i < times; i++)
		(void)fputc(c, file);
}

void table_print(const struct table *table, const char *indent, FILE *file)
{
	if (table == NULL || table->columns == 0)
		return;
	size_t *widths = calloc(table->columns, sizeof *widths), total = 0;
	if (widths == NULL)
		return;
	for (size_t i = 0; i < table->count; i++) {
		size_t width = text_width(table->cells[i].text);
		if (width > widths[i % table->columns])
			widths[i % table->columns] = width;
	}
	for (size_t i = 0; i < table->columns; i++)
		total += widths[i] + (i > 0 ? 2 : 0);
	for (size_t i = 0; i < table->count; i++) {
		const struct cell *cell = &table->cells[i];
		size_t column = i % table->columns, width = text_width(cell->text);
		bool is_last = column + 1 == table->columns || i + 1 == table->count;
		if (column == 0 && cell->has_rule) {
			(void)fputs(indent, file);
			print_times('-', total, file);
			(void)fputc('\n', file);
		}
		bool is_blank = is_last && width == 0; /* no blanks at a line's end */
		(void)fputs(column == 0 ? indent : is_blank ? "" : "  ", file);
		if (table->alignment[column] == 'r')
			print_times(' ', widths[column] - width, file);
		(void)fprintf(file, "%s%s%s", cell->color, cell->text != NULL ? cell->text : "",
		              cell->color[0] != '\0' ? color_end() : "");
		if (table->alignment[column] == 'l' && !is_last)
			print_times(' ', widths[column] - width, file);
		if (is_last)
			(void)fputc('\n', file);
	}
	free(widths);
}
