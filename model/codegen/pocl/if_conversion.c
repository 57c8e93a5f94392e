/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a CPU's vectors do under masks: where some work-items do not get to an access, nothing may
 * be read or written that they did not ask for. x86 has masks for neighbours of any size and for
 * gathers of 4 bytes and more; a mask on anything else keeps work-items from being vectors.
 */
#include <stdlib.h>

#include "model/codegen/codegen.h"
#include "model/codegen/pocl/llvm.h"

enum status cpu_refuse(struct machine *m, struct error *error)
{
	const struct ir_kernel *kernel = m->input->kernel;
	const uint32_t *region = kernel->summary->block_region;
	bool *is_refused = calloc((size_t)kernel->statement_count + 1, sizeof(*is_refused));

	if (is_refused == NULL)
		return error_set(error, STATUS_NO_MEMORY, "%s: no memory for its regions",
		                 kernel->name);
	for (uint32_t block = 0; block < kernel->block_count; block++)
		if (m->code.is_refused[block] && region[block] != IR_NONE)
			is_refused[region[block]] = true;
	for (uint32_t block = 0; block < kernel->block_count; block++)
		m->code.is_refused[block] |= region[block] != IR_NONE && is_refused[region[block]];
	free(is_refused);
	return STATUS_OK;
}

/* Whether some lanes do not get to a block: it is under a condition that they decide. */
static bool is_masked(const struct machine *m, uint32_t block)
{
	const struct ir_kernel *kernel = m->input->kernel;

	for (uint32_t owner; (owner = kernel->blocks[block].owner) != IR_NONE;
	     block = kernel->statements[owner].block)
		if (kernel->statements[owner].kind == STATEMENT_BRANCH &&
		    (kernel->statements[owner].condition == IR_NONE ||
		     !m->code.is_common[kernel->statements[owner].condition]))
			return true;
	return false;
}

/*
 * Whether a mask on an access keeps work-items from being vectors: x86 gathers nothing as small,
 * and what it would be made of instead, branches lane by lane, LLVM refuses: of loads all, of
 * stores but the first (LoopVectorize.cpp: useEmulatedMaskMemRefHack).
 */
static bool is_emulated(const struct machine *m, uint32_t access, unsigned *stores)
{
	const struct ir_access *a = &m->input->kernel->accesses[access];
	unsigned space = m->input->kernel->objects[a->object].space;

	if (a->kind == ACCESS_ATOMIC || space == SPACE_PRIVATE || space == SPACE_IMAGE ||
	    scalar_bytes((enum scalar)a->type.scalar) >= LLVM_GATHERED_BYTES ||
	    !(m->code.is_gathered[access] || m->code.is_same[access] || !steps_by_one(m, access)))
		return false;
	return a->kind == ACCESS_LOAD || (*stores)++ > 0;
}

/*
 * Accesses of vectors that are under a mask, as all are behind an exit that some work-items take;
 * loads that a core's prefetchers do not follow: those, and gathers; and regions that masks keep
 * from being vectors.
 */
enum status cpu_masks(struct machine *m, struct error *error)
{
	const struct ir_kernel *kernel = m->input->kernel;
	enum status status = STATUS_OK;
	bool has_left = false;
	unsigned stores = 0;

	for (uint32_t s = 0; s < kernel->statement_count; s++) {
		const struct ir_statement *statement = &kernel->statements[s];
		uint32_t access = statement->access, block;

		if (statement->kind == STATEMENT_EXIT)
			has_left |= is_masked(m, statement->block);
		if (statement->kind != STATEMENT_ACCESS)
			continue;
		block = kernel->summary->access_block[access];
		if (block == IR_NONE || block_mode(m, block) != OP_MODE_VECTOR)
			continue;
		m->code.is_masked[access] = has_left || is_masked(m, block);
		m->code.is_unstreamed[access] =
		        kernel->accesses[access].kind == ACCESS_LOAD &&
		        (m->code.is_gathered[access] || m->code.is_masked[access]);
		if (m->code.is_masked[access] && is_emulated(m, access, &stores))
			m->code.is_refused[kernel->summary->access_block[access]] =
			        m->code.has_emulated = true;
	}
	if (!m->code.has_emulated)
		return STATUS_OK;
	status = cpu_refuse(m, error);
	for (uint32_t i = 0; i < kernel->access_count; i++)
		if (block_mode(m, kernel->summary->access_block[i]) == OP_MODE_SCALAR)
			m->code.is_masked[i] = m->code.is_unstreamed[i] = false;
	return status;
}
