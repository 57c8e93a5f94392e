/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages of metrics, as `predictctl top` reads them: two pages, an earlier and a later one, with a
 * zero byte between. A sample is of one line, whatever stands around it.
 */
#include <stdlib.h>
#include <string.h>

#include "client/predictctl/page.h"
#include "tests/fuzz/fuzz.h"

static const char *const families[] = {"predictd_requests_total", "predictd_judged_runs_total",
                                       "predictd_connections",
                                       "predictd_request_duration_seconds_bucket", "p"};
static const char *const labels[] = {"device", "of", "basis", "request", "le", "x"};

enum {
	FAMILIES = sizeof families / sizeof families[0],
	LABELS = sizeof labels / sizeof labels[0],
};

static void must(bool holds)
{
	if (!holds)
		abort();
}

static bool is_same(const struct page_sample *a, const struct page_sample *b)
{
	return strcmp(a->labels, b->labels) == 0 &&
	       memcmp(&a->value, &b->value, sizeof a->value) == 0;
}

static void read_labels(const struct page_sample *sample)
{
	char value[PAGE_LABEL_MAX];
	for (unsigned i = 0; i < LABELS; i++)
		if (page_label(sample, labels[i], value)) {
			must(strlen(value) < sizeof value);
			must(strstr(sample->labels, value) != NULL);
		}
}

/* Line by line, the same samples are found as in the whole. */
static void read_page(const char *page, const char *family)
{
	struct page_sample sample, alone;
	const char *at = page, *line = page;
	while (*line != '\0') {
		size_t length = strcspn(line, "\n");
		char *text = strndup(line, length);
		const char *from = text;
		must(text != NULL);
		if (page_next(&from, family, &alone)) {
			must(strncmp(text, family, strlen(family)) == 0);
			must(page_next(&at, family, &sample));
			must(is_same(&sample, &alone));
			read_labels(&sample);
			(void)page_value(page, family, sample.labels);
		}
		free(text);
		line += length + (line[length] == '\n');
	}
	must(!page_next(&at, family, &sample));
	must(*at == '\0');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 2);
	must(text != NULL);
	memcpy(text, data, size);
	text[size] = text[size + 1] = '\0';
	const char *before = text, *now = text + strlen(text) + 1;
	for (unsigned i = 0; i < FAMILIES; i++) {
		read_page(before, families[i]);
		read_page(now, families[i]);
	}
	struct page_sample sample;
	for (const char *at = now; page_next(&at, "predictd_requests_total", &sample);)
		(void)page_quantile(before, now, "predictd_request_duration_seconds", sample.labels,
		                    0.99);
	free(text);
	return 0;
}
