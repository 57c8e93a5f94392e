/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loops: trip counts that are constants, by a closed form for counted loops
 * and by running the variables otherwise; induction variables; and which
 * loops a compiler unrolls.
 */
#include <math.h>
#include <string.h>

#include "model/ir/fold.h"
#include "model/passes/pass.h"
#include "model/underived.h"

enum {
	SIMULATED_NODES = 32,               /* of one loop */
	SIMULATION_BUDGET = 1 << 18,        /* evaluated nodes of one kernel */
	NESTED_BUDGET = 1 << 20,            /* the same of loops that counters around them decide */
	STEPS_MAX = 1 << 20,                /* iterations of one loop */
	UNROLL_TRIPS_MAX = 64,              /* the usual rules of compilers */
	UNROLL_OPERATIONS_MAX = 300,        /* likewise: LLVM at -O3 */
	UNROLL_TRIES_MAX = 8,               /* loops of a kernel that are looked at twice */
	UNROLL_ARRAY_OPERATIONS = 2700,     /* where an array becomes registers by that: LLVM's
	                                       amdgpu-unroll-threshold-private */
	UNROLL_HINTED_OPERATIONS = 1 << 14, /* with #pragma unroll */
};

#define UNROLL_BOOST_MAX 4.0
#define TURN_OPERATIONS  3.0 /* to the next iteration: addition, comparison, jump */
#define CLOSED_FORM_MAX  (INT64_C(1) << 62)

/* ---- induction ----------------------------------------------------------------------------- */

/* next = variable + invariant (or - invariant): gives the step's node. */
static bool is_stepped(const struct pass *pass, const struct ir_variable *variable, uint32_t loop,
                       uint32_t *step)
{
	*step = kernel_step(pass->kernel, variable);
	return *step != IR_NONE && pass->kernel->nodes[variable->next].type.width == 1 &&
	       pass_invariant(pass, *step, loop);
}

/* Linear in the induction variable of a loop: that loop; IR_NONE: not, or invariant. */
static uint32_t affine_loop(const struct pass *pass, uint32_t id)
{
	const struct ir_node *node = &pass->kernel->nodes[id];
	if (!type_is_integer(node->type) || node->type.width != 1)
		return IR_NONE;
	if (node->op == NODE_LOOP_VAR)
		return pass->is_induction[id] ? node->aux : IR_NONE;
	if (node->operand_count == 0 || node->operand_count > 2)
		return IR_NONE;
	uint32_t a = pass_operand(pass, id, 0), loop = pass->affine_loop[a];
	switch ((enum node_op)node->op) {
	case NODE_CONVERT:
	case NODE_NEG:
		return loop;
	case NODE_ADD:
	case NODE_SUB:
	case NODE_MUL:
	case NODE_SHL: {
		uint32_t b = pass_operand(pass, id, 1), other = pass->affine_loop[b];
		if (loop != IR_NONE && pass_invariant(pass, b, loop))
			return loop;
		if (node->op == NODE_SHL)
			return IR_NONE;
		if (other != IR_NONE && pass_invariant(pass, a, other))
			return other;
		return node->op != NODE_MUL && loop == other ? loop : IR_NONE;
	}
	default:
		return IR_NONE;
	}
}

static void find_inductions(struct pass *pass)
{
	const struct ir_kernel *kernel = pass->kernel;
	uint32_t step;
	for (uint32_t i = 0; i < pass->summary->loop_count; i++) {
		uint32_t s = pass->summary->loops[i].statement;
		const struct ir_statement *loop = &kernel->statements[s];
		for (uint32_t v = 0; v < loop->variable_count; v++) {
			const struct ir_variable *variable =
			        &kernel->variables[loop->first_variable + v];
			if (pass->live[variable->node] &&
			    type_is_integer(kernel->nodes[variable->node].type))
				pass->is_induction[variable->node] =
				        is_stepped(pass, variable, s, &step);
		}
	}
	for (uint32_t id = 0; id < kernel->node_count; id++)
		pass->affine_loop[id] = pass->live[id] ? affine_loop(pass, id) : IR_NONE;
}

