/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory of a dry run. What a buffer holds follows from where it is asked: always the same at
 * one place. What the kernel stores it finds again, in arrays of its own and of its group (where
 * other work-items have been before) and in buffers that it writes.
 */
#include <math.h>
#include <string.h>

#include "model/evaluate/content.h"
#include "model/evaluate/dryrun_state.h"

/* An integer of all bits of its type, but a sign. */
static int64_t wild(struct type type, uint64_t drawn)
{
	unsigned bits = 8 * type_bytes(type);

	if (bits > 8 && type_is_signed(type))
		bits--;
	return number_wrap(type, (int64_t)(drawn >> (64 - bits)));
}

/* One scalar of memory that nobody has stored to, at an address that rests on `of_address`. */
static int64_t made_up(const struct dryrun_state *state, const struct ir_access *access,
                       uint64_t address, uint8_t of_address, uint8_t *ground)
{
	const struct rows *rows = state->schedule->rows;
	struct type type = {.scalar = access->type.scalar, .width = 1};
	struct content content = content_of(state->schedule->question, rows, access, type);
	uint64_t drawn = number_mix(number_mix(((uint64_t)access->object << 32) + 1) + address);
	double real;

	switch (content.kind) {
	case CONTENT_HELD:
		/* as known as where it lies; anywhere it is one of those that were sampled */
		*ground |= of_address != 0 ? DRYRUN_EVEN : 0;
		return held_number(content.held, address);
	case CONTENT_REAL:
		*ground |= DRYRUN_REAL | DRYRUN_RAW;
		real = number_unit(drawn);
		return number_bits(type, state->is_signed ? 2 * real - 1 : real);
	case CONTENT_ROW:
		*ground |= DRYRUN_EVEN;
		return number_wrap(type, rows_begin(rows, (double)(address / access->scale_bytes)));
	case CONTENT_RANGE:
		*ground |= DRYRUN_EVEN;
		return content_number(&content, type, drawn);
	case CONTENT_BYTE:
		*ground |= DRYRUN_BYTE;
		return wild(type, drawn);
	default:
		*ground |= DRYRUN_WILD;
		return wild(type, drawn);
	}
}

/* Where in its table a place is, or would be; IR_NONE: it is full. */
static uint32_t find(const struct dryrun_array *array, uint64_t address)
{
	uint64_t place = address / array->unit_bytes + 1;
	uint32_t at = (uint32_t)number_mix(place) & (array->size - 1);

	for (uint32_t i = 0; i < array->size; i++, at = (at + 1) & (array->size - 1))
		if (array->place[at] == place || array->place[at] == 0)
			return at;
	return IR_NONE;
}

static void keep(struct dryrun_array *array, uint64_t address, int64_t value, uint8_t ground,
                 uint32_t now)
{
	uint32_t at = find(array, address);

	if (at == IR_NONE || (array->place[at] == 0 && array->used > array->size / 4 * 3)) {
		array->is_full = true;
		return;
	}
	array->used += array->place[at] == 0;
	array->place[at] = address / array->unit_bytes + 1;
	array->value[at] = value;
	array->ground[at] = ground;
	if (array->stored)
		array->stored[at] = now;
	array->last = at;
}

/*
 * Whether what a place of local memory holds is what this work-item has stored there: others may
 * do so behind a barrier alone.
 */
static bool is_mine(const struct dryrun_state *state, const struct dryrun_array *array, uint32_t at)
{
	return array->stored && at != IR_NONE && array->place[at] != 0 &&
	       array->stored[at] >= state->barrier_stamp;
}

static void load(struct dryrun_state *state, const struct ir_access *access, uint64_t address,
                 uint8_t ground)
{
	const struct dryrun_array *array = &state->arrays[access->object];
	uint32_t node = access->result, at;
	int64_t *r = state->value + state->offset[node];
	uint32_t bytes = scalar_bytes((enum scalar)access->type.scalar);
	uint8_t space = state->kernel->objects[access->object].space;
	bool is_own = space == SPACE_LOCAL || space == SPACE_PRIVATE;

	for (unsigned i = 0; i < state->kernel->nodes[node].type.width; i++, address += bytes) {
		uint8_t of_place = 0;

		at = IR_NONE;
		if (array->place) {
			at = find(array, address);
			if (space == SPACE_LOCAL && !is_mine(state, array, at))
				ground |= DRYRUN_SHARED;
			if (at != IR_NONE && array->place[at] == 0)
				at = is_own ? array->last
				            : IR_NONE; /* as it has stored elsewhere */
		}
		if (at != IR_NONE) {
			r[i] = array->value[at];
			ground |= array->ground[at];
			continue;
		}
		if (is_own) {
			r[i] = 0;
			ground |= DRYRUN_OPEN;
			continue;
		}
		/* whatever place it is, it is like others */
		r[i] = made_up(state, access, address, ground, &of_place);
		if (state->is_written[access->object] &&
		    !question_held(state->schedule->question, access))
			of_place |= array->is_full ? DRYRUN_OPEN : DRYRUN_SHARED;
		ground = (uint8_t)((ground & (DRYRUN_OPEN | DRYRUN_SHARED)) | of_place);
	}
	state->ground[node] = ground;
	state->stamp[node] = ++state->now;
}

void dryrun_access(struct dryrun_state *state, uint32_t access)
{
	const struct ir_access *a = &state->kernel->accesses[access];
	bool is_load = a->kind != ACCESS_STORE && dryrun_wants(state, a->result);
	uint64_t address = (uint64_t)a->offset_bytes;
	uint8_t ground = 0, of_value;
	const int64_t *value;
	uint32_t bytes = scalar_bytes((enum scalar)a->type.scalar);

	if (!is_load && (a->kind != ACCESS_STORE || !state->is_object_wanted[a->object]))
		return;
	if (a->index != IR_NONE) {
		if (!dryrun_wants(state, a->index))
			return;
		address += a->scale_bytes * (uint64_t)dryrun_value(state, a->index, &ground)[0];
	}
	if (a->kind == ACCESS_ATOMIC) {
		/* what others have made of it */
		state->value[state->offset[a->result]] =
		        number_wrap(a->type, (int64_t)(number_mix(address + state->now) >> 7));
		state->ground[a->result] = DRYRUN_WILD;
		state->stamp[a->result] = ++state->now;
		return;
	}
	if (is_load) {
		load(state, a, address, ground);
		return;
	}
	if (!dryrun_wants(state, a->value))
		return;
	value = dryrun_value(state, a->value, &of_value);
	for (unsigned i = 0; i < a->type.width; i++)
		keep(&state->arrays[a->object], address + (uint64_t)i * bytes,
		     value[state->kernel->nodes[a->value].type.width > 1 ? i : 0],
		     of_value | ground, state->now);
}

void dryrun_forget(struct dryrun_state *state)
{
	for (uint32_t i = 0; i < state->kernel->object_count; i++) {
		struct dryrun_array *array = &state->arrays[i];

		if (!array->place || state->kernel->objects[i].space == SPACE_LOCAL)
			continue;
		memset(array->place, 0, array->size * sizeof(*array->place));
		array->last = IR_NONE;
		array->used = 0;
		array->is_full = false;
	}
}
