/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operations of each block as a compiler emits them: what each node costs, by
 * the rules that model/passes/passes.h lists.
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "model/passes/pass.h"

enum { CASTS_MAX = 4 }; /* between an access and the sum that is its index */

/* What the operations of this pass need beyond struct pass; lent from it. */
/* The body of a loop that leaves nothing but sums. */
static bool is_dropped(const struct pass *pass, uint32_t block)
{
	uint32_t owner = pass->kernel->blocks[block].owner;
	return owner != IR_NONE && pass->loop_index[owner] != IR_NONE &&
	       pass->summary->loops[pass->loop_index[owner]].is_closed;
}

static void note_count(struct ir_node_counts *of, enum op_class op, enum type_class type,
                       double operations)
{
	assert(of->count < IR_NODE_COUNTS_MAX);
	of->op[of->count] = (uint8_t)op;
	of->type[of->count] = (uint8_t)type;
	of->operations[of->count++] = (float)operations;
}

static void count(struct pass *pass, uint32_t node, enum op_class op, enum type_class type,
                  double operations)
{
	struct ir_counts *counts = &pass->counts[pass->summary->node_block[node]];
	unsigned lanes = pass->kernel->nodes[node].type.width;
	if (type >= TYPE_CLASS_COUNT || is_dropped(pass, pass->summary->node_block[node]))
		return;
	if (pass->is_early && pass->summary->node_lanes[node] > 0)
		lanes = pass->summary->node_lanes[node];
	if (pass->node_counts != NULL && pass->is_early == pass->is_node_early)
		note_count(&pass->node_counts[node], op, type, operations);
	counts->operation[op][type] += (float)operations;
	counts->instruction[type] += (float)(operations / lanes);
	if (op_class_is_call(op))
		counts->call[type] += (float)(operations / lanes);
}

static bool is_power_of_two(uint64_t value)
{
	return value != 0 && (value & (value - 1)) == 0;
}

bool pass_is_shift(const struct pass *pass, uint32_t node)
{
	uint64_t value;
	return pass_integer(pass, node, &value) && is_power_of_two(value);
}

static bool is_real_power_of_two(const struct pass *pass, uint32_t node)
{
	const struct ir_node *n = &pass->kernel->nodes[node];
	double value;
	int exponent;
	if (n->op == NODE_SPLAT)
		n = &pass->kernel->nodes[pass_operand(pass, node, 0)];
	if (n->op != NODE_CONST_REAL)
		return false;
	memcpy(&value, &n->imm, sizeof value);
	return isfinite(value) && fabs(frexp(value, &exponent)) >= 0.5 &&
	       fabs(frexp(value, &exponent)) <= 0.5;
}

/* ---- what follows from constants ----------------------------------------------------------- */

/*
 * A constant, a variable of an unrolled loop that runs from a constant in
 * constant steps, or what is computed from such alone.
 */
static bool is_fixed(const struct pass *pass, uint32_t id)
{
	const struct ir_kernel *kernel = pass->kernel;
	const struct ir_node *node = &kernel->nodes[id];
	switch ((enum node_op)node->op) {
	case NODE_CONST_INT:
	case NODE_CONST_REAL:
		return true;
	case NODE_LOOP_VAR: {
		const struct ir_loop *loop = &pass->summary->loops[pass->loop_index[node->aux]];
		const struct ir_variable *variable = kernel_variable(kernel, id);
		if (!(pass->is_early ? loop->is_unrolled_early : loop->is_unrolled) ||
		    !pass->is_induction[id] || !pass->is_fixed[variable->init])
			return false;
		uint32_t a = pass_operand(pass, variable->next, 0);
		uint32_t b = pass_operand(pass, variable->next, 1);
		uint32_t step = a == id ? b : a;
		return kernel->nodes[step].op == NODE_CONST_INT;
	}
	case NODE_LOAD:
		return pass_is_folded(pass, node->aux);
	case NODE_CALL:
	case NODE_PHI:
		return false;
	default:
		if (node->operand_count == 0)
			return false;
		for (unsigned i = 0; i < node->operand_count; i++)
			if (!pass->is_fixed[pass_operand(pass, id, i)])
				return false;
		return true;
	}
}

