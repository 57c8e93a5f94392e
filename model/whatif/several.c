/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Thread coarsening, and its reverse. The kernel is built anew, statement by statement, by the
 * same calls that a frontend makes, so that equal values of several results become one value and
 * equal loads one load, as a compiler has it (unroll-and-jam: Allen, Cocke, 1972; of work-items:
 * Magni, Dubach, O'Boyle, SC 2013).
 *
 * A value that differs among the results is built once for each of them, all others once.
 */
#include "model/whatif/several.h"

#include <stdlib.h>
#include <string.h>

#include "model/passes/passes.h"
#include "model/whatif/shape.h"

enum { DEPTH_MAX = 256 };

struct several_state {
	const struct ir_kernel *from;
	const struct launch *launch; /* as it was */
	const struct several *how;
	struct ir_kernel *to;
	unsigned copies;
	bool *varies, *object_varies; /* per node, per object of `from` */
	uint32_t *made;               /* [copies][node_count] of `from`: nodes of `to` */
	uint32_t *object;             /* [copies][object_count] */
	uint32_t *statement;          /* of `to`, by one of `from` */
	uint32_t turns, turn;         /* the loop around the kernel and its counter, or IR_NONE */
	uint32_t part;                /* SEVERAL_SPLIT: which share of the loop's iterations */
	bool is_broken;
};

static void state_deinit(struct several_state *s)
{
	kernel_free(s->to);
	free(s->varies);
	free(s->object_varies);
	free(s->made);
	free(s->object);
	free(s->statement);
}

/* ---- what differs among the results --------------------------------------------------------- */

static bool node_starts(const struct several_state *s, const struct ir_node *node)
{
	return node->op == NODE_GLOBAL_ID && node->aux == s->how->dimension;
}

static bool access_varies(const struct several_state *s, const struct ir_access *access)
{
	return (access->index != IR_NONE && s->varies[access->index]) ||
	       (access->value != IR_NONE && s->varies[access->value]) ||
	       s->object_varies[access->object];
}

static bool node_varies(const struct several_state *s, uint32_t id)
{
	const struct ir_node *node = &s->from->nodes[id];

	if (node_starts(s, node))
		return true;
	if (node->op == NODE_LOOP_VAR) {
		const struct ir_variable *variable = kernel_variable(s->from, id);

		return s->varies[variable->init] ||
		       (variable->next != IR_NONE && s->varies[variable->next]);
	}
	if (node->op == NODE_ATOMIC)
		return true;
	if (node->op == NODE_LOAD)
		return access_varies(s, &s->from->accesses[node->aux]);
	for (unsigned i = 0; i < node->operand_count; i++)
		if (s->varies[kernel_operands(s->from, id)[i]])
			return true;
	return false;
}

/* Private arrays that differ are several, too. */
static void find_varying(struct several_state *s)
{
	for (bool is_changed = true; is_changed;) {
		is_changed = false;
		for (uint32_t i = 0; i < s->from->node_count; i++)
			if (!s->varies[i] && node_varies(s, i))
				s->varies[i] = is_changed = true;
		for (uint32_t i = 0; i < s->from->access_count; i++) {
			const struct ir_access *access = &s->from->accesses[i];

			if (s->from->objects[access->object].space == SPACE_PRIVATE &&
			    access->kind != ACCESS_LOAD && !s->object_varies[access->object] &&
			    access_varies(s, access))
				s->object_varies[access->object] = is_changed = true;
		}
	}
}

/* An integer that constants and the launch decide. */
static bool value_of(const struct several_state *s, uint32_t id, int64_t *value)
{
	const struct ir_node *node = &s->from->nodes[id];

	while (node->op == NODE_CONVERT) {
		id = kernel_operands(s->from, id)[0];
		node = &s->from->nodes[id];
	}
	if (!type_is_integer(node->type) || node->type.width != 1)
		return false;
	if (kernel_constant(s->from, id, value))
		return true;
	if (node->op != NODE_ARG || node->imm != 0 || node->aux >= s->launch->argument_count)
		return false;
	*value = s->launch->arguments[node->aux].value.integer[0];
	return true;
}

/* By how much an integer grows from one work-item to the next; false: not told by a factor. */
static bool factor_of(const struct several_state *s, uint32_t id, unsigned depth, int64_t *factor)
{
	const struct ir_node *node = &s->from->nodes[id];
	const uint32_t *operands = kernel_operands(s->from, id);
	int64_t a, b;

	*factor = 0;
	if (!s->varies[id])
		return true;
	if (depth > 16 || !type_is_integer(node->type) || node->type.width != 1)
		return false;
	switch ((enum node_op)node->op) {
	case NODE_GLOBAL_ID:
		*factor = 1;
		return true;
	case NODE_CONVERT:
		return factor_of(s, operands[0], depth + 1, factor);
	case NODE_ADD:
	case NODE_SUB:
		return factor_of(s, operands[0], depth + 1, &a) &&
		       factor_of(s, operands[1], depth + 1, &b) &&
		       !(node->op == NODE_ADD ? __builtin_add_overflow(a, b, factor)
		                              : __builtin_sub_overflow(a, b, factor));
	case NODE_MUL:
		for (unsigned i = 0; i < 2; i++)
			if (value_of(s, operands[i], &a) &&
			    factor_of(s, operands[1 - i], depth + 1, &b))
				return !__builtin_mul_overflow(a, b, factor);
		return false;
	case NODE_SHL:
		return value_of(s, operands[1], &a) && a >= 0 && a < 32 &&
		       factor_of(s, operands[0], depth + 1, &b) &&
		       !__builtin_mul_overflow(b, (int64_t)1 << a, factor);
	default:
		return false;
	}
}

/* ---- values --------------------------------------------------------------------------------- */

static struct type type_of_ids(void)
{
	return type_scalar(SCALAR_ULONG);
}

static uint32_t id_made(struct several_state *s, const struct ir_node *node, unsigned copy)
{
	unsigned d = s->how->dimension, count = s->how->count;
	struct type type = node->type;
	uint32_t id = kernel_node(s->to, NODE_GLOBAL_ID, type, NULL, 0, d, 0);
	uint64_t apart = s->launch->global[d] / count;

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
		return kernel_binary(s->to, NODE_DIV, type, id, kernel_integer(s->to, type, count));
	}
}

