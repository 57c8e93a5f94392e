/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Vectors of OpenCL C in a CPU's registers: what puts scalars into them, and takes scalars out.
 *
 * Where work-items are no lanes, LLVM keeps a vector whole: one that crosses an iteration, is
 * stored, or takes part in an operation of vectors. Its components then go in and out one by one,
 * through the one unit that moves lanes: those of reals in a cycle each, those of integers by way
 * of another kind of register, which takes two and makes others wait for three (Fog, Instruction
 * tables; read off the code of PoCL 5.0). So do those of a vector that is widened: half of them,
 * where LLVM puts the other half together again (PoCL 3.1).
 */
#include <stdlib.h>

#include "model/codegen/codegen.h"

enum { CROSSING_CYCLES = 3 }; /* until an integer is in the other kind of register */
enum { WORD_BYTES = 4 };

/* Of a core: the addition of integers takes one. */
static double cycle_time(const struct machine *m)
{
	return device_value(m->input->device, COEFFICIENT_INT_LATENCY, 0);
}

/*
 * Whether a vector is made of narrower integers: PoCL does so by halves down to one each. Two words
 * are no register's worth and stay apart.
 */
static bool is_made_singly(const struct ir_kernel *kernel, const struct ir_node *node)
{
	struct type from;

	if (node->op != NODE_CONVERT || node->type.width <= 2)
		return false;
	from = kernel->nodes[kernel->operands[node->first_operand]].type;
	return type_is_integer(from) && scalar_bytes((enum scalar)from.scalar) < WORD_BYTES &&
	       scalar_bytes((enum scalar)from.scalar) <
	               scalar_bytes((enum scalar)node->type.scalar);
}

/*
 * A component that is there already: the first of reals, and an integer that can be loaded alone.
 * Reals are loaded together, and the first operation is done with all of them.
 */
static bool is_free(const struct ir_kernel *kernel, const struct ir_node *node)
{
	const struct ir_node *from;

	if (node->op != NODE_SWIZZLE || node->type.width > 1)
		return false;
	from = &kernel->nodes[kernel->operands[node->first_operand]];
	if (type_is_real(node->type))
		return (node->imm & 15) == 0;
	return from->op == NODE_LOAD;
}

double packing_latency(const struct machine *m, uint32_t node)
{
	const struct ir_node *n = &m->input->kernel->nodes[node];
	bool is_real = type_is_real(n->type);
	double cycle = cycle_time(m);

	if (m->input->kernel->summary->node_lanes[node] > 0)
		return 0;
	switch ((enum node_op)n->op) {
	case NODE_VECTOR:
		return cycle * (n->operand_count - 1 + (is_real ? 0 : (int)CROSSING_CYCLES));
	case NODE_INSERT:
		return cycle * (1 + (is_real ? 0 : (int)CROSSING_CYCLES));
	case NODE_SWIZZLE:
		if (is_free(m->input->kernel, n))
			return 0;
		return cycle * (is_real || n->type.width > 1 ? 1 : (int)CROSSING_CYCLES);
	default:
		return 0;
	}
}

/* Cycles of the unit that moves lanes. */
static double moves(const struct ir_kernel *kernel, const struct ir_node *n)
{
	bool is_real = type_is_real(n->type);

	switch ((enum node_op)n->op) {
	case NODE_VECTOR:
		return is_real ? n->operand_count - 1 : 2 * n->operand_count - 1;
	case NODE_INSERT:
		return is_real ? 1 : 2;
	case NODE_SWIZZLE:
		return is_free(kernel, n) ? 0 : 1;
	case NODE_CONVERT:
		return is_made_singly(kernel, n) ? n->type.width : 0;
	default:
		return 0;
	}
}

/*
 * Whether a component goes on by an addition alone, so that all of them are added to as one vector:
 * they need not come out, only what is added has to be put together.
 */
static bool is_added_to(const struct ir_kernel *kernel, const struct ir_variable *variable,
                        const uint32_t *uses)
{
	const struct ir_node *next;

	if (variable->next == IR_NONE || uses[variable->node] != 1)
		return false;
	next = &kernel->nodes[variable->next];
	return (next->op == NODE_ADD || next->op == NODE_SUB) &&
	       (kernel->operands[next->first_operand] == variable->node ||
	        (next->op == NODE_ADD &&
	         kernel->operands[next->first_operand + 1] == variable->node));
}

