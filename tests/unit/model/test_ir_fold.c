/* SPDX-License-Identifier: Apache-2.0 */
/* What the builder folds, simplifies and finds again. */
#include "tests/test.h"

#include <limits.h>

#include "model/passes/passes.h"
#include "tests/unit/model/build.h"

struct fixture {
	struct ir_kernel *kernel;
	uint32_t x, y, f; /* int, int, float arguments */
};

static int set_up(void **state)
{
	static struct fixture fixture;
	fixture.kernel = kernel_new("k");
	fixture.x = add_scalar(fixture.kernel, "x", INT);
	fixture.y = add_scalar(fixture.kernel, "y", INT);
	fixture.f = add_scalar(fixture.kernel, "f", FLOAT);
	*state = &fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;
	kernel_free(fixture->kernel);
	return 0;
}

static uint32_t integer(struct fixture *fixture, int64_t value)
{
	return kernel_integer(fixture->kernel, INT, value);
}

static uint32_t binary(struct fixture *fixture, enum node_op op, uint32_t a, uint32_t b)
{
	return kernel_binary(fixture->kernel, op, INT, a, b);
}

static int64_t value_of(struct fixture *fixture, uint32_t node)
{
	int64_t value = 0;
	assert_true(kernel_constant(fixture->kernel, node, &value));
	return value;
}

/* op(a, b) in a type. */
static int64_t folded(struct fixture *fixture, enum node_op op, struct type type, int64_t a,
                      int64_t b)
{
	struct ir_kernel *kernel = fixture->kernel;
	return value_of(fixture, kernel_binary(kernel, op, type, kernel_integer(kernel, type, a),
	                                       kernel_integer(kernel, type, b)));
}

static void equal_expressions_are_one_node(void **state)
{
	struct fixture *f = *state;
	assert_int_equal(binary(f, NODE_ADD, f->x, f->y), binary(f, NODE_ADD, f->y, f->x));
	assert_int_equal(binary(f, NODE_MUL, f->x, f->y), binary(f, NODE_MUL, f->y, f->x));
	assert_int_not_equal(binary(f, NODE_SUB, f->x, f->y), binary(f, NODE_SUB, f->y, f->x));
	assert_int_not_equal(binary(f, NODE_ADD, f->x, f->y), binary(f, NODE_OR, f->x, f->y));
	assert_int_not_equal(integer(f, 1), kernel_integer(f->kernel, UINT, 1));
}

static void many_nodes_are_still_found(void **state)
{
	struct fixture *f = *state;
	uint32_t first[3000];
	for (int i = 0; i < 3000; i++)
		first[i] = binary(f, NODE_XOR, f->x, integer(f, i + 1));
	uint32_t count = f->kernel->node_count;
	for (int i = 0; i < 3000; i++)
		assert_int_equal(binary(f, NODE_XOR, f->x, integer(f, i + 1)), first[i]);
	assert_int_equal(f->kernel->node_count, count);
}

static void integers_wrap_at_their_width(void **state)
{
	struct fixture *f = *state;
	assert_int_equal(folded(f, NODE_ADD, INT, INT_MAX, 1), INT_MIN);
	assert_int_equal(folded(f, NODE_SUB, UINT, 0, 1), UINT_MAX);
	assert_int_equal(folded(f, NODE_MUL, type_scalar(SCALAR_UCHAR), 16, 17), 16);
	assert_int_equal(folded(f, NODE_ADD, LONG, INT64_MAX, 1), INT64_MIN);
	assert_int_equal(value_of(f, kernel_integer(f->kernel, type_scalar(SCALAR_CHAR), 200)),
	                 -56);
}

static void division_follows_the_sign_and_never_traps(void **state)
{
	struct fixture *f = *state;
	assert_int_equal(folded(f, NODE_DIV, INT, -7, 2), -3);
	assert_int_equal(folded(f, NODE_REM, INT, -7, 2), -1);
	assert_int_equal(folded(f, NODE_DIV, LONG, INT64_MIN, -1), INT64_MIN);
	assert_int_equal(folded(f, NODE_REM, LONG, INT64_MIN, -1), 0);
	assert_int_equal(folded(f, NODE_DIV, UINT, -1, 2), INT_MAX);
	uint32_t by_zero = binary(f, NODE_DIV, integer(f, 7), integer(f, 0));
	assert_int_equal(f->kernel->nodes[by_zero].op, NODE_DIV);
}