/* The variable that the condition compares. */
static uint32_t compared_variable(const struct pass *pass, uint32_t s)
{
	const struct ir_kernel *kernel = pass->kernel;
	const struct ir_statement *loop = &kernel->statements[s];
	if (loop->condition == IR_NONE)
		return IR_NONE;
	const struct ir_node *condition = &kernel->nodes[loop->condition];
	for (unsigned i = 0; i < condition->operand_count && i < 2; i++) {
		uint32_t id = pass_operand(pass, loop->condition, i);
		/* Through casts, and the steps of a loop that tests last. */
		while (pass->affine_loop[id] == s && kernel->nodes[id].op != NODE_LOOP_VAR) {
			uint32_t a = pass_operand(pass, id, 0);
			id = pass->affine_loop[a] == s ? a : pass_operand(pass, id, 1);
		}
		if (pass->affine_loop[id] == s)
			return loop->first_variable + (uint32_t)kernel->nodes[id].imm;
	}
	return IR_NONE;
}

/* ---- constant trips: closed form ----------------------------------------------------------- */

/* value = variable + offset, where the variable belongs to the loop. */
static bool as_series(const struct pass *pass, uint32_t loop, uint32_t id, uint32_t *variable,
                      int64_t *offset)
{
	const struct ir_kernel *kernel = pass->kernel;
	*offset = 0;
	if (kernel->nodes[id].op == NODE_ADD &&
	    kernel_constant(kernel, pass_operand(pass, id, 1), offset))
		id = pass_operand(pass, id, 0);
	*variable = id;
	return kernel->nodes[id].op == NODE_LOOP_VAR && kernel->nodes[id].aux == loop &&
	       type_is_integer(kernel->nodes[id].type);
}

/* How often the comparison holds for value, value + step, ...; false: not so simple. */
static bool count_true(enum node_op op, bool is_swapped, int64_t value, int64_t step, int64_t bound,
                       uint64_t *count)
{
	if (step < 0) { /* mirrored: what falls towards a bound rises towards its negative */
		value = -value;
		bound = -bound;
		step = -step;
		is_swapped = !is_swapped;
	}
	if (step == 0 || (op != NODE_NE && is_swapped))
		return false;
	if (op == NODE_LE)
		bound++;
	if (op == NODE_NE && (bound < value || (bound - value) % step != 0))
		return false;
	*count = value >= bound ? 0
	                        : ((uint64_t)(bound - value) + (uint64_t)step - 1) / (uint64_t)step;
	return true;
}

static bool is_small(int64_t value)
{
	return value > -CLOSED_FORM_MAX && value < CLOSED_FORM_MAX;
}

static bool closed_form(const struct pass *pass, uint32_t s, uint64_t *trips)
{
	const struct ir_kernel *kernel = pass->kernel;
	const struct ir_statement *loop = &kernel->statements[s];
	const struct ir_node *condition = &kernel->nodes[loop->condition];
	uint32_t node, step_node;
	int64_t bound, offset, init, step, end;
	uint64_t count;
	if (condition->op != NODE_LT && condition->op != NODE_LE && condition->op != NODE_NE)
		return false;
	bool is_swapped = kernel_constant(kernel, pass_operand(pass, loop->condition, 0), &bound);
	uint32_t series = pass_operand(pass, loop->condition, is_swapped ? 1 : 0);
	if (!is_swapped && !kernel_constant(kernel, pass_operand(pass, loop->condition, 1), &bound))
		return false;
	if (!as_series(pass, s, series, &node, &offset) || !pass->is_induction[node])
		return false;
	const struct ir_variable *variable = kernel_variable(kernel, node);
	if (!kernel_constant(kernel, variable->init, &init) ||
	    !is_stepped(pass, variable, s, &step_node) ||
	    !kernel_constant(kernel, step_node, &step))
		return false;
	struct type type = kernel->nodes[node].type;
	/* A step or offset of an unsigned type may be a negative one in disguise. */
	if (!type_is_signed(type) && scalar_bytes((enum scalar)type.scalar) == 4) {
		step = (int32_t)(uint32_t)step;
		offset = (int32_t)(uint32_t)offset;
	}
	if (kernel->nodes[variable->next].op == NODE_SUB)
		step = -step;
	if (!type_is_signed(kernel->nodes[series].type) && bound < 0)
		return false;
	if (!is_small(bound) || !is_small(init) || !is_small(offset) || !is_small(step) ||
	    !is_small(init + offset) ||
	    !count_true((enum node_op)condition->op, is_swapped, init + offset, step, bound,
	                &count))
		return false;
	/* Nothing may wrap on the way to the value that ends the loop. */
	if (__builtin_mul_overflow((int64_t)count, step, &end) ||
	    __builtin_add_overflow(end, init + offset, &end) ||
	    fold_wrap(type, (uint64_t)end) != (uint64_t)end ||
	    fold_wrap(type, (uint64_t)(init + offset)) != (uint64_t)(init + offset) ||
	    (!type_is_signed(type) && (end < 0 || init + offset < 0)))
		return false;
	*trips = loop->tests_last ? count + 1 : count;
	return true;
}

