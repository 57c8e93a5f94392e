/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Strength reduction that changes how results are rounded, which compilers leave to authors:
 * powers by small constants, and divisions by the same divisor (OpenCL Best Practices Guide, 5.1).
 */
#include "model/whatif/arithmetic.h"

#include <math.h>
#include <string.h>

#include "model/passes/passes.h"

static bool is_live(const struct ir_kernel *kernel, uint32_t node)
{
	return kernel->summary->node_block[node] != IR_NONE;
}

/* A constant, of whatever type. */
static bool constant_of(const struct ir_kernel *kernel, uint32_t id, double *value)
{
	const struct ir_node *node = &kernel->nodes[id];
	int64_t whole;

	while (node->op == NODE_SPLAT || node->op == NODE_CONVERT) {
		id = kernel_operands(kernel, id)[0];
		node = &kernel->nodes[id];
	}
	if (kernel_constant(kernel, id, &whole)) {
		*value = (double)whole;
		return true;
	}
	if (node->op != NODE_CONST_REAL)
		return false;
	memcpy(value, &node->imm, sizeof *value);
	return true;
}

/* The exponent of a power by a constant; 0: another. */
static double exponent_of(const struct ir_kernel *kernel, uint32_t node)
{
	double value;

	if (!constant_of(kernel, kernel_operands(kernel, node)[1], &value))
		return 0;
	return fabs(value) == 0.5 || (fabs(value) >= 1 && fabs(value) <= 4 && value == rint(value))
	               ? value
	               : 0;
}

static enum builtin exponential_of(const struct ir_kernel *kernel, uint32_t node)
{
	double base;

	if (kernel->nodes[node].aux == BUILTIN_POWN ||
	    !constant_of(kernel, kernel_operands(kernel, node)[0], &base))
		return BUILTIN_COUNT;
	return base == 2 ? BUILTIN_EXP2 : base == 10 ? BUILTIN_EXP10 : BUILTIN_COUNT;
}

bool node_is_power(const struct ir_kernel *kernel, uint32_t node)
{
	const struct ir_node *of = &kernel->nodes[node];

	return of->op == NODE_CALL && of->operand_count == 2 && type_is_real(of->type) &&
	       (of->aux == BUILTIN_POW || of->aux == BUILTIN_POWR || of->aux == BUILTIN_POWN) &&
	       is_live(kernel, node) &&
	       (exponent_of(kernel, node) != 0 || exponential_of(kernel, node) != BUILTIN_COUNT);
}

/* Of the type of another value. */
static uint32_t one_of(struct ir_kernel *to, struct type type)
{
	uint32_t one = kernel_real(to, type_scalar((enum scalar)type.scalar), 1);

	return type.width == 1 ? one : kernel_unary(to, NODE_SPLAT, type, one);
}

uint32_t power_made(struct ir_kernel *to, const struct ir_kernel *from, uint32_t node,
                    const uint32_t *operands)
{
	struct type type = from->nodes[node].type;
	double exponent = exponent_of(from, node), by = fabs(exponent);
	uint32_t made = operands[0], twice;

	if (exponent == 0)
		return kernel_node(to, NODE_CALL, type, &operands[1], 1,
		                   (uint32_t)exponential_of(from, node), 0);
	if (by < 1)
		made = kernel_node(to, NODE_CALL, type, operands, 1, BUILTIN_SQRT, 0);
	if (by >= 2) {
		twice = kernel_binary(to, NODE_MUL, type, made, made);
		made = by < 3 ? twice
		              : kernel_binary(to, NODE_MUL, type, twice, by < 4 ? made : twice);
	}
	return exponent > 0 ? made : kernel_binary(to, NODE_DIV, type, one_of(to, type), made);
}

/* Whether a loop that a division is in leaves its divisor as it is. */
static bool is_invariant(const struct ir_kernel *kernel, uint32_t node, uint32_t divisor)
{
	const struct ir_summary *summary = kernel->summary;
	uint32_t loop = summary->block_loop[summary->node_block[node]],
	         block = summary->node_block[divisor];

	if (loop == IR_NONE)
		return false;
	return kernel->nodes[divisor].op == NODE_ARG ||
	       (block != IR_NONE &&
	        !kernel_is_within(kernel, block, summary->loops[loop].statement));
}

bool node_divides_again(const struct ir_kernel *kernel, uint32_t node)
{
	const struct ir_node *of = &kernel->nodes[node];
	uint32_t divisor;
	double value;
	int exponent;

	if (of->op != NODE_DIV || !type_is_real(of->type) || !is_live(kernel, node) ||
	    constant_of(kernel, kernel_operands(kernel, node)[0], &value))
		return false;
	divisor = kernel_operands(kernel, node)[1];
	if (constant_of(kernel, divisor, &value))
		return isfinite(value) && fabs(frexp(value, &exponent)) != 0.5;
	if (is_invariant(kernel, node, divisor))
		return true;
	for (uint32_t i = 0; i < kernel->node_count; i++)
		if (i != node && kernel->nodes[i].op == NODE_DIV && is_live(kernel, i) &&
		    kernel_operands(kernel, i)[1] == divisor)
			return true;
	return false;
}

uint32_t reciprocal_made(struct ir_kernel *to, const struct ir_node *node, const uint32_t *operands)
{
	uint32_t by = kernel_binary(to, NODE_DIV, node->type, one_of(to, node->type), operands[1]);

	return kernel_binary(to, NODE_MUL, node->type, operands[0], by);
}

bool node_is_double(const struct ir_kernel *kernel, uint32_t node)
{
	const struct ir_node *of = &kernel->nodes[node];

	return of->type.scalar == SCALAR_DOUBLE && of->op != NODE_CONST_REAL &&
	       of->op != NODE_CONVERT && of->op != NODE_LOOP_VAR && is_live(kernel, node);
}

bool kernel_has_doubles(const struct ir_kernel *kernel)
{
	for (uint32_t i = 0; i < kernel->argument_count; i++)
		if (kernel->arguments[i].type.scalar == SCALAR_DOUBLE)
			return true;
	for (uint32_t i = 0; i < kernel->access_count; i++)
		if (kernel->accesses[i].type.scalar == SCALAR_DOUBLE)
			return true;
	return false;
}

bool single_made(struct ir_kernel *kernel)
{
	bool is_any = false;

	if (kernel_has_doubles(kernel))
		return false;
	for (uint32_t i = 0; i < kernel->node_count; i++)
		if (kernel->nodes[i].type.scalar == SCALAR_DOUBLE) {
			kernel->nodes[i].type.scalar = SCALAR_FLOAT;
			is_any = true;
		}
	for (uint32_t i = 0; is_any && i < kernel->node_count; i++) {
		struct ir_node *node = &kernel->nodes[i];

		if (node->op == NODE_CONVERT && node->type.scalar == SCALAR_FLOAT &&
		    kernel->nodes[kernel_operands(kernel, i)[0]].type.scalar == SCALAR_FLOAT)
			node->op = NODE_BITCAST; /* to what it is */
	}
	return is_any;
}
