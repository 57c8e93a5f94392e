/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trips of a loop that data end, by drawing: where each iteration reads something new, what it
 * decides is drawn as evaluate/chance.c says, what a mask, a remainder or a type of eight bits
 * leaves of it is drawn evenly, and the loop's variables follow. So a bisection has as many trips
 * as its range has bits, a decoder as many as its input has codes of a mean length, and a search
 * as many as it takes to find. What the loop itself has reckoned from data (a sum that converges,
 * a stack of its own) cannot be drawn: such a loop stays open.
 */
#include "model/evaluate/draw.h"

#include <math.h>
#include <string.h>

#include "model/evaluate/exits.h"
#include "model/evaluate/usual.h"
#include "model/evaluate/variables.h"

enum {
	OWN_DEPTH_MAX = 24,
	DRAW_DEPTH_MAX = 8,   /* operands between a condition and what it reads */
	DRAW_STEPS_MAX = 1024 /* of one loop */
};

/* What an iteration does to a work-item. */
enum course { COURSE_ON, COURSE_NEXT, COURSE_SCOPE, COURSE_OUT, COURSE_OPEN };

struct draw {
	struct lanes *lanes;
	const struct chances *chances;
	const struct ir_statement *loop;
	uint32_t list;
	uint64_t step;
	const uint8_t *is_in; /* lanes that are still in the loop */
};

static bool is_settled(const struct lanes *lanes, uint32_t node, unsigned lane)
{
	return lanes_has(lanes, node) && lanes_known(lanes, node)[lane] >= NUMBER_CHANCE;
}

/*
 * Whether what is open about a node is what memory holds; *is_new: at a place of this iteration.
 * is_chain: or at a place that the loop itself has read (a list ends where nothing tells).
 */
static bool is_of_memory(const struct draw *draw, uint32_t node, unsigned lane, unsigned depth,
                         bool is_chain, bool *is_new)
{
	const struct lanes *lanes = draw->lanes;
	const struct ir_kernel *kernel = lanes->kernel;
	const struct ir_node *n = &kernel->nodes[node];

	/* what stands before the loop is there, however it was reckoned */
	if (is_settled(lanes, node, lane) || lanes->schedule->list[node] < draw->list)
		return true;
	if (depth >= DRAW_DEPTH_MAX || !question_looks(lanes->question))
		return false;
	if (n->op == NODE_LOAD) {
		const struct ir_access *access = &kernel->accesses[n->aux];
		bool is_place_new = false;

		if (kernel->objects[access->object].argument == IR_NONE)
			return false;
		if (access->index == IR_NONE || lanes->schedule->list[node] != draw->list)
			return true;
		*is_new |= lanes->schedule->list[access->index] == draw->list;
		return is_chain ||
		       is_of_memory(draw, access->index, lane, depth + 1, is_chain, &is_place_new);
	}
	if (n->op == NODE_LOOP_VAR || n->operand_count == 0)
		return false;
	for (unsigned i = 0; i < n->operand_count; i++)
		if (!is_of_memory(draw, kernel_operands(kernel, node)[i], lane, depth + 1, is_chain,
		                  is_new))
			return false;
	return true;
}

/* The lane's number is settled and positive. */
static bool positive(const struct lanes *lanes, uint32_t node, unsigned lane, uint64_t *value)
{
	if (!is_settled(lanes, node, lane) || lanes_value(lanes, node)[lane] <= 0)
		return false;
	*value = (uint64_t)lanes_value(lanes, node)[lane];
	return true;
}

/* Gives the lanes of a node that is open, and may be drawn, their values. */
static void draw_node(const struct draw *draw, uint32_t node)
{
	struct lanes *lanes = draw->lanes;
	const struct ir_node *n = &lanes->kernel->nodes[node];
	const uint32_t *operands = kernel_operands(lanes->kernel, node);
	bool is_question = n->op == NODE_EQ || n->op == NODE_NE || n->op == NODE_LT ||
	                   n->op == NODE_LE || n->op == NODE_LNOT;
	bool is_byte = n->op == NODE_LOAD && type_is_integer(n->type) && type_bytes(n->type) == 1;
	int64_t *r;
	uint8_t *k;
	unsigned first = 0;
	double chance = 0;
	bool is_new = false;

	if (n->type.width != 1 ||
	    (!is_question && !is_byte && n->op != NODE_AND && n->op != NODE_REM))
		return;
	r = lanes_value_slot(lanes, node);
	k = lanes_known_slot(lanes, node);
	while (first < lanes->count && (!draw->is_in[first] || k[first] >= NUMBER_CHANCE))
		first++;
	if (first == lanes->count || !is_of_memory(draw, node, first, 0, !is_question, &is_new) ||
	    !is_new)
		return;
	if (is_question)
		chance = chance_of(draw->chances, node, first);
	for (unsigned lane = first; lane < lanes->count; lane++) {
		uint64_t drawn =
		        number_mix(number_mix(((uint64_t)node << 32) + lanes->budget->used) +
		                   draw->step * lanes->count + lane);
		uint64_t by;

		if (!draw->is_in[lane] || k[lane] >= NUMBER_CHANCE)
			continue;
		if (is_question)
			r[lane] = (double)(drawn >> 11) * 0x1p-53 < chance;
		else if (is_byte)
			r[lane] = number_wrap(n->type, (int64_t)drawn);
		else if (n->op == NODE_REM && positive(lanes, operands[1], lane, &by))
			r[lane] = number_wrap(n->type, (int64_t)(drawn % by));
		else if (n->op == NODE_AND && (positive(lanes, operands[1], lane, &by) ||
		                               positive(lanes, operands[0], lane, &by)))
			r[lane] = number_wrap(n->type, (int64_t)(drawn & by));
		else
			continue;
		k[lane] = NUMBER_CHANCE;
	}
}

