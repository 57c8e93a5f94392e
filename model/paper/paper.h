/* SPDX-License-Identifier: Apache-2.0 */
/* The paper's kernel models (Poeppel and Herz), equations 2 to 5, and its ablation. */
#ifndef PREDICTD_MODEL_PAPER_PAPER_H
#define PREDICTD_MODEL_PAPER_PAPER_H

#include <stddef.h>

#include "model/machine/input.h"

/* Fills kernel_time_s, bottleneck, rows, note and what widens the interval. */
void model_paper(const struct model_input *input, bool has_patterns, struct prediction *prediction);

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
