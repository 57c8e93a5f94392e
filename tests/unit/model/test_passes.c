/* SPDX-License-Identifier: Apache-2.0 */
/* Where nodes are placed, what they cost, what prevents vectors. */
#include "tests/test.h"

#include "tests/unit/model/build.h"

struct fixture {
	struct ir_kernel *kernel; /* k(global float *a, *b, *c, int n, int m), not restrict */
	uint32_t a, b, c, n, m, gid;
};

static int set_up(void **state)
{
	static struct fixture f;
	f.kernel = kernel_new("k");
	f.a = add_buffer(f.kernel, "a", SPACE_GLOBAL, FLOAT);
	f.b = add_buffer(f.kernel, "b", SPACE_GLOBAL, FLOAT);
	f.c = add_buffer(f.kernel, "c", SPACE_GLOBAL, FLOAT);
	f.n = add_scalar(f.kernel, "n", INT);
	f.m = add_scalar(f.kernel, "m", INT);
	f.gid = add_id(f.kernel, NODE_GLOBAL_ID, 0);
	*state = &f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;
	kernel_free(f->kernel);
	return 0;
}

static uint32_t integers(struct fixture *f, enum node_op op, uint32_t a, uint32_t b)
{
	return kernel_binary(f->kernel, op, INT, a, b);
}

static uint32_t floats(struct fixture *f, enum node_op op, uint32_t a, uint32_t b)
{
	return kernel_binary(f->kernel, op, FLOAT, a, b);
}

static uint32_t integer(struct fixture *f, int64_t value)
{
	return kernel_integer(f->kernel, INT, value);
}

/* i < to; i++ */
static void close_counted(struct fixture *f, const struct loop *loop, uint32_t to, uint32_t sum)
{
	close_loop(f->kernel, loop, NODE_LT, to, integers(f, NODE_ADD, loop->i, integer(f, 1)),
	           sum);
}

static double of(struct fixture *f, uint32_t block, enum op_class op, enum type_class type)
{
	return emitted(f->kernel, block, op, type);
}

static void vector_add_is_one_addition(void **state)
{
	struct fixture *f = *state;
	uint32_t a = add_load(f->kernel, 0, f->a, f->gid);
	uint32_t b = add_load(f->kernel, 0, f->b, f->gid);
	uint32_t unused = add_load(f->kernel, 0, f->b, integers(f, NODE_MUL, f->gid, f->n));
	(void)add_store(f->kernel, 0, f->c, f->gid, floats(f, NODE_ADD, a, b));
	seal(f->kernel);
	assert_close(of(f, 0, OP_CLASS_ADD, TYPE_CLASS_FLOAT), 1, 0);
	assert_close(emitted_in_all(f->kernel, 0), 1, 0);
	const struct ir_summary *summary = f->kernel->summary;
	assert_int_equal(summary->obstacle, VECTOR_OK);
	assert_int_equal(summary->loop_count, 0);
	assert_false(summary->has_barrier);
	/* what nothing uses is not emitted */
	assert_int_equal(summary->access_block[2], IR_NONE);
	assert_int_equal(summary->node_block[unused], IR_NONE);
	assert_true(summary->node_is_address[f->gid]);
	assert_true(summary->node_is_integer_known[f->gid]);
	assert_false(summary->node_is_integer_known[a]);
	assert_in_range(summary->register_estimate, 2, 5);
}

static void a_repeated_subexpression_counts_once(void **state)
{
	struct fixture *f = *state;
	uint32_t a = add_load(f->kernel, 0, f->a, f->gid);
	uint32_t square = floats(f, NODE_MUL, a, a);
	(void)add_store(f->kernel, 0, f->b, f->gid, square);
	(void)add_store(f->kernel, 0, f->c, f->gid, floats(f, NODE_MUL, a, a));
	seal(f->kernel);
	assert_close(of(f, 0, OP_CLASS_MUL, TYPE_CLASS_FLOAT), 1, 0);
}

static void a_product_of_one_use_joins_its_sum(void **state)
{
	struct fixture *f = *state;
	uint32_t a = add_load(f->kernel, 0, f->a, f->gid);
	uint32_t b = add_load(f->kernel, 0, f->b, f->gid);
	uint32_t twice = floats(f, NODE_MUL, b, b);
	uint32_t once = floats(f, NODE_ADD, floats(f, NODE_MUL, a, b), a);
	(void)add_store(f->kernel, 0, f->b, f->gid, floats(f, NODE_ADD, twice, once));
	(void)add_store(f->kernel, 0, f->c, f->gid, twice);
	seal(f->kernel);
	assert_close(of(f, 0, OP_CLASS_FMA, TYPE_CLASS_FLOAT), 1, 0);
	assert_close(of(f, 0, OP_CLASS_MUL, TYPE_CLASS_FLOAT), 1, 0);
	assert_close(of(f, 0, OP_CLASS_ADD, TYPE_CLASS_FLOAT), 1, 0);
}

