/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Building the kernel IR: growing arrays, hash-consed nodes, and one failure
 * that sticks, so that a front-end need not ask after every call.
 *
 * Nodes are found again through an open-addressed table of node numbers; it
 * exists only while building.
 */
#include "model/ir/ir.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/ir/check.h"
#include "model/ir/fold.h"

enum { TABLE_INITIAL = 512, ARRAY_INITIAL = 16 };

struct ir_builder {
	struct error failure; /* the first; STATUS_OK while there is none */
	uint32_t *table;      /* node numbers plus one; 0: free */
	uint32_t table_size;  /* a power of two */
	uint32_t argument_capacity, object_capacity, node_capacity, operand_capacity,
	        access_capacity, statement_capacity, variable_capacity, block_capacity,
	        written_capacity, file_capacity;
	uint32_t unknown_count;
	struct ir_place place; /* of what is added */
};

static uint32_t fail(struct ir_kernel *kernel, enum status status, const char *text)
{
	if (kernel->builder != NULL && kernel->builder->failure.status == STATUS_OK)
		(void)error_set(&kernel->builder->failure, status, "kernel %s: %s", kernel->name,
		                text);
	return IR_NONE;
}

static bool is_building(const struct ir_kernel *kernel)
{
	return kernel->builder != NULL && kernel->builder->failure.status == STATUS_OK;
}

/* Room for `extra` more elements in *array; false after a failure. */
static bool reserve(struct ir_kernel *kernel, void **array, size_t element_bytes, uint32_t count,
                    uint32_t *capacity, uint32_t extra, uint32_t max, const char *too_many)
{
	if (!is_building(kernel))
		return false;
	if (extra > max || count > max - extra) {
		(void)fail(kernel, STATUS_LIMIT, too_many);
		return false;
	}
	if (count + extra <= *capacity)
		return true;
	uint32_t wanted = *capacity == 0 ? ARRAY_INITIAL : *capacity;
	while (wanted < count + extra)
		wanted *= 2; /* max is far below 2^31 */
	void *grown = realloc(*array, wanted * element_bytes);
	if (grown == NULL) {
		(void)fail(kernel, STATUS_NO_MEMORY, "out of memory");
		return false;
	}
	*array = grown;
	*capacity = wanted;
	return true;
}

/* Makes room in one of the kernel's arrays: RESERVE(kernel, node, 1, MAX, "too many nodes"). */
#define RESERVE(kernel, name, array, extra, max, text)                                             \
	reserve((kernel), (void **)&(kernel)->array, sizeof *(kernel)->array,                      \
	        (kernel)->name##_count,                                                            \
	        (kernel)->builder != NULL ? &(kernel)->builder->name##_capacity : NULL, (extra),   \
	        (max), (text))

static void copy_name(char to[IR_NAME_MAX], const char *from)
{
	size_t length = strnlen(from, IR_NAME_MAX - 1);
	memcpy(to, from, length);
	memset(to + length, 0, IR_NAME_MAX - length);
}

struct ir_kernel *kernel_new(const char *name)
{
	struct ir_kernel *kernel = calloc(1, sizeof *kernel);
	if (kernel == NULL)
		return NULL;
	copy_name(kernel->name, name);
	kernel->builder = calloc(1, sizeof *kernel->builder);
	if (kernel->builder == NULL)
		goto out;
	kernel->builder->table_size = TABLE_INITIAL;
	kernel->builder->table = calloc(TABLE_INITIAL, sizeof *kernel->builder->table);
	if (kernel->builder->table == NULL || kernel_block(kernel) != 0)
		goto out;
	return kernel;
out:
	kernel_free(kernel);
	return NULL;
}

static void builder_free(struct ir_builder *builder)
{
	if (builder == NULL)
		return;
	free(builder->table);
	free(builder);
}

void kernel_free(struct ir_kernel *kernel)
{
	if (kernel == NULL)
		return;
	builder_free(kernel->builder);
	if (kernel->summary != NULL)
		kernel->summary_free(kernel->summary);
	free(kernel->arguments);
	free(kernel->objects);
	free(kernel->nodes);
	free(kernel->operands);
	free(kernel->accesses);
	free(kernel->statements);
	free(kernel->variables);
	free(kernel->blocks);
	free(kernel->written);
	free(kernel->files);
	free(kernel);
}