static uint32_t node_made(struct several_state *s, uint32_t id, unsigned copy, unsigned depth)
{
	const struct ir_node *node = &s->from->nodes[id];
	uint32_t operands[IR_OPERANDS_MAX], *made, aux = node->aux;
	struct ir_place before;

	copy = s->varies[id] ? copy : 0;
	made = &s->made[copy * s->from->node_count + id];
	if (*made != IR_NONE)
		return *made;
	/* a value of a statement that was not met, or a graph of no source */
	if (node->op == NODE_LOAD || node->op == NODE_ATOMIC || node->op == NODE_LOOP_VAR ||
	    depth > DEPTH_MAX) {
		s->is_broken = true;
		return IR_NONE;
	}
	for (unsigned i = 0; i < node->operand_count; i++) {
		operands[i] = node_made(s, kernel_operands(s->from, id)[i], copy, depth + 1);
		if (operands[i] == IR_NONE)
			return IR_NONE;
	}
	before = kernel_stand(s->to, node->place);
	if (node_starts(s, node))
		*made = id_made(s, node, copy);
	else if (node->op == NODE_GLOBAL_SIZE && node->aux == s->how->dimension)
		*made = kernel_integer(s->to, node->type,
		                       (int64_t)s->launch->global[s->how->dimension]);
	else
		*made = kernel_node(
		        s->to, (enum node_op)node->op, node->type, operands, node->operand_count,
		        node->op == NODE_TEXEL ? s->object[copy * s->from->object_count + aux]
		                               : aux,
		        node->imm);
	(void)kernel_stand(s->to, before);
	return *made;
}

/* ---- statements ----------------------------------------------------------------------------- */

/* The same load of a buffer that is read only, made for another result. */
static uint32_t load_found(const struct several_state *s, uint32_t block,
                           const struct ir_access *like)
{
	for (uint32_t id = s->to->blocks[block].first; id != IR_NONE;
	     id = s->to->statements[id].following) {
		const struct ir_access *access;

		if (s->to->statements[id].kind != STATEMENT_ACCESS)
			continue;
		access = &s->to->accesses[s->to->statements[id].access];
		if (access->kind == ACCESS_LOAD && access->object == like->object &&
		    access->index == like->index && access->scale_bytes == like->scale_bytes &&
		    access->offset_bytes == like->offset_bytes &&
		    access->type.scalar == like->type.scalar &&
		    access->type.width == like->type.width)
			return access->result;
	}
	return IR_NONE;
}

