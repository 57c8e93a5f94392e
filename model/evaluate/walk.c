/* SPDX-License-Identifier: Apache-2.0 */
/* The walk over statements, and what it counts per block. */
#include "model/evaluate/walk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MEETINGS_MAX = 16 /* atomics of which it is counted where they meet */ };

static bool any_lane(const float *weight, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (weight[i] > 0)
			return true;
	return false;
}

/* Work-items whose divisor is known, or drawn, to be greater than what it is to divide. */
static void count_bypassed(struct walk *walk, uint32_t block, const float *weight)
{
	const struct ir_kernel *kernel = walk->kernel;

	for (uint32_t next = walk->divisions.first[block]; next != 0;
	     next = walk->divisions.next[next - 1]) {
		const struct ir_node *node = &kernel->nodes[next - 1];
		const uint32_t *operands = &kernel->operands[node->first_operand];
		const int64_t *dividend, *divisor;
		const uint8_t *known[2];
		double sum = 0;

		if (!lanes_has(walk->lanes, operands[0]) || !lanes_has(walk->lanes, operands[1]))
			continue;
		dividend = lanes_value(walk->lanes, operands[0]);
		divisor = lanes_value(walk->lanes, operands[1]);
		known[0] = lanes_known(walk->lanes, operands[0]);
		known[1] = lanes_known(walk->lanes, operands[1]);
		for (unsigned i = 0; i < walk->sampled->lanes; i++)
			if ((known[0][i] & known[1][i] & NUMBER_CHANCE) == NUMBER_CHANCE &&
			    (uint64_t)divisor[i] > (uint64_t)dividend[i])
				sum += walk->sampled->weight[i / walk->sampled->warp_items] *
				       (double)weight[i];
		walk->result->blocks[block].bypassed[node->op == NODE_REM] += sum;
		walk->budget->used += walk->sampled->lanes;
	}
}

static void count_block(struct walk *walk, uint32_t block, const float *weight,
                        const float *warp_weight)
{
	struct evaluation_block *result = &walk->result->blocks[block];

	float lanes[EVALUATE_WARPS_MAX] = {0}; /* of each warp: a sum waits for none of another */

	parts_count(&walk->parts, walk->sampled, block, weight);
	for (unsigned i = 0; i < walk->sampled->warp_items; i++)
		for (unsigned warp = 0; warp < walk->sampled->warps; warp++)
			lanes[warp] += weight[warp * walk->sampled->warp_items + i];
	for (unsigned warp = 0; warp < walk->sampled->warps; warp++) {
		slope_count(&walk->slope, warp, block, lanes[warp]);
		result->executions += walk->sampled->weight[warp] * (double)lanes[warp];
		result->warp_executions += walk->sampled->weight[warp] * (double)warp_weight[warp];
	}
}

static void walk_scope(struct walk *walk, uint32_t statement, float *weight, float *warp_weight)
{
	size_t mark = walk->arena.used;
	unsigned lanes = walk->sampled->lanes, warps = walk->sampled->warps;
	struct walk_target target = {.statement = statement, .outer = walk->targets};

	target.weight = arena_take(&walk->arena, lanes + warps);
	if (!target.weight)
		return;
	target.warp_weight = target.weight + lanes;
	memset(target.weight, 0, (lanes + warps) * sizeof(float));
	walk->targets = &target;
	walk_block(walk, walk->kernel->statements[statement].body, weight, warp_weight);
	walk->targets = target.outer;
	for (unsigned i = 0; i < lanes; i++)
		weight[i] += target.weight[i];
	for (unsigned i = 0; i < warps; i++)
		warp_weight[i] = fmaxf(warp_weight[i], target.warp_weight[i]);
	walk->arena.used = mark;
}

/*
 * The active lanes go to the end of `statement`, or to its next iteration;
 * loops on the way that they leave are told.
 */
