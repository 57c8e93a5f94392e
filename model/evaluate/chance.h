/* SPDX-License-Identifier: Apache-2.0 */
/* How likely what data decide is: see evaluate/chance.c, record.c, trial.c. */
#ifndef PREDICTD_MODEL_EVALUATE_CHANCE_H
#define PREDICTD_MODEL_EVALUATE_CHANCE_H

#include "model/evaluate/lanes.h"

/* What tells a chance: values as they stand, how long loops are so far, and what was tried. */
struct chances {
	const struct ir_kernel *kernel;
	const struct question *question;
	const struct schedule *schedule;
	const struct lanes *lanes;
	const struct loop_tally *tallies;
	uint32_t *tried; /* conditions, by node: see evaluate/trial.c; 0: not yet */
};

/* How likely a condition is that data decide, in a lane; what the launch decides of it counts. */
double chance_of(const struct chances *chances, uint32_t condition, unsigned lane);

/* Whether that is the same in every lane, as far as is looked. */
bool chance_is_alike(const struct chances *chances, uint32_t condition);

/*
 * How likely a test holds that asks if a value is the best so far, which a loop's variable keeps,
 * or among the best, which an array of the work-item's own does; false: it asks something else. The
 * mean over all values that are tried: see evaluate/record.c.
 */
bool record_chance(const struct chances *chances, uint32_t test, double *chance);

/*
 * The same of any of so many lanes that try at once: seldom behind the first tries, when all of
 * them find one nearly always.
 */
double record_chance_of_any(const struct chances *chances, uint32_t test, unsigned lanes);

/*
 * How likely a condition holds that asks for bytes, masks, remainders and hinted ranges alone, all
 * of whose values are as likely; false: it asks for something else. See evaluate/trial.c.
 */
bool trial_chance(const struct chances *chances, uint32_t condition, double *chance);

#endif