static bool is_read_only(const struct ir_kernel *kernel, uint32_t object)
{
	for (uint32_t i = 0; i < kernel->access_count; i++)
		if (kernel->accesses[i].object == object && kernel->accesses[i].kind != ACCESS_LOAD)
			return false;
	return true;
}

/* Accesses of all results that lie beside each other become one of a vector. */
static bool is_vector(const struct several_state *s, const struct ir_access *access)
{
	int64_t factor;

	return s->how->way == SEVERAL_WIDTH && access->kind != ACCESS_ATOMIC &&
	       access->type.width == 1 && s->how->count <= 16 && access->index != IR_NONE &&
	       !s->object_varies[access->object] &&
	       s->from->objects[access->object].space != SPACE_IMAGE &&
	       factor_of(s, access->index, 0, &factor) &&
	       factor * access->scale_bytes == type_bytes(access->type);
}

static struct ir_access access_made(struct several_state *s, const struct ir_access *access,
                                    unsigned copy)
{
	struct ir_access made = *access;

	made.object =
	        s->object[(s->object_varies[access->object] ? copy : 0) * s->from->object_count +
	                  access->object];
	if (access->index != IR_NONE)
		made.index = node_made(s, access->index, copy, 0);
	if (access->value != IR_NONE)
		made.value = node_made(s, access->value, copy, 0);
	made.result = IR_NONE;
	return made;
}

static void put_vector(struct several_state *s, const struct ir_access *access, uint32_t block)
{
	struct ir_access made = access_made(s, access, 0);
	struct type wide = {access->type.scalar, (uint8_t)s->copies};
	uint32_t values[SEVERAL_MOST], id;

	made.type = wide;
	made.is_packed = true; /* nothing says that vectors are aligned */
	for (unsigned copy = 0; access->value != IR_NONE && copy < s->copies; copy++)
		values[copy] = node_made(s, access->value, copy, 0);
	if (s->is_broken)
		return;
	if (access->value != IR_NONE)
		made.value = kernel_node(s->to, NODE_VECTOR, wide, values, s->copies, 0, 0);
	id = kernel_access(s->to, block, &made);
	for (unsigned copy = 0; access->result != IR_NONE && id != IR_NONE && copy < s->copies;
	     copy++)
		s->made[copy * s->from->node_count + access->result] = kernel_node(
		        s->to, NODE_SWIZZLE, access->type, &s->to->accesses[id].result, 1, 0, copy);
}

static void put_access(struct several_state *s, const struct ir_access *access, uint32_t block)
{
	unsigned copies = access_varies(s, access) || access->kind == ACCESS_ATOMIC ? s->copies : 1;
	bool is_shared = access->kind == ACCESS_LOAD && is_read_only(s->from, access->object);

	if (copies > 1 && is_vector(s, access)) {
		put_vector(s, access, block);
		return;
	}
	for (unsigned copy = 0; copy < copies; copy++) {
		struct ir_access made = access_made(s, access, copy);
		uint32_t result, id;

		if (s->is_broken)
			return;
		result = is_shared && copy > 0 ? load_found(s, block, &made) : IR_NONE;
		if (result == IR_NONE) {
			id = kernel_access(s->to, block, &made);
			result = id == IR_NONE ? IR_NONE : s->to->accesses[id].result;
		}
		if (access->result != IR_NONE)
			s->made[copy * s->from->node_count + access->result] = result;
	}
}

static void put_block(struct several_state *s, uint32_t from, uint32_t to, unsigned depth);

static bool is_split(const struct several_state *s, uint32_t statement)
{
	return s->how->way == SEVERAL_SPLIT && s->how->loop == statement;
}

