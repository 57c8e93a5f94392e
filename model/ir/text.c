/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text form of a kernel, by the grammar in model/ir/text.h.
 *
 * A value gets a name when it is used more than once, when a statement makes
 * it, or when it would nest too deep; the names a line needs are defined in
 * front of it, operands first, by a walk with a stack of its own.
 */
#include "model/ir/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NESTING_MAX = 12, INITIAL_BYTES = 1024 };

#define UNLABELLED UINT32_MAX

static const char cut_line[] = "...\n";

struct text {
	const struct ir_kernel *kernel;
	char *bytes;
	size_t length, capacity, max;
	bool is_cut, is_short; /* over max; out of memory */
	uint32_t *uses;        /* per node */
	uint32_t *number;      /* per node: its name, or IR_NONE */
	uint8_t *height;       /* per node: nesting of its expression */
	bool *is_named;        /* per node: written as its name */
	bool *is_defined;      /* per node: its line stands, or a statement's will */
	uint32_t *stack;       /* of nodes to define */
	uint32_t next_number;
	uint32_t *label; /* per statement: UNLABELLED while only known as a target */
	uint32_t next_label;
};

/* ---- bytes --------------------------------------------------------------------------------- */

static void put(struct text *text, const char *bytes, size_t count)
{
	if (text->is_cut || text->is_short)
		return;
	if (count > text->max || text->length > text->max - count) {
		text->is_cut = true;
		return;
	}
	if (text->length + count + sizeof cut_line > text->capacity) {
		size_t wanted = text->capacity;
		while (wanted < text->length + count + sizeof cut_line)
			wanted *= 2;
		char *grown = realloc(text->bytes, wanted);
		if (grown == NULL) {
			text->is_short = true;
			return;
		}
		text->bytes = grown;
		text->capacity = wanted;
	}
	memcpy(text->bytes + text->length, bytes, count);
	text->length += count;
	text->bytes[text->length] = '\0';
}

static void puts_in(struct text *text, const char *string)
{
	put(text, string, strlen(string));
}

__attribute__((format(printf, 2, 3))) static void print(struct text *text, const char *format, ...)
{
	char line[64];
	va_list arguments;
	va_start(arguments, format);
	int length = vsnprintf(line, sizeof line, format, arguments);
	va_end(arguments);
	if (length > 0)
		put(text, line, (size_t)length < sizeof line ? (size_t)length : sizeof line - 1);
}

static void indent(struct text *text, unsigned depth)
{
	for (unsigned i = 0; i < depth; i++)
		puts_in(text, "  ");
}

/* A name from hostile text: what ASCII does not print becomes '?'. */
static void put_name(struct text *text, const char *name)
{
	if (name[0] == '\0')
		puts_in(text, "?");
	for (; *name != '\0'; name++) {
		char c = *name > ' ' && *name < 0x7f ? *name : '?';
		put(text, &c, 1);
	}
}

static void put_type(struct text *text, struct type type)
{
	char name[16];
	type_format(type, name);
	puts_in(text, name);
}

/* The shortest decimal that reads back as the same value of its type, as a real looks. */
static void put_real(struct text *text, const struct ir_node *node)
{
	char digits[40];
	double value, back;
	memcpy(&value, &node->imm, sizeof value);
	for (int precision = 1; precision <= 17; precision++) {
		(void)snprintf(digits, sizeof digits, "%.*g", precision, value);
		back = strtod(digits, NULL);
		if (node->type.scalar != SCALAR_DOUBLE)
			back = (double)(float)back;
		if (memcmp(&back, &value, sizeof back) == 0)
			break;
	}
	puts_in(text, digits);
	if (strpbrk(digits, ".en") == NULL)
		puts_in(text, ".0");
}

/* ---- names --------------------------------------------------------------------------------- */

static uint32_t operand_of(const struct text *text, uint32_t id, unsigned i)
{
	return text->kernel->operands[text->kernel->nodes[id].first_operand + i];
}

/* A constant, an argument, a work-item function: as short as a name. */
static bool is_short_leaf(const struct ir_node *node)
{
	return node->operand_count == 0 && node->op != NODE_LOOP_VAR && node->op != NODE_LOAD &&
	       node->op != NODE_ATOMIC && node->op != NODE_UNKNOWN;
}

static void count_use(struct text *text, uint32_t node)
{
	if (node != IR_NONE)
		text->uses[node]++;
}

