/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A loop's variables at the iterations that are looked at: by their steps, where these are
 * invariant, or one iteration after another.
 */
#include "model/evaluate/variables.h"

#include <math.h>
#include <string.h>

/* init + sign * at * step */
static void go(struct type type, const int64_t *restrict init, const int64_t *restrict step,
               int sign, const uint64_t *restrict at, int64_t *restrict r, unsigned lanes)
{
	uint64_t by = sign > 0 ? 1 : UINT64_MAX;

	if (type_is_real(type)) {
		for (unsigned lane = 0; lane < lanes; lane++) {
			double value = number_real(init[lane]) +
			               sign * (double)at[lane] * number_real(step[lane]);

			memcpy(&r[lane], &value, sizeof(value));
		}
		return;
	}
	for (unsigned lane = 0; lane < lanes; lane++)
		r[lane] = (int64_t)((uint64_t)init[lane] + by * at[lane] * (uint64_t)step[lane]);
	number_wrap_all(type, r, lanes);
}

void loop_set(struct lanes *lanes, const struct ir_statement *s, const uint64_t *at,
              bool takes_advance)
{
	unsigned begins = 0; /* lanes at their first iteration */

	for (unsigned lane = 0; lane < lanes->count; lane++)
		begins += at[lane] == 0;
	for (uint32_t i = 0; i < s->variable_count; i++) {
		const struct ir_variable *v = &lanes->kernel->variables[s->first_variable + i];
		struct type type = lanes->kernel->nodes[v->node].type;
		uint32_t step_node;
		const int64_t *init, *step = NULL;
		const uint8_t *init_known, *step_known = NULL;
		int64_t *r;
		uint8_t *k;
		int sign;

		if (!lanes_has(lanes, v->node))
			continue;
		r = lanes_value_slot(lanes, v->node);
		k = lanes_known_slot(lanes, v->node);
		if (!lanes_has(lanes, v->init)) {
			memset(k, 0, lanes->count);
			continue;
		}
		init = lanes_value(lanes, v->init);
		init_known = lanes_known(lanes, v->init);
		sign = variable_step(lanes->schedule, v, &step_node);
		if (sign != 0 && lanes_has(lanes, step_node)) {
			step = lanes_value(lanes, step_node);
			step_known = lanes_known(lanes, step_node);
		} else if (step_node != IR_NONE) {
			sign = 0;
		}
		if (begins == lanes->count || (sign != 0 && !step)) {
			memcpy(r, init, lanes->count * sizeof(*r));
			memcpy(k, init_known, lanes->count);
			continue;
		}
		if (sign == 0) {
			double advance = takes_advance ? variable_advance(lanes->schedule, v) : 0;

			memcpy(r, init, lanes->count * sizeof(*r));
			memset(k, 0, lanes->count);
			for (unsigned lane = 0; advance > 0 && lane < lanes->count; lane++) {
				r[lane] = (int64_t)((uint64_t)init[lane] +
				                    (uint64_t)llround((double)at[lane] * advance));
				k[lane] = init_known[lane] & NUMBER_CHANCE;
			}
		} else {
			go(type, init, step, sign, at, r, lanes->count);
			for (unsigned lane = 0; lane < lanes->count; lane++)
				k[lane] = init_known[lane] & step_known[lane];
		}
		for (unsigned lane = 0; begins > 0 && lane < lanes->count; lane++)
			if (at[lane] == 0) {
				r[lane] = init[lane];
				k[lane] = init_known[lane];
			}
	}
}

bool loop_advance(struct lanes *lanes, struct arena *arena, const struct ir_statement *s,
                  const float *weight)
{
	size_t mark = arena->used, each = lanes->count;
	float *memory;
	int64_t *values;
	uint8_t *known;
	uint32_t count = 0;

	for (uint32_t i = 0; i < s->variable_count; i++)
		count += lanes_has(lanes, lanes->kernel->variables[s->first_variable + i].node);
	memory = arena_take(arena, count * each * 4);
	if (!memory)
		return false;
	values = (int64_t *)(void *)memory;
	known = (uint8_t *)(values + count * each);
	for (unsigned pass = 0; pass < 2; pass++) {
		uint32_t at = 0;

		for (uint32_t i = 0; i < s->variable_count; i++) {
			const struct ir_variable *v =
			        &lanes->kernel->variables[s->first_variable + i];

			if (!lanes_has(lanes, v->node))
				continue;
			if (pass == 0 && lanes_has(lanes, v->next)) {
				memcpy(values + at * each, lanes_value(lanes, v->next),
				       each * sizeof(*values));
				memcpy(known + at * each, lanes_known(lanes, v->next), each);
			} else if (pass == 0) {
				memset(known + at * each, 0, each);
				memset(values + at * each, 0, each * sizeof(*values));
			} else {
				for (unsigned lane = 0; lane < each; lane++) {
					if (!(weight[lane] > 0))
						continue;
					lanes_value_slot(lanes, v->node)[lane] =
					        values[at * each + lane];
					lanes_known_slot(lanes, v->node)[lane] =
					        known[at * each + lane];
				}
			}
			at++;
		}
	}
	arena->used = mark;
	return true;
}
