/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Images: reads through samplers and without, writes, and what asks for sizes.
 *
 * A read is an access whose index is the texel of its coordinates, so that reads of
 * the same texel are one. Coordinates stay what they are, integers or reals: which texel
 * a real falls into, and whether it counts texels or the whole, the launch tells. A
 * real that is an integer plus less than one is that integer all the same.
 */
#include "model/frontend/lower.h"

#include <math.h>
#include <string.h>

/* The object and the declaration of an image argument of a call. */
static bool image_of(struct lower *l, CXCursor cursor, uint32_t *object, enum image_kind *kind)
{
	unsigned access;
	struct pointer pointer = lower_pointer(l, cursor);
	if (l->failed)
		return false;
	if (!type_is_image(clang_getCursorType(cursor), kind, &access) ||
	    pointer.target != POINTER_OBJECT ||
	    l->kernel->objects[pointer.base].space != SPACE_IMAGE) {
		lower_fail(l, cursor, "image without an argument");
		return false;
	}
	*object = pointer.base;
	return true;
}

/*
 * One lane of a vector, as scalars compute it: what launches are evaluated by are scalars,
 * and coordinates are mostly sums of vectors.
 */
static uint32_t lane_of(struct lower *l, uint32_t node, unsigned lane, unsigned depth)
{
	enum { DEPTH_MAX = 10, OPERANDS = 3 };
	const struct ir_node n = l->kernel->nodes[node];
	struct type type = type_scalar((enum scalar)n.type.scalar);
	uint32_t operands[OPERANDS];
	if (l->failed)
		return 0;
	switch ((enum node_op)n.op) {
	case NODE_ADD:
	case NODE_SUB:
	case NODE_MUL:
	case NODE_DIV:
	case NODE_REM:
	case NODE_NEG:
	case NODE_FMA:
	case NODE_AND:
	case NODE_OR:
	case NODE_SHL:
	case NODE_SHR:
	case NODE_CONVERT:
	case NODE_MIN:
	case NODE_MAX:
	case NODE_PHI:
	case NODE_SELECT:
		break;
	default:
		return node_swizzle(l, node, 1, lane);
	}
	if (n.type.width == 1 || depth == DEPTH_MAX)
		return node_swizzle(l, node, 1, lane);
	for (unsigned i = 0; i < n.operand_count; i++) {
		uint32_t operand = l->kernel->operands[n.first_operand + i];
		/* what chooses may be one for all lanes */
		operands[i] = l->kernel->nodes[operand].type.width == 1
		                      ? operand
		                      : lane_of(l, operand, lane, depth + 1);
	}
	if (l->failed)
		return 0;
	return node_check(l, kernel_node(l->kernel, (enum node_op)n.op, type, operands,
	                                 n.operand_count, n.aux, n.imm));
}

/* x + 0.5f, or x as a real, for an integer x: the texel is x. */
static uint32_t whole_of(struct lower *l, uint32_t node)
{
	const struct ir_kernel *kernel = l->kernel;
	const struct ir_node *n = &kernel->nodes[node];
	double value;
	if (n->op == NODE_ADD && type_is_real(n->type)) {
		uint32_t a = kernel->operands[n->first_operand];
		uint32_t b = kernel->operands[n->first_operand + 1];
		if (kernel->nodes[a].op == NODE_CONST_REAL) {
			uint32_t other = a;
			a = b;
			b = other;
		}
		if (kernel->nodes[b].op != NODE_CONST_REAL)
			return node;
		(void)memcpy(&value, &kernel->nodes[b].imm, sizeof(value));
		if (!(value >= 0 && value < 1) || kernel->nodes[a].op != NODE_CONVERT)
			return node;
		n = &kernel->nodes[a];
	}
	if (n->op != NODE_CONVERT || !type_is_real(n->type))
		return node;
	uint32_t from = kernel->operands[n->first_operand];
	return type_is_integer(kernel->nodes[from].type) ? from : node;
}

/* False when a sampler is known to count in texels, or none is there. */
static bool may_be_normalized(const struct lower *l, uint32_t sampler)
{
	int64_t bits;
	if (sampler == IR_NONE)
		return false;
	return !kernel_constant(l->kernel, sampler, &bits) || (bits & SAMPLER_NORMALIZED) != 0;
}

/* The texel at the coordinates of a vector (or scalar); sampler: a node, or IR_NONE. */
static uint32_t texel(struct lower *l, uint32_t object, enum image_kind kind, uint32_t coordinates,
                      uint32_t sampler, CXCursor at)
{
	uint32_t operands[4];
	unsigned count = image_coordinates(kind), operand_count = count;
	if (l->failed)
		return 0;
	if (count == 0 || node_type(l, coordinates).width < count) {
		lower_fail(l, at, "image coordinates");
		return 0;
	}
	bool keeps_reals = may_be_normalized(l, sampler);
	uint64_t form = count;
	if (type_is_real(node_type(l, coordinates)))
		form |= TEXEL_REAL;
	for (unsigned i = 0; i < count; i++) {
		uint32_t node = lane_of(l, coordinates, i, 0);
		operands[i] = l->failed || (keeps_reals && i < image_dimensions(kind))
		                      ? node
		                      : whole_of(l, node);
	}
	if (sampler != IR_NONE)
		operands[operand_count++] = sampler;
	if (l->failed)
		return 0;
	return node_check(l, kernel_node(l->kernel, NODE_TEXEL, type_scalar(SCALAR_ULONG), operands,
	                                 operand_count, object, form));
}