static void walk_exit(struct walk *walk, uint32_t statement, bool is_next, float *weight,
                      float *warp_weight)
{
	struct walk_target *target = walk->targets;

	for (; target && target->statement != statement; target = target->outer)
		for (unsigned i = 0; target->left && i < walk->sampled->lanes; i++)
			target->left[i] += weight[i];
	if (target && (!is_next || target->again)) {
		float *lanes = is_next ? target->again : target->weight;
		float *warps = is_next ? target->again + walk->sampled->lanes : target->warp_weight;

		for (unsigned i = 0; i < walk->sampled->lanes; i++)
			lanes[i] += weight[i];
		for (unsigned i = 0; i < walk->sampled->warps; i++)
			warps[i] += warp_weight[i];
	}
	memset(weight, 0, walk->sampled->lanes * sizeof(*weight));
	memset(warp_weight, 0, walk->sampled->warps * sizeof(*warp_weight));
}

/* Loops that no lane enters still leave their variables at what they started from. */
static void refresh_skipped(struct walk *walk, uint32_t block)
{
	const struct ir_kernel *kernel = walk->kernel;

	if (block == IR_NONE || walk->budget->used > walk->budget->limit)
		return;
	for (uint32_t i = kernel->blocks[block].first; i != IR_NONE;
	     i = kernel->statements[i].following) {
		const struct ir_statement *s = &kernel->statements[i];

		if (s->kind == STATEMENT_LOOP)
			lanes_run(walk->lanes, list_of(walk->kernel, i),
			          walk->schedule->lists[list_of(walk->kernel, i)].count);
		if (s->kind == STATEMENT_LOOP || s->kind == STATEMENT_BRANCH ||
		    s->kind == STATEMENT_SCOPE)
			refresh_skipped(walk, s->body);
		if (s->kind == STATEMENT_BRANCH)
			refresh_skipped(walk, s->otherwise);
	}
}

void walk_block(struct walk *walk, uint32_t block, float *weight, float *warp_weight)
{
	const struct ir_kernel *kernel = walk->kernel;

	if (block == IR_NONE)
		return;
	if (!any_lane(weight, walk->sampled->lanes)) {
		refresh_skipped(walk, block);
		return;
	}
	count_block(walk, block, weight, warp_weight);
	count_bypassed(walk, block, weight);
	walk->budget->used += walk->sampled->lanes / 4;
	for (uint32_t i = kernel->blocks[block].first; i != IR_NONE;
	     i = kernel->statements[i].following) {
		const struct ir_statement *s = &kernel->statements[i];

		switch (s->kind) {
		case STATEMENT_ACCESS:
			if (walk->lanes->is_scouting)
				break;
			access_record(walk->lanes, walk->facts, walk->accesses, s->access, weight,
			              warp_weight);
			break;
		case STATEMENT_LOOP:
			walk_loop(walk, i, weight, warp_weight);
			break;
		case STATEMENT_BRANCH:
			walk_branch(walk, s, weight, warp_weight);
			break;
		case STATEMENT_SCOPE:
			walk_scope(walk, i, weight, warp_weight);
			break;
		case STATEMENT_EXIT:
		case STATEMENT_NEXT:
			walk_exit(walk, s->target, s->kind == STATEMENT_NEXT, weight, warp_weight);
			return;
		default:
			break;
		}
	}
}

bool walk_run(struct walk *walk)
{
	size_t mark = walk->arena.used;
	float *weight = arena_take(&walk->arena, walk->sampled->lanes + walk->sampled->warps);

	if (!weight)
		return false;
	slope_begin(&walk->slope);
	parts_begin(&walk->parts, walk->sampled);
	for (unsigned i = 0; i < walk->sampled->lanes; i++) {
		weight[i] = walk->sampled->is_lane[i] ? 1 : 0;
		walk->lanes_total +=
		        walk->sampled->weight[i / walk->sampled->warp_items] * (double)weight[i];
	}
	for (unsigned i = 0; i < walk->sampled->warps; i++) {
		const float *lanes = weight + i * walk->sampled->warp_items;

		weight[walk->sampled->lanes + i] =
		        any_lane(lanes, walk->sampled->warp_items) ? 1 : 0;
		walk->warps_total += walk->sampled->weight[i];
	}
	lanes_run(walk->lanes, 0, walk->schedule->lists[0].count);
	walk_block(walk, 0, weight, weight + walk->sampled->lanes);
	walk->arena.used = mark;
	if (!walk->lanes->is_scouting)
		slope_end(&walk->slope, walk->sampled);
	return true;
}

