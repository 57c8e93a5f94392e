/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of PostgreSQL's arrays, element by element: parameters of statements. */
#ifndef PREDICTD_DAEMON_SHARE_LITERAL_H
#define PREDICTD_DAEMON_SHARE_LITERAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct literal {
	char *text; /* owned; "{...}" after literal_end */
	size_t size, room;
	bool has_failed; /* memory was short: all that follows does nothing */
};

void literal_init(struct literal *literal);
void literal_deinit(struct literal *literal);
void literal_add_number(struct literal *literal, int64_t number);
void literal_add_text(struct literal *literal, const char *text);
void literal_add_null(struct literal *literal);
void literal_add_bytes(struct literal *literal, const uint8_t *bytes, size_t size);
/* The whole text, or NULL when memory was short. */
const char *literal_end(struct literal *literal);

#endif