/* Sums of a loop's shares: a tree in local memory. */
static void add_up(struct several_state *s, const struct ir_statement *from, uint32_t block)
{
	for (uint32_t v = 0; v < from->variable_count; v++) {
		const struct ir_variable *variable = &s->from->variables[from->first_variable + v];
		struct type type = s->from->nodes[variable->node].type;
		uint32_t *made = &s->made[variable->node];
		struct ir_access access = {.kind = ACCESS_STORE,
		                           .scale_bytes = type_bytes(type),
		                           .type = type,
		                           .value = *made,
		                           .result = IR_NONE,
		                           .line = from->line};
		struct ir_object tile = {.name = "sums",
		                         .space = SPACE_LOCAL,
		                         .argument = IR_NONE,
		                         .type = type,
		                         .element_bytes = type_bytes(type)};

		if (kernel_step(s->from, variable) != IR_NONE && type_is_integer(type))
			continue;
		tile.size_bytes = (uint64_t)type_bytes(type) * s->launch->local[0] *
		                  s->launch->local[1] * s->launch->local[2];
		access.object = kernel_add_object(s->to, &tile);
		for (unsigned half = s->how->count / 2; half > 0; half /= 2) {
			struct ir_statement barrier = statement_of(STATEMENT_BARRIER, from->line);
			uint32_t lane =
			        kernel_node(s->to, NODE_LOCAL_ID, type_of_ids(), NULL, 0, 0, 0);
			struct ir_access load = access;
			uint32_t id;

			access.index = lane;
			access.value = *made;
			(void)kernel_access(s->to, block, &access);
			(void)kernel_append(s->to, block, &barrier);
			load.kind = ACCESS_LOAD;
			load.value = IR_NONE;
			load.index = kernel_binary(s->to, NODE_ADD, type_of_ids(), lane,
			                           kernel_integer(s->to, type_of_ids(), half));
			id = kernel_access(s->to, block, &load);
			if (id == IR_NONE)
				return;
			*made = kernel_binary(s->to, NODE_ADD, type, *made,
			                      s->to->accesses[id].result);
		}
	}
}

/* A variable of a loop that is split begins with its share, and goes by all of them. */
static uint32_t split_init(struct several_state *s, const struct ir_variable *variable,
                           uint32_t init)
{
	uint32_t step = kernel_step(s->from, variable), part;
	struct type type = s->from->nodes[variable->node].type;

	if (step == IR_NONE || !type_is_integer(type))
		return init;
	step = node_made(s, step, 0, 0);
	part = kernel_unary(s->to, NODE_CONVERT, type, s->part);
	return kernel_binary(s->to, (enum node_op)s->from->nodes[variable->next].op, type, init,
	                     kernel_binary(s->to, NODE_MUL, type, part, step));
}

static uint32_t split_next(struct several_state *s, const struct ir_variable *variable,
                           uint32_t next)
{
	uint32_t step = kernel_step(s->from, variable);
	struct type type = s->from->nodes[variable->node].type;

	if (step == IR_NONE || !type_is_integer(type))
		return next;
	return kernel_binary(s->to, (enum node_op)s->from->nodes[variable->next].op, type,
	                     s->made[variable->node],
	                     kernel_binary(s->to, NODE_MUL, type, node_made(s, step, 0, 0),
	                                   kernel_integer(s->to, type, s->how->count)));
}

static void put_loop(struct several_state *s, uint32_t id, uint32_t block, unsigned depth)
{
	const struct ir_statement *from = &s->from->statements[id];
	struct ir_statement loop = *from;
	struct type types[IR_LOOP_VARIABLES_MAX];
	uint32_t inits[IR_LOOP_VARIABLES_MAX], first, made, count = 0, at = 0;

	loop.body = kernel_block(s->to);
	loop.condition = IR_NONE;
	loop.first_variable = IR_NONE;
	loop.variable_count = 0;
	for (uint32_t v = 0; v < from->variable_count; v++) {
		const struct ir_variable *variable = &s->from->variables[from->first_variable + v];

		for (unsigned copy = 0; copy < (s->varies[variable->node] ? s->copies : 1);
		     copy++) {
			if (count == IR_LOOP_VARIABLES_MAX) {
				s->is_broken = true;
				return;
			}
			types[count] = s->from->nodes[variable->node].type;
			inits[count] = node_made(s, variable->init, copy, 0);
			if (is_split(s, id) && !s->is_broken)
				inits[count] = split_init(s, variable, inits[count]);
			count++;
		}
	}
	if (s->is_broken)
		return;
	s->statement[id] = made = kernel_append(s->to, block, &loop);
	first = made == IR_NONE ? IR_NONE : kernel_open_variables(s->to, made, types, inits, count);
	if (first == IR_NONE) {
		s->is_broken = true;
		return;
	}
	for (uint32_t v = 0; v < from->variable_count; v++) {
		uint32_t node = s->from->variables[from->first_variable + v].node;

		for (unsigned copy = 0; copy < (s->varies[node] ? s->copies : 1); copy++)
			s->made[copy * s->from->node_count + node] =
			        s->to->variables[first + at++].node;
	}
	put_block(s, from->body, loop.body, depth + 1);
	if (s->is_broken)
		return;
	at = 0;
	for (uint32_t v = 0; v < from->variable_count; v++) {
		const struct ir_variable *variable = &s->from->variables[from->first_variable + v];

		for (unsigned copy = 0; copy < (s->varies[variable->node] ? s->copies : 1);
		     copy++, at++) {
			uint32_t next = node_made(s, variable->next, copy, 0);

			if (is_split(s, id) && !s->is_broken)
				next = split_next(s, variable, next);
			if (s->is_broken)
				return;
			kernel_close_variable(s->to, first + at, next);
		}
	}
	if (from->condition != IR_NONE)
		s->to->statements[made].condition = node_made(s, from->condition, 0, 0);
	if (is_split(s, id) && !s->is_broken)
		add_up(s, from, block);
}

