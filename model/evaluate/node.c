/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The value of one node for all lanes. Integers wrap at the node's type; a
 * division by zero, a shift beyond the width and whatever rests on memory are
 * unknown. Reals are kept as the bits of a double, rounded to their type.
 */
#include <math.h>
#include <string.h>

#include "model/evaluate/lanes.h"

uint64_t lanes_mix(uint64_t number)
{
	/* splitmix64: Steele, Lea, Flood, OOPSLA 2014 */
	number += 0x9e3779b97f4a7c15u;
	number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9u;
	number = (number ^ (number >> 27)) * 0x94d049bb133111ebu;
	return number ^ (number >> 31);
}

void lanes_wrap_all(struct type type, int64_t *r, unsigned n)
{
	switch (type.scalar) {
	case SCALAR_INT:
		for (unsigned i = 0; i < n; i++)
			r[i] = (int32_t)r[i];
		break;
	case SCALAR_UINT:
		for (unsigned i = 0; i < n; i++)
			r[i] = (uint32_t)r[i];
		break;
	case SCALAR_LONG:
	case SCALAR_ULONG:
		break;
	case SCALAR_UCHAR:
		for (unsigned i = 0; i < n; i++)
			r[i] = (uint8_t)r[i];
		break;
	default:
		for (unsigned i = 0; i < n; i++)
			r[i] = lanes_wrap(type, r[i]);
	}
}

static void fill(int64_t *r, uint8_t *k, unsigned n, int64_t value, bool is_known)
{
	for (unsigned i = 0; i < n; i++)
		r[i] = value;
	memset(k, is_known ? LANES_KNOWN : 0, n);
}

/*
 * What lies in memory nobody knows, but where lanes of a warp read one place they have one value (a
 * real, an integer, a part of a vector): from a table at a loop's counter, say. What they address
 * with it lies as they do.
 */
static void place_values(const struct evaluator *evaluator, const struct ir_access *access,
                         unsigned part, struct type type, int64_t *r, uint8_t *k)
{
	const int64_t *place = NULL;
	const uint8_t *is_place = NULL;

	memset(k, 0, evaluator->lanes);
	if (!(device_value(evaluator->device, COEFFICIENT_WARP_ITEMS, 1) > 1.5))
		return; /* a compiler that makes vectors gathers all the same */
	if (access->index != IR_NONE) {
		if (!lanes_has(evaluator, access->index))
			return;
		place = lanes_value(evaluator, access->index);
		is_place = lanes_known(evaluator, access->index);
	}
	for (unsigned warp = 0; warp < evaluator->warps; warp++) {
		unsigned first = warp * evaluator->warp_items, end = first + evaluator->warp_items;
		bool is_one = true;
		uint64_t at, number;
		int64_t real;

		for (unsigned i = first; place && i < end && is_one; i++)
			is_one =
			        !evaluator->is_lane[i] || (is_place[i] && place[i] == place[first]);
		if (!is_one)
			continue;
		at = (uint64_t)access->offset_bytes +
		     (uint64_t)part * scalar_bytes((enum scalar)type.scalar) +
		     access->scale_bytes * (uint64_t)(place ? place[first] : 0);
		number = lanes_mix(((uint64_t)access->object << 56) + at);
		real = lanes_bits(type, (double)(number >> 11) * 0x1p-53);
		for (unsigned i = first; i < end; i++)
			r[i] = type_is_real(type) ? real : lanes_wrap(type, (int64_t)number);
		memset(k + first, LANES_PLACE, evaluator->warp_items);
	}
}

int64_t lanes_ranged(const struct launch_argument *argument, struct type type, uint64_t number)
{
	uint64_t span = (uint64_t)argument->high - (uint64_t)argument->low;

	if (span != UINT64_MAX)
		number %= span + 1;
	return lanes_wrap(type, (int64_t)((uint64_t)argument->low + number));
}

