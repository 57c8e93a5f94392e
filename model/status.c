/* SPDX-License-Identifier: Apache-2.0 */
/* Statuses and the error that carries a sentence. */
#include "model/status.h"

#include <stdarg.h>
#include <stdio.h>

const char *status_word(enum status status)
{
	static const char *const words[] = {
#define X(name, word) word,
	        STATUS_TABLE(X)
#undef X
	};
	if ((unsigned)status >= STATUS_COUNT)
		return "unknown";
	return words[status];
}

enum status status_from_number(unsigned number)
{
	return number < STATUS_COUNT ? (enum status)number : STATUS_INTERNAL;
}

enum status error_set(struct error *error, enum status status, const char *format, ...)
{
	if (error != NULL) {
		va_list arguments;
		va_start(arguments, format);
		error->status = status;
		(void)vsnprintf(error->text, sizeof error->text, format, arguments);
		va_end(arguments);
	}
	return status;
}