/* ---- operators ----------------------------------------------------------------------------- */

static void count_division(struct pass *pass, uint32_t id, enum type_class type, double lanes)
{
	const struct ir_node *node = &pass->kernel->nodes[id];
	uint32_t a = pass_operand(pass, id, 0), b = pass_operand(pass, id, 1), other;
	bool is_rest = node->op == NODE_REM;
	uint64_t value;
	if (type_is_real(node->type)) {
		bool is_product = is_real_power_of_two(pass, b);
		count(pass, id, is_product ? OP_CLASS_MUL : OP_CLASS_DIV, type, lanes);
		return;
	}
	if (pass_is_shift(pass, b)) {
		count(pass, id, OP_CLASS_BIT, type, lanes * (type_is_signed(node->type) ? 2 : 1));
		return;
	}
	other = pass->quotient_of[a];
	bool has_quotient = is_rest && other != IR_NONE && pass_operand(pass, other, 1) == b &&
	                    pass->summary->node_block[other] == pass->summary->node_block[id];
	bool is_constant = (pass_integer(pass, b, &value) && value != 0) || pass->is_fixed[b];
	if (is_constant && !has_quotient) {
		/* the upper half of a product: two products of half the width's lanes; of 64 bits
		 * one of a CPU, which makes no vectors then */
		if (type == TYPE_CLASS_INT || pass->is_early)
			count(pass, id, OP_CLASS_MUL, type,
			      type == TYPE_CLASS_INT ? 2 * lanes : lanes);
		else
			count(pass, id, OP_CLASS_MUL_HI, type, lanes);
		count(pass, id, OP_CLASS_BIT, type, 2 * lanes);
	}
	if (is_rest && (is_constant || has_quotient)) {
		count(pass, id, OP_CLASS_MUL, type, lanes);
		count(pass, id, OP_CLASS_ADD, type, lanes);
	}
	if (is_constant || has_quotient)
		return;
	bool is_bypassed = pass_is_bypassed(pass, id);
	bool is_wide = !is_bypassed && pass_is_wide(pass, id);
	count(pass, id,
	      is_wide   ? is_rest ? OP_CLASS_WIDE_MOD : OP_CLASS_WIDE_DIV
	      : is_rest ? OP_CLASS_MOD
	                : OP_CLASS_DIV,
	      type, lanes);
	pass->summary->node_is_wide[id] = is_wide;
	if (pass->is_early)
		pass->summary->node_is_bypassed[id] = is_bypassed;
}

/* floor, ceil or rint: to an integer, a GPU rounds and converts in one instruction. */
static bool is_rounding(const struct ir_node *node)
{
	return node->op == NODE_CALL && (node->aux == BUILTIN_FLOOR || node->aux == BUILTIN_CEIL ||
	                                 node->aux == BUILTIN_RINT);
}

static void count_conversion(struct pass *pass, uint32_t id, double lanes)
{
	struct type to = pass->kernel->nodes[id].type;
	struct type from = pass->kernel->nodes[pass_operand(pass, id, 0)].type;
	enum type_class a = type_class_of(to), b = type_class_of(from);
	enum type_class type = TYPE_CLASS_FLOAT;
	if ((type_is_integer(to) && type_is_integer(from)) || to.scalar == SCALAR_BOOL ||
	    from.scalar == SCALAR_BOOL)
		return;
	if (!pass->is_early && type_is_integer(to) &&
	    is_rounding(&pass->kernel->nodes[pass_operand(pass, id, 0)]))
		return;
	if (a == TYPE_CLASS_DOUBLE || b == TYPE_CLASS_DOUBLE)
		type = TYPE_CLASS_DOUBLE;
	else if (a == TYPE_CLASS_LONG || b == TYPE_CLASS_LONG)
		type = TYPE_CLASS_LONG;
	else if (scalar_bytes((enum scalar)to.scalar) <= 2 &&
	         scalar_bytes((enum scalar)from.scalar) <= 2)
		type = TYPE_CLASS_HALF;
	count(pass, id, OP_CLASS_CONVERT, type, lanes);
}

