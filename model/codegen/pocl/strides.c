/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What LLVM can prove of an index from one work-item to the next, when it makes
 * vectors of the loop over work-items.
 *
 * Its loop vectoriser reads or writes neighbours at once only where scalar
 * evolution shows a step of one; what it cannot follow is gathered and
 * scattered, whatever the addresses are. Seen in the code that PoCL emits
 * (LLVM 15; tests/accuracy/README.md says how to look):
 *
 * - Narrowing get_global_id(0) to 32 bits is no obstacle: a check before the loop
 *   that nothing wraps stands for the proof. But instruction combining moves the
 *   sign extension of `(int)id + 3` to the front, as shifts of 64 bits around
 *   an addition, and that form is not understood. Zero extensions stay readable, and so does a
 *   sum or product that something else needs as well, and a product by a power of two, which is
 *   a shift: those stay as they are (InstCombineCasts.cpp: canEvaluateSExtd).
 * - `x & (2^k - 1)` is a number of k bits. The loop runs as vectors where it does not
 *   wrap within the work-group, and one by one where it does: always, where
 *   the work-group is longer than 2^k.
 * - `x / n * n + x % n` becomes x, frozen, and no step of that is known.
 * - A short loop over few work-items is unrolled whole before the vectoriser sees it, branches or
 *   not. What then joins neighbours again wants addresses a known distance apart: plain ones of 64
 *   bits. Beside branches nothing does; rows are made vectors, unless they are written in place.
 */
#include "model/codegen/pocl/strides.h"
#include "model/codegen/pocl/llvm.h"

#include <math.h>
#include <stdlib.h>

#include "model/passes/passes.h"

enum {
	CALL_SIZE = 40, /* dozens: PoCL's functions are inlined */
	WIDE_BITS = 64
};

/* An integer as the loop over work-items sees it. */
struct step {
	bool is_same;          /* for all work-items of the loop */
	bool is_even;          /* changes by the same from one to the next, provably */
	bool is_wide_at_heart; /* made of ids narrowed from 64 bits, and literals */
	bool is_multiple;      /* and those are multiplied with a literal */
	int64_t literal;       /* and this is added to them */
	int64_t within;        /* and this was before they were narrowed */
	uint8_t bits;          /* that the value has after masks; 64: no mask */
};

struct steps {
	const struct ir_kernel *kernel;
	const bool *is_uniform;
	struct step *of_node;
	bool *is_frozen; /* per node */
	uint8_t *uses;   /* per node: what needs it, 2: more than one */
	uint8_t *narrow; /* per node: of how many low bytes a frozen value consists: bits 1 to 8 */
	unsigned lanes;  /* the dimension that the loop is over */
};

static const struct step opaque = {.bits = WIDE_BITS};

static bool is_narrow(struct type type)
{
	return scalar_bytes((enum scalar)type.scalar) < 8;
}

static const struct step *operand_step(const struct steps *steps, const struct ir_node *node,
                                       unsigned i)
{
	return &steps->of_node[steps->kernel->operands[node->first_operand + i]];
}

static const struct ir_node *operand_node(const struct steps *steps, const struct ir_node *node,
                                          unsigned i)
{
	return &steps->kernel->nodes[steps->kernel->operands[node->first_operand + i]];
}

/* k where a literal is 2^k - 1 (less_one), or 2^k; 0: neither. */
static unsigned power_of(const struct ir_node *node, bool less_one)
{
	uint64_t value = node->imm + (less_one ? 1 : 0);

	if (node->op != NODE_CONST_INT || value < 2 || (value & (value - 1)) != 0)
		return 0;
	return (unsigned)__builtin_ctzll(value);
}

static struct step masked(const struct step *from, unsigned bits)
{
	struct step step = *from;

	if (bits == 0)
		return opaque;
	step.is_wide_at_heart = step.is_multiple = false;
	step.literal = step.within = 0;
	step.bits = (uint8_t)(bits < step.bits ? bits : step.bits);
	return step;
}

/* Whether a sign extension goes on to what an operand is made of: a number that nothing else needs.
 */
static bool is_own(const struct steps *steps, const struct ir_node *node, unsigned i)
{
	const struct ir_node *operand = operand_node(steps, node, i);

	return operand->op == NODE_CONST_INT || operand->op == NODE_CONVERT ||
	       steps->uses[steps->kernel->operands[node->first_operand + i]] < 2;
}

