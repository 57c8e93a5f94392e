/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The default model's terms of what a unit executes: dispatch, arithmetic, local
 * memory, barriers.
 */
#include <math.h>
#include <string.h>

#include "model/time/lines.h"

void add_dispatch(struct terms *t)
{
	const struct machine *m = t->machine;
	const struct device *device = m->input->device;
	double groups = (double)evaluation_of(m)->groups;
	double of_groups = groups * device_value(device, COEFFICIENT_LAUNCH_GROUP, 0);
	double of_items = m->occupancy.items * device_value(device, COEFFICIENT_LAUNCH_ITEM, 0);

	term_add(t, BOTTLENECK_DISPATCH, of_groups + of_items);
	row_add(t->prediction, groups / m->occupancy.items, of_groups, "work-groups");
	row_add(t->prediction, 1, of_items, "work-items");
}

double pipes_time(const double pipe[PIPE_TERMS], double norm)
{
	double busy[PIPE_COUNT];

	memcpy(busy, pipe, sizeof(busy));
	busy[PIPE_REAL] -= fmin(pipe[ABREAST_SUMS], pipe[ABREAST_PRODUCTS]);
	return soft_maximum(busy, PIPE_COUNT, norm);
}

void pipes_slope(const double pipe[PIPE_TERMS], double norm, double slope[PIPE_TERMS])
{
	double abreast = fmin(pipe[ABREAST_SUMS], pipe[ABREAST_PRODUCTS]);
	double time_s = pipes_time(pipe, norm);
	enum pipe fewer =
	        pipe[ABREAST_SUMS] < pipe[ABREAST_PRODUCTS] ? ABREAST_SUMS : ABREAST_PRODUCTS;

	memset(slope, 0, PIPE_TERMS * sizeof(*slope));
	if (!(time_s > 0))
		return;
	for (unsigned i = 0; i < PIPE_COUNT; i++)
		slope[i] =
		        pow(fmax(0, pipe[i] - (i == PIPE_REAL ? abreast : 0)) / time_s, norm - 1);
	slope[fewer] = -slope[PIPE_REAL];
}

void add_operation_rows(struct terms *t, const struct arithmetic *a)
{
	const struct machine *m = t->machine;

	for (unsigned op = 0; op < OP_CLASS_COUNT; op++)
		for (unsigned type = 0; type < TYPE_CLASS_COUNT; type++)
			if (a->count[op][type] > 0)
				row_add(t->prediction, a->count[op][type] / m->occupancy.items,
				        on_units(m, a->time_s[op][type]), "%s %s",
				        type_class_name((enum type_class)type),
				        op_class_name((enum op_class)op));
}

void add_pipes(struct terms *t, struct arithmetic *a)
{
	const struct machine *m = t->machine;
	const struct device *device = m->input->device;
	double turns_s = a->iterations * device_value(device, COEFFICIENT_LOOP_ITERATION, 0);

	if (a->iterations > 0)
		row_add(t->prediction, a->iterations / m->occupancy.items, on_units(m, turns_s),
		        "loop iterations");
	a->pipe[PIPE_INTEGER] += turns_s;
	term_add(t, BOTTLENECK_ARITHMETIC, on_units(m, pipes_time(a->pipe, norm_of(device))));
	lines_add_arithmetic(t, a);
}

double local_load_time(const struct device *device)
{
	return device_value(device, COEFFICIENT_LOCAL_LOAD,
	                    device_value(device, COEFFICIENT_LOAD_VECTOR, 0));
}

void add_local(struct terms *t)
{
	const struct machine *m = t->machine;
	const struct ir_kernel *kernel = m->input->kernel;
	double loads = 0, stores = 0, loads_s = 0, stores_s = 0, more = 0, more_s = 0;

	for (uint32_t i = 0; i < kernel->access_count; i++) {
		const struct ir_access *access = &kernel->accesses[i];
		bool is_store = access->kind == ACCESS_STORE;
		double items;

		if (kernel->objects[access->object].space != SPACE_LOCAL ||
		    access->kind == ACCESS_ATOMIC)
			continue;
		items = access_items(m, i);
		if (!(items > 0)) /* in no block, perhaps */
			continue;
		double one_s = t->kind->local_time(t, i, items);
		double conflicts = items * (evaluation_of(m)->accesses[i].ways - 1);

		*(is_store ? &stores : &loads) += items;
		*(is_store ? &stores_s : &loads_s) += one_s;
		more += conflicts;
		lines_add_access(t, BOTTLENECK_LOCAL, i,
		                 one_s + conflicts * t->kind->conflict_time(m->input->device));
	}
	loads_s = on_busy_units(m, loads_s);
	stores_s = on_busy_units(m, stores_s);
	more_s = on_busy_units(m, more * t->kind->conflict_time(m->input->device));
	term_add(t, BOTTLENECK_LOCAL, loads_s + stores_s + more_s);
	if (loads > 0)
		row_add(t->prediction, loads / m->occupancy.items, loads_s, "local load");
	if (stores > 0)
		row_add(t->prediction, stores / m->occupancy.items, stores_s, "local store");
	if (more > 0)
		row_add(t->prediction, more / m->occupancy.items, more_s, "bank conflict");
}

void add_barriers(struct terms *t)
{
	const struct machine *m = t->machine;
	const struct ir_kernel *kernel = m->input->kernel;
	const struct device *device = m->input->device;
	double one = (double)evaluation_of(m)->groups *
	                     device_value(device, COEFFICIENT_BARRIER_GROUP, 0) +
	             m->occupancy.padded * device_value(device, COEFFICIENT_BARRIER_ITEM, 0);
	double count = 0;

	for (uint32_t i = 0; i < kernel->statement_count; i++)
		if (kernel->statements[i].kind == STATEMENT_BARRIER) {
			double executions = evaluation_of(m)
			                            ->blocks[kernel->statements[i].block]
			                            .warp_executions;

			count += executions;
			lines_add_statement(t, BOTTLENECK_BARRIER, i, executions);
		}
	term_add(t, BOTTLENECK_BARRIER, on_busy_units(m, count * one));
	if (count > 0)
		row_add(t->prediction, count, t->time_s[BOTTLENECK_BARRIER], "barrier");
}
