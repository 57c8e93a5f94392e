/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How likely a condition is that data decide. Nothing is known of the data, but something of
 * the question: whether one number is less than another is open, but where a byte, a mask, a
 * remainder or a draw between zero and one says from where to where the first lies, evenly;
 * whether one is zero is open, which flags are; but that it equals another is the rarer the more
 * values it may have. How many those are has no scale of its own: anything between the fewest that
 * the question makes sense for and the most that its buffer can hold, evenly by order of magnitude
 * (Jeffreys, Proc. R. Soc. A 186, 1946). The answer is the mean of one in as many: a launch's time
 * follows how many work-items run, and few of them cost next to nothing.
 */
#include "model/evaluate/chance.h"

#include <math.h>
#include <string.h>

enum { CHANCE_DEPTH_MAX = 8, ALIKE_MAX = 64 /* nodes that are looked at */ };

/* An integer that the launch decides, in one lane. */
static bool is_known_integer(const struct chances *e, uint32_t node, unsigned lane, int64_t *value)
{
	if (kernel_constant(e->kernel, node, value))
		return true;
	if (!lanes_has(e->lanes, node) || !type_is_integer(e->kernel->nodes[node].type) ||
	    lanes_known(e->lanes, node)[lane] != NUMBER_KNOWN)
		return false;
	*value = lanes_value(e->lanes, node)[lane];
	return true;
}

static double values_of_type(struct type type)
{
	return type.scalar == SCALAR_BOOL
	               ? 2
	               : exp2((double)scalar_bytes((enum scalar)type.scalar) * 8);
}

/* What an access reads may be as many values as it has elements. */
static double values_of_access(const struct chances *e, uint32_t access)
{
	const struct evaluation_access *a = &e->question->sizes->accesses[access];

	if (a->object_bytes == 0 || !(a->bytes > 0))
		return HUGE_VAL;
	return fmax(1, (double)a->object_bytes / a->bytes);
}

/*
 * The most values that a node may take. *is_even: by a mask or a remainder, which spread over
 * all that they leave.
 */
static double values_of(const struct chances *e, uint32_t node, unsigned lane, unsigned depth,
                        bool *is_even)
{
	const struct ir_node *n = &e->kernel->nodes[node];
	const uint32_t *operands = kernel_operands(e->kernel, node);
	double values = values_of_type(n->type);
	bool is_shifted = false;
	int64_t by;

	if (depth >= CHANCE_DEPTH_MAX)
		return values;
	switch (n->op) {
	case NODE_LOAD:
	case NODE_ATOMIC:
		return fmin(values, values_of_access(e, n->aux));
	case NODE_CONVERT:
	case NODE_BITCAST:
		return fmin(values, values_of(e, operands[0], lane, depth + 1, is_even));
	case NODE_AND:
		for (unsigned i = 0; i < 2; i++)
			if (is_known_integer(e, operands[i], lane, &by) && by > 0) {
				*is_even = true;
				return fmin(values, exp2(__builtin_popcountll((uint64_t)by)));
			}
		return values;
	case NODE_REM:
		if (is_known_integer(e, operands[1], lane, &by) && by > 0) {
			*is_even = true;
			return fmin(values, (double)by);
		}
		return values;
	case NODE_SHR:
		if (is_known_integer(e, operands[1], lane, &by) && by > 0 && by < 64)
			values = fmax(2, values / exp2((double)by));
		return fmin(values, values_of(e, operands[0], lane, depth + 1, &is_shifted));
	case NODE_ADD:
	case NODE_SUB:
	case NODE_XOR:
		if (is_known_integer(e, operands[1], lane, &by))
			return fmin(values, values_of(e, operands[0], lane, depth + 1, is_even));
		if (is_known_integer(e, operands[0], lane, &by))
			return fmin(values, values_of(e, operands[1], lane, depth + 1, is_even));
		return values;
	default:
		return values;
	}
}

