/* SPDX-License-Identifier: Apache-2.0 */
/* Which nodes an evaluation needs, in which lists, and the memory for their lanes. */
#include "model/evaluate/schedule.h"

#include <stdlib.h>
#include <string.h>

#include "model/evaluate/content.h"

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

/* An integer of a hinted range. */
static bool has_range(const struct schedule *schedule, uint32_t node)
{
	const struct ir_kernel *kernel = schedule->kernel;
	const struct ir_node *n = &kernel->nodes[node];

	return n->op == NODE_LOAD && type_is_integer(n->type) &&
	       content_of(schedule->question, NULL, &kernel->accesses[n->aux], n->type).kind ==
	               CONTENT_RANGE;
}

bool drawn_once(const struct schedule *schedule, uint32_t node)
{
	const struct ir_kernel *kernel = schedule->kernel;
	const struct ir_node *n = &kernel->nodes[node];
	const struct ir_access *access = &kernel->accesses[n->aux];

	if (n->op != NODE_LOAD || !type_is_integer(n->type))
		return false;
	if (rows_has(schedule->rows, access))
		return true;
	return has_range(schedule, node) &&
	       (access->index == IR_NONE || schedule->list[access->index] == 0);
}

static bool is_drawn_within(const struct schedule *schedule, uint32_t node, uint32_t list,
                            unsigned depth)
{
	const struct ir_kernel *kernel = schedule->kernel;
	const struct ir_node *n = &kernel->nodes[node];

	if (schedule->list[node] < list || !(schedule->flags[node] & SCHEDULE_REDRAWN))
		return false;
	if (n->op == NODE_LOAD || depth >= DRAWN_DEPTH_MAX || !question_looks(schedule->question))
		return true;
	if (n->op == NODE_LOOP_VAR && n->aux < kernel->statement_count) {
		const struct ir_variable *v = kernel_variable(kernel, node);

		return is_drawn_within(schedule, v->init, list, depth + 1) ||
		       (v->next != IR_NONE && is_drawn_within(schedule, v->next, list, depth + 1));
	}
	for (unsigned i = 0; i < n->operand_count; i++)
		if (is_drawn_within(schedule, kernel_operands(kernel, node)[i], list, depth + 1))
			return true;
	return false;
}

bool drawn_within(const struct schedule *schedule, uint32_t node, uint32_t list)
{
	return is_drawn_within(schedule, node, list, 0);
}

/* Whether each work-item of a group reads something else: what is its own, or where its id says. */
static uint8_t place_flags(const struct schedule *schedule, const struct ir_node *n)
{
	const struct ir_kernel *kernel = schedule->kernel;
	const struct ir_access *access = &kernel->accesses[n->aux];

	if (n->op == NODE_ATOMIC || kernel->objects[access->object].space == SPACE_PRIVATE)
		return SCHEDULE_BY_LANE;
	return access->index == IR_NONE ? 0 : schedule->flags[access->index] & SCHEDULE_BY_LANE;
}

/* A load, or the one of a vector that a node is a part of; or the node. */
static uint32_t held_load(const struct schedule *schedule, uint32_t node)
{
	const struct ir_node *n = &schedule->kernel->nodes[node];

	return n->op == NODE_SWIZZLE && n->type.width == 1 &&
	                       *kernel_operands(schedule->kernel, node) == schedule->alias[node]
	               ? schedule->alias[node]
	               : node;
}

/* What a load, or a part of one of a vector, was sampled of; NULL: nobody knows, or another node.
 */
static struct held *held_of(const struct schedule *schedule, uint32_t node)
{
	const struct ir_kernel *kernel = schedule->kernel;
	const struct ir_node *n = &kernel->nodes[held_load(schedule, node)];

	return n->op == NODE_LOAD && n->aux < kernel->access_count
	               ? question_held(schedule->question, &kernel->accesses[n->aux])
	               : NULL;
}

