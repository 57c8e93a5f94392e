/* SPDX-License-Identifier: Apache-2.0 */
/* What a launch says of nodes without operands. */
#include "model/evaluate/question.h"

#include "model/evaluate/number.h"

int64_t question_image_size(const struct launch_argument *image, uint64_t what)
{
	switch (what) {
	case IMAGE_SIZE_WIDTH:
		return image->width > 0 ? image->width : 1;
	case IMAGE_SIZE_HEIGHT:
		return image->height > 0 ? image->height : 1;
	case IMAGE_SIZE_DEPTH:
		return image->depth > 0 ? image->depth : 1;
	case IMAGE_SIZE_TYPE:
		return (int64_t)image_format_type((enum image_format)image->format);
	default:
		return (int64_t)image_format_order((enum image_format)image->format);
	}
}

static bool argument_value(const struct launch *launch, const struct ir_node *n, unsigned part,
                           int64_t *value)
{
	const struct launch_argument *argument;

	if (n->aux >= launch->argument_count)
		return false;
	argument = &launch->arguments[n->aux];
	if (argument->kind == ARGUMENT_SAMPLER) {
		*value = argument->sampler;
		return true;
	}
	if (argument->kind != ARGUMENT_SCALAR || n->imm != 0 ||
	    type_is_real(argument->type) != type_is_real(n->type))
		return false;
	*value = type_is_real(n->type) ? number_bits(n->type, argument->value.real[part])
	                               : number_wrap(n->type, argument->value.integer[part]);
	return true;
}

bool question_value(const struct question *question, const struct ir_node *n, unsigned part,
                    int64_t *value)
{
	const struct launch *launch = question->launch;
	unsigned d = n->aux < 3 ? n->aux : 0;

	switch (n->op) {
	case NODE_CONST_INT:
		*value = number_wrap(n->type, (int64_t)n->imm);
		return true;
	case NODE_CONST_REAL:
		*value = (int64_t)n->imm;
		return true;
	case NODE_ARG:
		return argument_value(launch, n, part, value);
	case NODE_GLOBAL_SIZE:
		*value = (int64_t)launch->global[d];
		return true;
	case NODE_LOCAL_SIZE:
		*value = (int64_t)launch->local[d];
		return true;
	case NODE_NUM_GROUPS:
		*value = (int64_t)question->sizes->group_count[d];
		return true;
	case NODE_GLOBAL_OFFSET:
		*value = (int64_t)launch->offset[d];
		return true;
	case NODE_WORK_DIM:
		*value = (int64_t)launch->dimensions;
		return true;
	case NODE_SUB_GROUP_SIZE:
		*value = (int64_t)question->sizes->warp_items;
		return true;
	case NODE_IMAGE_SIZE:
		if (n->aux >= launch->argument_count ||
		    launch->arguments[n->aux].kind != ARGUMENT_IMAGE)
			return false;
		*value = question_image_size(&launch->arguments[n->aux], n->imm);
		return true;
	default:
		return false;
	}
}
