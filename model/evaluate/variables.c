/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A loop's variables at the iterations that are looked at: by their steps, where these are
 * invariant, or one iteration after another.
 */
#include <math.h>
#include <string.h>

#include "model/evaluate/lanes.h"

/* init + sign * at * step */
static void go(struct type type, const int64_t *restrict init, const int64_t *restrict step,
               int sign, const uint64_t *restrict at, int64_t *restrict r, unsigned lanes)
{
	uint64_t by = sign > 0 ? 1 : UINT64_MAX;

	if (type_is_real(type)) {
		for (unsigned lane = 0; lane < lanes; lane++) {
			double value = lanes_real(init[lane]) +
			               sign * (double)at[lane] * lanes_real(step[lane]);

			memcpy(&r[lane], &value, sizeof(value));
		}
		return;
	}
	for (unsigned lane = 0; lane < lanes; lane++)
		r[lane] = (int64_t)((uint64_t)init[lane] + by * at[lane] * (uint64_t)step[lane]);
	lanes_wrap_all(type, r, lanes);
}

void loop_set(struct evaluator *evaluator, const struct ir_statement *s, const uint64_t *at)
{
	uint32_t list = list_of(evaluator, (uint32_t)(s - evaluator->kernel->statements));
	bool takes_advance = evaluator->loops[list].takes_advance;
	unsigned begins = 0; /* lanes at their first iteration */

	for (unsigned lane = 0; lane < evaluator->lanes; lane++)
		begins += at[lane] == 0;
	for (uint32_t i = 0; i < s->variable_count; i++) {
		const struct ir_variable *v = &evaluator->kernel->variables[s->first_variable + i];
		struct type type = evaluator->kernel->nodes[v->node].type;
		uint32_t step_node;
		const int64_t *init, *step = NULL;
		const uint8_t *init_known, *step_known = NULL;
		int64_t *r;
		uint8_t *k;
		int sign;

		if (!lanes_has(evaluator, v->node))
			continue;
		r = lanes_value(evaluator, v->node);
		k = lanes_known(evaluator, v->node);
		if (!lanes_has(evaluator, v->init)) {
			memset(k, 0, evaluator->lanes);
			continue;
		}
		init = lanes_value(evaluator, v->init);
		init_known = lanes_known(evaluator, v->init);
		sign = variable_step(evaluator, v, &step_node);
		if (sign != 0 && lanes_has(evaluator, step_node)) {
			step = lanes_value(evaluator, step_node);
			step_known = lanes_known(evaluator, step_node);
		} else if (step_node != IR_NONE) {
			sign = 0;
		}
		if (begins == evaluator->lanes || (sign != 0 && !step)) {
			memcpy(r, init, evaluator->lanes * sizeof(*r));
			memcpy(k, init_known, evaluator->lanes);
			continue;
		}
		if (sign == 0) {
			double advance = takes_advance ? variable_advance(evaluator, v) : 0;

			memcpy(r, init, evaluator->lanes * sizeof(*r));
			memset(k, 0, evaluator->lanes);
			for (unsigned lane = 0; advance > 0 && lane < evaluator->lanes; lane++) {
				r[lane] = (int64_t)((uint64_t)init[lane] +
				                    (uint64_t)llround((double)at[lane] * advance));
				k[lane] = init_known[lane] & LANES_CHANCE;
			}
		} else {
			go(type, init, step, sign, at, r, evaluator->lanes);
			for (unsigned lane = 0; lane < evaluator->lanes; lane++)
				k[lane] = init_known[lane] & step_known[lane];
		}
		for (unsigned lane = 0; begins > 0 && lane < evaluator->lanes; lane++)
			if (at[lane] == 0) {
				r[lane] = init[lane];
				k[lane] = init_known[lane];
			}
	}
}

bool loop_advance(struct evaluator *evaluator, const struct ir_statement *s, const float *weight)
{
	size_t mark = evaluator->arena_used, lanes = evaluator->lanes;
	float *memory;
	int64_t *values;
	uint8_t *known;
	uint32_t count = 0;

	for (uint32_t i = 0; i < s->variable_count; i++)
		count += lanes_has(evaluator,
		                   evaluator->kernel->variables[s->first_variable + i].node);
	memory = arena_take(evaluator, count * lanes * 4);
	if (!memory)
		return false;
	values = (int64_t *)(void *)memory;
	known = (uint8_t *)(values + count * lanes);
	for (unsigned pass = 0; pass < 2; pass++) {
		uint32_t at = 0;

		for (uint32_t i = 0; i < s->variable_count; i++) {
			const struct ir_variable *v =
			        &evaluator->kernel->variables[s->first_variable + i];

			if (!lanes_has(evaluator, v->node))
				continue;
			if (pass == 0 && lanes_has(evaluator, v->next)) {
				memcpy(values + at * lanes, lanes_value(evaluator, v->next),
				       lanes * sizeof(*values));
				memcpy(known + at * lanes, lanes_known(evaluator, v->next), lanes);
			} else if (pass == 0) {
				memset(known + at * lanes, 0, lanes);
				memset(values + at * lanes, 0, lanes * sizeof(*values));
			} else {
				for (unsigned lane = 0; lane < lanes; lane++) {
					if (!(weight[lane] > 0))
						continue;
					lanes_value(evaluator, v->node)[lane] =
					        values[at * lanes + lane];
					lanes_known(evaluator, v->node)[lane] =
					        known[at * lanes + lane];
				}
			}
			at++;
		}
	}
	evaluator->arena_used = mark;
	return true;
}