static void invariant_work_and_loads_leave_the_loop(void **state)
{
	struct fixture *f = *state;
	struct loop loop = open_loop(f->kernel, 0, integer(f, 0), kernel_real(f->kernel, FLOAT, 0));
	uint32_t fixed = add_load(f->kernel, loop.body, f->a, f->gid); /* access 0 */
	uint32_t moving =
	        add_load(f->kernel, loop.body, f->b,
	                 integers(f, NODE_ADD, integers(f, NODE_MUL, f->gid, f->n), loop.i));
	uint32_t root = kernel_node(f->kernel, NODE_CALL, FLOAT, &fixed, 1, BUILTIN_SQRT, 0);
	uint32_t sum = floats(f, NODE_ADD, loop.sum, floats(f, NODE_DIV, moving, root));
	close_counted(f, &loop, f->n, sum);
	(void)add_store(f->kernel, 0, f->c, f->gid, loop.sum);
	seal(f->kernel);
	const struct ir_summary *summary = f->kernel->summary;
	assert_int_equal(summary->access_block[0], 0);
	assert_int_equal(summary->access_block[1], loop.body);
	assert_int_equal(summary->node_block[root], 0);
	assert_int_equal(summary->node_block[sum], loop.body);
	assert_close(of(f, 0, OP_CLASS_SQRT, TYPE_CLASS_FLOAT), 1, 0);
	assert_close(of(f, 0, OP_CLASS_MUL, TYPE_CLASS_INT), 1, 0); /* gid * n */
	/* in the loop: div, sum, step, comparison; the index is free */
	assert_close(of(f, loop.body, OP_CLASS_DIV, TYPE_CLASS_FLOAT), 1, 0);
	assert_close(of(f, loop.body, OP_CLASS_ADD, TYPE_CLASS_FLOAT), 1, 0);
	assert_close(of(f, loop.body, OP_CLASS_ADD, TYPE_CLASS_INT), 1, 0);
	assert_close(of(f, loop.body, OP_CLASS_COMPARE, TYPE_CLASS_INT), 1, 0);
	assert_close(emitted_in_all(f->kernel, loop.body), 4, 0);
	assert_int_equal(summary->obstacle, VECTOR_LOOP);
	assert_int_equal(summary->obstacle_line, 7);
	assert_int_equal(summary->loop_depth[loop.body], 1);
}

/* A loop that stores to b[i]; whether the load of a[gid] in it moves out. */
static bool load_moves_out(struct fixture *f, uint32_t stored, bool with_barrier)
{
	struct loop loop = open_loop(f->kernel, 0, integer(f, 0), IR_NONE);
	uint32_t value = add_load(f->kernel, loop.body, f->a, f->gid);
	(void)add_store(f->kernel, loop.body, stored, loop.i, value);
	if (with_barrier)
		add_barrier(f->kernel, loop.body);
	close_counted(f, &loop, f->n, IR_NONE);
	seal(f->kernel);
	return f->kernel->summary->access_block[0] == 0;
}

static void a_load_stays_where_a_store_may_change_it(void **state)
{
	struct fixture *f = *state;
	assert_false(load_moves_out(f, f->a, false));
}

static void a_load_stays_where_another_buffer_may_alias(void **state)
{
	struct fixture *f = *state;
	assert_false(load_moves_out(f, f->b, false));
}

static void a_restrict_buffer_lets_the_load_out(void **state)
{
	struct fixture *f = *state;
	f->kernel->objects[f->b].is_restrict = true;
	assert_true(load_moves_out(f, f->b, false));
}

static void a_barrier_keeps_the_load(void **state)
{
	struct fixture *f = *state;
	f->kernel->objects[f->b].is_restrict = true;
	assert_false(load_moves_out(f, f->b, true));
}

static void a_volatile_load_stays(void **state)
{
	struct fixture *f = *state;
	f->kernel->objects[f->b].is_restrict = true;
	f->kernel->objects[f->a].is_volatile = true;
	assert_false(load_moves_out(f, f->b, false));
}

