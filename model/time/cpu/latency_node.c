/* SPDX-License-Identifier: Apache-2.0 */
/* How long an operation makes others wait that need its result, in a core. */
#include <math.h>

#include "model/codegen/codegen.h"
#include "model/time/cpu/cpu.h"

/*
 * Of a product and a sum in one, the sum waits. An operation that takes longer than an
 * add also makes others wait longer; but there are several adders, and one divider,
 * which takes in the next at about half of the time that one takes.
 */
static double operation_latency(const struct machine *m, uint32_t node, enum op_class op_class,
                                double add)
{
	const struct device *device = m->input->device;
	const struct ir_node *n = &m->input->kernel->nodes[node];
	enum type_class type = type_class_of(n->type);
	double op_s, add_s, alone = add;

	if (device->coefficient[COEFFICIENT_MUL_LATENCY].is_known && type_is_real(n->type)) {
		bool is_contracted = m->input->kernel->summary->node_is_contracted[node];

		if (is_contracted && n->op == NODE_MUL)
			return 0;
		if (is_contracted || op_class == OP_CLASS_MUL || op_class == OP_CLASS_FMA)
			return device->coefficient[COEFFICIENT_MUL_LATENCY].value;
	}
	if ((n->op == NODE_MIN || n->op == NODE_MAX) && type_is_integer(n->type) &&
	    n->type.width == 1)
		return m->code.is_branch[node] ? 0 : 2 * add; /* a comparison, and a select */
	if (device->coefficient[coefficient_chain(type, op_class)].is_known)
		return device->coefficient[coefficient_chain(type, op_class)].value;
	op_s = device_op_time_s(device, OP_MODE_SCALAR, type, op_class);
	add_s = device_op_time_s(device, OP_MODE_SCALAR, type, OP_CLASS_ADD);
	/* as long as two of itself take; a call no longer than what fits into the window beside it
	 */
	if (!(is_divider(op_class) && type_is_integer(n->type)) && op_class != OP_CLASS_DIV &&
	    add_s > 0)
		alone = add * fmin(64, fmax(1, op_s / add_s));
	alone = fmax(alone, 2 * m->occupancy.units * op_s);
	if (op_class_is_call(op_class) && type_is_real(n->type) && add_s > 0 &&
	    block_mode(m, m->input->kernel->summary->node_block[node]) == OP_MODE_SCALAR) {
		double operations = fmax(1, op_s / add_s);
		double window = device_value(device, COEFFICIENT_WINDOW, 0);
		double chain_s =
		        operations * (add + device_value(device, COEFFICIENT_MUL_LATENCY, add));

		return fmin(m->occupancy.units * op_s * (1 + window / operations),
		            n->type.width > 1 ? alone : chain_s);
	}
	return alone;
}

enum { SCALE_MAX = 8 }; /* that x86 adds to a place in one step */

/* The class that a node is timed as. */
static enum op_class timed_class(const struct machine *m, uint32_t node)
{
	const struct ir_kernel *kernel = m->input->kernel;
	const struct ir_node *n = &kernel->nodes[node];
	enum op_class call =
	        n->op == NODE_CALL ? builtin_class((enum builtin)n->aux) : OP_CLASS_NONE;

	if (kernel->summary->node_rotation[node] != ROTATION_NONE)
		return node_timed_class(kernel, node, call);
	if (is_chosen(m, node))
		return OP_CLASS_SELECT;
	if (kernel->summary->node_is_address[node] && is_scaled(kernel, n, (int64_t)SCALE_MAX))
		return OP_CLASS_NONE;
	return node_timed_class(kernel, node, call);
}

/* Whether a mask has left no more of an integer than a number without a sign of so many bytes. */
static bool is_masked(const struct ir_kernel *kernel, const struct ir_node *n, unsigned bytes)
{
	int64_t mask;

	if (n->op == NODE_LOOP_VAR) { /* what it goes on with */
		uint32_t next = kernel_variable(kernel, (uint32_t)(n - kernel->nodes))->next;

		if (next == IR_NONE)
			return false;
		n = &kernel->nodes[next];
	}
	if (n->op == NODE_CONVERT)
		n = &kernel->nodes[kernel->operands[n->first_operand]];
	return n->op == NODE_AND &&
	       kernel_constant(kernel, kernel->operands[n->first_operand + 1], &mask) &&
	       mask >= 0 && mask < (int64_t)1 << (8 * bytes - 1);
}

/*
 * Whether a core extends an integer by an instruction of its own: less than a word, or a signed
 * one. Words without a sign are there already, and so is what was loaded, or masked.
 */
static bool is_widened(const struct ir_kernel *kernel, const struct ir_node *n)
{
	enum { WORD_BYTES = 4 };
	const struct ir_node *from = &kernel->nodes[kernel->operands[n->first_operand]];
	unsigned bytes = scalar_bytes((enum scalar)from->type.scalar);

	return bytes < scalar_bytes((enum scalar)n->type.scalar) && from->op != NODE_LOAD &&
	       !(bytes < WORD_BYTES && is_masked(kernel, from, bytes)) &&
	       (bytes < WORD_BYTES || type_is_signed(from->type));
}

/*
 * Steps of a core's division by a constant beside a product's upper half: what is left is less the
 * quotient's product, and what has a sign is rounded towards zero.
 */
static double division_steps(const struct machine *m, uint32_t node)
{
	enum { PRODUCT_STEPS = 3, SHIFT_STEPS = 1, REST_STEPS = PRODUCT_STEPS + 1, SIGN_STEPS = 1 };
	const struct ir_node *n = &m->input->kernel->nodes[node];
	int64_t divisor;

	if (!is_divided_by_constant(m->input->kernel, n))
		return 0;
	(void)kernel_constant(m->input->kernel, m->input->kernel->operands[n->first_operand + 1],
	                      &divisor);
	if (((uint64_t)divisor & ((uint64_t)divisor - 1)) == 0)
		return 0;
	return (double)SHIFT_STEPS + (n->op == NODE_REM ? (double)REST_STEPS : 0) +
	       (type_is_signed(n->type) ? (double)SIGN_STEPS : 0);
}

double core_node_latency(const struct machine *m, uint32_t node)
{
	const struct ir_kernel *kernel = m->input->kernel;
	const struct ir_node *n = &kernel->nodes[node];
	double add = add_latency_of(m->input->device, n);
	enum op_class op_class = timed_class(m, node);

	if (op_class == OP_CLASS_NONE)
		return packing_latency(m, node);
	if (type_class_of(n->type) == TYPE_CLASS_NONE)
		return 0;
	if (is_resized(kernel, n))
		return is_widened(kernel, n) ? add : 0;
	return operation_latency(m, node, op_class, add) + division_steps(m, node) * add;
}

double core_access_latency(const struct machine *m, uint32_t access)
{
	const struct ir_kernel *kernel = m->input->kernel;
	unsigned space = kernel->objects[kernel->accesses[access].object].space;

	if (kernel->summary->access_is_folded[access])
		return 0;
	/* local memory is memory, and so is a private array that no registers hold */
	if (space == SPACE_LOCAL || space == SPACE_PRIVATE)
		return is_register(m, access) ? 0 : first_latency(m);
	return space > SPACE_CONSTANT && space != SPACE_IMAGE ? 0 : level_latency(m, access, 1, 1);
}
