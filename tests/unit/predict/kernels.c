/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels without loops: what is accessed where, and what is computed. */
#include "tests/unit/predict/kernels.h"
#include "tests/unit/predict/kernel_parts.h"

struct ir_kernel *kernel_vector_add(void)
{
	struct ir_kernel *k = kernel_new("vector_add");
	uint32_t a = buffer(k, "a", FLOAT), b = buffer(k, "b", FLOAT), c = buffer(k, "c", FLOAT);
	uint32_t i = gid(k, 0);
	uint32_t sum = add(k, FLOAT, load(k, 0, a, i, FLOAT), load(k, 0, b, i, FLOAT));

	store(k, 0, c, i, FLOAT, sum);
	kernel_write_operation(k, 0, OP_CLASS_ADD, TYPE_CLASS_FLOAT, 1);
	return sealed(k);
}

struct ir_kernel *kernel_roots(unsigned count)
{
	struct ir_kernel *k = kernel_new("roots");
	uint32_t a = buffer(k, "a", FLOAT), b = buffer(k, "b", FLOAT), i = gid(k, 0);
	uint32_t x = load(k, 0, a, i, FLOAT);

	for (unsigned n = 0; n < count; n++)
		x = kernel_node(k, NODE_CALL, FLOAT, &x, 1, BUILTIN_SQRT, 0);
	store(k, 0, b, i, FLOAT, x);
	kernel_write_operation(k, 0, OP_CLASS_SQRT, TYPE_CLASS_FLOAT, count);
	return sealed(k);
}

struct ir_kernel *kernel_sq_mod(void)
{
	struct ir_kernel *k = kernel_new("sq_mod");
	uint32_t matrix = buffer(k, "matrix", FLOAT), res = buffer(k, "res", FLOAT);
	uint32_t m = scalar(k, "m", UINT), n = scalar(k, "n", UINT);
	uint32_t wide = kernel_unary(k, NODE_CONVERT, ULONG, n), position = gid(k, 0);
	uint32_t row = kernel_unary(k, NODE_CONVERT, UINT,
	                            kernel_binary(k, NODE_DIV, ULONG, position, wide));
	uint32_t column = kernel_unary(k, NODE_CONVERT, UINT,
	                               kernel_binary(k, NODE_REM, ULONG, position, wide));
	uint32_t here = load(k, 0, matrix, add(k, UINT, mul(k, UINT, row, n), column), FLOAT);
	uint32_t above = load(k, 0, matrix, column, FLOAT);

	(void)m;
	kernel_write_access(k, 0, 0, true);
	store(k, 0, res, position, FLOAT,
	      kernel_binary(k, NODE_SUB, FLOAT, mul(k, FLOAT, here, here), above));
	kernel_write_operation(k, 0, OP_CLASS_ADD, TYPE_CLASS_FLOAT, 1);
	kernel_write_operation(k, 0, OP_CLASS_MUL, TYPE_CLASS_FLOAT, 1);
	kernel_write_operation(k, 0, OP_CLASS_ADD, TYPE_CLASS_INT, 2);
	kernel_write_operation(k, 0, OP_CLASS_MUL, TYPE_CLASS_INT, 2);
	kernel_write_operation(k, 0, OP_CLASS_DIV, TYPE_CLASS_LONG, 1);
	kernel_write_operation(k, 0, OP_CLASS_MOD, TYPE_CLASS_LONG, 1);
	return sealed(k);
}

struct ir_kernel *kernel_strided(void)
{
	struct ir_kernel *k = kernel_new("strided");
	uint32_t a = buffer(k, "a", FLOAT), b = buffer(k, "b", FLOAT);
	uint32_t stride = scalar(k, "stride", INT), offset = scalar(k, "offset", INT);
	uint32_t index = add(k, INT, mul(k, INT, int_id(k, 0), stride), offset);

	store(k, 0, b, gid(k, 0), FLOAT, load(k, 0, a, index, FLOAT));
	return sealed(k);
}