static void a_load_under_a_condition_stays_in_the_loop(void **state)
{
	struct fixture *f = *state;
	struct loop loop = open_loop(f->kernel, 0, integer(f, 0), kernel_real(f->kernel, FLOAT, 0));
	uint32_t odd = integers(f, NODE_AND, loop.i, integer(f, 1));
	uint32_t body = add_branch(f->kernel, loop.body, odd, NULL);
	uint32_t value = add_load(f->kernel, body, f->a, f->gid);
	uint32_t sum = floats(f, NODE_ADD, loop.sum, value);
	uint32_t arms[3] = {odd, sum, loop.sum};
	close_counted(f, &loop, f->n, kernel_node(f->kernel, NODE_PHI, FLOAT, arms, 3, 0, 0));
	(void)add_store(f->kernel, 0, f->c, f->gid, loop.sum);
	seal(f->kernel);
	assert_int_equal(f->kernel->summary->access_block[0], body);
	assert_int_equal(f->kernel->summary->node_block[sum], body);
	assert_close(of(f, body, OP_CLASS_ADD, TYPE_CLASS_FLOAT), 1, 0);
	assert_close(of(f, loop.body, OP_CLASS_ADD, TYPE_CLASS_FLOAT), 0, 0);
	assert_close(of(f, loop.body, OP_CLASS_BIT, TYPE_CLASS_INT), 1, 0);
}

static void arms_are_computed_on_their_side(void **state)
{
	struct fixture *f = *state;
	uint32_t value = add_load(f->kernel, 0, f->a, f->gid);
	uint32_t is_low = integers(f, NODE_LT, f->gid, f->n), otherwise;
	uint32_t body = add_branch(f->kernel, 0, is_low, &otherwise);
	uint32_t square = floats(f, NODE_MUL, value, value);
	uint32_t root = kernel_node(f->kernel, NODE_CALL, FLOAT, &value, 1, BUILTIN_EXP, 0);
	uint32_t arms[3] = {is_low, square, root};
	uint32_t phi = kernel_node(f->kernel, NODE_PHI, FLOAT, arms, 3, 0, 0);
	(void)add_store(f->kernel, 0, f->c, f->gid, phi);
	seal(f->kernel);
	assert_close(of(f, body, OP_CLASS_MUL, TYPE_CLASS_FLOAT), 1, 0);
	assert_close(of(f, otherwise, OP_CLASS_EXP, TYPE_CLASS_FLOAT), 1, 0);
	assert_close(of(f, 0, OP_CLASS_COMPARE, TYPE_CLASS_INT), 1, 0);
	assert_close(emitted_in_all(f->kernel, 0), 1, 0);
}

static void a_value_used_on_both_sides_is_computed_before(void **state)
{
	struct fixture *f = *state;
	uint32_t value = add_load(f->kernel, 0, f->a, f->gid), otherwise;
	uint32_t square = floats(f, NODE_MUL, value, value);
	uint32_t body = add_branch(f->kernel, 0, integers(f, NODE_LT, f->gid, f->n), &otherwise);
	(void)add_store(f->kernel, body, f->b, f->gid, square);
	(void)add_store(f->kernel, otherwise, f->c, f->gid, square);
	seal(f->kernel);
	assert_int_equal(f->kernel->summary->node_block[square], 0);
}

static void a_last_value_is_used_behind_the_loop(void **state)
{
	struct fixture *f = *state;
	struct loop loop = open_loop(f->kernel, 0, integer(f, 0), kernel_real(f->kernel, FLOAT, 1));
	uint32_t value = add_load(f->kernel, loop.body, f->a, loop.i);
	close_counted(f, &loop, f->n, floats(f, NODE_ADD, loop.sum, value));
	uint32_t mean = floats(f, NODE_DIV, loop.sum, kernel_real(f->kernel, FLOAT, 3));
	(void)add_store(f->kernel, 0, f->c, f->gid, mean);
	seal(f->kernel);
	assert_int_equal(f->kernel->summary->node_block[mean], 0);
	assert_close(of(f, 0, OP_CLASS_DIV, TYPE_CLASS_FLOAT), 1, 0);
}

static void products_of_an_induction_variable_become_sums(void **state)
{
	struct fixture *f = *state;
	struct loop loop = open_loop(f->kernel, 0, integer(f, 0), kernel_real(f->kernel, FLOAT, 0));
	uint32_t row = integers(f, NODE_MUL, loop.i, f->n);
	uint32_t value = add_load(f->kernel, loop.body, f->a, integers(f, NODE_ADD, row, f->gid));
	close_counted(f, &loop, f->m, floats(f, NODE_ADD, loop.sum, value));
	(void)add_store(f->kernel, 0, f->c, f->gid, loop.sum);
	seal(f->kernel);
	assert_close(of(f, loop.body, OP_CLASS_MUL, TYPE_CLASS_INT), 0, 0);
	assert_close(of(f, loop.body, OP_CLASS_ADD, TYPE_CLASS_INT), 2, 0); /* row and i */
	assert_true(f->kernel->summary->node_is_address[row]);
}

