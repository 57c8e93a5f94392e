/* SPDX-License-Identifier: Apache-2.0 */
/* The daemon's metrics, read: lines of Prometheus' text format, `family{label="value",...} number`.
 */
#ifndef PREDICTD_CLIENT_PREDICTCTL_PAGE_H
#define PREDICTD_CLIENT_PREDICTCTL_PAGE_H

#include <stdbool.h>
#include <stddef.h>

enum { PAGE_LABELS_MAX = 512, PAGE_LABEL_MAX = 256 };

struct page_sample {
	char labels[PAGE_LABELS_MAX]; /* between the braces; "": none */
	double value;
};

/* The next sample of a family from *at on, which moves behind it; false: there is none. */
bool page_next(const char **at, const char *family, struct page_sample *sample);

/* A label's value, with what was escaped as it was; false: the sample has no such label. */
bool page_label(const struct page_sample *sample, const char *name, char value[PAGE_LABEL_MAX]);

/* Of the sample with exactly these labels; 0: there is none. */
double page_value(const char *page, const char *family, const char *labels);

/*
 * The time within which a share of what a histogram has counted from one page to the next was
 * done: the bound of its bucket. 0: nothing was counted. labels: without `le`.
 */
double page_quantile(const char *before, const char *now, const char *family, const char *labels,
                     double share);

#endif
