/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The invariants of a kernel, checked in one walk over each array and one over
 * the tree of statements. Messages name the kind and the number of what is wrong.
 */
#include "model/ir/check.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
	SCALE_MAX = 1 << 28,          /* bytes that one step of an index may move */
	ARGUMENT_BYTES_MAX = 1 << 16, /* of one argument by value */
};

#define OFFSET_MAX (INT64_C(1) << 40)
#define OBJECT_MAX (UINT64_C(1) << 40)

struct check {
	const struct ir_kernel *kernel;
	struct error *error;
	uint32_t *access_statements; /* per access: how many statements perform it */
	bool *reached;               /* per statement: seen in the walk over the tree */
	uint32_t loop_variables;     /* of the loops visited */
};

#define BROKEN(check, ...) error_set((check)->error, STATUS_CORRUPT, __VA_ARGS__)

static bool is_terminated(const char *text)
{
	return strnlen(text, IR_NAME_MAX) < IR_NAME_MAX;
}

static bool is_value(const struct ir_kernel *kernel, uint32_t node)
{
	return node < kernel->node_count && kernel->nodes[node].type.scalar != SCALAR_VOID;
}

static bool is_scalar(const struct ir_kernel *kernel, uint32_t node)
{
	return is_value(kernel, node) && kernel->nodes[node].type.width == 1;
}

static bool is_scalar_integer(const struct ir_kernel *kernel, uint32_t node)
{
	return is_scalar(kernel, node) && type_is_integer(kernel->nodes[node].type);
}

static bool is_same_type(struct type a, struct type b)
{
	return a.scalar == b.scalar && a.width == b.width;
}

/* ---- counts, arguments, objects ------------------------------------------------------------ */

static enum status check_counts(struct check *check)
{
	const struct ir_kernel *kernel = check->kernel;
	const struct {
		const char *what;
		uint32_t count, max;
		const void *array;
	} rows[] = {
	        {"arguments", kernel->argument_count, IR_ARGUMENTS_MAX, kernel->arguments},
	        {"objects", kernel->object_count, IR_OBJECTS_MAX, kernel->objects},
	        {"nodes", kernel->node_count, IR_NODES_MAX, kernel->nodes},
	        {"operands", kernel->operand_count, IR_NODES_MAX * 4, kernel->operands},
	        {"accesses", kernel->access_count, IR_STATEMENTS_MAX, kernel->accesses},
	        {"statements", kernel->statement_count, IR_STATEMENTS_MAX, kernel->statements},
	        {"variables", kernel->variable_count, IR_NODES_MAX, kernel->variables},
	        {"blocks", kernel->block_count, IR_BLOCKS_MAX, kernel->blocks},
	        {"written counts", kernel->written_count, IR_NODES_MAX, kernel->written},
	};
	if (!is_terminated(kernel->name) || !is_terminated(kernel->unsupported) ||
	    !is_terminated(kernel->unknown))
		return BROKEN(check, "kernel: its name is not terminated");
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (rows[i].count > rows[i].max)
			return error_set(check->error, STATUS_LIMIT,
			                 "kernel %s: want at most %u %s, have %u", kernel->name,
			                 rows[i].max, rows[i].what, rows[i].count);
		if (rows[i].count > 0 && rows[i].array == NULL)
			return BROKEN(check, "kernel %s: %s without an array", kernel->name,
			              rows[i].what);
	}
	if (kernel->block_count == 0)
		return BROKEN(check, "kernel %s: no block 0", kernel->name);
	return STATUS_OK;
}

