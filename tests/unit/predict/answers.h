/* SPDX-License-Identifier: Apache-2.0 */
/* Predictions of the tests, and rows of their breakdowns. */
#ifndef PREDICTD_TESTS_PREDICT_ANSWERS_H
#define PREDICTD_TESTS_PREDICT_ANSWERS_H

#include "model/answer/predict.h"

/* What is predicted, with no options or with some; a test fails where nothing is. */
struct prediction answer(const struct ir_kernel *kernel, const struct device *device,
                         const struct launch *launch);
struct prediction answer_by(const struct ir_kernel *kernel, const struct device *device,
                            const struct launch *launch, const struct prediction_options *options);

/* The row of that name, or NULL. */
const struct prediction_row *row_find(const struct prediction *prediction, const char *what);
/* Its time; a test fails where there is no such row. */
double row_time(const struct prediction *prediction, const char *what);

/* The same of all rows that begin so. */
double rows_time(const struct prediction *prediction, const char *what);
/* Its count; 0 where there is no such row. */
double row_count(const struct prediction *prediction, const char *what);

#endif
