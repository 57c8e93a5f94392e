/* SPDX-License-Identifier: Apache-2.0 */
/* Values of nodes for all lanes, a list after the other. */
#include <stdlib.h>
#include <string.h>

#include "model/evaluate/lanes.h"
#include "model/evaluate/load.h"

static void fill(int64_t *r, uint8_t *k, unsigned n, int64_t value)
{
	for (unsigned i = 0; i < n; i++)
		r[i] = value;
	memset(k, NUMBER_KNOWN, n);
}

/* Leaves: what the launch says, ids, and loads. */
static void leaf(struct lanes *lanes, uint32_t node, int64_t *r, uint8_t *k)
{
	const struct ir_node *n = &lanes->kernel->nodes[node];
	unsigned count = lanes->count, d = n->aux < 3 ? n->aux : 0;
	const uint64_t *ids;
	int64_t value;

	if (question_value(lanes->question, n, 0, &value)) {
		fill(r, k, count, value);
		return;
	}
	switch (n->op) {
	case NODE_GLOBAL_ID:
	case NODE_LOCAL_ID:
	case NODE_GROUP_ID:
		ids = warps_ids(lanes->sampled, (enum node_op)n->op, d);
		for (unsigned i = 0; i < count; i++)
			r[i] = (int64_t)ids[i];
		memset(k, NUMBER_KNOWN, count);
		return;
	case NODE_LOAD:
		load_values(lanes, node, r, k);
		return;
	default:
		memset(k, 0, count);
	}
}

/* Control chose: the arm of each lane; known arms that agree need no choice. */
static void choose(const int64_t *const *v, const uint8_t *const *w, int64_t *r, uint8_t *k,
                   unsigned lanes)
{
	for (unsigned i = 0; i < lanes; i++) {
		if (w[0][i]) {
			unsigned arm = v[0][i] ? 1 : 2;

			r[i] = v[arm][i];
			k[i] = w[arm][i] & w[0][i];
		} else {
			r[i] = v[1][i];
			k[i] = v[1][i] == v[2][i] ? w[1][i] & w[2][i] : 0;
		}
	}
}

/*
 * k = both known; false when no lane is. *all: in every lane. The three never overlap: an operand
 * is an older node.
 */
static bool both_known(const uint8_t *restrict a, const uint8_t *restrict b, uint8_t *restrict k,
                       unsigned lanes, uint8_t *all)
{
	uint8_t some = 0, every = NUMBER_KNOWN;

	for (unsigned i = 0; i < lanes; i++) {
		uint8_t both = a[i] & b[i];

		k[i] = both;
		some |= both;
		every &= both;
	}
	*all = every;
	return some != 0;
}

/*
 * A place that data displace: x + flow[x], its sum with a work-item's own place known and the other
 * part not. How far off nobody knows; about as far as reals between -1 and 1 are, so that lanes lie
 * beside each other as they would without.
 */
static void displace(const struct lanes *lanes, uint32_t node, const int64_t *const *v,
                     const uint8_t *const *w, int64_t *r, uint8_t *k)
{
	const struct ir_node *n = &lanes->kernel->nodes[node];
	const uint32_t *operands = kernel_operands(lanes->kernel, node);
	unsigned own = n->op == NODE_FMA ? 2 : w[0][0] == NUMBER_KNOWN ? 0 : 1;
	double sign = n->op == NODE_SUB && own == 1 ? -1 : 1;

	if (!type_is_real(n->type) ||
	    (n->op != NODE_ADD && n->op != NODE_SUB && n->op != NODE_FMA) ||
	    !(lanes->schedule->flags[operands[own]] & SCHEDULE_BY_LANE))
		return;
	for (unsigned i = 0; i < lanes->count; i++) {
		uint64_t drawn = number_mix(((uint64_t)node << 32) + i);

		if (w[own][i] != NUMBER_KNOWN || k[i] != 0)
			continue;
		r[i] = number_bits(n->type, sign * number_real(v[own][i]) +
		                                    (double)(drawn >> 11) * 0x1p-52 - 1);
		k[i] = NUMBER_PLACE;
	}
}