/* A known number of a lane, as a real. */
static bool is_known_number(const struct chances *e, uint32_t node, unsigned lane, double *value)
{
	const struct ir_node *n = &e->kernel->nodes[node];
	int64_t integer;

	if (is_known_integer(e, node, lane, &integer)) {
		*value = (double)integer;
		return true;
	}
	if (n->type.width != 1 || !type_is_real(n->type))
		return false;
	if (n->op != NODE_CONST_REAL &&
	    (!lanes_has(e->lanes, node) || lanes_known(e->lanes, node)[lane] != NUMBER_KNOWN))
		return false;
	*value = number_real(n->op == NODE_CONST_REAL ? (int64_t)n->imm
	                                              : lanes_value(e->lanes, node)[lane]);
	return true;
}

/* Where a number lies evenly: from `low` to below `high`; of integers the whole ones. */
struct spread {
	double low, high;
	bool is_type; /* all that an unsigned type has: says nothing before it is scaled to one */
};

static bool find_spread(const struct chances *e, uint32_t node, unsigned lane, unsigned depth,
                        struct spread *spread);

/* Of a sum, a product or a quotient of a spread number and a known one. */
static bool find_scaled(const struct chances *e, const struct ir_node *n, const uint32_t *operands,
                        unsigned lane, unsigned depth, struct spread *spread)
{
	unsigned known = 1;
	double by, other;

	if (!is_known_number(e, operands[1], lane, &by)) {
		if (n->op == NODE_SUB || n->op == NODE_DIV ||
		    !is_known_number(e, operands[0], lane, &by))
			return false;
		known = 0;
	}
	if (!find_spread(e, operands[1 - known], lane, depth + 1, spread))
		return false;
	if (n->op == NODE_ADD || n->op == NODE_SUB) {
		by = n->op == NODE_SUB ? -by : by;
		spread->low += by;
		spread->high += by;
		return true;
	}
	by = n->op == NODE_DIV ? 1 / by : by;
	if (!(by > 0) || !isfinite(by) || !type_is_real(n->type))
		return false;
	spread->low *= by;
	spread->high *= by;
	if (n->op == NODE_FMA && !is_known_number(e, operands[2], lane, &other))
		return false;
	spread->low += n->op == NODE_FMA ? other : 0;
	spread->high += n->op == NODE_FMA ? other : 0;
	return true;
}

/* Bytes, masks and remainders, and whole numbers scaled to between zero and one. */
static bool find_spread(const struct chances *e, uint32_t node, unsigned lane, unsigned depth,
                        struct spread *spread)
{
	const struct ir_node *n = &e->kernel->nodes[node];
	const uint32_t *operands = kernel_operands(e->kernel, node);
	bool is_even = false;
	double values;

	if (depth >= CHANCE_DEPTH_MAX || n->type.width != 1)
		return false;
	switch (n->op) {
	case NODE_AND:
	case NODE_REM:
		values = values_of(e, node, lane, 0, &is_even);
		*spread = (struct spread){0, values, false};
		return is_even && type_is_integer(n->type);
	case NODE_CONVERT:
		if (find_spread(e, operands[0], lane, depth + 1, spread))
			return type_is_real(n->type) ||
			       type_bytes(n->type) >=
			               type_bytes(e->kernel->nodes[operands[0]].type);
		break;
	case NODE_ADD:
	case NODE_SUB:
	case NODE_MUL:
	case NODE_DIV:
	case NODE_FMA:
		if (find_scaled(e, n, operands, lane, depth, spread))
			return true;
		break;
	default:
		break;
	}
	if (!type_is_integer(n->type) || n->type.scalar == SCALAR_BOOL ||
	    (n->op == NODE_LOAD &&
	     e->kernel->objects[e->kernel->accesses[n->aux].object].argument == IR_NONE))
		return false;
	values = values_of_type(n->type);
	*spread = (struct spread){0, values, values > 256};
	if (type_is_signed(n->type))
		*spread = (struct spread){-values / 2, values / 2, values > 256};
	if (n->op == NODE_SHR && !type_is_signed(n->type))
		spread->high = values_of(e, node, lane, 0, &is_even);
	return n->op == NODE_LOAD || (spread->is_type && !type_is_signed(n->type));
}