uint32_t kernel_add_argument(struct ir_kernel *kernel, const struct ir_argument *argument)
{
	if (!RESERVE(kernel, argument, arguments, 1, IR_ARGUMENTS_MAX, "too many arguments"))
		return IR_NONE;
	struct ir_argument *added = &kernel->arguments[kernel->argument_count];
	*added = *argument;
	copy_name(added->name, argument->name);
	return kernel->argument_count++;
}

uint32_t kernel_add_object(struct ir_kernel *kernel, const struct ir_object *object)
{
	if (!RESERVE(kernel, object, objects, 1, IR_OBJECTS_MAX, "too many arrays and pointers"))
		return IR_NONE;
	struct ir_object *added = &kernel->objects[kernel->object_count];
	*added = *object;
	copy_name(added->name, object->name);
	return kernel->object_count++;
}

bool kernel_file(struct ir_kernel *kernel, const char *name, uint8_t *file)
{
	*file = 0;
	for (uint32_t i = 0; i < kernel->file_count; i++)
		if (strncmp(kernel->files[i].name, name, IR_NAME_MAX - 1) == 0) {
			*file = (uint8_t)(i + 1);
			return true;
		}
	if (kernel->builder == NULL || kernel->file_count == IR_FILES_MAX ||
	    !reserve(kernel, (void **)&kernel->files, sizeof *kernel->files, kernel->file_count,
	             &kernel->builder->file_capacity, 1, IR_FILES_MAX, "too many files"))
		return false;
	copy_name(kernel->files[kernel->file_count].name, name);
	*file = (uint8_t)++kernel->file_count;
	return true;
}

struct ir_place kernel_stand(struct ir_kernel *kernel, struct ir_place place)
{
	struct ir_place before = {0};
	if (kernel->builder == NULL)
		return before;
	before = kernel->builder->place;
	kernel->builder->place = place;
	return before;
}

/* ---- nodes --------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ (hash >> 29);
}

static uint64_t hash_parts(unsigned op, struct type type, const uint32_t *operands, unsigned count,
                           uint32_t aux, uint64_t imm)
{
	uint64_t hash =
	        mix(0, (uint64_t)op | (uint64_t)type.scalar << 8 | (uint64_t)type.width << 16 |
	                       (uint64_t)count << 24 | (uint64_t)aux << 32);
	hash = mix(hash, imm);
	for (unsigned i = 0; i < count; i++)
		hash = mix(hash, operands[i]);
	return hash;
}

static bool is_same_node(const struct ir_kernel *kernel, const struct ir_node *node,
                         const struct ir_request *request)
{
	return node->op == request->op && node->type.scalar == request->type.scalar &&
	       node->type.width == request->type.width &&
	       node->operand_count == request->operand_count && node->aux == request->aux &&
	       node->imm == request->imm &&
	       (node->operand_count == 0 ||
	        memcmp(&kernel->operands[node->first_operand], request->operands,
	               request->operand_count * sizeof *request->operands) == 0);
}

/* Doubles the table; false after a failure. */
static bool table_grow(struct ir_kernel *kernel)
{
	struct ir_builder *builder = kernel->builder;
	uint32_t size = builder->table_size * 2;
	uint32_t *table = calloc(size, sizeof *table);
	if (table == NULL) {
		(void)fail(kernel, STATUS_NO_MEMORY, "out of memory");
		return false;
	}
	for (uint32_t id = 0; id < kernel->node_count; id++) {
		const struct ir_node *node = &kernel->nodes[id];
		const uint32_t *operands =
		        node->operand_count > 0 ? &kernel->operands[node->first_operand] : NULL;
		uint64_t slot = hash_parts(node->op, node->type, operands, node->operand_count,
		                           node->aux, node->imm);
		while (table[slot & (size - 1)] != 0)
			slot++;
		table[slot & (size - 1)] = id + 1;
	}
	free(builder->table);
	builder->table = table;
	builder->table_size = size;
	return true;
}