static bool is_read_along(const struct schedule *schedule, uint32_t node, uint32_t list,
                          unsigned depth)
{
	const struct ir_kernel *kernel = schedule->kernel;
	const struct ir_node *n = &kernel->nodes[node];
	struct held *held = held_of(schedule, node);

	if (schedule->list[node] != list || !(schedule->flags[node] & SCHEDULE_HELD))
		return false;
	if (held) {
		uint32_t index =
		        kernel->accesses[kernel->nodes[held_load(schedule, node)].aux].index;

		held_prepare(held);
		return index != IR_NONE && schedule->list[index] == list &&
		       held->order == SAMPLE_UNORDERED;
	}
	if (n->op == NODE_LOOP_VAR)
		return false; /* who steps through those of no closed form steps anyway */
	if (depth >= DRAWN_DEPTH_MAX || !question_looks(schedule->question))
		return true;
	for (unsigned i = 0; i < n->operand_count; i++)
		if (is_read_along(schedule, kernel_operands(kernel, node)[i], list, depth + 1))
			return true;
	return false;
}

bool reads_along(const struct schedule *schedule, uint32_t node, uint32_t list)
{
	return is_read_along(schedule, node, list, 0);
}

/*
 * Of such a load: as far as its place is known, it is. Where data choose that, it is drawn among
 * those that were sampled.
 */
static uint8_t held_flags(const struct schedule *schedule, const struct ir_node *n)
{
	uint32_t index = schedule->kernel->accesses[n->aux].index;
	uint8_t flags = index == IR_NONE ? 0 : schedule->flags[index];

	if (!(flags & SCHEDULE_TAINTED))
		return flags | SCHEDULE_HELD;
	return SCHEDULE_TAINTED | SCHEDULE_VARIES | SCHEDULE_REDRAWN | SCHEDULE_HELD |
	       (flags & SCHEDULE_BY_LANE);
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
static void classify(struct schedule *schedule, uint32_t node, const uint32_t *access_list)
{
	const struct ir_kernel *kernel = schedule->kernel;
	const struct ir_node *n = &kernel->nodes[node];
	const uint32_t *operands = kernel_operands(kernel, node);
	uint32_t list = 0;
	uint8_t flags = 0;

	for (unsigned i = 0; i < n->operand_count; i++) {
		if (schedule->list[operands[i]] > list)
			list = schedule->list[operands[i]];
		flags |= schedule->flags[operands[i]];
	}
	if (n->op == NODE_SWIZZLE && schedule->alias[node] != IR_NONE &&
	    (kernel->nodes[schedule->alias[node]].type.width == 1 ||
	     kernel->nodes[schedule->alias[node]].op == NODE_ARG))
		flags = schedule->flags[schedule->alias[node]];
	else if (is_beyond(kernel, node) && !held_of(schedule, node))
		flags |= SCHEDULE_TAINTED | SCHEDULE_VARIES | SCHEDULE_OPAQUE;
	switch (n->op) {
	case NODE_GLOBAL_ID:
	case NODE_LOCAL_ID:
		flags |= SCHEDULE_VARIES | SCHEDULE_BY_LANE;
		break;
	case NODE_GROUP_ID:
		flags |= SCHEDULE_VARIES;
		break;
	case NODE_LOOP_VAR:
		list = list_of(schedule->kernel, n->aux);
		flags |= SCHEDULE_VARIES;
		break;
	case NODE_LOAD:
	case NODE_ATOMIC:
		if (n->aux < kernel->access_count)
			list = access_list[n->aux];
		if (held_of(schedule, node)) {
			flags |= held_flags(schedule, n);
			break;
		}
		flags |= SCHEDULE_TAINTED | SCHEDULE_VARIES | place_flags(schedule, n);
		if (!drawn_once(schedule, node))
			flags |= has_range(schedule, node) ? SCHEDULE_REDRAWN : SCHEDULE_OPAQUE;
		break;
	case NODE_UNKNOWN:
		flags |= SCHEDULE_TAINTED | SCHEDULE_VARIES | SCHEDULE_OPAQUE | SCHEDULE_BY_LANE;
		break;
	default:
		break;
	}
	schedule->list[node] = list;
	schedule->flags[node] |= flags;
}

/* Marks what `node` needs; `stack` holds at least node_count entries more than are marked. */
static void need(struct schedule *schedule, uint32_t node, uint32_t *stack,
                 const uint32_t *variable_of)
{
	const struct ir_kernel *kernel = schedule->kernel;
	size_t depth = 0;

	if (node == IR_NONE || schedule->slot[node] != IR_NONE)
		return;
	schedule->slot[node] = 0;
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
		} else if (n->op == NODE_LOAD &&
		           (rows_has(schedule->rows, &kernel->accesses[n->aux]) ||
		            held_of(schedule, top))) {
			wanted[count++] = kernel->accesses[n->aux].index;
		} else if (n->op == NODE_SWIZZLE) {
			if (schedule->alias[top] != IR_NONE)
				wanted[count++] = schedule->alias[top];
		} else if (n->type.width == 1) {
			for (unsigned i = 0; i < n->operand_count && i < IR_OPERANDS_MAX; i++)
				wanted[count++] = kernel_operands(kernel, top)[i];
		}
		for (unsigned i = 0; i < count; i++) {
			if (wanted[i] == IR_NONE || schedule->slot[wanted[i]] != IR_NONE)
				continue;
			schedule->slot[wanted[i]] = 0;
			stack[depth++] = wanted[i];
		}
	}
}

