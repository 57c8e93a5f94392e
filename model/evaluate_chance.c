/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How likely a condition is that data decide. Nothing is known of the data, but something of
 * the question: whether one number is less than another is open, and so is whether one is
 * zero, which flags are; but that it equals another is the rarer the more values it may
 * have. How many those are has no scale of its own: anything between the fewest that the
 * question makes sense for and the most that its buffer can hold, evenly by order of
 * magnitude (Jeffreys, Proc. R. Soc. A 186, 1946). The answer is the mean of one in as many: a
 * launch's time follows how many work-items run, and few of them cost next to nothing.
 */
#include <math.h>

#include "model/evaluate_lanes.h"

enum { CHANCE_DEPTH_MAX = 8 };

static const uint32_t *operands_of(const struct ir_kernel *kernel, uint32_t node)
{
	return kernel->operands + kernel->nodes[node].first_operand;
}

/* An integer that the launch decides, in one lane. */
static bool is_known_integer(const struct evaluator *e, uint32_t node, unsigned lane,
                             int64_t *value)
{
	if (kernel_constant(e->kernel, node, value))
		return true;
	if (!lanes_has(e, node) || !type_is_integer(e->kernel->nodes[node].type) ||
	    lanes_known(e, node)[lane] != LANES_KNOWN)
		return false;
	*value = lanes_value(e, node)[lane];
	return true;
}

static double values_of_type(struct type type)
{
	return type.scalar == SCALAR_BOOL
	               ? 2
	               : exp2((double)scalar_bytes((enum scalar)type.scalar) * 8);
}

/* What an access reads may be as many values as it has elements. */
static double values_of_access(const struct evaluator *e, uint32_t access)
{
	const struct evaluation_access *a = &e->result->accesses[access];

	if (a->object_bytes == 0 || !(a->bytes > 0))
		return HUGE_VAL;
	return fmax(1, (double)a->object_bytes / a->bytes);
}

/*
 * The most values that a node may take. *is_even: by a mask or a remainder, which spread over
 * all that they leave.
 */
static double values_of(const struct evaluator *e, uint32_t node, unsigned lane, unsigned depth,
                        bool *is_even)
{
	const struct ir_node *n = &e->kernel->nodes[node];
	const uint32_t *operands = operands_of(e->kernel, node);
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

static double chance_of_equal(const struct evaluator *e, const uint32_t *operands, unsigned lane)
{
	bool is_even[2] = {false};
	double values[2];
	int64_t value;

	for (unsigned i = 0; i < 2; i++) {
		values[i] = values_of(e, operands[i], lane, 0, &is_even[i]);
		if (is_known_integer(e, operands[i], lane, &value)) {
			values[1 - i] = values_of(e, operands[1 - i], lane, 0, &is_even[1 - i]);
			return chance_of_value(values[1 - i], is_even[1 - i], &value);
		}
	}
	return chance_of_value(fmin(values[0], values[1]), is_even[0] || is_even[1], NULL);
}

/* What is true or false, rather than a number. */
static bool is_truth(const struct ir_kernel *kernel, uint32_t node, unsigned depth)
{
	const struct ir_node *n = &kernel->nodes[node];
	const uint32_t *operands = operands_of(kernel, node);
	int64_t value;

	switch (n->op) {
	case NODE_EQ:
	case NODE_NE:
	case NODE_LT:
	case NODE_LE:
	case NODE_LNOT:
		return true;
	case NODE_CONST_INT:
		return kernel_constant(kernel, node, &value) && (value == 0 || value == 1);
	case NODE_AND:
	case NODE_OR:
		return depth < CHANCE_DEPTH_MAX && is_truth(kernel, operands[0], depth + 1) &&
		       is_truth(kernel, operands[1], depth + 1);
	case NODE_CONVERT:
	case NODE_BITCAST:
		return depth < CHANCE_DEPTH_MAX && is_truth(kernel, operands[0], depth + 1);
	case NODE_PHI:
	case NODE_SELECT:
		return depth < CHANCE_DEPTH_MAX && is_truth(kernel, operands[1], depth + 1) &&
		       is_truth(kernel, operands[2], depth + 1);
	default:
		return false;
	}
}

/* Of two conditions nobody knows whether they go together: they are taken to. */
static double chance_of_truth(const struct evaluator *e, uint32_t node, unsigned lane,
                              unsigned depth)
{
	const struct ir_kernel *kernel = e->kernel;
	const uint32_t *operands = operands_of(kernel, node);
	double a, b, c;
	int64_t value;

	if (is_known_integer(e, node, lane, &value))
		return value != 0;
	if (depth >= CHANCE_DEPTH_MAX)
		return 0.5;
	switch (kernel->nodes[node].op) {
	case NODE_EQ:
	case NODE_NE:
		if (is_truth(kernel, operands[0], 0) && is_truth(kernel, operands[1], 0)) {
			a = chance_of_truth(e, operands[0], lane, depth + 1);
			b = chance_of_truth(e, operands[1], lane, depth + 1);
			c = a * b + (1 - a) * (1 - b);
		} else {
			c = chance_of_equal(e, operands, lane);
		}
		return kernel->nodes[node].op == NODE_EQ ? c : 1 - c;
	case NODE_LNOT:
		return 1 - chance_of_truth(e, operands[0], lane, depth + 1);
	case NODE_CONVERT:
	case NODE_BITCAST:
		return chance_of_truth(e, operands[0], lane, depth + 1);
	case NODE_AND:
	case NODE_OR:
		if (!is_truth(kernel, node, 0))
			return 0.5;
		a = chance_of_truth(e, operands[0], lane, depth + 1);
		b = chance_of_truth(e, operands[1], lane, depth + 1);
		return kernel->nodes[node].op == NODE_AND ? fmin(a, b) : fmax(a, b);
	case NODE_PHI:
	case NODE_SELECT:
		a = chance_of_truth(e, operands[0], lane, depth + 1);
		b = chance_of_truth(e, operands[1], lane, depth + 1);
		c = chance_of_truth(e, operands[2], lane, depth + 1);
		if (kernel_constant(kernel, operands[2], &value)) /* c && x, !c || x */
			return value == 0 ? fmin(a, b) : fmax(1 - a, b);
		return a * b + (1 - a) * c;
	default:
		return 0.5;
	}
}

double chance_of(const struct evaluator *evaluator, uint32_t condition, unsigned lane)
{
	return condition == IR_NONE ? 0.5 : chance_of_truth(evaluator, condition, lane, 0);
}
