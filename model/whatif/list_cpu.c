/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes that are of CPUs alone. There a core takes one work-item after the other, or as many as a
 * vector has lanes where nothing keeps the compiler from it; and caches hold what a GPU's kernels
 * bring into local memory.
 */
#include <math.h>

#include "model/passes/passes.h"
#include "model/whatif/direct.h"
#include "model/whatif/list.h"
#include "model/whatif/remainder.h"
#include "model/whatif/shape.h"

static void add(const struct list *l, enum what_if_kind kind, uint32_t place, uint32_t line,
                double detail)
{
	list_change(l, kind,
	            kind != WHAT_IF_VECTORISED && kind != WHAT_IF_QUOTIENT &&
	                    kind != WHAT_IF_REMAINDER,
	            place, line, detail);
}

static void list_obstacles(const struct list *l)
{
	const struct ir_summary *summary = l->kernel->summary;

	if (summary->obstacle == VECTOR_DIVISION || summary->obstacle == VECTOR_CALL ||
	    summary->obstacle == VECTOR_TYPE)
		add(l, WHAT_IF_VECTORISED, summary->obstacle, summary->obstacle_line, 0);
	for (uint32_t i = 0; summary->obstacle == VECTOR_DIVISION && i < l->kernel->node_count; i++)
		if (summary->node_block[i] != IR_NONE && node_divides(l->kernel, i)) {
			add(l, WHAT_IF_QUOTIENT, i, summary->obstacle_line, 0);
			break;
		}
}

/* Calls for each work-item where arithmetic, of which a CPU has vectors, does. */
static void list_remainders(const struct list *l)
{
	for (uint32_t i = 0; i < l->kernel->node_count; i++)
		if (l->kernel->summary->node_block[i] != IR_NONE &&
		    node_is_remainder(l->kernel, i)) {
			add(l, WHAT_IF_REMAINDER, i, l->kernel->nodes[i].place.line, 0);
			break;
		}
}

/* Loops that go on by the whole NDRange, in all that they access of buffers: neighbours at one time
 * to a GPU, but to a CPU's core, which takes one work-item after the other, as far apart as can be.
 */
static void list_chunks(const struct list *l)
{
	const struct ir_summary *summary = l->kernel->summary;
	const double least_trips = 4;

	for (uint32_t i = 0; i < summary->loop_count; i++) {
		uint32_t id = summary->loops[i].statement;
		double trips = floor(l->evaluation->loops[i].trips);
		bool is_any = false, is_fit = trips >= least_trips && trips <= INT32_MAX &&
		                              kernel_sees_ndrange(l->kernel);

		for (uint32_t k = 0; is_fit && k < l->kernel->access_count; k++) {
			const struct evaluation_access *a = &l->evaluation->accesses[k];
			struct affine chunked;

			if (!access_is_of_argument(l->kernel, l->evaluation, k) ||
			    summary->access_block[k] == IR_NONE ||
			    !kernel_is_within(l->kernel, summary->access_block[k], id))
				continue;
			is_fit = access_is_grid_stride(l->launch, a, i, (int64_t)trips, &chunked);
			is_any |= is_fit;
		}
		if (is_fit && is_any)
			add(l, WHAT_IF_CHUNKED, id, l->kernel->statements[id].line, trips);
	}
}

/* Local memory that only holds copies of what a CPU's caches hold. */
static void list_direct(const struct list *l)
{
	struct several several = {.way = SEVERAL_DIRECT};

	if (!several_fits(l->kernel, l->launch, &several) ||
	    !direct_is_shifted(l->kernel, l->evaluation))
		return;
	for (uint32_t i = 0; i < l->kernel->access_count; i++) {
		const struct ir_access *access = &l->kernel->accesses[i];

		if (l->kernel->objects[access->object].space == SPACE_LOCAL) {
			add(l, WHAT_IF_DIRECT, access->object, access->line,
			    (double)l->evaluation->accesses[i].object_bytes);
			return;
		}
	}
}

/* Loops that add up numbers one after the other: each addition waits for the one before, and they
 * are no vector, since a compiler may not change their order. */
static void list_sums(const struct list *l)
{
	const struct ir_summary *summary = l->kernel->summary;
	const unsigned sums = 8;
	const double least_trips = 4;

	for (uint32_t i = 0; i < summary->loop_count; i++) {
		uint32_t id = summary->loops[i].statement;
		struct several several = {.way = SEVERAL_SUMS, .loop = id, .count = sums};

		if (l->evaluation->loops[i].trips >= least_trips * sums &&
		    loop_real_sums(l->kernel, &l->kernel->statements[id]) > 0 &&
		    several_fits(l->kernel, l->launch, &several))
			add(l, WHAT_IF_SUMMED, id, l->kernel->statements[id].line, sums);
	}
}

void list_of_cpu(const struct list *l)
{
	list_obstacles(l);
	list_remainders(l);
	list_sums(l);
	list_direct(l);
	list_chunks(l);
}
