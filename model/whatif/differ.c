/* SPDX-License-Identifier: Apache-2.0 */
/* Which values of a kernel differ among the results of a work-item, by a fixpoint over its graph.
 */
#include "model/whatif/differ.h"
#include "model/whatif/beside.h"
#include "model/whatif/chosen.h"
#include "model/whatif/direct.h"
#include "model/whatif/masked.h"
#include "model/whatif/picture.h"
#include "model/whatif/remainder.h"

#include <stdlib.h>
#include <string.h>

#include "model/passes/passes.h"
#include "model/whatif/shape.h"
#include "model/whatif/strip.h"
#include "model/whatif/tree.h"

/* A hostile graph must not take the daemon's time: what is larger is not looked at. */
enum { ROUNDS_MAX = 32, VISITS_MAX = 64, SUM_VISITS_MAX = 2048 };

/* Of one work-item: a register of the CPUs that vectors are made for. */
enum { ACCESS_BYTES_MOST = 32 };

void state_deinit(struct several_state *s)
{
	kernel_free(s->to);
	free(s->varies);
	free(s->object_varies);
	free(s->is_wide);
	free(s->follows);
	free(s->made);
	free(s->object);
	free(s->statement);
}

/* ---- what differs among the results --------------------------------------------------------- */

bool node_starts(const struct several_state *s, const struct ir_node *node)
{
	if (s->how->way == SEVERAL_DIRECT)
		return node->op == NODE_LOCAL_ID || node->op == NODE_GLOBAL_ID;
	return !several_is_as_many(s->how->way) && s->how->way != SEVERAL_GROUPS &&
	       node->aux == s->how->dimension &&
	       (node->op == NODE_GLOBAL_ID || node->op == NODE_GROUP_ID);
}

/* Whether several go by iterations of a loop: of what stands elsewhere there is one. */
static bool goes_by_iteration(const struct several_state *s)
{
	return s->how->way == SEVERAL_SUMS || s->how->way == SEVERAL_BESIDE ||
	       s->how->way == SEVERAL_STRIP;
}

bool access_is_several(const struct several_state *s, const struct ir_access *access)
{
	uint32_t block = s->from->summary->access_block[access - s->from->accesses];

	if (goes_by_iteration(s) &&
	    (block == IR_NONE || !kernel_is_within(s->from, block, s->how->loop)))
		return false;
	return access->kind == ACCESS_ATOMIC || access_varies(s, access);
}

bool access_varies(const struct several_state *s, const struct ir_access *access)
{
	return (access->index != IR_NONE && s->varies[access->index]) ||
	       (access->value != IR_NONE && s->varies[access->value]) ||
	       s->object_varies[access->object];
}

uint32_t variable_growth(const struct ir_kernel *kernel, const struct ir_variable *variable)
{
	uint32_t next;

	if (variable->next == IR_NONE || !type_is_integer(kernel->nodes[variable->node].type))
		return IR_NONE;
	next = kernel_unconverted(kernel, variable->next);
	if (kernel->nodes[next].op != NODE_ADD)
		return IR_NONE;
	for (unsigned i = 0; i < 2; i++)
		if (kernel_unconverted(kernel, kernel_operands(kernel, next)[i]) == variable->node)
			return kernel_unconverted(kernel, kernel_operands(kernel, next)[1 - i]);
	return IR_NONE;
}

bool variable_counts(const struct several_state *s, const struct ir_variable *variable)
{
	uint32_t step = kernel_step(s->from, variable);

	if (s->how->way == SEVERAL_STRIP) {
		step = variable_growth(s->from, variable);
		return step != IR_NONE && !s->varies[step];
	}
	return step != IR_NONE && type_is_integer(s->from->nodes[variable->node].type);
}

/* Whether a value is of the loop that has several sums; its variables are, and go by iteration. */
static bool is_of_loop(const struct several_state *s, uint32_t id)
{
	uint32_t block = s->from->summary->node_block[id];

	return block != IR_NONE && kernel_is_within(s->from, block, s->how->loop);
}

static bool is_variable_of_loop(const struct several_state *s, uint32_t id)
{
	const struct ir_statement *loop = &s->from->statements[s->how->loop];

	for (uint32_t v = 0; v < loop->variable_count; v++)
		if (s->from->variables[loop->first_variable + v].node == id)
			return true;
	return false;
}