/* Uses from lines that will be printed, and from values that those need. */
static void count_uses(struct text *text)
{
	const struct ir_kernel *kernel = text->kernel;
	for (uint32_t i = 0; i < kernel->access_count; i++) {
		count_use(text, kernel->accesses[i].index);
		count_use(text, kernel->accesses[i].value);
	}
	for (uint32_t s = 0; s < kernel->statement_count; s++) {
		count_use(text, kernel->statements[s].condition);
		if (kernel->statements[s].target != IR_NONE)
			text->label[kernel->statements[s].target] = UNLABELLED;
	}
	for (uint32_t i = 0; i < kernel->variable_count; i++) {
		count_use(text, kernel->variables[i].init);
		count_use(text, kernel->variables[i].next);
	}
	for (uint32_t id = kernel->node_count; id-- > 0;)
		for (unsigned i = 0; text->uses[id] > 0 && i < kernel->nodes[id].operand_count; i++)
			text->uses[operand_of(text, id, i)]++;
}

static void choose_names(struct text *text)
{
	const struct ir_kernel *kernel = text->kernel;
	for (uint32_t id = 0; id < kernel->node_count; id++) {
		const struct ir_node *node = &kernel->nodes[id];
		unsigned height = 0;
		text->number[id] = IR_NONE;
		for (unsigned i = 0; i < node->operand_count; i++) {
			unsigned below = text->height[operand_of(text, id, i)];
			height = below + 1 > height ? below + 1 : height;
		}
		bool is_statement = node->op == NODE_LOOP_VAR || node->op == NODE_LOAD ||
		                    node->op == NODE_ATOMIC;
		text->is_defined[id] = is_statement;
		text->is_named[id] = is_statement || (!is_short_leaf(node) && text->uses[id] > 1) ||
		                     height >= NESTING_MAX;
		text->height[id] = (uint8_t)(text->is_named[id] ? 0 : height);
	}
}

static void put_number(struct text *text, uint32_t id)
{
	if (text->number[id] == IR_NONE)
		text->number[id] = ++text->next_number;
	print(text, "%%%" PRIu32, text->number[id]);
}

/* ---- expressions --------------------------------------------------------------------------- */

static void put_node(struct text *text, uint32_t id);

static void put_value(struct text *text, uint32_t id)
{
	if (text->is_named[id])
		put_number(text, id);
	else
		put_node(text, id);
}

static void put_operator(struct text *text, const struct ir_node *node)
{
	if (node->op == NODE_CALL)
		puts_in(text, builtin_name((enum builtin)node->aux));
	else if (node->op == NODE_BITCAST)
		puts_in(text, "as");
	else
		puts_in(text, node_op_name((enum node_op)node->op));
	if (node->op == NODE_CONVERT || node->op == NODE_BITCAST) {
		puts_in(text, "_");
		put_type(text, node->type);
	}
}

static void put_leaf(struct text *text, const struct ir_node *node)
{
	switch ((enum node_op)node->op) {
	case NODE_CONST_INT:
		if (type_is_signed(node->type))
			print(text, "%" PRId64, (int64_t)node->imm);
		else
			print(text, "%" PRIu64, node->imm);
		break;
	case NODE_CONST_REAL:
		put_real(text, node);
		break;
	case NODE_ARG:
		put_name(text, text->kernel->arguments[node->aux].name);
		if (text->kernel->arguments[node->aux].kind == ARGUMENT_STRUCT)
			print(text, ".%" PRIu64, node->imm);
		break;
	case NODE_IMAGE_SIZE: {
		static const char *const sizes[IMAGE_SIZE_COUNT] = {"width", "height", "depth",
		                                                    "type", "order"};
		print(text, "image_%s(", sizes[node->imm]);
		put_name(text, text->kernel->arguments[node->aux].name);
		puts_in(text, ")");
		break;
	}
	case NODE_WORK_DIM:
	case NODE_SUB_GROUP_SIZE:
	case NODE_UNKNOWN:
		print(text, "%s()", node_op_name((enum node_op)node->op));
		break;
	default:
		print(text, "%s(%" PRIu32 ")", node_op_name((enum node_op)node->op), node->aux);
	}
}

