/* SPDX-License-Identifier: Apache-2.0 */
/* Measured times from a file of `measure --csv`. */
#include "client/predictctl/measured.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "client/predictctl/csv.h"
#include "client/predictctl/text.h"

bool measured_load(const char *path, const struct case_list *cases, const char *column,
                   bool is_optional, double *measured_s)
{
	struct csv csv;
	const char *error;
	size_t line;
	for (size_t i = 0; i < cases->count; i++)
		measured_s[i] = nan("");
	if (!csv_load(path, &csv, &error, &line)) {
		if (line > 0)
			complain(path, "line %zu: %s", line, error);
		else
			complain(path, "%s", error);
		return false;
	}
	int name = csv_column(&csv, "case"), time = csv_column(&csv, column);
	if (is_optional && time < 0) {
		csv_deinit(&csv);
		return true;
	}
	if (name < 0 || time < 0) {
		complain(path, "want the columns case and %s", column);
		csv_deinit(&csv);
		return false;
	}
	for (size_t i = 0, row = 0; i < cases->count && csv.rows > 0; i++) {
		/* both are in the same order as a rule: look on from the last hit */
		for (size_t tried = 0; tried < csv.rows; tried++, row = (row + 1) % csv.rows)
			if (strcmp(csv_field(&csv, row, name), cases->cases[i].id) == 0)
				break;
		if (strcmp(csv_field(&csv, row, name), cases->cases[i].id) != 0)
			continue;
		char *end;
		const char *text = csv_field(&csv, row, time);
		double value = strtod(text, &end);
		if (*text == '\0') /* it did not run */
			continue;
		if (*end != '\0' || !isfinite(value) || !(value > 0)) {
			complain(path, "%s: want a time above zero in seconds, have '%s'",
			         cases->cases[i].id, text);
			csv_deinit(&csv);
			return false;
		}
		measured_s[i] = value;
	}
	csv_deinit(&csv);
	return true;
}
