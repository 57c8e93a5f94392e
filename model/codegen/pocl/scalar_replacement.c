/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private arrays that a CPU's compiler keeps in registers.
 *
 * LLVM makes scalars of an array of which all places are known (SROA), once it has unrolled what it
 * unrolls - for PoCL what a pragma says. Of any other array it does so within a loop where all
 * places are known: it loads them before the loop and stores them behind it (LICM's promotion;
 * read off the code of PoCL 3.1).
 */
#include <stdlib.h>

#include "model/codegen/codegen.h"
#include "model/mechanisms.h"

enum { LOOK_MAX = 1 << 22 }; /* objects times loops that are looked at */

/* The innermost loop around a block that is not unrolled, by number; the count of loops: none. */
static uint32_t region_of(const struct ir_kernel *kernel, uint32_t block)
{
	uint32_t loop = rolled_loop_of(kernel, block);

	return loop == IR_NONE ? kernel->summary->loop_count : loop;
}

static bool is_private(const struct ir_kernel *kernel, uint32_t access)
{
	return kernel->objects[kernel->accesses[access].object].space == SPACE_PRIVATE &&
	       kernel->summary->access_block[access] < kernel->block_count;
}

/* Marks an object at a place that is not known: in all that is around. */
static void mark_unknown(const struct ir_kernel *kernel, uint32_t access, bool *is_unknown)
{
	const struct ir_summary *summary = kernel->summary;
	uint32_t loop = summary->block_loop[summary->access_block[access]];

	is_unknown[summary->loop_count] = true;
	for (; loop != IR_NONE && !is_unknown[loop]; loop = loop_around(kernel, loop))
		is_unknown[loop] = true;
}

enum status cpu_private(struct machine *m, struct error *error)
{
	const struct ir_kernel *kernel = m->input->kernel;
	size_t regions = (size_t)kernel->summary->loop_count + 1; /* loops, and the whole */
	bool *is_unknown = NULL; /* per object and region: somewhere in it a place is not known */

	m->code.is_kept = calloc((size_t)kernel->access_count + 1, sizeof(*m->code.is_kept));
	if (m->code.is_kept && (!mechanism(MECHANISM_SCALAR_REPLACEMENT) ||
	                        (uint64_t)kernel->object_count * regions > LOOK_MAX))
		return STATUS_OK; /* all of them memory */
	is_unknown = calloc((size_t)kernel->object_count + 1, regions * sizeof(*is_unknown));
	if (!is_unknown || !m->code.is_kept) {
		free(is_unknown);
		return error_set(error, STATUS_NO_MEMORY, "%s: no memory for its arrays",
		                 kernel->name);
	}
	for (uint32_t i = 0; i < kernel->access_count; i++)
		if (is_private(kernel, i) && !has_known_place(m, i))
			mark_unknown(kernel, i, &is_unknown[kernel->accesses[i].object * regions]);
	for (uint32_t i = 0; i < kernel->access_count; i++)
		if (is_private(kernel, i))
			m->code.is_kept[i] =
			        !is_unknown[kernel->accesses[i].object * regions +
			                    region_of(kernel, kernel->summary->access_block[i])];
	free(is_unknown);
	return STATUS_OK;
}