/* The square, the root or the absolute value of something, or a sum of such. */
static bool is_magnitude(const struct chances *e, uint32_t node, unsigned depth)
{
	const struct ir_node *n = &e->kernel->nodes[node];
	const uint32_t *operands = kernel_operands(e->kernel, node);

	if (depth >= CHANCE_DEPTH_MAX || !type_is_real(n->type) || !question_looks(e->question))
		return false;
	switch (n->op) {
	case NODE_ABS:
		return true;
	case NODE_MUL:
		return operands[0] == operands[1];
	case NODE_FMA:
		return operands[0] == operands[1] && is_magnitude(e, operands[2], depth + 1);
	case NODE_ADD:
	case NODE_MAX:
		return is_magnitude(e, operands[0], depth + 1) &&
		       is_magnitude(e, operands[1], depth + 1);
	case NODE_CALL:
		return n->aux == BUILTIN_SQRT || n->aux == BUILTIN_LENGTH ||
		       (n->aux == BUILTIN_DOT && operands[0] == operands[1]);
	default:
		return false;
	}
}

/* That a number lies below a known one; `step`: 1 where it may be equal and is whole. */
static double chance_of_below(const struct chances *e, uint32_t node, unsigned lane, double value,
                              double step, bool *is_even)
{
	struct spread spread;

	/* data are of the order of one: what is tiny is as rare as it is small */
	if (is_magnitude(e, node, 0))
		return value < 1 ? fmax(value, 0) / (1 + fmax(value, 0)) : 0.5;
	/* and of either sign, as far as anybody knows: what is far below zero stands for none */
	if (type_is_real(e->kernel->nodes[node].type) && value < 0)
		return 0.5 / (1 - value);
	if (!find_spread(e, node, lane, 0, &spread) || !(spread.high > spread.low) ||
	    (spread.is_type && fabs(spread.high - spread.low - 1) > 0.01 &&
	     fabs(spread.high - spread.low - 2) > 0.02))
		return 0.5;
	*is_even = true;
	return fmin(fmax((value + step - spread.low) / (spread.high - spread.low), 0), 1);
}

/* A product with a known number: of what is of the same order as others, that share. */
static bool is_share(const struct chances *e, uint32_t node, unsigned lane, double *share)
{
	const struct ir_node *n = &e->kernel->nodes[node];
	const uint32_t *operands = kernel_operands(e->kernel, node);

	return n->op == NODE_MUL && type_is_real(n->type) &&
	       (is_known_number(e, operands[0], lane, share) ||
	        is_known_number(e, operands[1], lane, share)) &&
	       *share > 0;
}

/* That one number is less than another (or equal); *is_even: where it lies is known. */
static double chance_of_less(const struct chances *e, const struct ir_node *n,
                             const uint32_t *operands, unsigned lane, bool *is_even)
{
	double may_be_equal = n->op == NODE_LE, value;

	if (type_is_real(e->kernel->nodes[operands[0]].type))
		may_be_equal = 0;
	if (is_known_number(e, operands[1], lane, &value))
		return chance_of_below(e, operands[0], lane, value, may_be_equal, is_even);
	if (is_known_number(e, operands[0], lane, &value)) {
		if (!type_is_real(e->kernel->nodes[operands[0]].type))
			may_be_equal = 1 - may_be_equal;
		return 1 - chance_of_below(e, operands[1], lane, value, may_be_equal, is_even);
	}
	if (is_magnitude(e, operands[0], 0) && is_share(e, operands[1], lane, &value))
		return chance_of_below(e, operands[0], lane, value, 0, is_even);
	if (is_magnitude(e, operands[1], 0) && is_share(e, operands[0], lane, &value))
		return 1 - chance_of_below(e, operands[1], lane, value, 0, is_even);
	return 0.5;
}

/* Two bounds of one number that lies evenly, one below it and one above: both hold. */
static bool is_between(const struct chances *e, uint32_t one, uint32_t other, unsigned lane)
{
	const struct ir_node *a = &e->kernel->nodes[one], *b = &e->kernel->nodes[other];
	const uint32_t *x = kernel_operands(e->kernel, one), *y = kernel_operands(e->kernel, other);
	bool is_even = false;

	if ((a->op != NODE_LT && a->op != NODE_LE) || (b->op != NODE_LT && b->op != NODE_LE) ||
	    (x[0] != y[1] && x[1] != y[0]))
		return false;
	chance_of_less(e, a, x, lane, &is_even);
	return is_even;
}