/* The node equal to the request: an older one, or a new one. */
static uint32_t intern(struct ir_kernel *kernel, const struct ir_request *request)
{
	if (!is_building(kernel))
		return IR_NONE;
	if (kernel->node_count >= kernel->builder->table_size / 2 && !table_grow(kernel))
		return IR_NONE;
	struct ir_builder *builder = kernel->builder;
	uint64_t slot = hash_parts(request->op, request->type, request->operands,
	                           request->operand_count, request->aux, request->imm);
	for (;; slot++) {
		uint32_t entry = builder->table[slot & (builder->table_size - 1)];
		if (entry == 0)
			break;
		if (is_same_node(kernel, &kernel->nodes[entry - 1], request))
			return entry - 1;
	}
	if (!RESERVE(kernel, node, nodes, 1, IR_NODES_MAX, "too many values") ||
	    !RESERVE(kernel, operand, operands, request->operand_count, IR_NODES_MAX * 4,
	             "too many operands"))
		return IR_NONE;
	kernel->nodes[kernel->node_count] = (struct ir_node){
	        .op = (uint8_t)request->op,
	        .type = request->type,
	        .operand_count = (uint8_t)request->operand_count,
	        .first_operand = kernel->operand_count,
	        .aux = request->aux,
	        .place = builder->place,
	        .imm = request->imm,
	};
	if (request->operand_count > 0)
		memcpy(&kernel->operands[kernel->operand_count], request->operands,
		       request->operand_count * sizeof *request->operands);
	kernel->operand_count += request->operand_count;
	builder->table[slot & (builder->table_size - 1)] = kernel->node_count + 1;
	return kernel->node_count++;
}

uint32_t kernel_node(struct ir_kernel *kernel, enum node_op op, struct type type,
                     const uint32_t *operands, unsigned operand_count, uint32_t aux, uint64_t imm)
{
	if (!is_building(kernel))
		return IR_NONE;
	if ((unsigned)op >= NODE_OP_COUNT || !type_is_valid(type) ||
	    operand_count > IR_OPERANDS_MAX)
		return fail(kernel, STATUS_CORRUPT, "a value of no known operator or type");
	int wanted = node_op_operands(op);
	if (wanted < 0 ? operand_count == 0 : operand_count != (unsigned)wanted)
		return fail(kernel, STATUS_CORRUPT, "a value with too few or too many operands");
	struct ir_request request = {
	        .op = op, .type = type, .operand_count = operand_count, .aux = aux, .imm = imm};
	for (unsigned i = 0; i < operand_count; i++) {
		if (operands[i] >= kernel->node_count)
			return fail(kernel, STATUS_CORRUPT, "an operand that does not exist");
		request.operands[i] = operands[i];
	}
	if (op == NODE_CONST_INT)
		request.imm = fold_wrap(type, imm);
	if (operand_count > 0) {
		uint32_t folded = fold_request(kernel, &request);
		if (folded != IR_NONE)
			return folded;
	}
	return intern(kernel, &request);
}

static uint32_t splat(struct ir_kernel *kernel, struct type type, uint32_t scalar)
{
	return type.width == 1 ? scalar : kernel_unary(kernel, NODE_SPLAT, type, scalar);
}

uint32_t kernel_integer(struct ir_kernel *kernel, struct type type, int64_t value)
{
	struct type scalar = {type.scalar, 1};
	return splat(kernel, type,
	             kernel_node(kernel, NODE_CONST_INT, scalar, NULL, 0, 0, (uint64_t)value));
}

uint32_t kernel_real(struct ir_kernel *kernel, struct type type, double value)
{
	struct type scalar = {type.scalar, 1};
	uint64_t bits;
	if (type.scalar == SCALAR_FLOAT)
		value = (double)(float)value;
	memcpy(&bits, &value, sizeof bits);
	return splat(kernel, type, kernel_node(kernel, NODE_CONST_REAL, scalar, NULL, 0, 0, bits));
}

uint32_t kernel_unary(struct ir_kernel *kernel, enum node_op op, struct type type, uint32_t a)
{
	return kernel_node(kernel, op, type, &a, 1, 0, 0);
}

uint32_t kernel_binary(struct ir_kernel *kernel, enum node_op op, struct type type, uint32_t a,
                       uint32_t b)
{
	uint32_t operands[2] = {a, b};
	return kernel_node(kernel, op, type, operands, 2, 0, 0);
}

uint32_t kernel_unknown(struct ir_kernel *kernel, struct type type)
{
	if (!is_building(kernel))
		return IR_NONE;
	return kernel_node(kernel, NODE_UNKNOWN, type, NULL, 0, 0,
	                   kernel->builder->unknown_count++);
}

bool kernel_constant(const struct ir_kernel *kernel, uint32_t node, int64_t *value)
{
	if (node >= kernel->node_count || kernel->nodes[node].op != NODE_CONST_INT)
		return false;
	*value = (int64_t)kernel->nodes[node].imm;
	return true;
}