static enum status check_arguments(struct check *check)
{
	const struct ir_kernel *kernel = check->kernel;
	for (uint32_t i = 0; i < kernel->argument_count; i++) {
		const struct ir_argument *argument = &kernel->arguments[i];
		bool is_image = argument->kind == ARGUMENT_IMAGE;
		bool is_pointer = argument->kind == ARGUMENT_BUFFER ||
		                  argument->kind == ARGUMENT_LOCAL || is_image;
		if (!is_terminated(argument->name))
			return BROKEN(check, "argument %u: its name is not terminated", i);
		if (argument->kind >= ARGUMENT_KIND_COUNT)
			return BROKEN(check, "argument %u: unknown kind %u", i, argument->kind);
		if (!type_is_valid(argument->type))
			return BROKEN(check, "argument %u: no valid type", i);
		if (argument->kind == ARGUMENT_SCALAR && argument->type.scalar == SCALAR_VOID)
			return BROKEN(check, "argument %u: a scalar without a type", i);
		if (!is_pointer && argument->size_bytes > ARGUMENT_BYTES_MAX)
			return BROKEN(check, "argument %u: %u bytes by value", i,
			              argument->size_bytes);
		if (argument->image >= IMAGE_KIND_COUNT || argument->access > 3 ||
		    (!is_image && argument->image != IMAGE_NONE))
			return BROKEN(check, "argument %u: no such image", i);
		if (argument->object == IR_NONE)
			continue;
		if (!is_pointer || argument->object >= kernel->object_count ||
		    kernel->objects[argument->object].argument != i ||
		    is_image != (kernel->objects[argument->object].space == SPACE_IMAGE) ||
		    is_image != (argument->image != IMAGE_NONE))
			return BROKEN(check, "argument %u: object %u is not its own", i,
			              argument->object);
	}
	return STATUS_OK;
}

static enum status check_objects(struct check *check)
{
	const struct ir_kernel *kernel = check->kernel;
	for (uint32_t i = 0; i < kernel->object_count; i++) {
		const struct ir_object *object = &kernel->objects[i];
		if (!is_terminated(object->name))
			return BROKEN(check, "object %u: its name is not terminated", i);
		if (object->space >= SPACE_COUNT)
			return BROKEN(check, "object %u: unknown space %u", i, object->space);
		if (!type_is_valid(object->type))
			return BROKEN(check, "object %u: no valid type", i);
		if (object->size_bytes > OBJECT_MAX || object->element_bytes > SCALE_MAX)
			return BROKEN(check, "object %u: too large", i);
		if (object->argument == IR_NONE && object->space != SPACE_IMAGE)
			continue;
		if (object->argument >= kernel->argument_count ||
		    kernel->arguments[object->argument].object != i)
			return BROKEN(check, "object %u: argument %u is not its own", i,
			              object->argument);
	}
	return STATUS_OK;
}

/* ---- nodes --------------------------------------------------------------------------------- */

static struct type operand_type(const struct ir_kernel *kernel, const struct ir_node *node,
                                unsigned i)
{
	return kernel->nodes[kernel->operands[node->first_operand + i]].type;
}

static const char *leaf_fault(const struct ir_kernel *kernel, uint32_t id)
{
	const struct ir_node *node = &kernel->nodes[id];
	bool is_index = type_is_integer(node->type) && node->type.width == 1;
	switch ((enum node_op)node->op) {
	case NODE_CONST_INT:
		return is_index ? NULL : "an integer of another type";
	case NODE_CONST_REAL:
		return type_is_real(node->type) && node->type.width == 1 ? NULL
		                                                         : "a real of another type";
	case NODE_ARG: {
		if (node->aux >= kernel->argument_count)
			return "no such argument";
		const struct ir_argument *argument = &kernel->arguments[node->aux];
		if (argument->kind == ARGUMENT_SCALAR)
			return is_same_type(node->type, argument->type) && node->imm == 0
			               ? NULL
			               : "an argument of another type";
		if (argument->kind == ARGUMENT_STRUCT)
			return node->imm < argument->size_bytes ? NULL : "beyond its struct";
		if (argument->kind == ARGUMENT_SAMPLER)
			return node->type.scalar == SCALAR_UINT && node->type.width == 1 &&
			                       node->imm == 0
			               ? NULL
			               : "a sampler of another type";
		return "an argument that is no value";
	}
	case NODE_GLOBAL_ID:
	case NODE_LOCAL_ID:
	case NODE_GROUP_ID:
	case NODE_GLOBAL_SIZE:
	case NODE_LOCAL_SIZE:
	case NODE_NUM_GROUPS:
	case NODE_GLOBAL_OFFSET:
		if (node->aux > 2)
			return "a dimension over 2";
		return is_index ? NULL : "an index of another type";
	case NODE_WORK_DIM:
	case NODE_SUB_GROUP_SIZE:
		return is_index ? NULL : "an index of another type";
	case NODE_IMAGE_SIZE:
		if (node->aux >= kernel->argument_count ||
		    kernel->arguments[node->aux].kind != ARGUMENT_IMAGE ||
		    node->imm >= IMAGE_SIZE_COUNT)
			return "the size of no image";
		return is_index ? NULL : "a size of another type";
	case NODE_LOOP_VAR: {
		if (node->aux >= kernel->statement_count ||
		    kernel->statements[node->aux].kind != STATEMENT_LOOP)
			return "a variable of no loop";
		const struct ir_statement *loop = &kernel->statements[node->aux];
		if (node->imm >= loop->variable_count ||
		    loop->first_variable >= kernel->variable_count ||
		    node->imm >= kernel->variable_count - loop->first_variable ||
		    kernel->variables[loop->first_variable + node->imm].node != id)
			return "not the variable in its slot";
		return NULL;
	}
	case NODE_LOAD:
	case NODE_ATOMIC: {
		if (node->aux >= kernel->access_count)
			return "no such access";
		const struct ir_access *access = &kernel->accesses[node->aux];
		if (access->result != id ||
		    access->kind != (node->op == NODE_LOAD ? ACCESS_LOAD : ACCESS_ATOMIC))
			return "not the result of its access";
		return is_same_type(access->type, node->type) ? NULL : "not of its access's type";
	}
	default:
		return NULL;
	}
}

