/* SPDX-License-Identifier: Apache-2.0 */
/* Forms of nodes: sums, products, quotients, minima and choices, and where they lie. */
#include "model/split/form.h"

#include <string.h>

enum { DEPTH_MAX = 100 };

static const struct form UNKNOWN = {0};

/* ---- sums and bounds ----------------------------------------------------------------------- */

struct form form_constant(int64_t value)
{
	return (struct form){.is_known = true, .low = value, .high = value};
}

static struct form between(int64_t low, int64_t high)
{
	return (struct form){.is_known = true, .low = low, .high = high};
}

struct form form_add(const struct form *a, const struct form *b)
{
	struct form sum = *a;
	if (!a->is_known || !b->is_known || __builtin_add_overflow(a->low, b->low, &sum.low) ||
	    __builtin_add_overflow(a->high, b->high, &sum.high))
		return UNKNOWN;
	for (unsigned i = 0; i < TERM_COUNT; i++)
		if (__builtin_add_overflow(a->factors[i], b->factors[i], &sum.factors[i]))
			return UNKNOWN;
	return sum;
}

struct form form_scale(const struct form *a, int64_t factor)
{
	struct form product = *a;
	int64_t low, high;
	if (!a->is_known || __builtin_mul_overflow(a->low, factor, &low) ||
	    __builtin_mul_overflow(a->high, factor, &high))
		return UNKNOWN;
	product.low = factor < 0 ? high : low;
	product.high = factor < 0 ? low : high;
	for (unsigned i = 0; i < TERM_COUNT; i++)
		if (__builtin_mul_overflow(a->factors[i], factor, &product.factors[i]))
			return UNKNOWN;
	return product;
}

static struct form subtract(const struct form *a, const struct form *b)
{
	struct form negative = form_scale(b, -1);
	return form_add(a, &negative);
}

static struct form term(unsigned which, int64_t constant)
{
	struct form form = form_constant(constant);
	form.factors[which] = 1;
	return form;
}

void form_normalise(const struct context *context, struct form *form)
{
	for (unsigned d = 0; d < 3; d++) {
		int64_t local = (int64_t)context->launch->local[d];
		int64_t factor = form->factors[TERM_GROUP + d], global, own;
		if (factor == 0 || local <= 0 || factor % local != 0 ||
		    __builtin_add_overflow(form->factors[TERM_GLOBAL + d], factor / local,
		                           &global) ||
		    __builtin_sub_overflow(form->factors[TERM_LOCAL + d], factor / local, &own))
			continue;
		form->factors[TERM_GLOBAL + d] = global;
		form->factors[TERM_LOCAL + d] = own;
		form->factors[TERM_GROUP + d] = 0;
	}
}

/* Adds a multiple of what lies between two values to bounds. */
static bool bounds_add(int64_t factor, int64_t from, int64_t to, int64_t *low, int64_t *high)
{
	int64_t a, b;
	if (__builtin_mul_overflow(factor, from, &a) || __builtin_mul_overflow(factor, to, &b))
		return false;
	return !__builtin_add_overflow(*low, a < b ? a : b, low) &&
	       !__builtin_add_overflow(*high, a < b ? b : a, high);
}

/*
 * Global and local ids of one dimension: each for itself, or as the group's first item, a multiple
 * of its size, and the item's place in it. The two together are bounded by either.
 */
static bool pair_range(const struct context *context, const struct form *form, unsigned d,
                       int64_t *low, int64_t *high)
{
	int64_t global = form->factors[TERM_GLOBAL + d], local = form->factors[TERM_LOCAL + d];
	int64_t size = (int64_t)context->launch->local[d], both, low2 = 0, high2 = 0;
	*low = *high = 0;
	if (!bounds_add(global, context->low[TERM_GLOBAL + d], context->high[TERM_GLOBAL + d], low,
	                high) ||
	    !bounds_add(local, context->low[TERM_LOCAL + d], context->high[TERM_LOCAL + d], low,
	                high))
		return false;
	if (global == 0 || local == 0 || size <= 0)
		return true;
	if (__builtin_add_overflow(global, local, &both) ||
	    !bounds_add(global, context->low[TERM_GLOBAL + d] / size * size,
	                context->high[TERM_GLOBAL + d] / size * size, &low2, &high2) ||
	    !bounds_add(both, 0, size - 1, &low2, &high2))
		return true;
	*low = low2 > *low ? low2 : *low;
	*high = high2 < *high ? high2 : *high;
	return true;
}

