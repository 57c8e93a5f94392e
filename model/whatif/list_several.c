/* SPDX-License-Identifier: Apache-2.0 */
/* Changes to how much a work-item does, and of which shape its data are: several.h. */
#include <math.h>

#include "model/passes/passes.h"
#include "model/whatif/list.h"
#include "model/whatif/picture.h"
#include "model/whatif/several.h"
#include "model/whatif/shape.h"

/* Of one work-item, by one instruction of a GPU: what is wider goes by several, each of which has
 * neighbours apart. */
enum { GPU_ACCESS_BYTES_MOST = 16 };

/* Of three kernels of bytes that PoCL 5.0 ran on 16 cores, vectors of the language made two slower:
 * their loads and choices are functions of a library. */
enum { CPU_ELEMENT_BYTES_LEAST = 2 };

static void list_several_of(const struct list *l, enum several_way way, enum what_if_kind kind,
                            unsigned dimension, unsigned first, unsigned last)
{
	for (unsigned count = first; count <= last; count *= 2) {
		struct several several = {.way = way,
		                          .dimension = dimension,
		                          .count = count,
		                          /* lanes of a warp leave a loop by themselves */
		                          .is_masked = way == SEVERAL_WIDTH &&
		                                       !device_is_lockstep(l->device)};

		uint32_t detail = count;
		bool is_sure = way == SEVERAL_TURNS;

		if (!several_fits(l->kernel, l->launch, &several))
			continue;
		if (way == SEVERAL_WIDTH) {
			struct several_vectors vectors =
			        several_vectors_of(l->kernel, l->launch, &several);

			if (device_is_lockstep(l->device)
			            ? vectors.widest_bytes * count > GPU_ACCESS_BYTES_MOST
			            : vectors.narrowest_bytes < CPU_ELEMENT_BYTES_LEAST)
				break;
			is_sure = vectors.is_aligned;
			detail = vectors.narrowest_bytes;
		}
		list_change(l, kind, is_sure, dimension | (uint32_t)count << 8, l->kernel->line,
		            detail);
	}
}

/* Whether a loop reads what all results of a work-item need. */
static bool is_read_alike(const struct list *l, unsigned dimension)
{
	const double again = 4;

	for (uint32_t i = 0; i < l->kernel->access_count; i++) {
		const struct evaluation_access *a = &l->evaluation->accesses[i];
		bool follows = !access_is_affine(a);

		for (unsigned t = 0; t < a->address.term_count; t++)
			follows |= a->address.terms[t].base == AFFINE_GLOBAL + dimension ||
			           a->address.terms[t].base == AFFINE_GROUP + dimension;
		if (l->kernel->accesses[i].kind == ACCESS_LOAD && a->executions >= again &&
		    l->kernel->objects[l->kernel->accesses[i].object].space == SPACE_GLOBAL &&
		    !follows)
			return true;
	}
	return false;
}

void list_images(const struct list *l)
{
	for (uint32_t i = 0; device_is_lockstep(l->device) && l->launch->dimensions > 1 &&
	                     i < l->kernel->access_count;
	     i++) {
		uint32_t object = l->kernel->accesses[i].object;
		struct several several = {.way = SEVERAL_IMAGE,
		                          .object = object,
		                          .pitch = access_row_elements(l->kernel, l->launch,
		                                                       &l->kernel->accesses[i])};

		if (several.pitch > 0 && access_is_of_argument(l->kernel, l->evaluation, i) &&
		    several_fits(l->kernel, l->launch, &several))
			list_change(l, WHAT_IF_IMAGE, false, object, l->kernel->accesses[i].line,
			            several.pitch);
	}
}

/* Whether a work-item has several results by now: sums that a loop carries, or an array of them. */
static bool has_several(const struct ir_kernel *kernel)
{
	const unsigned several = 4;

	for (uint32_t i = 0; i < kernel->object_count; i++)
		if (kernel->objects[i].space == SPACE_PRIVATE)
			return true;
	for (uint32_t i = 0; i < kernel->statement_count; i++)
		if (loop_real_sums(kernel, &kernel->statements[i]) >= several)
			return true;
	return false;
}

/* Whether a CPU's compiler makes no vectors of work-items that a programmer could write: it makes
 * none at all, or theirs lie around a loop, which a vectoriser of inner loops leaves, or a call. */
static bool is_apart_from_vectors(const struct list *l)
{
	const struct ir_summary *summary = l->kernel->summary;

	return !device_makes_vectors(l->device) || summary->obstacle == VECTOR_LOOP ||
	       summary->obstacle == VECTOR_CALL;
}

void list_several(const struct list *l)
{
	const struct ir_summary *summary = l->kernel->summary;
	unsigned share = device_is_lockstep(l->device) ? l->evaluation->warp_items : 0;

	for (unsigned d = 0; d < l->launch->dimensions && d < 2; d++)
		if (!has_several(l->kernel) && is_read_alike(l, d))
			list_several_of(l, SEVERAL_BLOCK, WHAT_IF_BLOCKED, d, 2, 8);
	if (device_is_lockstep(l->device) || is_apart_from_vectors(l))
		list_several_of(l, SEVERAL_WIDTH, WHAT_IF_WIDENED, 0, 2, 16);
	list_several_of(l, SEVERAL_TURNS, WHAT_IF_IN_TURNS, 0, 4, 4);
	list_several_of(l, SEVERAL_TURNS, WHAT_IF_IN_TURNS, 0, 16, 16);
	for (uint32_t i = 0; share > 1 && i < 2 * summary->loop_count; i++) {
		uint32_t loop = i / 2;
		struct several several = {.way = SEVERAL_SPLIT,
		                          .count = share,
		                          .loop = summary->loops[loop].statement,
		                          .is_apart = i % 2 == 1};

		/* so that a warp still has neighbours */
		while (several.is_apart && several.count > 1 &&
		       l->launch->local[0] < (uint64_t)several.count * share)
			several.count /= 2;
		if (l->evaluation->loops[loop].trips >= 2.0 * several.count &&
		    several_fits(l->kernel, l->launch, &several))
			list_change(l, WHAT_IF_SPREAD, false,
			            several.loop | (several.is_apart ? WHAT_IF_APART : 0),
			            l->kernel->statements[several.loop].line, several.count);
	}
}

void list_more_groups(const struct list *l)
{
	const struct ir_summary *summary = l->kernel->summary;
	const double least_trips = 4;
	const unsigned groups_of_unit = 4;
	double units = device_value(l->device, COEFFICIENT_UNITS, l->device->compute_units);
	double groups = ceil((double)l->launch->global[0] / (double)l->launch->local[0]);

	for (uint32_t i = 0; i < summary->loop_count; i++) {
		struct several several = {.way = SEVERAL_GROUPS,
		                          .loop = summary->loops[i].statement};

		if (groups >= units)
			break;
		for (unsigned count = 2;
		     count <= SEVERAL_GROUPS_MOST && groups * count <= groups_of_unit * units &&
		     l->evaluation->loops[i].trips >= least_trips * count;
		     count *= 2)
			several.count = count;
		if (several_fits(l->kernel, l->launch, &several))
			list_change(l, WHAT_IF_MORE_GROUPS, false, several.loop,
			            l->kernel->statements[several.loop].line, several.count);
	}
}
