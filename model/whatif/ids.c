/* SPDX-License-Identifier: Apache-2.0 */
/* Ids of work-items that do the work of several, or share that of one. */
#include "model/whatif/differ.h"

struct type type_of_ids(void)
{
	return type_scalar(SCALAR_ULONG);
}

uint64_t rows_of_group(const struct several_state *s)
{
	return s->how->is_apart ? s->launch->local[0] / s->how->count : 1;
}

static uint32_t row_made(struct several_state *s, struct type type)
{
	uint32_t rows = kernel_integer(s->to, type, (int64_t)rows_of_group(s));
	uint32_t lane = kernel_node(s->to, NODE_LOCAL_ID, type, NULL, 0, 0, 0);
	uint32_t group = kernel_node(s->to, NODE_GROUP_ID, type, NULL, 0, 0, 0);

	return kernel_binary(s->to, NODE_ADD, type,
	                     kernel_binary(s->to, NODE_MUL, type, group, rows),
	                     kernel_binary(s->to, NODE_REM, type, lane, rows));
}

uint32_t part_made(struct several_state *s)
{
	struct type type = type_of_ids();
	uint32_t id;

	if (s->how->way == SEVERAL_GROUPS)
		return kernel_node(s->to, NODE_GROUP_ID, type, NULL, 0, 0, 0);
	id = kernel_node(s->to, s->how->is_apart ? NODE_LOCAL_ID : NODE_GLOBAL_ID, type, NULL, 0, 0,
	                 0);
	return s->how->is_apart
	               ? kernel_binary(s->to, NODE_DIV, type, id,
	                               kernel_integer(s->to, type, (int64_t)rows_of_group(s)))
	               : kernel_binary(s->to, NODE_REM, type, id,
	                               kernel_integer(s->to, type, s->how->count));
}

/* The id of a work-item, or of the first one of its group. */
static uint32_t first_made(struct several_state *s, const struct ir_node *node, unsigned copy)
{
	if (copy == 0)
		return kernel_node(s->to, (enum node_op)node->op, node->type, NULL, 0, node->aux,
		                   0);
	if (node->op == NODE_LOCAL_ID)
		return kernel_integer(s->to, node->type, 0);
	return kernel_binary(
	        s->to, NODE_ADD, node->type,
	        kernel_binary(
	                s->to, NODE_MUL, node->type,
	                kernel_node(s->to, NODE_GROUP_ID, node->type, NULL, 0, node->aux, 0),
	                kernel_integer(s->to, node->type, (int64_t)s->launch->local[node->aux])),
	        kernel_integer(s->to, node->type, (int64_t)s->launch->offset[node->aux]));
}

uint32_t id_made(struct several_state *s, const struct ir_node *node, unsigned copy)
{
	unsigned d = s->how->dimension, count = s->how->count;
	struct type type = node->type;
	uint32_t id;
	uint64_t apart;

	if (s->how->way == SEVERAL_DIRECT)
		return first_made(s, node, copy);
	id = kernel_node(s->to, NODE_GLOBAL_ID, type, NULL, 0, d, 0);
	apart = s->launch->global[d] / count;

	if (node->op == NODE_GROUP_ID) {
		id = kernel_node(s->to, NODE_GROUP_ID, type, NULL, 0, d, 0);
		apart /= s->launch->local[d];
	}

	switch (s->how->way) {
	case SEVERAL_BLOCK:
		return copy == 0 ? id
		                 : kernel_binary(
		                           s->to, NODE_ADD, type, id,
		                           kernel_integer(s->to, type, (int64_t)(apart * copy)));
	case SEVERAL_WIDTH:
		id = kernel_binary(s->to, NODE_MUL, type, id, kernel_integer(s->to, type, count));
		return copy == 0 ? id
		                 : kernel_binary(s->to, NODE_ADD, type, id,
		                                 kernel_integer(s->to, type, copy));
	case SEVERAL_TURNS:
		return kernel_binary(s->to, NODE_ADD, type, id,
		                     kernel_binary(s->to, NODE_MUL, type, s->turn,
		                                   kernel_integer(s->to, type, (int64_t)apart)));
	case SEVERAL_SPLIT:
	default:
		if (s->how->is_apart)
			return row_made(s, type);
		return kernel_binary(s->to, NODE_DIV, type, id, kernel_integer(s->to, type, count));
	}
}