/* By the table, for as many lanes as the widest side has; reductions say their width there. */
static void count_call(struct pass *pass, uint32_t id)
{
	const struct ir_node *node = &pass->kernel->nodes[id];
	enum builtin builtin = (enum builtin)node->aux;
	struct type type = pass->kernel->nodes[pass_operand(pass, id, 0)].type;
	double operations = (double)builtin_operations(builtin);
	double lanes = type.width > node->type.width ? type.width : node->type.width;
	enum op_class op =
	        pass->is_early ? builtin_class(builtin) : builtin_lockstep_class(builtin);
	if (builtin == BUILTIN_DOT)
		lanes /= 4;
	else if (builtin == BUILTIN_CROSS)
		lanes = 1;
	if (op != OP_CLASS_NONE)
		count(pass, id, op, type_class_of(type), operations * lanes);
}

/* A comparison, or the negation of one: branches on its opposite cost the same. */
static void count_comparison(struct pass *pass, uint32_t id)
{
	const struct ir_kernel *kernel = pass->kernel;
	const struct ir_node *operand = &kernel->nodes[pass_operand(pass, id, 0)];
	if (kernel->nodes[id].op == NODE_LNOT && node_is_truth(operand))
		return;
	count(pass, id, OP_CLASS_COMPARE, type_class_of(operand->type),
	      (double)kernel->nodes[id].type.width);
}

/* Free in an address: see the list in model/passes/passes.h. */
static bool is_free_in_address(const struct pass *pass, uint32_t id)
{
	const struct ir_node *node = &pass->kernel->nodes[id];
	if (!pass->summary->node_is_address[id])
		return false;
	if (node->op == NODE_NEG)
		return pass->affine_loop[id] != IR_NONE;
	if (node->op != NODE_ADD && node->op != NODE_SUB)
		return false;
	return pass->affine_loop[id] != IR_NONE || pass->is_fixed[pass_operand(pass, id, 1)] ||
	       pass->is_fixed[pass_operand(pass, id, 0)];
}

static void count_product(struct pass *pass, uint32_t id, enum type_class type, double lanes)
{
	bool is_affine = type_is_integer(pass->kernel->nodes[id].type) &&
	                 pass->affine_loop[id] != IR_NONE &&
	                 pass->affine_loop[id] == pass->block_loop[pass->summary->node_block[id]];
	if (is_affine)
		count(pass, id, OP_CLASS_ADD, type, lanes);
	else if (pass_is_shift(pass, pass_operand(pass, id, 1)))
		count(pass, id, OP_CLASS_BIT, type, lanes);
	else
		count(pass, id, OP_CLASS_MUL, type, lanes);
}

/* A choice between two values that are there before the branch: on a GPU no arm writes either into
 * the other's register. */
static bool is_between_ready(const struct pass *pass, uint32_t id)
{
	uint32_t block = pass->summary->node_block[id];
	for (unsigned i = 1; i < 3; i++) {
		uint32_t from = pass->summary->node_block[pass_operand(pass, id, i)];
		if (from != IR_NONE && from != block && pass_contains(pass, block, from))
			return false;
	}
	return true;
}