/* What steers control or forms an address. */
static void need_roots(struct schedule *schedule, uint32_t *stack, const uint32_t *variable_of)
{
	const struct ir_kernel *kernel = schedule->kernel;

	for (uint32_t i = 0; i < kernel->statement_count; i++) {
		const struct ir_statement *s = &kernel->statements[i];

		if (s->kind == STATEMENT_LOOP || s->kind == STATEMENT_BRANCH)
			need(schedule, s->condition, stack, variable_of);
	}
	for (uint32_t node = 0; node < kernel->node_count; node++)
		if (schedule->slot[node] != IR_NONE)
			schedule->flags[node] |= SCHEDULE_STEERS;
	for (uint32_t i = 0; i < kernel->access_count; i++)
		need(schedule, kernel->accesses[i].index, stack, variable_of);
}

/* Counting sort of the needed nodes by list; within a list by id. */
static void order_lists(struct schedule *schedule)
{
	const struct ir_kernel *kernel = schedule->kernel;
	uint32_t at = 0;

	for (uint32_t node = 0; node < kernel->node_count; node++)
		if (schedule->slot[node] != IR_NONE)
			schedule->lists[schedule->list[node]].count++;
	for (uint32_t i = 0; i <= schedule->kernel->summary->loop_count; i++) {
		schedule->lists[i].first = at;
		at += schedule->lists[i].count;
		schedule->lists[i].count = 0;
	}
	for (uint32_t node = 0; node < kernel->node_count; node++) {
		struct schedule_list *list = &schedule->lists[schedule->list[node]];

		if (schedule->slot[node] == IR_NONE)
			continue;
		schedule->order[list->first + list->count++] = node;
	}
}

/* Which needed variables of a loop have no closed form. */
static void find_sequences(const struct schedule *schedule, uint32_t list, const uint8_t *is_wanted,
                           struct loop_facts *facts)
{
	const struct ir_kernel *kernel = schedule->kernel;
	const struct ir_statement *s = &kernel->statements[list_loop(kernel, list)];
	struct loop_facts *l = &facts[list];

	for (uint32_t i = 0; i < s->variable_count; i++) {
		const struct ir_variable *v = &kernel->variables[s->first_variable + i];
		uint32_t step;

		if (!schedule_has(schedule, v->node) || variable_step(schedule, v, &step) != 0)
			continue;
		if (is_wanted[v->node])
			l->is_stepped = true;
		else if (!(schedule->flags[v->node] & SCHEDULE_TAINTED))
			l->has_sequence = true;
	}
}