/* A sum, or a product, of two. */
static struct step joined(const struct steps *steps, const struct ir_node *node)
{
	const struct step *a = operand_step(steps, node, 0), *b = operand_step(steps, node, 1);
	uint64_t first = (uint64_t)a->literal, second = (uint64_t)b->literal;
	struct step step = {.is_wide_at_heart = a->is_wide_at_heart && b->is_wide_at_heart &&
	                                        is_own(steps, node, 0) && is_own(steps, node, 1),
	                    .is_multiple = a->is_multiple || b->is_multiple,
	                    .bits = WIDE_BITS};

	if (!a->is_same)
		step.bits = a->bits;
	if (!b->is_same && b->bits < step.bits)
		step.bits = b->bits;
	step.is_even = (a->is_even || a->is_same) && (b->is_even || b->is_same);
	if (node->op == NODE_MUL) {
		step.is_even &= a->is_same || b->is_same;
		step.is_multiple |= operand_node(steps, node, 0)->op == NODE_CONST_INT ||
		                    operand_node(steps, node, 1)->op == NODE_CONST_INT ||
		                    first != 0 || second != 0;
		step.is_wide_at_heart &= power_of(operand_node(steps, node, 0), false) == 0 &&
		                         power_of(operand_node(steps, node, 1), false) == 0;
	} else {
		step.literal = (int64_t)(node->op == NODE_ADD ? first + second : first - second);
		first = (uint64_t)a->within, second = (uint64_t)b->within;
		step.within = (int64_t)(node->op == NODE_ADD ? first + second : first - second);
	}
	return step;
}

/* The value of a node in 64 bits, from a narrower one. */
static struct step widened(const struct steps *steps, uint32_t id)
{
	const struct step *from = &steps->of_node[id];
	struct type type = steps->kernel->nodes[id].type;

	if (is_narrow(type) && type_is_signed(type) && from->is_wide_at_heart &&
	    steps->uses[id] < 2 &&
	    (from->is_multiple ||
	     (from->literal != 0 && (uint64_t)from->literal + (uint64_t)from->within != 0)))
		return opaque;
	return *from;
}

static struct step converted(const struct steps *steps, const struct ir_node *node)
{
	const struct step *from = operand_step(steps, node, 0);
	struct type type = operand_node(steps, node, 0)->type;
	struct step step = *from;

	if (!type_is_integer(type) || !type_is_integer(node->type) ||
	    scalar_bytes((enum scalar)node->type.scalar) < 4)
		return opaque;
	if (!is_narrow(node->type))
		return widened(steps, steps->kernel->operands[node->first_operand]);
	if (!is_narrow(type)) {
		step.is_wide_at_heart = true;
		step.is_multiple = false;
		step.within = step.literal;
		step.literal = 0;
	}
	return step;
}

/* Bytes of a node that takes so many of its operand's low ones; 0: it is none. */
static unsigned narrowed_bytes(const struct ir_kernel *kernel, const struct ir_node *node)
{
	const struct ir_node *from;

	if (node->op != NODE_CONVERT || !type_is_integer(node->type))
		return 0;
	from = &kernel->nodes[kernel->operands[node->first_operand]];
	if (!type_is_integer(from->type) || scalar_bytes((enum scalar)from->type.scalar) <
	                                            scalar_bytes((enum scalar)node->type.scalar))
		return 0;
	return scalar_bytes((enum scalar)node->type.scalar);
}

/* Marks what holds the same bits as a frozen value: as many of the same one, of either sign. */
static void mark_same_bits(const struct ir_kernel *kernel, bool *is_frozen, uint8_t *narrow)
{
	for (uint32_t id = kernel->node_count; id-- > 0;) {
		unsigned bytes = narrowed_bytes(kernel, &kernel->nodes[id]);

		if (is_frozen[id] && bytes != 0)
			narrow[kernel->operands[kernel->nodes[id].first_operand]] |= (uint8_t)bytes;
	}
	for (uint32_t id = 0; id < kernel->node_count; id++) {
		unsigned bytes = narrowed_bytes(kernel, &kernel->nodes[id]);

		if (bytes != 0)
			is_frozen[id] |=
			        (narrow[kernel->operands[kernel->nodes[id].first_operand]] &
			         bytes) != 0;
	}
}

/*
 * Marks values p of which the source took p / n * n + p % n, which is p and was folded: a
 * compiler freezes p for that, and knows nothing of a frozen value's steps.
 */