struct ir_kernel *kernel_indexed(enum scalar scalar, int64_t literal, uint64_t mask)
{
	struct ir_kernel *k = kernel_new("indexed");
	struct type type = type_scalar(scalar);
	uint32_t a = buffer(k, "a", FLOAT), b = buffer(k, "b", FLOAT);
	uint32_t x = kernel_unary(k, NODE_CONVERT, type, gid(k, 0)), at = x;

	if (literal != 0)
		at = add(k, type, at, kernel_integer(k, type, literal));
	if (mask != 0)
		at = kernel_binary(k, NODE_AND, type, at, kernel_integer(k, type, (int64_t)mask));
	store(k, 0, b, x, FLOAT, load(k, 0, a, at, FLOAT));
	return sealed(k);
}

struct ir_kernel *kernel_rest(uint64_t dividend, bool has_long)
{
	struct ir_kernel *k = kernel_new("rest");
	uint32_t a = buffer(k, "a", FLOAT), b = buffer(k, "b", FLOAT), x = gid(k, 0);
	uint32_t n = kernel_unary(k, NODE_CONVERT, ULONG, scalar(k, "n", UINT));
	uint32_t next = add(k, ULONG, x, kernel_integer(k, ULONG, 1));

	if (has_long)
		n = add(k, ULONG, n, x);
	if (dividend != 0)
		n = kernel_integer(k, ULONG, (int64_t)dividend);
	store(k, 0, b, x, FLOAT, load(k, 0, a, kernel_binary(k, NODE_REM, ULONG, n, next), FLOAT));
	return sealed(k);
}

struct ir_kernel *kernel_shared_index(void)
{
	struct ir_kernel *k = kernel_new("shared_index");
	uint32_t a = buffer(k, "a", FLOAT), b = buffer(k, "b", FLOAT), x = buffer(k, "index", INT);
	uint32_t warp = kernel_binary(k, NODE_SHR, INT, int_id(k, 0), kernel_integer(k, INT, 5));

	store(k, 0, b, gid(k, 0), FLOAT, load(k, 0, a, load(k, 0, x, warp, INT), FLOAT));
	return sealed(k);
}

struct ir_kernel *kernel_pairs(void)
{
	struct ir_kernel *k = kernel_new("pairs");
	uint32_t a = buffer(k, "a", FLOAT), b = buffer(k, "b", FLOAT), i = int_id(k, 0);
	uint32_t low = kernel_binary(
	        k, NODE_SUB, INT, kernel_binary(k, NODE_MUL, INT, i, kernel_integer(k, INT, 2)),
	        kernel_binary(k, NODE_AND, INT, i, kernel_integer(k, INT, 255)));
	uint32_t high = add(k, INT, low, kernel_integer(k, INT, 256));

	store(k, 0, b, gid(k, 0), FLOAT,
	      add(k, FLOAT, load(k, 0, a, low, FLOAT), load(k, 0, a, high, FLOAT)));
	return sealed(k);
}

struct ir_kernel *kernel_recomposed(void)
{
	struct ir_kernel *k = kernel_new("recomposed");
	uint32_t a = buffer(k, "a", FLOAT), b = buffer(k, "b", FLOAT), n = scalar(k, "n", INT);
	uint32_t x = int_id(k, 0), row = kernel_binary(k, NODE_DIV, INT, x, n);
	uint32_t column = kernel_binary(k, NODE_REM, INT, x, n);

	store(k, 0, b, gid(k, 0), FLOAT,
	      load(k, 0, a, add(k, INT, mul(k, INT, row, n), column), FLOAT));
	return sealed(k);
}

struct ir_kernel *kernel_apart(int64_t offset)
{
	struct ir_kernel *k = kernel_new("apart");
	uint32_t a = buffer(k, "a", FLOAT), b = buffer(k, "b", FLOAT), i = gid(k, 0);
	uint32_t away = add(k, ULONG, i, kernel_integer(k, ULONG, offset));

	store(k, 0, b, i, FLOAT,
	      add(k, FLOAT, load(k, 0, a, i, FLOAT), load(k, 0, a, away, FLOAT)));
	return sealed(k);
}

