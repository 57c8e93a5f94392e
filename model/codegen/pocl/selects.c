/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which selects LLVM makes branches of for x86, where a loop would wait for what they choose by
 * (X86CmovConversion.cpp): a select waits for its condition and for both values, a branch that is
 * guessed right for one value alone. LLVM looks at innermost loops, two iterations of each, and
 * takes one value to be chosen three times in four. A minimum of integers is a comparison and a
 * select.
 */
#include <math.h>
#include <stdlib.h>

#include "model/codegen/codegen.h"
#include "model/underived.h"

enum { ITERATIONS = 2 };

/* Cycles, by LLVM's models of schedules. */
#define MISPREDICT_CYCLES 14.0 /* of Intel's; from 13 to 17 of others */
#define LOAD_CYCLES       5.0
#define PRODUCT_CYCLES    3.0
#define REAL_CYCLES       4.0
#define LONG_CYCLES       20.0

/* Cycles until something is there, as it is and with branches for selects. */
struct wait {
	double now, then;
	bool is_counted; /* goes by the same in each iteration, as compilers have addresses do */
};

struct selects {
	const struct machine *m;
	const bool *is_parted; /* per node: a branch has it as its condition anyway */
	uint32_t *loop;        /* per node: the innermost loop it is in, if it has no other in it */
	struct wait *node;     /* per node */
	struct wait (*longest)[ITERATIONS]; /* per loop */
	bool *is_refused; /* per node: a condition that a select of little use has */
};

/*
 * Whether a node is a select of integers: what is joined by && and || is none. *is_minimum: after a
 * comparison of them.
 */
static bool is_select(const struct selects *s, uint32_t id, bool *is_minimum)
{
	const struct ir_kernel *kernel = s->m->input->kernel;
	const struct ir_node *n = &kernel->nodes[id];
	int64_t constant;

	*is_minimum = n->op == NODE_MIN || n->op == NODE_MAX;
	if (!type_is_integer(n->type) || n->type.width != 1)
		return false;
	if (*is_minimum) /* one with zero is a shift of the sign, and a mask */
		return !kernel_constant(kernel, kernel_operands(kernel, id)[1], &constant) ||
		       constant != 0;
	return (n->op == NODE_SELECT || n->op == NODE_PHI) &&
	       !s->is_parted[kernel_operands(kernel, id)[0]] &&
	       !node_is_truth(&kernel->nodes[kernel_operands(kernel, id)[1]]) &&
	       !node_is_truth(&kernel->nodes[kernel_operands(kernel, id)[2]]);
}

static struct wait wait_for(const struct selects *s, uint32_t loop, uint32_t node)
{
	return node != IR_NONE && s->loop[node] == loop ? s->node[node]
	                                                : (struct wait){.is_counted = true};
}

static double branched(double one, double other)
{
	return ceil((3 * fmax(one, other) + fmin(one, other)) / 4);
}

/* Whether a loop's variable goes by what the loop does not change. */
static bool is_counter(const struct selects *s, const struct ir_variable *variable)
{
	uint32_t step = kernel_step(s->m->input->kernel, variable);

	return step != IR_NONE && s->loop[step] != s->loop[variable->node];
}

static bool keeps_count(const struct ir_node *n)
{
	return type_is_integer(n->type) &&
	       (n->op == NODE_ADD || n->op == NODE_SUB || n->op == NODE_NEG || n->op == NODE_MUL ||
	        n->op == NODE_SHL || n->op == NODE_CONVERT);
}

static double cycles_of(const struct ir_kernel *kernel, const struct ir_node *n)
{
	int64_t divisor;

	switch (node_op_class((enum node_op)n->op)) {
	case OP_CLASS_NONE:
		return 0;
	case OP_CLASS_CONVERT:
		return type_is_real(n->type) ? REAL_CYCLES : 0;
	case OP_CLASS_DIV:
	case OP_CLASS_MOD:
		return type_is_integer(n->type) &&
		                       kernel_constant(kernel,
		                                       kernel->operands[n->first_operand + 1],
		                                       &divisor)
		               ? PRODUCT_CYCLES
		               : LONG_CYCLES;
	case OP_CLASS_MUL:
		return type_is_real(n->type) ? REAL_CYCLES : PRODUCT_CYCLES;
	default:
		return n->op == NODE_CALL ? LONG_CYCLES : type_is_real(n->type) ? REAL_CYCLES : 1;
	}
}

