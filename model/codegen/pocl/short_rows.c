/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which work-items of a group are lanes between two barriers, and what it takes to keep values.
 *
 * Where rows of work-items are so short that LLVM unrolls the loop over one before it looks for
 * vectors, work-items of a column may be lanes. What those keep lies a row apart: of rows of up to
 * 8 it is loaded whole and goes into vectors and out of them one by one (interleaved groups); of
 * longer ones it is gathered and scattered, where that is worth it to LLVM. Memory whose rows lie
 * as far apart as an argument says has such vectors only where that is 1: otherwise the region
 * runs one by one. So does one that goes one of several ways by a number.
 * (Read off the code of PoCL 3.1; tests/accuracy/README.md says how to look.)
 */
#include <math.h>
#include <stdlib.h>

#include "model/codegen/pocl/context.h"
#include "model/codegen/pocl/llvm.h"
#include "model/codegen/pocl/strides.h"
#include "model/mechanisms.h"

enum {
	MOVE_SIZE = 2,   /* where it is, and to load or store it */
	BRANCH_SIZE = 2, /* there, and back */
};

/* Work-items of a row, where there is more than one row; 0: there are no rows. */
uint64_t row_length(const struct launch *launch)
{
	if (launch->local[0] > 1)
		return launch->local[1] * launch->local[2] > 1 ? launch->local[0] : 0;
	return launch->local[1] > 1 && launch->local[2] > 1 ? launch->local[1] : 0;
}

/* Whether a product is a part of an address: it is by a literal, and of 64 bits. */
static bool is_scale(const struct ir_kernel *kernel, const struct ir_node *node)
{
	int64_t literal;

	return node->op == NODE_MUL && type_bytes(node->type) == 8 &&
	       (kernel_constant(kernel, kernel->operands[node->first_operand], &literal) ||
	        kernel_constant(kernel, kernel->operands[node->first_operand + 1], &literal));
}

/* Instructions of a node that changes along a row. */
static double size_of(const struct context *c, uint32_t id)
{
	const struct ir_kernel *kernel = c->m->input->kernel;
	const struct ir_node *node = &kernel->nodes[id], *from;

	if ((c->m->code.is_common[id] && !c->has_crossed[id]) ||
	    kernel->summary->node_block[id] == IR_NONE ||
	    (node->op == NODE_MUL && kernel->summary->node_is_contracted[id]) ||
	    is_scale(kernel, node))
		return 0;
	if (node->op == NODE_GLOBAL_ID)
		return 1;
	if (node->op != NODE_CONVERT || !type_is_integer(node->type))
		return cpu_node_size(kernel, id);
	from = &kernel->nodes[kernel->operands[node->first_operand]];
	return from->op == NODE_CONVERT && type_bytes(node->type) > type_bytes(from->type)
	               ? (double)LLVM_SIGNED_SIZE
	               : 1;
}

/* Whether rows of an access lie as far apart as an argument says. */
static bool has_pitch(const struct context *c, uint32_t access)
{
	const struct ir_kernel *kernel = c->m->input->kernel;
	const struct ir_access *a = &kernel->accesses[access];

	return kernel->objects[a->object].space <= SPACE_CONSTANT && a->index != IR_NONE &&
	       !context_crosses(c, access) && !c->m->code.is_common[a->index];
}

/* What a gather costs for each lane, to LLVM (X86TargetTransformInfo: getGSVectorCost). */
#define GATHER_COST 1.5

/* The least lanes of a column: of 64 bits. */
enum { COLUMN_LANES = 4 };

/* Whether a region is unrolled, and what becomes of it then. */
static void conclude(struct barrier_region *region, uint64_t length)
{
	region->is_short = length > 0 && region->size * (double)length + (double)LLVM_ONCE_SIZE <
	                                         LLVM_UNROLL_SIZE;
	region->has_columns =
	        region->is_short && !region->has_pitch && !region->is_switched &&
	        (length <= (uint64_t)LLVM_INTERLEAVED_MAX ||
	         region->work * (1 - 1 / (double)COLUMN_LANES) > region->moves * (GATHER_COST - 1));
}

/* What a branch compares for equality with a literal, and differs along a row; IR_NONE: it does
 * not. */
static uint32_t compared(const struct context *c, const struct ir_statement *branch)
{
	const struct ir_kernel *kernel = c->m->input->kernel;
	const struct ir_node *test;
	int64_t literal;

	if (branch->kind != STATEMENT_BRANCH || branch->condition == IR_NONE ||
	    branch->body == IR_NONE || kernel->blocks[branch->body].first == IR_NONE)
		return IR_NONE;
	test = &kernel->nodes[branch->condition];
	if (test->op != NODE_EQ ||
	    !kernel_constant(kernel, kernel->operands[test->first_operand + 1], &literal) ||
	    c->m->code.is_common[kernel->operands[test->first_operand]])
		return IR_NONE;
	return kernel->operands[test->first_operand];
}

enum { BRANCHES_MAX = 16 }; /* before one that are looked at */

/*
 * Whether a branch and one before it compare the same with literals: LLVM makes a switch of both,
 * and no vectors of what has one (LoopVectorizationLegality.cpp).
 */
