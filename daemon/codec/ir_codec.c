/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel IR between model/ir/ir.h and its message.
 *
 * Encoding trusts its kernel. Decoding trusts nothing: a count is held against
 * its bound before memory is asked for, a number against the width of the
 * field that it goes to, a name against its length and its characters. What
 * the references mean is then checked as a whole by kernel_seal.
 */
#include "daemon/codec/ir_codec.h"
#include "model/passes/passes.h"

#include "proto/text.h"

#include <stdlib.h>
#include <string.h>

/* ---- names --------------------------------------------------------------------------------- */

/* A copy on the heap, cleaned. */
static bool name_encode(const char name[IR_NAME_MAX], char **result)
{
	size_t length = strnlen(name, IR_NAME_MAX - 1);
	if (length == 0)
		return true; /* the message's empty string stays */
	char *copy = malloc(length + 1);
	if (copy == NULL)
		return false;
	memcpy(copy, name, length);
	copy[length] = '\0';
	text_clean(copy);
	*result = copy;
	return true;
}

static enum status name_decode(const char *text, const char *what, char name[IR_NAME_MAX],
                               struct error *error)
{
	size_t length = strnlen(text, IR_NAME_MAX);
	if (length == IR_NAME_MAX)
		return error_set(error, STATUS_LIMIT, "%s: want at most %d bytes", what,
		                 IR_NAME_MAX - 1);
	if (text_clean_bytes(text) < length)
		return error_set(error, STATUS_CORRUPT, "%s: not text", what);
	memcpy(name, text, length);
	memset(name + length, 0, IR_NAME_MAX - length);
	return STATUS_OK;
}

/* ---- encoding ------------------------------------------------------------------------------ */

/* On the wire a reference is one more than the index, so that IR_NONE is the default, zero. */
static uint32_t reference_encode(uint32_t index)
{
	return index + 1u;
}

static uint32_t reference_decode(uint32_t reference)
{
	return reference - 1u;
}

enum { TYPE_WIDTHS = 32 };

static uint32_t type_encode(struct type type)
{
	return (uint32_t)type.scalar * TYPE_WIDTHS + type.width;
}

/* NAME_new: an array of `count` messages of one kind, the outer message's to free. */
#define MESSAGES_DEFINE(name, Message)                                                             \
	static bool name##_new(Message ***messages, size_t *filled, uint32_t count)                \
	{                                                                                          \
		if (count == 0)                                                                    \
			return true;                                                               \
		*messages = calloc(count, sizeof **messages);                                      \
		if (*messages == NULL)                                                             \
			return false;                                                              \
		for (; *filled < count; ++*filled) {                                               \
			Message *message = malloc(sizeof *message);                                \
			if (message == NULL)                                                       \
				return false;                                                      \
			predictd__ir_##name##__init(message);                                      \
			(*messages)[*filled] = message;                                            \
		}                                                                                  \
		return true;                                                                       \
	}

MESSAGES_DEFINE(argument, Predictd__IrArgument)
MESSAGES_DEFINE(object, Predictd__IrObject)
MESSAGES_DEFINE(access, Predictd__IrAccess)
MESSAGES_DEFINE(statement, Predictd__IrStatement)
MESSAGES_DEFINE(block, Predictd__IrBlock)
MESSAGES_DEFINE(written, Predictd__IrWritten)

/* A column of `count` numbers, the message's to free. */
static bool column_new(uint32_t **column, size_t *filled, uint32_t count)
{
	*filled = 0;
	if (count == 0)
		return true;
	*column = malloc(count * sizeof **column);
	if (*column == NULL)
		return false;
	*filled = count;
	return true;
}

static bool files_encode(const struct ir_kernel *kernel, Predictd__IrKernel *message)
{
	uint32_t count = kernel->file_count;
	if (count == 0)
		return true;
	message->files = calloc(count, sizeof(*message->files));
	if (message->files == NULL)
		return false;
	for (; message->n_files < count; message->n_files++) {
		char **name = &message->files[message->n_files];
		if (!name_encode(kernel->files[message->n_files].name, name))
			return false;
		if (*name == NULL && (*name = strdup("")) == NULL)
			return false;
	}
	return true;
}

