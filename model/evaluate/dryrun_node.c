/* SPDX-License-Identifier: Apache-2.0 */
/* Values of nodes in a dry run: of one work-item, all lanes of a vector. */
#include <math.h>
#include <string.h>

#include "model/evaluate/dryrun_state.h"
#include "model/evaluate/number.h"

#define TINY         1e-3 /* as good as zero */
#define FAR_FROM_ONE 10.0

/* Whether a node's value still holds. */
static inline bool holds(const struct dryrun_state *state, uint32_t node)
{
	return state->stamp[node] >= state->list_stamp[state->held_by[node]];
}

/*
 * What chose between two values: the condition as a branch met it, where the loop that it belongs
 * to has ended since and nobody asks it any more.
 */
static bool was_met(const struct dryrun_state *state, uint32_t condition)
{
	uint32_t list = state->schedule->list[condition];

	return list != 0 && !state->is_active[list] && !holds(state, condition) &&
	       state->met_stamp[condition] >= state->item_stamp;
}

static void leaf(struct dryrun_state *state, const struct ir_node *n, int64_t *r, uint8_t *ground)
{
	unsigned d = n->aux < 3 ? n->aux : 0;

	if (n->op == NODE_GLOBAL_ID || n->op == NODE_LOCAL_ID || n->op == NODE_GROUP_ID) {
		r[0] = (int64_t)state->ids[(n->op == NODE_GLOBAL_ID  ? 0
		                            : n->op == NODE_LOCAL_ID ? 3
		                                                     : 6) +
		                           d];
		return;
	}
	for (unsigned i = 0; i < n->type.width; i++)
		if (!question_value(state->schedule->question, n, i, &r[i]))
			*ground = DRYRUN_OPEN;
}

/* A vector put together, or a part of one. */
static bool rearrange(const struct dryrun_state *state, const struct ir_node *n,
                      const uint32_t *operands, int64_t *r)
{
	const int64_t *a = state->value + state->offset[operands[0]];
	unsigned at = 0;

	switch (n->op) {
	case NODE_SPLAT:
		for (unsigned i = 0; i < n->type.width; i++)
			r[i] = a[0];
		return true;
	case NODE_SWIZZLE:
		for (unsigned i = 0; i < n->type.width; i++)
			r[i] = a[(n->imm >> (4 * i)) & 15];
		return true;
	case NODE_VECTOR:
		for (unsigned k = 0; k < n->operand_count; k++) {
			const int64_t *part = state->value + state->offset[operands[k]];

			for (unsigned i = 0; i < state->kernel->nodes[operands[k]].type.width; i++)
				if (at < n->type.width)
					r[at++] = part[i];
		}
		return true;
	case NODE_INSERT: {
		const int64_t *part = state->value + state->offset[operands[1]];

		memcpy(r, a, n->type.width * sizeof(*r));
		for (unsigned i = 0; i < state->kernel->nodes[operands[1]].type.width; i++)
			r[(n->imm >> (4 * i)) & 15] = part[i];
		return true;
	}
	default:
		return false;
	}
}

/* The bits of a number as another type of the same size has them; false: of other sizes. */
static bool bitcast(struct type from, struct type to, const int64_t *a, int64_t *r)
{
	if (from.width != to.width ||
	    scalar_bytes((enum scalar)from.scalar) != scalar_bytes((enum scalar)to.scalar) ||
	    from.scalar == SCALAR_HALF || to.scalar == SCALAR_HALF)
		return false;
	for (unsigned i = 0; i < to.width; i++) {
		float real;
		uint32_t bits;

		if (type_is_real(from) == type_is_real(to) ||
		    scalar_bytes((enum scalar)to.scalar) == 8) {
			r[i] = number_wrap(to, a[i]);
		} else if (type_is_real(from)) {
			real = (float)number_real(a[i]);
			memcpy(&bits, &real, sizeof(bits));
			r[i] = number_wrap(to, (int64_t)bits);
		} else {
			bits = (uint32_t)a[i];
			memcpy(&real, &bits, sizeof(real));
			r[i] = number_bits(to, (double)real);
		}
	}
	return true;
}

