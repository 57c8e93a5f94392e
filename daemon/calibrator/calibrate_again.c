/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Second looks: what was measured at one time is measured at another. Others that use the
 * device come and go, and a benchmark that they disturb from its beginning to its end has no
 * spread. Where two looks disagree, a third decides; a family whose first look is refuted is
 * measured anew, and a device on which no two agree is busy.
 */
#include "daemon/calibrator/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Logarithms: repeated calibrations of a quiet device lie less apart. */
#define AGREED 0.15
#define ERRORS 3.0 /* and so many standard errors, where those are larger */

/* What was seen at one time. */
struct look {
	struct device device;
	double had[COEFFICIENT_COUNT]; /* of the processors, by others */
};

typedef enum status family(struct bench *bench, struct error *error);

/* In order of their worth to a prediction, and of how soon each is done. */
static const struct {
	const char *name;
	family *look;
	family *whole; /* of which a look is a part, or NULL */
} looks[] = {
        {"launch again", calibrate_launch_costs, NULL},
        {"memory again", calibrate_memory_streams, calibrate_memory},
        {"execution again", calibrate_execution, NULL},
        {"arithmetic again", calibrate_op_first, calibrate_op_main},
        {"accesses again", calibrate_access, NULL},
        {"local memory again", calibrate_local, NULL},
        {"atomics again", calibrate_atomic, NULL},
};

enum { LOOKS = sizeof looks / sizeof *looks };

/* The first look has a coefficient while others had more of the processors than at the second. */
static bool is_louder(double first_had, double second_had)
{
	return first_had > OTHER_LOAD_MAX && first_had > second_had + OTHER_LOAD_MAX;
}

static bool agree(const struct coefficient *one, const struct coefficient *other)
{
	if (!one->is_known || !other->is_known || !(one->value > 0) || !(other->value > 0))
		return true;
	return fabs(log(one->value / other->value)) <=
	       fmax(AGREED, ERRORS * hypot(one->standard_error, other->standard_error));
}

/* One more look, whose coefficients go to *seen and nowhere else. */
static enum status look_again(struct bench *bench, family *look, struct look *seen,
                              struct error *error)
{
	struct device *kept = bench->device;
	double *had = bench->had;
	seen->device = *kept;
	memcpy(seen->had, had, sizeof seen->had);
	memset(bench->is_set, 0, sizeof bench->is_set);
	bench->device = &seen->device;
	bench->had = seen->had;
	enum status status = look(bench, error);
	bench->device = kept;
	bench->had = had;
	return status;
}

static int compare_values(const void *left, const void *right)
{
	double a = ((const struct coefficient *)left)->value;
	double b = ((const struct coefficient *)right)->value;
	return (a > b) - (a < b);
}

/* The middle one of three, as sure as the nearer of the two others is to it; false: not at all. */
static bool settle(struct coefficient *first, const struct coefficient *second,
                   const struct coefficient *third)
{
	struct coefficient of[3] = {*first, *second, *third};
	qsort(of, 3, sizeof *of, compare_values);
	double below = log(of[1].value / of[0].value), above = log(of[2].value / of[1].value);
	bool is_settled = agree(&of[0], &of[1]) || agree(&of[1], &of[2]);
	*first = of[1];
	first->standard_error = fmin(
	        fmax(first->standard_error, is_settled ? fmin(below, above) / 2 : below + above),
	        1);
	return is_settled;
}

/*
 * Compares every coefficient that the second look set; how many disagree. What a quieter look says
 * stands, and what a louder one says refutes nothing.
 */
static unsigned count_apart(struct bench *bench, const struct look *second, bool *is_refuted)
{
	unsigned apart = 0;
	for (unsigned i = 0; i < COEFFICIENT_COUNT; i++) {
		struct coefficient *one = &bench->device->coefficient[i];
		const struct coefficient *two = &second->device.coefficient[i];
		if (!bench->is_set[i])
			continue;
		bench->looked++;
		if (is_louder(bench->had[i], second->had[i])) {
			*is_refuted |= !agree(one, two);
			*one = *two;
			bench->had[i] = second->had[i];
		} else if (!is_louder(second->had[i], bench->had[i])) {
			apart += !agree(one, two);
		}
	}
	return apart;
}