static void mark_frozen(const struct ir_kernel *kernel, bool *is_frozen)
{
	for (uint32_t id = 0; id < kernel->node_count; id++) {
		const struct ir_node *node = &kernel->nodes[id];

		if (node->op != NODE_MUL || kernel->summary->node_block[id] != IR_NONE)
			continue; /* what was folded is needed by nothing */
		for (unsigned i = 0; i < 2; i++) {
			const uint32_t *operand = &kernel->operands[node->first_operand];
			const struct ir_node *quotient = &kernel->nodes[operand[i]];

			if (quotient->op == NODE_DIV &&
			    kernel->operands[quotient->first_operand + 1] == operand[1 - i])
				is_frozen[kernel->operands[quotient->first_operand]] = true;
		}
	}
}

static void use(uint8_t *uses, uint32_t node)
{
	if (node != IR_NONE)
		uses[node] = (uint8_t)(uses[node] + (uses[node] < 2));
}

/* Counts what needs each node, one and more; all accesses at a place have one position. */
static void count_uses(const struct ir_kernel *kernel, uint8_t *uses)
{
	for (uint32_t i = 0; i < kernel->access_count; i++)
		if (kernel->accesses[i].index != IR_NONE &&
		    kernel->summary->access_block[i] != IR_NONE)
			uses[kernel->accesses[i].index] = 1;
	for (uint32_t i = 0; i < kernel->access_count; i++)
		if (kernel->summary->access_block[i] != IR_NONE)
			use(uses, kernel->accesses[i].value);
	for (uint32_t i = 0; i < kernel->variable_count; i++)
		if (kernel->summary->node_block[kernel->variables[i].node] != IR_NONE) {
			use(uses, kernel->variables[i].init);
			use(uses, kernel->variables[i].next);
		}
	for (uint32_t id = 0; id < kernel->node_count; id++) {
		const struct ir_node *node = &kernel->nodes[id];

		for (unsigned i = 0; i < node->operand_count; i++)
			if (kernel->summary->node_block[id] != IR_NONE)
				use(uses, kernel->operands[node->first_operand + i]);
	}
}

/*
 * Whether a load is done once for the loop: always, of one place, and nothing is written that may
 * be there, which types tell as far as C does. A byte may be part of anything.
 */
static bool is_hoisted(const struct steps *steps, uint32_t load)
{
	const struct ir_kernel *kernel = steps->kernel;
	const struct ir_access *from = &kernel->accesses[load];
	uint32_t block = kernel->summary->access_block[load];

	if (block == IR_NONE || kernel->blocks[block].owner != IR_NONE ||
	    kernel->objects[from->object].space > SPACE_CONSTANT || from->index == IR_NONE ||
	    !steps->of_node[from->index].is_same)
		return false;
	for (uint32_t i = 0; i < kernel->access_count; i++) {
		const struct ir_access *to = &kernel->accesses[i];

		if (to->kind == ACCESS_LOAD || kernel->objects[to->object].space > SPACE_GLOBAL)
			continue;
		if (type_class_of(to->type) == type_class_of(from->type) ||
		    scalar_bytes((enum scalar)to->type.scalar) == 1 ||
		    scalar_bytes((enum scalar)from->type.scalar) == 1)
			return false;
	}
	return true;
}

static struct step step_of(const struct steps *steps, uint32_t id)
{
	const struct ir_node *node = &steps->kernel->nodes[id];
	struct step step = opaque;