static void a_lesser_dividend_leaves_nothing(void **state)
{
	struct fixture *f = *state;
	uint32_t rest = binary(f, NODE_REM, f->x, f->y), none = integer(f, 0);
	uint32_t few = binary(f, NODE_AND, f->x, integer(f, 31));
	uint32_t digit = binary(f, NODE_REM, f->x, integer(f, 10));
	uint32_t part = binary(f, NODE_DIV, integer(f, 9), f->x);

	assert_int_equal(binary(f, NODE_DIV, rest, f->y), none);
	assert_int_equal(binary(f, NODE_REM, rest, f->y), rest);
	assert_int_equal(binary(f, NODE_DIV, none, f->y), none);
	assert_int_equal(binary(f, NODE_REM, none, f->y), none);
	assert_int_equal(binary(f, NODE_DIV, few, integer(f, 32)), none);
	assert_int_equal(binary(f, NODE_REM, digit, integer(f, 10)), digit);
	assert_int_equal(binary(f, NODE_DIV, part, integer(f, 10)), none);
	/* what may be as large is divided, and so is what a negative divisor's magnitude exceeds */
	assert_int_not_equal(binary(f, NODE_DIV, few, integer(f, 31)), none);
	assert_int_not_equal(binary(f, NODE_DIV, digit, integer(f, 9)), none);
	assert_int_not_equal(binary(f, NODE_DIV, part, integer(f, 9)), none);
	assert_int_not_equal(binary(f, NODE_DIV, rest, f->x), none);
	assert_int_not_equal(
	        binary(f, NODE_DIV, binary(f, NODE_AND, f->x, integer(f, -8)), integer(f, 32)),
	        none);
}

static void shifts_and_comparisons_follow_the_sign(void **state)
{
	struct fixture *f = *state;
	assert_int_equal(folded(f, NODE_SHR, INT, -8, 1), -4);
	assert_int_equal(folded(f, NODE_SHR, UINT, -8, 1), 0x7ffffffc);
	assert_int_equal(folded(f, NODE_SHL, INT, 1, 33), 2); /* modulo the width */
	assert_int_equal(folded(f, NODE_LT, INT, -1, 0), 1);
	assert_int_equal(folded(f, NODE_LT, UINT, -1, 0), 0);
	assert_int_equal(folded(f, NODE_MAX, UINT, -1, 0), UINT_MAX);
	assert_int_equal(folded(f, NODE_MUL_HI, INT, INT_MIN, 4), -2);
	assert_int_equal(folded(f, NODE_MUL_HI, UINT, -1, 4), 3);
}

static void identities_vanish(void **state)
{
	struct fixture *f = *state;
	uint32_t zero = integer(f, 0), one = integer(f, 1);
	assert_int_equal(binary(f, NODE_ADD, zero, f->x), f->x);
	assert_int_equal(binary(f, NODE_SUB, f->x, zero), f->x);
	assert_int_equal(binary(f, NODE_MUL, one, f->x), f->x);
	assert_int_equal(binary(f, NODE_MUL, f->x, zero), zero);
	assert_int_equal(binary(f, NODE_SUB, f->x, f->x), zero);
	assert_int_equal(binary(f, NODE_DIV, f->x, one), f->x);
	assert_int_equal(binary(f, NODE_REM, f->x, one), zero);
	assert_int_equal(binary(f, NODE_DIV, f->x, f->x), one);
	assert_int_equal(binary(f, NODE_REM, f->x, f->x), zero);
	assert_int_equal(binary(f, NODE_AND, f->x, integer(f, -1)), f->x);
	assert_int_equal(binary(f, NODE_OR, f->x, f->x), f->x);
	assert_int_equal(binary(f, NODE_XOR, f->x, f->x), zero);
	assert_int_equal(binary(f, NODE_SHL, f->x, zero), f->x);
	assert_int_equal(binary(f, NODE_LE, f->x, f->x), one);
	assert_int_equal(binary(f, NODE_MIN, binary(f, NODE_MAX, f->x, f->y), f->y), f->y);
	assert_int_equal(binary(f, NODE_MAX, f->x, binary(f, NODE_MIN, f->y, f->x)), f->x);
}

static void quotient_and_remainder_make_the_whole(void **state)
{
	struct fixture *f = *state;
	uint32_t down = binary(f, NODE_MUL, binary(f, NODE_DIV, f->x, f->y), f->y);
	uint32_t rest = binary(f, NODE_REM, f->x, f->y);
	assert_int_equal(binary(f, NODE_ADD, down, rest), f->x);
	assert_int_equal(binary(f, NODE_ADD, rest, down), f->x);
	assert_int_equal(binary(f, NODE_SUB, f->x, down), rest);
	uint32_t n = integer(f, 16);
	assert_int_equal(binary(f, NODE_ADD, binary(f, NODE_MUL, binary(f, NODE_DIV, f->x, n), n),
	                        binary(f, NODE_REM, f->x, n)),
	                 f->x);
}

