/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where accesses go whose index was sampled.
 *
 * The lines that e accesses touch are taken to be of two kinds, each hit evenly: a few hot ones by
 * most accesses, and all of the buffer by the others. The distinct lines of all sampled indices and
 * of half of them tell both: D(e) = hot + all (1 - exp(-cold e / all)), once the hot ones are hit.
 * With z = exp(-cold n / 2 all), D(n) - D(n / 2) = all (z - z^2).
 */
#include "model/evaluate/indirect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/device/levels.h"
#include "model/evaluate/number.h"

enum {
	INDICES_MAX = 1 << 9, /* that are looked at, as many of each run */
	TABLE_SIZE = 2 * INDICES_MAX,
	STEPS_MAX = 8
};

/* The sampled load that an access's index is, and what the launch makes of its value. */
struct chain {
	struct held *held;
	uint64_t bytes; /* from one index to the next */
	struct {
		uint8_t op; /* enum node_op */
		int64_t by;
	} steps[STEPS_MAX]; /* the last first */
	uint32_t count;
};

/* A number that the launch tells, the same for all work-items. */
static bool told(const struct question *question, uint32_t node, int64_t *value)
{
	const struct ir_node *n = &question->kernel->nodes[node];

	return kernel_constant(question->kernel, node, value) ||
	       (n->op == NODE_ARG && n->type.width == 1 && type_is_integer(n->type) &&
	        question_value(question, n, 0, value));
}

/* False: the index is something else. */
static bool chain_find(const struct schedule *schedule, uint32_t node, struct chain *chain)
{
	const struct ir_kernel *kernel = schedule->kernel;

	for (unsigned depth = 0; depth < STEPS_MAX && node != IR_NONE; depth++) {
		const struct ir_node *n = &kernel->nodes[node];
		const uint32_t *operands = kernel_operands(kernel, node);
		unsigned other;
		int64_t by;

		if (n->op == NODE_LOAD) {
			chain->held = question_held(schedule->question, &kernel->accesses[n->aux]);
			return chain->held != NULL && type_is_integer(n->type) &&
			       n->type.width == 1;
		}
		if (n->op == NODE_CONVERT || n->op == NODE_BITCAST) {
			node = operands[0];
			continue;
		}
		if (n->operand_count != 2)
			return false;
		other = schedule->flags[operands[0]] & SCHEDULE_HELD ? 1 : 0;
		if (schedule->flags[operands[other]] & SCHEDULE_HELD)
			return false;
		/* a sum with an id moves what is touched, and leaves how much that is */
		if (told(schedule->question, operands[other], &by)) {
			chain->steps[chain->count].op = n->op;
			chain->steps[chain->count++].by = by;
			if (other == 0 && n->op != NODE_ADD && n->op != NODE_MUL &&
			    n->op != NODE_AND)
				return false;
		} else if (n->op != NODE_ADD && n->op != NODE_SUB) {
			return false;
		}
		node = operands[1 - other];
	}
	return false;
}

/* What the steps make of a value; false: one is unknown. */
static bool chain_apply(const struct chain *chain, int64_t *value)
{
	uint64_t v = (uint64_t)*value;

	for (uint32_t i = chain->count; i-- > 0;) {
		int64_t by = chain->steps[i].by;

		switch (chain->steps[i].op) {
		case NODE_ADD:
			v += (uint64_t)by;
			break;
		case NODE_SUB:
			v -= (uint64_t)by;
			break;
		case NODE_MUL:
			v *= (uint64_t)by;
			break;
		case NODE_AND:
			v &= (uint64_t)by;
			break;
		case NODE_SHL:
			v <<= by & 63;
			break;
		case NODE_SHR:
			v >>= by & 63;
			break;
		case NODE_DIV:
		case NODE_REM:
			if (by <= 0 || (int64_t)v < 0)
				return false;
			v = chain->steps[i].op == NODE_DIV ? v / (uint64_t)by : v % (uint64_t)by;
			break;
		default:
			return false;
		}
	}
	*value = (int64_t)v;
	return true;
}

/* Distinct numbers. */
struct counts {
	uint64_t *key; /* TABLE_SIZE, by open addressing */
	bool *is_taken;
	uint32_t distinct;
};

static void count(struct counts *counts, uint64_t number)
{
	uint32_t at = (uint32_t)number_mix(number) & (TABLE_SIZE - 1);

	while (counts->is_taken[at] && counts->key[at] != number)
		at = (at + 1) & (TABLE_SIZE - 1);
	counts->distinct += !counts->is_taken[at];
	counts->is_taken[at] = true;
	counts->key[at] = number;
}