/* Lanes of a swizzle or insertion, four bits each, all below `width`. */
static bool lanes_fit(uint64_t lanes, unsigned count, unsigned width)
{
	for (unsigned i = 0; i < count; i++)
		if (((lanes >> (4 * i)) & 15) >= width)
			return false;
	return true;
}

static const char *vector_fault(const struct ir_kernel *kernel, const struct ir_node *node)
{
	unsigned width = node->type.width, lanes = 0;
	struct type a = operand_type(kernel, node, 0);
	switch ((enum node_op)node->op) {
	case NODE_VECTOR:
		for (unsigned i = 0; i < node->operand_count; i++)
			lanes += operand_type(kernel, node, i).width;
		return lanes == width ? NULL : "parts that do not add up";
	case NODE_SPLAT:
		return a.width == 1 ? NULL : "a splat of a vector";
	case NODE_SWIZZLE:
		return lanes_fit(node->imm, width, a.width) ? NULL : "a lane out of range";
	case NODE_INSERT:
		if (a.width != width)
			return "an insertion into another width";
		return lanes_fit(node->imm, operand_type(kernel, node, 1).width, width)
		               ? NULL
		               : "a lane out of range";
	case NODE_CALL:
		return node->aux < BUILTIN_COUNT ? NULL : "no such built-in";
	default:
		return NULL;
	}
}

/* As many coordinates as its image has, and a sampler. */
static const char *texel_fault(const struct ir_kernel *kernel, const struct ir_node *node)
{
	if (node->aux >= kernel->object_count || kernel->objects[node->aux].space != SPACE_IMAGE)
		return "a texel of no image";
	const struct ir_argument *image = &kernel->arguments[kernel->objects[node->aux].argument];
	unsigned coordinates = image_coordinates((enum image_kind)image->image);
	if (node->type.scalar != SCALAR_ULONG || node->type.width != 1)
		return "a texel of another type";
	if ((node->imm & ~(uint64_t)TEXEL_REAL) != coordinates || coordinates == 0 ||
	    node->operand_count < coordinates || node->operand_count > coordinates + 1)
		return "coordinates of another image";
	for (unsigned i = 0; i < node->operand_count; i++)
		if (operand_type(kernel, node, i).width != 1)
			return "a coordinate that is a vector";
	if (node->operand_count > coordinates &&
	    !type_is_integer(operand_type(kernel, node, coordinates)))
		return "a sampler that is no integer";
	return NULL;
}

