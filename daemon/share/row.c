/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/share/row.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* 16: it is no digit. sscanf would take a fifth of the time that reading a row takes. */
static unsigned digit(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	if (c >= 'a' && c <= 'f')
		return (unsigned)(c - 'a') + 10;
	return c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10 : 16;
}

bool row_bytes(const char *text, uint8_t *bytes, size_t room, size_t *size)
{
	size_t length = strlen(text);
	*size = 0;
	if (length < 2 || length % 2 != 0 || text[0] != '\\' || text[1] != 'x' ||
	    length / 2 - 1 > room)
		return false;
	for (size_t i = 2; i < length; i += 2) {
		unsigned high = digit(text[i]), low = digit(text[i + 1]);
		if (high > 15 || low > 15)
			return false;
		bytes[(*size)++] = (uint8_t)(high << 4 | low);
	}
	return true;
}

/* bigint; of what is none, false. */
static bool read_number(const char *text, int64_t *number)
{
	char *end;
	errno = 0;
	long long read = strtoll(text, &end, 10);
	*number = read;
	return ((text[0] >= '0' && text[0] <= '9') || text[0] == '-') && *end == '\0' && errno == 0;
}

bool row_read(const struct row_text *text, struct shared_row *row)
{
	int64_t sequence, kernel, launch, kind;
	size_t size;
	if (!read_number(text->sequence, &sequence) || !read_number(text->kernel, &kernel) ||
	    !read_number(text->launch, &launch) || !read_number(text->kind, &kind) ||
	    sequence < 1 || kind < 0 || kind >= CORRECTION_KINDS)
		return false;
	*row = (struct shared_row){.sequence = (uint64_t)sequence};
	row->place.kernel = (uint64_t)kernel; /* hashes: the column has their bits */
	row->place.launch = (uint64_t)launch;
	row->place.kind = (uint8_t)kind;
	return row_bytes(text->observer, row->observer, sizeof row->observer, &size) &&
	       size == sizeof row->observer &&
	       row_bytes(text->state, row->state, sizeof row->state, &row->size);
}
