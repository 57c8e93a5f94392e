/* SPDX-License-Identifier: Apache-2.0 */
/* Prometheus' text format, written. */
#include "daemon/metrics/text.h"

#include "proto/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL_VALUE_MAX = 256 };

/* Room for so many more bytes and a final zero. */
static bool grow(struct metrics_text *text, size_t more)
{
	if (text->has_failed)
		return false;
	if (more < text->room - text->used)
		return true;
	size_t room = text->room < 4096 ? 4096 : text->room;
	while (room - text->used <= more)
		room *= 2;
	char *grown = realloc(text->bytes, room);
	if (grown == NULL) {
		text->has_failed = true;
		return false;
	}
	text->bytes = grown;
	text->room = room;
	return true;
}

__attribute__((format(printf, 2, 3))) static void add(struct metrics_text *text, const char *format,
                                                      ...)
{
	va_list arguments;
	va_start(arguments, format);
	int length = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);
	if (length < 0 || !grow(text, (size_t)length))
		return;
	va_start(arguments, format);
	(void)vsnprintf(text->bytes + text->used, text->room - text->used, format, arguments);
	va_end(arguments);
	text->used += (size_t)length;
}

void metrics_text_family(struct metrics_text *text, const char *name, const char *type,
                         const char *help)
{
	text->family = name;
	add(text, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void add_value(struct metrics_text *text, const char *value)
{
	char clean[LABEL_VALUE_MAX], escaped[2 * LABEL_VALUE_MAX];
	size_t used = 0;
	(void)snprintf(clean, sizeof clean, "%s", value);
	text_clean(clean); /* cut within a character, perhaps */
	for (const char *c = clean; *c != '\0'; c++) {
		if (*c == '\\' || *c == '"' || *c == '\n')
			escaped[used++] = '\\';
		escaped[used++] = *c == '\n' ? 'n' : *c;
	}
	escaped[used] = '\0';
	add(text, "\"%s\"", escaped);
}

/* The name of a sample with its labels, the last of which may be a bound. */
static void add_name(struct metrics_text *text, const char *suffix,
                     const struct metrics_label *labels, const char *bound)
{
	const char *before = "{";
	add(text, "%s%s", text->family, suffix);
	for (; labels != NULL && labels->name != NULL; labels++) {
		add(text, "%s%s=", before, labels->name);
		add_value(text, labels->value);
		before = ",";
	}
	if (bound != NULL) {
		add(text, "%sle=\"%s\"", before, bound);
		before = ",";
	}
	add(text, "%s ", *before == ',' ? "}" : "");
}

void metrics_text_count(struct metrics_text *text, const struct metrics_label *labels,
                        uint64_t count)
{
	add_name(text, "", labels, NULL);
	add(text, "%" PRIu64 "\n", count);
}

void metrics_text_real(struct metrics_text *text, const struct metrics_label *labels, double value)
{
	add_name(text, "", labels, NULL);
	add(text, "%.9g\n", value);
}

void metrics_text_histogram(struct metrics_text *text, const struct metrics_label *labels,
                            const struct histogram *histogram)
{
	uint64_t count = 0;
	for (unsigned i = 0; i <= HISTOGRAM_BOUNDS; i++) {
		char bound[32] = "+Inf";
		if (i < HISTOGRAM_BOUNDS)
			(void)snprintf(bound, sizeof bound, "%.9g", histogram_bound_s(i));
		count += histogram->counts[i];
		add_name(text, "_bucket", labels, bound);
		add(text, "%" PRIu64 "\n", count);
	}
	add_name(text, "_sum", labels, NULL);
	add(text, "%.9g\n", (double)histogram->sum_ns * 1e-9);
	add_name(text, "_count", labels, NULL);
	add(text, "%" PRIu64 "\n", count);
}

void metrics_text_deinit(struct metrics_text *text)
{
	free(text->bytes);
	*text = (struct metrics_text){.bytes = NULL};
}