/* That a number is `value`, or, where that is NULL, what another of as many values is. */
static double chance_of_value(double values, bool is_even, const int64_t *value)
{
	double least = 2;

	if (is_even)
		return 1 / fmax(1, values);
	if (value && *value <= 0)
		return 0.5; /* a flag that is not set, a mark that something is not there yet */
	if (value)          /* of those from zero on */
		least = fmax(least, (double)*value + 1);
	return values > least ? (1 / least - 1 / values) / log(values / least) : 1 / least;
}

/*
 * What a number is the difference of: the bits in which two differ, or by how much they do; NULL:
 * it is none. What a loop keeps is what its iterations make of it.
 */
static const struct ir_node *difference_of(const struct chances *e, uint32_t node)
{
	const struct ir_kernel *kernel = e->kernel;
	const struct ir_node *n = &kernel->nodes[node];

	if (n->op == NODE_SUB)
		return n;
	for (unsigned i = 0; i < 2; i++) {
		while (n->op == NODE_CONVERT && type_is_integer(n->type))
			n = &kernel->nodes[node = kernel->operands[n->first_operand]];
		if (n->op != NODE_LOOP_VAR || kernel_variable(kernel, node)->next == IR_NONE)
			break;
		n = &kernel->nodes[node = kernel_variable(kernel, node)->next];
	}
	return n->op == NODE_XOR ? n : NULL;
}

static double chance_of_equal(const struct chances *e, const uint32_t *operands, unsigned lane,
                              unsigned depth)
{
	bool is_even[2] = {false};
	double values[2];
	int64_t value;

	for (unsigned i = 0; i < 2; i++) {
		values[i] = values_of(e, operands[i], lane, 0, &is_even[i]);
		if (is_known_integer(e, operands[i], lane, &value)) {
			const struct ir_node *other = difference_of(e, operands[1 - i]);

			if (value == 0 && other && depth < CHANCE_DEPTH_MAX)
				return chance_of_equal(e,
				                       e->kernel->operands + other->first_operand,
				                       lane, depth + 1);
			values[1 - i] = values_of(e, operands[1 - i], lane, 0, &is_even[1 - i]);
			return chance_of_value(values[1 - i], is_even[1 - i], &value);
		}
	}
	return chance_of_value(fmin(values[0], values[1]), is_even[0] || is_even[1], NULL);
}

/* What is true or false, rather than a number. */
static bool is_truth(const struct chances *e, uint32_t node, unsigned depth)
{
	const struct ir_node *n = &e->kernel->nodes[node];
	const uint32_t *operands = kernel_operands(e->kernel, node);
	int64_t value;

	if (depth > CHANCE_DEPTH_MAX || !question_looks(e->question))
		return false;
	switch (n->op) {
	case NODE_EQ:
	case NODE_NE:
	case NODE_LT:
	case NODE_LE:
	case NODE_LNOT:
		return true;
	case NODE_CONST_INT:
		return kernel_constant(e->kernel, node, &value) && (value == 0 || value == 1);
	case NODE_AND:
	case NODE_OR:
		return is_truth(e, operands[0], depth + 1) && is_truth(e, operands[1], depth + 1);
	case NODE_CONVERT:
	case NODE_BITCAST:
		return is_truth(e, operands[0], depth + 1);
	case NODE_PHI:
	case NODE_SELECT:
		return is_truth(e, operands[1], depth + 1) && is_truth(e, operands[2], depth + 1);
	default:
		return false;
	}
}

static double chance_of_truth(const struct chances *e, uint32_t node, unsigned lane,
                              unsigned depth);

/*
 * That any lane of a vector of answers is true, or all are. Places that are looked through for one
 * number hold others each; what is asked of a vector as a whole goes together.
 */
