/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How likely a condition is, by trying it. Of what bytes, masks, remainders and hinted ranges leave
 * open all values are as likely as others; what the kernel makes of them is computed, with as many
 * values of each as a byte has, so that a condition of one byte is answered exactly. Numbers of
 * other types have no such values: what asks for them is not tried. Nor is what asks whether a byte
 * equals another number, of which as few may be usual as the question makes sense for.
 *
 * Reals have no scale of their own, and a question that has none either is answered by any: they
 * are drawn between zero and one (of a sum of three squares, one is less in a third of cases), or,
 * where that leaves nothing open, around zero. Where a question has a scale, its own numbers tell
 * it as long as they are of the order of one, and it is about what several have in common; where
 * one lies beside a number that the kernel knows is as open as ever.
 */
#include "model/evaluate/chance.h"

#include <math.h>
#include <string.h>

#include "model/evaluate/content.h"
#include "model/mechanisms.h"

enum {
	TRIALS = 64, /* at once */
	ROUNDS = 4,
	REAL_ROUNDS = 8, /* where reals are drawn, which no number of values covers */
	TRIED_MAX = 128, /* nodes that a condition is made of, in lanes of vectors */
	TRIAL_DEPTH_MAX = 24
};

#define FAR_FROM_ONE 10.0
#define OTHER_SCALE  64.0
#define WHOLE_SCALE  65536.0

struct tried {
	uint32_t node;
	unsigned lane;
	int64_t value[TRIALS];
};

struct trial {
	const struct chances *chances;
	unsigned count, round;
	bool is_drawn;          /* at all */
	unsigned reals;         /* drawn in a round */
	bool is_signed, is_far; /* a number that is not of the order of one */
	double scale;
	struct tried tried[TRIED_MAX];
};

static const int64_t *try_node(struct trial *trial, uint32_t node, unsigned lane, unsigned depth);

static int64_t *take(struct trial *trial, uint32_t node, unsigned lane)
{
	struct tried *tried = &trial->tried[trial->count];

	if (trial->count == TRIED_MAX)
		return NULL;
	tried->node = node;
	tried->lane = lane;
	trial->count++;
	return tried->value;
}

/*
 * Numbers below `span` (0: of 64 bits): those that are drawn first go evenly through it, where a
 * byte has as many, others are at random.
 */
static int64_t *draw(struct trial *trial, uint32_t node, unsigned lane, uint64_t span)
{
	int64_t *r = take(trial, node, lane);
	bool is_first = !trial->is_drawn && span > 0 && span <= TRIALS * ROUNDS;

	if (!r)
		return NULL;
	trial->is_drawn = true;
	for (unsigned i = 0; i < TRIALS; i++) {
		uint64_t at = (uint64_t)trial->round * TRIALS + i;
		uint64_t number = number_mix(((uint64_t)node << 32) + lane * 4096 + at);

		r[i] = (int64_t)(is_first   ? at * span / (TRIALS * ROUNDS)
		                 : span > 0 ? number % span
		                            : number);
	}
	return r;
}

/* A lane of an argument. */
static bool is_argument(const struct chances *e, const struct ir_node *n, unsigned lane,
                        int64_t *value)
{
	const struct launch_argument *argument = &e->question->launch->arguments[n->aux];

	if (n->aux >= e->question->launch->argument_count || argument->kind != ARGUMENT_SCALAR ||
	    n->imm != 0 || type_is_real(argument->type) != type_is_real(n->type) || lane >= 16)
		return false;
	if (type_is_real(n->type))
		memcpy(value, &argument->value.real[lane], sizeof(*value));
	else
		*value = number_wrap((struct type){.scalar = n->type.scalar, .width = 1},
		                     argument->value.integer[lane]);
	return true;
}