/*
 * Warps that are not looked at differ as those that are. Where a part of the data alone was read,
 * they differ from all of them once more as far: a gap holds what one run or another does.
 */
static double work_error(const struct walk *walk)
{
	bool decides = false, is_whole = true;

	if (!walk->question->held || walk->warps_total <= walk->sampled->all)
		return 0;
	for (uint32_t i = 0; i < walk->kernel->statement_count; i++) {
		const struct ir_statement *s = &walk->kernel->statements[i];

		decides |= (s->kind == STATEMENT_LOOP || s->kind == STATEMENT_BRANCH) &&
		           s->condition != IR_NONE &&
		           (walk->schedule->flags[s->condition] & SCHEDULE_HELD);
	}
	for (uint32_t i = 0; i < walk->kernel->access_count; i++)
		is_whole &= !walk->question->held[i] || held_is_whole(walk->question->held[i]);
	return decides ? slope_doubt(&walk->slope) * (is_whole ? 1 : sqrt(2)) : 0;
}

void walk_finish(struct walk *walk)
{
	struct evaluation *result = walk->result;
	double lanes = walk->lanes_total, warps = walk->warps_total;

	for (uint32_t i = 0; i < walk->kernel->block_count; i++) {
		for (unsigned rest = 0; rest < 2 && result->blocks[i].executions > 0; rest++)
			result->blocks[i].bypassed[rest] /= result->blocks[i].executions;
		result->blocks[i].executions /= lanes > 0 ? lanes : 1;
		result->blocks[i].warp_executions /= warps;
	}
	for (uint32_t i = 0; i < walk->kernel->summary->loop_count; i++) {
		const struct loop_tally *loop = &walk->tallies[i + 1];

		result->loops[i].trips =
		        loop->trip_weight > 0 ? loop->trips_total / loop->trip_weight : 0;
		result->loops[i].most = loop->most;
		result->loops[i].entries = loop->trip_weight / (lanes > 0 ? lanes : 1);
		result->loops[i].is_assumed = loop->is_assumed;
		for (unsigned t = 0; t < SHORT_TRIPS && loop->trip_weight > 0; t++)
			result->loops[i].usual = fmax(result->loops[i].usual,
			                              loop->short_entries[t] / loop->trip_weight);
	}
	result->slope = slope_of(&walk->slope);
	result->work_error = work_error(walk);
	parts_finish(&walk->parts, result);
	access_finish(walk->kernel, walk->accesses, result);
	hint_note(&walk->hints, walk->question->launch, result->note, sizeof(result->note));
	result->used = walk->budget->used + walk->budget->drawn;
	if (walk->budget->used > walk->budget->limit)
		result->is_capped = true;
	if (result->is_capped)
		note_add(result->note, sizeof(result->note),
		         "extrapolated: evaluation was cut short");
}

/* ---- memory -------------------------------------------------------------------------------- */

/* Divisions of a block, in lists: by kernel->summary->node_is_bypassed. */
static void find_divisions(const struct schedule *schedule, struct walk_divisions *divisions)
{
	const struct ir_summary *summary = schedule->kernel->summary;

	for (uint32_t id = 0; id < schedule->kernel->node_count; id++) {
		uint32_t block = summary->node_block[id];

		if (!summary->node_is_bypassed[id] || block == IR_NONE ||
		    !schedule_has(schedule, id))
			continue;
		divisions->next[id] = divisions->first[block];
		divisions->first[block] = id + 1;
	}
}