static void constant_offsets_of_addresses_are_free(void **state)
{
	struct fixture *f = *state;
	uint32_t row = integers(f, NODE_MUL, f->gid, f->n);
	uint32_t left = add_load(f->kernel, 0, f->a, integers(f, NODE_ADD, row, integer(f, -1)));
	uint32_t right = add_load(f->kernel, 0, f->a, integers(f, NODE_ADD, row, integer(f, 1)));
	(void)add_store(f->kernel, 0, f->c, row, floats(f, NODE_SUB, right, left));
	seal(f->kernel);
	assert_close(of(f, 0, OP_CLASS_ADD, TYPE_CLASS_INT), 0, 0);
	assert_close(of(f, 0, OP_CLASS_MUL, TYPE_CLASS_INT), 1, 0);
}

static void a_stored_index_is_no_address(void **state)
{
	struct fixture *f = *state;
	uint32_t out = add_buffer(f->kernel, "out", SPACE_GLOBAL, INT);
	uint32_t sum = integers(f, NODE_ADD, f->gid, f->n);
	(void)add_store(f->kernel, 0, out, sum, sum);
	seal(f->kernel);
	assert_false(f->kernel->summary->node_is_address[sum]);
	assert_close(of(f, 0, OP_CLASS_ADD, TYPE_CLASS_INT), 1, 0);
}

static void a_gpu_rounds_as_it_converts(void **state)
{
	struct fixture *f = *state;
	uint32_t in = add_buffer(f->kernel, "in", SPACE_GLOBAL, FLOAT);
	uint32_t out = add_buffer(f->kernel, "out", SPACE_GLOBAL, INT);
	uint32_t value = add_load(f->kernel, 0, in, f->gid);
	uint32_t whole = kernel_node(f->kernel, NODE_CALL, FLOAT, &value, 1, BUILTIN_RINT, 0);
	const struct ir_counts *rolled;

	(void)add_store(f->kernel, 0, out, f->gid,
	                kernel_unary(f->kernel, NODE_CONVERT, INT, whole));
	seal(f->kernel);
	rolled = &f->kernel->summary->rolled[0];
	assert_close(of(f, 0, OP_CLASS_ROUND, TYPE_CLASS_FLOAT), 1, 0);
	assert_close(of(f, 0, OP_CLASS_CONVERT, TYPE_CLASS_FLOAT), 0, 0);
	assert_close((double)rolled->operation[OP_CLASS_ROUND][TYPE_CLASS_FLOAT], 1, 0);
	assert_close((double)rolled->operation[OP_CLASS_CONVERT][TYPE_CLASS_FLOAT], 1, 0);
}

static void integer_division_costs_by_its_divisor(void **state)
{
	struct fixture *f = *state;
	uint32_t out = add_buffer(f->kernel, "out", SPACE_GLOBAL, INT);
	uint32_t shifted = integers(f, NODE_DIV, f->gid, integer(f, 8));
	uint32_t scaled = integers(f, NODE_REM, f->gid, integer(f, 10));
	uint32_t true_quotient = integers(f, NODE_DIV, f->gid, f->n);
	uint32_t rest = integers(f, NODE_REM, f->gid, f->n);
	uint32_t parts[] = {shifted, scaled, true_quotient, rest};
	for (unsigned i = 0; i < 4; i++)
		(void)add_store(f->kernel, 0, out, integer(f, i), parts[i]);
	seal(f->kernel);
	/* signed / 8: 2 bit; % 10: 2 mul, 2 bit, mul, add; / n: div; % n beside it: mul, add */
	assert_close(of(f, 0, OP_CLASS_BIT, TYPE_CLASS_INT), 4, 0);
	assert_close(of(f, 0, OP_CLASS_MUL_HI, TYPE_CLASS_INT), 0, 0);
	assert_close(of(f, 0, OP_CLASS_DIV, TYPE_CLASS_INT), 1, 0);
	assert_close(of(f, 0, OP_CLASS_MOD, TYPE_CLASS_INT), 0, 0);
	assert_close(of(f, 0, OP_CLASS_MUL, TYPE_CLASS_INT), 4, 0);
	assert_close(of(f, 0, OP_CLASS_ADD, TYPE_CLASS_INT), 2, 0);
	assert_int_equal(f->kernel->summary->obstacle, VECTOR_DIVISION);
}