bool form_range(const struct context *context, const struct form *form, int64_t *low, int64_t *high)
{
	struct form own = *form;
	if (!form->is_known)
		return false;
	form_normalise(context, &own);
	*low = own.low;
	*high = own.high;
	for (unsigned d = 0; d < 3; d++) {
		int64_t pair_low, pair_high;
		if (!pair_range(context, &own, d, &pair_low, &pair_high) ||
		    __builtin_add_overflow(*low, pair_low, low) ||
		    __builtin_add_overflow(*high, pair_high, high) ||
		    !bounds_add(own.factors[TERM_GROUP + d], context->low[TERM_GROUP + d],
		                context->high[TERM_GROUP + d], low, high))
			return false;
	}
	/* a guard of the same multiples, times something */
	for (unsigned i = 0; i < context->guard_count; i++) {
		const struct guard *guard = &context->guards[i];
		int64_t ratio = 0, most;
		bool is_multiple = true;
		for (unsigned t = 0; t < TERM_COUNT && is_multiple; t++) {
			if (guard->factors[t] == 0 || own.factors[t] == INT64_MIN) {
				is_multiple = own.factors[t] == 0;
				continue;
			}
			int64_t times = own.factors[t] / guard->factors[t];
			is_multiple = own.factors[t] % guard->factors[t] == 0 &&
			              (ratio == 0 || ratio == times) && times != 0;
			ratio = times;
		}
		if (!is_multiple || ratio == 0 || __builtin_mul_overflow(guard->high, ratio, &most))
			continue;
		if (ratio > 0 && !__builtin_add_overflow(most, own.high, &most) && most < *high)
			*high = most;
		else if (ratio < 0 && !__builtin_add_overflow(most, own.low, &most) && most > *low)
			*low = most;
	}
	return true;
}

/* ---- choices ------------------------------------------------------------------------------- */

/* By how much two bounds are apart. */
static uint64_t width(const struct form *form)
{
	return form->is_known ? (uint64_t)form->high - (uint64_t)form->low : UINT64_MAX;
}

/* Either of two, with the multiples of the first; `b` lies where `where_b` says. */
static struct form join_as(const struct context *where_b, const struct form *a,
                           const struct form *b)
{
	struct form joined = *a, bare = *a, rest;
	int64_t low, high;
	bare.low = bare.high = 0;
	rest = subtract(b, &bare);
	if (!form_range(where_b, &rest, &low, &high))
		return UNKNOWN;
	joined.low = low < a->low ? low : a->low;
	joined.high = high > a->high ? high : a->high;
	return joined;
}

static unsigned term_count(const struct form *form)
{
	unsigned count = 0;
	for (unsigned i = 0; i < TERM_COUNT; i++)
		count += form->factors[i] != 0;
	return count;
}

/* The narrower one; of two that are as narrow, that of fewer ids. */
static struct form join(const struct context *where_a, const struct form *a,
                        const struct context *where_b, const struct form *b)
{
	struct form first, second;
	if (!a->is_known || !b->is_known)
		return UNKNOWN;
	first = join_as(where_b, a, b);
	second = join_as(where_a, b, a);
	if (width(&second) == width(&first))
		return term_count(&second) < term_count(&first) ? second : first;
	return width(&second) < width(&first) ? second : first;
}

/* min(a, b), or max(a, b) by way of their negatives. */
static struct form minimum(const struct context *context, const struct form *a,
                           const struct form *b)
{
	struct form difference = subtract(a, b), first = *a, second = *b;
	int64_t low, high;
	if (!form_range(context, &difference, &low, &high) || low == INT64_MIN || high == INT64_MIN)
		return UNKNOWN;
	if (high <= 0)
		return *a;
	if (low >= 0)
		return *b;
	/* a + min(0, b - a), b + min(0, a - b) */
	if (__builtin_sub_overflow(first.low, high, &first.low))
		first = UNKNOWN;
	if (__builtin_add_overflow(second.low, low, &second.low))
		second = UNKNOWN;
	return width(&second) < width(&first) ? second : first;
}

