/* SPDX-License-Identifier: Apache-2.0 */
/* Work-items through the statements of a kernel, and what is counted of them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/evaluate/dryrun_state.h"
#include "model/evaluate/number.h"

enum {
	TRIPS_OPEN = 16, /* of a loop whose condition cannot be computed */
	TRIPS_MOST = 1 << 20,
	NODES_MAX = 1 << 14,
	ITEMS_LEAST = 32,
	MET_ENOUGH = 64
};

enum way { WAY_ON, WAY_EXIT, WAY_NEXT, WAY_CUT };

static enum way walk(struct dryrun_state *state, uint32_t block, unsigned depth);

static struct dryrun_place *place_of(const struct dryrun_state *state, uint32_t statement)
{
	return &state->result->places[state->result->place_of[statement]];
}

static bool truth(struct dryrun_state *state, uint32_t node, uint8_t *ground)
{
	uint8_t own;
	const int64_t *value = dryrun_value(state, node, &own);

	*ground |= own;
	if (type_is_real(state->kernel->nodes[node].type))
		return number_real(value[0]) != 0;
	return value[0] != 0;
}

/* What a jump by data does to the loops that it leaves. */
static void ground_loops(struct dryrun_state *state, uint32_t block, uint8_t ground)
{
	uint32_t list = list_around(state->kernel, block);

	if (list != 0)
		place_of(state, state->kernel->summary->loops[list - 1].statement)->ground |=
		        ground;
}

static enum way walk_branch(struct dryrun_state *state, uint32_t statement, unsigned depth)
{
	const struct ir_statement *s = &state->kernel->statements[statement];
	struct dryrun_place *place = place_of(state, statement);
	uint8_t ground = 0;
	bool is_taken;

	if (!dryrun_wants(state, s->condition))
		return WAY_ON;
	is_taken = truth(state, s->condition, &ground);
	/* what cannot be computed goes either way */
	if (ground & DRYRUN_OPEN)
		is_taken = number_mix(state->left) & 1;
	state->met_stamp[s->condition] = ++state->now;
	state->met_value[s->condition] = (uint16_t)(ground << 1 | is_taken);
	place->met++;
	place->sum += is_taken;
	place->met_by[state->item]++;
	place->sum_by[state->item] += is_taken;
	place->ground |= ground;
	if (state->has_jump[statement])
		ground_loops(state, s->block, ground);
	return walk(state, is_taken ? s->body : s->otherwise, depth + 1);
}

/* The variables take what they begin with, or what the next iteration sees. */
static void set_variables(struct dryrun_state *state, const struct ir_statement *loop,
                          uint32_t list, bool is_first)
{
	const struct ir_variable *variables = &state->kernel->variables[loop->first_variable];

	/* all are computed before any is set */
	for (unsigned pass = 0; pass < 2; pass++) {
		if (pass == 1)
			dryrun_go_on(state, list);
		for (uint32_t i = 0; i < loop->variable_count; i++) {
			uint32_t node = variables[i].node;
			uint32_t from = is_first ? variables[i].init : variables[i].next;
			unsigned width;
			uint8_t ground;
			const int64_t *value;
			int64_t *to;

			if (!dryrun_wants(state, node) || !dryrun_wants(state, from))
				continue;
			width = state->kernel->nodes[node].type.width;
			to = state->value + state->offset[node];
			if (pass == 0) {
				value = dryrun_value(state, from, &ground);
				/* the second half of its place is where it waits */
				for (unsigned lane = 0; lane < width; lane++)
					to[width + lane] = value[lane];
				state->pending[node] = ground;
				continue;
			}
			for (unsigned lane = 0; lane < width; lane++)
				to[lane] = to[width + lane];
			state->ground[node] = state->pending[node];
			state->stamp[node] = state->now;
		}
	}
}