/* How many nodes that are needed use each; vectors of the components themselves are not counted. */
static void count_uses(const struct ir_kernel *kernel, uint32_t *uses)
{
	for (uint32_t id = 0; id < kernel->node_count; id++) {
		const struct ir_node *n = &kernel->nodes[id];

		for (unsigned i = 0; i < n->operand_count && n->op != NODE_VECTOR; i++)
			uses[kernel->operands[n->first_operand + i]] +=
			        kernel->summary->node_block[id] != IR_NONE;
	}
}

/* Marks the components of a vector of which all are added to. */
static void mark_added(struct machine *m, uint32_t first, uint32_t count, const uint32_t *uses)
{
	const struct ir_kernel *kernel = m->input->kernel;
	uint32_t i = 0;

	while (i < count && is_added_to(kernel, &kernel->variables[first + i], uses) &&
	       kernel->nodes[kernel->variables[first + i].next].op ==
	               kernel->nodes[kernel->variables[first].next].op)
		i++;
	for (i = i == count ? i : 0; i-- > 0;)
		m->code.is_added[first + i] = true;
}

/*
 * A vector that a loop changes: launches simulate scalars, so the kernel has a variable for each
 * component; one vector of them all, whether something needs it or not, says that they are one.
 */
enum status cpu_parts(struct machine *m, struct error *error)
{
	const struct ir_kernel *kernel = m->input->kernel;
	uint32_t *variable_of, *uses;

	m->code.is_part = calloc((size_t)kernel->variable_count + 1, sizeof(*m->code.is_part));
	m->code.is_added = calloc((size_t)kernel->variable_count + 1, sizeof(*m->code.is_added));
	variable_of = malloc(((size_t)kernel->node_count + 1) * sizeof(*variable_of));
	uses = calloc((size_t)kernel->node_count + 1, sizeof(*uses));
	if (!m->code.is_part || !m->code.is_added || !variable_of || !uses) {
		free(uses);
		free(variable_of);
		return error_set(error, STATUS_NO_MEMORY, "%s: no memory for its vectors",
		                 kernel->name);
	}
	count_uses(kernel, uses);
	for (uint32_t id = 0; id < kernel->node_count; id++)
		variable_of[id] = IR_NONE;
	for (uint32_t i = 0; i < kernel->variable_count; i++)
		variable_of[kernel->variables[i].node] = i;
	for (uint32_t id = 0; id < kernel->node_count; id++) {
		const struct ir_node *n = &kernel->nodes[id];
		uint32_t first, i = 1;

		if (n->op != NODE_VECTOR)
			continue;
		first = variable_of[kernel->operands[n->first_operand]];
		if (first != IR_NONE &&
		    kernel->summary->node_lanes[kernel->variables[first].node] > 0)
			continue; /* it stays whole */
		while (first != IR_NONE && i < n->operand_count &&
		       variable_of[kernel->operands[n->first_operand + i]] == first + i)
			i++;
		if (i == n->operand_count)
			mark_added(m, first, i, uses);
		for (i = i == n->operand_count ? i : 0; i-- > 0;)
			m->code.is_part[first + i] = true;
	}
	free(uses);
	free(variable_of);
	return STATUS_OK;
}

double part_latency(const struct machine *m, uint32_t variable)
{
	const struct ir_kernel *kernel = m->input->kernel;
	bool is_real = type_is_real(kernel->nodes[kernel->variables[variable].node].type);

	return m->code.is_part && m->code.is_part[variable] && !m->code.is_added[variable]
	               ? 2 * cycle_time(m) * (is_real ? 1 : 1 + (int)CROSSING_CYCLES)
	               : 0;
}