/* What the launch says of a node, the same for all work-items; or a constant. */
static bool is_settled(const struct chances *e, uint32_t node, int64_t *value)
{
	const struct ir_node *n = &e->kernel->nodes[node];

	if (n->op == NODE_CONST_INT || n->op == NODE_CONST_REAL) {
		*value = type_is_integer(n->type) ? number_wrap(n->type, (int64_t)n->imm)
		                                  : (int64_t)n->imm;
		return true;
	}
	if (n->op == NODE_ARG && is_argument(e, n, 0, value))
		return true;
	if (!lanes_has(e->lanes, node) || n->type.width != 1 ||
	    (e->schedule->flags[node] & (SCHEDULE_TAINTED | SCHEDULE_VARIES)) ||
	    lanes_known(e->lanes, node)[0] != NUMBER_KNOWN)
		return false;
	*value = lanes_value(e->lanes, node)[0];
	return true;
}

/* Reals up to the scale, of either sign or of none. */
static int64_t *draw_real(struct trial *trial, uint32_t node, unsigned lane)
{
	int64_t *r = take(trial, node, lane);

	trial->reals++;
	trial->is_drawn = true;
	for (unsigned i = 0; r && i < TRIALS; i++) {
		uint64_t at = (uint64_t)trial->round * TRIALS + i;
		uint64_t number = number_mix(((uint64_t)node << 32) + lane * 4096 + at);
		double value = (double)(number >> 11) * 0x1p-53;

		value = (trial->is_signed ? 2 * value - 1 : value) * trial->scale;
		memcpy(&r[i], &value, sizeof(value));
	}
	return r;
}

/* Whole numbers of some scale, which nothing tells. */
static const int64_t *draw_whole(struct trial *trial, uint32_t node, unsigned lane,
                                 struct type type)
{
	int64_t *r = draw_real(trial, node, lane);

	trial->is_far = true;
	for (unsigned i = 0; r && i < TRIALS; i++)
		r[i] = number_wrap(type, (int64_t)(number_real(r[i]) * WHOLE_SCALE));
	return r;
}

/* What the launch says of a real before all loops: of one work-item after the other. */
static const int64_t *take_known(struct trial *trial, uint32_t node)
{
	const struct chances *e = trial->chances;
	const struct ir_node *n = &e->kernel->nodes[node];
	int64_t *r;

	if (!lanes_has(e->lanes, node) || n->type.width != 1 || !type_is_real(n->type) ||
	    e->schedule->list[node] != 0 || (e->schedule->flags[node] & SCHEDULE_TAINTED))
		return NULL;
	for (unsigned i = 0; i < e->lanes->count; i++)
		if (lanes_known(e->lanes, node)[i] != NUMBER_KNOWN)
			return NULL;
	r = take(trial, node, 0);
	for (unsigned i = 0; r && i < TRIALS; i++) {
		r[i] = lanes_value(e->lanes, node)[(trial->round * TRIALS + i) % e->lanes->count];
		trial->is_far |= !(fabs(number_real(r[i])) <= FAR_FROM_ONE);
	}
	return r;
}

static const int64_t *draw_load(struct trial *trial, uint32_t node, unsigned lane)
{
	const struct ir_kernel *kernel = trial->chances->kernel;
	const struct ir_node *n = &kernel->nodes[node];
	struct type type = {.scalar = n->type.scalar, .width = 1};
	const struct ir_access *access = &kernel->accesses[n->aux];
	const struct ir_object *object = &kernel->objects[access->object];
	struct content content = content_of(trial->chances->question, NULL, access, type);
	int64_t *r;

	/* of what the kernel keeps itself a table of integers alone is as it was */
	if (object->argument == IR_NONE &&
	    (content.kind != CONTENT_BYTE || object->space != SPACE_CONSTANT))
		return NULL;
	switch (content.kind) {
	case CONTENT_REAL:
		return draw_real(trial, node, lane);
	case CONTENT_BYTE:
		r = draw(trial, node, lane, 256);
		break;
	case CONTENT_RANGE:
		r = draw(trial, node, lane, content.span + 1);
		break;
	default:
		return type_is_integer(type) ? draw_whole(trial, node, lane, type) : NULL;
	}
	for (unsigned i = 0; r && i < TRIALS; i++)
		r[i] = number_wrap(type, (int64_t)((uint64_t)r[i] + (uint64_t)content.low));
	return r;
}

