/* SPDX-License-Identifier: Apache-2.0 */
/* Rows as a site's server sends them, a field a line: what is read is within its bounds, and its
 * bytes are those of the text. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/share/row.h"
#include "tests/fuzz/fuzz.h"

enum { FIELDS = 6 };

static void compare(const char *text, const uint8_t *bytes, size_t size)
{
	static const char digits[] = "0123456789abcdef";
	if (strlen(text) != 2 + 2 * size)
		abort();
	for (size_t i = 0; i < size; i++)
		if (tolower((unsigned char)text[2 + 2 * i]) != digits[bytes[i] >> 4] ||
		    tolower((unsigned char)text[3 + 2 * i]) != digits[bytes[i] & 15])
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *fields[FIELDS] = {"", "", "", "", "", ""};
	struct error error;
	char *text = malloc(size + 1);
	if (text == NULL)
		return 0;
	if (size > 0)
		memcpy(text, data, size);
	text[size] = '\0';
	char *rest = text;
	for (size_t i = 0; i < FIELDS && rest != NULL; i++)
		fields[i] = strsep(&rest, "\n");
	const struct row_text from = {fields[0], fields[1], fields[2],
	                              fields[3], fields[4], fields[5]};
	struct shared_row *row = malloc(sizeof *row);
	if (row != NULL && row_read(&from, row)) {
		struct correction_record record = {.kernel = row->place.kernel};
		if (row->place.kind >= CORRECTION_KINDS || row->size > sizeof row->state)
			abort();
		compare(fields[4], row->observer, sizeof row->observer);
		compare(fields[5], row->state, row->size);
		record.launch.kind = row->place.kind;
		if (correction_decode(row->state, row->size, &record, &error) == STATUS_OK &&
		    record.sample_count > CORRECTION_SAMPLES)
			abort();
	}
	free(row);
	free(text);
	return 0;
}