/* ---- constant trips: by running ------------------------------------------------------------ */

/* The condition, the variables it depends on and what computes them, oldest first. */
struct simulation {
	uint32_t nodes[SIMULATED_NODES];
	uint64_t values[SIMULATED_NODES];
	unsigned count;
};

static unsigned find_slot(const struct simulation *simulation, uint32_t id)
{
	for (unsigned i = 0; i < simulation->count; i++)
		if (simulation->nodes[i] == id)
			return i;
	return SIMULATED_NODES;
}

static bool can_simulate(const struct pass *pass, uint32_t loop, uint32_t id)
{
	const struct ir_node *node = &pass->kernel->nodes[id];
	int64_t init;
	if (!type_is_integer(node->type) || node->type.width != 1)
		return false;
	if (node->op == NODE_CONST_INT)
		return true;
	if (node->op == NODE_LOOP_VAR)
		return node->aux == loop &&
		       kernel_constant(pass->kernel, kernel_variable(pass->kernel, id)->init,
		                       &init);
	if (node->op == NODE_PHI || node->op == NODE_SELECT)
		return true;
	return node->op >= NODE_ADD && node->op <= NODE_MUL_HI && node->operand_count >= 1 &&
	       node->operand_count <= 2 && node->op != NODE_BITCAST;
}

/* Adds a node in its place by age; false when there are too many or it cannot be run. */
static bool add_node(const struct pass *pass, uint32_t loop, struct simulation *simulation,
                     uint32_t id)
{
	if (find_slot(simulation, id) < SIMULATED_NODES)
		return true;
	if (simulation->count == SIMULATED_NODES || !can_simulate(pass, loop, id))
		return false;
	unsigned at = simulation->count++;
	for (; at > 0 && simulation->nodes[at - 1] > id; at--)
		simulation->nodes[at] = simulation->nodes[at - 1];
	simulation->nodes[at] = id;
	return true;
}

/* What the nodes collected so far need; again until nothing is added. */
static bool collect_nodes(const struct pass *pass, uint32_t loop, struct simulation *simulation)
{
	const struct ir_kernel *kernel = pass->kernel;
	for (unsigned before = 0; before != simulation->count;) {
		uint32_t seen[SIMULATED_NODES];
		before = simulation->count;
		memcpy(seen, simulation->nodes, sizeof seen);
		for (unsigned i = 0; i < before; i++) {
			const struct ir_node *node = &kernel->nodes[seen[i]];
			for (unsigned k = 0; k < node->operand_count; k++)
				if (!add_node(pass, loop, simulation,
				              kernel->operands[node->first_operand + k]))
					return false;
			if (node->op == NODE_LOOP_VAR &&
			    !add_node(pass, loop, simulation,
			              kernel_variable(kernel, seen[i])->next))
				return false;
		}
	}
	return true;
}

static bool run_node(const struct pass *pass, struct simulation *simulation, unsigned at)
{
	const struct ir_kernel *kernel = pass->kernel;
	uint32_t id = simulation->nodes[at];
	const struct ir_node *node = &kernel->nodes[id];
	uint64_t operands[3] = {0};
	if (node->op == NODE_CONST_INT || node->op == NODE_LOOP_VAR)
		return true; /* set before */
	for (unsigned i = 0; i < node->operand_count && i < 3; i++)
		operands[i] = simulation->values[find_slot(simulation, pass_operand(pass, id, i))];
	if (node->op == NODE_PHI || node->op == NODE_SELECT) {
		simulation->values[at] = operands[operands[0] != 0 ? 1 : 2];
		return true;
	}
	return fold_integer((enum node_op)node->op, node->type,
	                    kernel->nodes[pass_operand(pass, id, 0)].type, operands[0], operands[1],
	                    &simulation->values[at]);
}

/* The variables of the next iteration, all at once. */
static void advance(const struct pass *pass, struct simulation *simulation)
{
	uint64_t next[SIMULATED_NODES];
	for (unsigned i = 0; i < simulation->count; i++) {
		uint32_t id = simulation->nodes[i];
		next[i] = simulation->values[i];
		if (pass->kernel->nodes[id].op == NODE_LOOP_VAR)
			next[i] = simulation->values[find_slot(
			        simulation, kernel_variable(pass->kernel, id)->next)];
	}
	memcpy(simulation->values, next, simulation->count * sizeof *next);
}

