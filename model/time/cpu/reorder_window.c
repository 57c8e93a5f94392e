/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How far a core goes ahead of a read that it waits for. What follows a read is begun in
 * order, until so many operations wait behind it: a window. Reads within one window wait
 * together (memory-level parallelism: Glew, "MLP yes! ILP no!", ASPLOS 1998), those of the next one
 * after them; so a window of operations takes as long as the furthest of its reads, if not as
 * long as its work. Lines that prefetchers bring are not waited for.
 */
#include <math.h>
#include <stdlib.h>

#include "model/device/levels.h"
#include "model/time/cpu/cpu.h"
#include "model/underived.h"

/* Operations of a work-item, as a core counts them. */
static double operations_of_item(const struct machine *m)
{
	const struct ir_kernel *kernel = m->input->kernel;
	double all = 0;

	for (uint32_t b = 0; b < kernel->block_count; b++) {
		bool is_vector = block_mode(m, b) == OP_MODE_VECTOR;
		double executions = evaluation_of(m)->blocks[b].executions, calls = 0, operations;

		if (!(executions > 0))
			continue;
		operations = operations_in(m, b, &calls);
		if (is_vector)
			operations *= m->code.one_by_one +
			              (1 - m->code.one_by_one) / (double)VECTOR_ITEMS;
		else if (m->code.lanes[b].share > 0)
			operations *= 1 - m->code.lanes[b].share * (1 - 1 / (double)VECTOR_ITEMS);
		all += operations * executions;
	}
	for (uint32_t i = 0; i < kernel->access_count; i++) {
		uint32_t block = kernel->summary->access_block[i];
		double executions = evaluation_of(m)->accesses[i].executions;

		if (block >= kernel->block_count || !(executions > 0) || is_register(m, i))
			continue;
		if (block_mode(m, block) != OP_MODE_VECTOR)
			all += executions;
		else if (m->code.is_gathered[i])
			all += executions * (double)GATHER_OPERATIONS;
		else
			all += executions * (m->code.one_by_one +
			                     (1 - m->code.one_by_one) / (double)VECTOR_ITEMS);
	}
	return all;
}

enum { CHOICES_MAX = 4 }; /* one within another, of where a variable goes on */

/* Whether what a variable goes on with is itself, or that and a constant, whatever chose. */
static bool goes_by(const struct ir_kernel *kernel, uint32_t next, uint32_t variable,
                    unsigned depth)
{
	const struct ir_node *n = &kernel->nodes[next];
	const uint32_t *operands = kernel_operands(kernel, next);
	int64_t step;

	if (next == variable)
		return true;
	if (n->op == NODE_ADD)
		return operands[0] == variable && kernel_constant(kernel, operands[1], &step);
	return (n->op == NODE_PHI || n->op == NODE_SELECT) && depth < CHOICES_MAX &&
	       goes_by(kernel, operands[1], variable, depth + 1) &&
	       goes_by(kernel, operands[2], variable, depth + 1);
}

/*
 * Nodes that what a buffer holds has a part in. Tables of the program are none: what follows
 * from them a prefetcher learns. Nor is what goes on by data, but along a row, as when two are
 * merged.
 */
static void mark_data(const struct ir_kernel *kernel, bool *is_data)
{
	for (unsigned pass = 0; pass < 2; pass++) /* around loops */
		for (uint32_t i = 0; i < kernel->node_count; i++) {
			const struct ir_node *n = &kernel->nodes[i];

			if (n->op == NODE_LOAD || n->op == NODE_ATOMIC) {
				uint32_t object = kernel->accesses[n->aux].object;

				is_data[i] = kernel->objects[object].argument != IR_NONE;
			}
			for (unsigned k = 0; k < n->operand_count; k++)
				is_data[i] |= is_data[kernel->operands[n->first_operand + k]];
			if (n->op == NODE_LOOP_VAR && n->aux < kernel->statement_count) {
				const struct ir_variable *variable = kernel_variable(kernel, i);

				is_data[i] |=
				        (variable->init != IR_NONE && is_data[variable->init]) ||
				        (variable->next != IR_NONE && is_data[variable->next] &&
				         !goes_by(kernel, variable->next, i, 0));
			}
		}
}

/*
 * Of the lines that an access waits for those that no prefetcher can tell: not where addresses
 * follow from ids by steps, nor where neighbours share pages, as they do that go through
 * memory in order in whatever form: within a page lines are brought before they are asked for.
 */
static double own_share(const struct evaluation_access *a, uint32_t index, const bool *is_data)
{
	if ((a->address.is_known && !a->address.is_random) || index == IR_NONE || !is_data[index])
		return 0;
	return a->lanes > 1 ? fmin(1, fmax(0, (a->pages - 1) / (a->lanes - 1))) : 1;
}

/* Lines that a load of the access waits for below each level, of a work-item. */
static void add_lines(const struct machine *m, uint32_t access, unsigned levels,
                      const bool *is_data, double *lines)
{
	const struct evaluation_access *a = &evaluation_of(m)->accesses[access];
	double own = own_share(a, m->input->kernel->accesses[access].index, is_data);

	for (unsigned i = 0; i < levels; i++)
		lines[i] += m->waits[(size_t)i * m->input->kernel->access_count + access] *
		            a->executions * own;
}

enum status ahead_time(const struct machine *m, double working_s, double *time_s,
                       struct error *error)
{
	const struct ir_kernel *kernel = m->input->kernel;
	double window = device_value(m->input->device, COEFFICIENT_AHEAD, 0), windows, working;
	double lines[MEMORY_LEVEL_COUNT] = {0};
	unsigned levels = cache_levels(m->input->device);
	bool *is_data;

	*time_s = 0;
	if (!(window > 0))
		return STATUS_OK;
	is_data = calloc((size_t)kernel->node_count + 1, sizeof(*is_data));
	if (is_data == NULL)
		return error_set(error, STATUS_NO_MEMORY, "%s: no memory for what data decide",
		                 kernel->name);
	mark_data(kernel, is_data);
	for (uint32_t i = 0; i < kernel->access_count; i++)
		if (kernel->accesses[i].kind == ACCESS_LOAD)
			add_lines(m, i, levels, is_data, lines);
	free(is_data);
	windows = fmax(operations_of_item(m), 1) / window; /* of a work-item */
	working = working_s / windows;
	for (unsigned i = 0; i < levels; i++) {
		unsigned below = i + 1 < levels ? i + 1 : (unsigned)MEMORY_DRAM;
		double near_s = level_value(m, i, MEMORY_COLUMN_LATENCY, 0);
		double far_s = level_value(m, below, MEMORY_COLUMN_LATENCY, 0);

		*time_s += windows * -expm1(-lines[i] / windows) *
		           fmax(0, fmax(working, far_s) - fmax(working, near_s));
	}
	return STATUS_OK;
}
