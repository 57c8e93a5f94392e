/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/test.h"

#include "tests/unit/predict/kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INT   type_scalar(SCALAR_INT)
#define UINT  type_scalar(SCALAR_UINT)
#define LONG  type_scalar(SCALAR_LONG)
#define ULONG type_scalar(SCALAR_ULONG)
#define FLOAT type_scalar(SCALAR_FLOAT)

static struct ir_kernel *sealed(struct ir_kernel *kernel)
{
	struct error error = {0};

	if (kernel_seal(kernel, &error) != STATUS_OK)
		fail_msg("%s: %s", kernel->name, error.text);
	return kernel;
}

static uint32_t buffer(struct ir_kernel *kernel, const char *name, struct type type)
{
	struct ir_object object = {.space = SPACE_GLOBAL,
	                           .argument = kernel->argument_count,
	                           .type = type,
	                           .element_bytes = type_bytes(type)};
	struct ir_argument argument = {.kind = ARGUMENT_BUFFER,
	                               .type = type,
	                               .size_bytes = type_bytes(type),
	                               .object = kernel->object_count};

	snprintf(object.name, sizeof(object.name), "%s", name);
	snprintf(argument.name, sizeof(argument.name), "%s", name);
	kernel_add_argument(kernel, &argument);
	return kernel_add_object(kernel, &object);
}

static uint32_t scalar(struct ir_kernel *kernel, const char *name, struct type type)
{
	struct ir_argument argument = {.kind = ARGUMENT_SCALAR,
	                               .type = type,
	                               .size_bytes = type_bytes(type),
	                               .object = IR_NONE};
	uint32_t index;

	snprintf(argument.name, sizeof(argument.name), "%s", name);
	index = kernel_add_argument(kernel, &argument);
	return kernel_node(kernel, NODE_ARG, type, NULL, 0, index, 0);
}

static uint32_t gid(struct ir_kernel *kernel, unsigned dimension)
{
	return kernel_node(kernel, NODE_GLOBAL_ID, ULONG, NULL, 0, dimension, 0);
}

/* (int)get_global_id(dimension) */
static uint32_t int_id(struct ir_kernel *kernel, unsigned dimension)
{
	return kernel_unary(kernel, NODE_CONVERT, INT, gid(kernel, dimension));
}

static uint32_t load(struct ir_kernel *kernel, uint32_t block, uint32_t object, uint32_t index,
                     struct type type)
{
	uint32_t access = kernel_access(kernel, block,
	                                &(struct ir_access){.kind = ACCESS_LOAD,
	                                                    .object = object,
	                                                    .index = index,
	                                                    .scale_bytes = type_bytes(type),
	                                                    .type = type,
	                                                    .value = IR_NONE,
	                                                    .result = IR_NONE,
	                                                    .line = 1});

	kernel_write_access(kernel, block, access, false);
	return kernel->accesses[access].result;
}

static uint32_t store(struct ir_kernel *kernel, uint32_t block, uint32_t object, uint32_t index,
                      struct type type, uint32_t value)
{
	uint32_t access = kernel_access(kernel, block,
	                                &(struct ir_access){.kind = ACCESS_STORE,
	                                                    .object = object,
	                                                    .index = index,
	                                                    .scale_bytes = type_bytes(type),
	                                                    .type = type,
	                                                    .value = value,
	                                                    .result = IR_NONE,
	                                                    .line = 1});

	kernel_write_access(kernel, block, access, false);
	return access;
}

static uint32_t add(struct ir_kernel *kernel, struct type type, uint32_t a, uint32_t b)
{
	return kernel_binary(kernel, NODE_ADD, type, a, b);
}

static uint32_t mul(struct ir_kernel *kernel, struct type type, uint32_t a, uint32_t b)
{
	return kernel_binary(kernel, NODE_MUL, type, a, b);
}

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

/* Appends a loop with one counter and, where `sum` is not NULL, a float sum. */
static uint32_t open_loop_in(struct ir_kernel *k, uint32_t block, struct type type, uint32_t first,
                             uint32_t start, uint32_t line, uint32_t *body, uint32_t *counter,
                             uint32_t *sum)
{
	struct ir_statement s = statement_of(STATEMENT_LOOP, line);
	struct type types[2] = {type, FLOAT};
	uint32_t inits[2] = {first, start}, loop, variable;

	s.body = *body = kernel_block(k);
	loop = kernel_append(k, block, &s);
	variable = kernel_open_variables(k, loop, types, inits, sum ? 2 : 1);
	*counter = k->variables[variable].node;
	if (sum)
		*sum = k->variables[variable + 1].node;
	return loop;
}