static void powers_of_two_make_cheaper_operations(void **state)
{
	struct fixture *f = *state;
	uint32_t out = add_buffer(f->kernel, "out", SPACE_GLOBAL, INT);
	uint32_t value = add_load(f->kernel, 0, f->a, f->gid);
	(void)add_store(f->kernel, 0, out, f->gid, integers(f, NODE_MUL, f->gid, integer(f, 16)));
	(void)add_store(f->kernel, 0, f->b, f->gid,
	                floats(f, NODE_DIV, value, kernel_real(f->kernel, FLOAT, 4)));
	(void)add_store(f->kernel, 0, f->c, f->gid,
	                floats(f, NODE_DIV, value, kernel_real(f->kernel, FLOAT, 3)));
	seal(f->kernel);
	assert_close(of(f, 0, OP_CLASS_BIT, TYPE_CLASS_INT), 1, 0);
	assert_close(of(f, 0, OP_CLASS_MUL, TYPE_CLASS_FLOAT), 1, 0);
	assert_close(of(f, 0, OP_CLASS_DIV, TYPE_CLASS_FLOAT), 1, 0);
}

static void vectors_calls_and_conversions_scale_by_width(void **state)
{
	struct fixture *f = *state;
	struct type float4 = {SCALAR_FLOAT, 4}, int4 = {SCALAR_INT, 4};
	uint32_t in = add_buffer(f->kernel, "in", SPACE_GLOBAL, int4);
	uint32_t out = add_buffer(f->kernel, "out", SPACE_GLOBAL, float4);
	uint32_t value = add_load(f->kernel, 0, in, f->gid);
	uint32_t real = kernel_unary(f->kernel, NODE_CONVERT, float4, value);
	uint32_t sine = kernel_node(f->kernel, NODE_CALL, float4, &real, 1, BUILTIN_SIN, 0);
	uint32_t pair[2] = {sine, real};
	uint32_t dot = kernel_node(f->kernel, NODE_CALL, FLOAT, pair, 2, BUILTIN_DOT, 0);
	uint32_t splat = kernel_unary(f->kernel, NODE_SPLAT, float4, dot);
	(void)add_store(f->kernel, 0, out, f->gid,
	                kernel_binary(f->kernel, NODE_ADD, float4, splat, sine));
	seal(f->kernel);
	assert_close(of(f, 0, OP_CLASS_CONVERT, TYPE_CLASS_FLOAT), 4, 0);
	assert_close(of(f, 0, OP_CLASS_SIN, TYPE_CLASS_FLOAT), 4, 0);
	assert_close(of(f, 0, OP_CLASS_FMA, TYPE_CLASS_FLOAT), 4, 0);
	assert_close(of(f, 0, OP_CLASS_ADD, TYPE_CLASS_FLOAT), 4, 0);
	assert_close(emitted_in_all(f->kernel, 0), 16, 0);
	assert_int_equal(f->kernel->summary->obstacle, VECTOR_TYPE);
}

static void a_component_of_a_vector_in_memory_prevents_vectors(void **state)
{
	struct fixture *f = *state;
	uint32_t places =
	        add_buffer(f->kernel, "places", SPACE_GLOBAL, (struct type){SCALAR_FLOAT, 2});
	uint32_t out = add_buffer(f->kernel, "out", SPACE_GLOBAL, FLOAT);
	struct ir_access component = {.kind = ACCESS_LOAD,
	                              .object = places,
	                              .index = f->gid,
	                              .scale_bytes = 8,
	                              .offset_bytes = 4,
	                              .type = FLOAT,
	                              .value = IR_NONE,
	                              .line = 9};
	uint32_t load = kernel_access(f->kernel, 0, &component);
	(void)add_store(f->kernel, 0, out, f->gid, f->kernel->accesses[load].result);
	seal(f->kernel);
	assert_int_equal(f->kernel->summary->obstacle, VECTOR_TYPE);
	assert_int_equal(f->kernel->summary->obstacle_line, 9);
}

static void what_a_group_shares_is_uniform(void **state)
{
	struct fixture *f = *state;
	uint32_t shared = integers(f, NODE_ADD, f->n, f->m),
	         own = integers(f, NODE_ADD, f->gid, f->n);
	uint32_t from_shared = add_load(f->kernel, 0, f->a, shared);
	uint32_t from_own = add_load(f->kernel, 0, f->a, own);
	(void)add_store(f->kernel, 0, f->a, own, from_shared);
	(void)add_store(f->kernel, 0, f->a, shared, from_own);
	seal(f->kernel);
	const bool *is_uniform = f->kernel->summary->node_is_uniform;
	assert_true(is_uniform[shared] && is_uniform[from_shared]);
	assert_false(is_uniform[own] || is_uniform[from_own]);
}

