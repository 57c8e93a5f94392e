/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernel models share: their inputs and how they fill an answer. */
#ifndef PREDICTD_MODEL_MACHINE_PARTS_H
#define PREDICTD_MODEL_MACHINE_PARTS_H

#include "model/answer/predict.h"
#include "model/evaluate/evaluate.h"
#include "model/passes/passes.h"

struct model_input {
	const struct ir_kernel *kernel;
	const struct device *device;
	const struct launch *launch;
	const struct evaluation *evaluation;
};

/* Each fills kernel_time_s, bottleneck, rows, note and what widens the interval. */
enum status model_default(const struct model_input *input, struct prediction *prediction,
                          struct error *error);
void model_paper(const struct model_input *input, bool has_patterns, struct prediction *prediction);
/* A kernel that was not analysed, or too little of it: launch, dispatch and the bytes of its
 * buffers; the note gets the reason. */
void model_fallback(const struct model_input *input, const char *reason,
                    struct prediction *prediction);

/* Adds a row; the last one gathers what does not fit. */
void row_add(struct prediction *prediction, double count, double time_s, const char *format, ...)
        __attribute__((format(printf, 4, 5)));

/* Bandwidth of a level in bytes per second, > 0; what is unknown comes from its neighbours. */
double level_read_bandwidth(const struct device *device, enum memory_level level);
double level_write_bandwidth(const struct device *device, enum memory_level level);
/* Isolated lines per second, read and written, > 0. */
double level_gather_rate(const struct device *device, enum memory_level level, double line_bytes);
double level_scatter_rate(const struct device *device, enum memory_level level, double line_bytes);

/* Cache levels that the device has, 0 to 4. */
unsigned cache_levels(const struct device *device);

/* A coefficient that must be above zero; `otherwise` where it is unknown or not. */
double positive_value(const struct device *device, unsigned id, double otherwise);

/* ---- the paper's equations ----------------------------------------------------------------- */

struct paper_w {
	double a, b, k, a2, k2, sat;
};

/* Equation 2: transfers of both directions and the kernel. */
double paper_equation2(double to_bytes, double to_latency_s, double to_bytes_per_s,
                       double from_bytes, double from_latency_s, double from_bytes_per_s,
                       double kernel_s);
/* Equation 3: base and rows (each W(n) t(n_WI), in seconds) over the utilisation. */
double paper_equation3(double base_s, const double *rows_s, size_t n, double utilisation);
/* Equation 4: U(w, x) = (w / x) / ceil(w / x). */
double paper_equation4(double group_items, double execution_units);
/* Equation 5: how time grows with the number of operations of one kind. */
double paper_equation5(const struct paper_w *w, double operations);

#endif
