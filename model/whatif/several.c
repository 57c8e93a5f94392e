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

#include <string.h>

#include "model/whatif/beside.h"
#include "model/whatif/chosen.h"
#include "model/whatif/differ.h"
#include "model/whatif/direct.h"
#include "model/whatif/masked.h"
#include "model/whatif/picture.h"
#include "model/whatif/remainder.h"
#include "model/whatif/shape.h"
#include "model/whatif/strip.h"
#include "model/whatif/tree.h"

enum { DEPTH_MAX = 256 };

/* ---- values --------------------------------------------------------------------------------- */

static struct type type_of(const struct several_state *s, uint32_t id)
{
	struct type type = s->from->nodes[id].type;

	if (s->is_wide[id])
		type.width = (uint8_t)s->how->count;
	return type;
}

static uint32_t node_made(struct several_state *s, uint32_t id, unsigned copy, unsigned depth);

/* A value as a vector of all results. */
static uint32_t wide_made(struct several_state *s, uint32_t id, unsigned depth)
{
	struct type type = s->from->nodes[id].type;
	uint32_t parts[16];

	type.width = (uint8_t)s->how->count;
	if (s->is_wide[id])
		return node_made(s, id, 0, depth);
	for (unsigned copy = 0; copy < (s->varies[id] ? s->how->count : 1); copy++) {
		parts[copy] = node_made(s, id, copy, depth);
		if (parts[copy] == IR_NONE)
			return IR_NONE;
	}
	return s->varies[id] ? kernel_node(s->to, NODE_VECTOR, type, parts, s->how->count, 0, 0)
	                     : kernel_unary(s->to, NODE_SPLAT, type, parts[0]);
}

/* Of floats, which vectors divide: exact where the dividend is below 2^23. */
static uint32_t quotient_made(struct several_state *s, const struct ir_node *node,
                              const uint32_t *operands)
{
	struct type real = type_scalar(SCALAR_FLOAT);
	uint32_t by = kernel_binary(s->to, NODE_DIV, real,
	                            kernel_unary(s->to, NODE_CONVERT, real, operands[0]),
	                            kernel_unary(s->to, NODE_CONVERT, real, operands[1]));
	uint32_t whole = kernel_unary(s->to, NODE_CONVERT, node->type, by);

	return node->op == NODE_DIV ? whole
	                            : kernel_binary(s->to, NODE_SUB, node->type, operands[0],
	                                            kernel_binary(s->to, NODE_MUL, node->type,
	                                                          whole, operands[1]));
}

/* What is reckoned in fewer bits, as a vector. */
static uint32_t narrow_made(struct several_state *s, uint32_t id, struct type type)
{
	const struct ir_node *node = &s->from->nodes[id];
	const uint32_t *from = kernel_operands(s->from, id);
	uint32_t operands[IR_OPERANDS_MAX], one;

	if (!s->varies[id]) {
		one = node_made(s, id, 0, 0);
		if (one != IR_NONE)
			one = kernel_unary(s->to, NODE_CONVERT,
			                   type_scalar((enum scalar)type.scalar), one);
		return one == IR_NONE ? one : kernel_unary(s->to, NODE_SPLAT, type, one);
	}
	if (node->op == NODE_CONVERT)
		return wide_made(s, from[0], 0);
	for (unsigned i = 0; i < node->operand_count; i++) {
		operands[i] = narrow_made(s, from[i], type);
		if (operands[i] == IR_NONE)
			return IR_NONE;
	}
	return kernel_node(s->to, (enum node_op)node->op, type, operands, node->operand_count, 0,
	                   0);
}