static bool node_varies(const struct several_state *s, uint32_t id)
{
	const struct ir_node *node = &s->from->nodes[id];

	bool is_by_iteration = goes_by_iteration(s);

	if (is_by_iteration && is_variable_of_loop(s, id))
		return true;
	if (is_by_iteration && !is_of_loop(s, id))
		return false;
	if (node_starts(s, node))
		return true;
	if (node->op == NODE_LOOP_VAR) {
		const struct ir_variable *variable = kernel_variable(s->from, id);

		return s->varies[variable->init] ||
		       (variable->next != IR_NONE && s->varies[variable->next]) ||
		       masked_leaves(s, node->aux);
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

/* Arrays of the kernel that differ are several, too. */
static void find_varying(struct several_state *s)
{
	bool is_changed = true;

	for (unsigned round = 0; is_changed && round < ROUNDS_MAX; round++) {
		is_changed = false;
		for (uint32_t i = 0; i < s->from->node_count; i++)
			if (!s->varies[i] && node_varies(s, i))
				s->varies[i] = is_changed = true;
		for (uint32_t i = 0; i < s->from->access_count && !goes_by_iteration(s); i++) {
			const struct ir_access *access = &s->from->accesses[i];

			if ((s->from->objects[access->object].space == SPACE_PRIVATE ||
			     s->from->objects[access->object].space == SPACE_LOCAL) &&
			    access->kind != ACCESS_LOAD && !s->object_varies[access->object] &&
			    access_varies(s, access))
				s->object_varies[access->object] = is_changed = true;
		}
	}
	s->is_broken |= is_changed;
}

/* What follows from loads of vectors is of vectors; places remain scalars. */
static void find_wide(struct several_state *s)
{
	bool is_changed = s->how->way == SEVERAL_WIDTH || s->how->way == SEVERAL_STRIP;

	for (unsigned round = 0; is_changed && round < ROUNDS_MAX; round++) {
		is_changed = false;
		for (uint32_t i = 0; i < s->from->node_count; i++) {
			const struct ir_node *node = &s->from->nodes[i];
			bool is_wide = node->op == NODE_LOAD && s->varies[i];

			if (node->op == NODE_LOOP_VAR) {
				const struct ir_variable *variable = kernel_variable(s->from, i);

				is_wide |=
				        s->is_wide[variable->init] ||
				        (variable->next != IR_NONE && s->is_wide[variable->next]) ||
				        masked_leaves(s, node->aux);
			}
			for (unsigned k = 0; k < node->operand_count; k++)
				is_wide |= s->is_wide[kernel_operands(s->from, i)[k]];
			if (s->how->way == SEVERAL_STRIP && !is_variable_of_loop(s, i) &&
			    !is_of_loop(s, i))
				is_wide = false;
			if (is_wide && !s->is_wide[i])
				s->is_wide[i] = is_changed = true;
		}
	}
	s->is_broken |= is_changed;
}

/* Whether a value follows from what the loop's iterations before had, but for their number. */
static bool follows_sums(const struct several_state *s, uint32_t id)
{
	const struct ir_node *node = &s->from->nodes[id];
	const struct ir_access *access;

	if (node->op == NODE_LOOP_VAR) {
		const struct ir_variable *variable = kernel_variable(s->from, id);

		if (is_variable_of_loop(s, id))
			return !variable_counts(s, variable);
		return s->follows[variable->init] ||
		       (variable->next != IR_NONE && s->follows[variable->next]);
	}
	access = node->op == NODE_LOAD ? &s->from->accesses[node->aux] : NULL;
	if (access && access->index != IR_NONE && s->follows[access->index])
		return true;
	for (unsigned i = 0; i < node->operand_count; i++)
		if (s->follows[kernel_operands(s->from, id)[i]])
			return true;
	return false;
}

static void find_following(struct several_state *s)
{
	bool is_changed = s->how->way == SEVERAL_SPLIT || s->how->way == SEVERAL_SUMS ||
	                  s->how->way == SEVERAL_STRIP;

	for (unsigned round = 0; is_changed && round < ROUNDS_MAX; round++) {
		is_changed = false;
		for (uint32_t i = 0; i < s->from->node_count; i++)
			if (!s->follows[i] && follows_sums(s, i))
				s->follows[i] = is_changed = true;
	}
	s->is_broken |= is_changed;
}

bool value_of(const struct several_state *s, uint32_t id, int64_t *value)
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

/* Whether a variable goes as far each time, for all results. */
static bool walks_alike(const struct several_state *s, const struct ir_variable *variable)
{
	uint32_t step = kernel_step(s->from, variable);

	return !goes_by_iteration(s) && step != IR_NONE && !s->varies[step];
}

/* By how much an integer grows from one work-item to the next; false: not told by a factor. */
static bool factor_of(const struct several_state *s, uint32_t id, unsigned *visits, int64_t *factor)
{
	const struct ir_node *node = &s->from->nodes[id];
	const uint32_t *operands = kernel_operands(s->from, id);
	int64_t a, b;

	*factor = 0;
	if (!s->varies[id])
		return true;
	if (*visits == 0 || !type_is_integer(node->type) || node->type.width != 1)
		return false;
	--*visits;
	switch ((enum node_op)node->op) {
	case NODE_GLOBAL_ID:
		*factor = 1;
		return true;
	case NODE_LOOP_VAR: /* from one element of an iteration to the next; or a walk of each */
		*factor = 1;
		if (s->how->way == SEVERAL_STRIP)
			return is_variable_of_loop(s, id) &&
			       variable_counts(s, kernel_variable(s->from, id));
		return walks_alike(s, kernel_variable(s->from, id)) &&
		       factor_of(s, kernel_variable(s->from, id)->init, visits, factor);
	case NODE_CONVERT:
		return factor_of(s, operands[0], visits, factor);
	case NODE_ADD:
	case NODE_SUB:
		return factor_of(s, operands[0], visits, &a) &&
		       factor_of(s, operands[1], visits, &b) &&
		       !(node->op == NODE_ADD ? __builtin_add_overflow(a, b, factor)
		                              : __builtin_sub_overflow(a, b, factor));
	case NODE_MUL:
		for (unsigned i = 0; i < 2; i++)
			if (value_of(s, operands[i], &a) &&
			    factor_of(s, operands[1 - i], visits, &b))
				return !__builtin_mul_overflow(a, b, factor);
		return false;
	case NODE_SHL:
		return value_of(s, operands[1], &a) && a >= 0 && a < 32 &&
		       factor_of(s, operands[0], visits, &b) &&
		       !__builtin_mul_overflow(b, (int64_t)1 << a, factor);
	default:
		return false;
	}
}

/* Whether an integer is a multiple of the results for the first of each work-item. */
static bool is_multiple(const struct several_state *s, uint32_t id, unsigned *visits)
{
	const struct ir_node *node = &s->from->nodes[id];
	const uint32_t *operands = kernel_operands(s->from, id);
	int64_t value;

	if (value_of(s, id, &value))
		return value % s->how->count == 0;
	if (*visits == 0 || !type_is_integer(node->type) || node->type.width != 1)
		return false;
	--*visits;
	switch ((enum node_op)node->op) {
	case NODE_LOCAL_ID:
	case NODE_GLOBAL_ID:
		return node_starts(s, node) || (s->how->way == SEVERAL_STRIP && strip_is_shared(s));
	case NODE_LOOP_VAR: /* the vector is where the first iteration begins */
		return (s->how->way == SEVERAL_BESIDE || s->how->way == SEVERAL_STRIP) &&
		       is_variable_of_loop(s, id) &&
		       is_multiple(s, kernel_variable(s->from, id)->init, visits);
	case NODE_CONVERT:
		return is_multiple(s, operands[0], visits);
	case NODE_ADD:
	case NODE_SUB:
		return is_multiple(s, operands[0], visits) && is_multiple(s, operands[1], visits);
	case NODE_MUL:
		return is_multiple(s, operands[0], visits) || is_multiple(s, operands[1], visits);
	case NODE_SHL:
		return is_multiple(s, operands[0], visits);
	default:
		return false;
	}
}

bool access_is_aligned(const struct several_state *s, const struct ir_access *access)
{
	unsigned visits = VISITS_MAX;
	int64_t vector = (int64_t)type_bytes(access->type) * s->how->count;

	return access->index != IR_NONE && access->offset_bytes % vector == 0 &&
	       is_multiple(s, access->index, &visits);
}

/* ---- whether it fits ------------------------------------------------------------------------ */

enum status state_init(struct several_state *s, const struct ir_kernel *kernel,
                       const struct launch *launch, const struct several *several)
{
	size_t nodes = kernel->node_count, objects = kernel->object_count;

	*s = (struct several_state){.from = kernel,
	                            .launch = launch,
	                            .how = several,
	                            .turns = IR_NONE,
	                            .turn = IR_NONE,
	                            .part = IR_NONE};
	s->copies = 1;
	if (several->way == SEVERAL_BLOCK || several->way == SEVERAL_WIDTH || goes_by_iteration(s))
		s->copies = several->count;
	else if (several->way == SEVERAL_DIRECT)
		s->copies = 2; /* the second is the first work-item of the group */
	s->varies = calloc(nodes + 1, sizeof *s->varies);
	s->object_varies = calloc(objects + 1, sizeof *s->object_varies);
	s->is_wide = calloc(nodes + 1, sizeof *s->is_wide);
	s->follows = calloc(nodes + 1, sizeof *s->follows);
	s->made = malloc((nodes * s->copies + 1) * sizeof *s->made);
	s->object = malloc((objects * s->copies + 1) * sizeof *s->object);
	s->statement = malloc((kernel->statement_count + (size_t)1) * sizeof *s->statement);
	if (!s->varies || !s->object_varies || !s->is_wide || !s->follows || !s->made ||
	    !s->object || !s->statement)
		return STATUS_NO_MEMORY;
	memset(s->made, 0xff, (nodes * s->copies + 1) * sizeof *s->made); /* IR_NONE */
	memset(s->statement, 0xff, (kernel->statement_count + (size_t)1) * sizeof *s->statement);
	find_varying(s);
	find_wide(s);
	find_following(s);
	return STATUS_OK;
}

/* Control is that of all results at once, but where the NDRange ends. */
static bool is_together(const struct several_state *s)
{
	for (uint32_t i = 0; s->copies > 1 && i < s->from->statement_count; i++) {
		const struct ir_statement *statement = &s->from->statements[i];

		if (statement->condition == IR_NONE || !s->varies[statement->condition] ||
		    masked_leaves(s, i) || masked_leaves_out(s, i))
			continue;
		if (statement->kind != STATEMENT_BRANCH ||
		    !s->from->summary->node_is_integer_known[statement->condition] ||
		    node_is_scattered(s->from, statement->condition, 0))
			return false;
	}
	return true;
}

/* Whether all that differs is of vectors: loads and stores beside each other, scalars of which
 * vectors are made. */
static bool is_of_vectors(const struct several_state *s)
{
	bool is_any = false;

	for (uint32_t i = 0; i < s->from->access_count; i++) {
		const struct ir_access *access = &s->from->accesses[i];
		uint8_t space = s->from->objects[access->object].space;
		unsigned visits = VISITS_MAX;
		int64_t factor;

		if (s->how->way == SEVERAL_STRIP
		            ? !access_is_several(s, access)
		            : !access_varies(s, access) && access->kind == ACCESS_LOAD)
			continue;
		if (access->kind == ACCESS_ATOMIC || access->type.width != 1 ||
		    type_bytes(access->type) * s->how->count > ACCESS_BYTES_MOST ||
		    access->index == IR_NONE || s->is_wide[access->index] ||
		    (space != SPACE_GLOBAL && space != SPACE_CONSTANT) ||
		    !factor_of(s, access->index, &visits, &factor) ||
		    factor * access->scale_bytes != type_bytes(access->type))
			return false;
		is_any = true;
	}
	for (uint32_t i = 0; i < s->from->node_count; i++)
		if (s->is_wide[i] &&
		    (s->from->nodes[i].type.width != 1 || s->from->nodes[i].op == NODE_TEXEL))
			return false;
	return is_any;
}

/* Whether a value is a loop's variable, or one to which the loop adds what follows from no sum. */
static bool is_sum_of(const struct several_state *s, uint32_t id, uint32_t variable,
                      unsigned *visits)
{
	const struct ir_node *node = &s->from->nodes[id];
	const uint32_t *operands = kernel_operands(s->from, id);

	if (id == variable)
		return true;
	if (*visits == 0)
		return false;
	--*visits;
	if (node->op == NODE_ADD)
		return (is_sum_of(s, operands[0], variable, visits) && !s->follows[operands[1]]) ||
		       (is_sum_of(s, operands[1], variable, visits) && !s->follows[operands[0]]);
	if (node->op == NODE_FMA)
		return is_sum_of(s, operands[2], variable, visits) && !s->follows[operands[0]] &&
		       !s->follows[operands[1]];
	return node->op == NODE_SUB && is_sum_of(s, operands[0], variable, visits) &&
	       !s->follows[operands[1]];
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
	if (!of || (of->induction == IR_NONE && s->how->way != SEVERAL_STRIP) ||
	    of->has_early_exit || of->is_closed || loop->tests_last)
		return false;
	for (uint32_t v = 0; v < loop->variable_count; v++) {
		const struct ir_variable *variable = &kernel->variables[loop->first_variable + v];
		uint32_t step = kernel_step(kernel, variable);
		unsigned visits = SUM_VISITS_MAX;

		if (variable->next == IR_NONE)
			return false;
		if (s->how->way == SEVERAL_STRIP
		            ? variable_counts(s, variable)
		            : step != IR_NONE && kernel->nodes[step].op == NODE_CONST_INT &&
		                      type_is_integer(kernel->nodes[variable->node].type))
			continue;
		if (!is_sum_of(s, variable->next, variable->node, &visits))
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

uint32_t group_step(const struct several_state *s, const struct ir_variable *variable)
{
	uint32_t id = variable_growth(s->from, variable);
	int64_t value;

	if (id == IR_NONE)
		return IR_NONE;
	if ((s->from->nodes[id].op == NODE_LOCAL_SIZE && s->from->nodes[id].aux == 0) ||
	    (value_of(s, id, &value) && value == (int64_t)s->launch->local[0]))
		return id;
	return IR_NONE;
}

/* Whether a loop goes on by all work-items: by the NDRange, or by the only group. */
static bool is_shared_by_all(const struct several_state *s)
{
	const struct ir_statement *loop = &s->from->statements[s->how->loop];

	if (s->from->summary->block_loop[loop->block] != IR_NONE)
		return false;
	for (uint32_t v = 0; v < loop->variable_count; v++) {
		const struct ir_variable *variable = &s->from->variables[loop->first_variable + v];
		uint32_t step = variable_growth(s->from, variable);

		if (step == IR_NONE)
			continue;
		if ((s->from->nodes[step].op == NODE_GLOBAL_SIZE &&
		     s->from->nodes[step].aux == 0) ||
		    (s->launch->global[0] == s->launch->local[0] &&
		     group_step(s, variable) != IR_NONE))
			return true;
	}
	return false;
}

/* Whether all accesses to an array in local memory, or of a work-item, are by elements that a pad
 * or a row of work-items can come between. */
static bool is_rearrangeable(const struct several_state *s)
{
	const struct ir_object *object = &s->from->objects[s->how->object];
	bool is_any = false;

	if (object->space != (s->how->way == SEVERAL_SKEW ? SPACE_LOCAL : SPACE_PRIVATE) ||
	    object->argument != IR_NONE || object->size_bytes == 0)
		return false;
	for (uint32_t i = 0; i < s->from->access_count; i++) {
		const struct ir_access *access = &s->from->accesses[i];

		if (access->object != s->how->object)
			continue;
		if (access->kind == ACCESS_ATOMIC || access->index == IR_NONE ||
		    access->type.width != 1 || access->scale_bytes < type_bytes(access->type) ||
		    !type_is_integer(s->from->nodes[access->index].type) ||
		    access->scale_bytes > SKEW_ROW_BYTES)
			return false;
		is_any = true;
	}
	return is_any;
}

/* Whether all that a loop does is to load, and to go through loops that do, as often in each of its
 * iterations. */
static bool is_straight(const struct several_state *s, uint32_t loop, unsigned depth)
{
	uint32_t body = s->from->statements[loop].body;

	for (uint32_t id = s->from->blocks[body].first; id != IR_NONE;
	     id = s->from->statements[id].following) {
		const struct ir_statement *statement = &s->from->statements[id];
		bool is_loop = statement->kind == STATEMENT_LOOP && depth < IR_DEPTH_MAX &&
		               statement->condition != IR_NONE;

		if (statement->kind != STATEMENT_ACCESS &&
		    (!is_loop || s->varies[statement->condition] || !is_straight(s, id, depth + 1)))
			return false;
	}
	return true;
}

bool state_fits(const struct several_state *s)
{
	if (s->is_broken)
		return false;
	for (uint32_t i = 0; i < s->from->statement_count; i++)
		if (s->from->statements[i].kind == STATEMENT_EFFECT)
			return false;
	if (s->how->way == SEVERAL_SPLIT)
		return is_splittable(s) &&
		       s->from->summary->block_loop[s->from->statements[s->how->loop].block] ==
		               IR_NONE;
	if (s->how->way == SEVERAL_SUMS)
		return is_splittable(s) && is_straight(s, s->how->loop, 0);
	if (s->how->way == SEVERAL_STRIP)
		return is_splittable(s) && strip_fits(s) && is_of_vectors(s);
	if (s->how->way == SEVERAL_BESIDE)
		return beside_fits(s);
	if (s->how->way == SEVERAL_CHOSEN)
		return chosen_fits(s);
	if (s->how->way == SEVERAL_IMAGE)
		return image_fits(s);
	if (s->how->way == SEVERAL_DIRECT)
		return direct_fits(s->from);
	if (s->how->way == SEVERAL_QUOTIENT || s->how->way == SEVERAL_REMAINDER) {
		bool is_any = false;

		for (uint32_t i = 0; i < s->from->node_count; i++)
			is_any |= s->how->way == SEVERAL_QUOTIENT ? node_divides(s->from, i)
			                                          : node_is_remainder(s->from, i);
		return is_any;
	}
	if (s->how->way == SEVERAL_GROUPS)
		return is_shared_by_all(s);
	if (s->how->way == SEVERAL_TREE) {
		struct tree tree;

		return tree_find(s->from, s->launch, s->how->loop, &tree);
	}
	if (several_is_as_many(s->how->way))
		return is_rearrangeable(s);
	for (uint32_t i = 0; s->copies > 1 && i < s->from->object_count; i++)
		if (s->object_varies[i] && s->from->objects[i].argument != IR_NONE)
			return false;
	return is_together(s) && (s->how->way != SEVERAL_WIDTH || is_of_vectors(s));
}

/*
 * Whether the low bits of an integer follow from those of its operands, down to numbers that are
 * as narrow: short * short + short, which C reckons as int.
 */
static bool is_narrow(const struct several_state *s, uint32_t id, enum scalar scalar,
                      unsigned depth)
{
	const struct ir_node *node = &s->from->nodes[id];
	const uint32_t *operands = kernel_operands(s->from, id);

	if (!s->varies[id])
		return true;
	if (node->op == NODE_CONVERT)
		return s->from->nodes[operands[0]].type.scalar == scalar;
	if (!s->is_wide[id] || !node_op_is_modular((enum node_op)node->op) || depth == 0)
		return false;
	for (unsigned i = 0; i < node->operand_count; i++)
		if (!is_narrow(s, operands[i], scalar, depth - 1))
			return false;
	return true;
}

bool node_is_narrowed(const struct several_state *s, uint32_t id)
{
	enum { NARROW_DEPTH = 8 };
	const struct ir_node *node = &s->from->nodes[id];
	struct type from;

	if (node->op != NODE_CONVERT || !s->is_wide[id])
		return false;
	from = s->from->nodes[kernel_operands(s->from, id)[0]].type;
	return type_is_integer(node->type) && type_is_integer(from) &&
	       type_bytes(node->type) < type_bytes(from) &&
	       is_narrow(s, kernel_operands(s->from, id)[0], (enum scalar)node->type.scalar,
	                 NARROW_DEPTH);
}