static uint32_t open_loop(struct ir_kernel *k, struct type type, uint32_t first, uint32_t line,
                          uint32_t *body, uint32_t *counter, uint32_t *sum)
{
	return open_loop_in(k, 0, type, first, kernel_real(k, FLOAT, 0), line, body, counter, sum);
}

/* Ends a loop with one counter, to `last`, and a float sum. */
static uint32_t close_loop(struct ir_kernel *k, uint32_t loop, uint32_t counter, uint32_t last,
                           uint32_t sum)
{
	uint32_t first = k->statements[loop].first_variable;

	k->statements[loop].condition =
	        kernel_binary(k, NODE_LT, INT, counter, kernel_integer(k, INT, last));
	kernel_close_variable(k, first, add(k, INT, counter, kernel_integer(k, INT, 1)));
	kernel_close_variable(k, first + 1, sum);
	return k->variables[first + 1].node;
}

struct ir_kernel *kernel_nested(unsigned before)
{
	struct ir_kernel *k = kernel_new("nested");
	uint32_t out = buffer(k, "out", FLOAT), outer, inner, body, within, i, j, sum, part;

	outer = open_loop(k, INT, kernel_integer(k, INT, 0), 3, &body, &i, &sum);
	part = sum;
	for (unsigned n = 0; n < before; n++)
		part = add(k, FLOAT, part, kernel_real(k, FLOAT, 1 << n));
	inner = open_loop_in(k, body, INT, kernel_integer(k, INT, 0), part, 4, &within, &j, &part);
	part = close_loop(k, inner, j, 4, mul(k, FLOAT, part, part));
	sum = close_loop(k, outer, i, 100, part);
	store(k, 0, out, gid(k, 0), FLOAT, sum);
	return sealed(k);
}

struct ir_kernel *kernel_matmul(void)
{
	struct ir_kernel *k = kernel_new("matmul");
	uint32_t a = buffer(k, "a", FLOAT), b = buffer(k, "b", FLOAT), c = buffer(k, "c", FLOAT);
	uint32_t n = scalar(k, "n", INT), x = int_id(k, 0), y = int_id(k, 1);
	uint32_t row = mul(k, INT, y, n), body, i, sum, loop, left, right;

	loop = open_loop(k, INT, kernel_integer(k, INT, 0), 5, &body, &i, &sum);
	k->statements[loop].condition = kernel_binary(k, NODE_LT, INT, i, n);
	left = load(k, body, a, add(k, INT, row, i), FLOAT);
	right = load(k, body, b, add(k, INT, mul(k, INT, i, n), x), FLOAT);
	kernel_close_variable(k, k->statements[loop].first_variable,
	                      add(k, INT, i, kernel_integer(k, INT, 1)));
	kernel_close_variable(
	        k, k->statements[loop].first_variable + 1,
	        kernel_node(k, NODE_FMA, FLOAT, (uint32_t[]){left, right, sum}, 3, 0, 0));
	kernel_write_operation(k, body, OP_CLASS_FMA, TYPE_CLASS_FLOAT, 1);
	store(k, 0, c, add(k, INT, row, x), FLOAT, sum);
	return sealed(k);
}

struct ir_kernel *kernel_rows(void)
{
	struct ir_kernel *k = kernel_new("rows");
	uint32_t start = buffer(k, "start", INT), value = buffer(k, "value", FLOAT);
	uint32_t out = buffer(k, "out", FLOAT), row = int_id(k, 0), body, i, sum, loop, next;
	uint32_t one = kernel_integer(k, INT, 1), first = load(k, 0, start, row, INT);
	uint32_t end = load(k, 0, start, add(k, INT, row, one), INT);

	loop = open_loop(k, INT, first, 7, &body, &i, &sum);
	k->statements[loop].condition = kernel_binary(k, NODE_LT, INT, i, end);
	next = add(k, FLOAT, sum, load(k, body, value, i, FLOAT));
	kernel_close_variable(k, k->statements[loop].first_variable, add(k, INT, i, one));
	kernel_close_variable(k, k->statements[loop].first_variable + 1, next);
	store(k, 0, out, row, FLOAT, sum);
	return sealed(k);
}

