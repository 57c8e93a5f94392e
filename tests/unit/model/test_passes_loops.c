/* SPDX-License-Identifier: Apache-2.0 */
/* Trip counts, induction variables, unrolling. */
#include "tests/test.h"

#include <limits.h>
#include <time.h>

#include "tests/unit/model/build.h"

struct fixture {
	struct ir_kernel *kernel; /* k(global float *a, int n) */
	uint32_t a, n, gid;
	struct loop loop;
};

static int set_up(void **state)
{
	static struct fixture f;
	memset(&f, 0, sizeof f);
	f.kernel = kernel_new("k");
	f.a = add_buffer(f.kernel, "a", SPACE_GLOBAL, FLOAT);
	f.n = add_scalar(f.kernel, "n", INT);
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

/* for (i = from; i OP to; i = i STEP_OP step) of a type. */
static const struct ir_loop *loop_of(struct fixture *f, struct type type, int64_t from,
                                     enum node_op op, int64_t to, enum node_op step_op,
                                     int64_t step)
{
	struct ir_kernel *kernel = f->kernel;
	f->loop = open_loop(kernel, 0, kernel_integer(kernel, type, from), IR_NONE);
	uint32_t next =
	        kernel_binary(kernel, step_op, type, f->loop.i, kernel_integer(kernel, type, step));
	close_loop(kernel, &f->loop, op, kernel_integer(kernel, type, to), next, IR_NONE);
	seal(kernel);
	return &kernel->summary->loops[0];
}

struct series {
	enum scalar scalar;
	int64_t from;
	enum node_op op;
	int64_t to;
	enum node_op step_op;
	int64_t step;
	uint64_t trips;
};

static void constant_loops_have_their_trips(void **state)
{
	(void)state;
	static const struct series rows[] = {
	        {SCALAR_INT, 0, NODE_LT, 16, NODE_ADD, 1, 16},
	        {SCALAR_INT, 0, NODE_LE, 16, NODE_ADD, 1, 17},
	        {SCALAR_INT, 0, NODE_LT, 17, NODE_ADD, 4, 5},
	        {SCALAR_INT, 5, NODE_LT, 5, NODE_ADD, 1, 0},
	        {SCALAR_INT, -2, NODE_LE, 2, NODE_ADD, 1, 5},
	        {SCALAR_INT, 0, NODE_NE, 12, NODE_ADD, 3, 4},
	        {SCALAR_INT, 10, NODE_NE, 0, NODE_SUB, 1, 10},
	        {SCALAR_UINT, 16, NODE_NE, 0, NODE_SUB, 2, 8},
	        {SCALAR_INT, 0, NODE_LT, INT_MAX, NODE_ADD, 1, INT_MAX},
	        {SCALAR_LONG, 0, NODE_LT, INT64_C(1) << 40, NODE_ADD, 2, UINT64_C(1) << 39},
	        {SCALAR_INT, 1, NODE_LT, 1024, NODE_MUL, 2, 10},
	        {SCALAR_UINT, 128, NODE_NE, 0, NODE_SHR, 1, 8},
	        {SCALAR_INT, 1, NODE_LE, 256, NODE_SHL, 1, 9},
	        {SCALAR_UCHAR, 250, NODE_NE, 3, NODE_ADD, 1, 9}, /* wraps */
	        {SCALAR_INT, 100, NODE_NE, 0, NODE_DIV, 10, 3},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		void *fixture = NULL;
		(void)set_up(&fixture);
		const struct series *row = &rows[i];
		const struct ir_loop *loop = loop_of(fixture, type_scalar(row->scalar), row->from,
		                                     row->op, row->to, row->step_op, row->step);
		if (loop->trip != TRIP_CONSTANT || loop->trips != row->trips)
			fail_msg("row %zu: kind %u, %llu trips", i, loop->trip,
			         (unsigned long long)loop->trips);
		(void)tear_down(&fixture);
	}
}

static void falling_loops_count_down(void **state)
{
	struct fixture *f = *state;
	struct ir_kernel *kernel = f->kernel;
	/* for (i = 9; i >= 0; i--): 0 <= i */
	f->loop = open_loop(kernel, 0, kernel_integer(kernel, INT, 9), IR_NONE);
	kernel->statements[f->loop.statement].condition =
	        kernel_binary(kernel, NODE_LE, INT, kernel_integer(kernel, INT, 0), f->loop.i);
	kernel_close_variable(
	        kernel, f->loop.first,
	        kernel_binary(kernel, NODE_SUB, INT, f->loop.i, kernel_integer(kernel, INT, 1)));
	seal(kernel);
	assert_int_equal(kernel->summary->loops[0].trip, TRIP_CONSTANT);
	assert_int_equal(kernel->summary->loops[0].trips, 10);
	assert_int_equal(kernel->summary->loops[0].induction, f->loop.first);
}

static void a_loop_that_tests_last_runs_once_more(void **state)
{
	struct fixture *f = *state;
	struct ir_kernel *kernel = f->kernel;
	/* do i++; while (i < 8): the condition sees the next value */
	f->loop = open_loop(kernel, 0, kernel_integer(kernel, INT, 0), IR_NONE);
	uint32_t next =
	        kernel_binary(kernel, NODE_ADD, INT, f->loop.i, kernel_integer(kernel, INT, 1));
	kernel->statements[f->loop.statement].tests_last = true;
	kernel->statements[f->loop.statement].condition =
	        kernel_binary(kernel, NODE_LT, INT, next, kernel_integer(kernel, INT, 8));
	kernel_close_variable(kernel, f->loop.first, next);
	seal(kernel);
	assert_int_equal(kernel->summary->loops[0].trips, 8);
	assert_int_equal(kernel->summary->loops[0].induction, f->loop.first);
}

static void a_loop_without_end_is_not_constant(void **state)
{
	struct fixture *f = *state;
	const struct ir_loop *loop = loop_of(f, UINT, 1, NODE_NE, 0, NODE_ADD, 2);
	assert_int_equal(loop->trip, TRIP_LAUNCH);
}

static void trips_from_arguments_are_known_at_launch(void **state)
{
	struct fixture *f = *state;
	struct ir_kernel *kernel = f->kernel;
	f->loop = open_loop(kernel, 0, f->gid, IR_NONE);
	close_loop(kernel, &f->loop, NODE_LT, f->n,
	           kernel_binary(kernel, NODE_ADD, INT, f->loop.i, f->n), IR_NONE);
	seal(kernel);
	const struct ir_loop *loop = &kernel->summary->loops[0];
	assert_int_equal(loop->trip, TRIP_LAUNCH);
	assert_int_equal(loop->induction, f->loop.first);
	assert_false(loop->has_early_exit);
	assert_false(loop->is_unrolled);
	assert_true(kernel->summary->node_is_integer_known[f->loop.i]);
}

static void trips_from_memory_are_data(void **state)
{
	struct fixture *f = *state;
	struct ir_kernel *kernel = f->kernel;
	uint32_t rows = add_buffer(kernel, "rows", SPACE_GLOBAL, INT);
	uint32_t from = add_load(kernel, 0, rows, f->gid);
	f->loop = open_loop(kernel, 0, from, IR_NONE);
	close_loop(kernel, &f->loop, NODE_LT, f->n,
	           kernel_binary(kernel, NODE_ADD, INT, f->loop.i, kernel_integer(kernel, INT, 1)),
	           IR_NONE);
	seal(kernel);
	assert_int_equal(kernel->summary->loops[0].trip, TRIP_DATA);
	assert_false(kernel->summary->node_is_integer_known[f->loop.i]);
}

static void breaks_are_early_exits_and_decide_endless_loops(void **state)
{
	struct fixture *f = *state;
	struct ir_kernel *kernel = f->kernel;
	uint32_t conditions[2];
	for (int round = 0; round < 2; round++) {
		/* for (;;) if (condition) break; */
		struct loop loop = open_loop(kernel, 0, kernel_integer(kernel, INT, 0), IR_NONE);
		kernel_close_variable(kernel, loop.first,
		                      kernel_binary(kernel, NODE_ADD, INT, loop.i,
		                                    kernel_integer(kernel, INT, 1)));
		uint32_t value = add_load(kernel, loop.body, f->a, loop.i);
		conditions[0] = kernel_binary(kernel, NODE_LT, INT, f->n, loop.i);
		conditions[1] =
		        kernel_binary(kernel, NODE_LT, INT, value, kernel_real(kernel, FLOAT, 2));
		uint32_t body = add_branch(kernel, loop.body, conditions[round], NULL);
		struct ir_statement leave = statement_of(STATEMENT_EXIT, 1);
		leave.target = loop.statement;
		(void)kernel_append(kernel, body, &leave);
	}
	seal(kernel);
	assert_int_equal(kernel->summary->loops[0].trip, TRIP_LAUNCH);
	assert_true(kernel->summary->loops[0].has_early_exit);
	assert_int_equal(kernel->summary->loops[1].trip, TRIP_DATA);
}

/* sum += a[i * 3 + const] over a constant loop, with a hint. */
static const struct ir_loop *summing(struct fixture *f, int64_t trips, uint16_t unroll)
{
	struct ir_kernel *kernel = f->kernel;
	f->loop =
	        open_loop(kernel, 0, kernel_integer(kernel, INT, 0), kernel_real(kernel, FLOAT, 0));
	kernel->statements[f->loop.statement].unroll = unroll;
	uint32_t index = kernel_binary(
	        kernel, NODE_ADD, INT, f->gid,
	        kernel_binary(kernel, NODE_MUL, INT, f->loop.i, kernel_integer(kernel, INT, 3)));
	uint32_t value = add_load(kernel, f->loop.body, f->a, index);
	uint32_t sum = kernel_binary(kernel, NODE_ADD, FLOAT, f->loop.sum, value);
	close_loop(kernel, &f->loop, NODE_LT, kernel_integer(kernel, INT, trips),
	           kernel_binary(kernel, NODE_ADD, INT, f->loop.i, kernel_integer(kernel, INT, 1)),
	           sum);
	(void)add_store(kernel, 0, f->a, f->gid, f->loop.sum);
	seal(kernel);
	return &kernel->summary->loops[0];
}

static void a_short_loop_unrolls_and_its_counter_is_free(void **state)
{
	struct fixture *f = *state;
	assert_true(summing(f, 8, 0)->is_unrolled);
	assert_close(emitted_in_all(f->kernel, f->loop.body), 1, 0); /* the sum */
	assert_int_equal(f->kernel->summary->loop_depth[f->loop.body], 0);
	assert_int_equal(f->kernel->summary->obstacle, VECTOR_LOOP);
}

static void a_long_loop_stays(void **state)
{
	struct fixture *f = *state;
	assert_false(summing(f, 100, 0)->is_unrolled);
	assert_int_equal(f->kernel->summary->loop_depth[f->loop.body], 1);
	assert_int_equal(f->kernel->summary->obstacle, VECTOR_LOOP);
}

static void a_hint_unrolls_what_is_long(void **state)
{
	struct fixture *f = *state;
	assert_true(summing(f, 100, UINT16_MAX)->is_unrolled);
}

static void a_hint_forbids_unrolling(void **state)
{
	struct fixture *f = *state;
	assert_false(summing(f, 8, 1)->is_unrolled);
}

static void a_cpu_unrolls_what_is_hinted_alone(void **state)
{
	struct fixture *f = *state;
	const struct ir_loop *loop = summing(f, 8, 0);
	const struct ir_summary *summary = f->kernel->summary;
	uint32_t body = f->kernel->statements[loop->statement].body;
	assert_true(loop->is_unrolled);
	assert_false(loop->is_unrolled_early);
	assert_int_equal(summary->obstacle, VECTOR_LOOP);
	/* the counter's step and the comparison stay where the loop does */
	assert_true(summary->rolled[body].operation[OP_CLASS_ADD][TYPE_CLASS_INT] >
	            summary->emitted[body].operation[OP_CLASS_ADD][TYPE_CLASS_INT]);
}

static void a_hinted_loop_is_no_obstacle_to_vectors(void **state)
{
	struct fixture *f = *state;
	assert_true(summing(f, 8, UINT16_MAX)->is_unrolled_early);
	assert_int_equal(f->kernel->summary->obstacle, VECTOR_OK);
}

static void a_loop_that_only_adds_leaves_nothing(void **state)
{
	struct fixture *f = *state;
	struct ir_kernel *kernel = f->kernel;
	struct loop loop = open_loop(kernel, 0, kernel_integer(kernel, INT, 0), IR_NONE);
	close_loop(kernel, &loop, NODE_LT, f->n,
	           kernel_binary(kernel, NODE_ADD, INT, loop.i, kernel_integer(kernel, INT, 3)),
	           IR_NONE);
	(void)add_store(kernel, 0, f->a, loop.i, kernel_real(kernel, FLOAT, 1));
	seal(kernel);
	assert_true(kernel->summary->loops[0].is_closed);
	assert_close(emitted_in_all(kernel, loop.body), 0, 0);
	assert_int_equal(kernel->summary->obstacle, VECTOR_OK);
}

static void a_loop_that_adds_what_it_reads_stays(void **state)
{
	assert_false(summing(*state, 100, 0)->is_closed);
}

static void a_partial_hint_keeps_the_loop(void **state)
{
	struct fixture *f = *state;
	assert_false(summing(f, 100, 4)->is_unrolled);
}

static void a_nest_of_short_loops_unrolls_whole(void **state)
{
	struct fixture *f = *state;
	struct ir_kernel *kernel = f->kernel;
	struct loop outer = open_loop(kernel, 0, kernel_integer(kernel, INT, -1),
	                              kernel_real(kernel, FLOAT, 0));
	struct loop inner =
	        open_loop(kernel, outer.body, kernel_integer(kernel, INT, -1), outer.sum);
	uint32_t one = kernel_integer(kernel, INT, 1);
	uint32_t row = kernel_binary(kernel, NODE_MUL, INT, outer.i, f->n);
	uint32_t index = kernel_binary(kernel, NODE_ADD, INT,
	                               kernel_binary(kernel, NODE_ADD, INT, row, f->gid), inner.i);
	uint32_t value = add_load(kernel, inner.body, f->a, index);
	close_loop(kernel, &inner, NODE_LE, one, kernel_binary(kernel, NODE_ADD, INT, inner.i, one),
	           kernel_binary(kernel, NODE_ADD, FLOAT, inner.sum, value));
	close_loop(kernel, &outer, NODE_LE, one, kernel_binary(kernel, NODE_ADD, INT, outer.i, one),
	           inner.sum);
	(void)add_store(kernel, 0, f->a, f->gid, outer.sum);
	seal(kernel);
	assert_true(kernel->summary->loops[0].is_unrolled);
	assert_true(kernel->summary->loops[1].is_unrolled);
	assert_int_equal(kernel->summary->node_block[row], outer.body);
	assert_close(emitted_in_all(kernel, inner.body), 1, 0);
	assert_int_equal(kernel->summary->obstacle, VECTOR_LOOP);
}

/* for (i = 0; i < rows; i++) for (k = 0; k < i; k++) sum += a[gid + i * n + k]; */
static void add_triangle(struct fixture *f, int64_t rows, uint16_t unroll)
{
	struct ir_kernel *kernel = f->kernel;
	uint32_t zero = kernel_integer(kernel, INT, 0), one = kernel_integer(kernel, INT, 1);
	struct loop outer = open_loop(kernel, 0, zero, kernel_real(kernel, FLOAT, 0));
	struct loop inner = open_loop(kernel, outer.body, zero, outer.sum);
	uint32_t row = kernel_binary(kernel, NODE_MUL, INT, outer.i, f->n);
	uint32_t index = kernel_binary(kernel, NODE_ADD, INT,
	                               kernel_binary(kernel, NODE_ADD, INT, row, f->gid), inner.i);
	uint32_t value = add_load(kernel, inner.body, f->a, index);
	kernel->statements[inner.statement].unroll = unroll;
	close_loop(kernel, &inner, NODE_LT, outer.i,
	           kernel_binary(kernel, NODE_ADD, INT, inner.i, one),
	           kernel_binary(kernel, NODE_ADD, FLOAT, inner.sum, value));
	close_loop(kernel, &outer, NODE_LT, kernel_integer(kernel, INT, rows),
	           kernel_binary(kernel, NODE_ADD, INT, outer.i, one), inner.sum);
	(void)add_store(kernel, 0, f->a, f->gid, outer.sum);
	f->loop = inner;
}

static void triangle(struct fixture *f, int64_t rows, uint16_t unroll)
{
	add_triangle(f, rows, unroll);
	seal(f->kernel);
}

static void a_triangle_unrolls_once_its_rows_are(void **state)
{
	struct fixture *f = *state;
	triangle(f, 7, 0);
	const struct ir_loop *loops = f->kernel->summary->loops;
	assert_true(loops[0].is_unrolled);
	assert_true(loops[1].is_nested);
	assert_true(loops[1].is_unrolled);
	assert_int_equal(loops[1].trips, 3); /* 0 to 6 in the mean */
	assert_false(loops[1].is_unrolled_early);
	assert_close(emitted_in_all(f->kernel, f->loop.body), 1, 0); /* the sum */
	assert_int_equal(f->kernel->summary->loop_depth[f->loop.body], 0);
}

static void a_large_triangle_stays(void **state)
{
	struct fixture *f = *state;
	triangle(f, 1000, 0);
	const struct ir_loop *loops = f->kernel->summary->loops;
	assert_false(loops[0].is_unrolled);
	assert_false(loops[1].is_unrolled);
	/* nor is the outer loop put together in part, while it keeps the other */
	assert_int_equal(loops[0].unroll, 1);
}

static void a_hint_keeps_a_triangle_within_its_rows(void **state)
{
	struct fixture *f = *state;
	triangle(f, 7, 1);
	assert_true(f->kernel->summary->loops[0].is_unrolled);
	assert_false(f->kernel->summary->loops[1].is_unrolled);
}

static void tens_of_thousands_of_loops_are_passed_in_a_moment(void **state)
{
	enum { TRIANGLES = 16000 };
	struct fixture *f = *state;
	clock_t begin;

	for (int i = 0; i < TRIANGLES; i++)
		add_triangle(f, 2, 0);
	begin = clock();
	seal(f->kernel);
	assert_true(clock() - begin < CLOCKS_PER_SEC);
	assert_int_equal(f->kernel->summary->loop_count, 2 * TRIANGLES);
	assert_true(f->kernel->summary->loops[2].is_unrolled);
	assert_true(f->kernel->summary->loops[3].is_unrolled);
}

static void loops_stand_in_the_order_of_statements(void **state)
{
	struct fixture *f = *state;
	for (int i = 0; i < 3; i++) {
		struct loop loop =
		        open_loop(f->kernel, 0, kernel_integer(f->kernel, INT, 0), IR_NONE);
		close_loop(f->kernel, &loop, NODE_LT, f->n,
		           kernel_binary(f->kernel, NODE_ADD, INT, loop.i,
		                         kernel_integer(f->kernel, INT, 1)),
		           IR_NONE);
	}
	seal(f->kernel);
	assert_int_equal(f->kernel->summary->loop_count, 3);
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(f->kernel->summary->loops[i].statement, i);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(constant_loops_have_their_trips),
	        TEST(falling_loops_count_down),
	        TEST(a_loop_that_tests_last_runs_once_more),
	        TEST(a_loop_without_end_is_not_constant),
	        TEST(trips_from_arguments_are_known_at_launch),
	        TEST(trips_from_memory_are_data),
	        TEST(breaks_are_early_exits_and_decide_endless_loops),
	        TEST(a_short_loop_unrolls_and_its_counter_is_free),
	        TEST(a_long_loop_stays),
	        TEST(a_loop_that_only_adds_leaves_nothing),
	        TEST(a_loop_that_adds_what_it_reads_stays),
	        TEST(a_hint_unrolls_what_is_long),
	        TEST(a_cpu_unrolls_what_is_hinted_alone),
	        TEST(a_hinted_loop_is_no_obstacle_to_vectors),
	        TEST(a_hint_forbids_unrolling),
	        TEST(a_partial_hint_keeps_the_loop),
	        TEST(a_nest_of_short_loops_unrolls_whole),
	        TEST(a_triangle_unrolls_once_its_rows_are),
	        TEST(a_large_triangle_stays),
	        TEST(a_hint_keeps_a_triangle_within_its_rows),
	        TEST(tens_of_thousands_of_loops_are_passed_in_a_moment),
	        TEST(loops_stand_in_the_order_of_statements),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