/* Moves what a loop's condition needs of its own list to the front; ids keep their order. */
static void order_condition(struct schedule *schedule, uint32_t list, uint32_t *scratch,
                            uint8_t *is_wanted, struct loop_facts *facts)
{
	const struct ir_kernel *kernel = schedule->kernel;
	struct schedule_list *l = &schedule->lists[list];
	uint32_t *order = schedule->order + l->first, front = 0, back = 0;
	uint32_t condition = kernel->statements[list_loop(kernel, list)].condition;

	if (condition == IR_NONE) {
		find_sequences(schedule, list, is_wanted, facts);
		return;
	}
	facts[list].is_stepped |= reads_along(schedule, condition, list);
	is_wanted[condition] = 1;
	for (uint32_t i = l->count; i-- > 0;) {
		const struct ir_node *n = &kernel->nodes[order[i]];

		if (!is_wanted[order[i]])
			continue;
		if (n->op == NODE_SWIZZLE && schedule->alias[order[i]] != IR_NONE)
			is_wanted[schedule->alias[order[i]]] = 1;
		if (held_of(schedule, order[i]) && n->op == NODE_LOAD &&
		    kernel->accesses[n->aux].index != IR_NONE)
			is_wanted[kernel->accesses[n->aux].index] = 1;
		for (unsigned j = 0; j < n->operand_count; j++)
			is_wanted[kernel_operands(kernel, order[i])[j]] = 1;
	}
	find_sequences(schedule, list, is_wanted, facts);
	for (uint32_t i = 0; i < l->count; i++) {
		if (is_wanted[order[i]] || kernel->nodes[order[i]].op == NODE_LOOP_VAR)
			order[front++] = order[i];
		else
			scratch[back++] = order[i];
	}
	memcpy(order + front, scratch, back * sizeof(*scratch));
	l->condition_count = front;
	for (uint32_t i = 0; i < l->count; i++) {
		const struct ir_node *n = &kernel->nodes[order[i]];

		is_wanted[order[i]] = 0;
		if (schedule->alias[order[i]] != IR_NONE)
			is_wanted[schedule->alias[order[i]]] = 0;
		if (n->op == NODE_LOAD && kernel->accesses[n->aux].index != IR_NONE)
			is_wanted[kernel->accesses[n->aux].index] = 0;
		for (unsigned j = 0; j < n->operand_count; j++)
			is_wanted[kernel_operands(kernel, order[i])[j]] = 0;
	}
	is_wanted[condition] = 0;
}

/* Loop variables take the taint of what they start from and go on with: a fixed point. */
static void taint_variables(struct schedule *schedule, const uint32_t *access_list)
{
	const struct ir_kernel *kernel = schedule->kernel;
	bool is_changed = true;

	for (unsigned pass = 0; pass < TAINT_PASSES && is_changed; pass++) {
		is_changed = false;
		for (uint32_t node = 0; node < kernel->node_count; node++)
			classify(schedule, node, access_list);
		for (uint32_t i = 0; i < kernel->variable_count; i++) {
			const struct ir_variable *v = &kernel->variables[i];
			uint8_t flags = schedule->flags[v->init];

			if (v->next != IR_NONE)
				flags |= schedule->flags[v->next];
			flags &= SCHEDULE_TAINTED | SCHEDULE_OPAQUE | SCHEDULE_REDRAWN |
			         SCHEDULE_BY_LANE | SCHEDULE_HELD;
			if (flags & ~schedule->flags[v->node]) {
				schedule->flags[v->node] |= flags;
				is_changed = true;
			}
		}
	}
}

/* Whether what was sampled decides about a loop or a branch. */
static bool is_steered(const struct schedule *schedule, const struct ir_statement *s)
{
	return (s->kind == STATEMENT_LOOP || s->kind == STATEMENT_BRANCH) &&
	       s->condition != IR_NONE && (schedule->flags[s->condition] & SCHEDULE_HELD);
}

bool schedule_is_steered(const struct schedule *schedule)
{
	const struct ir_kernel *kernel = schedule->kernel;

	for (uint32_t i = 0; schedule->question->held && i < kernel->statement_count; i++)
		if (is_steered(schedule, &kernel->statements[i]))
			return true;
	return false;
}

/* Loops within which what was sampled steers control. */
static void find_held(const struct schedule *schedule, struct loop_facts *facts)
{
	const struct ir_kernel *kernel = schedule->kernel;

	for (uint32_t i = 0; schedule->question->held && i < kernel->statement_count; i++) {
		const struct ir_statement *s = &kernel->statements[i];

		if (!is_steered(schedule, s))
			continue;
		for (uint32_t list = list_around(kernel, s->block); list != 0;
		     list = list_outside(kernel, list))
			facts[list].has_held = true;
	}
}