struct ir_kernel *kernel_banks(void)
{
	struct ir_kernel *k = kernel_new("banks");
	uint32_t out = buffer(k, "out", FLOAT), stride = scalar(k, "stride", INT);
	struct ir_object tile = {.name = "tile",
	                         .space = SPACE_LOCAL,
	                         .argument = IR_NONE,
	                         .size_bytes = 32768,
	                         .type = FLOAT,
	                         .element_bytes = 4};
	uint32_t object = kernel_add_object(k, &tile);
	uint32_t lid = kernel_unary(k, NODE_CONVERT, INT,
	                            kernel_node(k, NODE_LOCAL_ID, ULONG, NULL, 0, 0, 0));
	struct ir_statement barrier = statement_of(STATEMENT_BARRIER, 2);

	store(k, 0, object, mul(k, INT, lid, stride), FLOAT, kernel_real(k, FLOAT, 1));
	kernel_append(k, 0, &barrier);
	store(k, 0, out, gid(k, 0), FLOAT, load(k, 0, object, lid, FLOAT));
	return sealed(k);
}

static uint32_t branch(struct ir_kernel *k, uint32_t block, uint32_t condition, uint32_t line,
                       uint32_t *body, uint32_t *otherwise)
{
	struct ir_statement s = statement_of(STATEMENT_BRANCH, line);

	s.condition = condition;
	s.body = *body = kernel_block(k);
	if (otherwise)
		s.otherwise = *otherwise = kernel_block(k);
	return kernel_append(k, block, &s);
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

struct ir_kernel *kernel_counted(void)
{
	struct ir_kernel *k = kernel_new("counted");
	uint32_t a = buffer(k, "a", FLOAT), out = buffer(k, "out", FLOAT);
	uint32_t first = scalar(k, "first", LONG), last = scalar(k, "last", LONG);
	uint32_t step = scalar(k, "step", LONG), body, i, sum, loop;

	loop = open_loop(k, LONG, first, 3, &body, &i, &sum);
	k->statements[loop].condition = kernel_binary(k, NODE_LT, INT, i, last);
	sum = add(k, FLOAT, sum, load(k, body, a, i, FLOAT));
	kernel_close_variable(k, k->statements[loop].first_variable, add(k, LONG, i, step));
	kernel_close_variable(k, k->statements[loop].first_variable + 1, sum);
	store(k, 0, out, gid(k, 0), FLOAT,
	      k->variables[k->statements[loop].first_variable + 1].node);
	return sealed(k);
}

struct ir_kernel *kernel_summed(enum scalar element)
{
	struct ir_kernel *k = kernel_new("summed");
	struct ir_statement s = statement_of(STATEMENT_LOOP, 3);
	struct type type = type_scalar(element), types[2] = {LONG, type};
	uint32_t a = buffer(k, "a", type), out = buffer(k, "out", type), n = scalar(k, "n", LONG);
	uint32_t inits[2] = {kernel_integer(k, LONG, 0), 0}, loop, first, i, sum;

	inits[1] = type_is_real(type) ? kernel_real(k, type, 0) : kernel_integer(k, type, 0);
	s.body = kernel_block(k);
	loop = kernel_append(k, 0, &s);
	first = kernel_open_variables(k, loop, types, inits, 2);
	i = k->variables[first].node;
	sum = k->variables[first + 1].node;
	k->statements[loop].condition = kernel_binary(k, NODE_LT, INT, i, n);
	kernel_close_variable(k, first + 1, add(k, type, sum, load(k, s.body, a, i, type)));
	kernel_close_variable(k, first, add(k, LONG, i, kernel_integer(k, LONG, 1)));
	store(k, 0, out, gid(k, 0), type, sum);
	return sealed(k);
}

struct ir_kernel *kernel_rounds(void)
{
	struct ir_kernel *k = kernel_new("rounds");
	uint32_t a = buffer(k, "a", FLOAT), out = buffer(k, "out", FLOAT), n = scalar(k, "n", INT);
	uint32_t all = kernel_node(k, NODE_GLOBAL_SIZE, ULONG, NULL, 0, 0, 0);
	uint32_t body, i, sum, loop = open_loop(k, INT, int_id(k, 0), 3, &body, &i, &sum);
	uint32_t wide = add(k, ULONG, kernel_unary(k, NODE_CONVERT, ULONG, i), all);

	k->statements[loop].condition = kernel_binary(k, NODE_LT, INT, i, n);
	sum = add(k, FLOAT, sum, load(k, body, a, i, FLOAT));
	kernel_close_variable(k, k->statements[loop].first_variable,
	                      kernel_unary(k, NODE_CONVERT, INT, wide));
	kernel_close_variable(k, k->statements[loop].first_variable + 1, sum);
	store(k, 0, out, gid(k, 0), FLOAT,
	      k->variables[k->statements[loop].first_variable + 1].node);
	return sealed(k);
}

struct ir_kernel *kernel_halving(void)
{
	struct ir_kernel *k = kernel_new("halving");
	uint32_t a = buffer(k, "a", FLOAT), body, s, loop;

	loop = open_loop(k, INT, kernel_integer(k, INT, 128), 3, &body, &s, NULL);
	k->statements[loop].condition =
	        kernel_binary(k, NODE_LT, INT, kernel_integer(k, INT, 0), s);
	store(k, body, a, s, FLOAT, kernel_real(k, FLOAT, 1));
	kernel_close_variable(k, k->statements[loop].first_variable,
	                      kernel_binary(k, NODE_SHR, INT, s, kernel_integer(k, INT, 1)));
	return sealed(k);
}

struct ir_kernel *kernel_columns(unsigned trips)
{
	struct ir_kernel *k = kernel_new("columns");
	uint32_t a = buffer(k, "a", FLOAT), out = buffer(k, "out", FLOAT), id = int_id(k, 0);
	uint32_t n = kernel_integer(k, INT, 1 << 16), one = kernel_integer(k, INT, 1);
	uint32_t loop, body, i, sum;

	loop = open_loop(k, INT, kernel_integer(k, INT, 0), 3, &body, &i, &sum);
	k->statements[loop].condition =
	        kernel_binary(k, NODE_LT, INT, i, kernel_integer(k, INT, trips));
	sum = add(k, FLOAT, sum, load(k, body, a, i, FLOAT));
	kernel_close_variable(k, k->statements[loop].first_variable, add(k, INT, i, one));
	kernel_close_variable(k, k->statements[loop].first_variable + 1, sum);
	sum = k->variables[k->statements[loop].first_variable + 1].node;
	loop = open_loop(k, INT, kernel_integer(k, INT, 0), 5, &body, &i, NULL);
	k->statements[loop].condition =
	        kernel_binary(k, NODE_LT, INT, i, kernel_integer(k, INT, 12));
	store(k, body, out, add(k, INT, mul(k, INT, i, n), id), FLOAT, sum);
	kernel_close_variable(k, k->statements[loop].first_variable, add(k, INT, i, one));
	return sealed(k);
}

struct ir_kernel *kernel_search(void)
{
	struct ir_kernel *k = kernel_new("search");
	uint32_t a = buffer(k, "a", INT), n = scalar(k, "n", INT), body, i, loop, found, value;
	struct ir_statement leave = statement_of(STATEMENT_EXIT, 4);

	loop = open_loop(k, INT, kernel_integer(k, INT, 0), 3, &body, &i, NULL);
	k->statements[loop].condition = kernel_binary(k, NODE_LT, INT, i, n);
	value = load(k, body, a, i, INT);
	branch(k, body, kernel_binary(k, NODE_EQ, INT, value, kernel_integer(k, INT, 0)), 4, &found,
	       NULL);
	leave.target = loop;
	kernel_append(k, found, &leave);
	kernel_close_variable(k, k->statements[loop].first_variable,
	                      add(k, INT, i, kernel_integer(k, INT, 1)));
	return sealed(k);
}

struct ir_kernel *kernel_chase(void)
{
	struct ir_kernel *k = kernel_new("chase");
	uint32_t a = buffer(k, "a", INT), body, i, loop, test, value;
	struct ir_statement leave = statement_of(STATEMENT_EXIT, 4);

	loop = open_loop(k, INT, kernel_integer(k, INT, 0), 3, &body, &i, NULL);
	value = load(k, body, a, i, INT);
	branch(k, body, kernel_binary(k, NODE_EQ, INT, value, kernel_integer(k, INT, 0)), 4, &test,
	       NULL);
	leave.target = loop;
	kernel_append(k, test, &leave);
	kernel_close_variable(k, k->statements[loop].first_variable, value);
	return sealed(k);
}

struct ir_kernel *kernel_endless(void)
{
	struct ir_kernel *k = kernel_new("endless");
	uint32_t a = buffer(k, "a", INT), x = scalar(k, "x", ULONG), body, i, loop;

	loop = open_loop(k, ULONG, x, 3, &body, &i, NULL);
	k->statements[loop].condition =
	        kernel_binary(k, NODE_NE, INT, i, kernel_integer(k, ULONG, 0));
	store(k, body, a, kernel_binary(k, NODE_AND, ULONG, i, kernel_integer(k, ULONG, 255)), INT,
	      kernel_integer(k, INT, 1));
	kernel_close_variable(k, k->statements[loop].first_variable,
	                      add(k, ULONG, mul(k, ULONG, i, kernel_integer(k, ULONG, 3)),
	                          kernel_integer(k, ULONG, 2)));
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

static struct ir_access one_more(struct ir_kernel *k, uint32_t object, uint32_t index)
{
	return (struct ir_access){.kind = ACCESS_ATOMIC,
	                          .object = object,
	                          .index = index,
	                          .scale_bytes = 4,
	                          .type = INT,
	                          .value = kernel_integer(k, INT, 1),
	                          .result = IR_NONE,
	                          .line = 1};
}

static void add_one(struct ir_kernel *k, uint32_t block, uint32_t object, uint32_t index)
{
	struct ir_access access = one_more(k, object, index);

	kernel_access(k, block, &access);
}

struct ir_kernel *kernel_counter(void)
{
	struct ir_kernel *k = kernel_new("counter");

	add_one(k, 0, buffer(k, "a", INT), IR_NONE);
	return sealed(k);
}

struct ir_kernel *kernel_greatest(void)
{
	struct ir_kernel *k = kernel_new("greatest");
	struct ir_access access = one_more(k, buffer(k, "a", INT), IR_NONE);

	access.is_extreme = true;
	(void)kernel_access(k, 0, &access);
	return sealed(k);
}

struct ir_kernel *kernel_exchange(void)
{
	struct ir_kernel *k = kernel_new("exchange");
	struct ir_access access = one_more(k, buffer(k, "a", INT), IR_NONE);

	access.is_exchange = true;
	kernel_access(k, 0, &access);
	return sealed(k);
}

struct ir_kernel *kernel_retry(void)
{
	struct ir_kernel *k = kernel_new("retry");
	uint32_t a = buffer(k, "a", INT), mask = scalar(k, "mask", ULONG);
	uint32_t index = kernel_binary(k, NODE_AND, ULONG, gid(k, 0), mask), old;
	struct ir_statement loop = statement_of(STATEMENT_LOOP, 2);
	struct ir_access exchange = one_more(k, a, index);
	uint32_t body = kernel_block(k), id;

	loop.body = body;
	loop.tests_last = true;
	id = kernel_append(k, 0, &loop);
	old = load(k, body, a, index, INT);
	exchange.is_exchange = true;
	exchange.result = IR_NONE;
	k->statements[id].condition = kernel_binary(
	        k, NODE_NE, INT, old, k->accesses[kernel_access(k, body, &exchange)].result);
	return sealed(k);
}

struct ir_kernel *kernel_masked_counter(void)
{
	struct ir_kernel *k = kernel_new("masked_counter");
	uint32_t a = buffer(k, "a", INT), mask = scalar(k, "mask", ULONG);

	add_one(k, 0, a, kernel_binary(k, NODE_AND, ULONG, gid(k, 0), mask));
	return sealed(k);
}

struct ir_kernel *kernel_local_counter(void)
{
	struct ir_kernel *k = kernel_new("local_counter");
	struct ir_object counts = {.name = "counts",
	                           .space = SPACE_LOCAL,
	                           .argument = IR_NONE,
	                           .size_bytes = 4096,
	                           .type = INT,
	                           .element_bytes = 4};
	uint32_t object = kernel_add_object(k, &counts), mask = scalar(k, "mask", ULONG);
	uint32_t lid = kernel_node(k, NODE_LOCAL_ID, ULONG, NULL, 0, 0, 0);

	add_one(k, 0, object, kernel_binary(k, NODE_AND, ULONG, lid, mask));
	return sealed(k);
}

struct ir_kernel *kernel_group_counter(void)
{
	struct ir_kernel *k = kernel_new("group_counter");
	uint32_t a = buffer(k, "a", INT), then, otherwise;
	uint32_t lid = kernel_node(k, NODE_LOCAL_ID, ULONG, NULL, 0, 0, 0);

	branch(k, 0, kernel_binary(k, NODE_EQ, INT, lid, kernel_integer(k, ULONG, 0)), 2, &then,
	       &otherwise);
	add_one(k, then, a, IR_NONE);
	return sealed(k);
}

struct ir_kernel *kernel_histogram(void)
{
	struct ir_kernel *k = kernel_new("histogram");
	uint32_t a = buffer(k, "a", INT), b = buffer(k, "b", INT);

	add_one(k, 0, a, load(k, 0, b, gid(k, 0), INT));
	return sealed(k);
}