struct ir_kernel *kernel_gather(void)
{
	struct ir_kernel *k = kernel_new("gather");
	uint32_t a = buffer(k, "a", FLOAT), b = buffer(k, "b", FLOAT), x = buffer(k, "index", INT);
	uint32_t index = load(k, 0, x, gid(k, 0), INT);

	store(k, 0, b, gid(k, 0), FLOAT, load(k, 0, a, index, FLOAT));
	return sealed(k);
}

struct ir_kernel *kernel_fields(int64_t apart)
{
	struct ir_kernel *k = kernel_new("fields");
	uint32_t out = buffer(k, "out", FLOAT), in = buffer(k, "in", FLOAT);
	uint32_t index = buffer(k, "index", UINT), at = load(k, 0, index, gid(k, 0), UINT);
	struct ir_access field = {.kind = ACCESS_LOAD,
	                          .object = in,
	                          .index = at,
	                          .scale_bytes = 1024,
	                          .type = FLOAT,
	                          .value = IR_NONE,
	                          .result = IR_NONE,
	                          .line = 1};
	uint32_t x = kernel_access(k, 0, &field), y;

	field.offset_bytes = apart;
	y = kernel_access(k, 0, &field);
	store(k, 0, out, gid(k, 0), FLOAT,
	      add(k, FLOAT, k->accesses[x].result, k->accesses[y].result));
	return sealed(k);
}

struct ir_kernel *kernel_transpose(void)
{
	struct ir_kernel *k = kernel_new("transpose");
	uint32_t in = buffer(k, "in", FLOAT), out = buffer(k, "out", FLOAT);
	uint32_t n = scalar(k, "n", INT), x = int_id(k, 0), y = int_id(k, 1);
	uint32_t value = load(k, 0, in, add(k, INT, mul(k, INT, y, n), x), FLOAT);

	store(k, 0, out, add(k, INT, mul(k, INT, x, n), y), FLOAT, value);
	return sealed(k);
}

struct ir_kernel *kernel_stencil(void)
{
	struct ir_kernel *k = kernel_new("stencil");
	uint32_t in = buffer(k, "in", FLOAT), out = buffer(k, "out", FLOAT);
	uint32_t n = scalar(k, "n", INT);
	uint32_t at = add(k, INT, mul(k, INT, int_id(k, 1), n), int_id(k, 0));
	uint32_t one = kernel_integer(k, INT, 1);
	uint32_t sum = load(k, 0, in, at, FLOAT);

	sum = add(k, FLOAT, sum, load(k, 0, in, add(k, INT, at, one), FLOAT));
	sum = add(k, FLOAT, sum, load(k, 0, in, kernel_binary(k, NODE_SUB, INT, at, one), FLOAT));
	sum = add(k, FLOAT, sum, load(k, 0, in, add(k, INT, at, n), FLOAT));
	sum = add(k, FLOAT, sum, load(k, 0, in, kernel_binary(k, NODE_SUB, INT, at, n), FLOAT));
	store(k, 0, out, at, FLOAT, sum);
	return sealed(k);
}

/* 32 KiB of a group's floats. */
static uint32_t tile_of(struct ir_kernel *k)
{
	struct ir_object tile = {.name = "tile",
	                         .space = SPACE_LOCAL,
	                         .argument = IR_NONE,
	                         .size_bytes = 32768,
	                         .type = FLOAT,
	                         .element_bytes = 4};

	return kernel_add_object(k, &tile);
}

struct ir_kernel *kernel_banks(void)
{
	struct ir_kernel *k = kernel_new("banks");
	uint32_t out = buffer(k, "out", FLOAT), stride = scalar(k, "stride", INT);
	uint32_t object = tile_of(k);
	uint32_t lid = kernel_unary(k, NODE_CONVERT, INT,
	                            kernel_node(k, NODE_LOCAL_ID, ULONG, NULL, 0, 0, 0));
	struct ir_statement barrier = statement_of(STATEMENT_BARRIER, 2);