/* A number's lowest bits, where a mask has some. */
static int64_t deposit(uint64_t number, uint64_t mask)
{
	uint64_t r = 0;

	for (; mask != 0 && number != 0; mask &= mask - 1, number >>= 1)
		r |= number & 1 ? mask & (0 - mask) : 0;
	return (int64_t)r;
}

/* A mask or a remainder of what cannot be drawn itself. */
static const int64_t *draw_part(struct trial *trial, uint32_t node, unsigned lane)
{
	const struct ir_node *n = &trial->chances->kernel->nodes[node];
	const uint32_t *operands = kernel_operands(trial->chances->kernel, node);
	int64_t by, *r;

	if (n->type.width != 1)
		return NULL;
	for (unsigned i = 0; i < 2; i++) {
		unsigned bits;

		if (!is_settled(trial->chances, operands[1 - i], &by) || by <= 0)
			continue;
		if (n->op == NODE_REM)
			return i == 0 ? draw(trial, node, lane, (uint64_t)by) : NULL;
		bits = (unsigned)__builtin_popcountll((uint64_t)by);
		r = draw(trial, node, lane, UINT64_C(1) << bits);
		for (unsigned t = 0; r && t < TRIALS; t++)
			r[t] = deposit((uint64_t)r[t], (uint64_t)by);
		return r;
	}
	return NULL;
}

static bool is_truth(const struct ir_kernel *kernel, uint32_t node)
{
	for (unsigned depth = 0; depth < TRIAL_DEPTH_MAX; depth++) {
		const struct ir_node *n = &kernel->nodes[node];

		if (n->op != NODE_CONVERT && n->op != NODE_AND && n->op != NODE_OR &&
		    n->op != NODE_PHI && n->op != NODE_SELECT)
			return node_is_truth(n);
		node = kernel_operands(kernel,
		                       node)[n->op == NODE_PHI || n->op == NODE_SELECT ? 1 : 0];
	}
	return false;
}

/* Whether a number takes all values evenly that it may have: a mask, a remainder, a range. */
static bool is_even(const struct chances *e, uint32_t node)
{
	for (unsigned depth = 0; depth < TRIAL_DEPTH_MAX; depth++) {
		const struct ir_node *n = &e->kernel->nodes[node];
		int64_t value;

		switch (n->op) {
		case NODE_AND:
		case NODE_REM:
			return true;
		case NODE_LOAD: {
			const struct launch_argument *argument =
			        question_argument(e->question, e->kernel->accesses[n->aux].object);

			return argument && argument->has_range;
		}
		case NODE_ADD:
		case NODE_SUB:
		case NODE_XOR:
			if (!is_settled(e, kernel_operands(e->kernel, node)[1], &value))
				return false;
			node = kernel_operands(e->kernel, node)[0];
			break;
		case NODE_CONVERT:
			node = kernel_operands(e->kernel, node)[0];
			break;
		default:
			return false;
		}
	}
	return false;
}

/* A lane of what is made of a vector, or makes one. */
static const int64_t *try_lane(struct trial *trial, uint32_t node, unsigned lane, unsigned depth)
{
	const struct ir_kernel *kernel = trial->chances->kernel;
	const struct ir_node *n = &kernel->nodes[node];
	const uint32_t *operands = kernel_operands(kernel, node);

	if (n->op == NODE_SPLAT)
		return try_node(trial, operands[0], 0, depth + 1);
	if (n->op == NODE_SWIZZLE)
		return try_node(trial, operands[0], (unsigned)(n->imm >> (4 * lane)) & 15,
		                depth + 1);
	for (unsigned i = 0; i < n->operand_count; i++) {
		unsigned width = kernel->nodes[operands[i]].type.width;

		if (lane < width)
			return try_node(trial, operands[i], lane, depth + 1);
		lane -= width;
	}
	return NULL;
}

