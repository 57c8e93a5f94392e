/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The default kernel model: launch base plus a soft maximum (a norm) of what runs at the same time.
 */
#ifndef PREDICTD_MODEL_TIME_DEFAULT_H
#define PREDICTD_MODEL_TIME_DEFAULT_H

#include "model/machine/input.h"

/* Fills kernel_time_s, bottleneck, rows, note and what widens the interval; and lines, unless NULL.
 */
enum status model_default(const struct model_input *input, struct prediction *prediction,
                          struct prediction_lines *lines, struct error *error);

#endif