/* The expression of a node; recursion ends at names, NESTING_MAX deep. */
static void put_node(struct text *text, uint32_t id)
{
	const struct ir_kernel *kernel = text->kernel;
	const struct ir_node *node = &kernel->nodes[id];
	unsigned lanes = 0;
	if (node->operand_count == 0) {
		put_leaf(text, node);
		return;
	}
	put_operator(text, node);
	puts_in(text, "(");
	for (unsigned i = 0; i < node->operand_count; i++) {
		if (i > 0)
			puts_in(text, ", ");
		put_value(text, operand_of(text, id, i));
	}
	if (node->op == NODE_SWIZZLE)
		lanes = node->type.width;
	else if (node->op == NODE_INSERT)
		lanes = kernel->nodes[operand_of(text, id, 1)].type.width;
	for (unsigned i = 0; i < lanes; i++)
		print(text, ", %u", (unsigned)((node->imm >> (4 * i)) & 15));
	puts_in(text, ")");
}

static void put_definition(struct text *text, uint32_t id, unsigned depth)
{
	indent(text, depth);
	put_number(text, id);
	puts_in(text, " = ");
	put_type(text, text->kernel->nodes[id].type);
	puts_in(text, " ");
	put_node(text, id);
	puts_in(text, "\n");
}

/*
 * Defines what the expression of `root` names and nothing has defined yet,
 * operands first. A node stays on the stack until its operands are done.
 */
static void define(struct text *text, uint32_t root, unsigned depth)
{
	const struct ir_kernel *kernel = text->kernel;
	uint32_t count = 0;
	if (root == IR_NONE)
		return;
	text->stack[count++] = root;
	while (count > 0 && !text->is_cut) {
		uint32_t id = text->stack[count - 1];
		bool is_waiting = false;
		if (text->is_defined[id]) {
			count--;
			continue;
		}
		for (unsigned i = kernel->nodes[id].operand_count; i-- > 0;) {
			uint32_t operand = operand_of(text, id, i);
			if (text->is_defined[operand])
				continue;
			is_waiting = true;
			text->stack[count++] = operand;
		}
		if (is_waiting)
			continue;
		if (text->is_named[id])
			put_definition(text, id, depth);
		text->is_defined[id] = true;
		count--;
	}
}

/* ---- statements ---------------------------------------------------------------------------- */

static void put_place(struct text *text, const struct ir_access *access)
{
	put_name(text, text->kernel->objects[access->object].name);
	puts_in(text, "[");
	if (access->index == IR_NONE)
		puts_in(text, "0");
	else
		put_value(text, access->index);
	if (access->index != IR_NONE && access->scale_bytes != 1)
		print(text, "*%" PRIu32, access->scale_bytes);
	if (access->offset_bytes > 0)
		print(text, " + %" PRId64, access->offset_bytes);
	else if (access->offset_bytes < 0)
		print(text, " - %" PRId64, -access->offset_bytes);
	puts_in(text, "]");
}

static void put_access(struct text *text, const struct ir_access *access, unsigned depth)
{
	define(text, access->index, depth);
	define(text, access->value, depth);
	indent(text, depth);
	if (access->kind != ACCESS_STORE) {
		put_number(text, access->result);
		puts_in(text, " = ");
	} else {
		puts_in(text, "store ");
	}
	put_type(text, access->type);
	if (access->kind != ACCESS_STORE)
		puts_in(text, access->kind == ACCESS_LOAD ? " load"
		              : access->is_exchange       ? " exchange"
		              : access->is_extreme        ? " extreme"
		                                          : " atomic");
	puts_in(text, access->is_packed ? " packed " : " ");
	put_place(text, access);
	if (access->value != IR_NONE) {
		puts_in(text, access->kind == ACCESS_STORE ? " = " : ", ");
		put_value(text, access->value);
	}
	puts_in(text, "\n");
}

static void put_block(struct text *text, uint32_t block, unsigned depth);

/* " @2" for what an exit or a next within it names. */
static void put_label(struct text *text, uint32_t s)
{
	if (text->label[s] == 0)
		return;
	if (text->label[s] == UNLABELLED)
		text->label[s] = ++text->next_label;
	print(text, " @%" PRIu32, text->label[s]);
}

static void put_condition(struct text *text, const struct ir_statement *statement, unsigned depth)
{
	define(text, statement->condition, depth);
	indent(text, depth);
	puts_in(text, "while ");
	if (statement->condition == IR_NONE)
		puts_in(text, "1");
	else
		put_value(text, statement->condition);
	puts_in(text, "\n");
}