/* What two values and a condition (or what is compared) make the select's wait. */
static void measure_select(const struct selects *s, uint32_t id, bool is_minimum)
{
	const uint32_t *operands = kernel_operands(s->m->input->kernel, id);
	uint32_t loop = s->loop[id];
	struct wait one = wait_for(s, loop, operands[is_minimum ? 0 : 1]);
	struct wait other = wait_for(s, loop, operands[is_minimum ? 1 : 2]);
	double values = fmax(one.now, other.now);

	s->node[id].now =
	        1 + (is_minimum ? values + 1 : fmax(values, wait_for(s, loop, operands[0]).now));
	s->node[id].then = 1 + branched(one.then, other.then);
	s->node[id].is_counted = false;
}

static void measure_node(const struct selects *s, uint32_t id, unsigned iteration)
{
	const struct ir_kernel *kernel = s->m->input->kernel;
	const struct ir_node *n = &kernel->nodes[id];
	uint32_t loop = s->loop[id], index = IR_NONE;
	struct wait *wait = &s->node[id];
	struct wait *longest = &s->longest[loop][iteration];
	double cycles = cycles_of(kernel, n);
	bool is_minimum;

	if (n->op == NODE_LOOP_VAR) {
		const struct ir_variable *variable = kernel_variable(kernel, id);

		*wait = (struct wait){0};
		if (is_counter(s, variable))
			wait->is_counted = true;
		else if (iteration > 0)
			*wait = wait_for(s, loop, variable->next);
		return;
	}
	if (is_select(s, id, &is_minimum)) {
		measure_select(s, id, is_minimum);
	} else {
		*wait = (struct wait){.is_counted = keeps_count(n)};
		if (n->op == NODE_LOAD || n->op == NODE_ATOMIC) {
			index = kernel->accesses[n->aux].index;
			cycles = LOAD_CYCLES;
		}
		for (unsigned i = 0; i <= n->operand_count; i++) {
			uint32_t operand =
			        i < n->operand_count ? kernel_operands(kernel, id)[i] : index;
			struct wait on = wait_for(s, loop, operand);

			if (n->op == NODE_PHI && i == 0) /* a branch's */
				continue;
			wait->now = fmax(wait->now, on.now);
			wait->then = fmax(wait->then, on.then);
			wait->is_counted &= on.is_counted;
		}
		if (wait->is_counted)
			return;
		wait->now += cycles;
		wait->then += cycles;
	}
	longest->now = fmax(longest->now, wait->now);
	longest->then = fmax(longest->then, wait->then);
}

/* Whether branches would shorten what a loop waits for, and what its iterations add to that. */
static bool is_worth(const struct wait longest[ITERATIONS])
{
	double first = longest[0].now - longest[0].then, second = longest[1].now - longest[1].then;

	if (second > first)
		return (second - first) * 2 >= longest[1].now - longest[0].now &&
		       second * SELECT_GAIN >= longest[1].now;
	return second == first && first > 0 && first * SELECT_GAIN >= longest[0].now;
}

/* Whether a condition comes so late that a wrong guess is worth it. */
static bool is_late(const struct selects *s, uint32_t id, bool is_minimum)
{
	const uint32_t *operands = kernel_operands(s->m->input->kernel, id);
	double one = wait_for(s, s->loop[id], operands[is_minimum ? 0 : 1]).now;
	double other = wait_for(s, s->loop[id], operands[is_minimum ? 1 : 2]).now;
	double condition =
	        is_minimum ? fmax(one, other) + 1 : wait_for(s, s->loop[id], operands[0]).now;

	return (condition - branched(one, other)) * 4 >= MISPREDICT_CYCLES;
}

