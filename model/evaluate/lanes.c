/* SPDX-License-Identifier: Apache-2.0 */
/* Which nodes an evaluation needs, in which lists, and the memory for their lanes. */
#include <stdlib.h>
#include <string.h>

#include "model/evaluate/lanes.h"

/* Values beyond this are not kept: the nodes count as unknown. */
enum { LANES_BYTES_MAX = 24 << 20, TAINT_PASSES = 8, DRAWN_DEPTH_MAX = 8 };

/*
 * The scalar node in one lane of a vector, by walking through what builds
 * vectors; an ARG stands for itself (the reader picks the lane). IR_NONE: not
 * to be seen.
 */
static uint32_t vector_lane(const struct ir_kernel *kernel, uint32_t node, unsigned *lane)
{
	for (unsigned depth = 0; depth < 64; depth++) {
		const struct ir_node *n = &kernel->nodes[node];
		const uint32_t *operands = kernel_operands(kernel, node);

		if (n->type.width == 1)
			return node;
		switch (n->op) {
		case NODE_ARG:
		case NODE_LOAD:
			return node;
		case NODE_SPLAT:
			node = operands[0];
			break;
		case NODE_SWIZZLE:
			*lane = (unsigned)(n->imm >> (4 * (*lane & 15))) & 15;
			node = operands[0];
			break;
		case NODE_VECTOR: {
			uint32_t found = IR_NONE;

			for (unsigned i = 0; i < n->operand_count && found == IR_NONE; i++) {
				unsigned width = kernel->nodes[operands[i]].type.width;

				if (*lane < width)
					found = operands[i];
				else
					*lane -= width;
			}
			if (found == IR_NONE)
				return IR_NONE;
			node = found;
			break;
		}
		case NODE_INSERT: {
			unsigned width = kernel->nodes[operands[1]].type.width, at = width;

			for (unsigned i = 0; i < width; i++)
				if (((n->imm >> (4 * i)) & 15) == *lane)
					at = i;
			if (at < width) {
				*lane = at;
				node = operands[1];
			} else {
				node = operands[0];
			}
			break;
		}
		default:
			return IR_NONE;
		}
	}
	return IR_NONE;
}

static bool has_range(const struct evaluator *evaluator, uint32_t node)
{
	const struct ir_kernel *kernel = evaluator->kernel;
	const struct ir_node *n = &kernel->nodes[node];
	uint32_t index;

	if (n->op != NODE_LOAD || !type_is_integer(n->type))
		return false;
	index = kernel->objects[kernel->accesses[n->aux].object].argument;
	return index != IR_NONE && index < evaluator->launch->argument_count &&
	       evaluator->launch->arguments[index].has_range;
}

bool drawn_once(const struct evaluator *evaluator, uint32_t node)
{
	const struct ir_kernel *kernel = evaluator->kernel;
	const struct ir_node *n = &kernel->nodes[node];
	const struct ir_access *access = &kernel->accesses[n->aux];

	if (n->op != NODE_LOAD || !type_is_integer(n->type))
		return false;
	if (rows_has(evaluator, access))
		return true;
	return has_range(evaluator, node) &&
	       (access->index == IR_NONE || evaluator->list[access->index] == 0);
}

static bool is_drawn_within(const struct evaluator *evaluator, uint32_t node, uint32_t list,
                            unsigned depth)
{
	const struct ir_kernel *kernel = evaluator->kernel;
	const struct ir_node *n = &kernel->nodes[node];

	if (evaluator->list[node] < list || !(evaluator->flags[node] & EVALUATOR_REDRAWN))
		return false;
	if (n->op == NODE_LOAD || depth >= DRAWN_DEPTH_MAX || !evaluator_looks(evaluator))
		return true;
	if (n->op == NODE_LOOP_VAR && n->aux < kernel->statement_count) {
		const struct ir_variable *v = kernel_variable(kernel, node);

		return is_drawn_within(evaluator, v->init, list, depth + 1) ||
		       (v->next != IR_NONE && is_drawn_within(evaluator, v->next, list, depth + 1));
	}
	for (unsigned i = 0; i < n->operand_count; i++)
		if (is_drawn_within(evaluator, kernel_operands(kernel, node)[i], list, depth + 1))
			return true;
	return false;
}

