/* SPDX-License-Identifier: Apache-2.0 */
/* Hints by line, and those of them that say what is known. */
#include "model/evaluate/hints.h"

const struct launch_hint *hint_find(const struct launch *launch, bool is_branch, uint32_t line)
{
	for (uint32_t i = 0; i < launch->hint_count && i < LAUNCH_HINTS_MAX; i++)
		if (!!launch->hints[i].is_branch == is_branch && launch->hints[i].line == line)
			return &launch->hints[i];
	return NULL;
}

_Static_assert(LAUNCH_HINTS_MAX <= 64, "a bit by hint");

void hint_meet(struct hints *hints, const struct launch *launch, const struct launch_hint *hint,
               bool is_needed)
{
	if (!hint)
		return;
	uint64_t bit = UINT64_C(1) << (hint - launch->hints);

	hints->met |= bit;
	if (is_needed)
		hints->needed |= bit;
}

/* What follows from the launch decides a branch; of a loop, a hint is obeyed nevertheless. */
void hint_note(const struct hints *hints, const struct launch *launch, char *note, size_t size)
{
	uint64_t needless = hints->met & ~hints->needed;

	for (unsigned i = 0; i < LAUNCH_HINTS_MAX; i++) {
		const struct launch_hint *hint = &launch->hints[i];

		if (needless >> i & 1)
			note_add(note, size,
			         hint->is_branch
			                 ? "branch at line %u: known, not as hinted"
			                 : "loop at line %u: as hinted, though its trips are known",
			         hint->line);
	}
}