static const char *operator_fault(const struct ir_kernel *kernel, const struct ir_node *node)
{
	unsigned first = 0;
	switch ((enum node_op)node->op) {
	case NODE_VECTOR:
	case NODE_SPLAT:
	case NODE_SWIZZLE:
	case NODE_INSERT:
	case NODE_CALL:
		return vector_fault(kernel, node);
	case NODE_BITCAST:
		return NULL;
	case NODE_TEXEL:
		return texel_fault(kernel, node);
	case NODE_PHI:
	case NODE_SELECT: /* the condition may be scalar */
		if (operand_type(kernel, node, 0).width == 1)
			first = 1;
		break;
	case NODE_REM:
	case NODE_AND:
	case NODE_OR:
	case NODE_XOR:
	case NODE_NOT:
	case NODE_SHL:
	case NODE_SHR:
	case NODE_MUL_HI:
		if (!type_is_integer(node->type) || !type_is_integer(operand_type(kernel, node, 0)))
			return "an integer operator on another type";
		break;
	default:
		break;
	}
	for (unsigned i = first; i < node->operand_count; i++)
		if (operand_type(kernel, node, i).width != node->type.width)
			return "operands of another width";
	return NULL;
}

static enum status check_nodes(struct check *check)
{
	const struct ir_kernel *kernel = check->kernel;
	for (uint32_t id = 0; id < kernel->node_count; id++) {
		const struct ir_node *node = &kernel->nodes[id];
		if (node->op >= NODE_OP_COUNT)
			return BROKEN(check, "node %u: unknown operator %u", id, node->op);
		const char *word = node_op_name((enum node_op)node->op);
		int wanted = node_op_operands((enum node_op)node->op);
		if (!type_is_valid(node->type) || node->type.scalar == SCALAR_VOID)
			return BROKEN(check, "node %u (%s): no valid type", id, word);
		if (wanted < 0 ? node->operand_count == 0 || node->operand_count > IR_OPERANDS_MAX
		               : node->operand_count != wanted)
			return BROKEN(check, "node %u (%s): has %u operands", id, word,
			              node->operand_count);
		if (node->operand_count > 0 &&
		    (node->first_operand > kernel->operand_count ||
		     node->operand_count > kernel->operand_count - node->first_operand))
			return BROKEN(check, "node %u (%s): operands out of range", id, word);
		for (unsigned i = 0; i < node->operand_count; i++)
			if (kernel->operands[node->first_operand + i] >= id)
				return BROKEN(check, "node %u (%s): operand %u is no older node",
				              id, word, i);
		const char *fault = node->operand_count == 0 ? leaf_fault(kernel, id)
		                                             : operator_fault(kernel, node);
		if (fault != NULL)
			return BROKEN(check, "node %u (%s): %s", id, word, fault);
	}
	return STATUS_OK;
}

/* ---- accesses, written counts -------------------------------------------------------------- */

static enum status check_accesses(struct check *check)
{
	const struct ir_kernel *kernel = check->kernel;
	for (uint32_t i = 0; i < kernel->access_count; i++) {
		const struct ir_access *access = &kernel->accesses[i];
		if (access->kind >= ACCESS_KIND_COUNT)
			return BROKEN(check, "access %u: unknown kind %u", i, access->kind);
		if (access->object >= kernel->object_count)
			return BROKEN(check, "access %u: no object %u", i, access->object);
		if (access->index != IR_NONE && !is_scalar_integer(kernel, access->index))
			return BROKEN(check, "access %u: its index is no integer", i);
		bool is_texel =
		        access->index != IR_NONE && kernel->nodes[access->index].op == NODE_TEXEL;
		if (is_texel != (kernel->objects[access->object].space == SPACE_IMAGE) ||
		    (is_texel && (kernel->nodes[access->index].aux != access->object ||
		                  access->kind == ACCESS_ATOMIC || access->scale_bytes != 1 ||
		                  access->offset_bytes != 0)))
			return BROKEN(check, "access %u: want a texel of its image", i);
		if (access->scale_bytes > SCALE_MAX || access->offset_bytes > OFFSET_MAX ||
		    access->offset_bytes < -OFFSET_MAX)
			return BROKEN(check, "access %u: scale or offset too large", i);
		if (!type_is_valid(access->type) || access->type.scalar == SCALAR_VOID)
			return BROKEN(check, "access %u: no valid type", i);
		if (access->value != IR_NONE && !is_value(kernel, access->value))
			return BROKEN(check, "access %u: no value %u", i, access->value);
		if ((access->kind == ACCESS_STORE) != (access->result == IR_NONE))
			return BROKEN(check, "access %u: a store has no result, others have", i);
		if ((access->is_exchange || access->is_extreme) && access->kind != ACCESS_ATOMIC)
			return BROKEN(check, "access %u: exchanges without being an atomic", i);
		if (access->is_packed && (access->kind == ACCESS_ATOMIC || access->type.width < 2))
			return BROKEN(check, "access %u: packed, and no vector's load or store", i);
		if (access->is_exchange && access->is_extreme)
			return BROKEN(check, "access %u: exchanges and keeps an extreme", i);
		if (access->kind == ACCESS_STORE && access->value == IR_NONE)
			return BROKEN(check, "access %u: stores nothing", i);
		if (access->kind == ACCESS_LOAD && access->value != IR_NONE)
			return BROKEN(check, "access %u: loads, and has a value to store", i);
		if (access->result == IR_NONE)
			continue;
		if (access->result >= kernel->node_count ||
		    kernel->nodes[access->result].op !=
		            (access->kind == ACCESS_LOAD ? NODE_LOAD : NODE_ATOMIC) ||
		    kernel->nodes[access->result].aux != i)
			return BROKEN(check, "access %u: node %u is not its result", i,
			              access->result);
		if ((access->index != IR_NONE && access->index >= access->result) ||
		    (access->value != IR_NONE && access->value >= access->result))
			return BROKEN(check, "access %u: depends on its own result", i);
	}
	return STATUS_OK;
}