/*
 * for (i = 0; i < n; i++) { v[0] = v[1]; v[1] = v[2]; ... v[count - 1] = a[gid]; }, and so many
 * nodes besides; whether v[0] is uniform.
 */
static bool shifts_same(struct fixture *f, unsigned count, unsigned besides)
{
	struct ir_kernel *kernel = f->kernel;
	struct ir_statement statement = statement_of(STATEMENT_LOOP, 7);
	uint32_t zero = kernel_integer(kernel, INT, 0), one = kernel_integer(kernel, INT, 1);
	uint32_t inits[IR_LOOP_VARIABLES_MAX], other = f->n, loop, first;
	struct type types[IR_LOOP_VARIABLES_MAX];

	for (unsigned i = 0; i < besides; i++)
		other = integers(f, i % 2 ? NODE_ADD : NODE_MUL, other, f->n);
	for (unsigned i = 0; i <= count; i++) {
		types[i] = i < count ? FLOAT : INT;
		inits[i] = i < count ? kernel_real(kernel, FLOAT, 0) : zero;
	}
	statement.body = kernel_block(kernel);
	loop = kernel_append(kernel, 0, &statement);
	first = kernel_open_variables(kernel, loop, types, inits, count + 1);
	for (unsigned i = 0; i + 1 < count; i++)
		kernel_close_variable(kernel, first + i, kernel->variables[first + i + 1].node);
	kernel_close_variable(kernel, first + count - 1,
	                      add_load(kernel, statement.body, f->a, f->gid));
	kernel->statements[loop].condition =
	        integers(f, NODE_LT, kernel->variables[first + count].node, f->n);
	kernel_close_variable(kernel, first + count,
	                      integers(f, NODE_ADD, kernel->variables[first + count].node, one));
	(void)add_store(kernel, 0, f->a, f->gid, kernel->variables[first].node);
	seal(kernel);
	return kernel->summary->node_is_uniform[kernel->variables[first].node];
}

static void what_many_variables_hand_on_is_not_uniform(void **state)
{
	assert_false(shifts_same(*state, 20, 0));
}

/* Where it would take too long to find out, nothing is taken for the same that may not be. */
static void what_is_not_found_out_is_not_uniform(void **state)
{
	assert_false(shifts_same(*state, 1000, 100000));
}

static void an_atomic_prevents_vectors(void **state)
{
	struct fixture *f = *state;
	uint32_t bins = add_buffer(f->kernel, "bins", SPACE_GLOBAL, INT);
	struct ir_access atomic = {.kind = ACCESS_ATOMIC,
	                           .object = bins,
	                           .index = f->gid,
	                           .scale_bytes = 4,
	                           .type = INT,
	                           .value = IR_NONE,
	                           .line = 12};
	(void)kernel_access(f->kernel, 0, &atomic);
	seal(f->kernel);
	assert_int_equal(f->kernel->summary->obstacle, VECTOR_ATOMIC);
	assert_int_equal(f->kernel->summary->obstacle_line, 12);
}

static void a_call_on_a_vector_is_one_of_its_instructions(void **state)
{
	struct fixture *f = *state;
	struct type wide = {.scalar = SCALAR_FLOAT, .width = 4};
	uint32_t out = add_buffer(f->kernel, "out", SPACE_GLOBAL, wide);
	struct type real = type_scalar(SCALAR_FLOAT);
	uint32_t value = kernel_unary(f->kernel, NODE_CONVERT, real, f->gid);
	const struct ir_counts *counts;

	value = kernel_unary(f->kernel, NODE_SPLAT, wide, value);
	value = kernel_node(f->kernel, NODE_CALL, wide, &value, 1, BUILTIN_SIN, 0);
	(void)add_store(f->kernel, 0, out, f->gid, value);
	seal(f->kernel);
	counts = &f->kernel->summary->emitted[0];
	assert_close((double)counts->operation[OP_CLASS_SIN][TYPE_CLASS_FLOAT], 4, 1e-6);
	assert_close((double)counts->call[TYPE_CLASS_FLOAT], 1, 1e-6);
	assert_true(counts->instruction[TYPE_CLASS_FLOAT] > 0.9f);
}

