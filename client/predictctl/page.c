/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics, read. */
#include "client/predictctl/page.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The end of what stands in the braces behind `at`; a brace may stand in a quoted value. */
static const char *labels_end(const char *at)
{
	bool is_quoted = false;
	for (; *at != '\0' && *at != '\n'; at++) {
		if (*at == '\\' && at[1] != '\0' && at[1] != '\n')
			at++;
		else if (*at == '"')
			is_quoted = !is_quoted;
		else if (*at == '}' && !is_quoted)
			return at;
	}
	return NULL;
}

static bool read_line(const char *line, const char *family, struct page_sample *sample)
{
	size_t length = strlen(family);
	if (strncmp(line, family, length) != 0 || (line[length] != '{' && line[length] != ' '))
		return false;
	const char *value = line + length;
	sample->labels[0] = '\0';
	if (*value == '{') {
		const char *end = labels_end(value + 1);
		if (end == NULL || (size_t)(end - value) > sizeof sample->labels)
			return false;
		(void)snprintf(sample->labels, sizeof sample->labels, "%.*s",
		               (int)(end - value - 1), value + 1);
		value = end + 1;
	}
	/* strtod would go on to the next line */
	value += strspn(value, " ");
	if (isspace((unsigned char)*value))
		return false;
	char *end;
	sample->value = strtod(value, &end);
	return end != value && (*end == '\n' || *end == '\0');
}

bool page_next(const char **at, const char *family, struct page_sample *sample)
{
	while (**at != '\0') {
		const char *line = *at, *end = strchr(line, '\n');
		*at = end != NULL ? end + 1 : line + strlen(line);
		if (read_line(line, family, sample))
			return true;
	}
	return false;
}

bool page_label(const struct page_sample *sample, const char *name, char value[PAGE_LABEL_MAX])
{
	size_t length = strlen(name);
	for (const char *at = sample->labels; *at != '\0';) {
		bool is_it = strncmp(at, name, length) == 0 && at[length] == '=' &&
		             at[length + 1] == '"';
		const char *from = strchr(at, '"'), *to = from != NULL ? from + 1 : NULL;
		while (to != NULL && *to != '"' && *to != '\0')
			to += *to == '\\' && to[1] != '\0' ? 2 : 1;
		if (to == NULL || *to == '\0')
			return false;
		if (is_it) {
			(void)snprintf(value, PAGE_LABEL_MAX, "%.*s", (int)(to - from - 1),
			               from + 1);
			return true;
		}
		at = to + 1;
		at += *at == ',';
	}
	return false;
}

double page_value(const char *page, const char *family, const char *labels)
{
	struct page_sample sample;
	while (page_next(&page, family, &sample))
		if (strcmp(sample.labels, labels) == 0)
			return sample.value;
	return 0;
}

/* The bucket's count up to its bound `le`. */
static double bucket(const char *page, const char *family, const char *labels, const char *le)
{
	char all[PAGE_LABELS_MAX];
	(void)snprintf(all, sizeof all, "%s,le=\"%s\"", labels, le);
	return page_value(page, family, all);
}

double page_quantile(const char *before, const char *now, const char *family, const char *labels,
                     double share)
{
	char buckets[128], le[PAGE_LABEL_MAX];
	struct page_sample sample;
	(void)snprintf(buckets, sizeof buckets, "%s_bucket", family);
	double wanted = share * (bucket(now, buckets, labels, "+Inf") -
	                         bucket(before, buckets, labels, "+Inf"));
	double finite = 0;
	size_t length = strlen(labels);
	for (const char *at = now; wanted > 0 && page_next(&at, buckets, &sample);) {
		if (strncmp(sample.labels, labels, length) != 0 || sample.labels[length] != ',' ||
		    !page_label(&sample, "le", le))
			continue;
		if (strcmp(le, "+Inf") != 0)
			finite = strtod(le, NULL);
		if (sample.value - bucket(before, buckets, labels, le) >= wanted)
			return finite;
	}
	return 0;
}