bool drawn_within(const struct evaluator *evaluator, uint32_t node, uint32_t list)
{
	return is_drawn_within(evaluator, node, list, 0);
}

/* Whether each work-item of a group reads something else: what is its own, or where its id says. */
static uint8_t place_flags(const struct evaluator *evaluator, const struct ir_node *n)
{
	const struct ir_kernel *kernel = evaluator->kernel;
	const struct ir_access *access = &kernel->accesses[n->aux];

	if (n->op == NODE_ATOMIC || kernel->objects[access->object].space == SPACE_PRIVATE)
		return EVALUATOR_BY_LANE;
	return access->index == IR_NONE ? 0 : evaluator->flags[access->index] & EVALUATOR_BY_LANE;
}

/* A number that no lanes have: out of a vector, or the bits of a real. */
static bool is_beyond(const struct ir_kernel *kernel, uint32_t node)
{
	const struct ir_node *n = &kernel->nodes[node];
	bool has_vector = false;

	for (unsigned i = 0; i < n->operand_count; i++)
		has_vector |= kernel->nodes[kernel_operands(kernel, node)[i]].type.width > 1;
	return n->type.width == 1 &&
	       (has_vector ||
	        (n->op == NODE_BITCAST &&
	         type_is_real(n->type) !=
	                 type_is_real(kernel->nodes[*kernel_operands(kernel, node)].type)));
}

/* The list that a node belongs to, from its operands; and its flags. */
static void classify(struct evaluator *evaluator, uint32_t node, const uint32_t *access_list)
{
	const struct ir_kernel *kernel = evaluator->kernel;
	const struct ir_node *n = &kernel->nodes[node];
	const uint32_t *operands = kernel_operands(kernel, node);
	uint32_t list = 0;
	uint8_t flags = 0;

	for (unsigned i = 0; i < n->operand_count; i++) {
		if (evaluator->list[operands[i]] > list)
			list = evaluator->list[operands[i]];
		flags |= evaluator->flags[operands[i]];
	}
	if (n->op == NODE_SWIZZLE && evaluator->alias[node] != IR_NONE &&
	    (kernel->nodes[evaluator->alias[node]].type.width == 1 ||
	     kernel->nodes[evaluator->alias[node]].op == NODE_ARG))
		flags = evaluator->flags[evaluator->alias[node]];
	else if (is_beyond(kernel, node))
		flags |= EVALUATOR_TAINTED | EVALUATOR_VARIES | EVALUATOR_OPAQUE;
	switch (n->op) {
	case NODE_GLOBAL_ID:
	case NODE_LOCAL_ID:
		flags |= EVALUATOR_VARIES | EVALUATOR_BY_LANE;
		break;
	case NODE_GROUP_ID:
		flags |= EVALUATOR_VARIES;
		break;
	case NODE_LOOP_VAR:
		list = list_of(evaluator, n->aux);
		flags |= EVALUATOR_VARIES;
		break;
	case NODE_LOAD:
	case NODE_ATOMIC:
		if (n->aux < kernel->access_count)
			list = access_list[n->aux];
		flags |= EVALUATOR_TAINTED | EVALUATOR_VARIES | place_flags(evaluator, n);
		if (!drawn_once(evaluator, node))
			flags |= has_range(evaluator, node) ? EVALUATOR_REDRAWN : EVALUATOR_OPAQUE;
		break;
	case NODE_UNKNOWN:
		flags |=
		        EVALUATOR_TAINTED | EVALUATOR_VARIES | EVALUATOR_OPAQUE | EVALUATOR_BY_LANE;
		break;
	default:
		break;
	}
	evaluator->list[node] = list;
	evaluator->flags[node] |= flags;
}