/* Each node's loop, if that is an innermost one that work-items go through one by one. */
static void find_loops(const struct selects *s, bool *has_inner)
{
	const struct ir_kernel *kernel = s->m->input->kernel;
	const struct ir_summary *summary = kernel->summary;

	for (uint32_t i = 0; i < summary->loop_count; i++) {
		const struct ir_statement *loop = &kernel->statements[summary->loops[i].statement];
		uint32_t around = summary->block_loop[loop->block];

		if (around != IR_NONE)
			has_inner[around] = true;
		has_inner[i] |= block_mode(s->m, loop->body) != OP_MODE_SCALAR ||
		                s->m->code.lanes[loop->body].share > 0;
	}
	for (uint32_t id = 0; id < kernel->node_count; id++) {
		const struct ir_node *n = &kernel->nodes[id];
		bool is_access = n->op == NODE_LOAD || n->op == NODE_ATOMIC;
		uint32_t block =
		        is_access ? summary->access_block[n->aux] : summary->node_block[id];
		uint32_t loop = block < kernel->block_count ? summary->block_loop[block] : IR_NONE;

		if (n->op == NODE_LOOP_VAR)
			loop = summary->block_loop[kernel->statements[n->aux].body];
		s->loop[id] = loop != IR_NONE && !has_inner[loop] ? loop : IR_NONE;
	}
}

static void find_branches(const struct selects *s, bool *is_branch)
{
	const struct ir_kernel *kernel = s->m->input->kernel;
	bool is_minimum;

	for (unsigned iteration = 0; iteration < ITERATIONS; iteration++)
		for (uint32_t id = 0; id < kernel->node_count; id++)
			if (s->loop[id] != IR_NONE)
				measure_node(s, id, iteration);
	for (uint32_t id = 0; id < kernel->node_count; id++)
		if (s->loop[id] != IR_NONE && is_select(s, id, &is_minimum) &&
		    !(is_worth(s->longest[s->loop[id]]) && is_late(s, id, is_minimum)))
			s->is_refused[is_minimum ? id : kernel_operands(kernel, id)[0]] = true;
	for (uint32_t id = 0; id < kernel->node_count; id++)
		if (s->loop[id] != IR_NONE && is_select(s, id, &is_minimum) &&
		    !s->is_refused[is_minimum ? id : kernel_operands(kernel, id)[0]])
			is_branch[id] = true;
}

bool is_chosen(const struct machine *m, uint32_t node)
{
	const struct ir_kernel *kernel = m->input->kernel;
	const uint32_t *operands = kernel_operands(kernel, node);

	return kernel->nodes[node].op == NODE_PHI && !m->code.is_branch[node] &&
	       kernel->nodes[node].type.width == 1 && !node_is_truth(&kernel->nodes[operands[1]]) &&
	       !node_is_truth(&kernel->nodes[operands[2]]);
}

enum status cpu_selects(const struct machine *m, const bool *is_parted, bool *is_branch,
                        struct error *error)
{
	const struct ir_kernel *kernel = m->input->kernel;
	size_t nodes = kernel->node_count, loops = kernel->summary->loop_count;
	struct selects s = {.m = m, .is_parted = is_parted};
	enum status status = STATUS_OK;
	bool *has_inner = calloc(loops + 1, sizeof(*has_inner));

	s.loop = calloc(nodes + 1, sizeof(*s.loop));
	s.node = calloc(nodes + 1, sizeof(*s.node));
	s.longest = calloc(loops + 1, sizeof(*s.longest));
	s.is_refused = calloc(nodes + 1, sizeof(*s.is_refused));
	if (has_inner == NULL || s.loop == NULL || s.node == NULL || s.longest == NULL ||
	    s.is_refused == NULL) {
		status = error_set(error, STATUS_NO_MEMORY, "%s: no memory for its selects",
		                   kernel->name);
		goto out;
	}
	find_loops(&s, has_inner);
	find_branches(&s, is_branch);
out:
	free(s.is_refused);
	free(s.longest);
	free(s.node);
	free(s.loop);
	free(has_inner);
	return status;
}