uint32_t kernel_unconverted(const struct ir_kernel *kernel, uint32_t node)
{
	struct type kept = kernel->nodes[node].type;

	for (;;) {
		const struct ir_node *n = &kernel->nodes[node];
		struct type from;

		if (n->op != NODE_CONVERT || n->type.width != 1)
			return node;
		from = kernel->nodes[kernel->operands[n->first_operand]].type;
		if (!(type_is_integer(n->type) && type_is_integer(from)) &&
		    !(type_is_real(n->type) && type_is_real(from)))
			return node;
		if (type_bytes(n->type) < type_bytes(kept) &&
		    type_bytes(from) > type_bytes(n->type))
			return node;
		node = kernel->operands[n->first_operand];
	}
}

uint32_t kernel_id_under(const struct ir_kernel *kernel, uint32_t node)
{
	while (kernel->nodes[node].op == NODE_CONVERT &&
	       type_is_integer(kernel->nodes[node].type) &&
	       type_bytes(kernel->nodes[node].type) >= 4)
		node = kernel_operands(kernel, node)[0];
	return node;
}

uint32_t kernel_step(const struct ir_kernel *kernel, const struct ir_variable *variable)
{
	const struct ir_node *next;
	const uint32_t *operands;

	if (variable->next == IR_NONE)
		return IR_NONE;
	next = &kernel->nodes[variable->next];
	operands = kernel_operands(kernel, variable->next);
	if (next->op != NODE_ADD && next->op != NODE_SUB)
		return IR_NONE;
	if (operands[0] == variable->node)
		return operands[1];
	return operands[1] == variable->node && next->op == NODE_ADD ? operands[0] : IR_NONE;
}

/* ---- statements ---------------------------------------------------------------------------- */

struct ir_statement statement_of(enum statement_kind kind, uint32_t line)
{
	return (struct ir_statement){
	        .kind = (uint8_t)kind,
	        .line = line,
	        .block = IR_NONE,
	        .following = IR_NONE,
	        .access = IR_NONE,
	        .condition = IR_NONE,
	        .body = IR_NONE,
	        .otherwise = IR_NONE,
	        .target = IR_NONE,
	        .first_variable = IR_NONE,
	};
}

uint32_t kernel_block(struct ir_kernel *kernel)
{
	if (!RESERVE(kernel, block, blocks, 1, IR_BLOCKS_MAX, "too many blocks"))
		return IR_NONE;
	kernel->blocks[kernel->block_count] =
	        (struct ir_block){.owner = IR_NONE, .first = IR_NONE, .last = IR_NONE};
	return kernel->block_count++;
}

static bool own_block(struct ir_kernel *kernel, uint32_t block, uint32_t owner)
{
	if (block == IR_NONE)
		return true;
	if (block == 0 || block >= kernel->block_count || kernel->blocks[block].owner != IR_NONE) {
		(void)fail(kernel, STATUS_CORRUPT, "a block with two owners");
		return false;
	}
	kernel->blocks[block].owner = owner;
	return true;
}

uint32_t kernel_append(struct ir_kernel *kernel, uint32_t block,
                       const struct ir_statement *statement)
{
	if (!RESERVE(kernel, statement, statements, 1, IR_STATEMENTS_MAX, "too many statements"))
		return IR_NONE;
	if (block >= kernel->block_count)
		return fail(kernel, STATUS_CORRUPT, "a statement in no block");
	uint32_t id = kernel->statement_count;
	if (!own_block(kernel, statement->body, id) || !own_block(kernel, statement->otherwise, id))
		return IR_NONE;
	kernel->statements[id] = *statement;
	kernel->statements[id].file = kernel->builder->place.file;
	kernel->statements[id].block = block;
	kernel->statements[id].following = IR_NONE;
	struct ir_block *in = &kernel->blocks[block];
	if (in->last == IR_NONE)
		in->first = id;
	else
		kernel->statements[in->last].following = id;
	in->last = id;
	return kernel->statement_count++;
}

void kernel_move_before(struct ir_kernel *kernel, uint32_t loop, uint32_t before)
{
	struct ir_block *body = &kernel->blocks[kernel->statements[loop].body];
	uint32_t outer = kernel->statements[loop].block;
	if (body->first == IR_NONE)
		return;
	for (uint32_t s = body->first; s != IR_NONE; s = kernel->statements[s].following)
		kernel->statements[s].block = outer;
	if (before == IR_NONE)
		kernel->blocks[outer].first = body->first;
	else
		kernel->statements[before].following = body->first;
	kernel->statements[body->last].following = loop;
	body->first = body->last = IR_NONE;
}