static void put_other(struct several_state *s, uint32_t id, uint32_t block, unsigned depth)
{
	const struct ir_statement *from = &s->from->statements[id];
	struct ir_statement made = *from;

	if (from->condition != IR_NONE)
		made.condition = node_made(s, from->condition, 0, 0);
	if (from->body != IR_NONE)
		made.body = kernel_block(s->to);
	if (from->otherwise != IR_NONE)
		made.otherwise = kernel_block(s->to);
	if (from->target != IR_NONE)
		made.target = s->statement[from->target];
	else if (from->kind == STATEMENT_EXIT && s->turns != IR_NONE) {
		made.kind = STATEMENT_NEXT; /* the kernel's end is a turn's */
		made.target = s->turns;
	}
	if (s->is_broken)
		return;
	s->statement[id] = kernel_append(s->to, block, &made);
	if (from->body != IR_NONE)
		put_block(s, from->body, made.body, depth + 1);
	if (from->otherwise != IR_NONE)
		put_block(s, from->otherwise, made.otherwise, depth + 1);
}

static void put_block(struct several_state *s, uint32_t from, uint32_t to, unsigned depth)
{
	for (uint32_t id = s->from->blocks[from].first; id != IR_NONE && !s->is_broken;
	     id = s->from->statements[id].following) {
		const struct ir_statement *statement = &s->from->statements[id];
		struct ir_place before =
		        kernel_stand(s->to, ir_place_of(statement->line, statement->file));

		if (depth > IR_DEPTH_MAX)
			s->is_broken = true;
		else if (statement->kind == STATEMENT_ACCESS)
			put_access(s, &s->from->accesses[statement->access], to);
		else if (statement->kind == STATEMENT_LOOP)
			put_loop(s, id, to, depth);
		else
			put_other(s, id, to, depth);
		(void)kernel_stand(s->to, before);
	}
}

/* The kernel's body within a loop of `count` turns. */
static uint32_t open_turns(struct several_state *s)
{
	struct ir_statement loop = statement_of(STATEMENT_LOOP, s->from->line);
	struct type type = type_of_ids();
	uint32_t zero = kernel_integer(s->to, type, 0), first;

	loop.body = kernel_block(s->to);
	loop.unroll = 1;
	s->turns = kernel_append(s->to, 0, &loop);
	first = s->turns == IR_NONE ? IR_NONE
	                            : kernel_open_variables(s->to, s->turns, &type, &zero, 1);
	if (first == IR_NONE) {
		s->is_broken = true;
		return IR_NONE;
	}
	s->turn = s->to->variables[first].node;
	s->to->statements[s->turns].condition =
	        kernel_binary(s->to, NODE_LT, type_scalar(SCALAR_INT), s->turn,
	                      kernel_integer(s->to, type, s->how->count));
	kernel_close_variable(
	        s->to, first,
	        kernel_binary(s->to, NODE_ADD, type, s->turn, kernel_integer(s->to, type, 1)));
	return loop.body;
}

/* ---- whether it fits ------------------------------------------------------------------------ */