static struct form maximum(const struct context *context, const struct form *a,
                           const struct form *b)
{
	struct form c = form_scale(a, -1), d = form_scale(b, -1);
	c = minimum(context, &c, &d);
	return form_scale(&c, -1);
}

/* ---- products and quotients ---------------------------------------------------------------- */

static bool is_constant(const struct form *form)
{
	for (unsigned i = 0; i < TERM_COUNT; i++)
		if (form->factors[i] != 0)
			return false;
	return form->is_known && form->low == form->high;
}

static struct form multiply(const struct context *context, const struct form *a,
                            const struct form *b)
{
	int64_t corners[4], alow, ahigh, blow, bhigh;
	if (is_constant(b))
		return form_scale(a, b->low);
	if (is_constant(a))
		return form_scale(b, a->low);
	if (!form_range(context, a, &alow, &ahigh) || !form_range(context, b, &blow, &bhigh) ||
	    __builtin_mul_overflow(alow, blow, &corners[0]) ||
	    __builtin_mul_overflow(alow, bhigh, &corners[1]) ||
	    __builtin_mul_overflow(ahigh, blow, &corners[2]) ||
	    __builtin_mul_overflow(ahigh, bhigh, &corners[3]))
		return UNKNOWN;
	struct form product = between(corners[0], corners[0]);
	for (unsigned i = 1; i < 4; i++) {
		product.low = corners[i] < product.low ? corners[i] : product.low;
		product.high = corners[i] > product.high ? corners[i] : product.high;
	}
	return product;
}

static int64_t floor_divide(int64_t a, int64_t n)
{
	return a / n - (a % n < 0);
}

/* a = n * whole + rest, the multiples of n in `whole`, without bounds of its own. */
static void cut(const struct context *context, const struct form *a, int64_t n, struct form *whole,
                struct form *rest)
{
	*rest = *a;
	form_normalise(context, rest);
	*whole = form_constant(0);
	for (unsigned i = 0; i < TERM_COUNT; i++)
		if (rest->factors[i] % n == 0) {
			whole->factors[i] = rest->factors[i] / n;
			rest->factors[i] = 0;
		}
}

/* The quotient by n > 0, rounded down. */
static struct form divide(const struct context *context, const struct form *a, int64_t n)
{
	struct form whole, rest;
	int64_t low, high;
	if (!a->is_known || n <= 0)
		return UNKNOWN;
	cut(context, a, n, &whole, &rest);
	if (!form_range(context, &rest, &low, &high))
		return UNKNOWN;
	whole.low = floor_divide(low, n);
	whole.high = floor_divide(high, n);
	return whole;
}

/* a modulo n > 0, of a value that is 0 or more. */
static struct form modulo(const struct context *context, const struct form *a, int64_t n)
{
	struct form whole, rest, taken;
	int64_t low, high;
	if (!a->is_known || n <= 0)
		return UNKNOWN;
	cut(context, a, n, &whole, &rest);
	if (form_range(context, &rest, &low, &high) &&
	    floor_divide(low, n) == floor_divide(high, n) &&
	    !__builtin_mul_overflow(-n, floor_divide(low, n), &high)) {
		taken = form_constant(high);
		return form_add(&rest, &taken);
	}
	if (form_range(context, a, &low, &high) && low >= 0 && high < n)
		return *a;
	return between(0, n - 1);
}

/* ---- nodes --------------------------------------------------------------------------------- */