/* read_imagef and its like; the letter says what a channel is. */
static bool image_read(struct lower *l, const struct call *call, struct value *result)
{
	enum image_kind kind;
	uint32_t object, sampler = IR_NONE;
	unsigned at = 1;
	if (strncmp(call->name, "read_image", 10) != 0 || call->count < 2)
		return false;
	if (!image_of(l, call->arguments[0], &object, &kind))
		return true;
	CXType second = type_canonical(clang_getCursorType(call->arguments[1]));
	if (call->count > 2 && second.kind == CXType_OCLSampler) {
		sampler = lower_node(l, call->arguments[1]);
		at = 2;
	}
	uint32_t coordinates = lower_node(l, call->arguments[at]);
	/* a level of detail, gradients or a sample: evaluated, and the same texel to the model */
	for (unsigned i = at + 1; i < call->count; i++)
		(void)lower_expression(l, call->arguments[i]);
	struct pointer pointer = {.target = POINTER_OBJECT, .base = object, .scale = 1};
	pointer.index = texel(l, object, kind, coordinates, sampler, call->cursor);
	if (!l->failed)
		*result = value_node(memory_load(l, &pointer, call->type, call->cursor));
	return true;
}

static bool image_write(struct lower *l, const struct call *call)
{
	enum image_kind kind;
	uint32_t object;
	if (strncmp(call->name, "write_image", 11) != 0 || call->count < 3)
		return false;
	if (!image_of(l, call->arguments[0], &object, &kind))
		return true;
	uint32_t coordinates = lower_node(l, call->arguments[1]);
	uint32_t value = lower_node(l, call->arguments[call->count - 1]);
	struct pointer pointer = {.target = POINTER_OBJECT, .base = object, .scale = 1};
	pointer.index = texel(l, object, kind, coordinates, IR_NONE, call->cursor);
	if (!l->failed)
		memory_store(l, &pointer, node_type(l, value), value, call->cursor);
	return true;
}

static uint32_t image_size(struct lower *l, uint32_t object, enum image_size what)
{
	uint32_t argument = l->kernel->objects[object].argument;
	return node_check(l, kernel_node(l->kernel, NODE_IMAGE_SIZE, type_scalar(SCALAR_INT), NULL,
	                                 0, argument, (uint64_t)what));
}

/* get_image_dim: (width, height) or (width, height, depth, 0). */
static uint32_t image_dim(struct lower *l, uint32_t object, struct type type)
{
	uint32_t parts[4];
	for (unsigned i = 0; i < type.width; i++)
		parts[i] = i < 3 ? image_size(l, object, (enum image_size)i)
		                 : node_zero(l, type_scalar(SCALAR_INT));
	if (l->failed)
		return 0;
	return node_check(
	        l, kernel_node(l->kernel, NODE_VECTOR, type, parts, (unsigned)type.width, 0, 0));
}

static bool image_query(struct lower *l, const struct call *call, struct value *result)
{
	static const struct {
		const char *name;
		enum image_size size;
	} queries[] = {
	        {"get_image_width", IMAGE_SIZE_WIDTH},
	        {"get_image_height", IMAGE_SIZE_HEIGHT},
	        {"get_image_depth", IMAGE_SIZE_DEPTH},
	        {"get_image_channel_data_type", IMAGE_SIZE_TYPE},
	        {"get_image_channel_order", IMAGE_SIZE_ORDER},
	};
	enum image_kind kind;
	uint32_t object;
	if (strncmp(call->name, "get_image_", 10) != 0 || call->count != 1)
		return false;
	if (!image_of(l, call->arguments[0], &object, &kind))
		return true;
	uint32_t node = IR_NONE;
	for (size_t i = 0; i < sizeof(queries) / sizeof(queries[0]); i++)
		if (strcmp(call->name, queries[i].name) == 0)
			node = image_size(l, object, queries[i].size);
	if (strcmp(call->name, "get_image_array_size") == 0)
		node = image_size(l, object,
		                  kind == IMAGE_1D_ARRAY ? IMAGE_SIZE_HEIGHT : IMAGE_SIZE_DEPTH);
	else if (strcmp(call->name, "get_image_dim") == 0 && call->type.width <= 4)
		node = image_dim(l, object, call->type);
	else if (strcmp(call->name, "get_image_num_mip_levels") == 0 ||
	         strcmp(call->name, "get_image_num_samples") == 0)
		node = node_number(l, type_scalar(SCALAR_INT), 1);
	if (node == IR_NONE)
		return false;
	if (!l->failed)
		*result = value_node(convert_node(l, node, call->type));
	return true;
}

bool builtin_image(struct lower *l, const struct call *call, struct value *result)
{
	return image_read(l, call, result) || image_write(l, call) || image_query(l, call, result);
}