static bool simulate(const struct pass *pass, uint32_t s, uint32_t *budget, uint64_t *trips)
{
	const struct ir_kernel *kernel = pass->kernel;
	const struct ir_statement *loop = &kernel->statements[s];
	struct simulation simulation = {.nodes = {loop->condition}, .count = 1};
	if (!can_simulate(pass, s, loop->condition) || !collect_nodes(pass, s, &simulation))
		return false;
	for (unsigned i = 0; i < simulation.count; i++) {
		const struct ir_node *node = &kernel->nodes[simulation.nodes[i]];
		if (node->op == NODE_LOOP_VAR)
			node = &kernel->nodes[kernel_variable(kernel, simulation.nodes[i])->init];
		simulation.values[i] = node->imm; /* of constants; others are run */
	}
	unsigned condition = find_slot(&simulation, loop->condition);
	for (uint64_t step = 0; step < STEPS_MAX; step++) {
		if (*budget < simulation.count)
			return false;
		*budget -= simulation.count;
		for (unsigned i = 0; i < simulation.count; i++)
			if (!run_node(pass, &simulation, i))
				return false;
		if (simulation.values[condition] == 0) {
			*trips = loop->tests_last ? step + 1 : step;
			return true;
		}
		advance(pass, &simulation);
	}
	return false;
}

/* ---- trips --------------------------------------------------------------------------------- */

/* Whether a value follows from what an exchange within the loop found, not too far away. */
static bool asks_exchange(const struct pass *pass, uint32_t node, uint32_t body, unsigned depth)
{
	const struct ir_kernel *kernel = pass->kernel;
	const struct ir_node *n = &kernel->nodes[node];
	if (n->op == NODE_ATOMIC)
		return kernel->accesses[n->aux].is_exchange &&
		       pass_contains(pass, body, pass->summary->access_block[n->aux]);
	for (unsigned i = 0; i < n->operand_count && depth > 0; i++)
		if (asks_exchange(pass, pass_operand(pass, node, i), body, depth - 1))
			return true;
	return false;
}

enum { ASKED_DEPTH = 4 };

/*
 * Marks the loops that an exit leaves. Of a loop without a condition the exits
 * decide: their guard says whether the launch alone determines the trips.
 */
static void mark_exit(struct pass *pass, uint32_t s)
{
	const struct ir_kernel *kernel = pass->kernel;
	uint32_t guard = IR_NONE, at = s;
	while (at != kernel->statements[s].target) {
		at = kernel->blocks[kernel->statements[at].block].owner;
		if (at == IR_NONE)
			return;
		const struct ir_statement *around = &kernel->statements[at];
		if (around->kind == STATEMENT_BRANCH && guard == IR_NONE)
			guard = around->condition;
		if (around->kind != STATEMENT_LOOP)
			continue;
		struct ir_loop *loop = &pass->summary->loops[pass->loop_index[at]];
		loop->has_early_exit = true;
		if (guard != IR_NONE && asks_exchange(pass, guard, around->body, ASKED_DEPTH))
			loop->is_retry = true;
		if (around->condition == IR_NONE &&
		    (guard == IR_NONE || !pass->summary->node_is_integer_known[guard]))
			loop->trip = TRIP_DATA;
	}
}

static void classify(struct pass *pass, struct ir_loop *loop, uint32_t *budget)
{
	const struct ir_kernel *kernel = pass->kernel;
	uint32_t condition = kernel->statements[loop->statement].condition;
	if (condition == IR_NONE)
		return; /* mark_exit has decided */
	loop->induction = compared_variable(pass, loop->statement);
	loop->trip = TRIP_CONSTANT;
	if (closed_form(pass, loop->statement, &loop->trips) ||
	    simulate(pass, loop->statement, budget, &loop->trips))
		return;
	loop->trips = 0;
	loop->is_retry |= asks_exchange(pass, condition, kernel->statements[loop->statement].body,
	                                ASKED_DEPTH);
	loop->trip = pass->summary->node_is_integer_known[condition] ? TRIP_LAUNCH : TRIP_DATA;
}