/* Any of a vector's lanes, or all of them. */
static const int64_t *try_lanes(struct trial *trial, uint32_t node, unsigned depth)
{
	const struct ir_kernel *kernel = trial->chances->kernel;
	const struct ir_node *n = &kernel->nodes[node];
	uint32_t vector = *kernel_operands(kernel, node);
	bool is_any = n->aux == BUILTIN_ANY;
	int64_t result[TRIALS], *r;

	for (unsigned i = 0; i < TRIALS; i++)
		result[i] = !is_any;
	for (unsigned lane = 0; lane < kernel->nodes[vector].type.width; lane++) {
		const int64_t *v = try_node(trial, vector, lane, depth + 1);

		for (unsigned i = 0; v && i < TRIALS; i++)
			result[i] = is_any ? result[i] | (v[i] < 0) : result[i] & (v[i] < 0);
		if (!v)
			return NULL;
	}
	r = take(trial, node, 0);
	return r ? memcpy(r, result, sizeof(result)) : NULL;
}

/* What operands make. */
static const int64_t *try_operator(struct trial *trial, uint32_t node, unsigned lane,
                                   unsigned depth)
{
	const struct ir_kernel *kernel = trial->chances->kernel;
	struct ir_node n = kernel->nodes[node];
	const uint32_t *operands = kernel_operands(kernel, node);
	bool is_vector = n.type.width > 1;
	const int64_t *v[3] = {NULL, NULL, NULL};
	uint8_t known[TRIALS];
	struct type from;
	int64_t *r;

	if (n.operand_count == 0 || n.operand_count > 3)
		return NULL;
	for (unsigned i = 0; i < n.operand_count; i++) {
		unsigned width = kernel->nodes[operands[i]].type.width;

		v[i] = try_node(trial, operands[i], width > 1 ? lane : 0, depth + 1);
		if (!v[i])
			return NULL;
	}
	r = take(trial, node, lane);
	if (!r)
		return NULL;
	for (unsigned i = n.operand_count; i < 3; i++)
		v[i] = v[0];
	if (n.op == NODE_PHI || n.op == NODE_SELECT) {
		for (unsigned i = 0; i < TRIALS; i++)
			r[i] = v[0][i] ? v[1][i] : v[2][i];
		return r;
	}
	from = kernel->nodes[operands[0]].type;
	from.width = n.type.width = 1;
	memset(known, NUMBER_KNOWN, sizeof(known));
	number_apply(&n, from, v, r, known, TRIALS);
	if (memchr(known, 0, sizeof(known)))
		return NULL;
	for (unsigned i = 0; is_vector && node_is_truth(&n) && i < TRIALS; i++)
		r[i] = -r[i];
	return r;
}

