/* SPDX-License-Identifier: Apache-2.0 */
/* What loads yield. */
#include "model/evaluate/load.h"

#include <math.h>
#include <string.h>

#include "model/evaluate/content.h"

void load_places(const struct lanes *lanes, const struct ir_access *access, unsigned part,
                 struct type type, int64_t *r, uint8_t *k)
{
	const struct warps *sampled = lanes->sampled;
	const struct content open = {.kind = type_is_real(type) ? CONTENT_REAL : CONTENT_OPEN};
	const int64_t *place = NULL;
	const uint8_t *is_place = NULL;

	memset(k, 0, lanes->count);
	if (!(device_value(lanes->question->device, COEFFICIENT_WARP_ITEMS, 1) > 1.5))
		return; /* a compiler that makes vectors gathers all the same */
	if (access->index != IR_NONE) {
		if (!lanes_has(lanes, access->index))
			return;
		place = lanes_value(lanes, access->index);
		is_place = lanes_known(lanes, access->index);
	}
	for (unsigned warp = 0; warp < sampled->warps; warp++) {
		unsigned first = warp * sampled->warp_items, end = first + sampled->warp_items;
		bool is_one = true;
		uint64_t at;
		int64_t value;

		for (unsigned i = first; place && i < end && is_one; i++)
			is_one = !sampled->is_lane[i] || (is_place[i] && place[i] == place[first]);
		if (!is_one)
			continue;
		at = (uint64_t)access->offset_bytes +
		     (uint64_t)part * scalar_bytes((enum scalar)type.scalar) +
		     access->scale_bytes * (uint64_t)(place ? place[first] : 0);
		value = content_number(&open, type,
		                       number_mix(((uint64_t)access->object << 56) + at));
		for (unsigned i = first; i < end; i++)
			r[i] = value;
		memset(k + first, NUMBER_PLACE, sampled->warp_items);
	}
}

/* Where rows begin: of one that data choose, any. */
static bool row_values(const struct lanes *lanes, const struct ir_access *access, struct type type,
                       int64_t *r, uint8_t *k)
{
	const struct rows *rows = lanes->schedule->rows;
	int64_t offset, from_row;
	const int64_t *index;
	const uint8_t *known;
	uint32_t row;

	if (!rows_has(rows, access) || !lanes_has(lanes, access->index))
		return false;
	index = lanes_value(lanes, access->index);
	known = lanes_known(lanes, access->index);
	offset = access->offset_bytes / access->scale_bytes;
	row = rows_index(lanes->kernel, access, &from_row);
	for (unsigned i = 0; i < lanes->count; i++) {
		double at = (double)index[i] + (double)offset;

		if (!known[i])
			at = floor(number_unit(number_mix(((uint64_t)row << 32) + i)) *
			           rows->count) +
			     (double)from_row;
		r[i] = number_wrap(type, rows_begin(rows, at));
		k[i] = NUMBER_CHANCE;
	}
	return true;
}

/* Any value of the hinted range, of one place always the same. */
static void ranged_values(const struct lanes *lanes, uint32_t node, const struct content *range,
                          int64_t *r, uint8_t *k)
{
	const struct ir_access *access = &lanes->kernel->accesses[lanes->kernel->nodes[node].aux];
	uint64_t argument = lanes->kernel->objects[access->object].argument;
	uint64_t reading = drawn_once(lanes->schedule, node) ? 0 : lanes->budget->used * 64;
	const int64_t *place = NULL;
	const uint8_t *is_place = NULL;

	if (lanes_has(lanes, access->index)) {
		place = lanes_value(lanes, access->index);
		is_place = lanes_known(lanes, access->index);
	}
	for (unsigned i = 0; i < lanes->count; i++) {
		uint64_t chance = number_mix(((uint64_t)node << 32) + reading + i);

		if (access->index == IR_NONE || (place && is_place[i]))
			chance = number_mix((argument << 56) + (uint64_t)access->offset_bytes +
			                    access->scale_bytes * (uint64_t)(place ? place[i] : 0));
		r[i] = content_number(range, lanes->kernel->nodes[node].type, chance);
	}
	memset(k, NUMBER_CHANCE, lanes->count);
}

/*
 * What was sampled, of known places as far as those are known; of others any. part: of a vector.
 */
static void held_values(const struct lanes *lanes, const struct ir_access *access, unsigned part,
                        struct held *held, int64_t *r, uint8_t *k)
{
	uint64_t begin = (uint64_t)access->offset_bytes +
	                 (uint64_t)part * scalar_bytes((enum scalar)held->scalar);
	uint64_t reading = lanes->budget->used * 64 + begin;
	const int64_t *place = NULL;
	const uint8_t *is_place = NULL;
	int64_t before = 0; /* where lane 0 reads: most lanes of a warp may read one place */

	if (lanes_has(lanes, access->index)) {
		place = lanes_value(lanes, access->index);
		is_place = lanes_known(lanes, access->index);
	}
	for (unsigned i = 0; i < lanes->count; i++) {
		int64_t at = place ? place[i] : 0;

		if (access->index != IR_NONE && !(place && is_place[i])) {
			r[i] = held_any(held,
			                number_mix(((uint64_t)access->result << 32) + reading + i));
			k[i] = NUMBER_CHANCE;
			continue;
		}
		k[i] = is_place ? is_place[i] : NUMBER_KNOWN;
		if (i > 0 && at == before && k[i] == k[i - 1])
			r[i] = r[i - 1];
		else
			r[i] = held_number(held, begin + access->scale_bytes * (uint64_t)at);
		before = at;
	}
}

bool load_part(const struct lanes *lanes, const struct ir_access *access, unsigned part, int64_t *r,
               uint8_t *k)
{
	struct held *held = question_held(lanes->question, access);

	if (held)
		held_values(lanes, access, part, held, r, k);
	return held != NULL;
}

void load_values(const struct lanes *lanes, uint32_t node, int64_t *r, uint8_t *k)
{
	const struct question *question = lanes->question;
	const struct ir_node *n = &lanes->kernel->nodes[node];
	const struct ir_access *access = &lanes->kernel->accesses[n->aux];
	struct content content = content_of(question, lanes->schedule->rows, access, n->type);

	if (content.kind == CONTENT_ROW) {
		if (row_values(lanes, access, n->type, r, k))
			return;
		content = content_of(question, NULL, access, n->type);
	}
	if (content.kind == CONTENT_HELD)
		held_values(lanes, access, 0, content.held, r, k);
	else if (content.kind == CONTENT_RANGE)
		ranged_values(lanes, node, &content, r, k);
	else
		load_places(lanes, access, 0, n->type, r, k);
}