static void count_loop(struct dryrun_state *state, struct dryrun_place *place, uint64_t trips)
{
	if (place->met < DRYRUN_KEPT)
		place->kept[place->met] = trips < UINT32_MAX ? (uint32_t)trips : UINT32_MAX;
	place->met++;
	place->sum += (double)trips;
	place->met_by[state->item]++;
	place->sum_by[state->item] += (float)trips;
}

/* Whether a loop goes on after so many trips. */
static bool asks(struct dryrun_state *state, const struct ir_statement *loop,
                 struct dryrun_place *place, uint64_t trips)
{
	uint8_t ground = 0;
	bool goes_on = truth(state, loop->condition, &ground);

	place->ground |= ground;
	return ground & DRYRUN_OPEN ? trips < TRIPS_OPEN : goes_on;
}

static enum way walk_loop(struct dryrun_state *state, uint32_t statement, unsigned depth)
{
	const struct ir_statement *s = &state->kernel->statements[statement];
	struct dryrun_place *place = place_of(state, statement);
	uint32_t list = list_of(state->kernel, statement);
	enum way way = WAY_ON;
	uint64_t trips = 0;

	/* not needed; or needed by a chain of arrays that is too long to be found */
	if (!state->must_run[list] ||
	    (s->condition != IR_NONE && !dryrun_wants(state, s->condition)))
		return WAY_ON;
	set_variables(state, s, list, true);
	state->is_active[list] = 1;
	while (true) {
		bool goes_on = true;

		if (state->left == 0 || trips >= TRIPS_MOST) {
			way = WAY_CUT;
			break;
		}
		state->left--;
		if (s->condition != IR_NONE && !s->tests_last) {
			goes_on = asks(state, s, place, trips);
			if (!goes_on)
				break;
		}
		trips++;
		way = walk(state, s->body, depth + 1);
		if (way == WAY_EXIT && state->target == statement) {
			way = WAY_ON;
			break;
		}
		if (way == WAY_CUT || way == WAY_EXIT ||
		    (way == WAY_NEXT && state->target != statement))
			break;
		way = WAY_ON;
		if (s->condition != IR_NONE && s->tests_last)
			goes_on = asks(state, s, place, trips);
		set_variables(state, s, list, false);
		if (!goes_on)
			break;
	}
	state->is_active[list] = 0;
	/* who is still in the loop is taken to be half way, but not where it is all that is known
	 */
	if (way == WAY_CUT && place->met == 0)
		place->ground |= DRYRUN_OPEN;
	count_loop(state, place, way == WAY_CUT ? 2 * trips : trips);
	return way;
}

static enum way walk(struct dryrun_state *state, uint32_t block, unsigned depth)
{
	const struct ir_kernel *kernel = state->kernel;
	enum way way = WAY_ON;

	if (block == IR_NONE || depth > IR_DEPTH_MAX)
		return WAY_ON;
	for (uint32_t i = kernel->blocks[block].first; i != IR_NONE && way == WAY_ON;
	     i = kernel->statements[i].following) {
		const struct ir_statement *s = &kernel->statements[i];

		switch (s->kind) {
		case STATEMENT_ACCESS:
			dryrun_access(state, s->access);
			break;
		case STATEMENT_BRANCH:
			way = walk_branch(state, i, depth);
			break;
		case STATEMENT_LOOP:
			way = walk_loop(state, i, depth);
			break;
		case STATEMENT_SCOPE:
			way = walk(state, s->body, depth + 1);
			if (way == WAY_EXIT && state->target == i)
				way = WAY_ON;
			break;
		case STATEMENT_BARRIER:
			state->barrier_stamp = ++state->now;
			break;
		case STATEMENT_EXIT:
		case STATEMENT_NEXT:
			state->target = s->target;
			return s->kind == STATEMENT_NEXT ? WAY_NEXT : WAY_EXIT;
		default:
			break;
		}
		if (state->left > 0)
			state->left--;
		else if (way == WAY_ON)
			way = WAY_CUT;
	}
	return way;
}