static void put_loop(struct text *text, uint32_t s, unsigned depth)
{
	const struct ir_kernel *kernel = text->kernel;
	const struct ir_statement *loop = &kernel->statements[s];
	const struct ir_variable *variables =
	        loop->variable_count > 0 ? &kernel->variables[loop->first_variable] : NULL;
	for (uint32_t i = 0; i < loop->variable_count; i++)
		define(text, variables[i].init, depth);
	indent(text, depth);
	puts_in(text, "loop");
	put_label(text, s);
	if (loop->unroll == UINT16_MAX)
		puts_in(text, " unroll");
	else if (loop->unroll != 0)
		print(text, " unroll %u", loop->unroll);
	puts_in(text, ":\n");
	for (uint32_t i = 0; i < loop->variable_count; i++) {
		indent(text, depth + 1);
		put_number(text, variables[i].node);
		puts_in(text, " = ");
		put_type(text, kernel->nodes[variables[i].node].type);
		puts_in(text, " var ");
		put_value(text, variables[i].init);
		puts_in(text, "\n");
	}
	if (!loop->tests_last)
		put_condition(text, loop, depth + 1);
	put_block(text, loop->body, depth + 1);
	if (loop->tests_last)
		put_condition(text, loop, depth + 1);
	for (uint32_t i = 0; i < loop->variable_count; i++)
		define(text, variables[i].next, depth + 1);
	for (uint32_t i = 0; i < loop->variable_count; i++) {
		indent(text, depth + 1);
		puts_in(text, "then ");
		put_number(text, variables[i].node);
		puts_in(text, " = ");
		put_value(text, variables[i].next);
		puts_in(text, "\n");
	}
}

static void put_branch(struct text *text, const struct ir_statement *branch, unsigned depth)
{
	define(text, branch->condition, depth);
	indent(text, depth);
	puts_in(text, "if ");
	put_value(text, branch->condition);
	puts_in(text, ":\n");
	put_block(text, branch->body, depth + 1);
	if (branch->otherwise == IR_NONE)
		return;
	indent(text, depth);
	puts_in(text, "else:\n");
	put_block(text, branch->otherwise, depth + 1);
}

static void put_jump(struct text *text, const struct ir_statement *jump, unsigned depth)
{
	indent(text, depth);
	puts_in(text, jump->kind == STATEMENT_EXIT ? "exit" : "next");
	if (jump->target != IR_NONE)
		put_label(text, jump->target);
	puts_in(text, "\n");
}

static void put_statement(struct text *text, uint32_t s, unsigned depth)
{
	const struct ir_statement *statement = &text->kernel->statements[s];
	switch ((enum statement_kind)statement->kind) {
	case STATEMENT_ACCESS:
		put_access(text, &text->kernel->accesses[statement->access], depth);
		break;
	case STATEMENT_LOOP:
		put_loop(text, s, depth);
		break;
	case STATEMENT_BRANCH:
		put_branch(text, statement, depth);
		break;
	case STATEMENT_SCOPE:
		indent(text, depth);
		puts_in(text, "scope");
		put_label(text, s);
		puts_in(text, ":\n");
		put_block(text, statement->body, depth + 1);
		break;
	case STATEMENT_EXIT:
	case STATEMENT_NEXT:
		put_jump(text, statement, depth);
		break;
	case STATEMENT_BARRIER:
		indent(text, depth);
		puts_in(text, "barrier\n");
		break;
	default:
		if (kernel_unknown_operations(text->kernel, statement) > 0) {
			indent(text, depth);
			print(text, "unknown %u\n",
			      kernel_unknown_operations(text->kernel, statement));
			break;
		}
		define(text, statement->condition, depth);
		indent(text, depth);
		puts_in(text, "effect");
		if (statement->condition != IR_NONE) {
			puts_in(text, " ");
			put_value(text, statement->condition);
		}
		puts_in(text, "\n");
	}
}

static void put_block(struct text *text, uint32_t block, unsigned depth)
{
	const struct ir_kernel *kernel = text->kernel;
	for (uint32_t s = kernel->blocks[block].first; s != IR_NONE && !text->is_cut;
	     s = kernel->statements[s].following)
		put_statement(text, s, depth);
}

/* ---- the kernel ---------------------------------------------------------------------------- */