/* A variable and sums of it with what does not change. */
static bool is_running_sum(const struct pass *pass, uint32_t loop, uint32_t id, uint32_t variable)
{
	for (unsigned length = 0; id != variable; length++) {
		const struct ir_node *node = &pass->kernel->nodes[id];
		uint32_t a, b;
		if ((node->op != NODE_ADD && node->op != NODE_SUB) || length == SIMULATED_NODES ||
		    node->type.width != 1)
			return false;
		a = pass_operand(pass, id, 0);
		b = pass_operand(pass, id, 1);
		if (pass_invariant(pass, b, loop))
			id = a;
		else if (node->op == NODE_ADD && pass_invariant(pass, a, loop))
			id = b;
		else
			return false;
	}
	return true;
}

/* Whether a loop ends where its variable passes what does not change, whoever decides that. */
static bool is_bounded(const struct pass *pass, const struct ir_loop *loop)
{
	const struct ir_kernel *kernel = pass->kernel;
	uint32_t condition = kernel->statements[loop->statement].condition;
	if (kernel->nodes[condition].op != NODE_LT && kernel->nodes[condition].op != NODE_LE)
		return false;
	for (unsigned i = 0; i < 2; i++)
		if (pass_operand(pass, condition, i) == kernel->variables[loop->induction].node)
			return pass_invariant(pass, pass_operand(pass, condition, 1 - i),
			                      loop->statement);
	return false;
}

/*
 * A counted loop that does nothing but add to integers, each by what does not change: its
 * variables' last values have a closed form (Bachmann, Wang, Zima, "Chains of recurrences",
 * ISSAC 1994; LLVM's scalar evolution), so that nothing is left of it.
 */
static bool is_closed(const struct pass *pass, const struct ir_loop *loop)
{
	const struct ir_kernel *kernel = pass->kernel;
	const struct ir_statement *statement = &kernel->statements[loop->statement];
	uint32_t step;
	int64_t constant;
	if (loop->induction == IR_NONE || loop->has_early_exit || statement->body == IR_NONE ||
	    (loop->trip == TRIP_DATA && !is_bounded(pass, loop)) ||
	    !is_stepped(pass, &kernel->variables[loop->induction], loop->statement, &step) ||
	    !kernel_constant(kernel, step, &constant))
		return false;
	for (uint32_t s = kernel->blocks[statement->body].first; s != IR_NONE;
	     s = kernel->statements[s].following)
		if (kernel->statements[s].kind != STATEMENT_ACCESS ||
		    kernel->accesses[kernel->statements[s].access].kind != ACCESS_LOAD ||
		    pass->summary->access_block[kernel->statements[s].access] == statement->body)
			return false;
	for (uint32_t v = 0; v < statement->variable_count; v++) {
		const struct ir_variable *variable =
		        &kernel->variables[statement->first_variable + v];
		if (pass->live[variable->node] &&
		    (!type_is_integer(kernel->nodes[variable->node].type) ||
		     !is_running_sum(pass, loop->statement, variable->next, variable->node)))
			return false;
	}
	return true;
}

void pass_trips(struct pass *pass)
{
	struct ir_summary *summary = pass->summary;
	uint32_t budget = SIMULATION_BUDGET;
	find_inductions(pass);
	for (uint32_t i = 0; i < summary->loop_count; i++)
		summary->loops[i].trip = TRIP_LAUNCH;
	for (uint32_t s = 0; s < pass->kernel->statement_count; s++)
		if (pass->kernel->statements[s].kind == STATEMENT_EXIT)
			mark_exit(pass, s);
	for (uint32_t i = 0; i < summary->loop_count; i++)
		classify(pass, &summary->loops[i], &budget);
	for (uint32_t i = 0; i < summary->loop_count; i++)
		summary->loops[i].is_closed = is_closed(pass, &summary->loops[i]);
}

/* ---- unrolling ----------------------------------------------------------------------------- */

/*
 * A load of the program's constants from a place that is known once loops are unrolled: compilers
 * put the value there.
 */
bool pass_is_folded(const struct pass *pass, uint32_t access)
{
	const struct ir_access *a = &pass->kernel->accesses[access];
	const struct ir_object *object = &pass->kernel->objects[a->object];
	return a->kind == ACCESS_LOAD && object->space == SPACE_CONSTANT &&
	       object->argument == IR_NONE && (a->index == IR_NONE || pass->is_fixed[a->index]);
}