static void constants_gather(void **state)
{
	struct fixture *f = *state;
	uint32_t sum = binary(f, NODE_ADD, binary(f, NODE_ADD, f->x, integer(f, 3)), integer(f, 4));
	assert_int_equal(sum, binary(f, NODE_ADD, f->x, integer(f, 7)));
	assert_int_equal(binary(f, NODE_SUB, sum, integer(f, 7)), f->x);
	assert_int_equal(binary(f, NODE_SUB, f->x, integer(f, 1)),
	                 binary(f, NODE_ADD, f->x, integer(f, -1)));
	uint32_t neg = kernel_unary(f->kernel, NODE_NEG, INT, f->y);
	assert_int_equal(binary(f, NODE_ADD, f->x, neg), binary(f, NODE_SUB, f->x, f->y));
	assert_int_equal(kernel_unary(f->kernel, NODE_NEG, INT, neg), f->y);
}

static void negated_comparisons_turn_round(void **state)
{
	struct fixture *f = *state;
	uint32_t less = binary(f, NODE_LT, f->x, f->y);
	assert_int_equal(kernel_unary(f->kernel, NODE_LNOT, INT, less),
	                 binary(f, NODE_LE, f->y, f->x));
	assert_int_equal(binary(f, NODE_NE, less, integer(f, 0)), less);
	uint32_t real = kernel_binary(f->kernel, NODE_LT, INT, f->f, f->f);
	uint32_t negated = kernel_unary(f->kernel, NODE_LNOT, INT, real);
	assert_int_equal(f->kernel->nodes[negated].op, NODE_LNOT); /* NaN is not less, nor more */
	assert_int_equal(kernel_unary(f->kernel, NODE_LNOT, INT, negated), real);
}

static void conversions_that_lose_nothing_vanish(void **state)
{
	struct fixture *f = *state;
	struct ir_kernel *kernel = f->kernel;
	uint32_t wide = kernel_unary(kernel, NODE_CONVERT, LONG, f->x);
	assert_int_equal(kernel_unary(kernel, NODE_CONVERT, INT, wide), f->x);
	assert_int_equal(kernel_unary(kernel, NODE_CONVERT, INT, f->x), f->x);
	struct type uchar = type_scalar(SCALAR_UCHAR);
	uint32_t byte = kernel_unary(kernel, NODE_CONVERT, uchar, f->x);
	uint32_t back = kernel_unary(kernel, NODE_CONVERT, INT, byte);
	assert_int_equal(kernel->nodes[back].op, NODE_CONVERT);
	assert_int_not_equal(back, f->x);
	assert_int_equal(value_of(f, kernel_unary(kernel, NODE_CONVERT, uchar, integer(f, 257))),
	                 1);
	uint32_t real = kernel_unary(kernel, NODE_CONVERT, FLOAT, integer(f, 16777217));
	assert_int_equal(real, kernel_real(kernel, FLOAT, 16777216.0));
	/* -1 as uint and then long is not -1 */
	uint32_t odd = kernel_unary(kernel, NODE_CONVERT, LONG,
	                            kernel_unary(kernel, NODE_CONVERT, UINT, f->x));
	assert_int_not_equal(odd, wide);
}

static void the_low_bits_of_a_sum_are_the_sum_of_the_low_bits(void **state)
{
	struct fixture *f = *state;
	struct ir_kernel *kernel = f->kernel;
	uint32_t x = kernel_unary(kernel, NODE_CONVERT, ULONG, f->x),
	         y = kernel_unary(kernel, NODE_CONVERT, ULONG, f->y),
	         size = kernel_node(kernel, NODE_GLOBAL_SIZE, ULONG, NULL, 0, 0, 0),
	         narrow = kernel_unary(kernel, NODE_CONVERT, INT, size);
	static const enum node_op ops[] = {NODE_ADD, NODE_SUB};

	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(kernel_unary(kernel, NODE_CONVERT, INT,
		                              kernel_binary(kernel, ops[i], ULONG, x, y)),
		                 binary(f, ops[i], f->x, f->y));
		assert_int_equal(kernel_unary(kernel, NODE_CONVERT, INT,
		                              kernel_binary(kernel, ops[i], ULONG, x, size)),
		                 binary(f, ops[i], f->x, narrow));
		assert_int_equal(kernel_unary(kernel, NODE_CONVERT, INT,
		                              kernel_binary(kernel, ops[i], ULONG, size, x)),
		                 binary(f, ops[i], narrow, f->x));
	}
	/* not of a product, a wider type, or operands that were not narrow */
	uint32_t product = kernel_binary(kernel, NODE_MUL, ULONG, x, size),
	         narrow_sum = binary(f, NODE_ADD, f->x, f->y), kept[3];
	kept[0] = kernel_unary(kernel, NODE_CONVERT, INT, product);
	kept[1] = kernel_unary(kernel, NODE_CONVERT, LONG, narrow_sum);
	kept[2] = kernel_unary(kernel, NODE_CONVERT, UINT,
	                       kernel_binary(kernel, NODE_ADD, ULONG, x, size));
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(kernel->nodes[kept[i]].op, NODE_CONVERT);
}

/* An id or a size in a dimension, in a type. */
static uint32_t item(struct ir_kernel *kernel, struct type type, enum node_op op, unsigned d)
{
	return kernel_unary(kernel, NODE_CONVERT, type,
	                    kernel_node(kernel, op, ULONG, NULL, 0, d, 0));
}