static double chance_of_lanes(const struct chances *e, const struct ir_node *n,
                              const uint32_t *operands, unsigned lane)
{
	const struct ir_node *vector = &e->kernel->nodes[operands[0]];
	bool is_equal = vector->op == NODE_EQ;
	double equal, alike;

	if ((vector->op != NODE_EQ && vector->op != NODE_NE) || vector->type.width < 2)
		return 0.5;
	alike = chance_of_equal(e, kernel_operands(e->kernel, operands[0]), lane, 0);
	equal = n->aux == (is_equal ? BUILTIN_ANY : BUILTIN_ALL)
	                ? fmin(0.5, alike * vector->type.width)
	                : alike;
	return is_equal ? equal : 1 - equal;
}

/* That a number is a constant which stands for something else than a number, by how it came to be
 * what it is; negative: nothing tells. */
static double chance_of_mark(const struct chances *e, uint32_t node, int64_t mark, unsigned lane,
                             unsigned depth)
{
	const struct ir_node *n = &e->kernel->nodes[node];
	const uint32_t *operands = kernel_operands(e->kernel, node);
	double chance, then, otherwise;
	int64_t value;

	if (kernel_constant(e->kernel, node, &value))
		return value == mark;
	if ((n->op != NODE_PHI && n->op != NODE_SELECT) || depth >= CHANCE_DEPTH_MAX ||
	    !question_looks(e->question))
		return -1;
	then = chance_of_mark(e, operands[1], mark, lane, depth + 1);
	otherwise = chance_of_mark(e, operands[2], mark, lane, depth + 1);
	if (then < 0 || otherwise < 0)
		return -1;
	if (then == otherwise)
		return then;
	chance = chance_of_truth(e, operands[0], lane, depth + 1);
	return chance * then + (1 - chance) * otherwise;
}

static double chance_of_both(const struct chances *e, uint32_t one, uint32_t other, double a,
                             double b, unsigned lane)
{
	return is_between(e, one, other, lane) ? fmax(a + b - 1, 0) : fmin(a, b);
}

static bool is_difference(const struct ir_kernel *kernel, uint32_t node, uint32_t left,
                          uint32_t right)
{
	const uint32_t *operands = kernel_operands(kernel, node);

	return kernel->nodes[node].op == NODE_SUB && operands[0] == left && operands[1] == right;
}

/*
 * Whether a comparison of integers with a known bound only asks what has left a ring at its end
 * (x >= n ? x - n : x), as few places that are gone on from do; *size: of the ring.
 */
static bool is_wrapped(const struct chances *e, uint32_t node, unsigned lane, int64_t *size)
{
	const struct ir_kernel *kernel = e->kernel;
	const uint32_t *compared = kernel_operands(kernel, node);
	uint32_t from = compared[1], bound = compared[0];

	if (kernel->nodes[node].op != NODE_LE || !type_is_integer(kernel->nodes[from].type) ||
	    !is_known_integer(e, bound, lane, size) || *size < 2)
		return false;
	for (uint32_t i = node + 1; i < kernel->node_count && question_looks(e->question); i++) {
		const struct ir_node *n = &kernel->nodes[i];
		const uint32_t *operands = kernel_operands(kernel, i);

		if ((n->op == NODE_PHI || n->op == NODE_SELECT) && operands[0] == node &&
		    operands[2] == from && is_difference(kernel, operands[1], from, bound))
			return true;
	}
	return false;
}

