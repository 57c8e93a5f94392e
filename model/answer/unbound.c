/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Accesses whose address no more than data bounds.
 *
 * Each node gets two bits: it may lie anywhere below, or anywhere above, what the launch tells.
 * They are found by a walk from the address to the leaves. A value that rests on itself, in a loop
 * or by way of memory, adds nothing to its own bits.
 */
#include "model/answer/unbound.h"

#include <stdlib.h>

#include "model/passes/passes.h"

enum { BELOW = 1, ABOVE = 2, ANYWHERE = BELOW | ABOVE, SEEN = 4 };

/* Deeper is a kernel of a generator: what lies there is taken to be bounded. */
enum { DEPTH_MOST = 2000 };

struct walk {
	const struct ir_kernel *kernel;
	uint8_t *bits; /* per node */
	unsigned depth;
};

static uint8_t bits_of(struct walk *walk, uint32_t node);

static uint32_t operand(const struct ir_kernel *kernel, const struct ir_node *node, unsigned i)
{
	return kernel->operands[node->first_operand + i];
}

static uint8_t swapped(uint8_t bits)
{
	return (uint8_t)((bits & BELOW ? ABOVE : 0) | (bits & ABOVE ? BELOW : 0));
}

/* What a load gives: any real, any integer that the kernel keeps there. */
static uint8_t bits_of_load(struct walk *walk, const struct ir_access *load)
{
	const struct ir_kernel *kernel = walk->kernel;
	bool is_own = kernel->objects[load->object].argument == IR_NONE;
	uint8_t bits = type_is_real(load->type) && !is_own ? ANYWHERE : 0;

	for (uint32_t a = 0; a < kernel->access_count && bits != ANYWHERE; a++)
		if (kernel->accesses[a].object == load->object &&
		    kernel->accesses[a].kind == ACCESS_STORE)
			bits |= bits_of(walk, kernel->accesses[a].value);
	return bits;
}

enum { CONDITION_DEPTH = 16 };

static bool has_variable(const struct ir_kernel *kernel, uint32_t node, unsigned depth)
{
	const struct ir_node *of = &kernel->nodes[node];
	bool has = of->op == NODE_LOOP_VAR;

	for (unsigned i = 0; i < of->operand_count && !has && depth < CONDITION_DEPTH; i++)
		has = has_variable(kernel, operand(kernel, of, i), depth + 1);
	return has;
}

/*
 * Whether a condition compares a loop's variable: with what the launch tells, or for order with any
 * integer. What is read where the variable points to is not compared with it.
 */
static bool is_bounding(const struct ir_kernel *kernel, uint32_t node, unsigned depth)
{
	const struct ir_node *of = &kernel->nodes[node];
	bool is_order = of->op == NODE_LT || of->op == NODE_LE;
	bool is_bound = false;

	if (is_order || of->op == NODE_EQ || of->op == NODE_NE) {
		bool is_integer = type_is_integer(kernel->nodes[operand(kernel, of, 0)].type);

		return has_variable(kernel, node, 0) &&
		       (kernel->summary->node_is_integer_known[node] || (is_order && is_integer));
	}
	for (unsigned i = 0; i < of->operand_count && !is_bound && depth < CONDITION_DEPTH; i++)
		is_bound = is_bounding(kernel, operand(kernel, of, i), depth + 1);
	return is_bound;
}

/* Whether a branch is taken where an integer in memory is 0, or not above it, which ends a list as
 * a rule. */
static bool is_list_end(const struct ir_kernel *kernel, const struct ir_statement *branch)
{
	const struct ir_node *condition = &kernel->nodes[branch->condition], *of;

	if (condition->op == NODE_EQ || condition->op == NODE_LE) {
		const struct ir_node *zero = &kernel->nodes[operand(kernel, condition, 1)];

		if (zero->op != NODE_CONST_INT || zero->imm != 0)
			return false;
	} else if (condition->op != NODE_LNOT) {
		return false;
	}
	of = &kernel->nodes[operand(kernel, condition, 0)];
	while (of->op == NODE_CONVERT && type_is_integer(of->type))
		of = &kernel->nodes[operand(kernel, of, 0)];
	return of->op == NODE_LOAD && type_is_integer(of->type);
}

/* Whether a statement stands in a loop, under a condition that bounds one of its variables. */
static bool is_bounded_exit(const struct ir_kernel *kernel, uint32_t statement, uint32_t loop)
{
	uint32_t block = kernel->statements[statement].block, owner = kernel->blocks[block].owner;
	bool is_bound = owner != IR_NONE && kernel->statements[owner].kind == STATEMENT_BRANCH &&
	                kernel->statements[owner].body == block &&
	                is_list_end(kernel, &kernel->statements[owner]);

	while (owner != IR_NONE && owner != loop) {
		if (kernel->statements[owner].kind == STATEMENT_BRANCH)
			is_bound |= is_bounding(kernel, kernel->statements[owner].condition, 0);
		owner = kernel->blocks[kernel->statements[owner].block].owner;
	}
	return is_bound && owner == loop;
}