static bool is_switch(const struct context *c, uint32_t s)
{
	const struct ir_kernel *kernel = c->m->input->kernel;
	uint32_t node = compared(c, &kernel->statements[s]);

	for (uint32_t i = 1; node != IR_NONE && i <= (uint32_t)BRANCHES_MAX && i <= s; i++) {
		const struct ir_statement *before = &kernel->statements[s - i];

		if ((before->block == kernel->statements[s].block ||
		     before->otherwise == kernel->statements[s].block) &&
		    before->condition != kernel->statements[s].condition &&
		    compared(c, before) == node)
			return true;
	}
	return false;
}

/* Counts what a region has of accesses and branches. */
static void count_statements(struct context *c)
{
	const struct ir_kernel *kernel = c->m->input->kernel;

	for (uint32_t s = 0; s < kernel->statement_count; s++) {
		uint32_t block = kernel->statements[s].body;

		if (kernel->statements[s].kind == STATEMENT_BRANCH && block != IR_NONE &&
		    kernel->statements[s].condition != IR_NONE) {
			c->regions[c->was_at[block]].size += (double)BRANCH_SIZE;
			c->regions[c->was_at[block]].is_switched |= is_switch(c, s);
		}
	}
	for (uint32_t i = 0; i < kernel->access_count; i++) {
		uint32_t index = kernel->accesses[i].index;
		struct barrier_region *region = &c->regions[c->accessed[i]];

		if (c->accessed[i] == 0 || kernel->summary->access_block[i] == IR_NONE)
			continue;
		region->size++;
		region->moves++;
		if (index != IR_NONE && type_bytes(kernel->nodes[index].type) < 8 &&
		    !c->m->code.is_common[index]) {
			region->size++;
			region->work++;
		}
		region->has_pitch |= has_pitch(c, i);
	}
}

/* Fills the regions. Requires is_common. */
void find_rows(struct context *c)
{
	const struct ir_kernel *kernel = c->m->input->kernel;
	uint64_t length = row_length(c->m->input->launch);

	for (uint32_t r = 0; r <= c->current; r++)
		c->regions[r].size = (double)LLVM_LOOP_SIZE;
	for (uint32_t id = 0; id < kernel->node_count; id++)
		if (c->region[id] != 0) {
			c->regions[c->region[id]].size += size_of(c, id);
			c->regions[c->region[id]].work += size_of(c, id);
		}
	count_statements(c);
	for (size_t i = 0; i < c->move_count; i++) {
		c->regions[c->moves[i].region].size += (double)MOVE_SIZE;
		c->regions[c->moves[i].region].moves++;
	}
	for (uint32_t r = 0; r <= c->current; r++)
		conclude(&c->regions[r], length);
}

enum status cpu_rows(struct machine *m, struct error *error)
{
	const struct ir_kernel *kernel = m->input->kernel;
	struct context c;
	enum status status;

	m->code.is_single = calloc((size_t)kernel->access_count + 1, sizeof(*m->code.is_single));
	if (m->code.is_single == NULL)
		return error_set(error, STATUS_NO_MEMORY, "%s: no memory for its rows",
		                 kernel->name);
	if (!mechanism(MECHANISM_SHORT_ROWS))
		return STATUS_OK;
	if (!kernel->summary->has_barrier) {
		c.m = m;
		for (uint32_t s = 0; s < kernel->statement_count; s++)
			m->code.has_switch |= is_switch(&c, s);
		for (uint32_t block = 0; block < kernel->block_count; block++)
			m->code.is_refused[block] |= m->code.has_switch;
		return STATUS_OK;
	}
	status = context_init(&c, m, error);
	if (status != STATUS_OK)
		return status;
	find_rows(&c);
	m->code.is_straight = is_straight(&c);
	for (uint32_t block = 0; block < kernel->block_count; block++)
		m->code.is_refused[block] |= m->code.is_straight;
	for (uint32_t r = 0; r <= c.current; r++)
		m->code.has_switch |= c.regions[r].is_switched;
	for (uint32_t block = 0; block < kernel->block_count; block++)
		m->code.is_refused[block] |= kernel->blocks[block].owner != IR_NONE &&
		                             c.regions[c.was_at[block]].is_switched;
	for (uint32_t i = 0; i < kernel->access_count; i++) {
		const struct barrier_region *region = &c.regions[c.accessed[i]];

		unsigned space = kernel->objects[kernel->accesses[i].object].space;

		if (c.accessed[i] == 0 || (space > SPACE_CONSTANT && space != SPACE_LOCAL) ||
		    (!region->is_short && !region->is_switched))
			continue;
		m->code.is_single[i] =
		        !region->has_columns ||
		        (!m->code.is_gathered[i] &&
		         row_length(m->input->launch) <= (uint64_t)LLVM_INTERLEAVED_MAX);
		m->code.is_gathered[i] = !m->code.is_single[i];
		m->code.is_shifted[i] &= m->code.is_gathered[i];
	}
	context_deinit(&c);
	return STATUS_OK;
}