/* A line of a word and a reason, whose words are kept apart; nothing where there is none. */
static void put_reason(struct text *text, const char *what, const char *reason)
{
	if (reason[0] == '\0')
		return;
	print(text, "  %s", what);
	while (*reason != '\0') {
		char part[IR_NAME_MAX];
		size_t length = strcspn(reason, " ");
		memcpy(part, reason, length); /* a reason is no longer than a name */
		part[length] = '\0';
		puts_in(text, " ");
		put_name(text, part);
		reason += length + (reason[length] == ' ');
	}
	puts_in(text, "\n");
}

static void put_head(struct text *text)
{
	static const char *const kinds[ARGUMENT_KIND_COUNT] = {"buffer", "scalar", "local",
	                                                       "struct", "image",  "sampler"};
	static const char *const spaces[SPACE_COUNT] = {"global", "constant", "local", "private",
	                                                "image"};
	const struct ir_kernel *kernel = text->kernel;
	puts_in(text, "kernel ");
	put_name(text, kernel->name);
	puts_in(text, "(");
	for (uint32_t i = 0; i < kernel->argument_count; i++) {
		puts_in(text, i > 0 ? ", " : "");
		puts_in(text, kinds[kernel->arguments[i].kind]);
		puts_in(text, " ");
		if (kernel->arguments[i].kind == ARGUMENT_IMAGE)
			puts_in(text, image_kind_name((enum image_kind)kernel->arguments[i].image));
		else
			put_type(text, kernel->arguments[i].type);
		puts_in(text, " ");
		put_name(text, kernel->arguments[i].name);
	}
	puts_in(text, ")\n");
	for (uint32_t i = 0; i < kernel->object_count; i++) {
		const struct ir_object *object = &kernel->objects[i];
		if (object->argument != IR_NONE)
			continue;
		print(text, "  array %s ", spaces[object->space]);
		put_type(text, object->type);
		puts_in(text, " ");
		put_name(text, object->name);
		print(text, " %" PRIu64 "\n", object->size_bytes);
	}
	put_reason(text, "unsupported", kernel->unsupported);
	put_reason(text, "unknown", kernel->unknown);
}

/* Ends what was cut in a line of its own, within the bound. */
static void end_cut(struct text *text)
{
	while (text->length > 0 && text->bytes[text->length - 1] != '\n')
		text->length--;
	memcpy(text->bytes + text->length, cut_line, sizeof cut_line);
}

enum status kernel_format(const struct ir_kernel *kernel, size_t bytes_max, char **result,
                          struct error *error)
{
	struct text text = {.kernel = kernel, .capacity = INITIAL_BYTES};
	enum status status = STATUS_NO_MEMORY;
	size_t nodes = (size_t)kernel->node_count + 1;
	/* A node's operands enter the stack once: when it is first on top. */
	size_t entries = nodes + kernel->operand_count;
	if (bytes_max < sizeof cut_line - 1)
		return error_set(error, STATUS_INVALID, "text: want room for a line, got %zu bytes",
		                 bytes_max);
	text.max = bytes_max - (sizeof cut_line - 1);
	text.bytes = calloc(1, text.capacity);
	text.uses = calloc(nodes, sizeof *text.uses);
	text.number = calloc(nodes, sizeof *text.number);
	text.height = calloc(nodes, sizeof *text.height);
	text.is_named = calloc(nodes, sizeof *text.is_named);
	text.is_defined = calloc(nodes, sizeof *text.is_defined);
	text.stack = calloc(entries, sizeof *text.stack);
	text.label = calloc((size_t)kernel->statement_count + 1, sizeof *text.label);
	if (text.bytes == NULL || text.uses == NULL || text.number == NULL || text.height == NULL ||
	    text.is_named == NULL || text.is_defined == NULL || text.stack == NULL ||
	    text.label == NULL) {
		(void)error_set(error, status, "kernel %s: out of memory", kernel->name);
		goto out;
	}
	count_uses(&text);
	choose_names(&text);
	put_head(&text);
	put_block(&text, 0, 1);
	if (text.is_short) {
		(void)error_set(error, status, "kernel %s: out of memory", kernel->name);
		goto out;
	}
	if (text.is_cut)
		end_cut(&text);
	*result = text.bytes;
	text.bytes = NULL; /* the caller's now */
	status = STATUS_OK;
out:
	free(text.bytes);
	free(text.uses);
	free(text.number);
	free(text.height);
	free(text.is_named);
	free(text.is_defined);
	free(text.stack);
	free(text.label);
	return status;
}
