/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of aligned columns; a cell's colour takes no room. */
#ifndef PREDICTD_CLIENT_PREDICTCTL_TABLE_H
#define PREDICTD_CLIENT_PREDICTCTL_TABLE_H

#include <stddef.h>
#include <stdio.h>

struct table;

/* One letter a column: 'l' left, 'r' right aligned. NULL when memory is short. */
struct table *table_new(const char *alignment);
void table_free(struct table *table); /* accepts NULL */

/* Adds a cell; rows fill up from the left. Memory that is short leaves the cell empty. */
void table_cell(struct table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same, in a colour ("" for none). */
void table_colored(struct table *table, const char *color, const char *text);
/* A horizontal line before the next row. */
void table_rule(struct table *table);

/* Prints the rows with two blanks between columns, each line after `indent`. */
void table_print(const struct table *table, const char *indent, FILE *file);

#endif
