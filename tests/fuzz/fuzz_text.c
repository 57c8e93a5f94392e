/* SPDX-License-Identifier: Apache-2.0 */
/* Text: any bytes, cut anywhere, give text that may be shown, and no more of it than there was. */
#include <stdlib.h>
#include <string.h>

#include "proto/text.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	if (text == NULL)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	size_t length = strlen(text), clean = text_clean_bytes(text);
	text_clean(text);
	size_t left = strlen(text);
	/* three bytes of a character may have been cut off at the end */
	if (clean > length || left > length || left + 3 < length || left < clean ||
	    text_clean_bytes(text) != left || memcmp(text, data, clean) != 0)
		abort();
	/* as a line of a terminal, of any room; what is shown is shown again as it is */
	char shown[64], again[64];
	size_t room = 8 + (size > 0 ? data[0] % (sizeof shown - 8) : 0);
	memcpy(text, data, size);
	text_line(text, size, shown, room);
	if (strlen(shown) >= room || strpbrk(shown, "\n\r\x1b\x7f") != NULL)
		abort();
	for (const char *at = shown; *at != '\0'; at += *at == '\t' ? 1 : text_character_bytes(at))
		if (*at != '\t' && text_character_bytes(at) == 0)
			abort();
	text_line(shown, strlen(shown), again, sizeof again);
	if (strcmp(shown, again) != 0)
		abort();
	free(text);
	return 0;
}
