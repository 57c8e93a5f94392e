/* SPDX-License-Identifier: Apache-2.0 */
/* Predictions of the tests, and rows of their breakdowns. */
#include "tests/unit/predict/answers.h"

#include "tests/test.h"

#include <string.h>

struct prediction answer_by(const struct ir_kernel *kernel, const struct device *device,
                            const struct launch *launch, const struct prediction_options *options)
{
	struct prediction prediction = {0};
	struct error error = {0};

	if (predict(kernel, device, launch, options, &prediction, &error) != STATUS_OK)
		fail_msg("%s: %s", kernel->name, error.text);
	return prediction;
}

struct prediction answer(const struct ir_kernel *kernel, const struct device *device,
                         const struct launch *launch)
{
	return answer_by(kernel, device, launch, NULL);
}

const struct prediction_row *row_find(const struct prediction *prediction, const char *what)
{
	for (uint32_t i = 0; i < prediction->row_count; i++)
		if (strcmp(prediction->rows[i].what, what) == 0)
			return &prediction->rows[i];
	return NULL;
}

double row_time(const struct prediction *prediction, const char *what)
{
	const struct prediction_row *row = row_find(prediction, what);

	if (row == NULL)
		fail_msg("no row \"%s\"", what);
	return row != NULL ? row->time_s : 0;
}

double row_count(const struct prediction *prediction, const char *what)
{
	const struct prediction_row *row = row_find(prediction, what);

	return row != NULL ? row->count : 0;
}

double rows_time(const struct prediction *prediction, const char *what)
{
	double time_s = 0;

	for (uint32_t i = 0; i < prediction->row_count; i++)
		if (strncmp(prediction->rows[i].what, what, strlen(what)) == 0)
			time_s += prediction->rows[i].time_s;
	return time_s;
}