static bool arguments_encode(const struct ir_kernel *kernel, Predictd__IrKernel *message)
{
	if (!argument_new(&message->arguments, &message->n_arguments, kernel->argument_count) ||
	    !object_new(&message->objects, &message->n_objects, kernel->object_count))
		return false;
	for (uint32_t i = 0; i < kernel->argument_count; i++) {
		const struct ir_argument *from = &kernel->arguments[i];
		Predictd__IrArgument *to = message->arguments[i];
		if (!name_encode(from->name, &to->name))
			return false;
		to->kind = from->kind;
		to->scalar = from->type.scalar;
		to->width = from->type.width;
		to->size_bytes = from->size_bytes;
		to->object = reference_encode(from->object);
		to->image = from->image;
		to->access = from->access;
	}
	for (uint32_t i = 0; i < kernel->object_count; i++) {
		const struct ir_object *from = &kernel->objects[i];
		Predictd__IrObject *to = message->objects[i];
		if (!name_encode(from->name, &to->name))
			return false;
		to->space = from->space;
		to->argument = reference_encode(from->argument);
		to->size_bytes = from->size_bytes;
		to->scalar = from->type.scalar;
		to->width = from->type.width;
		to->element_bytes = from->element_bytes;
		to->is_volatile = from->is_volatile;
		to->is_restrict = from->is_restrict;
	}
	return true;
}

static bool nodes_encode(const struct ir_kernel *kernel, Predictd__IrKernel *message)
{
	uint32_t count = kernel->node_count;
	uint32_t operand_count = 0;
	for (uint32_t i = 0; i < count; i++)
		operand_count += kernel->nodes[i].operand_count;
	if (!column_new(&message->node_op, &message->n_node_op, count) ||
	    !column_new(&message->node_type, &message->n_node_type, count) ||
	    !column_new(&message->node_operand_count, &message->n_node_operand_count, count) ||
	    !column_new(&message->node_aux, &message->n_node_aux, count) ||
	    !column_new(&message->node_line, &message->n_node_line, count) ||
	    !column_new(&message->node_file, &message->n_node_file,
	                kernel->file_count > 0 ? count : 0) ||
	    !column_new(&message->operands, &message->n_operands, operand_count))
		return false;
	if (count > 0) {
		message->node_imm = malloc(count * sizeof *message->node_imm);
		if (message->node_imm == NULL)
			return false;
		message->n_node_imm = count;
	}
	uint32_t operand = 0;
	for (uint32_t i = 0; i < count; i++) {
		const struct ir_node *node = &kernel->nodes[i];
		message->node_op[i] = node->op;
		message->node_type[i] = type_encode(node->type);
		message->node_operand_count[i] = node->operand_count;
		message->node_aux[i] = node->aux;
		message->node_imm[i] = node->imm;
		message->node_line[i] = node->place.line;
		if (kernel->file_count > 0)
			message->node_file[i] = node->place.file;
		for (unsigned j = 0; j < node->operand_count; j++)
			message->operands[operand++] = kernel->operands[node->first_operand + j];
	}
	return true;
}

static bool effects_encode(const struct ir_kernel *kernel, Predictd__IrKernel *message)
{
	if (!access_new(&message->accesses, &message->n_accesses, kernel->access_count) ||
	    !statement_new(&message->statements, &message->n_statements, kernel->statement_count))
		return false;
	for (uint32_t i = 0; i < kernel->access_count; i++) {
		const struct ir_access *from = &kernel->accesses[i];
		Predictd__IrAccess *to = message->accesses[i];
		to->kind = from->kind;
		to->object = reference_encode(from->object);
		to->index = reference_encode(from->index);
		to->scale_bytes = from->scale_bytes;
		to->offset_bytes = from->offset_bytes;
		to->scalar = from->type.scalar;
		to->width = from->type.width;
		to->value = reference_encode(from->value);
		to->result = reference_encode(from->result);
		to->line = from->line;
		to->is_exchange = from->is_exchange;
		to->is_extreme = from->is_extreme;
		to->is_packed = from->is_packed;
		to->file = from->file;
	}
	for (uint32_t i = 0; i < kernel->statement_count; i++) {
		const struct ir_statement *from = &kernel->statements[i];
		Predictd__IrStatement *to = message->statements[i];
		to->file = from->file;
		to->kind = from->kind;
		to->tests_last = from->tests_last;
		to->unroll = from->unroll;
		to->line = from->line;
		to->block = reference_encode(from->block);
		to->following = reference_encode(from->following);
		to->access = reference_encode(from->access);
		to->condition = reference_encode(from->condition);
		to->body = reference_encode(from->body);
		to->otherwise = reference_encode(from->otherwise);
		to->target = reference_encode(from->target);
		to->first_variable = from->first_variable;
		to->variable_count = from->variable_count;
	}
	return true;
}