	if (steps->is_frozen[id]) {
		step.is_same = steps->is_uniform[id];
		return step;
	}
	switch ((enum node_op)node->op) {
	case NODE_GLOBAL_ID:
	case NODE_LOCAL_ID:
		step.is_even = node->aux == steps->lanes;
		step.is_same = !step.is_even;
		return step;
	case NODE_CONST_INT:
		step.is_same = step.is_wide_at_heart = true;
		step.literal = (int64_t)node->imm;
		return step;
	case NODE_CONVERT:
		step = converted(steps, node);
		break;
	case NODE_ADD:
	case NODE_SUB:
	case NODE_MUL:
		step = joined(steps, node);
		break;
	case NODE_NEG:
		step = *operand_step(steps, node, 0);
		step.literal = (int64_t)-(uint64_t)step.literal;
		step.within = (int64_t)-(uint64_t)step.within;
		break;
	case NODE_SHL:
		if (operand_step(steps, node, 1)->is_same) {
			step = *operand_step(steps, node, 0);
			step.is_wide_at_heart = step.is_multiple = false;
			step.literal = step.within = 0;
		}
		break;
	case NODE_AND:
		step = masked(operand_step(steps, node, 0),
		              power_of(operand_node(steps, node, 1), true));
		break;
	case NODE_REM:
		if (!type_is_signed(node->type))
			step = masked(operand_step(steps, node, 0),
			              power_of(operand_node(steps, node, 1), false));
		break;
	default:
		break;
	}
	step.is_same = steps->is_uniform[id];
	if (node->op == NODE_LOAD) {
		step.is_same |= is_hoisted(steps, node->aux);
		return step;
	}
	for (unsigned i = 0; i < node->operand_count && !step.is_same; i++)
		if (!operand_step(steps, node, i)->is_same)
			return step;
	/* what is made of nothing that differs along the loop does not differ either */
	step.is_same |= node->operand_count > 0 && node->op != NODE_ATOMIC;
	return step;
}

/* Of work-groups that begin at multiples of `length`, those within which k bits wrap. */
static double wrapping_share(uint64_t length, unsigned bits)
{
	uint64_t period, a = length, b;

	if (bits >= 63)
		return 0;
	period = b = 1ull << bits;
	if (length > period)
		return 1;
	while (b != 0) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return (double)(length - a) / (double)period;
}

double cpu_node_size(const struct ir_kernel *kernel, uint32_t id)
{
	const struct ir_node *node = &kernel->nodes[id];
	bool is_whole = type_is_integer(node->type);

	if (node->operand_count == 0 || node->op == NODE_LOAD ||
	    (node->op == NODE_CONVERT && is_whole &&
	     type_is_integer(kernel->nodes[kernel->operands[node->first_operand]].type)))
		return 0;
	if (node->op != NODE_CALL)
		return 1;
	if (op_class_is_call(builtin_class((enum builtin)node->aux)))
		return (double)CALL_SIZE;
	return fmax(1, (double)builtin_operations((enum builtin)node->aux));
}

/* Instructions that make a position one of 64 bits. */
static double widening_size(const struct ir_kernel *kernel, uint32_t index)
{
	const struct ir_node *node = &kernel->nodes[index];

	if (!is_narrow(node->type))
		return 0;
	return node->op == NODE_CONVERT && type_is_signed(node->type) ? (double)LLVM_SIGNED_SIZE
	                                                              : 1;
}

/*
 * Instructions of the loop's body, roughly, without what does not change from one work-item to the
 * next; a huge number where it has a loop. Branches are no obstacle.
 */
static double body_size(const struct steps *steps)
{
	const struct ir_kernel *kernel = steps->kernel;
	const struct ir_summary *summary = kernel->summary;
	double size = LLVM_LOOP_SIZE;

	if (summary->loop_count > 0 || summary->has_barrier)
		return 1e9;
	for (uint32_t i = 0; i < kernel->statement_count; i++)
		size += kernel->statements[i].kind == STATEMENT_BRANCH;
	for (uint32_t i = 0; i < kernel->node_count; i++)
		if (summary->node_block[i] != IR_NONE && !steps->of_node[i].is_same)
			size += cpu_node_size(kernel, i);
	for (uint32_t i = 0; i < kernel->access_count && size < LLVM_UNROLL_SIZE; i++) {
		uint32_t index = kernel->accesses[i].index;

		if (summary->access_block[i] == IR_NONE)
			continue;
		size++;
		/* the same position is made one once */
		for (uint32_t j = 0; j < i && index != IR_NONE; j++)
			if (summary->access_block[j] != IR_NONE &&
			    kernel->accesses[j].index == index)
				index = IR_NONE;
		if (index != IR_NONE && !steps->of_node[index].is_same)
			size += widening_size(kernel, index);
	}
	return size;
}

/* Whether something is read or written on a side of a branch, where nothing joins neighbours again.
 */
static bool has_side_access(const struct ir_kernel *kernel)
{
	for (uint32_t s = 0; s < kernel->statement_count; s++) {
		uint32_t owner = kernel->blocks[kernel->statements[s].block].owner;

		if (kernel->statements[s].kind == STATEMENT_ACCESS && owner != IR_NONE &&
		    kernel->statements[owner].kind == STATEMENT_BRANCH)
			return true;
	}
	return false;
}

