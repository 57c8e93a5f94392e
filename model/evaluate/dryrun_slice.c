/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What decisions rest on (a slice: Weiser, IEEE Trans. Software Eng. 10, 1984): the nodes that
 * open conditions need, the loops that those come from, what is stored where they load it. Loops
 * that none of it needs are not run.
 */
#include <stdlib.h>
#include <string.h>

#include "model/evaluate/dryrun_state.h"
#include "model/evaluate/exits.h"

enum {
	PASSES = 12,
	PLACES_MAX = 512,
	ARRAY_MAX = 1 << 12, /* scalars that are kept of one, twice */
	LANES_ALL_MAX = 1 << 18
};

struct slice {
	struct dryrun_state *state;
	uint8_t *is_wanted; /* per node */
	uint32_t *stack;
	bool is_changed;
};

static void want(struct slice *slice, uint32_t node)
{
	const struct ir_kernel *kernel = slice->state->kernel;
	size_t depth = 0;

	if (node == IR_NONE || slice->is_wanted[node])
		return;
	slice->is_wanted[node] = 1;
	slice->is_changed = true;
	slice->stack[depth++] = node;
	while (depth > 0) {
		uint32_t top = slice->stack[--depth];
		const struct ir_node *n = &kernel->nodes[top];
		const uint32_t *operands = kernel_operands(kernel, top);
		uint32_t more[2] = {IR_NONE, IR_NONE};

		if (n->op == NODE_LOOP_VAR) {
			more[0] = kernel_variable(kernel, top)->init;
			more[1] = kernel_variable(kernel, top)->next;
		}
		if (n->op == NODE_LOAD && n->aux < kernel->access_count)
			more[0] = kernel->accesses[n->aux].index;
		for (unsigned i = 0; i < n->operand_count + 2u; i++) {
			uint32_t other = i < 2 ? more[i] : operands[i - 2];

			if (other == IR_NONE || slice->is_wanted[other])
				continue;
			slice->is_wanted[other] = 1;
			slice->stack[depth++] = other;
		}
	}
}

/* Loops around a list, and its own, have to be run. */
static void run_list(struct slice *slice, uint32_t list)
{
	for (; list != 0 && !slice->state->must_run[list];
	     list = list_outside(slice->state->kernel, list)) {
		slice->state->must_run[list] = 1;
		slice->is_changed = true;
	}
}

static bool is_open(const struct slice *slice, uint32_t condition)
{
	return condition != IR_NONE &&
	       (slice->state->schedule->flags[condition] & (SCHEDULE_TAINTED | SCHEDULE_COUNTED));
}

static void want_access(struct slice *slice, uint32_t access, uint32_t list)
{
	struct dryrun_state *state = slice->state;
	const struct ir_access *a = &state->kernel->accesses[access];

	if (a->kind == ACCESS_LOAD && a->result != IR_NONE && slice->is_wanted[a->result]) {
		run_list(slice, list);
		if (state->is_written[a->object] && !state->is_object_wanted[a->object]) {
			state->is_object_wanted[a->object] = 1;
			slice->is_changed = true;
		}
	}
	if (a->kind == ACCESS_STORE && state->is_object_wanted[a->object]) {
		run_list(slice, list);
		want(slice, a->index);
		want(slice, a->value);
	}
}

static void pass_over(struct slice *slice)
{
	struct dryrun_state *state = slice->state;
	const struct ir_kernel *kernel = state->kernel;

	for (uint32_t i = 0; i < kernel->statement_count; i++) {
		const struct ir_statement *s = &kernel->statements[i];
		uint32_t list = list_around(state->kernel, s->block);

		if (s->kind == STATEMENT_ACCESS)
			want_access(slice, s->access, list);
		if (s->kind == STATEMENT_LOOP)
			list = list_of(state->kernel, i);
		if (s->kind != STATEMENT_LOOP && s->kind != STATEMENT_BRANCH)
			continue;
		if (is_open(slice, s->condition))
			run_list(slice, list);
		if (list == 0 || state->must_run[list])
			want(slice, s->condition);
	}
	for (uint32_t node = 0; node < kernel->node_count; node++)
		if (slice->is_wanted[node])
			run_list(slice, state->schedule->list[node]);
}

static bool take_places(struct dryrun_state *state)
{
	const struct ir_kernel *kernel = state->kernel;
	struct dryrun *run = state->result;

	run->place_of = malloc((kernel->statement_count + 1) * sizeof(*run->place_of));
	state->has_jump = calloc(kernel->statement_count + 1, 1);
	if (!run->place_of || !state->has_jump)
		return false;
	for (uint32_t i = 0; i < kernel->statement_count; i++) {
		const struct ir_statement *s = &kernel->statements[i];

		run->place_of[i] = IR_NONE;
		if (s->kind != STATEMENT_LOOP && s->kind != STATEMENT_BRANCH)
			continue;
		run->place_of[i] = run->place_count++;
		if (s->kind == STATEMENT_BRANCH)
			state->has_jump[i] = block_jumps(kernel, s->body, false, 0) ||
			                     block_jumps(kernel, s->otherwise, false, 0);
	}
	if (run->place_count > PLACES_MAX)
		return false;
	run->places = calloc(run->place_count + 1, sizeof(*run->places));
	return run->places != NULL;
}

static bool has_atomics(const struct ir_kernel *kernel, uint32_t object)
{
	for (uint32_t i = 0; i < kernel->access_count; i++)
		if (kernel->accesses[i].object == object &&
		    kernel->accesses[i].kind == ACCESS_ATOMIC)
			return true;
	return false;
}