/* Marks what `node` needs; `stack` holds at least node_count entries more than are marked. */
static void need(struct evaluator *evaluator, uint32_t node, uint32_t *stack,
                 const uint32_t *variable_of)
{
	const struct ir_kernel *kernel = evaluator->kernel;
	size_t depth = 0;

	if (node == IR_NONE || evaluator->slot[node] != IR_NONE)
		return;
	evaluator->slot[node] = 0;
	stack[depth++] = node;
	while (depth > 0) {
		uint32_t top = stack[--depth];
		const struct ir_node *n = &kernel->nodes[top];
		uint32_t wanted[IR_OPERANDS_MAX + 2];
		unsigned count = 0;

		if (n->op == NODE_LOOP_VAR) {
			const struct ir_variable *variable;

			if (variable_of[top] == IR_NONE)
				continue;
			variable = &kernel->variables[variable_of[top]];
			wanted[count++] = variable->init;
			wanted[count++] = variable->next;
		} else if (n->op == NODE_LOAD && rows_has(evaluator, &kernel->accesses[n->aux])) {
			wanted[count++] = kernel->accesses[n->aux].index;
		} else if (n->op == NODE_SWIZZLE) {
			if (evaluator->alias[top] != IR_NONE)
				wanted[count++] = evaluator->alias[top];
		} else if (n->type.width == 1) {
			for (unsigned i = 0; i < n->operand_count && i < IR_OPERANDS_MAX; i++)
				wanted[count++] = kernel_operands(kernel, top)[i];
		}
		for (unsigned i = 0; i < count; i++) {
			if (wanted[i] == IR_NONE || evaluator->slot[wanted[i]] != IR_NONE)
				continue;
			evaluator->slot[wanted[i]] = 0;
			stack[depth++] = wanted[i];
		}
	}
}

/* What steers control or forms an address. */
static void need_roots(struct evaluator *evaluator, uint32_t *stack, const uint32_t *variable_of)
{
	const struct ir_kernel *kernel = evaluator->kernel;

	for (uint32_t i = 0; i < kernel->access_count; i++)
		need(evaluator, kernel->accesses[i].index, stack, variable_of);
	for (uint32_t i = 0; i < kernel->statement_count; i++) {
		const struct ir_statement *s = &kernel->statements[i];

		if (s->kind == STATEMENT_LOOP || s->kind == STATEMENT_BRANCH)
			need(evaluator, s->condition, stack, variable_of);
	}
}

/* Counting sort of the needed nodes by list; within a list by id. */
static void order_lists(struct evaluator *evaluator)
{
	const struct ir_kernel *kernel = evaluator->kernel;
	uint32_t at = 0;

	for (uint32_t node = 0; node < kernel->node_count; node++)
		if (evaluator->slot[node] != IR_NONE)
			evaluator->loops[evaluator->list[node]].count++;
	for (uint32_t i = 0; i <= evaluator->summary->loop_count; i++) {
		evaluator->loops[i].first = at;
		at += evaluator->loops[i].count;
		evaluator->loops[i].count = 0;
	}
	for (uint32_t node = 0; node < kernel->node_count; node++) {
		struct evaluator_loop *list = &evaluator->loops[evaluator->list[node]];

		if (evaluator->slot[node] == IR_NONE)
			continue;
		evaluator->order[list->first + list->count++] = node;
	}
}

/* The node without a conversion between integers, which keeps what both types have bits for. */
static uint32_t unconverted(const struct ir_kernel *kernel, uint32_t node)
{
	const struct ir_node *n = &kernel->nodes[node];

	if (n->op == NODE_CONVERT && n->type.width == 1 && type_is_integer(n->type) &&
	    type_is_integer(kernel->nodes[kernel_operands(kernel, node)[0]].type))
		return kernel_operands(kernel, node)[0];
	return node;
}