static bool is_bounded_loop(const struct ir_kernel *kernel, uint32_t loop)
{
	uint32_t condition = kernel->statements[loop].condition;
	bool is_bound = condition != IR_NONE && is_bounding(kernel, condition, 0);

	for (uint32_t i = 0; i < kernel->statement_count && !is_bound; i++)
		is_bound = kernel->statements[i].kind == STATEMENT_EXIT &&
		           is_bounded_exit(kernel, i, loop);
	return is_bound;
}

static uint8_t bits_of_variable(struct walk *walk, uint32_t node)
{
	const struct ir_kernel *kernel = walk->kernel;
	const struct ir_statement *loop = &kernel->statements[kernel->nodes[node].aux];
	uint8_t bits = 0;

	for (uint32_t v = 0; v < loop->variable_count; v++) {
		const struct ir_variable *variable = &kernel->variables[loop->first_variable + v];

		if (variable->node != node)
			continue;
		bits |= bits_of(walk, variable->init);
		if (variable->next == IR_NONE || variable->next == node)
			continue;
		bits |= bits_of(walk, variable->next);
		if (kernel->nodes[variable->next].op == NODE_ADD &&
		    !is_bounded_loop(kernel, kernel->nodes[node].aux))
			bits |= ANYWHERE;
	}
	return bits;
}

static bool is_bounded_call(unsigned builtin)
{
	return builtin == BUILTIN_SIN || builtin == BUILTIN_COS || builtin == BUILTIN_SINPI ||
	       builtin == BUILTIN_COSPI;
}

/* The lesser of two goes as far up as the one that goes less far. */
static uint8_t bits_of_least(uint8_t a, uint8_t b)
{
	return (uint8_t)(((a | b) & BELOW) | (a & b & ABOVE));
}

static uint8_t bits_of_greatest(uint8_t a, uint8_t b)
{
	return (uint8_t)(((a | b) & ABOVE) | (a & b & BELOW));
}

static uint8_t bits_of_operation(struct walk *walk, uint32_t index)
{
	const struct ir_kernel *kernel = walk->kernel;
	const struct ir_node *node = &kernel->nodes[index];
	uint8_t of[3] = {0}, all = 0;

	for (unsigned i = 0; i < node->operand_count; i++) {
		uint8_t bits = bits_of(walk, operand(kernel, node, i));

		all |= bits;
		if (i < 3)
			of[i] = bits;
	}
	switch (node->op) {
	case NODE_PHI:
	case NODE_SELECT:
		return of[1] | of[2];
	case NODE_SUB:
		return of[0] | swapped(of[1]);
	case NODE_NEG:
		return swapped(of[0]);
	case NODE_MIN:
		return bits_of_least(of[0], of[1]);
	case NODE_MAX:
		return bits_of_greatest(of[0], of[1]);
	case NODE_AND:
		return of[0] & of[1];
	case NODE_REM:
		return of[1];
	case NODE_EQ:
	case NODE_NE:
	case NODE_LT:
	case NODE_LE:
	case NODE_LNOT:
		return 0;
	case NODE_CALL:
		if (node->aux == BUILTIN_FMIN)
			return bits_of_least(of[0], of[1]);
		if (node->aux == BUILTIN_FMAX)
			return bits_of_greatest(of[0], of[1]);
		return is_bounded_call(node->aux) ? 0 : all;
	case NODE_CONVERT: /* a byte lies within its type */
		return scalar_bytes(node->type.scalar) == 1 ? 0 : all;
	default:
		return all;
	}
}

static uint8_t bits_of(struct walk *walk, uint32_t index)
{
	const struct ir_node *node;
	uint8_t bits;

	if (index == IR_NONE || walk->depth > DEPTH_MOST)
		return 0;
	if (walk->bits[index] & SEEN)
		return walk->bits[index] & ANYWHERE;
	walk->bits[index] = SEEN;
	walk->depth++;
	node = &walk->kernel->nodes[index];
	switch (node->op) {
	case NODE_LOAD:
		bits = bits_of_load(walk, &walk->kernel->accesses[node->aux]);
		break;
	case NODE_LOOP_VAR:
		bits = bits_of_variable(walk, index);
		break;
	case NODE_UNKNOWN:
		bits = ANYWHERE;
		break;
	default:
		bits = bits_of_operation(walk, index);
	}
	walk->depth--;
	walk->bits[index] |= bits;
	return bits;
}

bool unbound_find(const struct ir_kernel *kernel, bool *is_unbound)
{
	struct walk walk = {.kernel = kernel, .bits = calloc(kernel->node_count + 1, 1)};

	if (walk.bits == NULL)
		return false;
	for (uint32_t a = 0; a < kernel->access_count; a++)
		is_unbound[a] = kernel->objects[kernel->accesses[a].object].space != SPACE_IMAGE &&
		                bits_of(&walk, kernel->accesses[a].index) != 0;
	free(walk.bits);
	return true;
}
