/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/share/literal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void literal_init(struct literal *literal)
{
	*literal = (struct literal){.text = NULL};
}

void literal_deinit(struct literal *literal)
{
	free(literal->text);
	literal_init(literal);
}

static void put(struct literal *literal, const char *bytes, size_t size)
{
	if (literal->has_failed)
		return;
	if (literal->size + size + 1 > literal->room) {
		size_t room = literal->room * 2 + size + 64;
		char *text = realloc(literal->text, room);
		if (text == NULL) {
			literal->has_failed = true;
			return;
		}
		literal->text = text;
		literal->room = room;
	}
	memcpy(literal->text + literal->size, bytes, size);
	literal->size += size;
	literal->text[literal->size] = '\0';
}

static void begin_element(struct literal *literal)
{
	put(literal, literal->size == 0 ? "{" : ",", 1);
}

void literal_add_number(struct literal *literal, int64_t number)
{
	char text[24];
	int size = snprintf(text, sizeof text, "%" PRId64, number);
	begin_element(literal);
	put(literal, text, (size_t)size);
}

void literal_add_text(struct literal *literal, const char *text)
{
	begin_element(literal);
	put(literal, "\"", 1);
	for (; *text != '\0'; text++) {
		if (*text == '"' || *text == '\\')
			put(literal, "\\", 1);
		put(literal, text, 1);
	}
	put(literal, "\"", 1);
}

void literal_add_null(struct literal *literal)
{
	begin_element(literal);
	put(literal, "NULL", 4);
}

void literal_add_bytes(struct literal *literal, const uint8_t *bytes, size_t size)
{
	static const char digits[] = "0123456789abcdef";
	begin_element(literal);
	put(literal, "\"\\\\x", 4);
	for (size_t i = 0; i < size; i++) {
		char two[2] = {digits[bytes[i] >> 4], digits[bytes[i] & 15]};
		put(literal, two, 2);
	}
	put(literal, "\"", 1);
}

const char *literal_end(struct literal *literal)
{
	if (literal->size == 0)
		put(literal, "{", 1);
	put(literal, "}", 1);
	return literal->has_failed ? NULL : literal->text;
}