/* Functions of whole vectors. */
static bool call_of_vector(const struct ir_node *n, struct type from, const int64_t *a,
                           const int64_t *b, int64_t *r)
{
	double sum = 0;
	bool is_any = false, is_all = true;

	for (unsigned i = 0; i < from.width; i++) {
		is_any |= from.width > 1 ? a[i] < 0 : a[i] != 0;
		is_all &= from.width > 1 ? a[i] < 0 : a[i] != 0;
		if (type_is_real(from))
			sum += number_real(a[i]) * number_real(n->aux == BUILTIN_DOT ? b[i] : a[i]);
	}
	switch (n->aux) {
	case BUILTIN_ANY:
		r[0] = is_any;
		return true;
	case BUILTIN_ALL:
		r[0] = is_all;
		return true;
	case BUILTIN_DOT:
		r[0] = number_bits(n->type, sum);
		return true;
	case BUILTIN_LENGTH:
		/* of one number it is that of its sum of squares: see ops.h */
		r[0] = number_bits(n->type,
		                   from.width > 1 ? sqrt(sum) : sqrt(fabs(number_real(a[0]))));
		return true;
	case BUILTIN_NORMALIZE:
		for (unsigned i = 0; i < n->type.width; i++)
			r[i] = number_bits(n->type, from.width > 1
			                                    ? number_real(a[i]) / sqrt(sum)
			                                    : 1 / sqrt(fabs(number_real(a[i]))));
		return true;
	case BUILTIN_CROSS:
		for (unsigned i = 0; i < 3; i++)
			r[i] = number_bits(
			        n->type,
			        number_real(a[(i + 1) % 3]) * number_real(b[(i + 2) % 3]) -
			                number_real(a[(i + 2) % 3]) * number_real(b[(i + 1) % 3]));
		return true;
	default:
		return false;
	}
}

/*
 * A part of a number at random that is as likely as others, whatever the number is like; a shifted
 * byte is two numbers that were packed, of which one is left.
 */
static bool is_evened(const struct dryrun_state *state, const struct ir_node *n,
                      const uint32_t *operands)
{
	if (n->op == NODE_SHR)
		return (state->ground[operands[0]] & DRYRUN_BYTE) &&
		       !(state->ground[operands[0]] & DRYRUN_WILD) &&
		       state->ground[operands[1]] == 0 &&
		       state->value[state->offset[operands[1]]] > 0;
	return (n->op == NODE_AND || n->op == NODE_REM || n->op == NODE_MUL_HI) &&
	       (state->ground[operands[1]] == 0 ||
	        (n->op != NODE_REM && state->ground[operands[0]] == 0));
}

/* Whether reals that the launch tells are not of the order of those that are made up. */
static bool is_far(const struct dryrun_state *state, uint32_t node)
{
	const struct ir_node *n = &state->kernel->nodes[node];
	const int64_t *v = state->value + state->offset[node];

	if (!type_is_real(n->type))
		return false;
	for (unsigned i = 0; i < n->type.width; i++)
		if (!(fabs(number_real(v[i])) <= FAR_FROM_ONE))
			return true;
	return false;
}

static bool is_added(const struct ir_node *n, unsigned operand)
{
	return n->op == NODE_ADD || n->op == NODE_SUB || (n->op == NODE_FMA && operand == 2);
}

/*
 * What the launch says gives data a scale, where it multiplies them or adds to them; where they are
 * compared with it as they are, that is open, but for zero. A number far from those that are made
 * up says that data are not like them, if it is added: nothing but it would count.
 */
static uint8_t scale_of(const struct dryrun_state *state, const struct ir_node *n,
                        const uint32_t *operands, uint8_t ground)
{
	for (unsigned i = 0; i < n->operand_count; i++) {
		const struct ir_node *o = &state->kernel->nodes[operands[i]];
		bool is_constant = o->op == NODE_CONST_INT || o->op == NODE_CONST_REAL;

		if (state->ground[operands[i]] != 0)
			continue;
		if (node_is_truth(n)) {
			if (!is_constant ||
			    (o->op == NODE_CONST_REAL ? !(fabs(number_real((int64_t)o->imm)) < TINY)
			                              : o->imm != 0))
				return (uint8_t)(ground | DRYRUN_SCALE);
		} else if (!is_constant) {
			ground &= (uint8_t)~DRYRUN_RAW;
			if (is_added(n, i) && is_far(state, operands[i]))
				ground |= DRYRUN_SCALE;
		}
	}
	return ground;
}

/* Whether two numbers are compared that both rest on data: what is added to one is in both. */
static bool is_among_data(const struct dryrun_state *state, const struct ir_node *n,
                          const uint32_t *operands)
{
	return n->operand_count == 2 && state->ground[operands[0]] != 0 &&
	       state->ground[operands[1]] != 0 &&
	       !node_is_truth(&state->kernel->nodes[operands[0]]) &&
	       !node_is_truth(&state->kernel->nodes[operands[1]]);
}