/* Moves of the components that loops change: each out and in again. */
static double moves_of_parts(const struct machine *m)
{
	const struct ir_kernel *kernel = m->input->kernel;
	double count = 0;

	for (uint32_t s = 0; s < kernel->statement_count; s++) {
		const struct ir_statement *loop = &kernel->statements[s];

		if (loop->kind != STATEMENT_LOOP || block_mode(m, loop->body) != OP_MODE_SCALAR)
			continue;
		for (uint32_t i = 0; i < loop->variable_count; i++) {
			uint32_t node = kernel->variables[loop->first_variable + i].node;

			if (m->code.is_part[loop->first_variable + i] &&
			    kernel->summary->node_block[node] != IR_NONE)
				count += block_items(m, loop->body) *
				         ((type_is_real(kernel->nodes[node].type) ? 2 : 3) -
				          m->code.is_added[loop->first_variable + i]);
		}
	}
	return count;
}

/* Marks vectors that something needs whole. */
static void mark_whole(const struct ir_kernel *kernel, bool *is_whole)
{
	for (uint32_t id = 0; id < kernel->node_count; id++) {
		const struct ir_node *n = &kernel->nodes[id];

		for (unsigned i = 0; i < n->operand_count; i++)
			if (n->op != NODE_SWIZZLE && kernel->summary->node_block[id] != IR_NONE)
				is_whole[kernel->operands[n->first_operand + i]] = true;
	}
	for (uint32_t i = 0; i < kernel->access_count; i++)
		if (kernel->accesses[i].value != IR_NONE)
			is_whole[kernel->accesses[i].value] = true;
	for (uint32_t i = 0; i < kernel->variable_count; i++)
		if (kernel->summary->node_block[kernel->variables[i].node] != IR_NONE &&
		    kernel->variables[i].next != IR_NONE)
			is_whole[kernel->variables[i].next] = true;
}

/*
 * Moves of vectors of narrow integers that lie where any element may: vloadN and vstoreN. PoCL's
 * are functions that recurse by halves, down to single elements. Those of a store come out one by
 * one. Those of a load LLVM's vectorisers put together again; without them, as PoCL 5.0 has it,
 * pairs go in one by one (`vpextrb`, `vpinsrw`: read off PoCL 3.1's code, and off what LLVM 19
 * makes of its library without vectorisers).
 */
static double moves_of_accesses(const struct machine *m, const bool *is_whole)
{
	const struct ir_kernel *kernel = m->input->kernel;
	double count = 0;

	for (uint32_t i = 0; i < kernel->access_count; i++) {
		const struct ir_access *a = &kernel->accesses[i];
		uint32_t block = kernel->summary->access_block[i];

		if (block >= kernel->block_count || !a->is_packed ||
		    scalar_bytes((enum scalar)a->type.scalar) >= WORD_BYTES ||
		    block_mode(m, block) != OP_MODE_SCALAR)
			continue;
		if (a->kind == ACCESS_STORE)
			count += access_items(m, i) * a->type.width;
		else if (!m->code.makes_vectors && a->result != IR_NONE && is_whole[a->result])
			count += access_items(m, i) * a->type.width / 2;
	}
	return count;
}

enum status packing_time(const struct machine *m, double *moves_each, double *time_s,
                         struct error *error)
{
	const struct ir_kernel *kernel = m->input->kernel;
	bool *is_whole;
	double count = 0;

	*moves_each = *time_s = 0;
	is_whole = calloc((size_t)kernel->node_count + 1, sizeof(*is_whole));
	if (!is_whole)
		return error_set(error, STATUS_NO_MEMORY, "%s: no memory for its vectors",
		                 kernel->name);
	mark_whole(kernel, is_whole);
	for (uint32_t id = 0; id < kernel->node_count; id++) {
		const struct ir_node *n = &kernel->nodes[id];
		uint32_t block = kernel->summary->node_block[id];

		if (block == IR_NONE || m->code.is_once[id] ||
		    kernel->summary->node_lanes[id] > 0 ||
		    ((n->op == NODE_VECTOR || n->op == NODE_CONVERT) && !is_whole[id]) ||
		    block_mode(m, block) != OP_MODE_SCALAR)
			continue;
		count += moves(kernel, n) * block_items(m, block);
	}
	count += moves_of_parts(m) + moves_of_accesses(m, is_whole);
	free(is_whole);
	*moves_each = count / m->occupancy.items;
	*time_s = count * cycle_time(m) / m->occupancy.units;
	return STATUS_OK;
}