static enum status check_written(struct check *check)
{
	const struct ir_kernel *kernel = check->kernel;
	for (uint32_t i = 0; i < kernel->written_count; i++) {
		const struct ir_written *entry = &kernel->written[i];
		bool is_access = entry->op_class == OP_CLASS_NONE;
		if (entry->block >= kernel->block_count || entry->op_class > OP_CLASS_NONE ||
		    entry->type_class > TYPE_CLASS_NONE ||
		    (!is_access && entry->type_class == TYPE_CLASS_NONE) ||
		    (is_access && entry->access >= kernel->access_count))
			return BROKEN(check, "written count %u: names what does not exist", i);
	}
	return STATUS_OK;
}

/* ---- the tree of statements ---------------------------------------------------------------- */

static enum status check_loop(struct check *check, uint32_t id)
{
	const struct ir_kernel *kernel = check->kernel;
	const struct ir_statement *loop = &kernel->statements[id];
	check->loop_variables += loop->variable_count;
	if (loop->variable_count == 0)
		return STATUS_OK;
	if (loop->variable_count > IR_LOOP_VARIABLES_MAX ||
	    loop->first_variable >= kernel->variable_count ||
	    loop->variable_count > kernel->variable_count - loop->first_variable)
		return BROKEN(check, "statement %u: variables out of range", id);
	for (uint32_t slot = 0; slot < loop->variable_count; slot++) {
		const struct ir_variable *variable =
		        &kernel->variables[loop->first_variable + slot];
		if (!is_value(kernel, variable->node) ||
		    kernel->nodes[variable->node].op != NODE_LOOP_VAR ||
		    kernel->nodes[variable->node].aux != id ||
		    kernel->nodes[variable->node].imm != slot)
			return BROKEN(check, "statement %u: variable %u is not its own", id, slot);
		struct type type = kernel->nodes[variable->node].type;
		if (variable->init >= variable->node ||
		    !is_same_type(kernel->nodes[variable->init].type, type))
			return BROKEN(check, "statement %u: variable %u begins as another type", id,
			              slot);
		if (variable->next >= kernel->node_count ||
		    !is_same_type(kernel->nodes[variable->next].type, type))
			return BROKEN(check, "statement %u: variable %u has no next value", id,
			              slot);
	}
	return STATUS_OK;
}

static enum status check_target(struct check *check, uint32_t id)
{
	const struct ir_kernel *kernel = check->kernel;
	const struct ir_statement *statement = &kernel->statements[id];
	bool is_exit = statement->kind == STATEMENT_EXIT;
	if (statement->target == IR_NONE && is_exit)
		return STATUS_OK;
	if (statement->target >= kernel->statement_count ||
	    !kernel_is_within(kernel, kernel->statements[id].block, statement->target))
		return BROKEN(check, "statement %u: leaves what is not around it", id);
	enum statement_kind kind = (enum statement_kind)kernel->statements[statement->target].kind;
	if (kind != STATEMENT_LOOP && !(is_exit && kind == STATEMENT_SCOPE))
		return BROKEN(check, "statement %u: its target is no loop", id);
	return STATUS_OK;
}