/* What a type's values lie between; false: of 64 bits without sign, or no integer. */
static bool type_bounds(struct type type, int64_t *low, int64_t *high)
{
	if (!type_is_integer(type) || type.width != 1)
		return false;
	if (type.scalar == SCALAR_BOOL) {
		*low = 0;
		*high = 1;
		return true;
	}
	unsigned bits = 8 * scalar_bytes((enum scalar)type.scalar);
	if (type_is_signed(type)) {
		*high = (int64_t)(UINT64_MAX >> (65 - bits));
		*low = -*high - 1;
		return true;
	}
	*low = 0;
	*high = bits == 64 ? INT64_MAX : (int64_t)(UINT64_MAX >> (64 - bits));
	return true;
}

/* A form, where all its values are of the type. */
static struct form within(const struct context *context, const struct form *form, struct type type)
{
	int64_t low, high, least, most;
	if (!type_bounds(type, &least, &most) || !form_range(context, form, &low, &high) ||
	    low < least || high > most)
		return UNKNOWN;
	return *form;
}

struct form form_value(struct context *context, uint32_t node)
{
	struct type type = context->kernel->nodes[node].type;
	struct form form = form_of(context, node);
	if (!form.is_known || (type_is_signed(type) && type.width == 1))
		return form;
	return within(context, &form, type);
}

static struct form of_argument(const struct context *context, const struct ir_node *n)
{
	const struct launch *launch = context->launch;
	if (n->aux >= launch->argument_count || n->imm != 0 || n->type.width != 1)
		return UNKNOWN;
	const struct launch_argument *argument = &launch->arguments[n->aux];
	const struct ir_argument *parameter = &context->kernel->arguments[n->aux];
	if (argument->kind != ARGUMENT_SCALAR || !type_is_integer(n->type) ||
	    !type_is_integer(argument->type) || parameter->type.width != 1)
		return UNKNOWN;
	int64_t value = argument->value.integer[0], low, high;
	/* it may have come with the other sign */
	if (!type_bounds(n->type, &low, &high))
		return UNKNOWN;
	if (value >= low && value <= high)
		return form_constant(value);
	unsigned bits = 8 * scalar_bytes((enum scalar)n->type.scalar);
	if (bits == 64)
		return UNKNOWN;
	value &= (int64_t)(UINT64_MAX >> (64 - bits));
	return form_constant(value > high ? value - (INT64_C(1) << bits) : value);
}

/*
 * Whether a side of a comparison is the node, or a conversion of it that has its value: one that
 * loses no bits; to one without sign only where a negative one, which it makes large, fits what is
 * asked.
 */
static bool is_node(const struct ir_kernel *kernel, uint32_t side, uint32_t node, bool upper)
{
	while (side != node && kernel->nodes[side].op == NODE_CONVERT) {
		uint32_t from = kernel_operands(kernel, side)[0];
		struct type to = kernel->nodes[side].type, type = kernel->nodes[from].type;
		if (!type_is_integer(to) || !type_is_integer(type) || to.width != 1 ||
		    scalar_bytes((enum scalar)to.scalar) < scalar_bytes((enum scalar)type.scalar) ||
		    (type_is_signed(type) && !type_is_signed(to) && !upper))
			return false;
		side = from;
	}
	return side == node;
}

/*
 * What a condition that is true bounds a node by: the highest value (or lowest) that it may have.
 * Unknown: by nothing.
 */
static struct form bound_by(struct context *context, uint32_t condition, uint32_t node, bool upper,
                            bool is_true)
{
	const struct ir_kernel *kernel = context->kernel;
	const struct ir_node *n = &kernel->nodes[condition];
	const uint32_t *sides = kernel_operands(kernel, condition);
	int64_t constant;
	struct form form;
	if (n->op == NODE_LNOT)
		return bound_by(context, sides[0], node, upper, !is_true);
	if (n->op == NODE_CONVERT)
		return bound_by(context, sides[0], node, upper, is_true);
	if (n->op == NODE_AND && is_true && node_is_truth(&kernel->nodes[sides[0]]) &&
	    node_is_truth(&kernel->nodes[sides[1]])) {
		form = bound_by(context, sides[0], node, upper, true);
		return form.is_known ? form : bound_by(context, sides[1], node, upper, true);
	}
	if (n->op == NODE_PHI && is_true && kernel_constant(kernel, sides[2], &constant) &&
	    constant == 0) {
		form = bound_by(context, sides[0], node, upper, true);
		return form.is_known ? form : bound_by(context, sides[1], node, upper, true);
	}
	if (n->op == NODE_NE && kernel_constant(kernel, sides[1], &constant) && constant == 0 &&
	    node_is_truth(&kernel->nodes[sides[0]]))
		return bound_by(context, sides[0], node, upper, is_true);
	if (n->op != NODE_LT && n->op != NODE_LE)
		return UNKNOWN;
	/* a < b, a <= b; not true: b <= a, b < a */
	uint32_t less = is_true ? sides[0] : sides[1], more = is_true ? sides[1] : sides[0];
	bool is_strict = (n->op == NODE_LT) == is_true;
	if (!is_node(kernel, upper ? less : more, node, upper))
		return UNKNOWN;
	form = form_value(context, upper ? more : less);
	struct form one = form_constant(upper ? -1 : 1);
	return is_strict ? form_add(&form, &one) : form;
}