static bool blocks_encode(const struct ir_kernel *kernel, Predictd__IrKernel *message)
{
	uint32_t variables = kernel->variable_count;
	if (!column_new(&message->variable_node, &message->n_variable_node, variables) ||
	    !column_new(&message->variable_init, &message->n_variable_init, variables) ||
	    !column_new(&message->variable_next, &message->n_variable_next, variables) ||
	    !block_new(&message->blocks, &message->n_blocks, kernel->block_count) ||
	    !written_new(&message->written, &message->n_written, kernel->written_count))
		return false;
	for (uint32_t i = 0; i < variables; i++) {
		message->variable_node[i] = reference_encode(kernel->variables[i].node);
		message->variable_init[i] = reference_encode(kernel->variables[i].init);
		message->variable_next[i] = reference_encode(kernel->variables[i].next);
	}
	for (uint32_t i = 0; i < kernel->block_count; i++) {
		message->blocks[i]->owner = reference_encode(kernel->blocks[i].owner);
		message->blocks[i]->first = reference_encode(kernel->blocks[i].first);
		message->blocks[i]->last = reference_encode(kernel->blocks[i].last);
	}
	for (uint32_t i = 0; i < kernel->written_count; i++) {
		const struct ir_written *from = &kernel->written[i];
		Predictd__IrWritten *to = message->written[i];
		to->block = from->block;
		to->op_class = from->op_class;
		to->type_class = from->type_class;
		to->repeated_access = from->repeated;
		to->access = reference_encode(from->access);
		to->count = from->count;
	}
	return true;
}

Predictd__IrKernel *ir_encode(const struct ir_kernel *kernel)
{
	Predictd__IrKernel *message = malloc(sizeof *message);
	if (message == NULL)
		return NULL;
	predictd__ir_kernel__init(message);
	message->line = kernel->line;
	message->build = kernel->build;
	bool done = name_encode(kernel->name, &message->name) &&
	            name_encode(kernel->unsupported, &message->unsupported) &&
	            name_encode(kernel->unknown, &message->unknown) &&
	            column_new(&message->required_local, &message->n_required_local, 3) &&
	            files_encode(kernel, message) && arguments_encode(kernel, message) &&
	            nodes_encode(kernel, message) && effects_encode(kernel, message) &&
	            blocks_encode(kernel, message);
	if (!done) {
		predictd__ir_kernel__free_unpacked(message, NULL);
		return NULL;
	}
	memcpy(message->required_local, kernel->required_local, sizeof kernel->required_local);
	return message;
}

/* ---- decoding ------------------------------------------------------------------------------ */

/* STATUS_LIMIT unless count is at most max. */
static enum status check_count(const char *what, size_t count, size_t max, struct error *error)
{
	if (count <= max)
		return STATUS_OK;
	return error_set(error, STATUS_LIMIT, "%s: want at most %zu, have %zu", what, max, count);
}

/* STATUS_CORRUPT unless number is below end: an enum's count, or what a field holds. */
static enum status check_number(const char *what, uint32_t number, uint32_t end,
                                struct error *error)
{
	if (number < end)
		return STATUS_OK;
	return error_set(error, STATUS_CORRUPT, "%s: want less than %u, have %u", what, end,
	                 number);
}

static enum status type_decode(const char *what, uint32_t scalar, uint32_t width, struct type *type,
                               struct error *error)
{
	struct type read = {(uint8_t)(scalar & UINT8_MAX), (uint8_t)(width & UINT8_MAX)};
	if (scalar > UINT8_MAX || width > UINT8_MAX || !type_is_valid(read))
		return error_set(error, STATUS_CORRUPT, "%s: scalar %u of width %u is no type",
		                 what, scalar, width);
	*type = read;
	return STATUS_OK;
}