/* References of one statement; its block and the ones around are known to be sound. */
static enum status check_statement(struct check *check, uint32_t id)
{
	const struct ir_kernel *kernel = check->kernel;
	const struct ir_statement *statement = &kernel->statements[id];
	bool has_condition = statement->condition != IR_NONE;
	if (has_condition && statement->kind != STATEMENT_LOOP &&
	    statement->kind != STATEMENT_BRANCH && statement->kind != STATEMENT_EFFECT)
		return BROKEN(check, "statement %u: a condition that its kind does not have", id);
	if (statement->variable_count != 0 && statement->kind != STATEMENT_LOOP)
		return BROKEN(check, "statement %u: variables that its kind does not have", id);
	if (statement->access != IR_NONE && statement->kind != STATEMENT_ACCESS)
		return BROKEN(check, "statement %u: an access that its kind does not have", id);
	if (statement->target != IR_NONE && statement->kind != STATEMENT_EXIT &&
	    statement->kind != STATEMENT_NEXT)
		return BROKEN(check, "statement %u: a target that its kind does not have", id);
	switch ((enum statement_kind)statement->kind) {
	case STATEMENT_ACCESS:
		if (statement->access >= kernel->access_count ||
		    check->access_statements[statement->access]++ != 0)
			return BROKEN(check, "statement %u: access %u is not its own", id,
			              statement->access);
		return STATUS_OK;
	case STATEMENT_LOOP:
		if (has_condition && !is_scalar(kernel, statement->condition))
			return BROKEN(check, "statement %u: its condition is no scalar", id);
		return check_loop(check, id);
	case STATEMENT_BRANCH:
		if (!is_scalar(kernel, statement->condition))
			return BROKEN(check, "statement %u: its condition is no scalar", id);
		return STATUS_OK;
	case STATEMENT_EXIT:
	case STATEMENT_NEXT:
		return check_target(check, id);
	case STATEMENT_EFFECT:
		if (has_condition && !is_value(kernel, statement->condition))
			return BROKEN(check, "statement %u: no value %u", id, statement->condition);
		return STATUS_OK;
	case STATEMENT_SCOPE:
	case STATEMENT_BARRIER:
		return STATUS_OK;
	default:
		return BROKEN(check, "statement %u: unknown kind %u", id, statement->kind);
	}
}

static enum status check_child(struct check *check, uint32_t id, uint32_t block)
{
	const struct ir_kernel *kernel = check->kernel;
	if (block == IR_NONE)
		return STATUS_OK;
	if (block == 0 || block >= kernel->block_count || kernel->blocks[block].owner != id)
		return BROKEN(check, "statement %u: block %u is not its own", id, block);
	return STATUS_OK;
}

/* The blocks below a statement: there where its kind has some, and nowhere else. */
static enum status check_children(struct check *check, uint32_t id)
{
	const struct ir_statement *statement = &check->kernel->statements[id];
	bool has_body = statement->kind == STATEMENT_LOOP || statement->kind == STATEMENT_BRANCH ||
	                statement->kind == STATEMENT_SCOPE;
	if (has_body != (statement->body != IR_NONE) ||
	    (statement->kind != STATEMENT_BRANCH && statement->otherwise != IR_NONE) ||
	    (has_body && statement->body == statement->otherwise))
		return BROKEN(check, "statement %u: blocks that its kind does not have", id);
	enum status status = check_child(check, id, statement->body);
	return status != STATUS_OK ? status : check_child(check, id, statement->otherwise);
}

struct frame {
	uint32_t block;
	uint32_t next;       /* statement to visit */
	bool goes_otherwise; /* the else block of the statement before is still to visit */
	uint32_t parent;     /* that statement */
};