/*
 * A loop's variable goes from its first value as far as the condition lets it, by equal steps, or
 * by shifts. Behind the loop it may be a step further.
 */
static struct form of_variable(struct context *context, uint32_t node)
{
	const struct ir_kernel *kernel = context->kernel;
	const struct ir_statement *loop = &kernel->statements[kernel->nodes[node].aux];
	const struct ir_variable *variable = kernel_variable(kernel, node);
	struct form init = form_value(context, variable->init), end, step;
	const struct ir_node *next;
	int64_t low, high, least, most;
	bool is_up = false, is_behind;
	if (!init.is_known || variable->next == IR_NONE)
		return UNKNOWN;
	if (variable->next == node)
		return init;
	next = &kernel->nodes[variable->next];
	if (next->operand_count != 2 || !type_is_integer(next->type) || next->type.width != 1)
		return UNKNOWN;
	const uint32_t *sides = kernel_operands(kernel, variable->next);
	uint32_t other = sides[0] == node ? sides[1] : sides[0];
	if (other == node || (sides[0] != node && sides[1] != node))
		return UNKNOWN;
	if (sides[0] != node && next->op != NODE_ADD && next->op != NODE_MUL)
		return UNKNOWN;
	step = form_value(context, other);
	if (!form_range(context, &step, &low, &high) || !form_range(context, &init, &least, &most))
		return UNKNOWN;
	bool is_natural = least >= 0;
	switch (next->op) {
	case NODE_ADD:
		if (low < 0 && high > 0)
			return UNKNOWN;
		is_up = low >= 0;
		break;
	case NODE_SUB:
		if (low < 0)
			return UNKNOWN;
		break;
	case NODE_SHL:
	case NODE_MUL:
		if (!is_natural || low < (next->op == NODE_MUL))
			return UNKNOWN;
		is_up = true;
		break;
	case NODE_SHR:
	case NODE_DIV:
		if (!is_natural || low < (next->op == NODE_DIV))
			return UNKNOWN;
		/* it stays 0 or more */
		end = form_constant(0);
		return join(context, &init, context, &end);
	default:
		return UNKNOWN;
	}
	if (loop->condition == IR_NONE)
		return UNKNOWN;
	end = bound_by(context, loop->condition, loop->tests_last ? variable->next : node, is_up,
	               true);
	is_behind = !kernel_is_within(kernel, context->block, kernel->nodes[node].aux);
	if (loop->tests_last && !end.is_known) /* it tests what it was */
		end = bound_by(context, loop->condition, node, is_up, true), is_behind = true;
	if (is_behind && next->op != NODE_ADD && next->op != NODE_SUB)
		return UNKNOWN;
	struct form further = next->op == NODE_SUB ? form_scale(&step, -1) : step;
	further = form_add(&end, &further);
	/* one without sign that stepped over its last value would begin anew */
	if ((next->op == NODE_ADD || next->op == NODE_SUB) && !type_is_signed(next->type)) {
		struct form fits = within(context, &further, next->type);
		if (!fits.is_known)
			return UNKNOWN;
	}
	if (is_behind)
		end = further;
	return join(context, &init, context, &end);
}