static void counts_clear(struct counts *counts)
{
	memset(counts->is_taken, 0, TABLE_SIZE * sizeof(*counts->is_taken));
	counts->distinct = 0;
}

/* Indices by what was sampled, the first of each run; returns how many. */
static uint32_t take(const struct chain *chain, int64_t *indices)
{
	struct held *held = chain->held;
	uint32_t each = INDICES_MAX / held->sample->run_count, taken = 0;
	uint64_t bytes = scalar_bytes((enum scalar)held->scalar);

	for (uint32_t run = 0; run < held->sample->run_count; run++) {
		uint64_t at = held->sample->runs[run].offset_bytes;

		for (uint32_t i = 0; i < each && i < held->runs[run].count; i++) {
			int64_t value = held_number(held, at + i * bytes);

			if (!chain_apply(chain, &value))
				return 0;
			indices[taken++] = value;
		}
	}
	return taken;
}

static void find_lines(const struct chain *chain, const int64_t *indices, uint32_t index_count,
                       unsigned at, struct counts *counts, struct evaluation_access *access)
{
	double line = EVALUATE_LINE_BYTES(at), all = (double)access->object_bytes / line + 1;
	double distinct_half, fresh, z;
	unsigned shift = 5 + at; /* of a line */

	counts_clear(counts);
	/* half of them: every second one, so that they come from as far apart as all do */
	for (uint32_t i = 0; i < index_count; i += 2)
		count(counts, (uint64_t)indices[i] * chain->bytes >> shift);
	distinct_half = counts->distinct;
	for (uint32_t i = 1; i < index_count; i += 2)
		count(counts, (uint64_t)indices[i] * chain->bytes >> shift);
	fresh = (counts->distinct - distinct_half) / all;
	z = (1 + sqrt(fmax(0, 1 - 4 * fresh))) / 2;
	access->cold_share[at] = fmin(1, -2 * all / index_count * log(z));
	access->hot_lines[at] = fmax(0, counts->distinct - all * (1 - z * z));
}

static void find_places(const struct chain *chain, int64_t *indices, struct counts *counts,
                        bool is_lockstep, struct evaluation_access *access)
{
	uint32_t all = take(chain, indices);

	if (all < 2)
		return;
	for (unsigned at = 0; at < EVALUATE_LINES; at++) {
		/* the lines of one kind of processor; others as the next shorter */
		if (at == 1 ? !is_lockstep : is_lockstep && at % 2 == 0) {
			find_lines(chain, indices, all, at, counts, access);
		} else if (at > 0) {
			access->cold_share[at] = access->cold_share[at - 1];
			access->hot_lines[at] = access->hot_lines[at - 1];
		}
	}
	access->is_sampled = true;
}

bool indirect_find(const struct schedule *schedule, struct evaluation *result)
{
	const struct ir_kernel *kernel = schedule->kernel;
	bool is_lockstep = device_is_lockstep(schedule->question->device), is_done = false;
	struct counts counts = {0};
	int64_t *indices = NULL;

	for (uint32_t i = 0; schedule->question->held && i < kernel->access_count; i++) {
		const struct ir_access *a = &kernel->accesses[i];
		struct evaluation_access *access = &result->accesses[i];
		struct chain chain = {.bytes = a->scale_bytes};
		double slope, spread;

		if (a->index == IR_NONE || !access->address.is_random ||
		    kernel->objects[a->object].space > SPACE_LOCAL ||
		    !chain_find(schedule, a->index, &chain))
			continue;
		held_prepare(chain.held);
		if (chain.count == 0 && held_trend(chain.held, &slope, &spread)) {
			access->reach_bytes = spread * (double)chain.bytes + access->bytes;
			continue;
		}
		if (!indices) {
			indices = malloc(INDICES_MAX * sizeof(*indices));
			counts.key = malloc(TABLE_SIZE * sizeof(*counts.key));
			counts.is_taken = malloc(TABLE_SIZE * sizeof(*counts.is_taken));
			if (!indices || !counts.key || !counts.is_taken)
				goto out;
		}
		find_places(&chain, indices, &counts, is_lockstep, access);
	}
	is_done = true;
out:
	free(indices);
	free(counts.key);
	free(counts.is_taken);
	return is_done;
}

double indirect_lines(const struct evaluation_access *access, unsigned at, double accesses,
                      double all)
{
	double hot = fmin(access->hot_lines[at], all), cold = access->cold_share[at];
	double lines = all * -expm1(-cold * accesses / all);

	if (hot > 0)
		lines += hot * -expm1(-(1 - cold) * accesses / hot);
	return fmin(lines, all);
}