static void ids_that_are_made_of_groups_are_global(void **state)
{
	struct ir_kernel *kernel = ((struct fixture *)*state)->kernel;
	const struct type types[] = {INT, type_scalar(SCALAR_UINT), LONG, ULONG};

	for (unsigned t = 0; t < 4; t++)
		for (unsigned d = 0; d < 3; d++) {
			struct type type = types[t];
			uint32_t group = item(kernel, type, NODE_GROUP_ID, d),
			         size = item(kernel, type, NODE_LOCAL_SIZE, d),
			         lane = item(kernel, type, NODE_LOCAL_ID, d),
			         count = item(kernel, type, NODE_NUM_GROUPS, d),
			         first = kernel_binary(kernel, NODE_MUL, type, group, size),
			         other = item(kernel, type, NODE_LOCAL_ID, (d + 1) % 3);
			uint32_t id = kernel_unary(
			        kernel, NODE_CONVERT, type,
			        kernel_binary(kernel, NODE_SUB, ULONG,
			                      item(kernel, ULONG, NODE_GLOBAL_ID, d),
			                      item(kernel, ULONG, NODE_GLOBAL_OFFSET, d)));

			assert_int_equal(kernel_binary(kernel, NODE_ADD, type, first, lane), id);
			assert_int_equal(
			        kernel_binary(kernel, NODE_ADD, type, lane,
			                      kernel_binary(kernel, NODE_MUL, type, size, group)),
			        id);
			assert_int_equal(kernel_binary(kernel, NODE_MUL, type, size, count),
			                 item(kernel, type, NODE_GLOBAL_SIZE, d));
			/* of another dimension, or another size */
			uint32_t kept[] = {
			        kernel_binary(kernel, NODE_ADD, type, first, other),
			        kernel_binary(kernel, NODE_ADD, type, count, lane),
			        kernel_binary(kernel, NODE_MUL, type, count, other),
			        kernel_binary(kernel, NODE_MUL, type, count, lane),
			};
			for (unsigned i = 0; i < 4; i++)
				assert_int_equal(kernel->nodes[kept[i]].op,
				                 i < 2 ? NODE_ADD : NODE_MUL);
		}
}

/* An unsigned char of a group's id is not the id. */
static void narrow_parts_of_ids_are_not_global(void **state)
{
	struct ir_kernel *kernel = ((struct fixture *)*state)->kernel;
	uint32_t group = kernel_unary(kernel, NODE_CONVERT, INT,
	                              item(kernel, type_scalar(SCALAR_UCHAR), NODE_GROUP_ID, 0));
	uint32_t first =
	        kernel_binary(kernel, NODE_MUL, INT, group, item(kernel, INT, NODE_LOCAL_SIZE, 0));
	uint32_t id =
	        kernel_binary(kernel, NODE_ADD, INT, first, item(kernel, INT, NODE_LOCAL_ID, 0));

	assert_int_equal(kernel->nodes[id].op, NODE_ADD);
}

static void conversions_are_seen_through_as_far_as_bits_go(void **state)
{
	struct ir_kernel *kernel = ((struct fixture *)*state)->kernel;
	uint32_t x = ((struct fixture *)*state)->x, f = ((struct fixture *)*state)->f;
	struct type uchar = type_scalar(SCALAR_UCHAR), real = type_scalar(SCALAR_DOUBLE);
	uint32_t low = kernel_unary(kernel, NODE_CONVERT, uchar, x);
	uint32_t wide = kernel_unary(kernel, NODE_CONVERT, ULONG, x);
	uint32_t product =
	        kernel_binary(kernel, NODE_MUL, ULONG, wide, kernel_integer(kernel, ULONG, 3));

	assert_int_equal(kernel_unconverted(kernel, x), x);
	assert_int_equal(kernel_unconverted(kernel, wide), x);
	assert_int_equal(kernel_unconverted(kernel, low), x);
	assert_int_equal(
	        kernel_unconverted(kernel, kernel_unary(kernel, NODE_CONVERT, INT, product)),
	        product);
	/* 300 is 44 there */
	assert_int_equal(kernel_unconverted(kernel, kernel_unary(kernel, NODE_CONVERT, LONG, low)),
	                 low);
	assert_int_equal(kernel_unconverted(kernel, kernel_unary(kernel, NODE_CONVERT, real, f)),
	                 f);
	uint32_t rounded = kernel_unary(kernel, NODE_CONVERT, INT, f);
	assert_int_equal(kernel_unconverted(kernel, rounded), rounded);
	uint32_t exact = kernel_unary(kernel, NODE_CONVERT, real, x);
	assert_int_equal(kernel_unconverted(kernel, exact), exact);
}

