/* SPDX-License-Identifier: Apache-2.0 */
/* How many trips loops of some kinds have, where nothing but their kind tells. */
#include "model/evaluate/usual.h"

#include <math.h>

#include "model/underived.h"

enum { USUAL_DEPTH_MAX = 8 };

static unsigned bits_of(const struct ir_kernel *kernel, uint32_t node, unsigned depth)
{
	const struct ir_node *n = &kernel->nodes[node];
	const uint32_t *operands = kernel_operands(kernel, node);
	unsigned bits = 8 * scalar_bytes((enum scalar)n->type.scalar);
	unsigned within = bits;
	int64_t by;

	if (depth >= USUAL_DEPTH_MAX || !type_is_integer(n->type))
		return bits;
	if (n->op == NODE_CONVERT && type_is_integer(kernel->nodes[operands[0]].type) &&
	    !type_is_signed(kernel->nodes[operands[0]].type))
		within = bits_of(kernel, operands[0], depth + 1);
	for (unsigned i = 0; n->op == NODE_AND && i < 2; i++)
		if (kernel_constant(kernel, operands[i], &by) && by > 0)
			within = 64 - (unsigned)__builtin_clzll((uint64_t)by);
	if (n->op == NODE_SHR && !type_is_signed(n->type) &&
	    kernel_constant(kernel, operands[1], &by) && by > 0 && by < (int64_t)bits)
		within = bits_of(kernel, operands[0], depth + 1) - (unsigned)by;
	return within < bits && within > 0 ? within : bits;
}

unsigned usual_bits(const struct ir_kernel *kernel, uint32_t node)
{
	return bits_of(kernel, node, 0);
}

static bool rests_on(const struct schedule *schedule, uint32_t node, uint32_t part, unsigned depth)
{
	const struct ir_node *n = &schedule->kernel->nodes[node];

	if (node == part || depth >= USUAL_DEPTH_MAX || !question_looks(schedule->question))
		return node == part;
	for (unsigned i = 0; i < n->operand_count; i++)
		if (rests_on(schedule, kernel_operands(schedule->kernel, node)[i], part, depth + 1))
			return true;
	return false;
}

/* Whether a loop ends by a variable that says where in an array of the program it reads. */
static bool keeps_way(const struct schedule *schedule, uint32_t access,
                      const struct ir_statement *loop)
{
	const struct ir_kernel *kernel = schedule->kernel;
	const struct ir_access *a = &kernel->accesses[access];

	for (uint32_t i = 0; i < loop->variable_count; i++) {
		const struct ir_variable *v = &kernel->variables[loop->first_variable + i];
		uint32_t step;

		if (variable_step(schedule, v, &step) == 0 &&
		    rests_on(schedule, loop->condition, v->node, 0) &&
		    rests_on(schedule, a->index, v->node, 0))
			return true;
	}
	return false;
}

unsigned trips_of_walk(const struct schedule *schedule, uint32_t statement)
{
	const struct ir_kernel *kernel = schedule->kernel;
	const struct ir_statement *loop = &kernel->statements[statement];
	bool has_stack = false;
	double most = 0;

	for (uint32_t i = 0; i < kernel->access_count && loop->condition != IR_NONE; i++) {
		const struct ir_access *a = &kernel->accesses[i];
		const struct evaluation_access *r = &schedule->question->sizes->accesses[i];

		if (a->kind != ACCESS_LOAD || a->index == IR_NONE ||
		    schedule->list[a->index] != list_of(schedule->kernel, statement))
			continue;
		if (kernel->objects[a->object].argument == IR_NONE)
			has_stack |= keeps_way(schedule, i, loop);
		else if (a->scale_bytes > 0)
			most = fmax(most, (double)r->object_bytes / (double)a->scale_bytes);
	}
	return has_stack ? (unsigned)fmin(fmax(round(sqrt(most)), 1), 1 << 20) : 0;
}

unsigned trips_of_probes(const struct schedule *schedule, uint32_t statement, uint64_t most)
{
	const struct ir_kernel *kernel = schedule->kernel;
	double probes = 1;

	for (uint32_t i = 0; i < kernel->access_count; i++) {
		const struct ir_access *a = &kernel->accesses[i];
		const struct evaluation_access *r = &schedule->question->sizes->accesses[i];
		double full = (double)schedule->question->sizes->items * r->bytes;

		if (a->kind != ACCESS_ATOMIC || !a->is_exchange || a->index == IR_NONE ||
		    schedule->list[a->index] != list_of(schedule->kernel, statement))
			continue;
		full = fmin(full / fmax(1, (double)r->object_bytes), FULL_MOST);
		probes = fmax(probes, (1 + 1 / (1 - full)) / 2);
	}
	return (unsigned)round(fmin(probes, fmax(1, (double)most)));
}

unsigned trips_of_bits(const struct ir_kernel *kernel, const struct ir_statement *s)
{
	const struct ir_node *condition =
	        s->condition == IR_NONE ? NULL : &kernel->nodes[s->condition];

	for (uint32_t i = 0; i < s->variable_count && condition; i++) {
		const struct ir_variable *v = &kernel->variables[s->first_variable + i];
		const struct ir_node *next = v->next == IR_NONE ? NULL : &kernel->nodes[v->next];
		bool is_asked = s->condition == v->node;
		unsigned whole = 8 * scalar_bytes((enum scalar)kernel->nodes[v->node].type.scalar);
		double bits = usual_bits(kernel, v->init);
		int64_t by;

		for (unsigned k = 0; k < condition->operand_count; k++)
			is_asked |= kernel->operands[condition->first_operand + k] == v->node;
		if (!is_asked || !next || (next->op != NODE_SHR && next->op != NODE_DIV) ||
		    !type_is_integer(kernel->nodes[v->node].type) ||
		    kernel->operands[next->first_operand] != v->node ||
		    !kernel_constant(kernel, kernel->operands[next->first_operand + 1], &by) ||
		    by < (next->op == NODE_SHR ? 1 : 2))
			continue;
		bits -= type_is_signed(kernel->nodes[v->node].type) && bits >= whole ? 2 : 1;
		return (unsigned)fmax(
		        1, ceil(bits / (next->op == NODE_SHR ? (double)by : log2((double)by))));
	}
	return 0;
}