/* Every count, before anything is allocated. */
static enum status counts_decode(const Predictd__IrKernel *message, struct ir_kernel *counts,
                                 struct error *error)
{
	static const size_t nodes_max = IR_NODES_MAX;
	const struct {
		const char *what;
		size_t count, max;
		uint32_t *result;
	} rows[] = {
	        {"arguments", message->n_arguments, IR_ARGUMENTS_MAX, &counts->argument_count},
	        {"objects", message->n_objects, IR_OBJECTS_MAX, &counts->object_count},
	        {"nodes", message->n_node_op, nodes_max, &counts->node_count},
	        {"operands", message->n_operands, nodes_max * 4, &counts->operand_count},
	        {"accesses", message->n_accesses, IR_STATEMENTS_MAX, &counts->access_count},
	        {"statements", message->n_statements, IR_STATEMENTS_MAX, &counts->statement_count},
	        {"variables", message->n_variable_node, nodes_max, &counts->variable_count},
	        {"blocks", message->n_blocks, IR_BLOCKS_MAX, &counts->block_count},
	        {"written counts", message->n_written, nodes_max, &counts->written_count},
	        {"files", message->n_files, IR_FILES_MAX, &counts->file_count},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		enum status status = check_count(rows[i].what, rows[i].count, rows[i].max, error);
		if (status != STATUS_OK)
			return status;
		*rows[i].result = (uint32_t)rows[i].count;
	}
	if (message->n_node_type != message->n_node_op ||
	    message->n_node_operand_count != message->n_node_op ||
	    message->n_node_aux != message->n_node_op || message->n_node_imm != message->n_node_op)
		return error_set(error, STATUS_CORRUPT, "nodes: columns of unequal length");
	if ((message->n_node_line != 0 && message->n_node_line != message->n_node_op) ||
	    (message->n_node_file != 0 && message->n_node_file != message->n_node_op))
		return error_set(error, STATUS_CORRUPT,
		                 "lines of nodes: columns of unequal length");
	if (message->n_variable_init != message->n_variable_node ||
	    message->n_variable_next != message->n_variable_node)
		return error_set(error, STATUS_CORRUPT, "variables: columns of unequal length");
	if (message->n_blocks == 0)
		return error_set(error, STATUS_CORRUPT, "blocks: want a body, have none");
	if (message->n_required_local != 0 && message->n_required_local != 3)
		return error_set(error, STATUS_CORRUPT,
		                 "required work-group size: want 0 or 3 sizes, have %zu",
		                 message->n_required_local);
	return STATUS_OK;
}

static enum status arguments_decode(const Predictd__IrKernel *message, struct ir_kernel *kernel,
                                    struct error *error)
{
	for (uint32_t i = 0; i < kernel->argument_count; i++) {
		const Predictd__IrArgument *from = message->arguments[i];
		struct ir_argument *to = &kernel->arguments[i];
		enum status status = name_decode(from->name, "argument's name", to->name, error);
		if (status == STATUS_OK)
			status = check_number("argument's kind", from->kind, ARGUMENT_KIND_COUNT,
			                      error);
		if (status == STATUS_OK)
			status = type_decode("argument", from->scalar, from->width, &to->type,
			                     error);
		if (status == STATUS_OK)
			status = check_number("image", from->image, IMAGE_KIND_COUNT, error);
		if (status == STATUS_OK)
			status = check_number("image's access", from->access, 4, error);
		if (status != STATUS_OK)
			return status;
		to->kind = (uint8_t)from->kind;
		to->size_bytes = from->size_bytes;
		to->object = reference_decode(from->object);
		to->image = (uint8_t)from->image;
		to->access = (uint8_t)from->access;
	}
	for (uint32_t i = 0; i < kernel->object_count; i++) {
		const Predictd__IrObject *from = message->objects[i];
		struct ir_object *to = &kernel->objects[i];
		enum status status = name_decode(from->name, "object's name", to->name, error);
		if (status == STATUS_OK)
			status = check_number("object's space", from->space, SPACE_COUNT, error);
		if (status == STATUS_OK)
			status = type_decode("object", from->scalar, from->width, &to->type, error);
		if (status != STATUS_OK)
			return status;
		to->space = (uint8_t)from->space;
		to->argument = reference_decode(from->argument);
		to->size_bytes = from->size_bytes;
		to->element_bytes = from->element_bytes;
		to->is_volatile = from->is_volatile;
		to->is_restrict = from->is_restrict;
	}
	return STATUS_OK;
}

