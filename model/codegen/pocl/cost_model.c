/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether vectors of work-items are worth it to a CPU's compiler.
 *
 * LLVM weighs an iteration of the loop over work-items against a vector of them, by what it takes
 * each instruction to cost (LoopVectorize.cpp: expectedCost; X86TargetTransformInfo.cpp). Most
 * cost one either way. But a gather or scatter costs one for each lane and two more, one of less
 * than four bytes is put together lane by lane, and what is under a condition is taken to happen
 * half of the time without vectors, and always with them. So a step of a tree that moves several
 * arrays under `if (x < half)` stays as it is, and goes through those few work-items alone. Looked
 * at where positions come from arrays, behind barriers; those have 64 bits, and so four fit a
 * vector. (Compared with what LLVM 15 says of itself, POCL_VECTORIZER_REMARKS=1.)
 */
#include <stdlib.h>

#include "model/codegen/codegen.h"
#include "model/codegen/pocl/llvm.h"
#include "model/mechanisms.h"

enum {
	POSITION_BYTES = 8, /* of a position that an array keeps across a barrier */
	GATHER_COST = 2,    /* beyond one a lane */
	LANE_COST = 3,      /* to take a position out, to load or store there, to put that in */
	MASKED_COST = 2,    /* of neighbours under a mask */
	TURN_COST = 2,    /* of the loop over work-items: the next one, and whether there is one */
	KEPT_COST = 2,    /* to reckon what a loop goes by, and to keep it */
	LONG_COST = 4,    /* of a division, and what else is no plain instruction */
	LOOKED_BACK = 256 /* accesses, for one of the same place */
};

#define TAKEN 0.5 /* of the work-items, LLVM supposes, what is under a condition */

/* What a region between barriers costs a work-item, and a vector of them without its gathers. */
struct worth {
	double scalar, vector;
	double gathers, singles; /* accesses that are gathered, and of those the ones too small */
	bool has_positions;      /* of its own in each lane, and some of them gathered */
};

struct worths {
	const struct machine *m;
	struct worth *of_region; /* as many as statements: at most one each */
	uint32_t *kept_in;       /* per node: the last region that it was loaded in, and one */
};

/* Whether a block is under a condition that lanes decide, within its region. */
static bool is_conditional(const struct machine *m, uint32_t block)
{
	const struct ir_kernel *kernel = m->input->kernel;
	uint32_t region = kernel->summary->block_region[block];

	for (uint32_t owner; (owner = kernel->blocks[block].owner) != IR_NONE;) {
		const struct ir_statement *statement = &kernel->statements[owner];

		if (statement->kind == STATEMENT_BRANCH &&
		    (statement->condition == IR_NONE || !m->code.is_common[statement->condition]))
			return true;
		block = statement->block;
		if (kernel->summary->block_region[block] != region)
			return false;
	}
	return false;
}

static struct worth *worth_of(const struct worths *w, uint32_t block)
{
	const struct ir_summary *summary = w->m->input->kernel->summary;

	if (block >= w->m->input->kernel->block_count || summary->block_region[block] == IR_NONE ||
	    block_mode(w->m, block) != OP_MODE_VECTOR)
		return NULL;
	return &w->of_region[summary->block_region[block]];
}

/*
 * Whether a region finds a value in an array: what another one has reckoned, or what a loop around
 * barriers goes by.
 */
static bool is_kept(const struct worths *w, uint32_t node, uint32_t region)
{
	const struct ir_kernel *kernel = w->m->input->kernel;
	const struct ir_summary *summary = kernel->summary;
	const struct ir_node *n = &kernel->nodes[node];
	uint32_t from = summary->node_block[node];

	if (n->op == NODE_LOOP_VAR)
		return true;
	if (n->op == NODE_LOCAL_ID || n->op == NODE_GLOBAL_ID)
		return !w->m->code.is_common[node];
	return from < kernel->block_count && summary->block_region[from] != region &&
	       n->operand_count > 0 && !w->m->code.is_common[node];
}

/* It is loaded once in a region, and lies a step of one apart; or is the id of the loop. */
static void need(const struct worths *w, uint32_t node, uint32_t block, double share)
{
	uint32_t region = w->m->input->kernel->summary->block_region[block];

	if (node == IR_NONE || w->kept_in[node] == region + 1 || !is_kept(w, node, region))
		return;
	w->kept_in[node] = region + 1;
	w->of_region[region].scalar += share;
	w->of_region[region].vector += 1;
}

static double cost_of(const struct ir_kernel *kernel, const struct ir_node *n)
{
	const struct ir_node *from;

	switch ((enum node_op)n->op) {
	case NODE_LOAD: /* as an access */
		return 0;
	case NODE_CONVERT:
		from = &kernel->nodes[kernel->operands[n->first_operand]];
		return type_bytes(n->type) > type_bytes(from->type) || type_is_real(n->type) ||
		       type_is_real(from->type);
	case NODE_DIV:
	case NODE_REM:
		return (double)LONG_COST;
	case NODE_CALL:
		if (builtin_class((enum builtin)n->aux) == OP_CLASS_FMINMAX)
			return (double)LLVM_EXTREME_COST;
		return op_class_is_call(builtin_class((enum builtin)n->aux))
		               ? (double)LLVM_VECTOR_BYTES
		               : (double)LONG_COST;
	default:
		return 1;
	}
}

