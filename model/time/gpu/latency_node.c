/* SPDX-License-Identifier: Apache-2.0 */
/* How long an operation makes others wait that need its result, in a warp. */
#include <math.h>

#include "model/time/gpu/gpu.h"

/* What is looked up in tables, or done in a sequence around that. */
static bool is_look_up(enum op_class op)
{
	return op != OP_CLASS_ADD && op != OP_CLASS_MUL && op != OP_CLASS_FMA &&
	       op != OP_CLASS_BIT && op != OP_CLASS_COMPARE && op != OP_CLASS_SELECT &&
	       op != OP_CLASS_MINMAX && op != OP_CLASS_FMINMAX && op != OP_CLASS_ODD &&
	       op != OP_CLASS_POPCOUNT && op != OP_CLASS_CLZ && op != OP_CLASS_MUL_HI &&
	       op != OP_CLASS_ROUND && op != OP_CLASS_CONVERT;
}

/* The class that a node is timed as, and the type. */
static enum op_class timed_class(const struct machine *m, uint32_t node, enum type_class *type)
{
	const struct ir_kernel *kernel = m->input->kernel;
	const struct ir_node *n = &kernel->nodes[node];

	*type = kernel->summary->node_is_word[node] ? TYPE_CLASS_INT : type_class_of(n->type);
	return node_timed_class(kernel, node,
	                        n->op == NODE_CALL ? builtin_lockstep_class((enum builtin)n->aux)
	                                           : OP_CLASS_NONE);
}

double warp_node_latency(const struct machine *m, uint32_t node)
{
	const struct device *device = m->input->device;
	const struct ir_node *n = &m->input->kernel->nodes[node];
	double add = add_latency_of(device, n);
	enum type_class type;
	enum op_class op_class = timed_class(m, node, &type);
	double add_s, op_s;

	if (op_class == OP_CLASS_NONE || type == TYPE_CLASS_NONE || is_resized(m->input->kernel, n))
		return 0;
	if (op_class == OP_CLASS_COMPARE)
		return device_value(device, COEFFICIENT_COMPARE_LATENCY, add);
	op_s = device_op_time_s(device, OP_MODE_VECTOR, type, op_class);
	if (is_look_up(op_class)) {
		double special = device_value(device, COEFFICIENT_SPECIAL_LATENCY, 0);
		double native_s = device_op_time_s(device, OP_MODE_VECTOR, TYPE_CLASS_FLOAT,
		                                   OP_CLASS_NATIVE_SQRT);

		if (special > 0 && native_s > 0)
			return special * fmin(64, fmax(1, op_s / native_s));
	}
	/* an operation that takes longer than an add also makes others wait longer */
	add_s = device_op_time_s(device, OP_MODE_VECTOR, type, OP_CLASS_ADD);
	return add_s > 0 ? add * fmin(64, fmax(1, op_s / add_s)) : add;
}

bool is_gone_through(const struct machine *m, uint32_t node, double latency)
{
	enum type_class type;
	enum op_class op = timed_class(m, node, &type);

	return op != OP_CLASS_NONE && type != TYPE_CLASS_NONE && is_look_up(op) &&
	       device_op_time_s(m->input->device, OP_MODE_SCALAR, type, op) > latency / 2;
}