static void slots_init(struct schedule *schedule, unsigned lanes)
{
	const struct ir_kernel *kernel = schedule->kernel;
	size_t bytes_per_slot = lanes * (sizeof(int64_t) + 1);

	for (uint32_t node = 0; node < kernel->node_count; node++) {
		if (schedule->slot[node] == IR_NONE)
			continue;
		if ((schedule->slot_count + 1) * bytes_per_slot > LANES_BYTES_MAX) {
			schedule->slot[node] = IR_NONE;
			schedule->is_capped = true;
			continue;
		}
		schedule->slot[node] = schedule->slot_count++;
	}
}

/* Per node four numbers, in one piece of memory, and flags. */
static bool take_memory(struct schedule *schedule, size_t nodes)
{
	size_t lists = schedule->kernel->summary->loop_count + 1;

	schedule->slot = calloc(nodes * 4, sizeof(*schedule->slot));
	schedule->flags = calloc(nodes, sizeof(*schedule->flags));
	schedule->lists = calloc(lists, sizeof(*schedule->lists));
	if (!schedule->slot || !schedule->flags || !schedule->lists)
		return false;
	schedule->list = schedule->slot + nodes;
	schedule->alias = schedule->list + nodes;
	schedule->order = schedule->alias + nodes;
	return true;
}

bool schedule_init(struct schedule *schedule, const struct question *question,
                   const struct rows *rows, unsigned lanes, struct loop_facts *facts)
{
	const struct ir_kernel *kernel = question->kernel;
	uint32_t nodes = kernel->node_count + 1;
	/* per node: stack (twice: operands of one more), variable; per access: list */
	uint32_t *scratch = calloc((size_t)nodes * 2 + kernel->access_count + 1, sizeof(*scratch));
	uint8_t *wanted = calloc(nodes, 1);
	uint32_t *variable_of = scratch ? scratch + nodes : NULL;
	uint32_t *access_list = scratch ? scratch + (size_t)nodes * 2 : NULL;
	bool is_done = false;

	*schedule = (struct schedule){.kernel = kernel, .question = question, .rows = rows};
	if (!scratch || !wanted || !take_memory(schedule, nodes))
		goto out;
	memset(variable_of, 0xff, nodes * sizeof(*variable_of));
	for (uint32_t i = 0; i < kernel->variable_count; i++)
		variable_of[kernel->variables[i].node] = i;
	memset(schedule->slot, 0xff, nodes * sizeof(*schedule->slot));
	memset(schedule->alias, 0xff, nodes * sizeof(*schedule->alias));
	for (uint32_t i = 0; i < kernel->statement_count; i++)
		if (kernel->statements[i].kind == STATEMENT_ACCESS)
			access_list[kernel->statements[i].access] =
			        list_around(kernel, kernel->statements[i].block);
	for (uint32_t node = 0; node < kernel->node_count; node++) {
		unsigned lane = 0;

		if (kernel->nodes[node].op != NODE_SWIZZLE || kernel->nodes[node].type.width != 1)
			continue;
		lane = (unsigned)(kernel->nodes[node].imm & 15);
		schedule->alias[node] =
		        vector_lane(kernel, kernel_operands(kernel, node)[0], &lane);
		/* the lane of an argument is found again when it is read */
	}
	taint_variables(schedule, access_list);
	need_roots(schedule, scratch, variable_of);
	slots_init(schedule, lanes);
	order_lists(schedule);
	for (uint32_t list = 1; list <= kernel->summary->loop_count; list++)
		order_condition(schedule, list, scratch, wanted, facts);
	find_held(schedule, facts);
	is_done = true;
out:
	free(scratch);
	free(wanted);
	return is_done;
}

void schedule_deinit(struct schedule *schedule)
{
	free(schedule->slot);
	free(schedule->flags);
	free(schedule->lists);
	memset(schedule, 0, sizeof(*schedule));
}