/* Of two conditions nobody knows whether they go together: they are taken to. */
static double chance_of_truth(const struct chances *e, uint32_t node, unsigned lane, unsigned depth)
{
	const struct ir_kernel *kernel = e->kernel;
	const uint32_t *operands = kernel_operands(kernel, node);
	double a, b, c;
	bool is_even = false;
	int64_t value;

	if (is_known_integer(e, node, lane, &value))
		return value != 0;
	if (depth >= CHANCE_DEPTH_MAX || !question_looks(e->question))
		return 0.5;
	if (is_truth(e, node, 0) && trial_chance(e, node, &a))
		return a;
	switch (kernel->nodes[node].op) {
	case NODE_EQ:
	case NODE_NE:
		if (is_truth(e, operands[0], 0) && is_truth(e, operands[1], 0)) {
			a = chance_of_truth(e, operands[0], lane, depth + 1);
			b = chance_of_truth(e, operands[1], lane, depth + 1);
			c = a * b + (1 - a) * (1 - b);
		} else {
			c = -1;
			for (unsigned i = 0; i < 2 && c < 0; i++)
				if (kernel_constant(kernel, operands[i], &value))
					c = chance_of_mark(e, operands[1 - i], value, lane,
					                   depth + 1);
			c = c < 0 ? chance_of_equal(e, operands, lane, 0) : c;
		}
		return kernel->nodes[node].op == NODE_EQ ? c : 1 - c;
	case NODE_LT:
	case NODE_LE:
		if (record_chance(e, node, &a))
			return a;
		if (is_wrapped(e, node, lane, &value))
			return 1 / (double)value;
		return chance_of_less(e, &kernel->nodes[node], operands, lane, &is_even);
	case NODE_LNOT:
		return 1 - chance_of_truth(e, operands[0], lane, depth + 1);
	case NODE_CALL:
		return kernel->nodes[node].aux == BUILTIN_ANY ||
		                       kernel->nodes[node].aux == BUILTIN_ALL
		               ? chance_of_lanes(e, &kernel->nodes[node], operands, lane)
		               : 0.5;
	case NODE_CONVERT:
	case NODE_BITCAST:
		return chance_of_truth(e, operands[0], lane, depth + 1);
	case NODE_AND:
	case NODE_OR:
		if (!is_truth(e, node, 0)) {
			a = values_of(e, node, lane, 0, &is_even);
			return is_even ? 1 - 1 / fmax(1, a) : 0.5;
		}
		a = chance_of_truth(e, operands[0], lane, depth + 1);
		b = chance_of_truth(e, operands[1], lane, depth + 1);
		return kernel->nodes[node].op == NODE_AND
		               ? chance_of_both(e, operands[0], operands[1], a, b, lane)
		               : 1 - chance_of_both(e, operands[0], operands[1], 1 - a, 1 - b,
		                                    lane);
	case NODE_REM:
		a = values_of(e, node, lane, 0, &is_even);
		return is_even ? 1 - 1 / fmax(1, a) : 0.5;
	case NODE_PHI:
	case NODE_SELECT:
		a = chance_of_truth(e, operands[0], lane, depth + 1);
		b = chance_of_truth(e, operands[1], lane, depth + 1);
		c = chance_of_truth(e, operands[2], lane, depth + 1);
		if (kernel_constant(kernel, operands[2], &value)) /* c && x, !c || x */
			return value == 0 ? chance_of_both(e, operands[0], operands[1], a, b, lane)
			                  : fmax(1 - a, b);
		return a * b + (1 - a) * c;
	default:
		return 0.5;
	}
}

/* Whether the launch decides as much of a node, and of what it is made of, in one lane as in
 * another.
 */
static bool is_alike(const struct chances *e, uint32_t node, unsigned *left)
{
	const struct ir_node *n = &e->kernel->nodes[node];

	if ((*left)-- == 1)
		return false;
	if (lanes_has(e->lanes, node)) {
		const uint8_t *known = lanes_known(e->lanes, node);
		const int64_t *value = lanes_value(e->lanes, node);

		if (memcmp(known, known + 1, e->lanes->count - 1) != 0 ||
		    (known[0] == NUMBER_KNOWN &&
		     memcmp(value, value + 1, (e->lanes->count - 1) * sizeof(*value)) != 0))
			return false;
	}
	for (unsigned i = 0; i < n->operand_count; i++)
		if (!is_alike(e, kernel_operands(e->kernel, node)[i], left))
			return false;
	return true;
}

bool chance_is_alike(const struct chances *e, uint32_t condition)
{
	unsigned left = ALIKE_MAX;

	return condition == IR_NONE || is_alike(e, condition, &left);
}

double chance_of(const struct chances *e, uint32_t condition, unsigned lane)
{
	return condition == IR_NONE ? 0.5 : chance_of_truth(e, condition, lane, 0);
}