static void real_arithmetic_keeps_its_meaning(void **state)
{
	struct fixture *f = *state;
	struct ir_kernel *kernel = f->kernel;
	uint32_t zero = kernel_real(kernel, FLOAT, 0), one = kernel_real(kernel, FLOAT, 1);
	assert_int_equal(kernel_binary(kernel, NODE_MUL, FLOAT, f->f, one), f->f);
	/* x + 0 is not x for -0, x * 0 not 0 for NaN, x - x not 0 for infinity */
	assert_int_not_equal(kernel_binary(kernel, NODE_ADD, FLOAT, f->f, zero), f->f);
	assert_int_not_equal(kernel_binary(kernel, NODE_MUL, FLOAT, f->f, zero), zero);
	assert_int_not_equal(kernel_binary(kernel, NODE_SUB, FLOAT, f->f, f->f), zero);
	assert_int_equal(kernel_binary(kernel, NODE_ADD, FLOAT, kernel_real(kernel, FLOAT, 0.1),
	                               kernel_real(kernel, FLOAT, 0.2)),
	                 kernel_real(kernel, FLOAT, (double)(0.1F + 0.2F)));
	uint32_t division = kernel_binary(kernel, NODE_DIV, FLOAT, one, zero);
	assert_int_equal(kernel->nodes[division].op, NODE_DIV);
}

static void choices_without_a_choice_vanish(void **state)
{
	struct fixture *f = *state;
	struct ir_kernel *kernel = f->kernel;
	uint32_t less = binary(f, NODE_LT, f->x, f->y);
	uint32_t same[3] = {less, f->x, f->x}, certain[3] = {integer(f, 1), f->x, f->y};
	assert_int_equal(kernel_node(kernel, NODE_PHI, INT, same, 3, 0, 0), f->x);
	assert_int_equal(kernel_node(kernel, NODE_SELECT, INT, certain, 3, 0, 0), f->x);
	certain[0] = integer(f, 0);
	assert_int_equal(kernel_node(kernel, NODE_PHI, INT, certain, 3, 0, 0), f->y);
}

static void a_lane_of_a_splat_is_its_scalar(void **state)
{
	struct fixture *f = *state;
	struct type float4 = {SCALAR_FLOAT, 4};
	uint32_t splat = kernel_unary(f->kernel, NODE_SPLAT, float4, f->f);
	assert_int_equal(kernel_node(f->kernel, NODE_SWIZZLE, FLOAT, &splat, 1, 0, 2), f->f);
	assert_int_equal(kernel_node(f->kernel, NODE_SWIZZLE, float4, &splat, 1, 0, 0x3210), splat);
	struct type int2 = {SCALAR_INT, 2};
	assert_int_equal(kernel_binary(f->kernel, NODE_ADD, int2,
	                               kernel_integer(f->kernel, int2, 2),
	                               kernel_integer(f->kernel, int2, 3)),
	                 kernel_integer(f->kernel, int2, 5));
}

static void the_first_failure_sticks_until_the_seal(void **state)
{
	struct fixture *f = *state;
	struct error error;
	assert_int_equal(kernel_binary(f->kernel, NODE_ADD, INT, f->x, 999), IR_NONE);
	assert_int_equal(binary(f, NODE_ADD, f->x, f->y), IR_NONE);
	assert_int_equal(kernel_block(f->kernel), IR_NONE);
	struct ir_statement barrier = statement_of(STATEMENT_BARRIER, 1);
	assert_int_equal(kernel_append(f->kernel, 0, &barrier), IR_NONE);
	assert_int_equal(kernel_seal(f->kernel, &error), STATUS_CORRUPT);
	assert_string_equal(error.text, "kernel k: an operand that does not exist");
}

static void an_unsupported_kernel_seals_with_its_arguments(void **state)
{
	struct fixture *f = *state;
	kernel_unsupported(f->kernel, "image reads (%s)", "read_imagef");
	kernel_unsupported(f->kernel, "later");
	(void)kernel_binary(f->kernel, NODE_ADD, INT, f->x, 999);
	seal(f->kernel);
	assert_string_equal(f->kernel->unsupported, "image reads (read_imagef)");
	assert_int_equal(f->kernel->argument_count, 3);
	assert_int_equal(f->kernel->statement_count, 0);
	assert_non_null(f->kernel->summary);
}

static void bounds_hold(void **state)
{
	struct fixture *f = *state;
	struct error error;
	for (int i = 0; i <= IR_BLOCKS_MAX; i++)
		(void)kernel_block(f->kernel);
	assert_int_equal(f->kernel->block_count, IR_BLOCKS_MAX);
	assert_int_equal(kernel_seal(f->kernel, &error), STATUS_LIMIT);
	assert_string_equal(error.text, "kernel k: too many blocks");
}