/* What a number rests on, by what its operands do. */
static uint8_t ground_of(const struct dryrun_state *state, const struct ir_node *n,
                         const uint32_t *operands, uint8_t ground)
{
	const uint8_t open = DRYRUN_WILD | DRYRUN_BYTE;

	if ((ground & open) && is_evened(state, n, operands))
		return (uint8_t)((ground & ~open) | DRYRUN_EVEN);
	if (node_is_truth(n) && is_among_data(state, n, operands))
		ground &= (uint8_t)~DRYRUN_SCALE;
	if (node_is_truth(n) ? ground & DRYRUN_RAW
	                     : (ground & DRYRUN_REAL) && (n->op == NODE_MUL || n->op == NODE_DIV ||
	                                                  n->op == NODE_FMA || n->op == NODE_ADD ||
	                                                  n->op == NODE_SUB))
		ground = scale_of(state, n, operands, ground);
	if (!(ground & DRYRUN_BYTE))
		return ground;
	if (n->op == NODE_LT || n->op == NODE_LE)
		return (uint8_t)((ground & ~DRYRUN_BYTE) | DRYRUN_EVEN);
	if (n->op == NODE_EQ || n->op == NODE_NE || n->op == NODE_LNOT)
		return (uint8_t)((ground & ~DRYRUN_BYTE) | DRYRUN_WILD);
	return ground;
}

static void operator(struct dryrun_state *state, uint32_t node, int64_t *r, uint8_t *ground)
{
	const struct ir_kernel *kernel = state->kernel;
	struct ir_node n = kernel->nodes[node];
	const uint32_t *operands = kernel_operands(kernel, node);
	struct type from = kernel->nodes[operands[0]].type;
	int64_t wide[3][DRYRUN_WIDTH];
	const int64_t *v[3] = {r, r, r};
	uint8_t known[DRYRUN_WIDTH];
	unsigned lanes = n.type.width;
	bool is_relation = node_is_truth(&n);

	if (rearrange(state, &n, operands, r))
		return;
	if (n.operand_count > 3) {
		*ground |= DRYRUN_OPEN;
		return;
	}
	if (n.op == NODE_BITCAST &&
	    bitcast(from, n.type, state->value + state->offset[operands[0]], r))
		return;
	if (n.op == NODE_CALL &&
	    call_of_vector(&n, from, state->value + state->offset[operands[0]],
	                   state->value + state->offset[operands[n.operand_count > 1]], r))
		return;
	for (unsigned k = 0; k < n.operand_count; k++) {
		const struct ir_node *o = &kernel->nodes[operands[k]];

		v[k] = state->value + state->offset[operands[k]];
		if (o->type.width >= lanes)
			continue;
		for (unsigned i = 0; i < lanes; i++)
			wide[k][i] = v[k][0];
		v[k] = wide[k];
	}
	memset(known, NUMBER_KNOWN, lanes);
	if (n.op == NODE_SELECT) {
		for (unsigned i = 0; i < lanes; i++)
			r[i] = v[0][i] ? v[1][i] : v[2][i];
		return;
	}
	for (unsigned k = n.operand_count; k < 3; k++)
		v[k] = v[0];
	from.width = n.type.width = 1;
	number_apply(&n, from, v, r, known, lanes);
	for (unsigned i = 0; i < lanes; i++) {
		if (!known[i]) {
			*ground |= DRYRUN_OPEN;
			r[i] = 0;
		}
		if (is_relation && lanes > 1)
			r[i] = -r[i];
	}
}

/* The usual operators of one number, without the way through arrays of them; false: another one. */
static bool simple(const struct dryrun_state *state, const struct ir_node *n,
                   const uint32_t *operands, int64_t *r)
{
	const int64_t *value = state->value;
	struct type from = state->kernel->nodes[operands[0]].type;
	int64_t a = value[state->offset[operands[0]]], b;

	if (n->type.width != 1 || from.width != 1)
		return false;
	b = n->operand_count > 1 ? value[state->offset[operands[1]]] : 0;
	if (n->op == NODE_SELECT) {
		*r = a ? b : value[state->offset[operands[2]]];
		return true;
	}
	if (type_is_real(from)) {
		double x = number_real(a), y = number_real(b);

		switch (n->op) {
		case NODE_LT:
			*r = x < y;
			return true;
		case NODE_LE:
			*r = x <= y;
			return true;
		case NODE_ADD:
			*r = number_bits(n->type, x + y);
			return true;
		case NODE_SUB:
			*r = number_bits(n->type, x - y);
			return true;
		case NODE_MUL:
			*r = number_bits(n->type, x * y);
			return true;
		case NODE_FMA:
			*r = number_bits(n->type,
			                 x * y + number_real(value[state->offset[operands[2]]]));
			return true;
		default:
			return false;
		}
	}
	if (from.scalar == SCALAR_ULONG)
		return false;
	switch (n->op) {
	case NODE_ADD:
		*r = number_wrap(n->type, (int64_t)((uint64_t)a + (uint64_t)b));
		return true;
	case NODE_SUB:
		*r = number_wrap(n->type, (int64_t)((uint64_t)a - (uint64_t)b));
		return true;
	case NODE_MUL:
		*r = number_wrap(n->type, (int64_t)((uint64_t)a * (uint64_t)b));
		return true;
	case NODE_AND:
		*r = a & b;
		return true;
	case NODE_OR:
		*r = a | b;
		return true;
	case NODE_XOR:
		*r = a ^ b;
		return true;
	case NODE_EQ:
		*r = a == b;
		return true;
	case NODE_NE:
		*r = a != b;
		return true;
	case NODE_LT:
		*r = a < b;
		return true;
	case NODE_LE:
		*r = a <= b;
		return true;
	case NODE_LNOT:
		*r = a == 0;
		return true;
	case NODE_CONVERT:
		if (!type_is_integer(n->type))
			return false;
		*r = number_wrap(n->type, a);
		return true;
	default:
		return false;
	}
}

