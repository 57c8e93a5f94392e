/* SPDX-License-Identifier: Apache-2.0 */
/* Which loops read elements that lie beside each other: SEVERAL_BESIDE, SEVERAL_STRIP. */
#include <math.h>

#include "model/passes/passes.h"
#include "model/whatif/list.h"
#include "model/whatif/several.h"
#include "model/whatif/shape.h"

/* Whether all that a loop reads by its counter lies beside each other, from iteration to iteration.
 */
static bool is_beside(const struct list *l, uint32_t loop)
{
	uint32_t statement = l->kernel->summary->loops[loop].statement;

	for (uint32_t k = 0; k < l->kernel->access_count; k++) {
		const struct evaluation_access *a = &l->evaluation->accesses[k];
		uint32_t block = l->kernel->summary->access_block[k];
		bool is_walked = false;

		if (block == IR_NONE || !kernel_is_within(l->kernel, block, statement))
			continue;
		if (!access_is_of_argument(l->kernel, l->evaluation, k) || !access_is_affine(a))
			return false;
		for (unsigned t = 0; t < a->address.term_count; t++)
			if (a->address.terms[t].base == AFFINE_LOOP + loop) {
				if (a->address.terms[t].factor !=
				            (int64_t)type_bytes(l->kernel->accesses[k].type) ||
				    a->address.terms[t].divisor != 1)
					return false;
				is_walked = true;
			}
		if (!is_walked)
			return false;
	}
	return true;
}

/* Loops of sums, of elements that lie beside each other or beside those of the next work-item. */
static void list_strips(const struct list *l)
{
	const unsigned most_count = 4, most_bytes = 16;
	const double least_trips = 2;

	for (uint32_t i = 0; i < l->kernel->summary->loop_count; i++) {
		uint32_t id = l->kernel->summary->loops[i].statement;
		struct several several = {.way = SEVERAL_STRIP, .loop = id, .count = most_count};
		struct several_vectors vectors;

		if (!several_fits(l->kernel, l->launch, &several))
			continue;
		vectors = several_vectors_of(l->kernel, l->launch, &several);
		if (vectors.widest_bytes * several.count > most_bytes)
			several.count = most_bytes / vectors.widest_bytes;
		if (several.count < 2 ||
		    !(l->evaluation->loops[i].trips >= least_trips * several.count))
			continue;
		list_add(l, (struct what_if){.kind = WHAT_IF_STRIP,
		                             .is_sure = vectors.is_aligned,
		                             .place = id,
		                             .line = l->kernel->statements[id].line,
		                             .detail = several.count});
	}
}

void list_beside(const struct list *l)
{
	list_strips(l);
	for (uint32_t i = 0; i < l->kernel->summary->loop_count; i++) {
		uint32_t id = l->kernel->summary->loops[i].statement;
		double trips = l->evaluation->loops[i].trips;
		struct several several = {.way = SEVERAL_BESIDE, .loop = id};
		struct several_vectors vectors;

		for (unsigned count = 2; count <= 16; count *= 2)
			if (fabs(trips - count) < 1e-3)
				several.count = count;
		if (!is_beside(l, i) || !several_fits(l->kernel, l->launch, &several))
			continue;
		vectors = several_vectors_of(l->kernel, l->launch, &several);
		list_add(l, (struct what_if){.kind = WHAT_IF_BESIDE,
		                             .is_sure = vectors.is_aligned,
		                             .place = id,
		                             .line = l->kernel->statements[id].line,
		                             .detail = several.count});
	}
}
