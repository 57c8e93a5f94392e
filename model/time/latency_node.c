/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long an operation makes others wait that need its result, on a GPU and on a CPU.
 */
#include <math.h>

#include "model/time/latency.h"

/* What a GPU looks up in tables, or does in a sequence around that. */
static bool is_look_up(enum op_class op)
{
	return op != OP_CLASS_ADD && op != OP_CLASS_MUL && op != OP_CLASS_FMA &&
	       op != OP_CLASS_BIT && op != OP_CLASS_COMPARE && op != OP_CLASS_SELECT &&
	       op != OP_CLASS_MINMAX && op != OP_CLASS_FMINMAX && op != OP_CLASS_ODD &&
	       op != OP_CLASS_POPCOUNT && op != OP_CLASS_CLZ && op != OP_CLASS_MUL_HI &&
	       op != OP_CLASS_ROUND && op != OP_CLASS_CONVERT;
}

/*
 * On a CPU. Of a product and a sum in one, the sum waits. An operation that takes longer than an
 * add also makes others wait longer; but there are several adders, and one divider,
 * which takes in the next at about half of the time that one takes.
 */
static double core_latency(const struct machine *m, uint32_t node, enum op_class op_class,
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

/* An integer division by a constant is a product. */
static bool is_divided_by_constant(const struct ir_kernel *kernel, const struct ir_node *node)
{
	int64_t divisor;

	return (node->op == NODE_DIV || node->op == NODE_REM) && type_is_integer(node->type) &&
	       kernel_constant(kernel, kernel->operands[node->first_operand + 1], &divisor);
}

enum { SCALE_MAX = 8 }; /* that x86 adds to a place in one step */

/* A product by a power of two, up to so many. */
static bool is_scaled(const struct ir_kernel *kernel, const struct ir_node *node, int64_t most)
{
	int64_t factor;

	return node->op == NODE_MUL && type_is_integer(node->type) &&
	       kernel_constant(kernel, kernel->operands[node->first_operand + 1], &factor) &&
	       factor > 0 && factor <= most && (factor & (factor - 1)) == 0;
}

/* The class that a node is timed as, and the type. */
static enum op_class timed_class(const struct machine *m, uint32_t node, enum type_class *type)
{
	const struct ir_node *n = &m->input->kernel->nodes[node];
	const struct ir_summary *summary = m->input->kernel->summary;
	enum op_class op_class = node_op_class((enum node_op)n->op);

	*type = m->is_lockstep && summary->node_is_word[node] ? TYPE_CLASS_INT
	                                                      : type_class_of(n->type);
	if (summary->node_rotation[node] == ROTATION_PART)
		return OP_CLASS_NONE;
	if (summary->node_rotation[node] == ROTATION_WHOLE)
		return OP_CLASS_BIT;
	if (is_chosen(m, node))
		return OP_CLASS_SELECT;
	if (n->op == NODE_CALL)
		return m->is_lockstep ? builtin_lockstep_class((enum builtin)n->aux)
		                      : builtin_class((enum builtin)n->aux);
	if (is_divided_by_constant(m->input->kernel, n))
		return OP_CLASS_MUL;
	if (is_scaled(m->input->kernel, n, INT64_MAX))
		return !m->is_lockstep && summary->node_is_address[node] &&
		                       is_scaled(m->input->kernel, n, (int64_t)SCALE_MAX)
		               ? OP_CLASS_NONE
		               : OP_CLASS_BIT;
	if (summary->node_is_wide[node])
		return op_class == OP_CLASS_MOD ? OP_CLASS_WIDE_MOD : OP_CLASS_WIDE_DIV;
	return op_class;
}

/* Between integers: the same register, or more or less of it. */
static bool is_resized(const struct ir_kernel *kernel, const struct ir_node *n)
{
	return n->op == NODE_CONVERT && type_is_integer(n->type) &&
	       type_is_integer(kernel->nodes[kernel->operands[n->first_operand]].type);
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

double node_latency(const struct machine *m, uint32_t node)
{
	const struct device *device = m->input->device;
	const struct ir_node *n = &m->input->kernel->nodes[node];
	bool is_real = type_is_real(n->type);
	double add = device_value(device,
	                          is_real ? COEFFICIENT_FLOAT_LATENCY : COEFFICIENT_INT_LATENCY, 0);
	enum type_class type;
	enum op_class op_class = timed_class(m, node, &type);
	double add_s, op_s;

	if (op_class == OP_CLASS_NONE && !m->is_lockstep)
		return packing_latency(m, node);
	if (op_class == OP_CLASS_NONE || type == TYPE_CLASS_NONE)
		return 0;
	if (is_resized(m->input->kernel, n))
		return m->is_lockstep || !is_widened(m->input->kernel, n) ? 0 : add;
	if (!m->is_lockstep)
		return core_latency(m, node, op_class, add) + division_steps(m, node) * add;
	if (m->is_lockstep && op_class == OP_CLASS_COMPARE)
		return device_value(device, COEFFICIENT_COMPARE_LATENCY, add);
	if (m->is_lockstep && is_look_up(op_class)) {
		double special = device_value(device, COEFFICIENT_SPECIAL_LATENCY, 0);
		double native_s = device_op_time_s(device, OP_MODE_VECTOR, TYPE_CLASS_FLOAT,
		                                   OP_CLASS_NATIVE_SQRT);

		op_s = device_op_time_s(device, OP_MODE_VECTOR, type, op_class);
		if (special > 0 && native_s > 0)
			return special * fmin(64, fmax(1, op_s / native_s));
	}
	/* an operation that takes longer than an add also makes others wait longer */
	add_s = device_op_time_s(device, OP_MODE_VECTOR, type, OP_CLASS_ADD);
	op_s = device_op_time_s(device, OP_MODE_VECTOR, type, op_class);
	return add_s > 0 ? add * fmin(64, fmax(1, op_s / add_s)) : add;
}

bool is_gone_through(const struct machine *m, uint32_t node, double latency)
{
	enum type_class type;
	enum op_class op = timed_class(m, node, &type);

	return op != OP_CLASS_NONE && type != TYPE_CLASS_NONE && is_look_up(op) &&
	       device_op_time_s(m->input->device, OP_MODE_SCALAR, type, op) > latency / 2;
}
