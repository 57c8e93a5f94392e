/* SPDX-License-Identifier: Apache-2.0 */
/* Names of what is answered, and rows. */
#include "model/prediction.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void row_add(struct prediction *prediction, double count, double time_s, const char *format, ...)
{
	struct prediction_row *row;
	va_list list;

	if (prediction->row_count == PREDICTION_ROWS_MAX) {
		row = &prediction->rows[PREDICTION_ROWS_MAX - 1];
		snprintf(row->what, sizeof(row->what), "other");
		row->count += count;
		row->time_s += time_s;
		return;
	}
	row = &prediction->rows[prediction->row_count++];
	va_start(list, format);
	vsnprintf(row->what, sizeof(row->what), format, list);
	va_end(list);
	row->count = count;
	row->time_s = time_s;
}

const char *kernel_model_name(enum kernel_model model)
{
	static const char *const names[] = {
#define X(name, word, what) word,
	        KERNEL_MODEL_TABLE(X)
#undef X
	};

	return (unsigned)model < MODEL_COUNT ? names[model] : "unknown";
}

int kernel_model_find(const char *name)
{
	for (unsigned i = 0; i < MODEL_COUNT; i++)
		if (strcmp(name, kernel_model_name((enum kernel_model)i)) == 0)
			return (int)i;
	return -1;
}

const char *basis_name(enum basis basis)
{
	static const char *const names[] = {
#define X(name, word) word,
	        BASIS_TABLE(X)
#undef X
	};

	return (unsigned)basis < BASIS_COUNT ? names[basis] : "unknown";
}

const char *bottleneck_name(enum bottleneck bottleneck)
{
	static const char *const names[] = {
#define X(name, word) word,
	        BOTTLENECK_TABLE(X)
#undef X
	};

	return (unsigned)bottleneck < BOTTLENECK_COUNT ? names[bottleneck] : "unknown";
}

const char *pattern_name(enum pattern pattern)
{
	static const char *const names[] = {
#define X(name, word) word,
	        PATTERN_TABLE(X)
#undef X
	};

	return (unsigned)pattern < PATTERN_COUNT ? names[pattern] : "unknown";
}