	store(k, 0, object, mul(k, INT, lid, stride), FLOAT, kernel_real(k, FLOAT, 1));
	kernel_append(k, 0, &barrier);
	store(k, 0, out, gid(k, 0), FLOAT, load(k, 0, object, lid, FLOAT));
	return sealed(k);
}

struct ir_kernel *kernel_filled(int64_t stride)
{
	struct ir_kernel *k = kernel_new("filled");
	uint32_t in = buffer(k, "in", FLOAT);
	uint32_t object = tile_of(k);
	uint32_t lid = kernel_unary(k, NODE_CONVERT, INT,
	                            kernel_node(k, NODE_LOCAL_ID, ULONG, NULL, 0, 0, 0));
	uint32_t value = load(k, 0, in, mul(k, INT, lid, kernel_integer(k, INT, 64)), FLOAT);

	store(k, 0, object, mul(k, INT, lid, kernel_integer(k, INT, stride)), FLOAT, value);
	return sealed(k);
}

struct ir_kernel *kernel_least(void)
{
	struct ir_kernel *k = kernel_new("least");
	uint32_t a = buffer(k, "a", INT), least = buffer(k, "least", INT), body;
	uint32_t new = load(k, 0, a, gid(k, 0), INT), old = load(k, 0, least, gid(k, 0), INT);

	branch(k, 0, kernel_binary(k, NODE_LT, type_scalar(SCALAR_BOOL), new, old), 3, &body, NULL);
	store(k, body, least, gid(k, 0), INT, new);
	return sealed(k);
}

struct ir_kernel *kernel_swapped(void)
{
	struct ir_kernel *k = kernel_new("swapped");
	uint32_t keys = buffer(k, "keys", INT), body, x = gid(k, 0);
	uint32_t y = kernel_binary(k, NODE_ADD, ULONG, x, kernel_integer(k, ULONG, 4096));
	uint32_t first = load(k, 0, keys, x, INT), second = load(k, 0, keys, y, INT);

	branch(k, 0, kernel_binary(k, NODE_LT, type_scalar(SCALAR_BOOL), second, first), 3, &body,
	       NULL);
	store(k, body, keys, x, INT, second);
	store(k, body, keys, y, INT, first);
	return sealed(k);
}

struct ir_kernel *kernel_marked(void)
{
	struct ir_kernel *k = kernel_new("marked");
	struct type byte = type_scalar(SCALAR_UCHAR);
	uint32_t a = buffer(k, "a", INT), out = buffer(k, "out", byte), body;
	uint32_t odd = kernel_binary(k, NODE_AND, INT, load(k, 0, a, gid(k, 0), INT),
	                             kernel_integer(k, INT, 1));

	branch(k, 0, odd, 3, &body, NULL);
	store(k, body, out, gid(k, 0), byte, kernel_integer(k, byte, 1));
	return sealed(k);
}

struct ir_kernel *kernel_marked_first(bool is_masked)
{
	struct ir_kernel *k = kernel_new("marked_first");
	uint32_t a = buffer(k, "a", INT), out = buffer(k, "out", INT), body = 0;
	uint32_t odd = kernel_binary(k, NODE_AND, INT, load(k, 0, a, gid(k, 0), INT),
	                             kernel_integer(k, INT, 1));
	uint32_t first = kernel_integer(k, ULONG, 0);

	if (is_masked)
		branch(k, 0, odd, 3, &body, NULL);
	store(k, body, out, gid(k, 0), INT,
	      kernel_binary(k, NODE_ADD, INT, odd, load(k, body, a, first, INT)));
	return sealed(k);
}

struct ir_kernel *kernel_unused(bool is_loaded)
{
	struct ir_kernel *k = kernel_new("unused");
	uint32_t a = buffer(k, "a", FLOAT), out = buffer(k, "out", FLOAT);

	if (is_loaded)
		(void)load(k, 0, a, kernel_integer(k, ULONG, 0), FLOAT);
	store(k, 0, out, gid(k, 0), FLOAT, load(k, 0, a, gid(k, 0), FLOAT));
	return sealed(k);
}