static enum status files_decode(const Predictd__IrKernel *message, struct ir_kernel *kernel,
                                struct error *error)
{
	for (uint32_t i = 0; i < kernel->file_count; i++) {
		enum status status =
		        name_decode(message->files[i], "file's name", kernel->files[i].name, error);
		if (status != STATUS_OK)
			return status;
	}
	return STATUS_OK;
}

/* The place of a node; STATUS_CORRUPT where its file is none. */
static enum status place_decode(const Predictd__IrKernel *message, const struct ir_kernel *kernel,
                                uint32_t node, struct ir_place *place, struct error *error)
{
	uint32_t line = node < message->n_node_line ? message->node_line[node] : 0;
	uint32_t file = node < message->n_node_file ? message->node_file[node] : 0;
	*place = ir_place_of(line, file);
	return check_number("file of a node", file, kernel->file_count + 1, error);
}

static enum status nodes_decode(const Predictd__IrKernel *message, struct ir_kernel *kernel,
                                struct error *error)
{
	uint32_t operand = 0;
	for (uint32_t i = 0; i < kernel->node_count; i++) {
		struct ir_node *node = &kernel->nodes[i];
		uint32_t count = message->node_operand_count[i];
		enum status status =
		        check_number("operator", message->node_op[i], NODE_OP_COUNT, error);
		if (status == STATUS_OK)
			status = type_decode("node", message->node_type[i] / TYPE_WIDTHS,
			                     message->node_type[i] % TYPE_WIDTHS, &node->type,
			                     error);
		if (status == STATUS_OK)
			status = check_number("operands of a node", count, IR_OPERANDS_MAX + 1,
			                      error);
		if (status == STATUS_OK)
			status = place_decode(message, kernel, i, &node->place, error);
		if (status != STATUS_OK)
			return status;
		if (count > kernel->operand_count - operand)
			return error_set(error, STATUS_CORRUPT, "operands: fewer than nodes want");
		node->op = (uint8_t)message->node_op[i];
		node->operand_count = (uint8_t)count;
		node->first_operand = operand;
		node->aux = message->node_aux[i];
		node->imm = message->node_imm[i];
		operand += count;
	}
	if (operand != kernel->operand_count)
		return error_set(error, STATUS_CORRUPT, "operands: more than nodes want");
	if (operand > 0)
		memcpy(kernel->operands, message->operands, operand * sizeof *kernel->operands);
	return STATUS_OK;
}

static enum status effects_decode(const Predictd__IrKernel *message, struct ir_kernel *kernel,
                                  struct error *error)
{
	for (uint32_t i = 0; i < kernel->access_count; i++) {
		const Predictd__IrAccess *from = message->accesses[i];
		struct ir_access *to = &kernel->accesses[i];
		enum status status =
		        check_number("access's kind", from->kind, ACCESS_KIND_COUNT, error);
		if (status == STATUS_OK)
			status = type_decode("access", from->scalar, from->width, &to->type, error);
		if (status == STATUS_OK)
			status = check_number("access's file", from->file, kernel->file_count + 1,
			                      error);
		if (status != STATUS_OK)
			return status;
		to->kind = (uint8_t)from->kind;
		to->object = reference_decode(from->object);
		to->index = reference_decode(from->index);
		to->scale_bytes = from->scale_bytes;
		to->offset_bytes = from->offset_bytes;
		to->value = reference_decode(from->value);
		to->result = reference_decode(from->result);
		to->line = from->line;
		to->is_exchange = from->is_exchange;
		to->is_extreme = from->is_extreme;
		to->is_packed = from->is_packed;
		to->file = (uint8_t)from->file;
	}
	for (uint32_t i = 0; i < kernel->statement_count; i++) {
		const Predictd__IrStatement *from = message->statements[i];
		struct ir_statement *to = &kernel->statements[i];
		enum status status =
		        check_number("statement's kind", from->kind, STATEMENT_KIND_COUNT, error);
		if (status == STATUS_OK)
			status = check_number("unroll hint", from->unroll, UINT16_MAX + 1, error);
		if (status == STATUS_OK)
			status = check_number("statement's file", from->file,
			                      kernel->file_count + 1, error);
		if (status != STATUS_OK)
			return status;
		to->kind = (uint8_t)from->kind;
		to->tests_last = from->tests_last;
		to->file = (uint8_t)from->file;
		to->unroll = (uint16_t)from->unroll;
		to->line = from->line;
		to->block = reference_decode(from->block);
		to->following = reference_decode(from->following);
		to->access = reference_decode(from->access);
		to->condition = reference_decode(from->condition);
		to->body = reference_decode(from->body);
		to->otherwise = reference_decode(from->otherwise);
		to->target = reference_decode(from->target);
		to->first_variable = from->first_variable;
		to->variable_count = from->variable_count;
	}
	return STATUS_OK;
}