static void equal_written_counts_add_up_by_block(void **state)
{
	struct fixture *f = *state;
	uint32_t inner = add_branch(f->kernel, 0, f->x, NULL);
	kernel_write_operation(f->kernel, inner, OP_CLASS_MUL, TYPE_CLASS_FLOAT, 2);
	kernel_write_operation(f->kernel, 0, OP_CLASS_ADD, TYPE_CLASS_INT, 1);
	kernel_write_operation(f->kernel, inner, OP_CLASS_MUL, TYPE_CLASS_FLOAT, 3);
	kernel_write_operation(f->kernel, inner, OP_CLASS_ADD, TYPE_CLASS_FLOAT, 1);
	seal(f->kernel);
	assert_int_equal(f->kernel->written_count, 3);
	assert_int_equal(f->kernel->blocks[0].written_count, 1);
	assert_int_equal(f->kernel->blocks[inner].first_written, 1);
	assert_int_equal(f->kernel->blocks[inner].written_count, 2);
	assert_int_equal(f->kernel->written[2].count, 5);
}

/* ---- every operator on every type, against wide arithmetic ------------------------------------
 */

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 uwide;

/* A value as its type has it: the low bits, with its sign. */
static wide as_type(struct type type, wide value)
{
	unsigned bits = scalar_bytes((enum scalar)type.scalar) * 8;
	uwide low = (uwide)value;
	if (type.scalar == SCALAR_BOOL)
		return value != 0;
	low &= ((uwide)1 << bits) - 1;
	if (type_is_signed(type) && (low >> (bits - 1)) != 0)
		return (wide)low - ((wide)1 << bits);
	return (wide)low;
}

/* False where C gives no value, or the fold leaves it to the device. */
static bool reference(enum node_op op, struct type type, wide a, wide b, wide *result)
{
	unsigned bits = scalar_bytes((enum scalar)type.scalar) * 8;
	unsigned shift = (unsigned)(b & (bits - 1));
	switch (op) {
	case NODE_ADD:
		*result = a + b;
		return true;
	case NODE_SUB:
		*result = a - b;
		return true;
	case NODE_MUL:
		*result = (wide)((uwide)a * (uwide)b);
		return true;
	case NODE_DIV:
		*result = b == 0 ? 0 : a / b;
		return b != 0;
	case NODE_REM:
		*result = b == 0 ? 0 : a % b;
		return b != 0;
	case NODE_AND:
		*result = a & b;
		return true;
	case NODE_OR:
		*result = a | b;
		return true;
	case NODE_XOR:
		*result = a ^ b;
		return true;
	case NODE_SHL:
		*result = (wide)((uwide)a << shift);
		return true;
	case NODE_SHR:
		*result = a >> shift;
		return true;
	case NODE_EQ:
		*result = a == b;
		return true;
	case NODE_NE:
		*result = a != b;
		return true;
	case NODE_LT:
		*result = a < b;
		return true;
	case NODE_LE:
		*result = a <= b;
		return true;
	case NODE_MIN:
		*result = a < b ? a : b;
		return true;
	case NODE_MAX:
		*result = a > b ? a : b;
		return true;
	case NODE_MUL_HI:
		if (bits == 64)
			return false;
		*result = (a * b) >> bits;
		return true;
	default:
		return false;
	}
}

static const enum scalar integers[] = {SCALAR_CHAR, SCALAR_UCHAR, SCALAR_SHORT, SCALAR_USHORT,
                                       SCALAR_INT,  SCALAR_UINT,  SCALAR_LONG,  SCALAR_ULONG};
static const int64_t edges[] = {0,         1,         2,          -1,        7,        -8,
                                127,       -128,      255,        32767,     -32768,   65535,
                                INT32_MAX, INT32_MIN, UINT32_MAX, INT64_MAX, INT64_MIN};
enum { INTEGERS = sizeof integers / sizeof integers[0], EDGES = sizeof edges / sizeof edges[0] };

static void operators_on_integers_are_those_of_c(void **state)
{
	static const enum node_op ops[] = {
	        NODE_ADD, NODE_SUB, NODE_MUL, NODE_DIV, NODE_REM,    NODE_AND,
	        NODE_OR,  NODE_XOR, NODE_SHL, NODE_SHR, NODE_EQ,     NODE_NE,
	        NODE_LT,  NODE_LE,  NODE_MIN, NODE_MAX, NODE_MUL_HI,
	};
	struct ir_kernel *kernel = ((struct fixture *)*state)->kernel;
	for (size_t o = 0; o < sizeof ops / sizeof ops[0]; o++)
		for (unsigned t = 0; t < INTEGERS * EDGES * EDGES; t++) {
			struct type type = type_scalar(integers[t % INTEGERS]);
			struct type result = ops[o] >= NODE_EQ && ops[o] <= NODE_LE ? INT : type;
			int64_t x = edges[t / INTEGERS % EDGES], y = edges[t / INTEGERS / EDGES];
			wide a = as_type(type, x), b = as_type(type, y), want;
			int64_t got;
			uint32_t node = kernel_binary(kernel, ops[o], result,
			                              kernel_integer(kernel, type, x),
			                              kernel_integer(kernel, type, y));
			bool is_constant = kernel_constant(kernel, node, &got);
			bool has_value = reference(ops[o], type, a, b, &want);
			if (has_value &&
			    (!is_constant || as_type(result, got) != as_type(result, want)))
				fail_msg("%s of type %u: %lld and %lld: constant %d, %lld",
				         node_op_name(ops[o]), type.scalar, (long long)x,
				         (long long)y, is_constant, (long long)got);
		}
}