void pass_constants(struct pass *pass)
{
	for (uint32_t i = 0; i < pass->kernel->access_count; i++) {
		uint32_t index = pass->kernel->accesses[i].index;
		uint32_t result = pass->kernel->accesses[i].result;
		pass->summary->access_is_folded[i] = pass_is_folded(pass, i);
		pass->summary->access_is_fixed[i] = index == IR_NONE || pass->is_fixed[index];
		pass->summary->access_is_used[i] = result != IR_NONE && pass->uses[result] > 0;
	}
	for (uint32_t i = 0; i < pass->kernel->statement_count; i++) {
		uint32_t condition = pass->kernel->statements[i].condition;
		pass->summary->branch_is_fixed[i] =
		        condition != IR_NONE && pass->is_fixed[condition];
	}
}

void pass_early_places(struct pass *pass)
{
	for (uint32_t i = 0; i < pass->kernel->access_count; i++) {
		uint32_t index = pass->kernel->accesses[i].index;
		pass->summary->access_is_fixed_early[i] = index == IR_NONE || pass->is_fixed[index];
	}
}

/* Operations and accesses directly in a block, as they are before any is put together. */
static double own_size(const struct pass *pass, uint32_t block)
{
	const struct ir_counts *counts = &pass->summary->emitted[block];
	const struct ir_kernel *kernel = pass->kernel;
	double size = 0;
	for (unsigned op = 0; op < OP_CLASS_COUNT; op++)
		for (unsigned type = 0; type < TYPE_CLASS_COUNT; type++)
			size += (double)counts->operation[op][type] * (op == OP_CLASS_FMA ? 2 : 1);
	for (uint32_t s = kernel->blocks[block].first; s != IR_NONE;
	     s = kernel->statements[s].following)
		size += kernel->statements[s].kind == STATEMENT_EFFECT ||
		        (kernel->statements[s].kind == STATEMENT_ACCESS &&
		         !pass_is_folded(pass, kernel->statements[s].access));
	return size;
}

/*
 * What one iteration executes of a block and those within, where conditions that only loops'
 * variables and arguments decide leave one arm: the larger.
 */
static double executed_size(const struct pass *pass, uint32_t block)
{
	const struct ir_kernel *kernel = pass->kernel;
	double size = own_size(pass, block);
	for (uint32_t s = kernel->blocks[block].first; s != IR_NONE;
	     s = kernel->statements[s].following) {
		const struct ir_statement *statement = &kernel->statements[s];
		double arms[2] = {0};
		if (statement->body != IR_NONE)
			arms[0] = executed_size(pass, statement->body);
		if (statement->otherwise != IR_NONE)
			arms[1] = executed_size(pass, statement->otherwise);
		if (statement->kind == STATEMENT_LOOP) {
			const struct ir_loop *loop = &pass->summary->loops[pass->loop_index[s]];
			size += loop->is_unrolled ? (double)loop->trips * arms[0]
			                          : (double)INFINITY;
		} else if (statement->kind == STATEMENT_BRANCH &&
		           pass->summary->node_is_integer_known[statement->condition]) {
			size += fmax(arms[0], arms[1]) +
			        (pass->is_fixed[statement->condition] ? 0 : 1);
		} else {
			size += arms[0] + arms[1];
		}
	}
	return size;
}

/* A loop that is unrolled at once, by a hint. */
static bool unrolls_early(const struct ir_statement *statement, const struct ir_loop *loop,
                          double size)
{
	if (loop->is_closed)
		return true;
	if (loop->trip != TRIP_CONSTANT || loop->has_early_exit)
		return false;
	return loop->trips <= 1 || ((statement->unroll == UINT16_MAX ||
	                             (statement->unroll > 1 && statement->unroll >= loop->trips)) &&
	                            (double)loop->trips * size <= (double)UNROLL_HINTED_OPERATIONS);
}

static bool unrolls(const struct ir_statement *statement, const struct ir_loop *loop, double size)
{
	double all = (double)loop->trips * size;
	if (loop->is_closed)
		return true;
	if (loop->trip != TRIP_CONSTANT || loop->has_early_exit)
		return false;
	if (loop->trips <= 1)
		return true;
	if (statement->unroll == 1)
		return false;
	if (statement->unroll == UINT16_MAX || statement->unroll >= loop->trips)
		return all <= (double)UNROLL_HINTED_OPERATIONS;
	return statement->unroll == 0 && loop->trips <= UNROLL_TRIPS_MAX &&
	       all <= (double)UNROLL_OPERATIONS_MAX;
}