static void weigh_nodes(const struct worths *w)
{
	const struct ir_kernel *kernel = w->m->input->kernel;

	for (uint32_t id = 0; id < kernel->node_count; id++) {
		const struct ir_node *n = &kernel->nodes[id];
		uint32_t block = kernel->summary->node_block[id];
		struct worth *worth = worth_of(w, block);
		double share;

		if (worth == NULL || n->operand_count == 0 || w->m->code.is_common[id])
			continue;
		share = is_conditional(w->m, block) ? TAKEN : 1;
		worth->scalar += share * cost_of(kernel, n);
		worth->vector += cost_of(kernel, n);
		for (unsigned i = 0; i < n->operand_count; i++)
			need(w, kernel->operands[n->first_operand + i], block, share);
	}
}

/*
 * The position of an access that is gathered: the address itself is kept where a region before has
 * had it, or else what it is made of.
 */
static void need_position(const struct worths *w, uint32_t access, uint32_t block, double share)
{
	const struct ir_kernel *kernel = w->m->input->kernel;
	const struct ir_access *a = &kernel->accesses[access];
	uint32_t region = kernel->summary->block_region[block];
	struct worth *worth = &w->of_region[region];

	if (a->index == IR_NONE || w->m->code.is_common[a->index])
		return;
	worth->has_positions = true;
	for (uint32_t i = access > LOOKED_BACK ? access - LOOKED_BACK : 0; i < access; i++) {
		const struct ir_access *b = &kernel->accesses[i];
		uint32_t at = kernel->summary->access_block[i];

		if (b->object != a->object || b->index != a->index || at >= kernel->block_count)
			continue;
		if (kernel->summary->block_region[at] == region)
			return;
		worth->scalar += share;
		worth->vector += 1;
		return;
	}
	need(w, a->index, block, share);
}

static void weigh_accesses(const struct worths *w)
{
	const struct machine *m = w->m;
	const struct ir_kernel *kernel = m->input->kernel;

	for (uint32_t i = 0; i < kernel->access_count; i++) {
		const struct ir_access *a = &kernel->accesses[i];
		uint32_t block = kernel->summary->access_block[i];
		unsigned bytes = scalar_bytes((enum scalar)a->type.scalar);
		struct worth *worth = worth_of(w, block);
		double share;

		if (worth == NULL || kernel->objects[a->object].space > SPACE_LOCAL)
			continue;
		share = is_conditional(m, block) ? TAKEN : 1;
		worth->scalar += share;
		if (m->code.is_gathered[i] || !(m->code.is_same[i] || steps_by_one(m, i))) {
			worth->gathers++;
			worth->singles += bytes < LLVM_GATHERED_BYTES;
			need_position(w, i, block, share);
		} else {
			worth->vector += share < 1 ? (double)MASKED_COST : 1;
		}
		need(w, a->value, block, share);
	}
}

/*
 * What loops around barriers go by: where no barrier stands at the end of an iteration, the region
 * before it reckons and keeps it for the next one.
 */
static void weigh_variables(const struct worths *w)
{
	const struct ir_kernel *kernel = w->m->input->kernel;
	const struct ir_summary *summary = kernel->summary;

	for (uint32_t s = 0; s < kernel->statement_count; s++) {
		const struct ir_statement *loop = &kernel->statements[s];
		struct worth *worth;
		uint32_t last;

		if (loop->kind != STATEMENT_LOOP)
			continue;
		worth = worth_of(w, loop->body);
		last = kernel->blocks[loop->body].last;
		if (worth == NULL || last == IR_NONE ||
		    kernel->statements[last].kind == STATEMENT_BARRIER)
			continue;
		for (uint32_t i = 0; i < loop->variable_count; i++) {
			uint32_t node = kernel->variables[loop->first_variable + i].node;

			if (summary->node_block[node] == IR_NONE)
				continue;
			worth->scalar += (double)KEPT_COST;
			worth->vector += (double)KEPT_COST;
		}
	}
}

static bool is_worth(const struct worth *worth)
{
	double lanes = (double)LLVM_VECTOR_BYTES / (double)POSITION_BYTES;
	double plain = worth->gathers - worth->singles;

	return (double)TURN_COST + worth->vector + plain * ((double)GATHER_COST + lanes) +
	               worth->singles * (double)LANE_COST * lanes <=
	       lanes * ((double)TURN_COST + worth->scalar);
}

enum status cpu_worth(struct machine *m, struct error *error)
{
	const struct ir_kernel *kernel = m->input->kernel;
	struct worths w = {.m = m};
	enum status status = STATUS_OK;

	if (!kernel->summary->has_barrier || !m->code.makes_vectors ||
	    !mechanism(MECHANISM_COST_MODEL))
		return STATUS_OK;
	w.of_region = calloc((size_t)kernel->statement_count + 1, sizeof(*w.of_region));
	w.kept_in = calloc((size_t)kernel->node_count + 1, sizeof(*w.kept_in));
	if (!w.of_region || !w.kept_in) {
		status = error_set(error, STATUS_NO_MEMORY,
		                   "%s: no memory for what vectors are worth", kernel->name);
		goto out;
	}
	weigh_nodes(&w);
	weigh_accesses(&w);
	weigh_variables(&w);
	for (uint32_t b = 0; b < kernel->block_count; b++) {
		const struct worth *worth = worth_of(&w, b);

		if (worth != NULL && worth->has_positions && !is_worth(worth))
			m->code.is_refused[b] = m->code.has_worthless = true;
	}
out:
	free(w.of_region);
	free(w.kept_in);
	return status;
}