/* A vector's lane, where it is put together from scalars. */
static struct form of_lane(struct context *context, uint32_t vector, uint64_t lane)
{
	const struct ir_node *n = &context->kernel->nodes[vector];
	if (n->op == NODE_SPLAT)
		return form_of(context, kernel_operands(context->kernel, vector)[0]);
	if (n->op != NODE_VECTOR || lane >= n->operand_count || n->operand_count != n->type.width)
		return UNKNOWN;
	return form_of(context, kernel_operands(context->kernel, vector)[lane]);
}

static struct form of_choice(struct context *context, const uint32_t *operands)
{
	struct form then = form_of(context, operands[1]), otherwise = form_of(context, operands[2]);
	int decided;
	if (!then.is_known && !otherwise.is_known)
		return UNKNOWN;
	decided = condition_decide(context, operands[0]);
	if (decided >= 0)
		return decided ? then : otherwise;
	if (!then.is_known || !otherwise.is_known)
		return UNKNOWN;
	struct context if_true = *context, if_false = *context;
	guard_add(&if_true, context, operands[0], true);
	guard_add(&if_false, context, operands[0], false);
	return join(&if_true, &then, &if_false, &otherwise);
}

/* Bits of two values that are 0 or more. */
static struct form of_bits(struct context *context, const struct ir_node *n, const struct form *a,
                           const struct form *b)
{
	int64_t alow, ahigh, blow, bhigh, most;
	bool is_a = form_range(context, a, &alow, &ahigh) && alow >= 0;
	bool is_b = form_range(context, b, &blow, &bhigh) && blow >= 0;
	if (n->op == NODE_AND) {
		if (is_b && is_constant(b) && (b->low & (b->low + 1)) == 0 && is_a)
			return modulo(context, a, b->low + 1);
		if (!is_a && !is_b)
			return UNKNOWN;
		most = !is_a ? bhigh : !is_b ? ahigh : ahigh < bhigh ? ahigh : bhigh;
		return between(0, most);
	}
	if (!is_a || !is_b)
		return UNKNOWN;
	most = ahigh | bhigh;
	for (unsigned shift = 1; shift < 64; shift *= 2)
		most |= most >> shift;
	return between(0, most);
}

static struct form of_pair(struct context *context, const struct ir_node *n,
                           const uint32_t *operands)
{
	bool is_ring = n->op == NODE_ADD || n->op == NODE_SUB || n->op == NODE_MUL;
	struct form a = is_ring ? form_of(context, operands[0]) : form_value(context, operands[0]);
	struct form b = is_ring ? form_of(context, operands[1]) : form_value(context, operands[1]);
	int64_t low, high;
	if (n->op != NODE_AND && n->op != NODE_REM && (!a.is_known || !b.is_known))
		return UNKNOWN;
	switch (n->op) {
	case NODE_ADD:
		return form_add(&a, &b);
	case NODE_SUB:
		return subtract(&a, &b);
	case NODE_MUL:
		return multiply(context, &a, &b);
	case NODE_MIN:
		return minimum(context, &a, &b);
	case NODE_MAX:
		return maximum(context, &a, &b);
	case NODE_DIV:
		if (!is_constant(&b) || !form_range(context, &a, &low, &high) || low < 0)
			return UNKNOWN;
		return divide(context, &a, b.low);
	case NODE_REM:
		if (!is_constant(&b) || b.low <= 0)
			return UNKNOWN;
		if (form_range(context, &a, &low, &high) && low >= 0)
			return modulo(context, &a, b.low);
		return between(type_is_signed(n->type) ? 1 - b.low : 0, b.low - 1);
	case NODE_SHL:
		if (!is_constant(&b) || b.low < 0 || b.low > 62)
			return UNKNOWN;
		return form_scale(&a, INT64_C(1) << b.low);
	case NODE_SHR:
		if (!is_constant(&b) || b.low < 0 || b.low > 62)
			return UNKNOWN;
		return divide(context, &a, INT64_C(1) << b.low);
	default:
		return of_bits(context, n, &a, &b);
	}
}