/* The values of a node, or of a lane of it; NULL: they cannot be told. */
static const int64_t *try_node(struct trial *trial, uint32_t node, unsigned lane, unsigned depth)
{
	const struct chances *e = trial->chances;
	const struct ir_node *n = &e->kernel->nodes[node];
	const uint32_t *operands = kernel_operands(e->kernel, node);
	const int64_t *r;
	int64_t value, *filled;

	for (unsigned i = 0; i < trial->count; i++)
		if (trial->tried[i].node == node && trial->tried[i].lane == lane)
			return trial->tried[i].value;
	if (depth > TRIAL_DEPTH_MAX || !question_looks(e->question))
		return NULL;
	if (n->type.width > 1 && n->op == NODE_ARG ? is_argument(e, n, lane, &value)
	                                           : is_settled(e, node, &value)) {
		filled = take(trial, node, lane);
		for (unsigned i = 0; filled && i < TRIALS; i++)
			filled[i] = value;
		trial->is_far |=
		        type_is_real(n->type) && !(fabs(number_real(value)) <= FAR_FROM_ONE);
		return filled;
	}
	r = take_known(trial, node);
	if (r)
		return r;
	switch (n->op) {
	case NODE_LOAD:
		return draw_load(trial, node, lane);
	case NODE_SPLAT:
	case NODE_SWIZZLE:
	case NODE_VECTOR:
		return try_lane(trial, node, lane, depth);
	case NODE_CALL:
		if ((n->aux == BUILTIN_ANY || n->aux == BUILTIN_ALL) && n->operand_count == 1 &&
		    e->kernel->nodes[operands[0]].type.width > 1)
			return try_lanes(trial, node, depth);
		break;
	case NODE_AND:
	case NODE_REM:
		r = try_operator(trial, node, lane, depth);
		return r ? r : draw_part(trial, node, lane);
	case NODE_EQ:
	case NODE_NE:
		if (!is_truth(e->kernel, operands[0]) && !is_truth(e->kernel, operands[1]) &&
		    !is_even(e, operands[0]) && !is_even(e, operands[1]))
			return NULL;
		break;
	default:
		break;
	}
	return try_operator(trial, node, lane, depth);
}

/* In parts of 1 << 16, and one more; CHANCE_NONE: it cannot be tried. */
enum { CHANCE_NONE = 1 << 17 };

/* How often a condition holds in so many rounds; false: it cannot be tried. */
static bool try_rounds(struct trial *trial, uint32_t condition, unsigned rounds, unsigned *holds)
{
	*holds = 0;
	for (trial->round = 0; trial->round < rounds; trial->round++) {
		const int64_t *r;

		trial->count = trial->reals = 0;
		trial->is_drawn = false;
		r = try_node(trial, condition, 0, 0);
		if (!r || !trial->is_drawn)
			return false;
		for (unsigned i = 0; i < TRIALS; i++)
			*holds += r[i] != 0;
	}
	return true;
}

/* The same of reals: in parts of all rounds; negative: it has no answer. */
static double try_reals(struct trial *trial, uint32_t condition)
{
	const unsigned all = REAL_ROUNDS * TRIALS;
	unsigned holds, scaled;

	if (!try_rounds(trial, condition, REAL_ROUNDS, &holds))
		return -1;
	trial->scale = OTHER_SCALE;
	if (!try_rounds(trial, condition, REAL_ROUNDS, &scaled))
		return -1;
	/* what one number is compared with lies where such numbers do: that is open */
	if (scaled != holds)
		return trial->is_far || trial->reals < 2 ? -1
		                                         : fmin(fmax(holds, 0.5), all - 0.5) / all;
	trial->is_signed = true;
	if ((holds == 0 || holds == all) && !try_rounds(trial, condition, REAL_ROUNDS, &holds))
		return -1;
	return holds == 0 || holds == all ? -1 : (double)holds / all;
}

static uint32_t try_all(const struct chances *e, uint32_t condition)
{
	struct trial trial = {.chances = e, .scale = 1};
	unsigned all = ROUNDS * TRIALS, holds;
	double share;

	if (!try_rounds(&trial, condition, ROUNDS, &holds))
		return CHANCE_NONE;
	share = (double)holds / all;
	if (trial.reals > 0) {
		share = try_reals(&trial, condition);
		all = REAL_ROUNDS * TRIALS;
	}
	if (share < 0)
		return CHANCE_NONE;
	/* as good as half: what values at random cannot tell from it */
	if (fabs(2 * share - 1) < 1 / sqrt(all))
		share = 0.5;
	return 1 + (uint32_t)(share * 65536);
}

bool trial_chance(const struct chances *e, uint32_t condition, double *chance)
{
	uint32_t *known = &e->tried[condition];

	if (!mechanism(MECHANISM_TRIAL) || e->kernel->nodes[condition].type.width != 1)
		return false;
	if (*known == 0)
		*known = try_all(e, condition);
	*chance = (*known - 1) / 65536.0;
	return *known != CHANCE_NONE;
}