int variable_step(const struct evaluator *evaluator, const struct ir_variable *variable,
                  uint32_t *step)
{
	const struct ir_kernel *kernel = evaluator->kernel;
	uint32_t list = evaluator->list[variable->node], sum;
	const struct ir_node *next;
	const uint32_t *operands;
	bool is_wide;

	*step = IR_NONE;
	if (variable->next == IR_NONE || variable->next == variable->node)
		return 1;
	/* i += get_global_size(0) of an int is added as size_t, and cut to an int again */
	sum = unconverted(kernel, variable->next);
	next = &kernel->nodes[sum];
	is_wide = sum != variable->next &&
	          type_bytes(next->type) >= type_bytes(kernel->nodes[variable->node].type);
	if (!is_wide)
		next = &kernel->nodes[sum = variable->next];
	operands = kernel_operands(kernel, sum);
	if (next->op == NODE_ADD &&
	    (is_wide ? unconverted(kernel, operands[1]) : operands[1]) == variable->node)
		*step = operands[0];
	else if ((next->op == NODE_ADD || next->op == NODE_SUB) &&
	         (is_wide ? unconverted(kernel, operands[0]) : operands[0]) == variable->node)
		*step = operands[1];
	else
		return 0;
	if (evaluator->list[*step] >= list)
		return 0;
	return next->op == NODE_ADD ? 1 : -1;
}

/* A constant, or the mean of what a choice is between. */
static bool mean_constant(const struct evaluator *evaluator, uint32_t node, unsigned depth,
                          double *mean)
{
	const struct ir_kernel *kernel = evaluator->kernel;
	const struct ir_node *n = &kernel->nodes[node];
	double other;
	int64_t value;

	if (kernel_constant(kernel, node, &value)) {
		*mean = (double)lanes_wrap((struct type){.scalar = SCALAR_INT, .width = 1}, value);
		return true;
	}
	if ((n->op != NODE_PHI && n->op != NODE_SELECT) || depth >= DRAWN_DEPTH_MAX ||
	    !evaluator_looks(evaluator) ||
	    !mean_constant(evaluator, kernel_operands(kernel, node)[1], depth + 1, mean) ||
	    !mean_constant(evaluator, kernel_operands(kernel, node)[2], depth + 1, &other))
		return false;
	*mean = (*mean + other) / 2;
	return true;
}

/*
 * What a node is more than `base`, where both ways of each choice are as frequent and a loop
 * within goes no round; false: that does not follow.
 */
static bool advance_over(const struct evaluator *evaluator, uint32_t base, uint32_t node,
                         unsigned depth, double *advance)
{
	const struct ir_kernel *kernel = evaluator->kernel;
	const struct ir_node *n = &kernel->nodes[node];
	const uint32_t *operands = kernel_operands(kernel, node);
	double other;

	*advance = 0;
	if (node == base)
		return true;
	if (depth >= DRAWN_DEPTH_MAX || !type_is_integer(n->type) || n->type.width != 1 ||
	    !evaluator_looks(evaluator))
		return false;
	switch (n->op) {
	case NODE_ADD:
		for (unsigned i = 0; i < 2; i++)
			if (mean_constant(evaluator, operands[i], depth, &other) && other >= 0 &&
			    advance_over(evaluator, base, operands[1 - i], depth + 1, advance)) {
				*advance += other;
				return true;
			}
		return false;
	case NODE_PHI:
	case NODE_SELECT:
		if (!advance_over(evaluator, base, operands[1], depth + 1, advance) ||
		    !advance_over(evaluator, base, operands[2], depth + 1, &other))
			return false;
		*advance = (*advance + other) / 2;
		return true;
	case NODE_CONVERT:
		return advance_over(evaluator, base, operands[0], depth + 1, advance);
	case NODE_LOOP_VAR: {
		const struct ir_variable *v = kernel_variable(kernel, node);

		return v->next != IR_NONE &&
		       advance_over(evaluator, node, v->next, depth + 1, &other) &&
		       advance_over(evaluator, base, v->init, depth + 1, advance);
	}
	default:
		return false;
	}
}