static struct form compute(struct context *context, uint32_t node)
{
	const struct ir_kernel *kernel = context->kernel;
	const struct ir_node *n = &kernel->nodes[node];
	const uint32_t *operands = kernel_operands(kernel, node);
	const struct launch *launch = context->launch;
	unsigned d = n->aux < 3 ? n->aux : 0;
	struct form form, more;
	int64_t low, high;
	if (!type_is_integer(n->type) || n->type.width != 1)
		return UNKNOWN;
	switch (n->op) {
	case NODE_CONST_INT:
		return kernel_constant(kernel, node, &low) ? form_constant(low) : UNKNOWN;
	case NODE_ARG:
		return of_argument(context, n);
	case NODE_GLOBAL_ID:
		return launch->offset[d] > INT64_MAX
		               ? UNKNOWN
		               : term(TERM_GLOBAL + d, (int64_t)launch->offset[d]);
	case NODE_LOCAL_ID:
		return term(TERM_LOCAL + d, 0);
	case NODE_GROUP_ID:
		return term(TERM_GROUP + d, 0);
	case NODE_GLOBAL_SIZE:
		return form_constant((int64_t)launch->global[d]);
	case NODE_LOCAL_SIZE:
		return form_constant((int64_t)launch->local[d]);
	case NODE_NUM_GROUPS:
		return form_constant((int64_t)((launch->global[d] - 1) / launch->local[d] + 1));
	case NODE_GLOBAL_OFFSET:
		return form_constant((int64_t)launch->offset[d]);
	case NODE_WORK_DIM:
		return form_constant((int64_t)launch->dimensions);
	case NODE_LOOP_VAR:
		return of_variable(context, node);
	case NODE_PHI:
	case NODE_SELECT:
		return of_choice(context, operands);
	case NODE_NEG:
		form = form_of(context, operands[0]);
		return form_scale(&form, -1);
	case NODE_NOT:
		form = form_of(context, operands[0]);
		form = form_scale(&form, -1);
		more = form_constant(-1);
		return form_add(&form, &more);
	case NODE_FMA:
		form = form_of(context, operands[0]);
		more = form_of(context, operands[1]);
		form = form.is_known && more.is_known ? multiply(context, &form, &more) : UNKNOWN;
		more = form_of(context, operands[2]);
		return form_add(&form, &more);
	case NODE_ABS:
		form = form_value(context, operands[0]);
		if (!form_range(context, &form, &low, &high) || low == INT64_MIN)
			return UNKNOWN;
		if (low >= 0)
			return form;
		return between(high < 0 ? -high : 0, high > -low ? high : -low);
	case NODE_CONVERT:
	case NODE_BITCAST:
		if (!type_is_integer(kernel->nodes[operands[0]].type) ||
		    kernel->nodes[operands[0]].type.width != 1)
			break;
		form = form_value(context, operands[0]);
		form = within(context, &form, n->type);
		if (form.is_known)
			return form;
		break;
	case NODE_SWIZZLE:
		return of_lane(context, operands[0], n->imm & 15);
	case NODE_EQ:
	case NODE_NE:
	case NODE_LT:
	case NODE_LE:
	case NODE_LNOT:
		return between(0, 1);
	default:
		if (n->operand_count == 2 && n->op >= NODE_ADD && n->op <= NODE_MAX)
			return of_pair(context, n, operands);
		break;
	}
	/* any value of a small type */
	if (scalar_bytes((enum scalar)n->type.scalar) <= 2 && type_bounds(n->type, &low, &high))
		return between(low, high);
	return UNKNOWN;
}

struct form form_of(struct context *context, uint32_t node)
{
	struct form form = UNKNOWN;
	if (context->serials[node] == context->serial)
		return context->forms[node];
	if (*context->looks == 0 || context->depth >= DEPTH_MAX)
		return UNKNOWN;
	(*context->looks)--;
	/* a variable that is met again on the way to its own form is not known */
	context->forms[node] = UNKNOWN;
	context->serials[node] = context->serial;
	context->depth++;
	form = compute(context, node);
	context->depth--;
	form_normalise(context, &form);
	context->forms[node] = form;
	return form;
}