void lanes_run_node(struct lanes *lanes, uint32_t node)
{
	const struct ir_kernel *kernel = lanes->kernel;
	const struct ir_node *n = &kernel->nodes[node];
	const uint32_t *operands = kernel->operands + n->first_operand;
	unsigned count = lanes->count;
	int64_t *r = lanes_value_slot(lanes, node);
	uint8_t *k = lanes_known_slot(lanes, node);
	const int64_t *v[3] = {r, r, r};
	const uint8_t *w[3] = {k, k, k};
	struct type from = n->type;
	uint8_t all; /* what is known in every lane */
	bool is_known;

	if (n->op == NODE_LOOP_VAR)
		return; /* the loop sets it */
	if (n->op == NODE_SWIZZLE) {
		uint32_t alias = lanes->schedule->alias[node];

		memset(k, 0, count);
		if (!lanes_has(lanes, alias))
			return;
		if (kernel->nodes[alias].type.width == 1) {
			memcpy(r, lanes_value(lanes, alias), count * sizeof(*r));
			memcpy(k, lanes_known(lanes, alias), count);
		} else if (kernel->nodes[operands[0]].op == NODE_ARG &&
		           kernel->nodes[operands[0]].imm == 0 &&
		           kernel->nodes[operands[0]].aux <
		                   lanes->question->launch->argument_count) {
			const struct launch_argument *argument =
			        &lanes->question->launch->arguments[kernel->nodes[operands[0]].aux];

			if (argument->kind == ARGUMENT_SCALAR && type_is_integer(n->type) &&
			    type_is_integer(argument->type))
				fill(r, k, count,
				     number_wrap(n->type, argument->value.integer[n->imm & 15]));
		} else if (kernel->nodes[alias].op == NODE_LOAD) {
			const struct ir_access *access =
			        &kernel->accesses[kernel->nodes[alias].aux];
			unsigned part = (unsigned)(n->imm & 15);

			if (operands[0] == alias && load_part(lanes, access, part, r, k))
				return;
			load_places(lanes, access, part, n->type, r, k);
		}
		return;
	}
	if (n->type.width != 1) {
		memset(k, 0, count);
		return;
	}
	if (n->op == NODE_TEXEL) {
		lanes_texel(lanes, n, r, k);
		return;
	}
	if (n->operand_count == 0) {
		leaf(lanes, node, r, k);
		return;
	}
	for (unsigned i = 0; i < n->operand_count; i++) {
		if (!lanes_has(lanes, operands[i]) || i >= 3) {
			memset(k, 0, count);
			return;
		}
		v[i] = lanes_value(lanes, operands[i]);
		w[i] = lanes_known(lanes, operands[i]);
	}
	from = kernel->nodes[operands[0]].type;
	if (n->op == NODE_PHI || n->op == NODE_SELECT) {
		choose(v, w, r, k, count);
		return;
	}
	is_known = both_known(w[0], w[n->operand_count > 1 ? 1 : 0], k, count, &all);
	if (n->operand_count > 2 && is_known) {
		uint8_t some = 0;

		for (unsigned i = 0; i < count; i++)
			some |= k[i] &= w[2][i];
		is_known = some != 0;
	}
	/* what is known in no lane has no value that anybody reads; but 0 & x is known */
	if (!is_known && n->op != NODE_AND) {
		displace(lanes, node, v, w, r, k);
		return;
	}
	number_apply(n, from, v, r, k, count);
	if (n->op == NODE_AND && all != NUMBER_KNOWN)
		/* zero and whatever is zero: a bound still ends a loop that data may end */
		for (unsigned i = 0; i < count; i++)
			if ((w[0][i] == NUMBER_KNOWN && v[0][i] == 0) ||
			    (w[1][i] == NUMBER_KNOWN && v[1][i] == 0)) {
				k[i] = NUMBER_KNOWN;
				r[i] = 0;
			}
}

void lanes_run(struct lanes *lanes, uint32_t list, uint32_t count)
{
	const uint32_t *order = lanes->schedule->order + lanes->schedule->lists[list].first;

	for (uint32_t i = 0; i < count; i++)
		if (!lanes->is_scouting || (lanes->schedule->flags[order[i]] & SCHEDULE_STEERS))
			lanes_run_node(lanes, order[i]);
	lanes->budget->used += (uint64_t)count * lanes->count;
}

bool lanes_init(struct lanes *lanes, const struct schedule *schedule, const struct warps *sampled,
                struct budget *budget)
{
	size_t values = (size_t)schedule->slot_count * sampled->lanes;

	*lanes = (struct lanes){
	        .kernel = schedule->kernel,
	        .question = schedule->question,
	        .schedule = schedule,
	        .sampled = sampled,
	        .budget = budget,
	        .slot = schedule->slot,
	        .count = sampled->lanes,
	};
	lanes->value = calloc(values + 1, sizeof(*lanes->value));
	lanes->known = calloc(values + 1, 1);
	return lanes->value && lanes->known;
}

void lanes_deinit(struct lanes *lanes)
{
	free(lanes->value);
	free(lanes->known);
	memset(lanes, 0, sizeof(*lanes));
}