/* A node whose operands hold. */
static void compute(struct dryrun_state *state, uint32_t node)
{
	const struct ir_kernel *kernel = state->kernel;
	const struct ir_node *n = &kernel->nodes[node];
	const uint32_t *operands = kernel_operands(kernel, node);
	int64_t *r = state->value + state->offset[node];
	uint8_t ground = 0;

	if (n->operand_count == 0) {
		leaf(state, n, r, &ground);
	} else if (n->op == NODE_TEXEL) {
		uint64_t place = 0;

		for (unsigned i = 0; i < n->operand_count && i < (n->imm & TEXEL_COORDINATES);
		     i++) {
			int64_t at = state->value[state->offset[operands[i]]];

			if (type_is_real(kernel->nodes[operands[i]].type))
				at = (int64_t)fmax(fmin(number_real(at), 1e15), -1e15);
			place = number_mix(place + (uint64_t)at);
		}
		r[0] = (int64_t)(place >> 16);
	} else {
		for (unsigned i = 0; i < n->operand_count; i++)
			ground |= state->ground[operands[i]];
		ground = ground_of(state, n, operands, ground);
		if (!simple(state, n, operands, r))
			operator(state, node, r, &ground);
	}
	state->ground[node] = ground;
	state->stamp[node] = ++state->now;
	if (state->left > 0)
		state->left--;
}

/* Where control chose: the operand that it chose; IR_NONE: the condition does not hold yet. */
static uint32_t chosen(const struct dryrun_state *state, uint32_t node, uint8_t *ground)
{
	const uint32_t *operands = kernel_operands(state->kernel, node);

	if (was_met(state, operands[0])) {
		*ground = (uint8_t)(state->met_value[operands[0]] >> 1);
		return operands[state->met_value[operands[0]] & 1 ? 1 : 2];
	}
	if (!holds(state, operands[0]))
		return IR_NONE;
	*ground = state->ground[operands[0]];
	return operands[state->value[state->offset[operands[0]]] ? 1 : 2];
}

static void choose(struct dryrun_state *state, uint32_t node, size_t *depth)
{
	unsigned width = state->kernel->nodes[node].type.width;
	uint8_t ground;
	uint32_t from = chosen(state, node, &ground);
	const int64_t *value;

	if (from == IR_NONE) {
		state->stack[(*depth)++] = node;
		state->stack[(*depth)++] = *kernel_operands(state->kernel, node);
		return;
	}
	if (!holds(state, from)) {
		state->stack[(*depth)++] = node;
		state->stack[(*depth)++] = from;
		return;
	}
	value = state->value + state->offset[from];
	for (unsigned i = 0; i < width; i++)
		state->value[state->offset[node] + i] =
		        value[state->kernel->nodes[from].type.width > 1 ? i : 0];
	state->ground[node] = ground | state->ground[from];
	state->stamp[node] = ++state->now;
}

const int64_t *dryrun_value(struct dryrun_state *state, uint32_t node, uint8_t *ground)
{
	const struct ir_kernel *kernel = state->kernel;
	size_t depth = 0;

	if (!holds(state, node))
		state->stack[depth++] = node;
	while (depth > 0) {
		uint32_t top = state->stack[--depth];
		const struct ir_node *n = &kernel->nodes[top];
		const uint32_t *operands = kernel_operands(kernel, top);
		size_t mark = depth;

		if (holds(state, top))
			continue;
		if (n->op == NODE_PHI) {
			choose(state, top, &depth);
			continue;
		}
		state->stack[depth++] = top;
		for (unsigned i = 0; i < n->operand_count; i++)
			if (!holds(state, operands[i]))
				state->stack[depth++] = operands[i];
		if (depth > mark + 1)
			continue;
		depth = mark;
		compute(state, top);
	}
	*ground = state->ground[node];
	if (state->stamp[node] == 0)
		*ground |= DRYRUN_OPEN; /* a load that was not executed */
	return state->value + state->offset[node];
}