static void a_narrow_store_under_a_condition_is_masked(void **state)
{
	struct fixture *f = *state;
	uint32_t bytes = add_buffer(f->kernel, "bytes", SPACE_GLOBAL, type_scalar(SCALAR_UCHAR));
	uint32_t body = add_branch(f->kernel, 0, integers(f, NODE_LT, f->gid, f->n), NULL);
	(void)add_store(f->kernel, body, bytes, f->gid,
	                kernel_integer(f->kernel, type_scalar(SCALAR_UCHAR), 1));
	seal(f->kernel);
	assert_int_equal(f->kernel->summary->obstacle, VECTOR_OK);
}

static void a_division_of_the_whole_group_is_no_obstacle(void **state)
{
	struct fixture *f = *state;
	uint32_t ratio = integers(f, NODE_DIV, f->n, f->m);
	uint32_t value = add_load(f->kernel, 0, f->a, integers(f, NODE_ADD, f->gid, ratio));
	(void)add_store(f->kernel, 0, f->c, f->gid, value);
	seal(f->kernel);
	assert_int_equal(f->kernel->summary->obstacle, VECTOR_OK);
}

/*
 * for (t = 0; t < n; t++) { tile[lid] = a[t*m + gid]; barrier;
 *   for (k = 0; k < m or lid; k++) sum += tile[k]; barrier; } c[gid] = sum
 */
static struct loop tiled(struct fixture *f, bool is_alike, struct loop *outer)
{
	struct ir_kernel *kernel = f->kernel;
	uint32_t tile = add_array(kernel, "tile", SPACE_LOCAL, FLOAT, 1024);
	uint32_t lid = add_id(kernel, NODE_LOCAL_ID, 0);
	*outer = open_loop(kernel, 0, integer(f, 0), kernel_real(kernel, FLOAT, 0));
	uint32_t index = integers(f, NODE_ADD, integers(f, NODE_MUL, outer->i, f->m), f->gid);
	uint32_t value = add_load(kernel, outer->body, f->a, index);
	(void)add_store(kernel, outer->body, tile, lid, floats(f, NODE_MUL, value, value));
	add_barrier(kernel, outer->body);
	struct loop inner = open_loop(kernel, outer->body, integer(f, 0), outer->sum);
	uint32_t element = add_load(kernel, inner.body, tile, inner.i);
	uint32_t end = is_alike ? f->m : kernel_unary(kernel, NODE_CONVERT, INT, lid);
	close_counted(f, &inner, end, floats(f, NODE_ADD, inner.sum, element));
	add_barrier(kernel, outer->body);
	close_counted(f, outer, f->n, inner.sum);
	(void)add_store(kernel, 0, f->c, f->gid, outer->sum);
	seal(kernel);
	return inner;
}

static void a_loop_that_work_items_go_through_alike_goes_around_them_beside_barriers(void **state)
{
	struct fixture *f = *state;
	struct loop outer, inner = tiled(f, true, &outer);
	const struct ir_summary *summary = f->kernel->summary;
	assert_false(summary->loops[0].is_outer); /* has the barriers */
	assert_true(summary->loops[1].is_outer);
	assert_int_equal(summary->block_obstacle[inner.body], VECTOR_OK);
	assert_int_equal(summary->obstacle, VECTOR_OK);
}

static void a_loop_around_barriers_is_no_obstacle_to_the_regions_in_it(void **state)
{
	struct fixture *f = *state;
	struct loop outer, inner = tiled(f, false, &outer);
	const struct ir_summary *summary = f->kernel->summary;
	assert_true(summary->has_barrier);
	assert_false(summary->loops[1].is_outer);
	assert_int_equal(summary->local_bytes, 1024);
	assert_int_equal(summary->block_obstacle[0], VECTOR_OK);
	assert_int_equal(summary->block_obstacle[outer.body], VECTOR_OK);
	assert_int_equal(summary->block_obstacle[inner.body], VECTOR_LOOP);
	assert_int_equal(summary->obstacle, VECTOR_LOOP); /* of the heaviest region */
	assert_int_equal(summary->loop_depth[inner.body], 2);
	assert_int_equal(summary->block_depth[inner.body], 2);
	assert_close(of(f, inner.body, OP_CLASS_ADD, TYPE_CLASS_FLOAT), 1, 0);
	assert_close(of(f, outer.body, OP_CLASS_MUL, TYPE_CLASS_FLOAT), 1, 0);
}

