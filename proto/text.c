/* SPDX-License-Identifier: Apache-2.0 */
/* Text without what a terminal acts upon. */
#include "proto/text.h"

#include <stdbool.h>
#include <string.h>

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

/* U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069 */
static bool turns_direction(const char *character, size_t size)
{
	const unsigned char *byte = (const unsigned char *)character;
	if (size != 3 || byte[0] != 0xe2)
		return false;
	return (byte[1] == 0x80 &&
	        (byte[2] == 0x8e || byte[2] == 0x8f || (byte[2] >= 0xaa && byte[2] <= 0xae))) ||
	       (byte[1] == 0x81 && byte[2] >= 0xa6 && byte[2] <= 0xa9);
}

void text_line(const char *line, size_t length, char *shown, size_t room)
{
	static const char more[] = "...";
	size_t used = 0, cut = 0; /* where "..." still finds room */
	while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == '\r'))
		length--;
	for (size_t at = 0, size; at < length; at += size) {
		size = line[at] == '\t' ? 1 : text_character_bytes(line + at);
		bool is_shown = size > 0 && !turns_direction(line + at, size);
		size = size > 0 ? size : 1;
		size_t added = is_shown ? size : 1;
		if (used + added + 1 > room) {
			memcpy(shown + cut, more, sizeof more);
			return;
		}
		if (is_shown)
			memcpy(shown + used, line + at, size);
		else
			shown[used] = '?';
		used += added;
		if (used + sizeof more <= room)
			cut = used;
	}
	shown[used] = '\0';
}