static uint32_t node_made(struct several_state *s, uint32_t id, unsigned copy, unsigned depth)
{
	const struct ir_node *node = &s->from->nodes[id];
	uint32_t operands[IR_OPERANDS_MAX], *made, aux = node->aux;
	struct ir_place before;

	copy = s->varies[id] && !s->is_wide[id] ? copy : 0;
	made = &s->made[copy * s->from->node_count + id];
	if (*made != IR_NONE)
		return *made;
	/* a value of a statement that was not met, or a graph of no source */
	if (node->op == NODE_LOAD || node->op == NODE_ATOMIC || node->op == NODE_LOOP_VAR ||
	    depth > DEPTH_MAX) {
		s->is_broken = true;
		return IR_NONE;
	}
	if (node_is_narrowed(s, id))
		return *made = narrow_made(s, kernel_operands(s->from, id)[0], type_of(s, id));
	for (unsigned i = 0; i < node->operand_count; i++) {
		uint32_t operand = kernel_operands(s->from, id)[i];

		operands[i] = s->is_wide[id] ? wide_made(s, operand, depth + 1)
		                             : node_made(s, operand, copy, depth + 1);
		if (operands[i] == IR_NONE)
			return IR_NONE;
	}
	before = kernel_stand(s->to, node->place);
	if (node_starts(s, node))
		*made = id_made(s, node, copy);
	else if (s->how->way == SEVERAL_QUOTIENT && node_divides(s->from, id))
		*made = quotient_made(s, node, operands);
	else if (s->how->way == SEVERAL_REMAINDER && node_is_remainder(s->from, id))
		*made = remainder_made(s->to, node, operands);
	else if (node->op == NODE_NUM_GROUPS && node->aux == s->how->dimension &&
	         s->how->way != SEVERAL_GROUPS)
		*made = kernel_integer(
		        s->to, node->type,
		        (int64_t)(s->launch->global[node->aux] / s->launch->local[node->aux]));
	else if (node->op == NODE_GLOBAL_SIZE && node->aux == s->how->dimension &&
	         s->how->way != SEVERAL_GROUPS)
		*made = kernel_integer(s->to, node->type,
		                       (int64_t)s->launch->global[s->how->dimension]);
	else
		*made = kernel_node(s->to, (enum node_op)node->op, type_of(s, id), operands,
		                    node->operand_count,
		                    node->op == NODE_TEXEL
		                            ? s->object[copy * s->from->object_count + aux]
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

/* Where an element of an array is once a pad parts its banks, or work-items have theirs side by
 * side. */
static void rearrange(struct several_state *s, struct ir_access *access)
{
	struct type type = s->to->nodes[access->index].type;
	uint32_t index = access->index, row;

	if (s->how->way == SEVERAL_NEAR) {
		row = kernel_integer(
		        s->to, type,
		        (int64_t)(s->launch->local[0] * s->launch->local[1] * s->launch->local[2]));
		access->index = kernel_binary(
		        s->to, NODE_ADD, type, kernel_binary(s->to, NODE_MUL, type, index, row),
		        kernel_node(s->to, NODE_LOCAL_ID, type, NULL, 0, 0, 0));
	} else if (s->how->way == SEVERAL_SKEW && access->scale_bytes > type_bytes(access->type)) {
		access->scale_bytes += type_bytes(access->type);
	} else if (s->how->way == SEVERAL_SKEW) {
		row = kernel_integer(s->to, type, SKEW_ROW_BYTES / access->scale_bytes);
		access->index = kernel_binary(s->to, NODE_ADD, type, index,
		                              kernel_binary(s->to, NODE_DIV, type, index, row));
	}
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
	if ((s->how->way == SEVERAL_NEAR || s->how->way == SEVERAL_SKEW) &&
	    access->object == s->how->object && !s->is_broken)
		rearrange(s, &made);
	if (s->tree && !s->is_broken)
		made.index = tree_index(s, access, made.index);
	if (access->value != IR_NONE)
		made.value = node_made(s, access->value, copy, 0);
	made.result = IR_NONE;
	return made;
}

/* One of a vector, or what all results load alike. */
static void put_wide(struct several_state *s, const struct ir_access *access, uint32_t block)
{
	struct ir_access made = *access;
	uint32_t id;

	made.object = s->object[access->object];
	if (access->index != IR_NONE)
		made.index = node_made(s, access->index, 0, 0);
	if (access_varies(s, access)) {
		made.type.width = (uint8_t)s->how->count;
		made.is_packed = !access_is_aligned(s, access);
	}
	if (access->value != IR_NONE)
		made.value = wide_made(s, access->value, 0);
	made.result = IR_NONE;
	id = s->is_broken ? IR_NONE : kernel_access(s->to, block, &made);
	if (access->result != IR_NONE && id != IR_NONE)
		s->made[access->result] = s->to->accesses[id].result;
}

static uint32_t only_made(struct several_state *s, uint32_t node)
{
	return node_made(s, node, 0, 0);
}

static uint32_t first_or_own(struct several_state *s, uint32_t node, bool is_first)
{
	return node_made(s, node, is_first, 0);
}

static void put_access(struct several_state *s, const struct ir_access *access, uint32_t block)
{
	bool is_direct = s->how->way == SEVERAL_DIRECT || s->how->way == SEVERAL_BESIDE;
	unsigned copies = !is_direct && access_is_several(s, access) ? s->copies : 1;
	bool is_shared = access->kind == ACCESS_LOAD && is_read_only(s->from, access->object);

	if (s->how->way == SEVERAL_IMAGE && access->object == s->how->object) {
		uint32_t result = image_read(s, access, block, only_made);

		s->is_broken |= result == IR_NONE;
		if (access->result != IR_NONE)
			s->made[access->result] = result;
		return;
	}
	if (s->how->way == SEVERAL_DIRECT &&
	    s->from->objects[access->object].space == SPACE_LOCAL) {
		uint32_t result = direct_read(s, access, block, first_or_own);

		s->is_broken |= result == IR_NONE;
		if (access->result != IR_NONE)
			s->made[access->result] = result;
		return;
	}
	if (s->how->way == SEVERAL_WIDTH ||
	    (s->how->way == SEVERAL_STRIP && access_is_several(s, access))) {
		put_wide(s, access, block);
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
	return (s->how->way == SEVERAL_SPLIT || s->how->way == SEVERAL_GROUPS) &&
	       s->how->loop == statement;
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
			load.index =
			        kernel_binary(s->to, NODE_ADD, type_of_ids(), lane,
			                      kernel_integer(s->to, type_of_ids(),
			                                     (int64_t)(half * rows_of_group(s))));
			id = kernel_access(s->to, block, &load);
			if (id == IR_NONE)
				return;
			*made = kernel_binary(s->to, NODE_ADD, type, *made,
			                      s->to->accesses[id].result);
		}
	}
}

/* What a variable that a loop's shares go by grows by, in its type; IR_NONE: it goes as it went. */
static uint32_t step_of_share(struct several_state *s, const struct ir_variable *variable)
{
	uint32_t step = s->how->way == SEVERAL_GROUPS  ? group_step(s, variable)
	                : s->how->way == SEVERAL_STRIP ? variable_growth(s->from, variable)
	                                               : kernel_step(s->from, variable);
	struct type type = s->from->nodes[variable->node].type;

	if (step == IR_NONE || !type_is_integer(type) ||
	    (s->how->way == SEVERAL_STRIP && !variable_counts(s, variable)))
		return IR_NONE;
	step = node_made(s, step, 0, 0);
	return step == IR_NONE || s->to->nodes[step].type.scalar == type.scalar
	               ? step
	               : kernel_unary(s->to, NODE_CONVERT, type, step);
}

static enum node_op op_of_share(const struct several_state *s, const struct ir_variable *variable)
{
	return s->how->way == SEVERAL_GROUPS || s->how->way == SEVERAL_STRIP
	               ? NODE_ADD
	               : (enum node_op)s->from->nodes[variable->next].op;
}

/* A variable of a loop that is split begins with its share, and goes by all of them. */
static uint32_t split_init(struct several_state *s, const struct ir_variable *variable,
                           uint32_t init)
{
	uint32_t step = step_of_share(s, variable), part;
	struct type type = s->from->nodes[variable->node].type;

	if (step == IR_NONE)
		return init;
	part = kernel_unary(s->to, NODE_CONVERT, type, s->part);
	return kernel_binary(s->to, op_of_share(s, variable), type, init,
	                     kernel_binary(s->to, NODE_MUL, type, part, step));
}

static uint32_t split_next(struct several_state *s, const struct ir_variable *variable,
                           uint32_t next)
{
	uint32_t step = step_of_share(s, variable);
	struct type type = s->from->nodes[variable->node].type;

	if (step == IR_NONE)
		return next;
	return kernel_binary(s->to, op_of_share(s, variable), type, s->made[variable->node],
	                     kernel_binary(s->to, NODE_MUL, type, step,
	                                   kernel_integer(s->to, type, s->how->count)));
}

static bool has_sums(const struct several_state *s, uint32_t statement)
{
	return (s->how->way == SEVERAL_SUMS || s->how->way == SEVERAL_STRIP) &&
	       s->how->loop == statement;
}

/* How many a variable becomes. Of those of a loop that has several sums, each iteration has its own
 * sum and its own distance from the counter. */
static unsigned copies_of(const struct several_state *s, uint32_t id,
                          const struct ir_variable *variable)
{
	if ((has_sums(s, id) && variable_counts(s, variable)) || s->how->way == SEVERAL_DIRECT)
		return 1;
	return s->varies[variable->node] && !s->is_wide[variable->node] ? s->copies : 1;
}

/* The counter as iterations that are carried out together see it. */
static void count_on(struct several_state *s, const struct ir_variable *variable)
{
	struct type type = s->from->nodes[variable->node].type;
	uint32_t step = s->how->way == SEVERAL_STRIP
	                        ? kernel_integer(s->to, type, 1)
	                        : node_made(s, kernel_step(s->from, variable), 0, 0);

	for (unsigned copy = 1; copy < s->copies && !s->is_broken; copy++)
		s->made[copy * s->from->node_count + variable->node] =
		        kernel_binary(s->to, (enum node_op)s->from->nodes[variable->next].op, type,
		                      s->made[variable->node],
		                      kernel_binary(s->to, NODE_MUL, type, step,
		                                    kernel_integer(s->to, type, copy)));
}

static void add_sums(struct several_state *s, const struct ir_statement *from)
{
	for (uint32_t v = 0; v < from->variable_count; v++) {
		const struct ir_variable *variable = &s->from->variables[from->first_variable + v];
		uint32_t *made = &s->made[variable->node];

		if (s->is_wide[variable->node]) {
			*made = strip_sum(s, variable);
			continue;
		}
		for (unsigned copy = 1; copy < s->copies && !variable_counts(s, variable); copy++)
			*made = kernel_binary(s->to, NODE_ADD, s->from->nodes[variable->node].type,
			                      *made, made[copy * s->from->node_count]);
	}
}

static bool is_tree(const struct several_state *s, uint32_t statement)
{
	return s->how->way == SEVERAL_TREE && s->how->loop == statement;
}

static uint32_t all_made(struct several_state *s, uint32_t node)
{
	return wide_made(s, node, 0);
}

/* The mask of a loop that results leave one by one, and the counter by which all do. */
static void open_masked(struct several_state *s, const struct masked *masked, struct type *types,
                        uint32_t *inits, uint32_t *count)
{
	struct type whole = type_scalar(SCALAR_INT), type = whole;
	const struct ir_variable *counter;

	if (*count + 2 > IR_LOOP_VARIABLES_MAX) {
		s->is_broken = true;
		return;
	}
	type.width = (uint8_t)s->how->count;
	types[*count] = type;
	inits[(*count)++] = kernel_unary(s->to, NODE_SPLAT, type, kernel_integer(s->to, whole, -1));
	counter = &s->from->variables[masked->counter];
	types[*count] = s->from->nodes[counter->node].type;
	inits[(*count)++] = node_made(s, counter->init, 0, 0);
}

static void put_loop(struct several_state *s, uint32_t id, uint32_t block, unsigned depth)
{
	const struct ir_statement *from = &s->from->statements[id];
	struct ir_statement loop = *from;
	struct type types[IR_LOOP_VARIABLES_MAX];
	uint32_t inits[IR_LOOP_VARIABLES_MAX], first, made, count = 0, at = 0;
	bool is_masked = masked_leaves(s, id);
	struct masked masked = is_masked ? masked_of(s, id) : (struct masked){0};

	loop.body = kernel_block(s->to);
	loop.condition = IR_NONE;
	loop.first_variable = IR_NONE;
	loop.variable_count = 0;
	for (uint32_t v = 0; v < from->variable_count; v++) {
		const struct ir_variable *variable = &s->from->variables[from->first_variable + v];

		for (unsigned copy = 0; copy < copies_of(s, id, variable); copy++) {
			if (count == IR_LOOP_VARIABLES_MAX) {
				s->is_broken = true;
				return;
			}
			types[count] = type_of(s, variable->node);
			inits[count] = s->is_wide[variable->node]
			                       ? wide_made(s, variable->init, 0)
			                       : node_made(s, variable->init, copy, 0);
			if (is_split(s, id) && !s->is_broken)
				inits[count] = split_init(s, variable, inits[count]);
			else if (is_tree(s, id))
				inits[count] = tree_init(s);
			else if (s->how->way == SEVERAL_STRIP && has_sums(s, id) && !s->is_broken)
				inits[count] = strip_init(s, variable, inits[count]);
			count++;
		}
	}
	if (is_masked)
		open_masked(s, &masked, types, inits, &count);
	if (s->is_broken)
		return;
	s->statement[id] = made = kernel_append(s->to, block, &loop);
	first = made == IR_NONE ? IR_NONE : kernel_open_variables(s->to, made, types, inits, count);
	if (first == IR_NONE) {
		s->is_broken = true;
		return;
	}
	for (uint32_t v = 0; v < from->variable_count; v++) {
		const struct ir_variable *variable = &s->from->variables[from->first_variable + v];

		for (unsigned copy = 0; copy < copies_of(s, id, variable); copy++)
			s->made[copy * s->from->node_count + variable->node] =
			        s->to->variables[first + at++].node;
		if (has_sums(s, id) && variable_counts(s, variable))
			count_on(s, variable);
	}
	if (is_masked) {
		masked.mask = s->to->variables[first + at].node;
		masked.count = s->to->variables[first + at + 1].node;
		masked_begin(s, id, &masked, all_made);
	}
	put_block(s, from->body, loop.body, depth + 1);
	if (s->is_broken)
		return;
	at = 0;
	for (uint32_t v = 0; v < from->variable_count; v++) {
		const struct ir_variable *variable = &s->from->variables[from->first_variable + v];

		for (unsigned copy = 0; copy < copies_of(s, id, variable); copy++, at++) {
			uint32_t next = s->is_wide[variable->node]
			                        ? wide_made(s, variable->next, 0)
			                        : node_made(s, variable->next, copy, 0);

			if ((is_split(s, id) || has_sums(s, id)) && !s->is_broken)
				next = split_next(s, variable, next);
			else if (is_tree(s, id))
				next = tree_next(s);
			else if (s->how->way == SEVERAL_CHOSEN && s->how->loop == id)
				next = chosen_next(s, variable, next, only_made);
			else if (is_masked)
				next = masked_next(s, id, &masked, variable, next, only_made);
			if (s->is_broken)
				return;
			kernel_close_variable(s->to, first + at, next);
		}
	}
	if (is_masked) {
		kernel_close_variable(s->to, first + at, masked.now);
		kernel_close_variable(s->to, first + at + 1, masked_count(s, &masked, only_made));
	}
	if (from->condition != IR_NONE)
		s->to->statements[made].condition =
		        is_masked        ? masked_goes_on(s, &masked, only_made)
		        : is_tree(s, id) ? tree_goes_on(s)
		                         : node_made(s, from->condition, 0, 0);
	if (s->how->way == SEVERAL_SPLIT && is_split(s, id) && !s->is_broken)
		add_up(s, from, block);
	if (has_sums(s, id) && !s->is_broken)
		add_sums(s, from);
}

static uint32_t of_iteration(struct several_state *s, uint32_t node, unsigned iteration)
{
	return node_made(s, node, iteration, 0);
}

static void put_other(struct several_state *s, uint32_t id, uint32_t block, unsigned depth)
{
	const struct ir_statement *from = &s->from->statements[id];
	struct ir_statement made = *from;

	if (s->tree && s->tree->branch == id)
		made.condition = tree_adds(s);
	else if (from->condition != IR_NONE)
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
	uint32_t left_out = s->how->way == SEVERAL_CHOSEN ? chosen_branch(s) : IR_NONE;

	for (uint32_t id = s->from->blocks[from].first; id != IR_NONE && !s->is_broken;
	     id = s->from->statements[id].following) {
		const struct ir_statement *statement = &s->from->statements[id];
		struct ir_place before =
		        kernel_stand(s->to, ir_place_of(statement->line, statement->file));

		if (depth > IR_DEPTH_MAX)
			s->is_broken = true;
		else if (s->how->way == SEVERAL_DIRECT && direct_leaves_out(s->from, statement))
			s->statement[id] = IR_NONE;
		else if (id == left_out || masked_leaves_out(s, id))
			s->statement[id] = IR_NONE;
		else if (statement->kind == STATEMENT_ACCESS)
			put_access(s, &s->from->accesses[statement->access], to);
		else if (s->how->way == SEVERAL_BESIDE && s->how->loop == id)
			beside_put(s, to, of_iteration);
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
	for (uint32_t i = 0; i < from->object_count; i++) {
		struct ir_object object = from->objects[i];

		if (i == s->how->object && s->how->way == SEVERAL_NEAR) {
			object.space = SPACE_LOCAL;
			object.size_bytes *=
			        s->launch->local[0] * s->launch->local[1] * s->launch->local[2];
		} else if (i == s->how->object && s->how->way == SEVERAL_SKEW) {
			object.size_bytes += several_has_structures(from, i)
			                             ? object.size_bytes
			                             : object.size_bytes / (SKEW_ROW_BYTES / 4);
		}
		s->object[i] = kernel_add_object(s->to, &object);
	}
	for (unsigned copy = 1; copy < s->copies; copy++)
		for (uint32_t i = 0; i < from->object_count; i++)
			s->object[copy * from->object_count + i] =
			        s->object_varies[i] && !several_is_as_many(s->how->way)
			                ? kernel_add_object(s->to, &from->objects[i])
			                : s->object[i];
	return true;
}

static void change_launch(struct launch *launch, const struct several *several)
{
	if (several_is_as_many(several->way))
		return;
	if (several->way == SEVERAL_SPLIT || several->way == SEVERAL_GROUPS)
		launch->global[0] *= several->count;
	else
		launch->global[several->dimension] /= several->count;
}

enum status several_build(const struct ir_kernel *kernel, struct launch *launch,
                          const struct several *several, struct ir_kernel **built,
                          struct error *error)
{
	struct several_state s;
	struct tree tree;
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
	if (several->way == SEVERAL_IMAGE && s.to->object_count == kernel->object_count &&
	    s.to->argument_count == kernel->argument_count)
		image_declare(&s, launch);
	if (several->way == SEVERAL_TREE && tree_find(kernel, launch, several->loop, &tree))
		s.tree = &tree;
	if (several->way == SEVERAL_TURNS)
		block = open_turns(&s);
	if (several->way == SEVERAL_SPLIT || several->way == SEVERAL_GROUPS)
		s.part = part_made(&s);
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