/* A lane of one of the warps that stand for all, which lie apart; false: it is no work-item. */
static bool place_item(struct dryrun_state *state, unsigned run, unsigned lane)
{
	const struct launch *launch = state->schedule->question->launch;
	const struct evaluation *result = state->schedule->question->sizes;
	/* not a multiple of a side of the NDRange apart */
	double place = (run + 0.5) / (double)(int)DRYRUN_WARPS * result->warps +
	               run * GOLDEN_SECTION * (double)result->group_count[0];
	uint64_t warp = (uint64_t)fmod(place, result->warps), group, first, grid[3], local[3];

	group = warp / result->group_warps;
	first = warp % result->group_warps * result->warp_items + lane;
	if (first >= result->group_items)
		return false;
	grid[0] = group % result->group_count[0];
	grid[1] = group / result->group_count[0] % result->group_count[1];
	grid[2] = group / result->group_count[0] / result->group_count[1];
	local[0] = first % launch->local[0];
	local[1] = first / launch->local[0] % launch->local[1];
	local[2] = first / launch->local[0] / launch->local[1];
	for (unsigned d = 0; d < 3; d++) {
		uint64_t global = grid[d] * launch->local[d] + local[d];

		if (global >= launch->global[d])
			return false;
		state->ids[d] = global + launch->offset[d];
		state->ids[3 + d] = local[d];
		state->ids[6 + d] = grid[d];
	}
	return true;
}

/* Whether each place that was met at all was met often enough. */
static bool is_enough(const struct dryrun *run)
{
	for (uint32_t i = 0; i < run->place_count; i++)
		if (run->places[i].met > 0 && run->places[i].met < MET_ENOUGH &&
		    run->places[i].ground != 0)
			return false;
	return true;
}

static void run_items(struct dryrun_state *state)
{
	/* both halves of a warp first */
	static const unsigned order[DRYRUN_LANES] = {0, 4, 2, 6, 1, 5, 3, 7};
	unsigned warp_items = state->schedule->question->sizes->warp_items;

	for (unsigned i = 0; i < DRYRUN_ITEMS && state->left > 0; i++) {
		unsigned run = i % DRYRUN_WARPS, lane = order[i / DRYRUN_WARPS];

		if (i >= ITEMS_LEAST && is_enough(state->result))
			break;
		if (!place_item(state, run, lane * warp_items / DRYRUN_LANES))
			continue;
		state->item = run * DRYRUN_LANES + lane;
		state->is_signed = run % 2 != 0;
		dryrun_go_on(state, 0);
		state->item_stamp = state->now;
		state->barrier_stamp = ++state->now;
		memset(state->is_active, 0, state->kernel->summary->loop_count + 1);
		dryrun_forget(state);
		walk(state, 0, 0);
	}
}

void dryrun_make(struct dryrun *run)
{
	const struct ir_kernel *kernel = run->schedule->kernel;
	struct dryrun_state state = {
	        .schedule = run->schedule, .kernel = kernel, .result = run, .left = run->budget};
	bool is_done = false;

	run->is_made = true;
	if (kernel->node_count > NODES_MAX)
		return;
	if (dryrun_prepare(&state)) {
		is_done = true;
		run_items(&state);
	}
	for (uint32_t i = 0; state.arrays && i < kernel->object_count; i++) {
		free(state.arrays[i].place);
		free(state.arrays[i].value);
		free(state.arrays[i].ground);
		free(state.arrays[i].stored);
	}
	free(state.list_stamp);
	free(state.list_end);
	free(state.held_by);
	free(state.is_active);
	free(state.must_run);
	free(state.offset);
	free(state.stamp);
	free(state.met_stamp);
	free(state.ground);
	free(state.met_value);
	free(state.pending);
	free(state.value);
	free(state.stack);
	free(state.is_written);
	free(state.is_object_wanted);
	free(state.arrays);
	free(state.has_jump);
	if (!is_done)
		dryrun_deinit(run);
}

void dryrun_deinit(struct dryrun *run)
{
	free(run->places);
	free(run->place_of);
	run->places = NULL;
	run->place_of = NULL;
}