/* Whether a block, or one within, is at places of a private array that are known now. */
static bool is_in_array(const struct pass *pass, uint32_t block)
{
	const struct ir_kernel *kernel = pass->kernel;
	for (uint32_t s = kernel->blocks[block].first; s != IR_NONE;
	     s = kernel->statements[s].following) {
		const struct ir_statement *statement = &kernel->statements[s];
		if (statement->kind == STATEMENT_ACCESS) {
			const struct ir_access *access = &kernel->accesses[statement->access];
			if (kernel->objects[access->object].space == SPACE_PRIVATE &&
			    access->index != IR_NONE && pass->is_fixed[access->index])
				return true;
		} else if ((statement->body != IR_NONE && is_in_array(pass, statement->body)) ||
		           (statement->otherwise != IR_NONE &&
		            is_in_array(pass, statement->otherwise))) {
			return true;
		}
	}
	return false;
}

/*
 * A loop that is too large to unroll is unrolled all the same where that leaves less of an
 * iteration - branches on the counter, tables at known places, addresses - so much less, four times
 * at most (LLVM's LoopUnrollPass: analyzeLoopUnrollCost, unroll-max-percent-threshold-boost), or
 * where a private array becomes registers by that.
 */
static bool unrolls_to_less(struct pass *pass, const struct ir_statement *statement,
                            struct ir_loop *loop, unsigned *tries)
{
	double rolled, unrolled, boost, most;
	if (loop->trip != TRIP_CONSTANT || loop->has_early_exit || statement->unroll != 0 ||
	    loop->trips > UNROLL_TRIPS_MAX || *tries == 0)
		return false;
	rolled = executed_size(pass, statement->body) + TURN_OPERATIONS;
	if (!(rolled * (double)loop->trips <=
	      UNROLL_BOOST_MAX * UNROLL_BOOST_MAX * (double)UNROLL_OPERATIONS_MAX))
		return false;
	--*tries;
	loop->is_unrolled = true;
	pass_emit(pass, pass->summary->emitted, false);
	unrolled = executed_size(pass, statement->body);
	boost = fmin(UNROLL_BOOST_MAX, fmax(1, rolled / fmax(unrolled, 1)));
	most = boost * (double)UNROLL_OPERATIONS_MAX;
	if (is_in_array(pass, statement->body))
		most = fmax(most, (double)UNROLL_ARRAY_OPERATIONS);
	loop->is_unrolled = unrolled * (double)loop->trips <= most;
	if (!loop->is_unrolled)
		pass_emit(pass, pass->summary->emitted, false);
	return loop->is_unrolled;
}

/*
 * Compilers for GPUs unroll in part what they cannot unroll fully, whether trips are known
 * or not, the front and the back each by four; no loop that keeps one in its body.
 */
static uint32_t part_of(const struct ir_statement *statement, double size)
{
	if (statement->unroll == 1)
		return 1;
	if (statement->unroll > 1 && statement->unroll < UINT16_MAX)
		return statement->unroll;
	return size <= (double)UNROLL_TWICE_SIZE_MAX  ? UNROLL_PART * UNROLL_PART
	       : size <= (double)UNROLL_PART_SIZE_MAX ? UNROLL_PART
	                                              : 1;
}

/* What a block adds to the one around it: nothing less than all of it, unrolled. */
static double size_above(const struct pass *pass, uint32_t block)
{
	uint32_t own = pass->loop_index[pass->kernel->blocks[block].owner];
	const struct ir_loop *loop = own != IR_NONE ? &pass->summary->loops[own] : NULL;
	if (loop == NULL)
		return pass->kernel->statements[pass->kernel->blocks[block].owner].is_tile
		               ? 0
		               : pass->block_size[block];
	if (loop->is_unrolled)
		return loop->trips == 0 ? 0 : (double)loop->trips * pass->block_size[block];
	/* one more copy of it, which is asked for again once the loops around are unrolled */
	if (loop->is_nested)
		return pass->block_size[block] + TURN_OPERATIONS;
	return (double)INFINITY; /* a loop that keeps a loop in its body stays */
}

/* Where in block_order those end that begin at `at`, a block and what is within it. */
static uint32_t blocks_end(const struct pass *pass, uint32_t at)
{
	uint32_t block = pass->block_order[at];
	/* each of them was entered and left in between, by a tick each */
	return at + (pass->block_leave[block] - pass->block_enter[block] + 1) / 2;
}

/* Whether a loop waits within a block, by its place in block_order, for those around to be
 * unrolled. */