/* Whether an array is both read and written: rows of work-items may wait for each other, then. */
static bool is_in_place(const struct ir_kernel *kernel)
{
	for (uint32_t i = 0; i < kernel->access_count; i++) {
		if (kernel->accesses[i].kind != ACCESS_STORE)
			continue;
		for (uint32_t j = 0; j < kernel->access_count; j++)
			if (kernel->accesses[j].kind == ACCESS_LOAD &&
			    kernel->summary->access_block[j] != IR_NONE &&
			    kernel->accesses[j].object == kernel->accesses[i].object)
				return true;
	}
	return false;
}

/* Whether a position is a frozen value as it is, or in more bits. */
static bool is_bare(const struct steps *steps, uint32_t id)
{
	while (!steps->is_frozen[id] && steps->kernel->nodes[id].op == NODE_CONVERT)
		id = steps->kernel->operands[steps->kernel->nodes[id].first_operand];
	return steps->is_frozen[id];
}

enum status cpu_steps(const struct ir_kernel *kernel, const struct launch *launch,
                      const bool *is_uniform, const bool *has_crossed, bool *is_common,
                      uint8_t *found, double *one_by_one, struct error *error)
{
	struct steps steps = {.kernel = kernel, .is_uniform = is_uniform};
	bool is_plain = true, is_parted = has_side_access(kernel);
	uint64_t length, rows = 1;

	*one_by_one = 0;
	steps.of_node = calloc((size_t)kernel->node_count + 1, sizeof(*steps.of_node));
	steps.is_frozen = calloc((size_t)kernel->node_count + 1, sizeof(*steps.is_frozen));
	steps.narrow = calloc((size_t)kernel->node_count + 1, sizeof(*steps.narrow));
	steps.uses = calloc((size_t)kernel->node_count + 1, sizeof(*steps.uses));
	if (!steps.of_node || !steps.is_frozen || !steps.narrow || !steps.uses) {
		free(steps.uses);
		free(steps.narrow);
		free(steps.of_node);
		free(steps.is_frozen);
		return error_set(error, STATUS_NO_MEMORY, "%s: no memory for its steps",
		                 kernel->name);
	}
	mark_frozen(kernel, steps.is_frozen);
	mark_same_bits(kernel, steps.is_frozen, steps.narrow);
	count_uses(kernel, steps.uses);
	steps.lanes = launch_row(launch);
	length = launch->local[steps.lanes];
	for (uint32_t i = 0; i < kernel->node_count; i++) { /* operands come before their users */
		steps.of_node[i] = step_of(&steps, i);
		is_common[i] = steps.of_node[i].is_same;
	}
	for (uint32_t i = 0; i < kernel->access_count; i++) {
		const struct ir_access *access = &kernel->accesses[i];
		struct step step;

		if (access->kind == ACCESS_ATOMIC || kernel->summary->access_block[i] == IR_NONE ||
		    kernel->objects[access->object].space > SPACE_CONSTANT)
			continue;
		if (access->index == IR_NONE || steps.of_node[access->index].is_same) {
			found[i] = CPU_STEP_SAME;
			continue;
		}
		step = widened(&steps, access->index);
		is_plain &= step.is_even && step.bits == WIDE_BITS &&
		            !is_narrow(kernel->nodes[access->index].type) &&
		            type_bytes(access->type) >= 4;
		if (!step.is_even)
			found[i] = is_bare(&steps, access->index) ? CPU_STEP_UNKNOWN
			                                          : CPU_STEP_SHIFTED;
		if (step.is_even && !has_crossed[i])
			*one_by_one = fmax(*one_by_one, wrapping_share(length, step.bits));
	}
	for (unsigned i = steps.lanes + 1; i < 3; i++)
		rows *= launch->local[i];
	/* behind a loop that was unrolled there may be vectors of rows */
	if (is_parted)
		is_plain = rows > 1 && !is_in_place(kernel);
	if (!is_plain && length < (uint64_t)LLVM_UNROLL_SIZE &&
	    body_size(&steps) * (double)length + (double)LLVM_ONCE_SIZE < LLVM_UNROLL_SIZE)
		*one_by_one = 1;
	free(steps.of_node);
	free(steps.is_frozen);
	free(steps.narrow);
	free(steps.uses);
	return STATUS_OK;
}