static enum status state_init(struct several_state *s, const struct ir_kernel *kernel,
                              const struct launch *launch, const struct several *several)
{
	size_t nodes = kernel->node_count, objects = kernel->object_count;

	*s = (struct several_state){.from = kernel,
	                            .launch = launch,
	                            .how = several,
	                            .turns = IR_NONE,
	                            .turn = IR_NONE,
	                            .part = IR_NONE};
	s->copies =
	        several->way == SEVERAL_BLOCK || several->way == SEVERAL_WIDTH ? several->count : 1;
	s->varies = calloc(nodes + 1, sizeof *s->varies);
	s->object_varies = calloc(objects + 1, sizeof *s->object_varies);
	s->made = malloc((nodes * s->copies + 1) * sizeof *s->made);
	s->object = malloc((objects * s->copies + 1) * sizeof *s->object);
	s->statement = malloc((kernel->statement_count + (size_t)1) * sizeof *s->statement);
	if (!s->varies || !s->object_varies || !s->made || !s->object || !s->statement)
		return STATUS_NO_MEMORY;
	memset(s->made, 0xff, (nodes * s->copies + 1) * sizeof *s->made); /* IR_NONE */
	memset(s->statement, 0xff, (kernel->statement_count + (size_t)1) * sizeof *s->statement);
	find_varying(s);
	return STATUS_OK;
}

/* Control is that of all results at once, but where the NDRange ends. */
static bool is_together(const struct several_state *s)
{
	for (uint32_t i = 0; s->copies > 1 && i < s->from->statement_count; i++) {
		const struct ir_statement *statement = &s->from->statements[i];

		if (statement->condition == IR_NONE || !s->varies[statement->condition])
			continue;
		if (statement->kind != STATEMENT_BRANCH ||
		    !s->from->summary->node_is_integer_known[statement->condition] ||
		    node_is_scattered(s->from, statement->condition, 0))
			return false;
	}
	return true;
}

/* Whether a value is a loop's variable, or one that the loop adds to it. */
static bool is_sum_of(const struct ir_kernel *kernel, uint32_t id, uint32_t variable,
                      unsigned depth)
{
	const struct ir_node *node = &kernel->nodes[id];
	const uint32_t *operands = kernel_operands(kernel, id);

	if (id == variable)
		return true;
	if (depth > 64)
		return false;
	if (node->op == NODE_ADD)
		return is_sum_of(kernel, operands[0], variable, depth + 1) ||
		       is_sum_of(kernel, operands[1], variable, depth + 1);
	if (node->op == NODE_FMA)
		return is_sum_of(kernel, operands[2], variable, depth + 1);
	return node->op == NODE_SUB && is_sum_of(kernel, operands[0], variable, depth + 1);
}

static bool is_splittable(const struct several_state *s)
{
	const struct ir_kernel *kernel = s->from;
	const struct ir_summary *summary = kernel->summary;
	const struct ir_statement *loop = &kernel->statements[s->how->loop];
	const struct ir_loop *of = NULL;
	unsigned sums = 0;

	for (uint32_t i = 0; i < summary->loop_count; i++)
		if (summary->loops[i].statement == s->how->loop)
			of = &summary->loops[i];
	if (!of || of->induction == IR_NONE || of->has_early_exit || of->is_closed ||
	    loop->tests_last || summary->block_loop[loop->block] != IR_NONE)
		return false;
	for (uint32_t v = 0; v < loop->variable_count; v++) {
		const struct ir_variable *variable = &kernel->variables[loop->first_variable + v];
		uint32_t step = kernel_step(kernel, variable);

		if (variable->next == IR_NONE)
			return false;
		if (step != IR_NONE && type_is_integer(kernel->nodes[variable->node].type) &&
		    kernel->nodes[step].op == NODE_CONST_INT)
			continue;
		if (!is_sum_of(kernel, variable->next, variable->node, 0))
			return false;
		sums++;
	}
	for (uint32_t i = 0; i < kernel->access_count; i++) {
		const struct ir_access *access = &kernel->accesses[i];
		uint32_t block = summary->access_block[i];

		if (block != IR_NONE && kernel_is_within(kernel, block, s->how->loop) &&
		    access->kind != ACCESS_LOAD)
			return false;
	}
	return sums > 0;
}