static bool has_nested(const struct pass *pass, uint32_t at)
{
	for (uint32_t i = at + 1; i < blocks_end(pass, at); i++) {
		uint32_t own = pass->loop_index[pass->kernel->blocks[pass->block_order[i]].owner];
		if (own != IR_NONE && pass->summary->loops[own].is_nested &&
		    !pass->summary->loops[own].is_unrolled)
			return true;
	}
	return false;
}

/*
 * Loops within one that is unrolled now whose trips its counter decides: each copy has constant
 * ones. Then sizes once more, inner ones first.
 */
static void unroll_nested(struct pass *pass, uint32_t at)
{
	const struct ir_kernel *kernel = pass->kernel;
	uint32_t end = blocks_end(pass, at);
	for (uint32_t i = at + 1; i < end; i++) {
		uint32_t body = pass->block_order[i];
		uint32_t own = pass->loop_index[kernel->blocks[body].owner];
		if (own == IR_NONE)
			continue;
		struct ir_loop *loop = &pass->summary->loops[own];
		if (loop->is_nested && pass_nest_is_unrolled(pass, loop->statement))
			loop->is_unrolled = kernel->statements[loop->statement].unroll != 1 &&
			                    (double)loop->trips * pass->block_size[body] <=
			                            (double)UNROLL_OPERATIONS_MAX;
	}
	for (uint32_t i = end; i-- > at;) {
		uint32_t body = pass->block_order[i];
		pass->block_size[body] = own_size(pass, body);
		for (uint32_t s = kernel->blocks[body].first; s != IR_NONE;
		     s = kernel->statements[s].following) {
			const struct ir_statement *statement = &kernel->statements[s];
			if (statement->body != IR_NONE)
				pass->block_size[body] += size_above(pass, statement->body);
			if (statement->otherwise != IR_NONE)
				pass->block_size[body] += size_above(pass, statement->otherwise);
		}
	}
}

/* A loop whose trips loops around it decide; until they are unrolled it stays. */
static void find_nested(struct pass *pass, struct ir_loop *loop, uint32_t *budget)
{
	double trips;
	if (loop->trip != TRIP_LAUNCH || loop->has_early_exit ||
	    !pass_nested_trips(pass, loop->statement, budget, &trips))
		return;
	loop->is_nested = trips <= (double)UNROLL_TRIPS_MAX;
	loop->trips = (uint64_t)llround(trips);
}

/*
 * Inner loops first, since a loop's size counts what is unrolled within.
 * Requires a first emit; fills is_unrolled and loop_depth.
 */
void pass_unroll(struct pass *pass)
{
	const struct ir_kernel *kernel = pass->kernel;
	struct ir_summary *summary = pass->summary;
	unsigned tries = UNROLL_TRIES_MAX;
	uint32_t budget = NESTED_BUDGET;
	for (uint32_t i = 0; i < summary->loop_count; i++)
		find_nested(pass, &summary->loops[i], &budget);
	for (uint32_t i = 0; i < pass->block_order_count; i++)
		pass->block_size[pass->block_order[i]] = own_size(pass, pass->block_order[i]);
	/* In the reverse order of the text, what stands below a block comes before it. */
	for (uint32_t i = pass->block_order_count; i-- > 1;) {
		uint32_t block = pass->block_order[i], s = kernel->blocks[block].owner;
		if (kernel->statements[s].kind == STATEMENT_LOOP) {
			struct ir_loop *loop = &summary->loops[pass->loop_index[s]];
			bool keeps = has_nested(pass, i);
			loop->is_unrolled =
			        unrolls(&kernel->statements[s], loop, pass->block_size[block]) ||
			        unrolls_to_less(pass, &kernel->statements[s], loop, &tries);
			if (loop->is_unrolled && keeps)
				unroll_nested(pass, i);
			/* by a hint before those around are looked at */
			loop->is_unrolled_early =
			        unrolls_early(&kernel->statements[s], loop,
			                      keeps ? (double)INFINITY : pass->block_size[block]) ||
			        pass_is_threaded(pass, loop);
			loop->unroll = part_of(&kernel->statements[s],
			                       keeps ? (double)INFINITY : pass->block_size[block]);
		}
		pass->block_size[kernel->statements[s].block] += size_above(pass, block);
	}
	for (uint32_t i = 1; i < pass->block_order_count; i++) {
		uint32_t block = pass->block_order[i], parent = pass_parent(pass, block);
		uint32_t own = pass->loop_index[kernel->blocks[block].owner];
		summary->loop_depth[block] = summary->loop_depth[parent] +
		                             (own != IR_NONE && !summary->loops[own].is_unrolled);
	}
}