/* The way of one lane through a block; *target: of COURSE_SCOPE. */
static enum course follow(const struct draw *draw, uint32_t block, unsigned lane, uint32_t *target)
{
	const struct lanes *lanes = draw->lanes;
	const struct ir_kernel *kernel = lanes->kernel;
	enum course course = COURSE_ON;

	if (block == IR_NONE)
		return COURSE_ON;
	for (uint32_t i = kernel->blocks[block].first; i != IR_NONE && course == COURSE_ON;
	     i = kernel->statements[i].following) {
		const struct ir_statement *s = &kernel->statements[i];
		bool is_loop = s->target != IR_NONE && &kernel->statements[s->target] == draw->loop;

		switch (s->kind) {
		case STATEMENT_BRANCH:
			if (is_settled(lanes, s->condition, lane))
				course = follow(draw,
				                lanes_value(lanes, s->condition)[lane]
				                        ? s->body
				                        : s->otherwise,
				                lane, target);
			else if (block_jumps(kernel, s->body, true, 0) ||
			         block_jumps(kernel, s->otherwise, true, 0))
				course = COURSE_OPEN;
			break;
		case STATEMENT_LOOP:
			if (block_jumps(kernel, s->body, true, 0))
				course = COURSE_OPEN;
			break;
		case STATEMENT_SCOPE:
			course = follow(draw, s->body, lane, target);
			if (course == COURSE_SCOPE && *target == i)
				course = COURSE_ON;
			break;
		case STATEMENT_NEXT:
			course = is_loop ? COURSE_NEXT : COURSE_OUT;
			break;
		case STATEMENT_EXIT:
			*target = s->target;
			course = is_loop || s->target == IR_NONE ? COURSE_OUT : COURSE_SCOPE;
			break;
		default:
			break;
		}
	}
	return course;
}

/* What loops within this one compute is open: they are not followed. */
static void forget_inner(const struct draw *draw)
{
	struct lanes *lanes = draw->lanes;
	const struct ir_kernel *kernel = lanes->kernel;

	for (uint32_t node = 0; node < kernel->node_count; node++) {
		uint32_t list = lanes->schedule->list[node];

		if (!lanes_has(lanes, node) || list <= draw->list)
			continue;
		while (list != 0 && list != draw->list)
			list = list_outside(lanes->kernel, list);
		if (list == draw->list)
			memset(lanes_known_slot(lanes, node), 0, lanes->count);
	}
}

static void run_list(const struct draw *draw)
{
	struct lanes *lanes = draw->lanes;
	const struct schedule_list *list = &lanes->schedule->lists[draw->list];

	for (uint32_t i = 0; i < list->count; i++) {
		uint32_t node = lanes->schedule->order[list->first + i];

		lanes_run_node(lanes, node);
		draw_node(draw, node);
	}
	lanes->budget->drawn += (uint64_t)list->count * lanes->count;
}

/* Whether a loop computes a node from its variables and what does not change in it alone. */
static bool is_own(const struct draw *draw, uint32_t node, unsigned depth)
{
	const struct lanes *lanes = draw->lanes;
	const struct ir_node *n = &lanes->kernel->nodes[node];

	if (lanes->schedule->list[node] != draw->list)
		return lanes->schedule->list[node] < draw->list;
	if (n->op == NODE_LOOP_VAR)
		return true;
	if (n->operand_count == 0 || depth >= OWN_DEPTH_MAX || !question_looks(lanes->question))
		return false;
	for (unsigned i = 0; i < n->operand_count; i++)
		if (!is_own(draw, kernel_operands(lanes->kernel, node)[i], depth + 1))
			return false;
	return true;
}

/*
 * What integers start from that a loop turns into others, all by itself (a remainder, a shift, a
 * number with a bit less): all that their type has, evenly; of one with a sign what is positive.
 */