static bool argument_value(const struct launch *launch, const struct ir_node *n, unsigned part,
                           int64_t *value)
{
	const struct launch_argument *argument;

	if (n->aux >= launch->argument_count)
		return false;
	argument = &launch->arguments[n->aux];
	if (argument->kind == ARGUMENT_SAMPLER) {
		*value = argument->sampler;
		return true;
	}
	if (argument->kind != ARGUMENT_SCALAR || n->imm != 0 ||
	    type_is_real(argument->type) != type_is_real(n->type))
		return false;
	*value = type_is_real(n->type) ? lanes_bits(n->type, argument->value.real[part])
	                               : lanes_wrap(n->type, argument->value.integer[part]);
	return true;
}

bool lanes_same(const struct evaluator *evaluator, const struct ir_node *n, unsigned part,
                int64_t *value)
{
	const struct launch *launch = evaluator->launch;
	unsigned d = n->aux < 3 ? n->aux : 0;

	switch (n->op) {
	case NODE_CONST_INT:
		*value = lanes_wrap(n->type, (int64_t)n->imm);
		return true;
	case NODE_CONST_REAL:
		*value = (int64_t)n->imm;
		return true;
	case NODE_ARG:
		return argument_value(launch, n, part, value);
	case NODE_GLOBAL_SIZE:
		*value = (int64_t)launch->global[d];
		return true;
	case NODE_LOCAL_SIZE:
		*value = (int64_t)launch->local[d];
		return true;
	case NODE_NUM_GROUPS:
		*value = (int64_t)evaluator->result->group_count[d];
		return true;
	case NODE_GLOBAL_OFFSET:
		*value = (int64_t)launch->offset[d];
		return true;
	case NODE_WORK_DIM:
		*value = (int64_t)launch->dimensions;
		return true;
	case NODE_SUB_GROUP_SIZE:
		*value = (int64_t)evaluator->warp_items;
		return true;
	case NODE_IMAGE_SIZE:
		if (n->aux >= launch->argument_count ||
		    launch->arguments[n->aux].kind != ARGUMENT_IMAGE)
			return false;
		*value = lanes_image_size(&launch->arguments[n->aux], n->imm);
		return true;
	default:
		return false;
	}
}

