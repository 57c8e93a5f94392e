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

/*
 * A line of somebody's source as a terminal may show it, ended by a NUL. Tabs stay; the end of the
 * line goes; a question mark stands for any other byte that may not stand there, and for what
 * changes the direction of writing (Unicode UAX #9), which would show another line than is there.
 *
 * line     length bytes, and a NUL behind them
 * shown    out: room bytes, 8 at least; a line that is longer ends with "..."
 */
void text_line(const char *line, size_t length, char *shown, size_t room);

#endif
