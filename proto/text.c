/* SPDX-License-Identifier: Apache-2.0 */
/* Text without what a terminal acts upon. */
#include "proto/text.h"

#include <stdbool.h>

size_t text_character_bytes(const char *text)
{
	const unsigned char *byte = (const unsigned char *)text;
	if (byte[0] >= 0x20 && byte[0] < 0x7f)
		return 1;
	if (byte[0] < 0xc2 || byte[0] > 0xf4)
		return 0;
	size_t size = byte[0] < 0xe0 ? 2 : byte[0] < 0xf0 ? 3 : 4;
	for (size_t i = 1; i < size; i++)
		if ((byte[i] & 0xc0) != 0x80)
			return 0;
	/* C1 controls, overlong forms, surrogates, and what lies past the last plane */
	if ((byte[0] == 0xc2 && byte[1] < 0xa0) || (byte[0] == 0xe0 && byte[1] < 0xa0) ||
	    (byte[0] == 0xed && byte[1] > 0x9f) || (byte[0] == 0xf0 && byte[1] < 0x90) ||
	    (byte[0] == 0xf4 && byte[1] > 0x8f))
		return 0;
	return size;
}

size_t text_clean_bytes(const char *text)
{
	size_t used = 0, size;
	while ((size = text_character_bytes(text + used)) > 0)
		used += size;
	return used;
}

/* A first byte whose others are there up to the text's end, and not all of them. */
static bool is_cut(const char *text)
{
	const unsigned char *byte = (const unsigned char *)text;
	size_t size = byte[0] < 0xc2 || byte[0] > 0xf4 ? 1
	              : byte[0] < 0xe0                 ? 2
	              : byte[0] < 0xf0                 ? 3
	                                               : 4;
	size_t there = 1;
	while ((byte[there] & 0xc0) == 0x80)
		there++;
	return there < size && byte[there] == '\0';
}

void text_clean(char *text)
{
	for (;;) {
		text += text_clean_bytes(text);
		if (*text == '\0')
			return;
		if (is_cut(text))
			*text = '\0';
		else
			*text = *text == '\n' || *text == '\r' || *text == '\t' ? ' ' : '?';
	}
}
