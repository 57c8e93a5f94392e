/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text that may be kept, shown and sent: well-formed UTF-8 (RFC 3629) without control characters,
 * neither ASCII's nor C1 (U+0080 to U+009F), which terminals act upon.
 *
 * Whatever comes from a file, a driver, a client or a child is made so where it comes in.
 */
#ifndef PREDICTD_PROTO_TEXT_H
#define PREDICTD_PROTO_TEXT_H

#include <stddef.h>

/* Bytes of the character at text; 0 when none may stand there, or the text ends. */
size_t text_character_bytes(const char *text);

/* Where the first byte lies that may not stand in it; its length when there is none. */
size_t text_clean_bytes(const char *text);

/*
 * In place: a line's end or a tab is a blank from here on, any other byte that may not stand there
 * a question mark; a character that was cut off at the end is dropped.
 */
void text_clean(char *text);

#endif