/* Visits one statement; *child is a block to enter, or IR_NONE. */
static enum status visit(struct check *check, struct frame *frame, uint32_t *child)
{
	const struct ir_kernel *kernel = check->kernel;
	uint32_t id = frame->next;
	if (id >= kernel->statement_count || check->reached[id] ||
	    kernel->statements[id].block != frame->block)
		return BROKEN(check, "block %u: statement %u is not its own", frame->block, id);
	check->reached[id] = true;
	const struct ir_statement *statement = &kernel->statements[id];
	enum status status = check_children(check, id);
	if (status == STATUS_OK)
		status = check_statement(check, id);
	if (status != STATUS_OK)
		return status;
	if (statement->following == IR_NONE && kernel->blocks[frame->block].last != id)
		return BROKEN(check, "block %u: its last statement is another", frame->block);
	frame->next = statement->following;
	frame->parent = id;
	frame->goes_otherwise = statement->otherwise != IR_NONE;
	*child = statement->body;
	return STATUS_OK;
}

static enum status check_tree(struct check *check)
{
	const struct ir_kernel *kernel = check->kernel;
	struct frame frames[IR_DEPTH_MAX];
	unsigned depth = 1;
	if (kernel->blocks[0].owner != IR_NONE)
		return BROKEN(check, "block 0: has an owner");
	frames[0] = (struct frame){.next = kernel->blocks[0].first};
	while (depth > 0) {
		struct frame *frame = &frames[depth - 1];
		uint32_t child = IR_NONE;
		if (frame->goes_otherwise) {
			frame->goes_otherwise = false;
			child = kernel->statements[frame->parent].otherwise;
		} else if (frame->next == IR_NONE) {
			depth--;
			continue;
		} else {
			enum status status = visit(check, frame, &child);
			if (status != STATUS_OK)
				return status;
		}
		if (child == IR_NONE)
			continue;
		if (depth == IR_DEPTH_MAX)
			return error_set(check->error, STATUS_LIMIT,
			                 "kernel %s: blocks nested deeper than %d", kernel->name,
			                 IR_DEPTH_MAX);
		frames[depth++] =
		        (struct frame){.block = child, .next = kernel->blocks[child].first};
	}
	return STATUS_OK;
}

/* Nothing may stand beside the tree: passes visit the arrays as well. */
static enum status check_reached(struct check *check)
{
	const struct ir_kernel *kernel = check->kernel;
	for (uint32_t id = 0; id < kernel->statement_count; id++)
		if (!check->reached[id])
			return BROKEN(check, "statement %u: in no block of the kernel", id);
	for (uint32_t i = 0; i < kernel->access_count; i++)
		if (check->access_statements[i] != 1)
			return BROKEN(check, "access %u: no statement performs it", i);
	if (check->loop_variables != kernel->variable_count)
		return BROKEN(check, "kernel %s: variables of no loop", kernel->name);
	for (uint32_t block = 0; block < kernel->block_count; block++) {
		const struct ir_block *b = &kernel->blocks[block];
		bool is_empty = b->first == IR_NONE;
		if (is_empty != (b->last == IR_NONE))
			return BROKEN(check, "block %u: half a list", block);
		if (b->owner != IR_NONE && (b->owner >= kernel->statement_count ||
		                            (kernel->statements[b->owner].body != block &&
		                             kernel->statements[b->owner].otherwise != block)))
			return BROKEN(check, "block %u: statement %u does not own it", block,
			              b->owner);
		if (block != 0 && b->owner == IR_NONE && !is_empty)
			return BROKEN(check, "block %u: in no statement of the kernel", block);
	}
	return STATUS_OK;
}

enum status kernel_check(const struct ir_kernel *kernel, struct error *error)
{
	struct check check = {.kernel = kernel, .error = error};
	static enum status (*const steps[])(struct check *) = {
	        check_arguments, check_objects, check_nodes,   check_accesses,
	        check_written,   check_tree,    check_reached,
	};
	enum status status = check_counts(&check);
	if (status != STATUS_OK)
		return status;
	check.access_statements =
	        calloc((size_t)kernel->access_count + 1, sizeof *check.access_statements);
	check.reached = calloc((size_t)kernel->statement_count + 1, sizeof *check.reached);
	if (check.access_statements == NULL || check.reached == NULL)
		status = error_set(error, STATUS_NO_MEMORY, "kernel %s: out of memory",
		                   kernel->name);
	for (size_t i = 0; i < sizeof steps / sizeof *steps && status == STATUS_OK; i++)
		status = steps[i](&check);
	free(check.access_statements);
	free(check.reached);
	return status;
}
