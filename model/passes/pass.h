/* SPDX-License-Identifier: Apache-2.0 */
/* What the passes share while they run. Private to model/pass*.c. */
#ifndef PREDICTD_MODEL_PASSES_PASS_H
#define PREDICTD_MODEL_PASSES_PASS_H

#include "model/passes/passes.h"

/* Scratch of one run; every array has one element more than its kernel's count. */
struct pass {
	const struct ir_kernel *kernel;
	struct ir_summary *summary;

	/* tree: statements and blocks in the order of the text */
	uint32_t *order;                     /* statements */
	uint32_t *position;                  /* per statement: where it stands in `order` */
	uint32_t *block_order;               /* blocks that statements own, outer before inner */
	uint32_t *block_enter, *block_leave; /* per block: contains() compares these */
	uint32_t *block_loop;                /* per block: innermost loop around it, or IR_NONE */
	uint32_t *block_loops;               /* per block: how many loops are around it */
	uint32_t *loop_index;                /* per statement: in summary->loops, or IR_NONE */
	bool *block_barrier;                 /* per block: a barrier in it or below */
	uint32_t block_order_count;
	double *block_size; /* operations and accesses, loops within unrolled */

	/* per node */
	bool *live;
	uint32_t *early;          /* the deepest block that a node's operands need */
	uint32_t *affine_loop;    /* the loop in whose induction variable a node is linear */
	uint32_t *uses;           /* by live nodes and statements; filled by live */
	uint32_t *first_use;      /* place in `order` of the statement that first needs it; before
	                             pass_registers: scratch of pass_live */
	uint32_t *quotient_of;    /* a live integer division of it; IR_NONE: there is none */
	bool *marks;              /* scratch of one pass at a time */
	bool *is_fixed;           /* follows from constants and variables of unrolled loops */
	struct ir_counts *counts; /* that emit fills */
	struct ir_node_counts *node_counts; /* that emit fills where it is early or not, as asked;
	                                       NULL: nobody asks */
	bool is_node_early;
	bool is_early;      /* for loops that are unrolled early or not at all */
	bool *is_induction; /* NODE_LOOP_VAR with next = itself + invariant */

	bool *is_own; /* per object: private, and each work-item has other things in it */
};

static inline uint32_t pass_operand(const struct pass *pass, uint32_t node, unsigned i)
{
	return pass->kernel->operands[pass->kernel->nodes[node].first_operand + i];
}

/* True when block `outer` is `inner` or around it. */
static inline bool pass_contains(const struct pass *pass, uint32_t outer, uint32_t inner)
{
	return pass->block_enter[outer] <= pass->block_enter[inner] &&
	       pass->block_leave[inner] <= pass->block_leave[outer];
}

/* The block around a block; IR_NONE around block 0. */
static inline uint32_t pass_parent(const struct pass *pass, uint32_t block)
{
	uint32_t owner = pass->kernel->blocks[block].owner;
	return owner == IR_NONE ? IR_NONE : pass->kernel->statements[owner].block;
}

/* True when the node's value is the same in each iteration of the loop. */
static inline bool pass_invariant(const struct pass *pass, uint32_t node, uint32_t loop)
{
	return !pass_contains(pass, pass->kernel->statements[loop].body, pass->early[node]);
}

/* The value of an integer constant, also of a vector of one. */
bool pass_integer(const struct pass *pass, uint32_t node, uint64_t *value);

/* An integer constant that is a power of two. */
bool pass_is_shift(const struct pass *pass, uint32_t node);

/* Each fills what its line in model/passes/passes.h says. */
void pass_tree(struct pass *pass);
enum status pass_live(struct pass *pass, struct error *error);
enum status pass_place(struct pass *pass, struct error *error);
void pass_address(struct pass *pass);
void pass_uniform(struct pass *pass);
void pass_trips(struct pass *pass);
void pass_rotate(struct pass *pass);
/* Into `counts`; is_early: as where loops are unrolled early or not at all. */
void pass_emit(struct pass *pass, struct ir_counts *counts, bool is_early);
/* A division that is carried out only where the divisor is no greater than the dividend. */
bool pass_is_bypassed(const struct pass *pass, uint32_t node);
/* An integer division that is likely to take all 64 bits. */
bool pass_is_wide(const struct pass *pass, uint32_t node);
/* How many words of 32 bits an integer operation works on, of those that it has. */
enum words { WORDS_NONE, WORDS_ONE, WORDS_BOTH };
enum words pass_words(const struct pass *pass, uint32_t node);
void pass_unroll(struct pass *pass);
/* Trips of a loop, in the mean, that only constants and the counters of loops around it decide;
 * budget: values that may be computed, less those that were. */
bool pass_nested_trips(const struct pass *pass, uint32_t loop, uint32_t *budget, double *trips);
/* Whether those loops are unrolled. */
bool pass_nest_is_unrolled(const struct pass *pass, uint32_t loop);
void pass_constants(struct pass *pass);
void pass_pack(struct pass *pass);
/* Requires an early emit. */
void pass_early_places(struct pass *pass);
/* A load of the program's constants from a place that is known once loops are unrolled. */
bool pass_is_folded(const struct pass *pass, uint32_t access);
/* threaded.c: whether a CPU's compiler has a loop of two iterations as straight code. Requires a
 * first emit. */
bool pass_is_threaded(const struct pass *pass, const struct ir_loop *loop);

/* Fills is_outer of loops; is_met: per block, false, scratch. */
void pass_outer(struct pass *pass, bool *is_met);
enum status pass_vector(struct pass *pass, struct error *error);
enum status pass_fuse(struct pass *pass, struct error *error);
enum status pass_registers(struct pass *pass, struct error *error);

#endif