static void conversions_and_bits_of_constants_are_those_of_c(void **state)
{
	struct ir_kernel *kernel = ((struct fixture *)*state)->kernel;
	int64_t got;
	for (unsigned t = 0; t < INTEGERS * INTEGERS * EDGES; t++) {
		struct type from = type_scalar(integers[t % INTEGERS]);
		struct type to = type_scalar(integers[t / INTEGERS % INTEGERS]);
		int64_t x = edges[t / INTEGERS / INTEGERS];
		uint32_t node = kernel_integer(kernel, from, x);
		assert_true(kernel_constant(kernel, kernel_unary(kernel, NODE_CONVERT, to, node),
		                            &got));
		assert_true(as_type(to, got) == as_type(to, as_type(from, x)));
		if (type_bytes(from) != type_bytes(to))
			continue;
		node = kernel_unary(kernel, NODE_BITCAST, to, node);
		assert_true(kernel_constant(kernel, node, &got));
		assert_true(as_type(to, got) == as_type(to, x));
		node = kernel_unary(kernel, NODE_BITCAST, from, node);
		assert_true(kernel_constant(kernel, node, &got));
		assert_true(as_type(from, got) == as_type(from, x));
	}
	/* 1.5f is 0x3fc00000; what is no number stays as it is */
	uint32_t bits = kernel_unary(kernel, NODE_BITCAST, INT, kernel_real(kernel, FLOAT, 1.5));
	assert_true(kernel_constant(kernel, bits, &got) && got == 0x3fc00000);
	assert_int_equal(kernel_unary(kernel, NODE_BITCAST, FLOAT, bits),
	                 kernel_real(kernel, FLOAT, 1.5));
	bits = kernel_integer(kernel, INT, 0x7fc00000);
	assert_int_equal(kernel->nodes[kernel_unary(kernel, NODE_BITCAST, FLOAT, bits)].op,
	                 NODE_BITCAST);
	struct type long_type = type_scalar(SCALAR_LONG), double_type = type_scalar(SCALAR_DOUBLE);
	bits = kernel_integer(kernel, long_type, 3);
	assert_int_equal(kernel->nodes[kernel_unary(kernel, NODE_BITCAST, double_type, bits)].op,
	                 NODE_BITCAST);
	bits = kernel_real(kernel, double_type, 2.5);
	assert_int_equal(kernel->nodes[kernel_unary(kernel, NODE_BITCAST, long_type, bits)].op,
	                 NODE_BITCAST);
}

static void operators_on_reals_are_those_of_c(void **state)
{
	static const double values[] = {0, 1, -1, 2.5, -7.75, 1e30, 3e9, -3e9, 1e-30};
	enum { VALUES = sizeof values / sizeof values[0] };
	struct ir_kernel *kernel = ((struct fixture *)*state)->kernel;
	for (unsigned t = 0; t < 2 * VALUES * VALUES; t++) {
		bool is_float = t % 2 == 0;
		struct type type = is_float ? FLOAT : type_scalar(SCALAR_DOUBLE);
		double a = values[t / 2 % VALUES], b = values[t / 2 / VALUES];
		if (is_float) {
			a = (double)(float)a;
			b = (double)(float)b;
		}
		uint32_t x = kernel_real(kernel, type, a), y = kernel_real(kernel, type, b);
		const struct {
			enum node_op op;
			double want;
		} rows[] = {{NODE_ADD, a + b},         {NODE_SUB, a - b},
		            {NODE_MUL, a * b},         {NODE_DIV, a / b},
		            {NODE_MIN, b < a ? b : a}, {NODE_MAX, a < b ? b : a}};
		for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
			uint32_t node = kernel_binary(kernel, rows[i].op, type, x, y);
			double want = is_float ? (double)(float)rows[i].want : rows[i].want, got;
			if (!isfinite(want)) {
				assert_int_equal(kernel->nodes[node].op, rows[i].op);
				continue;
			}
			assert_int_equal(kernel->nodes[node].op, NODE_CONST_REAL);
			memcpy(&got, &kernel->nodes[node].imm, sizeof got);
			assert_close(got, want, 0);
		}
		const struct {
			enum node_op op;
			bool want;
		} truths[] = {{NODE_EQ, !(a < b) && !(a > b)},
		              {NODE_NE, a < b || a > b},
		              {NODE_LT, a < b},
		              {NODE_LE, a <= b}};
		for (size_t i = 0; i < sizeof truths / sizeof truths[0]; i++)
			assert_int_equal(kernel_binary(kernel, truths[i].op, INT, x, y),
			                 kernel_integer(kernel, INT, truths[i].want));
		assert_int_equal(kernel_unary(kernel, NODE_NEG, type, x),
		                 kernel_real(kernel, type, -a));
		assert_int_equal(kernel_unary(kernel, NODE_ABS, type, x),
		                 kernel_real(kernel, type, fabs(a)));
		/* to integers where they have it, whole part alone */
		uint32_t whole = kernel_unary(kernel, NODE_CONVERT, INT, x);
		if (fabs(a) < 2e9)
			assert_int_equal(whole, kernel_integer(kernel, INT, (int64_t)a));
		else
			assert_int_equal(kernel->nodes[whole].op, NODE_CONVERT);
		assert_int_equal(kernel_unary(kernel, NODE_CONVERT, type_scalar(SCALAR_BOOL), x) ==
		                         kernel_integer(kernel, type_scalar(SCALAR_BOOL), 1),
		                 fabs(a) < 2e9 && fabs(a) > 0);
	}
	struct type half = type_scalar(SCALAR_HALF);
	uint32_t h = kernel_real(kernel, half, 1.5);
	assert_int_equal(kernel->nodes[kernel_binary(kernel, NODE_MUL, half, h, h)].op, NODE_MUL);
	struct type uchar = type_scalar(SCALAR_UCHAR);
	assert_int_equal(kernel->nodes[kernel_unary(kernel, NODE_CONVERT, uchar,
	                                            kernel_real(kernel, FLOAT, 300))]
	                         .op,
	                 NODE_CONVERT);
}