uint32_t kernel_access(struct ir_kernel *kernel, uint32_t block, const struct ir_access *access)
{
	if (!RESERVE(kernel, access, accesses, 1, IR_STATEMENTS_MAX, "too many accesses"))
		return IR_NONE;
	uint32_t id = kernel->access_count;
	uint32_t result = IR_NONE;
	if (access->kind != ACCESS_STORE) {
		enum node_op op = access->kind == ACCESS_LOAD ? NODE_LOAD : NODE_ATOMIC;
		result = kernel_node(kernel, op, access->type, NULL, 0, id, 0);
		if (result == IR_NONE)
			return IR_NONE;
	}
	struct ir_statement statement = statement_of(STATEMENT_ACCESS, access->line);
	statement.access = id;
	if (kernel_append(kernel, block, &statement) == IR_NONE)
		return IR_NONE;
	kernel->accesses[id] = *access;
	kernel->accesses[id].result = result;
	kernel->accesses[id].file = kernel->builder->place.file;
	return kernel->access_count++;
}

/* `node` in that type; vectors of another width stay as they are, for the check to find. */
static uint32_t converted(struct ir_kernel *kernel, struct type type, uint32_t node)
{
	if (node >= kernel->node_count || kernel->nodes[node].type.width != type.width ||
	    kernel->nodes[node].type.scalar == type.scalar)
		return node;
	return kernel_unary(kernel, NODE_CONVERT, type, node);
}

uint32_t kernel_open_variables(struct ir_kernel *kernel, uint32_t loop, const struct type *types,
                               const uint32_t *inits, unsigned count)
{
	if (!is_building(kernel))
		return IR_NONE;
	if (loop >= kernel->statement_count || kernel->statements[loop].kind != STATEMENT_LOOP)
		return fail(kernel, STATUS_CORRUPT, "variables of what is no loop");
	if (count > IR_LOOP_VARIABLES_MAX)
		return fail(kernel, STATUS_LIMIT, "too many variables of one loop");
	if (!RESERVE(kernel, variable, variables, count, IR_NODES_MAX,
	             "too many variables of loops"))
		return IR_NONE;
	uint32_t first = kernel->variable_count;
	for (unsigned i = 0; i < count; i++) {
		if (inits[i] >= kernel->node_count)
			return fail(kernel, STATUS_CORRUPT, "a variable without a value");
		uint32_t init = converted(kernel, types[i], inits[i]);
		uint32_t node = kernel_node(kernel, NODE_LOOP_VAR, types[i], NULL, 0, loop, i);
		if (node == IR_NONE)
			return IR_NONE;
		kernel->variables[first + i] =
		        (struct ir_variable){.node = node, .init = init, .next = IR_NONE};
	}
	kernel->variable_count += count;
	kernel->statements[loop].first_variable = first;
	kernel->statements[loop].variable_count = count;
	return first;
}

void kernel_close_variable(struct ir_kernel *kernel, uint32_t variable, uint32_t next)
{
	if (!is_building(kernel))
		return;
	if (variable >= kernel->variable_count || next >= kernel->node_count) {
		(void)fail(kernel, STATUS_CORRUPT, "a variable without a next value");
		return;
	}
	struct type type = kernel->nodes[kernel->variables[variable].node].type;
	kernel->variables[variable].next = converted(kernel, type, next);
}

/* ---- written counts ------------------------------------------------------------------------ */

static void write_entry(struct ir_kernel *kernel, const struct ir_written *entry)
{
	if (!RESERVE(kernel, written, written, 1, IR_NODES_MAX, "too many written operations"))
		return;
	kernel->written[kernel->written_count++] = *entry;
}

void kernel_write_operation(struct ir_kernel *kernel, uint32_t block, enum op_class op_class,
                            enum type_class type_class, uint32_t count)
{
	if (op_class == OP_CLASS_NONE || count == 0)
		return;
	write_entry(kernel, &(struct ir_written){.block = block,
	                                         .op_class = (uint8_t)op_class,
	                                         .type_class = (uint8_t)type_class,
	                                         .access = IR_NONE,
	                                         .count = count});
}

void kernel_write_access(struct ir_kernel *kernel, uint32_t block, uint32_t access, bool repeated)
{
	write_entry(kernel, &(struct ir_written){.block = block,
	                                         .op_class = OP_CLASS_NONE,
	                                         .type_class = TYPE_CLASS_NONE,
	                                         .repeated = repeated,
	                                         .access = access,
	                                         .count = 1});
}

