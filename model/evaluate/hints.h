/* SPDX-License-Identifier: Apache-2.0 */
/* Hints of a launch, and whether the walk came to them. */
#ifndef PREDICTD_MODEL_EVALUATE_HINTS_H
#define PREDICTD_MODEL_EVALUATE_HINTS_H

#include "model/evaluate/question.h"

/* A bit by hint: walks came to its place; they would have had to guess. */
struct hints {
	uint64_t met, needed;
};

/* The hint for a line, or NULL. */
const struct launch_hint *hint_find(const struct launch *launch, bool is_branch, uint32_t line);

/* A walk came to the place of a hint (or of none: NULL). */
void hint_meet(struct hints *hints, const struct launch *launch, const struct launch_hint *hint,
               bool is_needed);

/* Notes those that were needless. */
void hint_note(const struct hints *hints, const struct launch *launch, char *note, size_t size);

#endif