static void a_gpu_does_logic_of_three_words_at_once(void **state)
{
	struct fixture *f = *state;
	uint32_t keys = add_buffer(f->kernel, "keys", SPACE_GLOBAL, INT);
	uint32_t x = add_load(f->kernel, 0, keys, f->gid);
	uint32_t not_x = kernel_node(f->kernel, NODE_NOT, INT, &x, 1, 0, 0);
	uint32_t choice = integers(f, NODE_OR, integers(f, NODE_AND, x, f->n),
	                           integers(f, NODE_AND, not_x, f->m));
	uint32_t is_less = integers(f, NODE_LT, x, f->n), is_same = integers(f, NODE_EQ, x, f->m);
	uint32_t both = integers(f, NODE_AND, is_less, is_same);
	(void)add_store(f->kernel, 0, keys, f->gid, integers(f, NODE_ADD, choice, both));
	seal(f->kernel);
	const struct ir_fused *fused = &f->kernel->summary->fused[0];
	assert_close(of(f, 0, OP_CLASS_BIT, TYPE_CLASS_INT), 5, 0);
	assert_close(of(f, 0, OP_CLASS_COMPARE, TYPE_CLASS_INT), 2, 0);
	/* the choice is one instruction; a comparison takes what another found along */
	assert_close((double)fused->bit[TYPE_CLASS_INT], 4, 0);
	assert_close((double)fused->compare[TYPE_CLASS_INT], 0, 0);
	assert_true(f->kernel->summary->node_is_fused[not_x]);
	assert_true(f->kernel->summary->node_is_fused[both]);
	assert_false(f->kernel->summary->node_is_fused[choice]);
}

static void iterations_that_a_gpu_puts_together_count_once(void **state)
{
	struct fixture *f = *state;
	struct loop loop = open_loop(f->kernel, 0, integer(f, 0), kernel_real(f->kernel, FLOAT, 0));
	uint32_t element = add_load(f->kernel, loop.body, f->a, loop.i);
	close_counted(f, &loop, f->n, floats(f, NODE_ADD, loop.sum, element));
	(void)add_store(f->kernel, 0, f->c, f->gid, loop.sum);
	seal(f->kernel);
	const struct ir_summary *summary = f->kernel->summary;
	const struct ir_fused *fused = &summary->fused[loop.body];
	assert_int_equal(summary->loops[0].unroll, 16);
	assert_close((double)fused->add[TYPE_CLASS_INT], 15. / 16, 1e-6);
	assert_close((double)fused->compare[TYPE_CLASS_INT], 15. / 16, 1e-6);
}

static void an_empty_kernel_costs_nothing(void **state)
{
	struct fixture *f = *state;
	seal(f->kernel);
	assert_close(emitted_in_all(f->kernel, 0), 0, 0);
	assert_int_equal(f->kernel->summary->register_estimate, 0);
	assert_int_equal(f->kernel->summary->obstacle, VECTOR_OK);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
	        TEST(vector_add_is_one_addition),
	        TEST(a_repeated_subexpression_counts_once),
	        TEST(a_product_of_one_use_joins_its_sum),
	        TEST(invariant_work_and_loads_leave_the_loop),
	        TEST(a_load_stays_where_a_store_may_change_it),
	        TEST(a_load_stays_where_another_buffer_may_alias),
	        TEST(a_restrict_buffer_lets_the_load_out),
	        TEST(a_barrier_keeps_the_load),
	        TEST(a_volatile_load_stays),
	        TEST(a_load_under_a_condition_stays_in_the_loop),
	        TEST(arms_are_computed_on_their_side),
	        TEST(a_value_used_on_both_sides_is_computed_before),
	        TEST(a_last_value_is_used_behind_the_loop),
	        TEST(products_of_an_induction_variable_become_sums),
	        TEST(constant_offsets_of_addresses_are_free),
	        TEST(a_stored_index_is_no_address),
	        TEST(integer_division_costs_by_its_divisor),
	        TEST(powers_of_two_make_cheaper_operations),
	        TEST(vectors_calls_and_conversions_scale_by_width),
	        TEST(a_gpu_rounds_as_it_converts),
	        TEST(a_component_of_a_vector_in_memory_prevents_vectors),
	        TEST(what_a_group_shares_is_uniform),
	        TEST(what_many_variables_hand_on_is_not_uniform),
	        TEST(what_is_not_found_out_is_not_uniform),
	        TEST(an_atomic_prevents_vectors),
	        TEST(a_call_on_a_vector_is_one_of_its_instructions),
	        TEST(a_narrow_store_under_a_condition_is_masked),
	        TEST(a_division_of_the_whole_group_is_no_obstacle),
	        TEST(a_loop_around_barriers_is_no_obstacle_to_the_regions_in_it),
	        TEST(a_loop_that_work_items_go_through_alike_goes_around_them_beside_barriers),
	        TEST(a_gpu_does_logic_of_three_words_at_once),
	        TEST(iterations_that_a_gpu_puts_together_count_once),
	        TEST(an_empty_kernel_costs_nothing),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
