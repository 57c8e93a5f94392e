/* SPDX-License-Identifier: Apache-2.0 */
/* Guards: what conditions tell of ids, and which conditions are the same for a whole launch. */
#include "model/split/form.h"

#include <string.h>

/* What a guard costs, in nodes that are looked at. */
enum { ROUNDS = 2, NESTING_MAX = 32, GUARD_LOOKS = 64 };

void context_restart(struct context *context, uint32_t block)
{
	const struct launch *launch = context->launch;
	context->serial = ++*context->last_serial;
	context->block = block;
	context->guard_count = 0;
	memset(context->low, 0, sizeof context->low);
	for (unsigned d = 0; d < 3; d++) {
		context->high[TERM_GLOBAL + d] = (int64_t)launch->global[d] - 1;
		context->high[TERM_LOCAL + d] = (int64_t)launch->local[d] - 1;
		context->high[TERM_GROUP + d] =
		        (int64_t)((launch->global[d] - 1) / launch->local[d]);
	}
}

static int64_t floor_divide(int64_t a, int64_t n)
{
	int64_t quotient = a / n;
	return quotient - (a % n != 0 && (a < 0) != (n < 0));
}

/* From the sum of all multiples, and the least of all others, a bound on each id. */
static void tighten(struct context *context, const struct guard *guard)
{
	for (unsigned t = 0; t < TERM_COUNT; t++) {
		int64_t rest = guard->high, factor = guard->factors[t];
		bool is_good = factor != 0;
		for (unsigned i = 0; i < TERM_COUNT && is_good; i++) {
			int64_t least, times = guard->factors[i];
			if (i == t || times == 0)
				continue;
			is_good = !__builtin_mul_overflow(
			                  times, times > 0 ? context->low[i] : context->high[i],
			                  &least) &&
			          !__builtin_sub_overflow(rest, least, &rest);
		}
		if (!is_good || factor == INT64_MIN || rest == INT64_MIN)
			continue;
		if (factor > 0) {
			int64_t most = floor_divide(rest, factor);
			context->high[t] = most < context->high[t] ? most : context->high[t];
		} else {
			int64_t least = -floor_divide(rest, -factor);
			context->low[t] = least > context->low[t] ? least : context->low[t];
		}
	}
	/* the group of an item, the items of a group */
	for (unsigned d = 0; d < 3; d++) {
		int64_t size = (int64_t)context->launch->local[d];
		int64_t *low = &context->low[TERM_GROUP + d],
		        *high = &context->high[TERM_GROUP + d];
		int64_t first = context->low[TERM_GLOBAL + d] / size;
		int64_t last = context->high[TERM_GLOBAL + d] / size;
		*low = first > *low ? first : *low;
		*high = context->high[TERM_GLOBAL + d] >= 0 && last < *high ? last : *high;
		if (*low > *high || *high < 0)
			continue; /* nobody comes here */
		if (*high < context->high[TERM_GLOBAL + d] / size)
			context->high[TERM_GLOBAL + d] = *high * size + (size - 1);
		if (*low > context->low[TERM_GLOBAL + d] / size)
			context->low[TERM_GLOBAL + d] = *low * size;
	}
}

/* That a form is 0 or less. */
static void keep(struct context *context, const struct form *form)
{
	struct guard guard;
	int64_t low, high;
	if (form_range(context, form, &low, &high) && low > 0) {
		context->low[0] = 1; /* never: nobody comes here */
		context->high[0] = 0;
		return;
	}
	if (!form->is_known || form->low == INT64_MIN || context->guard_count == GUARDS_MAX ||
	    *context->looks < GUARD_LOOKS)
		return;
	*context->looks -= GUARD_LOOKS;
	memcpy(guard.factors, form->factors, sizeof guard.factors);
	guard.high = -form->low;
	context->guards[context->guard_count++] = guard;
	for (unsigned round = 0; round < ROUNDS; round++)
		for (unsigned i = 0; i < context->guard_count; i++)
			tighten(context, &context->guards[i]);
}

/* a - b + more */
static struct form difference(const struct form *a, const struct form *b, int64_t more)
{
	struct form form = form_scale(b, -1), constant = form_constant(more);
	form = form_add(&form, a);
	return form_add(&form, &constant);
}

/* A condition that another one is, whatever the sign of it. */
static bool is_same(const struct ir_kernel *kernel, uint32_t condition, uint32_t *inner,
                    bool *is_turned)
{
	const struct ir_node *n = &kernel->nodes[condition];
	const uint32_t *operands = kernel_operands(kernel, condition);
	int64_t constant;
	*is_turned = n->op == NODE_LNOT;
	*inner = n->operand_count > 0 ? operands[0] : IR_NONE;
	if (n->op == NODE_LNOT)
		return true;
	if (n->op == NODE_CONVERT)
		return node_is_truth(&kernel->nodes[operands[0]]);
	if ((n->op == NODE_NE || n->op == NODE_EQ) && node_is_truth(&kernel->nodes[operands[0]]) &&
	    kernel_constant(kernel, operands[1], &constant) && constant == 0) {
		*is_turned = n->op == NODE_EQ;
		return true;
	}
	return false;
}

static bool is_comparison(const struct ir_kernel *kernel, uint32_t condition)
{
	const struct ir_node *n = &kernel->nodes[condition];
	const struct ir_node *first;
	if (n->op < NODE_EQ || n->op > NODE_LE || n->operand_count != 2)
		return false;
	first = &kernel->nodes[kernel_operands(kernel, condition)[0]];
	return type_is_integer(first->type) && first->type.width == 1;
}

