/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels with loops. */
#include "tests/unit/predict/kernel_parts.h"
#include "tests/unit/predict/kernels.h"

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

struct ir_kernel *kernel_tabled(bool by_lane)
{
	struct ir_kernel *k = kernel_new("tabled");
	uint32_t table = buffer(k, "table", UINT), out = buffer(k, "out", FLOAT), at, body, i;
	uint32_t id = kernel_unary(k, NODE_CONVERT, UINT, gid(k, 0));
	uint32_t loop = open_loop(k, UINT, kernel_integer(k, UINT, 0), 3, &body, &i, NULL);

	k->statements[loop].condition =
	        kernel_binary(k, NODE_LT, INT, i, kernel_integer(k, UINT, 9));
	at = load(k, body, table, by_lane ? add(k, UINT, id, i) : i, UINT);
	at = add(k, UINT, mul(k, UINT, at, kernel_integer(k, UINT, 4096)), id);
	store(k, body, out, at, FLOAT, kernel_real(k, FLOAT, 1));
	kernel_close_variable(k, k->statements[loop].first_variable,
	                      add(k, UINT, i, kernel_integer(k, UINT, 1)));
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