static void vectors_of_one_constant_fold_as_it_does(void **state)
{
	struct ir_kernel *kernel = ((struct fixture *)*state)->kernel;
	struct type int4 = {SCALAR_INT, 4}, float4 = {SCALAR_FLOAT, 4};
	uint32_t three = kernel_integer(kernel, int4, 3), two = kernel_integer(kernel, int4, 2);
	assert_int_equal(kernel_binary(kernel, NODE_ADD, int4, three, two),
	                 kernel_integer(kernel, int4, 5));
	/* all ones where it holds */
	assert_int_equal(kernel_binary(kernel, NODE_LT, int4, two, three),
	                 kernel_integer(kernel, int4, -1));
	assert_int_equal(kernel_binary(kernel, NODE_EQ, int4, two, three),
	                 kernel_integer(kernel, int4, 0));
	uint32_t x = kernel_real(kernel, float4, 1.5), y = kernel_real(kernel, float4, 2);
	assert_int_equal(kernel_binary(kernel, NODE_MUL, float4, x, y),
	                 kernel_real(kernel, float4, 3));
	assert_int_equal(kernel_unary(kernel, NODE_CONVERT, int4, y), two);
	assert_int_equal(kernel_unary(kernel, NODE_CONVERT, float4, two), y);
	/* what a choice turns on may be a vector: then it stays */
	uint32_t operands[3] = {kernel_unary(kernel, NODE_LNOT, int4, three), three, two};
	assert_int_equal(operands[0], kernel_integer(kernel, int4, 0));
	assert_int_equal(
	        kernel->nodes[kernel_node(kernel, NODE_SELECT, int4, operands, 3, 0, 0)].op,
	        NODE_SELECT);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
	        TEST(equal_expressions_are_one_node),
	        TEST(many_nodes_are_still_found),
	        TEST(integers_wrap_at_their_width),
	        TEST(division_follows_the_sign_and_never_traps),
	        TEST(a_lesser_dividend_leaves_nothing),
	        TEST(shifts_and_comparisons_follow_the_sign),
	        TEST(identities_vanish),
	        TEST(quotient_and_remainder_make_the_whole),
	        TEST(constants_gather),
	        TEST(negated_comparisons_turn_round),
	        TEST(conversions_that_lose_nothing_vanish),
	        TEST(the_low_bits_of_a_sum_are_the_sum_of_the_low_bits),
	        TEST(ids_that_are_made_of_groups_are_global),
	        TEST(narrow_parts_of_ids_are_not_global),
	        TEST(conversions_are_seen_through_as_far_as_bits_go),
	        TEST(real_arithmetic_keeps_its_meaning),
	        TEST(choices_without_a_choice_vanish),
	        TEST(a_lane_of_a_splat_is_its_scalar),
	        TEST(the_first_failure_sticks_until_the_seal),
	        TEST(an_unsupported_kernel_seals_with_its_arguments),
	        TEST(bounds_hold),
	        TEST(equal_written_counts_add_up_by_block),
	        TEST(operators_on_integers_are_those_of_c),
	        TEST(conversions_and_bits_of_constants_are_those_of_c),
	        TEST(operators_on_reals_are_those_of_c),
	        TEST(vectors_of_one_constant_fold_as_it_does),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