static void count_node(struct pass *pass, uint32_t id)
{
	const struct ir_node *node = &pass->kernel->nodes[id];
	enum node_op op = (enum node_op)node->op;
	enum type_class type = type_class_of(node->type);
	double lanes = node->type.width;
	enum words words = pass->is_early ? WORDS_BOTH : pass_words(pass, id);
	pass->summary->node_is_word[id] = words != WORDS_BOTH;
	if (words == WORDS_NONE)
		return;
	if (words == WORDS_ONE)
		type = TYPE_CLASS_INT;
	if (pass->summary->node_rotation[id] == ROTATION_WHOLE) {
		count(pass, id, OP_CLASS_BIT, type, lanes);
		return;
	}
	switch (op) {
	case NODE_PHI:
		if (!pass->is_early && type < TYPE_CLASS_COUNT && is_between_ready(pass, id))
			count(pass, id, OP_CLASS_SELECT, type, lanes);
		break;
	case NODE_MUL:
	case NODE_SHL:
		if (op == NODE_MUL || pass->affine_loop[id] != IR_NONE)
			count_product(pass, id, type, lanes);
		else
			count(pass, id, OP_CLASS_BIT, type, lanes);
		break;
	case NODE_DIV:
	case NODE_REM:
		count_division(pass, id, type, lanes);
		break;
	case NODE_CONVERT:
		count_conversion(pass, id, lanes);
		break;
	case NODE_CALL:
		count_call(pass, id);
		break;
	case NODE_EQ:
	case NODE_NE:
	case NODE_LT:
	case NODE_LE:
	case NODE_LNOT:
		count_comparison(pass, id);
		break;
	default:
		if (node_op_class(op) != OP_CLASS_NONE)
			count(pass, id, node_op_class(op), type, lanes);
	}
}

/* ---- marks that decide what is counted ----------------------------------------------------- */

/*
 * The product that a real sum contracts with: of no other use, in the same block. GPUs' compilers
 * look further than clang does, which only contracts what stands in one expression.
 */
static uint32_t contracted_product(const struct pass *pass, uint32_t id)
{
	const struct ir_node *node = &pass->kernel->nodes[id];
	if ((node->op != NODE_ADD && node->op != NODE_SUB) || !type_is_real(node->type) ||
	    (pass->is_early && node->aux != 0))
		return IR_NONE;
	for (unsigned i = 0; i < 2; i++) {
		uint32_t operand = pass_operand(pass, id, i);
		if (pass->kernel->nodes[operand].op == NODE_MUL && pass->uses[operand] == 1 &&
		    !pass->is_fixed[operand] &&
		    pass->summary->node_block[operand] == pass->summary->node_block[id])
			return operand;
	}
	return IR_NONE;
}

/* Whether a loop's condition compares a variable, or its next value. */
static bool is_compared(const struct ir_kernel *kernel, const struct ir_statement *loop,
                        const struct ir_variable *variable)
{
	uint32_t condition = loop->condition;

	if (condition == IR_NONE || kernel->nodes[condition].operand_count != 2)
		return false;
	for (unsigned i = 0; i < 2; i++) {
		uint32_t side = kernel_unconverted(kernel, kernel_operands(kernel, condition)[i]);
		if (side == variable->node || side == variable->next)
			return true;
	}
	return false;
}

/*
 * Whether a variable that only forms addresses walks beside the counter of its loop, as far each
 * time: compilers keep one of the two (LLVM: LoopStrengthReduce.cpp). A counter that is computed
 * with stays in its own width, and both are kept.
 */
static bool walks_beside(const struct pass *pass, const struct ir_statement *loop, uint32_t index)
{
	const struct ir_kernel *kernel = pass->kernel;
	const struct ir_variable *variable = &kernel->variables[index];
	uint32_t step = kernel_step(kernel, variable);
	uint64_t distance, other_distance;

	if (step == IR_NONE || is_compared(kernel, loop, variable) ||
	    !pass->is_induction[variable->node] || !pass->summary->node_is_address[variable->node])
		return false;
	for (uint32_t v = 0; v < loop->variable_count; v++) {
		const struct ir_variable *other = &kernel->variables[loop->first_variable + v];
		uint32_t other_step = kernel_step(kernel, other);

		if (other == variable || other_step == IR_NONE || !pass->live[other->next] ||
		    !pass->is_induction[other->node] || !is_compared(kernel, loop, other) ||
		    !pass->summary->node_is_address[other->node] ||
		    kernel->nodes[other->next].op != kernel->nodes[variable->next].op)
			continue;
		if (pass_integer(pass, step, &distance) &&
		                    pass_integer(pass, other_step, &other_distance)
		            ? distance == other_distance
		            : kernel_unconverted(kernel, step) ==
		                      kernel_unconverted(kernel, other_step))
			return true;
	}
	return false;
}