double variable_advance(const struct evaluator *evaluator, const struct ir_variable *variable)
{
	double advance;

	return variable->next != IR_NONE &&
	                       advance_over(evaluator, variable->node, variable->next, 0, &advance)
	               ? advance
	               : 0;
}

/* Which needed variables of a loop have no closed form. */
static void find_sequences(struct evaluator *evaluator, uint32_t loop, const uint8_t *is_wanted)
{
	const struct ir_kernel *kernel = evaluator->kernel;
	const struct ir_statement *s =
	        &kernel->statements[evaluator->summary->loops[loop].statement];
	struct evaluator_loop *l = &evaluator->loops[loop + 1];

	for (uint32_t i = 0; i < s->variable_count; i++) {
		const struct ir_variable *v = &kernel->variables[s->first_variable + i];
		uint32_t step;

		if (!lanes_has(evaluator, v->node) || variable_step(evaluator, v, &step) != 0)
			continue;
		if (is_wanted[v->node])
			l->is_stepped = true;
		else if (!(evaluator->flags[v->node] & EVALUATOR_TAINTED))
			l->has_sequence = true;
	}
}

/* Moves what a loop's condition needs of its own list to the front; ids keep their order. */
static void order_condition(struct evaluator *evaluator, uint32_t loop, uint32_t *scratch,
                            uint8_t *is_wanted)
{
	const struct ir_kernel *kernel = evaluator->kernel;
	struct evaluator_loop *list = &evaluator->loops[loop + 1];
	uint32_t *order = evaluator->order + list->first, front = 0, back = 0;
	uint32_t condition =
	        kernel->statements[evaluator->summary->loops[loop].statement].condition;

	if (condition == IR_NONE) {
		find_sequences(evaluator, loop, is_wanted);
		return;
	}
	is_wanted[condition] = 1;
	for (uint32_t i = list->count; i-- > 0;) {
		const struct ir_node *n = &kernel->nodes[order[i]];

		if (!is_wanted[order[i]])
			continue;
		if (n->op == NODE_SWIZZLE && evaluator->alias[order[i]] != IR_NONE)
			is_wanted[evaluator->alias[order[i]]] = 1;
		for (unsigned j = 0; j < n->operand_count; j++)
			is_wanted[kernel_operands(kernel, order[i])[j]] = 1;
	}
	find_sequences(evaluator, loop, is_wanted);
	for (uint32_t i = 0; i < list->count; i++) {
		if (is_wanted[order[i]] || kernel->nodes[order[i]].op == NODE_LOOP_VAR)
			order[front++] = order[i];
		else
			scratch[back++] = order[i];
	}
	memcpy(order + front, scratch, back * sizeof(*scratch));
	list->condition_count = front;
	for (uint32_t i = 0; i < list->count; i++) {
		const struct ir_node *n = &kernel->nodes[order[i]];

		is_wanted[order[i]] = 0;
		if (evaluator->alias[order[i]] != IR_NONE)
			is_wanted[evaluator->alias[order[i]]] = 0;
		for (unsigned j = 0; j < n->operand_count; j++)
			is_wanted[kernel_operands(kernel, order[i])[j]] = 0;
	}
	is_wanted[condition] = 0;
}

