/* SPDX-License-Identifier: Apache-2.0 */
/* How loops end before their condition does: exits, and who decides about them. */
#include "model/evaluate/exits.h"

#include <math.h>

enum { COUNTED_PASSES = 2 /* nodes stand before those that are made of them */ };

bool leaves_loop(const struct ir_kernel *kernel, uint32_t block)
{
	const struct ir_statement *last;
	uint32_t around, target;

	if (block == IR_NONE || kernel->blocks[block].last == IR_NONE)
		return false;
	around = list_around(kernel, block);
	if (around == 0)
		return false;
	last = &kernel->statements[kernel->blocks[block].last];
	if (last->kind != STATEMENT_EXIT)
		return false;
	target = last->target;
	if (target == IR_NONE || kernel->statements[target].kind == STATEMENT_LOOP)
		return true;
	return list_around(kernel, kernel->statements[target].block) != around;
}

bool block_jumps(const struct ir_kernel *kernel, uint32_t block, bool in_loops, uint32_t depth)
{
	if (block == IR_NONE || depth >= IR_DEPTH_MAX)
		return false;
	for (uint32_t i = kernel->blocks[block].first; i != IR_NONE;
	     i = kernel->statements[i].following) {
		const struct ir_statement *s = &kernel->statements[i];

		if (s->kind == STATEMENT_EXIT || s->kind == STATEMENT_NEXT ||
		    ((s->kind == STATEMENT_BRANCH || s->kind == STATEMENT_SCOPE ||
		      (s->kind == STATEMENT_LOOP && in_loops)) &&
		     block_jumps(kernel, s->body, in_loops, depth + 1)) ||
		    (s->kind == STATEMENT_BRANCH &&
		     block_jumps(kernel, s->otherwise, in_loops, depth + 1)))
			return true;
	}
	return false;
}

double share_of_leaving(const struct ir_kernel *kernel, const struct loop_tally *tallies,
                        uint32_t block, double chance)
{
	uint32_t around = list_around(kernel, block);
	double trips = fmax(1, tallies[around].mean), ever = 0.5;

	/* who goes on behind this loop is not told apart from who comes to its end */
	if (kernel->statements[kernel->blocks[block].last].target ==
	    kernel->summary->loops[around - 1].statement)
		return 0;
	if (chance < 0.4 || chance > 0.6)
		ever = 1 - pow(1 - chance, trips);
	return ever / trips;
}

/* What a loop has counted that data end, wherever it is asked. */
static void find_counted(struct schedule *schedule, const struct loop_facts *facts)
{
	const struct ir_kernel *kernel = schedule->kernel;
	uint8_t *flags = schedule->flags;

	for (unsigned pass = 0; pass < COUNTED_PASSES; pass++) {
		for (uint32_t node = 0; node < kernel->node_count; node++) {
			const struct ir_node *n = &kernel->nodes[node];
			const uint32_t *operands = kernel_operands(kernel, node);

			if (n->op == NODE_LOOP_VAR &&
			    facts[list_of(schedule->kernel, n->aux)].has_data_exit)
				flags[node] |= SCHEDULE_COUNTED;
			for (unsigned i = 0; i < n->operand_count; i++)
				flags[node] |= flags[operands[i]] & SCHEDULE_COUNTED;
		}
		for (uint32_t i = 0; i < kernel->variable_count; i++) {
			const struct ir_variable *v = &kernel->variables[i];

			flags[v->node] |= flags[v->init] & SCHEDULE_COUNTED;
			if (v->next != IR_NONE)
				flags[v->node] |= flags[v->next] & SCHEDULE_COUNTED;
		}
	}
}

/* Which exits leave which loops, where flags among `open` say that data decide. */
static bool mark_exits(const struct schedule *schedule, struct loop_facts *facts, uint8_t open)
{
	const struct ir_kernel *kernel = schedule->kernel;
	bool has_data_exit = false;

	for (uint32_t i = 1; i <= schedule->kernel->summary->loop_count; i++) {
		struct loop_facts *loop = &facts[i];

		loop->exits = 0;
		loop->has_data_exit = loop->is_by_lane = false;
		loop->has_known_exit = loop->has_drawn_exit = false;
	}
	for (uint32_t i = 0; i < kernel->statement_count; i++) {
		const struct ir_statement *s = &kernel->statements[i];
		uint8_t flags = 0;

		if (s->kind != STATEMENT_EXIT)
			continue;
		for (uint32_t block = s->block; kernel->blocks[block].owner != IR_NONE;) {
			uint32_t owner = kernel->blocks[block].owner;
			const struct ir_statement *o = &kernel->statements[owner];

			if (o->kind == STATEMENT_BRANCH && o->condition != IR_NONE)
				flags |= schedule->flags[o->condition];
			if (o->kind == STATEMENT_LOOP) {
				struct loop_facts *loop = &facts[list_of(schedule->kernel, owner)];

				loop->exits++;
				loop->has_data_exit |= (flags & open) != 0;
				loop->is_by_lane |= (flags & open) && (flags & SCHEDULE_BY_LANE);
				loop->has_known_exit |= !(flags & open);
				loop->has_drawn_exit |=
				        (flags & SCHEDULE_TAINTED) && !(flags & open);
				has_data_exit |= loop->has_data_exit;
			}
			if (owner == s->target)
				break;
			block = o->block;
		}
	}
	return has_data_exit;
}

void exits_find(struct schedule *schedule, struct loop_facts *facts)
{
	if (!mark_exits(schedule, facts, SCHEDULE_OPAQUE | SCHEDULE_REDRAWN))
		return;
	find_counted(schedule, facts);
	mark_exits(schedule, facts, SCHEDULE_OPAQUE | SCHEDULE_REDRAWN | SCHEDULE_COUNTED);
}

uint32_t exit_leading(const struct schedule *schedule, const struct loop_facts *facts,
                      uint32_t statement)
{
	const struct ir_kernel *kernel = schedule->kernel;
	const struct ir_statement *s = &kernel->statements[statement];
	uint32_t list = list_of(schedule->kernel, statement), i = kernel->blocks[s->body].first;
	int64_t always;

	if (s->tests_last || (s->condition != IR_NONE &&
	                      (!kernel_constant(kernel, s->condition, &always) || always == 0)))
		return IR_NONE;
	while (i != IR_NONE && kernel->statements[i].kind == STATEMENT_ACCESS)
		i = kernel->statements[i].following;
	if (i == IR_NONE || kernel->statements[i].kind != STATEMENT_BRANCH ||
	    !leaves_loop(schedule->kernel, kernel->statements[i].body) ||
	    !schedule_has(schedule, kernel->statements[i].condition) || facts[list].exits != 1 ||
	    (schedule->flags[kernel->statements[i].condition] &
	     (SCHEDULE_OPAQUE | SCHEDULE_REDRAWN)) ||
	    reads_along(schedule, kernel->statements[i].condition, list))
		return IR_NONE;
	return kernel->statements[i].condition;
}

bool exit_is_by_lane(const struct schedule *schedule, const struct loop_facts *facts,
                     uint32_t condition)
{
	uint8_t flags = condition == IR_NONE ? 0 : schedule->flags[condition];

	return facts->is_by_lane ||
	       ((flags & (SCHEDULE_OPAQUE | SCHEDULE_REDRAWN)) && (flags & SCHEDULE_BY_LANE));
}