static int written_compare(const void *left, const void *right)
{
	const struct ir_written *a = left, *b = right;
	if (a->block != b->block)
		return a->block < b->block ? -1 : 1;
	if (a->op_class != b->op_class)
		return a->op_class < b->op_class ? -1 : 1;
	if (a->type_class != b->type_class)
		return a->type_class < b->type_class ? -1 : 1;
	if (a->access != b->access)
		return a->access < b->access ? -1 : 1;
	return (int)a->repeated - (int)b->repeated;
}

/* Sorts the written counts by block, adds up equal ones and gives each block its range. */
static void sort_written(struct ir_kernel *kernel)
{
	uint32_t kept = 0;
	if (kernel->written_count > 1)
		qsort(kernel->written, kernel->written_count, sizeof *kernel->written,
		      written_compare);
	for (uint32_t i = 0; i < kernel->written_count; i++) {
		struct ir_written *entry = &kernel->written[i];
		if (kept > 0 && written_compare(&kernel->written[kept - 1], entry) == 0) {
			uint32_t *sum = &kernel->written[kept - 1].count;
			*sum = *sum > UINT32_MAX - entry->count ? UINT32_MAX : *sum + entry->count;
		} else {
			kernel->written[kept++] = *entry;
		}
	}
	kernel->written_count = kept;
	for (uint32_t block = 0, i = 0; block < kernel->block_count; block++) {
		kernel->blocks[block].first_written = i;
		while (i < kept && kernel->written[i].block == block)
			i++;
		kernel->blocks[block].written_count = i - kernel->blocks[block].first_written;
	}
}

/* ---- the end of building ------------------------------------------------------------------- */

uint32_t kernel_append_unknown(struct ir_kernel *kernel, uint32_t block, uint32_t line,
                               uint32_t count, const char *text)
{
	struct ir_statement statement = statement_of(STATEMENT_EFFECT, line);
	char entry[IR_NAME_MAX];
	size_t used = strlen(kernel->unknown);

	(void)snprintf(entry, sizeof entry, "line %u: %.90s", line, text);
	if (strstr(kernel->unknown, text) == NULL &&
	    used + strlen(entry) + sizeof "; " <= sizeof kernel->unknown)
		(void)snprintf(kernel->unknown + used, sizeof kernel->unknown - used, "%s%s",
		               used > 0 ? "; " : "", entry);
	statement.condition = kernel_unknown(kernel, type_scalar(SCALAR_INT));
	if (statement.condition == IR_NONE)
		return IR_NONE;
	kernel->nodes[statement.condition].aux = count;
	return kernel_append(kernel, block, &statement);
}

void kernel_unsupported(struct ir_kernel *kernel, const char *format, ...)
{
	if (kernel->unsupported[0] != '\0')
		return;
	va_list arguments;
	va_start(arguments, format);
	(void)vsnprintf(kernel->unsupported, sizeof kernel->unsupported, format, arguments);
	va_end(arguments);
}

/*
 * What remains of a kernel whose building stopped half-way: its parameters.
 * A fallback estimate needs no more, and nothing half-built is kept.
 */
static void drop_body(struct ir_kernel *kernel)
{
	kernel->node_count = kernel->operand_count = kernel->access_count = 0;
	kernel->statement_count = kernel->variable_count = kernel->written_count = 0;
	kernel->block_count = 1;
	kernel->blocks[0] = (struct ir_block){.owner = IR_NONE, .first = IR_NONE, .last = IR_NONE};
}

enum status kernel_finish(struct ir_kernel *kernel, struct error *error)
{
	enum status status = STATUS_OK;
	bool is_fallback = kernel->unsupported[0] != '\0' && kernel->block_count > 0;
	if (kernel->builder != NULL)
		status = kernel->builder->failure.status;
	if (status == STATUS_NO_MEMORY || (status != STATUS_OK && !is_fallback))
		return error_set(error, status, "%s", kernel->builder->failure.text);
	/* nodes point into it, those without operands as well */
	if (kernel->operands == NULL)
		kernel->operands = calloc(1, sizeof(*kernel->operands));
	if (kernel->operands == NULL)
		return error_set(error, STATUS_NO_MEMORY, "no memory for a kernel");
	if (status == STATUS_OK)
		status = kernel_check(kernel, error);
	if (status != STATUS_OK && is_fallback) {
		drop_body(kernel);
		status = kernel_check(kernel, error);
	}
	if (status != STATUS_OK)
		return status;
	sort_written(kernel);
	builder_free(kernel->builder);
	kernel->builder = NULL;
	return STATUS_OK;
}