static void draw_starts(const struct draw *draw)
{
	struct lanes *lanes = draw->lanes;
	const struct ir_kernel *kernel = lanes->kernel;

	for (uint32_t i = 0; i < draw->loop->variable_count; i++) {
		const struct ir_variable *v = &kernel->variables[draw->loop->first_variable + i];
		struct type type = kernel->nodes[v->node].type;
		unsigned bits = usual_bits(kernel, v->init);
		uint32_t step;

		if (!lanes_has(lanes, v->node) || !type_is_integer(type) || type.width != 1 ||
		    variable_step(lanes->schedule, v, &step) != 0 || !is_own(draw, v->next, 0))
			continue;
		for (unsigned lane = 0; lane < lanes->count; lane++) {
			uint64_t drawn = number_mix(
			        number_mix(((uint64_t)v->node << 32) + lanes->budget->used) + lane);
			int64_t value =
			        number_wrap(type, (int64_t)(drawn & (UINT64_MAX >> (64 - bits))));

			if (!draw->is_in[lane] ||
			    lanes_known(lanes, v->node)[lane] >= NUMBER_CHANCE)
				continue;
			if (type_is_signed(type) && value < 0)
				value = ~value;
			lanes_value_slot(lanes, v->node)[lane] = value;
			lanes_known_slot(lanes, v->node)[lane] = NUMBER_CHANCE;
		}
	}
}

/* One iteration of all lanes that are in the loop; COURSE_OPEN: one cannot be told. */
static enum course iterate(const struct draw *draw, uint8_t *is_in, uint64_t *trips)
{
	const struct lanes *lanes = draw->lanes;
	const struct ir_statement *loop = draw->loop;
	enum course all = COURSE_OUT;

	for (unsigned lane = 0; lane < lanes->count; lane++) {
		enum course course = COURSE_ON;
		uint32_t target = IR_NONE;
		bool asks = loop->condition != IR_NONE, goes_on = true;

		if (!is_in[lane])
			continue;
		if (asks && is_settled(lanes, loop->condition, lane))
			goes_on = lanes_value(lanes, loop->condition)[lane] != 0;
		else if (asks)
			return COURSE_OPEN;
		if (goes_on || loop->tests_last)
			course = follow(draw, loop->body, lane, &target);
		if (course == COURSE_OPEN)
			return COURSE_OPEN;
		is_in[lane] = goes_on && (course == COURSE_ON || course == COURSE_NEXT);
		trips[lane] = draw->step + (goes_on || loop->tests_last);
		if (is_in[lane])
			all = COURSE_ON;
	}
	return all;
}

/* As those of the loop's trips that were drawn before. */
static void draw_again(const struct lanes *lanes, const struct loop_tally *tally, uint64_t *trips)
{
	uint32_t kept = tally->drawn_count < DRAWN_KEPT ? tally->drawn_count : DRAWN_KEPT;

	for (unsigned lane = 0; lane < lanes->count; lane++)
		trips[lane] = tally->drawn[number_mix(lanes->budget->used + lane) % kept];
}

bool draw_trips(struct lanes *lanes, const struct chances *chances, struct arena *arena,
                struct loop_tally *tally, uint32_t statement, const float *weight, uint64_t *trips)
{
	const struct ir_statement *s = &lanes->kernel->statements[statement];
	const struct budget *budget = lanes->budget;
	size_t mark = arena->used;
	float *memory;
	uint8_t *is_in;
	enum course course = COURSE_ON;
	bool is_cut = false;
	struct draw draw = {
	        .lanes = lanes,
	        .chances = chances,
	        .loop = s,
	        .list = list_of(lanes->kernel, statement),
	};

	if (tally->drawn_count >= DRAWN_KEPT || tally->is_open ||
	    budget->drawn > budget->draws_max) {
		if (tally->drawn_count == 0)
			return false;
		draw_again(lanes, tally, trips);
		return true;
	}
	memory = arena_take(arena, lanes->count / 4 + 1);
	if (!memory)
		return false;
	draw.is_in = is_in = (uint8_t *)memory;
	for (unsigned lane = 0; lane < lanes->count; lane++) {
		is_in[lane] = weight[lane] > 0;
		trips[lane] = 0;
	}
	forget_inner(&draw);
	loop_set(lanes, s, trips, tally->takes_advance);
	draw_starts(&draw);
	for (; course == COURSE_ON && !is_cut; draw.step++) {
		run_list(&draw);
		course = iterate(&draw, is_in, trips);
		is_cut = draw.step >= DRAW_STEPS_MAX || budget->drawn > budget->draws_max;
		if (course == COURSE_ON && !is_cut && !loop_advance(lanes, arena, s, weight))
			course = COURSE_OPEN;
	}
	/* who is still in the loop is taken to be half way */
	for (unsigned lane = 0; lane < lanes->count && course == COURSE_ON; lane++)
		trips[lane] *= is_in[lane] ? 2 : 1;
	if (course == COURSE_ON)
		course = COURSE_OUT;
	for (unsigned lane = 0; lane < lanes->count && course == COURSE_OUT; lane++)
		if (weight[lane] > 0)
			tally->drawn[tally->drawn_count++ % DRAWN_KEPT] = (uint32_t)trips[lane];
	tally->is_open = course == COURSE_OPEN;
	arena->used = mark;
	if (course != COURSE_OUT && tally->drawn_count > 0) {
		draw_again(lanes, tally, trips);
		return true;
	}
	return course == COURSE_OUT;
}