/* What three looks say together; whether the first was refuted, and how much is not settled. */
static unsigned settle_all(struct bench *bench, const struct look *second, const struct look *third,
                           bool *is_refuted)
{
	unsigned unsettled = 0;
	for (unsigned i = 0; i < COEFFICIENT_COUNT; i++) {
		struct coefficient *first = &bench->device->coefficient[i];
		const struct coefficient *two = &second->device.coefficient[i];
		const struct coefficient *three = &third->device.coefficient[i];
		if (!bench->is_set[i] || agree(first, two) ||
		    is_louder(second->had[i], bench->had[i]) ||
		    is_louder(third->had[i], bench->had[i]) || !three->is_known ||
		    !(three->value > 0))
			continue;
		*is_refuted |= agree(two, three) && !agree(first, three);
		unsettled += !settle(first, two, three);
	}
	return unsettled;
}

/* A family anew, of which a look is refuted; how much of a look then is another again. */
static enum status measure_whole(struct bench *bench, unsigned row, struct look *second,
                                 unsigned *unsettled, struct error *error)
{
	bool is_refuted = false;
	bench->stage = looks[row].name;
	enum status status = bench_progress(bench, (row + 0.5) / (double)LOOKS, error);
	if (status == STATUS_OK)
		status = looks[row].whole(bench, error);
	/* a device that others have again, or no time: what is known is of two states */
	if (status == STATUS_OK)
		status = look_again(bench, looks[row].look, second, error);
	if (status == STATUS_OK)
		*unsettled = count_apart(bench, second, &is_refuted);
	return status;
}

/* After a second look that disagrees: a third, which tells whether it refutes the first. */
static enum status look_once_more(struct bench *bench, unsigned row, struct look *second,
                                  unsigned *unsettled, bool *is_refuted, struct error *error)
{
	struct look *third = malloc(sizeof *third);
	if (third == NULL)
		return error_set(error, STATUS_NO_MEMORY, "second looks: out of memory");
	*third = *second;
	bench->stage = "a third look";
	enum status status = bench_progress(bench, (row + 0.3) / (double)LOOKS, error);
	if (status == STATUS_OK)
		status = look_again(bench, looks[row].look, third, error);
	unsigned left = settle_all(bench, second, third, is_refuted);
	if (status == STATUS_OK)
		*unsettled = left;
	free(third);
	return status;
}

/* A family's second look, and what follows from it. */
static enum status look_at(struct bench *bench, unsigned row, struct look *second,
                           struct error *error)
{
	bool is_refuted = false;
	unsigned unsettled = 0;
	bench->stage = looks[row].name;
	enum status status = bench_progress(bench, row / (double)LOOKS, error);
	if (status == STATUS_OK)
		status = look_again(bench, looks[row].look, second, error);
	if (status == STATUS_OK)
		unsettled = count_apart(bench, second, &is_refuted);
	if (unsettled > 0)
		status = look_once_more(bench, row, second, &unsettled, &is_refuted, error);
	if (status == STATUS_OK && is_refuted && looks[row].whole != NULL)
		status = measure_whole(bench, row, second, &unsettled, error);
	bench->unsettled += unsettled;
	return status;
}

enum status calibrate_again(struct bench *bench, struct error *error)
{
	struct look *second = malloc(sizeof *second);
	enum status status = STATUS_OK;
	if (second == NULL)
		return error_set(error, STATUS_NO_MEMORY, "second looks: out of memory");
	for (unsigned row = 0; row < LOOKS && status == STATUS_OK; row++)
		status = look_at(bench, row, second, error);
	free(second);
	return status;
}
