/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work-items that have to go in order. A CPU's compiler makes vectors of a loop over work-items as
 * of any other loop, so not where one iteration reads what another one of the same vector has
 * written (LLVM: LoopAccessAnalysis.cpp), though OpenCL orders no work-items:
 *
 * - Places a constant apart: nearer than a vector is long, and read after they were written. What
 *   is read before a later work-item writes it is no obstacle, unless its store stands first.
 * - Places apart by what only a launch says: a check before the loop, which fails where what is
 *   read was written by one of the iterations that are interleaved before it.
 *
 * PoCL 3.1 with LLVM 15 on Zen 4: a[i + d] = 2 * a[i] + 1 takes 33 us for d from 1 to 7, 8 for d =
 * 8 and more; with an argument for d 33 us for 4 and 20, 9 for 100 and for less than none.
 */
#include "model/codegen/codegen.h"
#include "model/codegen/pocl/llvm.h"

enum {
	LANES_MAX = 8,
	INTERLEAVED = 4,     /* vectors at the most */
	ACCESSES_MAX = 1024, /* that are looked at: it costs their square */
	CASTS_MAX = 8
};

/* Bytes from one work-item to the next of a row; 0: not known, or none. */
static int64_t lane_stride(const struct machine *m, const struct affine *address)
{
	unsigned lanes = launch_row(m->input->launch);
	int64_t stride = 0;

	for (unsigned i = 0; i < address->term_count; i++) {
		const struct affine_term *term = &address->terms[i];

		if (term->base >= AFFINE_GROUP || term->base % 3 != lanes)
			continue;
		if (term->divisor != 1 || term->extent < m->input->launch->local[lanes])
			return 0;
		stride += term->factor;
	}
	return stride;
}

/* An index without casts and the constants that are added to it. */
static uint32_t base_of(const struct ir_kernel *kernel, uint32_t index)
{
	for (unsigned i = 0; index != IR_NONE && i < CASTS_MAX; i++) {
		const struct ir_node *node = &kernel->nodes[index];
		const uint32_t *operands = &kernel->operands[node->first_operand];
		int64_t constant;

		if (node->op != NODE_CONVERT && !((node->op == NODE_ADD || node->op == NODE_SUB) &&
		                                  kernel_constant(kernel, operands[1], &constant)))
			break;
		index = operands[0];
	}
	return index;
}

static bool is_looked_at(const struct machine *m, uint32_t access)
{
	const struct ir_kernel *kernel = m->input->kernel;
	const struct affine *address = &evaluation_of(m)->accesses[access].address;
	unsigned space = kernel->objects[kernel->accesses[access].object].space;

	return (space == SPACE_GLOBAL || space == SPACE_LOCAL) &&
	       kernel->accesses[access].kind != ACCESS_ATOMIC &&
	       kernel->summary->access_block[access] < kernel->block_count &&
	       evaluation_of(m)->accesses[access].executions > 0 && address->is_known &&
	       !address->is_random && !address->is_rough;
}

/* Whether a load finds what a store to its array has written, or will write, of another work-item
 * of its vector. */
static bool is_in_order(const struct machine *m, uint32_t store, uint32_t load)
{
	const struct ir_kernel *kernel = m->input->kernel;
	const struct ir_access *to = &kernel->accesses[store], *from = &kernel->accesses[load];
	const struct affine *a = &evaluation_of(m)->accesses[store].address;
	const struct affine *b = &evaluation_of(m)->accesses[load].address;
	int64_t stride = lane_stride(m, a), apart = a->constant - b->constant;
	int64_t bytes = (int64_t)scalar_bytes((enum scalar)from->type.scalar), most;

	if (!affine_is_parallel(a, b) || stride == 0 || apart % stride != 0)
		return false;
	apart /= stride;
	most = LLVM_VECTOR_BYTES / bytes;
	if (base_of(kernel, to->index) != base_of(kernel, from->index))
		return apart > 0 && apart < most * INTERLEAVED;
	most = most < LANES_MAX ? most : LANES_MAX;
	return (apart > 0 && apart < most) || (store < load && apart < 0 && apart > -most);
}

void cpu_order(struct machine *m)
{
	const struct ir_kernel *kernel = m->input->kernel;
	uint32_t count = kernel->access_count < ACCESSES_MAX ? kernel->access_count : ACCESSES_MAX;

	/* what stands on either side of a barrier is in loops of its own */
	for (uint32_t i = 0; i < count && !kernel->summary->has_barrier && !m->code.is_scalar;
	     i++) {
		if (kernel->accesses[i].kind != ACCESS_STORE || !is_looked_at(m, i))
			continue;
		for (uint32_t j = 0; j < count; j++)
			if (kernel->accesses[j].object == kernel->accesses[i].object &&
			    kernel->accesses[j].kind == ACCESS_LOAD && is_looked_at(m, j) &&
			    is_in_order(m, i, j))
				m->code.is_refused[kernel->summary->access_block[i]] =
				        m->code.has_order = true;
	}
}