/*
 * Nodes that cost nothing where they stand: products within an FMA, and the
 * last addition of an address. Steps of loop variables do cost, but for those that walk beside.
 */
static void mark_free(const struct pass *pass, bool *is_free)
{
	const struct ir_kernel *kernel = pass->kernel;
	for (uint32_t id = 0; id < kernel->node_count; id++) {
		if (!pass->live[id])
			continue;
		is_free[id] = pass->is_fixed[id] || is_free_in_address(pass, id) ||
		              pass->summary->node_rotation[id] == ROTATION_PART;
		uint32_t product = contracted_product(pass, id);
		if (product == IR_NONE)
			continue;
		is_free[product] = true;
		pass->summary->node_is_contracted[id] |= pass->is_early;
		pass->summary->node_is_contracted[product] |= pass->is_early;
	}
	for (uint32_t i = 0; i < kernel->access_count; i++) {
		uint32_t index = kernel->accesses[i].index;
		if (index == IR_NONE || pass->summary->access_block[i] == IR_NONE)
			continue;
		/* Through casts to the sum that the addressing mode adds. */
		for (unsigned cast = 0; cast < CASTS_MAX && kernel->nodes[index].op == NODE_CONVERT;
		     cast++)
			index = pass_operand(pass, index, 0);
		if ((kernel->nodes[index].op == NODE_ADD || kernel->nodes[index].op == NODE_SUB) &&
		    pass->summary->node_is_address[index])
			is_free[index] = true;
	}
	for (uint32_t i = 0; i < kernel->variable_count; i++) {
		const struct ir_variable *variable = &kernel->variables[i];
		if (pass->live[variable->node] && pass->live[variable->next] &&
		    !pass->is_fixed[variable->next] &&
		    type_is_integer(kernel->nodes[variable->next].type))
			is_free[variable->next] = false;
	}
	for (uint32_t id = 0; id < kernel->statement_count; id++) {
		const struct ir_statement *loop = &kernel->statements[id];
		for (uint32_t v = 0; loop->kind == STATEMENT_LOOP && v < loop->variable_count; v++)
			if (walks_beside(pass, loop, loop->first_variable + v))
				is_free[kernel->variables[loop->first_variable + v].next] = true;
	}
}

void pass_emit(struct pass *pass, struct ir_counts *counts, bool is_early)
{
	const struct ir_kernel *kernel = pass->kernel;
	bool *is_free = pass->marks;
	pass->counts = counts;
	pass->is_early = is_early;
	memset(counts, 0, kernel->block_count * sizeof *counts);
	memset(is_free, 0, kernel->node_count * sizeof *is_free);
	if (pass->node_counts != NULL && is_early == pass->is_node_early)
		memset(pass->node_counts, 0, kernel->node_count * sizeof *pass->node_counts);
	for (uint32_t id = 0; id < kernel->node_count; id++) {
		const struct ir_node *node = &kernel->nodes[id];
		pass->is_fixed[id] = pass->live[id] && is_fixed(pass, id);
		pass->quotient_of[id] = IR_NONE;
		if (pass->live[id] && node->op == NODE_DIV && type_is_integer(node->type))
			pass->quotient_of[pass_operand(pass, id, 0)] = id;
	}
	mark_free(pass, is_free);
	for (uint32_t id = 0; id < kernel->node_count; id++) {
		if (!pass->live[id] || is_free[id] || kernel->nodes[id].operand_count == 0)
			continue;
		if (contracted_product(pass, id) != IR_NONE)
			count(pass, id, OP_CLASS_FMA, type_class_of(kernel->nodes[id].type),
			      (double)kernel->nodes[id].type.width);
		else
			count_node(pass, id);
	}
}
