/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The default model's term of latency: what both a warp and a core ask of operations and loads that
 * wait for each other.
 */
#include <math.h>

#include "model/device/levels.h"
#include "model/time/latency.h"

bool is_within_address(const struct machine *m, uint32_t node)
{
	const struct ir_node *n = &m->input->kernel->nodes[node];

	return m->input->kernel->summary->node_is_address[node] &&
	       (n->op == NODE_ADD || n->op == NODE_SUB || n->op == NODE_NEG ||
	        n->op == NODE_CONVERT);
}

bool is_divided_by_constant(const struct ir_kernel *kernel, const struct ir_node *node)
{
	int64_t divisor;

	return (node->op == NODE_DIV || node->op == NODE_REM) && type_is_integer(node->type) &&
	       kernel_constant(kernel, kernel->operands[node->first_operand + 1], &divisor);
}

bool is_scaled(const struct ir_kernel *kernel, const struct ir_node *node, int64_t most)
{
	int64_t factor;

	return node->op == NODE_MUL && type_is_integer(node->type) &&
	       kernel_constant(kernel, kernel->operands[node->first_operand + 1], &factor) &&
	       factor > 0 && factor <= most && (factor & (factor - 1)) == 0;
}

bool is_resized(const struct ir_kernel *kernel, const struct ir_node *n)
{
	return n->op == NODE_CONVERT && type_is_integer(n->type) &&
	       type_is_integer(kernel->nodes[kernel->operands[n->first_operand]].type);
}

double add_latency_of(const struct device *device, const struct ir_node *node)
{
	return device_value(
	        device,
	        type_is_real(node->type) ? COEFFICIENT_FLOAT_LATENCY : COEFFICIENT_INT_LATENCY, 0);
}

enum op_class node_timed_class(const struct ir_kernel *kernel, uint32_t node, enum op_class call)
{
	const struct ir_node *n = &kernel->nodes[node];
	const struct ir_summary *summary = kernel->summary;
	enum op_class op_class = node_op_class((enum node_op)n->op);

	if (summary->node_rotation[node] == ROTATION_PART)
		return OP_CLASS_NONE;
	if (summary->node_rotation[node] == ROTATION_WHOLE)
		return OP_CLASS_BIT;
	if (n->op == NODE_CALL)
		return call;
	if (is_divided_by_constant(kernel, n))
		return OP_CLASS_MUL;
	if (is_scaled(kernel, n, INT64_MAX))
		return OP_CLASS_BIT;
	if (summary->node_is_wide[node])
		return op_class == OP_CLASS_MOD ? OP_CLASS_WIDE_MOD : OP_CLASS_WIDE_DIV;
	return op_class;
}

double first_latency(const struct machine *m)
{
	return level_value(m, cache_levels(m->input->device) > 0 ? MEMORY_L1 : MEMORY_DRAM,
	                   MEMORY_COLUMN_LATENCY, 0);
}

double level_latency(const struct machine *m, uint32_t access, double abreast, double ahead)
{
	unsigned levels = cache_levels(m->input->device);
	double latency = first_latency(m);

	for (unsigned i = 0; i < levels; i++) {
		unsigned below = i + 1 < levels ? i + 1 : MEMORY_DRAM;
		double waits = m->waits[(size_t)i * m->input->kernel->access_count + access];

		latency += fmin(1, waits * abreast * ahead) *
		           fmax(0, level_value(m, below, MEMORY_COLUMN_LATENCY, 0) -
		                           level_value(m, i, MEMORY_COLUMN_LATENCY, 0));
	}
	return latency;
}

void add_waiting(struct terms *t, double time_s, double turns)
{
	term_add(t, BOTTLENECK_LATENCY, time_s);
	if (time_s > 0)
		row_add(t->prediction, turns, time_s, "latency of dependent operations");
}
