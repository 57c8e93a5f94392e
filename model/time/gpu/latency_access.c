/* SPDX-License-Identifier: Apache-2.0 */
/* What a warp's load is waited for: from the level that has its data, with others that are under
 * way. */
#include <math.h>

#include "model/time/gpu/gpu.h"

enum {
	LOADED_PASSES = 2,
	HANDED_MAX = 64 /* nodes between a place and what it follows from */
};

/*
 * Warps of a unit that read what one of them reads, and at about the same time: those of a
 * work-group whose addresses differ in no id of theirs, and of all resident groups where
 * the group has no part in it either. The first one's miss is what all of them wait for.
 */
static double warps_abreast(const struct machine *m, uint32_t access)
{
	const struct evaluation *e = evaluation_of(m);
	const struct affine *form = &e->accesses[access].address;
	double left = e->warp_items, distinct = 1;
	bool differs[3] = {false}, has_group = false;

	if (!form->is_known || form->is_random)
		return 1;
	for (unsigned i = 0; i < form->term_count; i++) {
		uint32_t base = form->terms[i].base;

		if (base < AFFINE_LOOP && form->terms[i].factor != 0) {
			differs[base % 3] |= base < AFFINE_GROUP;
			has_group |= base < AFFINE_LOCAL || base >= AFFINE_GROUP;
		}
	}
	for (unsigned d = 0; d < 3; d++) { /* lanes go along the first dimension first */
		double items = (double)m->input->launch->local[d];
		double lanes = fmax(1, fmin(items, left));

		left = fmax(1, left / fmax(1, items));
		if (differs[d])
			distinct *= ceil(items / lanes);
	}
	return fmax(1, (double)e->group_warps / distinct) *
	       (has_group ? 1
	                  : fmax(1, fmin(m->occupancy.resident,
	                                 (double)e->groups / m->occupancy.units)));
}

/* ---- what a loop reads again that it wrote ---- */

/* Whether a block stands in a loop, or in one within it. */
static bool is_in_loop(const struct ir_kernel *kernel, uint32_t block, uint32_t loop)
{
	const struct ir_summary *summary = kernel->summary;

	if (block < kernel->block_count && kernel->blocks[block].owner != IR_NONE &&
	    kernel->statements[kernel->blocks[block].owner].is_tile)
		return false; /* of a loop around */
	while (block < kernel->block_count && summary->block_loop[block] != IR_NONE) {
		if (summary->block_loop[block] == loop)
			return true;
		block = kernel->statements[summary->loops[summary->block_loop[block]].statement]
		                .block;
	}
	return false;
}

/*
 * Whether the innermost loop around a load from local memory writes to the same array: a compiler
 * knows of no place that it is another one, and moves no load ahead.
 */
static bool is_written_around(const struct machine *m, uint32_t access)
{
	const struct ir_kernel *kernel = m->input->kernel;
	const struct ir_summary *summary = kernel->summary;
	uint32_t block = summary->access_block[access];
	uint32_t loop = block < kernel->block_count ? summary->block_loop[block] : IR_NONE;

	for (uint32_t i = 0; i < kernel->access_count && loop != IR_NONE; i++)
		if (kernel->accesses[i].kind == ACCESS_STORE &&
		    kernel->accesses[i].object == kernel->accesses[access].object &&
		    is_in_loop(kernel, summary->access_block[i], loop))
			return !has_known_place(m, access);
	return false;
}

double warp_access_latency(const struct machine *m, uint32_t access, double ahead)
{
	const struct ir_kernel *kernel = m->input->kernel;
	const struct device *device = m->input->device;
	unsigned space = kernel->objects[kernel->accesses[access].object].space;
	/* what unrolled loops load again is not loaded again */
	double share = m->code.repeats != NULL ? m->code.repeats[access] : 1, spread_s;

	if (kernel->summary->access_is_folded[access])
		return 0;
	/* once before loops, of which this is one execution of many */
	if (m->code.is_promoted != NULL && m->code.is_promoted[access])
		return 0;
	if (space == SPACE_LOCAL)
		return share * device_value(device, COEFFICIENT_LOCAL_LATENCY, 0) /
		       (is_written_around(m, access) ? 1 : ahead);
	spread_s = spread_time(m, access) * m->occupancy.units;
	if (space == SPACE_PRIVATE && !is_register(m, access))
		return share * (first_latency(m) + spread_s);
	if (space > SPACE_CONSTANT && space != SPACE_IMAGE)
		return 0;
	return share *
	       (level_latency(m, access, warps_abreast(m, access), ahead) / ahead + spread_s);
}

/* What follows from loads in a loop, those of iterations before among them. */
static void mark_loaded(const struct ir_kernel *kernel, bool *is_loaded)
{
	const struct ir_summary *summary = kernel->summary;

	/* nodes stand before those that are made of them, but for what loops hand on */
	for (unsigned pass = 0; pass < LOADED_PASSES; pass++)
		for (uint32_t node = 0; node < kernel->node_count; node++) {
			const struct ir_node *n = &kernel->nodes[node];
			uint32_t block;

			for (unsigned i = 0; i < n->operand_count; i++)
				is_loaded[node] |= is_loaded[kernel_operands(kernel, node)[i]];
			if (n->op == NODE_LOOP_VAR &&
			    kernel_variable(kernel, node)->next != IR_NONE)
				is_loaded[node] |= is_loaded[kernel_variable(kernel, node)->next];
			if (n->op != NODE_LOAD && n->op != NODE_ATOMIC)
				continue;
			block = summary->access_block[n->aux];
			is_loaded[node] |=
			        block != IR_NONE && summary->block_loop[block] != IR_NONE;
		}
}

/* Whether a node follows from what loads of earlier iterations of a loop gave. */
static bool is_handed_on(const struct ir_kernel *kernel, uint32_t node, uint32_t loop,
                         const bool *is_loaded, unsigned *left)
{
	const struct ir_node *n = &kernel->nodes[node];

	if (*left == 0)
		return false;
	--*left;
	if (n->op == NODE_LOOP_VAR && n->aux == loop)
		return kernel_variable(kernel, node)->next != IR_NONE &&
		       is_loaded[kernel_variable(kernel, node)->next];
	for (unsigned i = 0; i < n->operand_count; i++)
		if (is_handed_on(kernel, kernel_operands(kernel, node)[i], loop, is_loaded, left))
			return true;
	return n->op == NODE_LOAD && kernel->accesses[n->aux].index != IR_NONE &&
	       is_handed_on(kernel, kernel->accesses[n->aux].index, loop, is_loaded, left);
}

void accesses_mark_chained(const struct ir_kernel *kernel, bool *is_loaded, bool *is_chained)
{
	const struct ir_summary *summary = kernel->summary;

	mark_loaded(kernel, is_loaded);
	for (uint32_t i = 0; i < kernel->access_count; i++) {
		uint32_t block = summary->access_block[i], loop;
		unsigned left = HANDED_MAX;

		if (block == IR_NONE || kernel->accesses[i].index == IR_NONE)
			continue;
		loop = summary->block_loop[block];
		is_chained[i] = loop != IR_NONE &&
		                is_handed_on(kernel, kernel->accesses[i].index,
		                             summary->loops[loop].statement, is_loaded, &left);
	}
}