struct ir_kernel *kernel_sines(unsigned count)
{
	struct ir_kernel *k = kernel_new("sines");
	uint32_t a = buffer(k, "a", FLOAT), out = buffer(k, "out", FLOAT);
	uint32_t value = load(k, 0, a, gid(k, 0), FLOAT);

	for (unsigned i = 0; i < count; i++)
		value = kernel_node(k, NODE_CALL, FLOAT, &value, 1, BUILTIN_SIN, 0);
	store(k, 0, out, gid(k, 0), FLOAT, value);
	return sealed(k);
}

struct ir_kernel *kernel_chains(bool alternate)
{
	struct ir_kernel *k = kernel_new("chains");
	uint32_t a = buffer(k, "a", FLOAT), out = buffer(k, "out", FLOAT), chain[2];

	for (int i = 0; i < 2; i++) {
		uint32_t operand[2];

		operand[0] = load(k, 0, a, gid(k, 0), FLOAT);
		operand[0] = add(k, FLOAT, operand[0], kernel_real(k, FLOAT, i + 1));
		for (int j = 0; j < 3; j++) {
			enum builtin op = j == 2 && alternate ? BUILTIN_FMAX : BUILTIN_FMIN;

			operand[1] = load(
			        k, 0, a,
			        add(k, ULONG, gid(k, 0), kernel_integer(k, ULONG, 4 * j + i + 1)),
			        FLOAT);
			operand[0] = kernel_node(k, NODE_CALL, FLOAT, operand, 2, op, 0);
		}
		chain[i] = operand[0];
	}
	store(k, 0, out, gid(k, 0), FLOAT, mul(k, FLOAT, chain[0], chain[1]));
	return sealed(k);
}

struct ir_kernel *kernel_places(bool is_clamped)
{
	struct ir_kernel *k = kernel_new("places");
	uint32_t a = buffer(k, "a", FLOAT), n = buffer(k, "n", INT), out = buffer(k, "out", FLOAT);
	uint32_t sum = kernel_real(k, FLOAT, 0);

	for (int i = 0; i < 4; i++) {
		uint32_t at = add(k, ULONG, gid(k, 0), kernel_integer(k, ULONG, i));
		uint32_t place = load(k, 0, n, at, INT);

		if (is_clamped)
			place = kernel_binary(
			        k, NODE_MIN, INT,
			        kernel_binary(k, NODE_MAX, INT, place, kernel_integer(k, INT, 0)),
			        kernel_integer(k, INT, 99));
		else
			place = mul(k, INT, place, kernel_integer(k, INT, 3));
		sum = add(k, FLOAT, sum, load(k, 0, a, place, FLOAT));
	}
	store(k, 0, out, gid(k, 0), FLOAT, sum);
	return sealed(k);
}

struct ir_kernel *kernel_guarded(void)
{
	struct ir_kernel *k = kernel_new("guarded");
	uint32_t b = buffer(k, "b", FLOAT), n = scalar(k, "n", INT), i = int_id(k, 0), body;

	branch(k, 0, kernel_binary(k, NODE_LT, INT, i, n), 2, &body, NULL);
	store(k, body, b, i, FLOAT, kernel_real(k, FLOAT, 1));
	return sealed(k);
}

struct ir_kernel *kernel_divergent(void)
{
	struct ir_kernel *k = kernel_new("divergent");
	uint32_t a = buffer(k, "a", FLOAT), b = buffer(k, "b", FLOAT), then, otherwise;
	uint32_t odd = kernel_binary(k, NODE_AND, INT, int_id(k, 0), kernel_integer(k, INT, 1));

	branch(k, 0, odd, 2, &then, &otherwise);
	store(k, then, a, gid(k, 0), FLOAT, kernel_real(k, FLOAT, 1));
	store(k, otherwise, b, gid(k, 0), FLOAT, kernel_real(k, FLOAT, 1));
	return sealed(k);
}