/* Room for what is stored to an array whose values matter. */
static bool take_array(struct dryrun_state *state, uint32_t object)
{
	const struct ir_object *o = &state->kernel->objects[object];
	const struct launch_argument *argument =
	        question_argument(state->schedule->question, object);
	struct dryrun_array *array = &state->arrays[object];
	uint64_t bytes = o->size_bytes;

	if (!state->is_object_wanted[object])
		return true;
	if (argument)
		bytes = argument->size_bytes;
	array->unit_bytes = 4;
	for (uint32_t i = 0; i < state->kernel->access_count; i++) {
		const struct ir_access *a = &state->kernel->accesses[i];
		uint32_t scalar = scalar_bytes((enum scalar)a->type.scalar);

		if (a->object == object && scalar > 0 && scalar < array->unit_bytes)
			array->unit_bytes = scalar;
	}
	array->last = IR_NONE;
	for (array->size = 16;
	     array->size < ARRAY_MAX && array->size / 2 < bytes / array->unit_bytes;)
		array->size *= 2;
	array->place = calloc(array->size, sizeof(*array->place));
	array->value = calloc(array->size, sizeof(*array->value));
	array->ground = calloc(array->size, 1);
	if (o->space == SPACE_LOCAL && !has_atomics(state->kernel, object)) {
		array->stored = calloc(array->size, sizeof(*array->stored));
		if (!array->stored)
			return false;
	}
	return array->place && array->value && array->ground;
}

static bool take_nodes(struct dryrun_state *state, const uint8_t *is_wanted)
{
	const struct ir_kernel *kernel = state->kernel;
	uint32_t lanes = 0;

	for (uint32_t node = 0; node < kernel->node_count; node++) {
		const struct ir_node *n = &kernel->nodes[node];

		state->offset[node] = IR_NONE;
		if (!is_wanted[node])
			continue;
		state->offset[node] = lanes;
		lanes += n->type.width * (n->op == NODE_LOOP_VAR ? 2u : 1u);
		if (lanes > LANES_ALL_MAX)
			return false;
	}
	state->value = calloc((size_t)lanes + DRYRUN_WIDTH, sizeof(*state->value));
	return state->value != NULL;
}

/* What statements give holds until the next time; all else as long as the loops around do. */
static void find_holders(struct dryrun_state *state)
{
	const struct schedule *schedule = state->schedule;
	uint32_t lists = schedule->kernel->summary->loop_count + 1;

	for (uint32_t list = 0; list < lists; list++)
		state->list_end[list] = list + 1;
	for (uint32_t list = lists - 1; list > 0; list--) {
		uint32_t outside = list_outside(schedule->kernel, list);

		if (state->list_end[list] > state->list_end[outside])
			state->list_end[outside] = state->list_end[list];
	}
	state->list_end[0] = lists;
	for (uint32_t node = 0; node < state->kernel->node_count; node++) {
		unsigned op = state->kernel->nodes[node].op;

		state->held_by[node] = op == NODE_LOAD || op == NODE_ATOMIC || op == NODE_LOOP_VAR
		                               ? lists
		                               : schedule->list[node];
	}
}

static bool take_state(struct dryrun_state *state)
{
	const struct ir_kernel *kernel = state->kernel;
	size_t nodes = kernel->node_count + 1, lists = state->kernel->summary->loop_count + 1;

	state->list_stamp = calloc(lists + 1, sizeof(*state->list_stamp));
	state->list_end = calloc(lists, sizeof(*state->list_end));
	state->held_by = calloc(nodes, sizeof(*state->held_by));
	state->is_active = calloc(lists, 1);
	state->must_run = calloc(lists, 1);
	state->offset = calloc(nodes, sizeof(*state->offset));
	state->stamp = calloc(nodes, sizeof(*state->stamp));
	state->met_stamp = calloc(nodes, sizeof(*state->met_stamp));
	state->ground = calloc(nodes, 1);
	state->met_value = calloc(nodes, sizeof(*state->met_value));
	state->pending = calloc(nodes, 1);
	state->stack =
	        calloc(nodes + kernel->operand_count * (size_t)2 + 16, sizeof(*state->stack));
	state->is_written = calloc(kernel->object_count + 1, 1);
	state->is_object_wanted = calloc(kernel->object_count + 1, 1);
	state->arrays = calloc(kernel->object_count + 1, sizeof(*state->arrays));
	if (!state->list_stamp || !state->list_end || !state->held_by || !state->is_active ||
	    !state->must_run || !state->offset || !state->stamp || !state->met_stamp ||
	    !state->ground || !state->met_value || !state->pending || !state->stack ||
	    !state->is_written || !state->is_object_wanted || !state->arrays)
		return false;
	find_holders(state);
	return true;
}

bool dryrun_prepare(struct dryrun_state *state)
{
	const struct ir_kernel *kernel = state->kernel;
	size_t nodes = kernel->node_count + 1;
	struct slice slice = {.state = state, .is_changed = true};
	bool is_done = false;

	slice.is_wanted = calloc(nodes, 1);
	slice.stack = malloc((nodes + 16) * sizeof(*slice.stack));
	if (!slice.is_wanted || !slice.stack || !take_state(state) || !take_places(state))
		goto out;
	for (uint32_t i = 0; i < kernel->access_count; i++)
		if (kernel->accesses[i].kind != ACCESS_LOAD)
			state->is_written[kernel->accesses[i].object] = 1;
	for (unsigned pass = 0; pass < PASSES && slice.is_changed; pass++) {
		slice.is_changed = false;
		pass_over(&slice);
	}
	is_done = take_nodes(state, slice.is_wanted);
	for (uint32_t i = 0; i < kernel->object_count && is_done; i++)
		is_done = take_array(state, i);
out:
	free(slice.is_wanted);
	free(slice.stack);
	return is_done;
}