/* Leaves: ids, and loads with a known range of values. */
static void leaf(struct evaluator *evaluator, uint32_t node, const struct ir_node *n, int64_t *r,
                 uint8_t *k)
{
	const struct launch *launch = evaluator->launch;
	unsigned lanes = evaluator->lanes, d = n->aux < 3 ? n->aux : 0;
	int base = -1;
	int64_t value;

	if (lanes_same(evaluator, n, 0, &value)) {
		fill(r, k, lanes, value, true);
		return;
	}
	switch (n->op) {
	case NODE_GLOBAL_ID:
		base = 0;
		break;
	case NODE_LOCAL_ID:
		base = 3;
		break;
	case NODE_GROUP_ID:
		base = 6;
		break;
	case NODE_LOAD: {
		/* any value of the hinted range, of one place always the same */
		const struct ir_access *access = &evaluator->kernel->accesses[n->aux];
		const int64_t *place = NULL;
		const uint8_t *is_place = NULL;
		uint32_t argument = evaluator->kernel->objects[access->object].argument;
		uint64_t reading;

		if (rows_values(evaluator, access, n->type, r, k))
			return;
		if (type_is_real(n->type) || argument == IR_NONE ||
		    argument >= launch->argument_count || !launch->arguments[argument].has_range) {
			place_values(evaluator, access, 0, n->type, r, k);
			return;
		}
		reading = drawn_once(evaluator, node) ? 0 : evaluator->used * 64;
		if (lanes_has(evaluator, access->index)) {
			place = lanes_value(evaluator, access->index);
			is_place = lanes_known(evaluator, access->index);
		}
		for (unsigned i = 0; i < lanes; i++) {
			uint64_t chance = lanes_mix(((uint64_t)node << 32) + reading + i);

			if (access->index == IR_NONE || (place && is_place[i]))
				chance = lanes_mix(((uint64_t)argument << 56) +
				                   (uint64_t)access->offset_bytes +
				                   access->scale_bytes *
				                           (uint64_t)(place ? place[i] : 0));
			r[i] = lanes_ranged(&launch->arguments[argument], n->type, chance);
		}
		memset(k, LANES_CHANCE, lanes);
		return;
	}
	default:
		break;
	}
	if (base >= 0) {
		const uint64_t *ids = evaluator->ids + (size_t)(base + (int)d) * lanes;

		for (unsigned i = 0; i < lanes; i++)
			r[i] = (int64_t)ids[i];
		memset(k, LANES_KNOWN, lanes);
		return;
	}
	memset(k, 0, lanes);
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

static void compare(enum node_op op, struct type type, const int64_t *a, const int64_t *b,
                    int64_t *r, unsigned lanes)
{
	if (type_is_real(type)) {
		for (unsigned i = 0; i < lanes; i++) {
			double x = lanes_real(a[i]), y = lanes_real(b[i]);

			r[i] = op == NODE_LT   ? x < y
			       : op == NODE_LE ? x <= y
			       : op == NODE_EQ ? x == y
			                       : x != y;
		}
		return;
	}
	switch (op) {
	case NODE_EQ:
		for (unsigned i = 0; i < lanes; i++)
			r[i] = a[i] == b[i];
		break;
	case NODE_NE:
		for (unsigned i = 0; i < lanes; i++)
			r[i] = a[i] != b[i];
		break;
	default: {
		/* only ulong does not order as its 64 bits with a sign do */
		uint64_t flip = type.scalar == SCALAR_ULONG ? (uint64_t)1 << 63 : 0;

		for (unsigned i = 0; i < lanes; i++) {
			int64_t x = (int64_t)((uint64_t)a[i] ^ flip);
			int64_t y = (int64_t)((uint64_t)b[i] ^ flip);

			r[i] = op == NODE_LT ? x < y : x <= y;
		}
	}
	}
}

static void divide(const struct ir_node *n, const int64_t *a, const int64_t *b, int64_t *r,
                   uint8_t *k, unsigned lanes)
{
	bool is_quotient = n->op == NODE_DIV;

	for (unsigned i = 0; i < lanes; i++) {
		if (b[i] == 0) {
			k[i] = 0;
		} else if (a[i] >= 0 && b[i] > 0 && (b[i] & (b[i] - 1)) == 0) {
			/* a power of two: a division takes as long as twenty of these */
			r[i] = is_quotient ? a[i] >> __builtin_ctzll((uint64_t)b[i])
			                   : a[i] & (b[i] - 1);
		} else if (n->type.scalar == SCALAR_ULONG) {
			uint64_t x = (uint64_t)a[i], y = (uint64_t)b[i];

			r[i] = (int64_t)(is_quotient ? x / y : x % y);
		} else if (b[i] == -1) {
			r[i] = is_quotient ? (int64_t)(0 - (uint64_t)a[i]) : 0;
		} else {
			r[i] = is_quotient ? a[i] / b[i] : a[i] % b[i];
		}
	}
}

static void shift(const struct ir_node *n, const int64_t *a, const int64_t *b, int64_t *r,
                  unsigned lanes)
{
	/* of the count its low bits alone are looked at (OpenCL C, 6.3 j) */
	uint64_t mask = scalar_bytes((enum scalar)n->type.scalar) * UINT64_C(8) - 1;

	for (unsigned i = 0; i < lanes; i++) {
		unsigned count = (unsigned)((uint64_t)b[i] & mask);

		if (n->op == NODE_SHL)
			r[i] = (int64_t)((uint64_t)a[i] << count);
		else if (n->type.scalar == SCALAR_ULONG)
			r[i] = (int64_t)((uint64_t)a[i] >> count);
		else
			r[i] = a[i] >> count;
	}
}

static unsigned leading_zeros(uint64_t value, struct type type)
{
	unsigned bits = 8 * type_bytes(type);

	return value == 0 ? bits : bits - 64 + (unsigned)__builtin_clzll(value);
}

static void integer_node(const struct ir_node *n, const int64_t *const *v, int64_t *r, uint8_t *k,
                         unsigned lanes)
{
	const int64_t *a = v[0], *b = v[1], *c = v[2];
	bool is_unsigned = n->type.scalar == SCALAR_ULONG;
	/* of a value its own bits, without those that its sign adds */
	uint64_t ones = UINT64_MAX >> (64 - 8 * scalar_bytes((enum scalar)n->type.scalar));

#define EACH(expression)                                                                           \
	for (unsigned i = 0; i < lanes; i++)                                                       \
	r[i] = (int64_t)(expression)
	switch (n->op) {
	case NODE_ADD:
		EACH((uint64_t)a[i] + (uint64_t)b[i]);
		break;
	case NODE_SUB:
		EACH((uint64_t)a[i] - (uint64_t)b[i]);
		break;
	case NODE_MUL:
		EACH((uint64_t)a[i] * (uint64_t)b[i]);
		break;
	case NODE_FMA:
		EACH((uint64_t)a[i] * (uint64_t)b[i] + (uint64_t)c[i]);
		break;
	case NODE_NEG:
		EACH(0 - (uint64_t)a[i]);
		break;
	case NODE_DIV:
	case NODE_REM:
		divide(n, a, b, r, k, lanes);
		break;
	case NODE_AND:
		EACH(a[i] & b[i]);
		break;
	case NODE_OR:
		EACH(a[i] | b[i]);
		break;
	case NODE_XOR:
		EACH(a[i] ^ b[i]);
		break;
	case NODE_NOT:
		EACH(~a[i]);
		break;
	case NODE_SHL:
	case NODE_SHR:
		shift(n, a, b, r, lanes);
		break;
	case NODE_MIN:
		EACH(is_unsigned ? ((uint64_t)a[i] < (uint64_t)b[i] ? a[i] : b[i])
		                 : (a[i] < b[i] ? a[i] : b[i]));
		break;
	case NODE_MAX:
		EACH(is_unsigned ? ((uint64_t)a[i] > (uint64_t)b[i] ? a[i] : b[i])
		                 : (a[i] > b[i] ? a[i] : b[i]));
		break;
	case NODE_ABS:
		EACH(a[i] < 0 && !is_unsigned ? 0 - (uint64_t)a[i] : (uint64_t)a[i]);
		break;
	case NODE_MUL_HI:
		if (scalar_bytes((enum scalar)n->type.scalar) > 4) {
			memset(k, 0, lanes);
			return;
		}
		if (n->type.scalar == SCALAR_UINT)
			EACH(((uint64_t)a[i] * (uint64_t)b[i]) >> 32);
		else
			EACH((a[i] * b[i]) >> (8 * scalar_bytes((enum scalar)n->type.scalar)));
		break;
	case NODE_CALL:
		if (n->aux == BUILTIN_POPCOUNT && n->operand_count == 1) {
			EACH(__builtin_popcountll((uint64_t)a[i] & ones));
			break;
		}
		if (n->aux == BUILTIN_CLZ && n->operand_count == 1) {
			EACH(leading_zeros((uint64_t)a[i] & ones, n->type));
			break;
		}
		memset(k, 0, lanes);
		return;
	default:
		memset(k, 0, lanes);
		return;
	}
#undef EACH
	lanes_wrap_all(n->type, r, lanes);
}

static void real_node(const struct ir_node *n, const int64_t *const *v, int64_t *r, uint8_t *k,
                      unsigned lanes)
{
#define EACH(expression)                                                                           \
	for (unsigned i = 0; i < lanes; i++) {                                                     \
		double a = lanes_real(v[0][i]), b = lanes_real(v[1][i]), c = lanes_real(v[2][i]);  \
                                                                                                   \
		(void)b;                                                                           \
		(void)c;                                                                           \
		r[i] = lanes_bits(n->type, (expression));                                          \
	}
	switch (n->op) {
	case NODE_ADD:
		EACH(a + b);
		return;
	case NODE_SUB:
		EACH(a - b);
		return;
	case NODE_MUL:
		EACH(a * b);
		return;
	case NODE_FMA:
		EACH(a * b + c);
		return;
	case NODE_DIV:
		EACH(a / b);
		return;
	case NODE_NEG:
		EACH(-a);
		return;
	case NODE_MIN:
		EACH(b < a ? b : a);
		return;
	case NODE_MAX:
		EACH(b > a ? b : a);
		return;
	case NODE_ABS:
		EACH(fabs(a));
		return;
	default:
		break;
	}
	if (n->op == NODE_CALL) {
		switch (n->aux) {
		case BUILTIN_SQRT:
		case BUILTIN_LENGTH:
		case BUILTIN_NATIVE_SQRT:
		case BUILTIN_HALF_SQRT:
			EACH(sqrt(a));
			return;
		case BUILTIN_RSQRT:
		case BUILTIN_NATIVE_RSQRT:
		case BUILTIN_HALF_RSQRT:
			EACH(1 / sqrt(a));
			return;
		case BUILTIN_NATIVE_DIVIDE:
		case BUILTIN_HALF_DIVIDE:
			EACH(a / b);
			return;
		case BUILTIN_NATIVE_RECIP:
		case BUILTIN_HALF_RECIP:
			EACH(1 / a);
			return;
		case BUILTIN_FMIN:
			EACH(fmin(a, b));
			return;
		case BUILTIN_FMAX:
			EACH(fmax(a, b));
			return;
		case BUILTIN_EXP:
		case BUILTIN_NATIVE_EXP:
		case BUILTIN_HALF_EXP:
			EACH(exp(a));
			return;
		case BUILTIN_EXP2:
		case BUILTIN_NATIVE_EXP2:
			EACH(exp2(a));
			return;
		case BUILTIN_LOG:
		case BUILTIN_NATIVE_LOG:
		case BUILTIN_HALF_LOG:
			EACH(log(a));
			return;
		case BUILTIN_LOG2:
		case BUILTIN_NATIVE_LOG2:
			EACH(log2(a));
			return;
		case BUILTIN_POW:
		case BUILTIN_POWR:
		case BUILTIN_NATIVE_POWR:
			EACH(pow(a, b));
			return;
		case BUILTIN_SIN:
		case BUILTIN_SINCOS_SIN:
		case BUILTIN_NATIVE_SIN:
		case BUILTIN_HALF_SIN:
			EACH(sin(a));
			return;
		case BUILTIN_COS:
		case BUILTIN_SINCOS_COS:
		case BUILTIN_NATIVE_COS:
		case BUILTIN_HALF_COS:
			EACH(cos(a));
			return;
		case BUILTIN_TAN:
			EACH(tan(a));
			return;
		case BUILTIN_ATAN:
			EACH(atan(a));
			return;
		case BUILTIN_ATAN2:
			EACH(atan2(a, b));
			return;
		case BUILTIN_FMOD:
			EACH(fmod(a, b));
			return;
		case BUILTIN_HYPOT:
			EACH(hypot(a, b));
			return;
		case BUILTIN_FLOOR:
			EACH(floor(a));
			return;
		case BUILTIN_CEIL:
			EACH(ceil(a));
			return;
		case BUILTIN_TRUNC:
			EACH(trunc(a));
			return;
		case BUILTIN_RINT:
			EACH(rint(a));
			return;
		case BUILTIN_ROUND:
			EACH(round(a));
			return;
		default:
			break;
		}
	}
#undef EACH
	memset(k, 0, lanes);
}

static void convert(struct type from, struct type to, const int64_t *a, int64_t *r, uint8_t *k,
                    unsigned lanes)
{
	if (!type_is_real(from) && !type_is_real(to)) {
		memcpy(r, a, lanes * sizeof(*r));
		lanes_wrap_all(to, r, lanes);
		return;
	}
	for (unsigned i = 0; i < lanes; i++) {
		if (type_is_real(from) && type_is_real(to)) {
			r[i] = lanes_bits(to, lanes_real(a[i]));
		} else if (type_is_real(to)) {
			r[i] = lanes_bits(to, from.scalar == SCALAR_ULONG ? (double)(uint64_t)a[i]
			                                                  : (double)a[i]);
		} else {
			double real = lanes_real(a[i]);

			if (real > -9.2e18 && real < 9.2e18)
				r[i] = lanes_wrap(to, (int64_t)real);
			else
				k[i] = 0;
		}
	}
}

void lanes_apply(const struct ir_node *n, struct type from, const int64_t *const v[3], int64_t *r,
                 uint8_t *k, unsigned lanes)
{
	switch (n->op) {
	case NODE_EQ:
	case NODE_NE:
	case NODE_LT:
	case NODE_LE:
		compare((enum node_op)n->op, from, v[0], v[1], r, lanes);
		return;
	case NODE_LNOT:
		for (unsigned i = 0; i < lanes; i++)
			r[i] = type_is_real(from) ? lanes_real(v[0][i]) == 0 : v[0][i] == 0;
		return;
	case NODE_CONVERT:
		convert(from, n->type, v[0], r, k, lanes);
		return;
	case NODE_BITCAST:
		if (type_is_integer(from) && type_is_integer(n->type))
			convert(from, n->type, v[0], r, k, lanes);
		else if (from.scalar == n->type.scalar)
			memcpy(r, v[0], lanes * sizeof(*r));
		else
			memset(k, 0, lanes);
		return;
	default:
		break;
	}
	if (type_is_real(n->type))
		real_node(n, v, r, k, lanes);
	else
		integer_node(n, v, r, k, lanes);
}

/*
 * k = both known; false when no lane is. *all: in every lane. The three never overlap: an operand
 * is an older node.
 */
static bool both_known(const uint8_t *restrict a, const uint8_t *restrict b, uint8_t *restrict k,
                       unsigned lanes, uint8_t *all)
{
	uint8_t some = 0, every = LANES_KNOWN;

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
static void displace(const struct evaluator *evaluator, uint32_t node, const int64_t *const *v,
                     const uint8_t *const *w, int64_t *r, uint8_t *k)
{
	const struct ir_node *n = &evaluator->kernel->nodes[node];
	const uint32_t *operands = kernel_operands(evaluator->kernel, node);
	unsigned own = n->op == NODE_FMA ? 2 : w[0][0] == LANES_KNOWN ? 0 : 1;
	double sign = n->op == NODE_SUB && own == 1 ? -1 : 1;

	if (!type_is_real(n->type) ||
	    (n->op != NODE_ADD && n->op != NODE_SUB && n->op != NODE_FMA) ||
	    !(evaluator->flags[operands[own]] & EVALUATOR_BY_LANE))
		return;
	for (unsigned i = 0; i < evaluator->lanes; i++) {
		uint64_t drawn = lanes_mix(((uint64_t)node << 32) + i);

		if (w[own][i] != LANES_KNOWN || k[i] != 0)
			continue;
		r[i] = lanes_bits(n->type, sign * lanes_real(v[own][i]) +
		                                   (double)(drawn >> 11) * 0x1p-52 - 1);
		k[i] = LANES_PLACE;
	}
}

void lanes_run_node(struct evaluator *evaluator, uint32_t node)
{
	const struct ir_kernel *kernel = evaluator->kernel;
	const struct ir_node *n = &kernel->nodes[node];
	const uint32_t *operands = kernel->operands + n->first_operand;
	unsigned lanes = evaluator->lanes;
	int64_t *r = lanes_value(evaluator, node);
	uint8_t *k = lanes_known(evaluator, node);
	const int64_t *v[3] = {r, r, r};
	const uint8_t *w[3] = {k, k, k};
	struct type from = n->type;
	uint8_t all; /* what is known in every lane */
	bool is_known;

	if (n->op == NODE_LOOP_VAR)
		return; /* the loop sets it */
	if (n->op == NODE_SWIZZLE) {
		uint32_t alias = evaluator->alias[node];

		memset(k, 0, lanes);
		if (!lanes_has(evaluator, alias))
			return;
		if (kernel->nodes[alias].type.width == 1) {
			memcpy(r, lanes_value(evaluator, alias), lanes * sizeof(*r));
			memcpy(k, lanes_known(evaluator, alias), lanes);
		} else if (kernel->nodes[operands[0]].op == NODE_ARG &&
		           kernel->nodes[operands[0]].imm == 0 &&
		           kernel->nodes[operands[0]].aux < evaluator->launch->argument_count) {
			const struct launch_argument *argument =
			        &evaluator->launch->arguments[kernel->nodes[operands[0]].aux];

			if (argument->kind == ARGUMENT_SCALAR && type_is_integer(n->type) &&
			    type_is_integer(argument->type))
				fill(r, k, lanes,
				     lanes_wrap(n->type, argument->value.integer[n->imm & 15]),
				     true);
		} else if (kernel->nodes[alias].op == NODE_LOAD) {
			place_values(evaluator, &kernel->accesses[kernel->nodes[alias].aux],
			             (unsigned)(n->imm & 15), n->type, r, k);
		}
		return;
	}
	if (n->type.width != 1) {
		memset(k, 0, lanes);
		return;
	}
	if (n->op == NODE_TEXEL) {
		lanes_texel(evaluator, n, r, k);
		return;
	}
	if (n->operand_count == 0) {
		leaf(evaluator, node, n, r, k);
		return;
	}
	for (unsigned i = 0; i < n->operand_count; i++) {
		if (!lanes_has(evaluator, operands[i]) || i >= 3) {
			memset(k, 0, lanes);
			return;
		}
		v[i] = lanes_value(evaluator, operands[i]);
		w[i] = lanes_known(evaluator, operands[i]);
	}
	from = kernel->nodes[operands[0]].type;
	if (n->op == NODE_PHI || n->op == NODE_SELECT) {
		choose(v, w, r, k, lanes);
		return;
	}
	is_known = both_known(w[0], w[n->operand_count > 1 ? 1 : 0], k, lanes, &all);
	if (n->operand_count > 2 && is_known) {
		uint8_t some = 0;

		for (unsigned i = 0; i < lanes; i++)
			some |= k[i] &= w[2][i];
		is_known = some != 0;
	}
	/* what is known in no lane has no value that anybody reads; but 0 & x is known */
	if (!is_known && n->op != NODE_AND) {
		displace(evaluator, node, v, w, r, k);
		return;
	}
	lanes_apply(n, from, v, r, k, lanes);
	if (n->op == NODE_AND && all != LANES_KNOWN)
		/* zero and whatever is zero: a bound still ends a loop that data may end */
		for (unsigned i = 0; i < lanes; i++)
			if ((w[0][i] == LANES_KNOWN && v[0][i] == 0) ||
			    (w[1][i] == LANES_KNOWN && v[1][i] == 0)) {
				k[i] = LANES_KNOWN;
				r[i] = 0;
			}
}

void lanes_run(struct evaluator *evaluator, uint32_t list, uint32_t count)
{
	const struct evaluator_loop *loop = &evaluator->loops[list];

	for (uint32_t i = 0; i < count; i++)
		lanes_run_node(evaluator, evaluator->order[loop->first + i]);
	evaluator->used += (uint64_t)count * evaluator->lanes;
}