static bool launch_fits(const struct launch *launch, const struct several *several)
{
	unsigned d = several->dimension, count = several->count;

	if (count < 2 || count > SEVERAL_MOST || (count & (count - 1)) != 0 || d > 2 ||
	    d >= launch->dimensions || launch->offset[d] != 0)
		return false;
	if (several->way == SEVERAL_WIDTH && count > 16)
		return false;
	if (several->way == SEVERAL_SPLIT)
		return launch->global[0] < UINT64_C(1) << 32 && launch->local[0] % count == 0;
	return launch->global[d] % (count * launch->local[d]) == 0;
}

static bool kernel_fits(const struct several_state *s)
{
	for (uint32_t i = 0; i < s->from->statement_count; i++)
		if (s->from->statements[i].kind == STATEMENT_EFFECT)
			return false;
	return s->how->way == SEVERAL_SPLIT ? is_splittable(s) : is_together(s);
}

bool several_fits(const struct ir_kernel *kernel, const struct launch *launch,
                  const struct several *several)
{
	struct several_state s;
	bool is_fit;

	if (!launch_fits(launch, several) || !kernel_is_free_of_groups(kernel) ||
	    (several->way == SEVERAL_SPLIT &&
	     (several->loop >= kernel->statement_count ||
	      kernel->statements[several->loop].kind != STATEMENT_LOOP)))
		return false;
	is_fit = state_init(&s, kernel, launch, several) == STATUS_OK && kernel_fits(&s);
	state_deinit(&s);
	return is_fit;
}

/* ---- building ------------------------------------------------------------------------------- */

static bool head_made(struct several_state *s)
{
	const struct ir_kernel *from = s->from;
	uint8_t file;

	s->to = kernel_new(from->name);
	if (!s->to)
		return false;
	memcpy(s->to->unknown, from->unknown, sizeof s->to->unknown);
	memcpy(s->to->required_local, from->required_local, sizeof s->to->required_local);
	s->to->line = from->line;
	s->to->build = from->build;
	for (uint32_t i = 0; i < from->file_count; i++)
		if (!kernel_file(s->to, from->files[i].name, &file))
			return false;
	for (uint32_t i = 0; i < from->argument_count; i++)
		(void)kernel_add_argument(s->to, &from->arguments[i]);
	for (uint32_t i = 0; i < from->object_count; i++)
		s->object[i] = kernel_add_object(s->to, &from->objects[i]);
	for (unsigned copy = 1; copy < s->copies; copy++)
		for (uint32_t i = 0; i < from->object_count; i++)
			s->object[copy * from->object_count + i] =
			        s->object_varies[i] ? kernel_add_object(s->to, &from->objects[i])
			                            : s->object[i];
	return true;
}

static void change_launch(struct launch *launch, const struct several *several)
{
	if (several->way == SEVERAL_SPLIT)
		launch->global[0] *= several->count;
	else
		launch->global[several->dimension] /= several->count;
}

enum status several_build(const struct ir_kernel *kernel, struct launch *launch,
                          const struct several *several, struct ir_kernel **built,
                          struct error *error)
{
	struct several_state s;
	enum status status;
	uint32_t block = 0;

	*built = NULL;
	if (!several_fits(kernel, launch, several))
		return error_set(error, STATUS_INVALID, "what-if: %s has nothing such",
		                 kernel->name);
	status = state_init(&s, kernel, launch, several);
	if (status != STATUS_OK || !head_made(&s)) {
		status = error_set(error, STATUS_NO_MEMORY, "what-if: no memory for a kernel");
		goto out;
	}
	if (several->way == SEVERAL_TURNS)
		block = open_turns(&s);
	if (several->way == SEVERAL_SPLIT) {
		uint32_t id = kernel_node(s.to, NODE_GLOBAL_ID, type_of_ids(), NULL, 0, 0, 0);

		s.part = kernel_binary(s.to, NODE_REM, type_of_ids(), id,
		                       kernel_integer(s.to, type_of_ids(), several->count));
	}
	if (!s.is_broken)
		put_block(&s, 0, block, 0);
	if (s.is_broken) {
		status = error_set(error, STATUS_INVALID, "what-if: %s has nothing such",
		                   kernel->name);
		goto out;
	}
	change_launch(launch, several);
	*built = s.to;
	s.to = NULL; /* it is the caller's */
out:
	state_deinit(&s);
	return status;
}