/* Numbers that blocks within each other take at most. */
static size_t arena_size(const struct ir_kernel *kernel, unsigned lanes)
{
	uint32_t depth = 1, variables = 0;
	size_t size;

	for (uint32_t i = 0; i < kernel->block_count; i++) {
		uint32_t block = i, nesting = 1;

		for (; kernel->blocks[block].owner != IR_NONE; nesting++)
			block = kernel->statements[kernel->blocks[block].owner].block;
		depth = nesting > depth ? nesting : depth;
	}
	size = ((size_t)depth + 4) * (lanes * 13 + 256);
	for (uint32_t i = 0; i < kernel->statement_count; i++) {
		const struct ir_statement *s = &kernel->statements[i];

		if (s->kind != STATEMENT_LOOP || s->variable_count == 0)
			continue;
		size += 16;
		variables = s->variable_count > variables ? s->variable_count : variables;
	}
	return size + (size_t)variables * lanes * 4;
}

/*
 * Where atomics meet is counted of the first that go to places that were sampled; in local memory
 * of exchanges alone, which may have to be repeated.
 */
static bool find_meetings(struct walk *walk)
{
	const struct ir_kernel *kernel = walk->kernel;
	unsigned count = 0;

	for (uint32_t i = 0; i < kernel->access_count && count < MEETINGS_MAX; i++) {
		const struct ir_access *access = &kernel->accesses[i];
		unsigned space = kernel->objects[access->object].space;
		double bytes = access->is_exchange ? walk->result->accesses[i].bytes : 0;

		if (access->kind != ACCESS_ATOMIC || access->index == IR_NONE ||
		    !(space == SPACE_GLOBAL || (space == SPACE_LOCAL && access->is_exchange)) ||
		    !(walk->schedule->flags[access->index] & SCHEDULE_HELD))
			continue;
		if (!meetings_init(&walk->accesses[i].meetings, walk->question->device, bytes))
			return false;
		count++;
	}
	return true;
}

bool walk_init(struct walk *walk, struct lanes *lanes, const struct loop_facts *facts,
               uint64_t dryrun_budget, struct evaluation *result)
{
	const struct ir_kernel *kernel = lanes->kernel;
	size_t nodes = kernel->node_count + 1, loops = kernel->summary->loop_count + 1;

	*walk = (struct walk){
	        .kernel = kernel,
	        .question = lanes->question,
	        .sampled = lanes->sampled,
	        .schedule = lanes->schedule,
	        .facts = facts,
	        .lanes = lanes,
	        .budget = lanes->budget,
	        .result = result,
	        .dryrun = {.schedule = lanes->schedule, .facts = facts, .budget = dryrun_budget},
	        .arena = {.size = arena_size(kernel, lanes->count)},
	};
	walk->divisions.first = calloc(kernel->block_count + 1, sizeof(*walk->divisions.first));
	walk->divisions.next = calloc(nodes, sizeof(*walk->divisions.next));
	walk->tallies = calloc(loops, sizeof(*walk->tallies));
	walk->accesses = calloc((size_t)kernel->access_count + 1, sizeof(*walk->accesses));
	walk->arena.memory = malloc(walk->arena.size * sizeof(*walk->arena.memory));
	walk->chances = (struct chances){
	        .kernel = kernel,
	        .question = lanes->question,
	        .schedule = lanes->schedule,
	        .lanes = lanes,
	        .tallies = walk->tallies,
	        .tried = calloc(nodes, sizeof(*walk->chances.tried)),
	};
	if (schedule_is_steered(lanes->schedule) && !device_is_lockstep(lanes->question->device) &&
	    !parts_init(&walk->parts, lanes->question))
		return false;
	if (!slope_init(&walk->slope, kernel) || !walk->divisions.first || !walk->divisions.next ||
	    !walk->tallies || !walk->accesses || !walk->arena.memory || !walk->chances.tried)
		return false;
	find_divisions(lanes->schedule, &walk->divisions);
	return find_meetings(walk);
}

void walk_deinit(struct walk *walk)
{
	dryrun_deinit(&walk->dryrun);
	slope_deinit(&walk->slope);
	parts_deinit(&walk->parts);
	free(walk->divisions.first);
	free(walk->divisions.next);
	free(walk->tallies);
	for (uint32_t i = 0; walk->accesses && i < walk->kernel->access_count; i++)
		meetings_deinit(&walk->accesses[i].meetings);
	free(walk->accesses);
	free(walk->arena.memory);
	free(walk->chances.tried);
	memset(walk, 0, sizeof(*walk));
}