/* Conditions of which both hold (is_and), or either. False: it is none of such. */
static bool is_joined(const struct ir_kernel *kernel, uint32_t condition, uint32_t parts[2],
                      bool are_true[2], bool *is_and)
{
	const struct ir_node *n = &kernel->nodes[condition];
	const uint32_t *operands = kernel_operands(kernel, condition);
	int64_t constant;
	are_true[0] = are_true[1] = true;
	if ((n->op == NODE_AND || n->op == NODE_OR) && node_is_truth(&kernel->nodes[operands[0]]) &&
	    node_is_truth(&kernel->nodes[operands[1]]) && n->type.width == 1) {
		memcpy(parts, operands, 2 * sizeof *parts);
		*is_and = n->op == NODE_AND;
		return true;
	}
	if ((n->op != NODE_PHI && n->op != NODE_SELECT) || n->type.width != 1)
		return false;
	parts[0] = operands[0];
	if (kernel_constant(kernel, operands[2], &constant) && constant == 0) { /* c && a */
		parts[1] = operands[1];
		*is_and = true;
		return true;
	}
	if (kernel_constant(kernel, operands[1], &constant) && constant != 0) { /* c || a */
		parts[1] = operands[2];
		*is_and = false;
		return true;
	}
	if (kernel_constant(kernel, operands[1], &constant) && constant == 0) { /* !c && a */
		parts[1] = operands[2];
		are_true[0] = false;
		*is_and = true;
		return true;
	}
	if (kernel_constant(kernel, operands[2], &constant) && constant != 0) { /* !c || a */
		parts[1] = operands[1];
		are_true[0] = false;
		*is_and = false;
		return true;
	}
	return false;
}

static void add(struct context *context, struct context *by, uint32_t condition, bool is_true,
                unsigned depth)
{
	const struct ir_kernel *kernel = context->kernel;
	uint32_t inner, parts[2];
	bool is_turned, are_true[2], is_and;
	if (depth > NESTING_MAX)
		return;
	if (is_same(kernel, condition, &inner, &is_turned)) {
		add(context, by, inner, is_true != is_turned, depth + 1);
		return;
	}
	if (is_joined(kernel, condition, parts, are_true, &is_and)) {
		/* of those of which either holds, neither is known to */
		for (unsigned i = 0; i < 2 && is_and == is_true; i++)
			add(context, by, parts[i], are_true[i] == is_true, depth + 1);
		return;
	}
	if (!is_comparison(kernel, condition))
		return;
	const uint32_t *sides = kernel_operands(kernel, condition);
	struct form a = form_value(by, sides[0]), b = form_value(by, sides[1]), form;
	switch (kernel->nodes[condition].op) {
	case NODE_LT:
		form = is_true ? difference(&a, &b, 1) : difference(&b, &a, 0);
		keep(context, &form);
		break;
	case NODE_LE:
		form = is_true ? difference(&a, &b, 0) : difference(&b, &a, 1);
		keep(context, &form);
		break;
	default:
		if ((kernel->nodes[condition].op == NODE_EQ) != is_true)
			break;
		form = difference(&a, &b, 0);
		keep(context, &form);
		form = difference(&b, &a, 0);
		keep(context, &form);
		break;
	}
}

void guard_add(struct context *context, struct context *by, uint32_t condition, bool is_true)
{
	add(context, by, condition, is_true, 0);
}

static int decide(struct context *context, uint32_t condition, unsigned depth)
{
	const struct ir_kernel *kernel = context->kernel;
	uint32_t inner, parts[2];
	bool is_turned, are_true[2], is_and;
	int64_t low, high;
	if (kernel_constant(kernel, condition, &low))
		return low != 0;
	if (depth > NESTING_MAX)
		return -1;
	if (is_same(kernel, condition, &inner, &is_turned)) {
		int decided = decide(context, inner, depth + 1);
		return decided < 0 ? -1 : decided != (int)is_turned;
	}
	if (is_joined(kernel, condition, parts, are_true, &is_and)) {
		int decided[2];
		for (unsigned i = 0; i < 2; i++) {
			decided[i] = decide(context, parts[i], depth + 1);
			if (decided[i] >= 0 && !are_true[i])
				decided[i] = !decided[i];
			if (decided[i] >= 0 && decided[i] != (int)is_and)
				return decided[i];
		}
		return decided[0] >= 0 && decided[1] >= 0 ? is_and : -1;
	}
	if (!is_comparison(kernel, condition))
		return -1;
	const uint32_t *sides = kernel_operands(kernel, condition);
	struct form a = form_value(context, sides[0]), b = form_value(context, sides[1]);
	struct form form = difference(&a, &b, 0);
	if (!form_range(context, &form, &low, &high))
		return -1;
	switch (kernel->nodes[condition].op) {
	case NODE_LT:
		return high < 0 ? 1 : low >= 0 ? 0 : -1;
	case NODE_LE:
		return high <= 0 ? 1 : low > 0 ? 0 : -1;
	case NODE_EQ:
		return low == 0 && high == 0 ? 1 : low > 0 || high < 0 ? 0 : -1;
	default:
		return low == 0 && high == 0 ? 0 : low > 0 || high < 0 ? 1 : -1;
	}
}

int condition_decide(struct context *context, uint32_t condition)
{
	return decide(context, condition, 0);
}
