/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Metrics in the text format of Prometheus, version 0.0.4
 * (prometheus.io/docs/instrumenting/exposition_formats): HELP and TYPE once a family, then its
 * samples.
 */
#ifndef PREDICTD_DAEMON_METRICS_TEXT_H
#define PREDICTD_DAEMON_METRICS_TEXT_H

#include "daemon/metrics/histogram.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct metrics_text {
	char *bytes; /* `used` of them, and a final zero; NULL: none yet */
	size_t used, room;
	const char *family;
	bool has_failed; /* for want of memory: what is there is not all */
};

/* A label's name, and its value: any text, which is escaped and made UTF-8. */
struct metrics_label {
	const char *name, *value;
};

/* Begins a family; `type` is counter, gauge or histogram. Names carry their unit. */
void metrics_text_family(struct metrics_text *text, const char *name, const char *type,
                         const char *help);

/* A sample of the family that was begun; labels end with one without a name, NULL: none. */
void metrics_text_count(struct metrics_text *text, const struct metrics_label *labels,
                        uint64_t count);
void metrics_text_real(struct metrics_text *text, const struct metrics_label *labels, double value);

/* Its buckets, sum and count. */
void metrics_text_histogram(struct metrics_text *text, const struct metrics_label *labels,
                            const struct histogram *histogram);

void metrics_text_deinit(struct metrics_text *text);

#define METRICS_LABELS(...) ((const struct metrics_label[]){__VA_ARGS__, {NULL, NULL}})

#endif
