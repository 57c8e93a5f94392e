/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A lane of a vector: what it was put together from, as far as that shows. Places that a kernel
 * keeps in an int2 are numbers of their own so, as LLVM makes them (InstCombine takes vectors apart
 * where a lane is cheap to have): what an access addresses then follows from the launch.
 */
#include "model/ir/fold.h"

/* Nodes that are looked at for one lane; the rest by the node that is made of it. */
enum { LANE_STEPS_MAX = 64 };

/* The part of a vector, an insertion or a swizzle that a lane comes from; false: the lane's own. */
static bool lane_part(const struct ir_kernel *kernel, uint32_t *id, unsigned *lane)
{
	const struct ir_node *node = &kernel->nodes[*id];
	unsigned at = *lane;
	switch ((enum node_op)node->op) {
	case NODE_SPLAT:
		*id = *kernel_operands(kernel, *id);
		*lane = 0;
		return true;
	case NODE_SWIZZLE:
		*lane = (unsigned)(node->imm >> (4 * at)) & 15;
		*id = *kernel_operands(kernel, *id);
		return true;
	case NODE_VECTOR:
		for (unsigned i = 0; i < node->operand_count; i++) {
			uint32_t part = kernel_operands(kernel, *id)[i];
			unsigned width = kernel->nodes[part].type.width;
			if (at < width) {
				*id = part;
				*lane = at;
				return true;
			}
			at -= width;
		}
		return false;
	case NODE_INSERT: {
		uint32_t part = kernel_operands(kernel, *id)[1];
		for (unsigned i = 0; i < kernel->nodes[part].type.width; i++)
			if (((node->imm >> (4 * i)) & 15) == at) {
				*id = part;
				*lane = i;
				return true;
			}
		*id = *kernel_operands(kernel, *id);
		return true;
	}
	default:
		return false;
	}
}

/* Operators that do the same with each lane. */
static bool is_by_lane(const struct ir_kernel *kernel, uint32_t id)
{
	const struct ir_node *node = &kernel->nodes[id];

	switch (node->op) {
	case NODE_ADD:
	case NODE_SUB:
	case NODE_MUL:
	case NODE_NEG:
	case NODE_AND:
	case NODE_OR:
	case NODE_XOR:
	case NODE_SHL:
	case NODE_SHR:
	case NODE_MIN:
	case NODE_MAX:
		return type_is_integer(node->type);
	case NODE_CONVERT:
		return type_is_integer(node->type) &&
		       type_is_integer(kernel->nodes[*kernel_operands(kernel, id)].type);
	default:
		return false;
	}
}

/*
 * Whether a lane of a vector follows from numbers that it was put together from. *left: nodes that
 * may still be looked at, since operands are shared.
 */
static bool is_put_together(const struct ir_kernel *kernel, uint32_t id, unsigned lane,
                            unsigned *left)
{
	const struct ir_node *node;
	bool is_any = false;

	for (; *left > 0 && kernel->nodes[id].type.width > 1; --*left)
		if (!lane_part(kernel, &id, &lane))
			break;
	if (*left == 0)
		return false;
	--*left;
	node = &kernel->nodes[id];
	if (node->type.width == 1)
		return true;
	if (!is_by_lane(kernel, id))
		return false;
	for (unsigned i = 0; i < node->operand_count; i++)
		is_any |= is_put_together(kernel, kernel_operands(kernel, id)[i], lane, left);
	return is_any && *left > 0;
}

/* A lane of what an operator makes: of its operands' lanes. */
static uint32_t fold_lane_of_operator(struct ir_kernel *kernel, uint32_t id, unsigned lane)
{
	struct ir_node node = kernel->nodes[id];
	unsigned left = LANE_STEPS_MAX;
	uint32_t parts[2];

	if (node.operand_count > 2 || !is_put_together(kernel, id, lane, &left))
		return IR_NONE;
	for (unsigned i = 0; i < node.operand_count; i++) {
		uint32_t from = kernel_operands(kernel, id)[i];
		struct type type = kernel->nodes[from].type;

		parts[i] = from;
		if (type.width == 1)
			continue;
		type.width = 1;
		parts[i] = kernel_node(kernel, NODE_SWIZZLE, type, &from, 1, 0, lane);
		if (parts[i] == IR_NONE)
			return IR_NONE;
	}
	node.type.width = 1;
	return kernel_node(kernel, (enum node_op)node.op, node.type, parts, node.operand_count,
	                   node.aux, node.imm);
}

/* One lane: of what it comes from. */
uint32_t fold_lane(struct ir_kernel *kernel, const struct ir_request *request)
{
	uint32_t from = request->operands[0];
	unsigned lane = (unsigned)(request->imm & 15);
	for (unsigned step = 0; step < LANE_STEPS_MAX && kernel->nodes[from].type.width > 1; step++)
		if (!lane_part(kernel, &from, &lane))
			break;
	if (kernel->nodes[from].type.width > 1 && is_by_lane(kernel, from)) {
		uint32_t part = fold_lane_of_operator(kernel, from, lane);

		if (part != IR_NONE)
			return part;
	}
	if (from == request->operands[0] || kernel->nodes[from].type.scalar != request->type.scalar)
		return IR_NONE;
	if (kernel->nodes[from].type.width == 1)
		return from;
	return kernel_node(kernel, NODE_SWIZZLE, request->type, &from, 1, 0, lane);
}