/* Loop variables take the taint of what they start from and go on with: a fixed point. */
static void taint_variables(struct evaluator *evaluator, const uint32_t *access_list)
{
	const struct ir_kernel *kernel = evaluator->kernel;
	bool is_changed = true;

	for (unsigned pass = 0; pass < TAINT_PASSES && is_changed; pass++) {
		is_changed = false;
		for (uint32_t node = 0; node < kernel->node_count; node++)
			classify(evaluator, node, access_list);
		for (uint32_t i = 0; i < kernel->variable_count; i++) {
			const struct ir_variable *v = &kernel->variables[i];
			uint8_t flags = evaluator->flags[v->init];

			if (v->next != IR_NONE)
				flags |= evaluator->flags[v->next];
			flags &= EVALUATOR_TAINTED | EVALUATOR_OPAQUE | EVALUATOR_REDRAWN |
			         EVALUATOR_BY_LANE;
			if (flags & ~evaluator->flags[v->node]) {
				evaluator->flags[v->node] |= flags;
				is_changed = true;
			}
		}
	}
}

static void slots_init(struct evaluator *evaluator)
{
	const struct ir_kernel *kernel = evaluator->kernel;
	size_t bytes_per_slot = evaluator->lanes * (sizeof(int64_t) + 1);

	for (uint32_t node = 0; node < kernel->node_count; node++) {
		if (evaluator->slot[node] == IR_NONE)
			continue;
		if ((evaluator->slot_count + 1) * bytes_per_slot > LANES_BYTES_MAX) {
			evaluator->slot[node] = IR_NONE;
			evaluator->result->is_capped = true;
			continue;
		}
		evaluator->slot[node] = evaluator->slot_count++;
	}
}

bool lanes_init(struct evaluator *evaluator)
{
	const struct ir_kernel *kernel = evaluator->kernel;
	uint32_t nodes = kernel->node_count + 1;
	/* per node: stack (twice: operands of one more), variable; per access: list */
	uint32_t *scratch = calloc((size_t)nodes * 2 + kernel->access_count + 1, sizeof(*scratch));
	uint8_t *wanted = calloc(nodes, 1);
	uint32_t *variable_of = scratch ? scratch + nodes : NULL;
	uint32_t *access_list = scratch ? scratch + (size_t)nodes * 2 : NULL;
	bool is_done = false;

	if (!scratch || !wanted)
		goto out;
	memset(variable_of, 0xff, nodes * sizeof(*variable_of));
	for (uint32_t i = 0; i < kernel->variable_count; i++)
		variable_of[kernel->variables[i].node] = i;
	memset(evaluator->slot, 0xff, nodes * sizeof(*evaluator->slot));
	memset(evaluator->alias, 0xff, nodes * sizeof(*evaluator->alias));
	for (uint32_t i = 0; i < kernel->statement_count; i++)
		if (kernel->statements[i].kind == STATEMENT_ACCESS)
			access_list[kernel->statements[i].access] =
			        list_around(evaluator, kernel->statements[i].block);
	for (uint32_t node = 0; node < kernel->node_count; node++) {
		unsigned lane = 0;

		if (kernel->nodes[node].op != NODE_SWIZZLE || kernel->nodes[node].type.width != 1)
			continue;
		lane = (unsigned)(kernel->nodes[node].imm & 15);
		evaluator->alias[node] =
		        vector_lane(kernel, kernel_operands(kernel, node)[0], &lane);
		/* the lane of an argument is found again when it is read */
	}
	taint_variables(evaluator, access_list);
	need_roots(evaluator, scratch, variable_of);
	slots_init(evaluator);
	order_lists(evaluator);
	for (uint32_t i = 0; i < evaluator->summary->loop_count; i++)
		order_condition(evaluator, i, scratch, wanted);
	evaluator->value =
	        malloc(((size_t)evaluator->slot_count * evaluator->lanes + 1) * sizeof(int64_t));
	evaluator->known = calloc((size_t)evaluator->slot_count * evaluator->lanes + 1, 1);
	if (!evaluator->value || !evaluator->known)
		goto out;
	memset(evaluator->value, 0,
	       (size_t)evaluator->slot_count * evaluator->lanes * sizeof(int64_t));
	is_done = true;
out:
	free(scratch);
	free(wanted);
	return is_done;
}
