/* SPDX-License-Identifier: Apache-2.0 */
/* A buffer's rows as those of an image: sums of a place are parted into rows and columns. */
#include "model/whatif/picture.h"

#include "model/passes/passes.h"

enum { PARTS_MAX = 16, SIDE_MAX = 16384, SIDE_LEAST = 64 };

/* One term of a place: a node, or what is multiplied by the pitch. */
struct part {
	uint32_t node;
	bool is_row, is_less;
};

struct parts {
	struct part part[PARTS_MAX];
	unsigned count;
	int64_t pitch;
};

static bool part_place(const struct several_state *s, uint32_t id, bool is_less, unsigned depth,
                       struct parts *parts)
{
	const struct ir_node *node = &s->from->nodes[id];
	const uint32_t *operands = kernel_operands(s->from, id);
	struct part part = {.node = id, .is_less = is_less};
	int64_t value;

	if (depth > PARTS_MAX)
		return false;
	if (node->op == NODE_CONVERT && type_is_integer(s->from->nodes[operands[0]].type))
		return part_place(s, operands[0], is_less, depth + 1, parts);
	if (node->op == NODE_ADD || node->op == NODE_SUB)
		return part_place(s, operands[0], is_less, depth + 1, parts) &&
		       part_place(s, operands[1], is_less != (node->op == NODE_SUB), depth + 1,
		                  parts);
	for (unsigned i = 0; node->op == NODE_MUL && i < 2; i++)
		if (value_of(s, operands[i], &value) && value >= SIDE_LEAST && value <= SIDE_MAX &&
		    (parts->pitch == 0 || parts->pitch == value)) {
			part.node = operands[1 - i];
			part.is_row = true;
			parts->pitch = value;
			break;
		}
	if (parts->count == PARTS_MAX)
		return false;
	parts->part[parts->count++] = part;
	return true;
}

uint32_t access_row_elements(const struct ir_kernel *kernel, const struct launch *launch,
                             const struct ir_access *access)
{
	const struct several_state s = {.from = kernel, .launch = launch};
	struct parts parts = {.count = 0};

	if (access->index == IR_NONE || access->scale_bytes != type_bytes(access->type) ||
	    access->offset_bytes % access->scale_bytes != 0 ||
	    !part_place(&s, access->index, false, 0, &parts))
		return 0;
	return (uint32_t)parts.pitch;
}

static bool format_of(struct type type, enum image_format *format)
{
	static const struct {
		enum scalar scalar;
		enum image_format of[3];
	} rows[] = {{SCALAR_FLOAT, {IMAGE_R32F, IMAGE_RG32F, IMAGE_RGBA32F}},
	            {SCALAR_INT, {IMAGE_R32I, IMAGE_RG32I, IMAGE_RGBA32I}},
	            {SCALAR_UINT, {IMAGE_R32UI, IMAGE_RG32UI, IMAGE_RGBA32UI}}};

	for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++)
		if (type.scalar == (uint8_t)rows[i].scalar &&
		    (type.width == 1 || type.width == 2 || type.width == 4)) {
			*format = rows[i].of[type.width / 2];
			return true;
		}
	return false;
}

bool image_fits(const struct several_state *s)
{
	const struct several *how = s->how;
	const struct ir_object *object = &s->from->objects[how->object];
	const struct launch_argument *argument;
	enum image_format format;
	bool is_any = false;

	if (object->space != SPACE_GLOBAL || object->argument >= s->launch->argument_count ||
	    how->pitch < SIDE_LEAST || how->pitch > SIDE_MAX || !format_of(object->type, &format))
		return false;
	argument = &s->launch->arguments[object->argument];
	if (argument->size_bytes / type_bytes(object->type) / how->pitch < 1 ||
	    argument->size_bytes / type_bytes(object->type) / how->pitch > SIDE_MAX)
		return false;
	for (uint32_t i = 0; i < s->from->access_count; i++) {
		const struct ir_access *access = &s->from->accesses[i];

		if (access->object != how->object)
			continue;
		if (access->kind != ACCESS_LOAD || access->type.scalar != object->type.scalar ||
		    access->type.width != object->type.width ||
		    access_row_elements(s->from, s->launch, access) != how->pitch)
			return false;
		is_any = true;
	}
	return is_any;
}

void image_declare(const struct several_state *s, struct launch *launch)
{
	struct ir_object *object = &s->to->objects[s->how->object];
	struct ir_argument *argument = &s->to->arguments[object->argument];
	struct launch_argument *given = &launch->arguments[object->argument];
	enum image_format format = IMAGE_R32F;

	(void)format_of(object->type, &format);
	argument->kind = ARGUMENT_IMAGE;
	argument->image = IMAGE_2D;
	argument->access = 1;
	object->space = SPACE_IMAGE;
	*given = (struct launch_argument){
	        .kind = ARGUMENT_IMAGE,
	        .access = BUFFER_READ,
	        .width = s->how->pitch,
	        .height = (uint32_t)(given->size_bytes / type_bytes(object->type) / s->how->pitch),
	        .has_format = true,
	        .format = (uint8_t)format};
}

uint32_t image_read(struct several_state *s, const struct ir_access *access, uint32_t block,
                    uint32_t (*made_of)(struct several_state *s, uint32_t node))
{
	struct type whole = type_scalar(SCALAR_INT);
	struct parts parts = {.count = 0};
	uint32_t at[2], id;
	struct ir_access made = *access;

	if (!part_place(s, access->index, false, 0, &parts))
		return IR_NONE;
	at[1] = kernel_integer(s->to, whole, 0);
	at[0] = kernel_integer(s->to, whole, access->offset_bytes / access->scale_bytes);
	for (unsigned i = 0; i < parts.count; i++) {
		uint32_t node = made_of(s, parts.part[i].node), *to = &at[parts.part[i].is_row];

		if (node == IR_NONE)
			return IR_NONE;
		node = kernel_unary(s->to, NODE_CONVERT, whole, node);
		*to = kernel_binary(s->to, parts.part[i].is_less ? NODE_SUB : NODE_ADD, whole, *to,
		                    node);
	}
	made.index =
	        kernel_node(s->to, NODE_TEXEL, type_scalar(SCALAR_ULONG), at, 2, access->object, 2);
	made.scale_bytes = 1;
	made.offset_bytes = 0;
	made.type.width = 4;
	made.result = IR_NONE;
	id = kernel_access(s->to, block, &made);
	if (id == IR_NONE)
		return IR_NONE;
	return access->type.width == 4 ? s->to->accesses[id].result
	                               : kernel_node(s->to, NODE_SWIZZLE, access->type,
	                                             &s->to->accesses[id].result, 1, 0, 0x10);
}
