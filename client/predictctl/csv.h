/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of comma-separated values (RFC 4180). */
#ifndef PREDICTD_CLIENT_PREDICTCTL_CSV_H
#define PREDICTD_CLIENT_PREDICTCTL_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* One field, quoted where it must be; line breaks become blanks, so that a row is a line. */
void csv_text(FILE *file, bool is_first, const char *text);
/* A number of nine digits; empty when it is none. */
void csv_number(FILE *file, bool is_first, double value);
void csv_end(FILE *file);

enum { CSV_COLUMNS_MAX = 64, CSV_BYTES_MAX = 64 << 20 };

struct csv {
	char *bytes; /* the file, fields ended by NUL in place */
	size_t columns, rows;
	const char **fields; /* row by row, the header first */
};

/*
 * Reads a file whose first row is a header; a row of another length is an error.
 * On failure *error is a static sentence, and *line where.
 */
bool csv_load(const char *path, struct csv *csv, const char **error, size_t *line);
void csv_deinit(struct csv *csv);

/* The column of that name, or -1. */
int csv_column(const struct csv *csv, const char *name);
/* Field of row (from 0, below the header). */
const char *csv_field(const struct csv *csv, size_t row, int column);

#endif
