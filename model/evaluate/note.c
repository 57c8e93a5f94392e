/* SPDX-License-Identifier: Apache-2.0 */
/* Notes: what an answer assumes, in one line. */
#include "model/evaluate/note.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void note_add(char *note, size_t size, const char *format, ...)
{
	char text[EVALUATE_NOTE_MAX];
	size_t used = strlen(note);
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	if (strstr(note, text))
		return;
	snprintf(note + used, size - used, "%s%s", used > 0 ? "; " : "", text);
}