static enum status blocks_decode(const Predictd__IrKernel *message, struct ir_kernel *kernel,
                                 struct error *error)
{
	for (uint32_t i = 0; i < kernel->variable_count; i++)
		kernel->variables[i] = (struct ir_variable){
		        .node = reference_decode(message->variable_node[i]),
		        .init = reference_decode(message->variable_init[i]),
		        .next = reference_decode(message->variable_next[i]),
		};
	for (uint32_t i = 0; i < kernel->block_count; i++)
		kernel->blocks[i] = (struct ir_block){
		        .owner = reference_decode(message->blocks[i]->owner),
		        .first = reference_decode(message->blocks[i]->first),
		        .last = reference_decode(message->blocks[i]->last),
		};
	for (uint32_t i = 0; i < kernel->written_count; i++) {
		const Predictd__IrWritten *from = message->written[i];
		enum status status = check_number("written count's class", from->op_class,
		                                  OP_CLASS_NONE + 1, error);
		if (status == STATUS_OK)
			status = check_number("written count's type", from->type_class,
			                      TYPE_CLASS_NONE + 1, error);
		if (status != STATUS_OK)
			return status;
		kernel->written[i] = (struct ir_written){
		        .block = from->block,
		        .op_class = (uint8_t)from->op_class,
		        .type_class = (uint8_t)from->type_class,
		        .repeated = from->repeated_access,
		        .access = reference_decode(from->access),
		        .count = from->count,
		};
	}
	return STATUS_OK;
}

enum status ir_decode(const Predictd__IrKernel *message, struct ir_kernel **kernel,
                      struct error *error)
{
	/* a newer analyser may know more options */
	struct ir_kernel head = {.line = message->line, .build = message->build & BUILD_OPTIONS};
	enum status status = counts_decode(message, &head, error);
	if (status == STATUS_OK)
		status = name_decode(message->name, "kernel's name", head.name, error);
	if (status == STATUS_OK)
		status = name_decode(message->unsupported, "reason", head.unsupported, error);
	if (status == STATUS_OK)
		status = name_decode(message->unknown, "what is unknown", head.unknown, error);
	if (status != STATUS_OK)
		return status;
	if (message->n_required_local == 3)
		memcpy(head.required_local, message->required_local, sizeof head.required_local);

	struct ir_kernel *decoded = kernel_allocate(&head);
	if (decoded == NULL)
		return error_set(error, STATUS_NO_MEMORY, "kernel %s: no memory", head.name);
	status = files_decode(message, decoded, error);
	if (status == STATUS_OK)
		status = arguments_decode(message, decoded, error);
	if (status == STATUS_OK)
		status = nodes_decode(message, decoded, error);
	if (status == STATUS_OK)
		status = effects_decode(message, decoded, error);
	if (status == STATUS_OK)
		status = blocks_decode(message, decoded, error);
	if (status == STATUS_OK)
		status = kernel_seal(decoded, error);
	if (status != STATUS_OK) {
		kernel_free(decoded);
		return status;
	}
	*kernel = decoded;
	return STATUS_OK;
}
