/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a CPU's first level does, to which local memory is memory like any other: loads and stores
 * of scalars and of vectors, and gathers, which are many of them.
 */
#include <math.h>
#include <stdlib.h>

#include "model/codegen/codegen.h"
#include "model/time/cpu/cpu.h"
#include "model/underived.h"

/* Where iterations of a loop are lanes: by the step from one to the next. */
static double lane_access_time(const struct machine *m, uint32_t access, double vector,
                               double scalar, double gather)
{
	const struct evaluation_access *a = &evaluation_of(m)->accesses[access];
	uint32_t block = m->input->kernel->summary->access_block[access];
	int64_t step = 0;

	if (!a->address.is_known || a->address.is_random)
		return gather * scalar_moves(a->bytes);
	for (unsigned i = 0; i < a->address.term_count; i++)
		if (a->address.terms[i].base == AFFINE_LOOP + m->code.lanes[block].loop)
			step = a->address.terms[i].factor;
	if (step == 0)
		return fmin(vector, scalar);
	return (double)llabs(step) <= a->bytes ? vector * fmax(1, a->bytes / 4)
	                                       : fmin(gather, scalar) * scalar_moves(a->bytes);
}

/*
 * Whether gathers and scatters keep a core from all else: those that are sequences of
 * its own do, and take longer than loading each lane by itself. Others are those loads and stores,
 * beside which its other units work (x86: microcode of some makers, and of others not).
 */
static bool gathers_hold(const struct machine *m)
{
	double gather = device_value(m->input->device, COEFFICIENT_LOAD_GATHER, 0);
	double scalar = device_value(m->input->device, COEFFICIENT_LOAD_SCALAR, 0);

	/* work-items of one side of a barrier do not run along with those of the other */
	return m->input->kernel->summary->has_barrier || !(gather > 0) ||
	       gather > SEQUENCE_SHARE * scalar;
}

/* What goes by lanes, one after another. */
static double gathered_time(const struct machine *m, uint32_t access, bool is_store)
{
	const struct evaluation_access *a = &evaluation_of(m)->accesses[access];
	uint32_t block = m->input->kernel->summary->access_block[access];
	double gather =
	        device_value(m->input->device,
	                     is_store ? COEFFICIENT_STORE_SCATTER : COEFFICIENT_LOAD_GATHER, 0);

	if (block_mode(m, block) != OP_MODE_VECTOR || !m->code.is_gathered[access])
		return 0;
	/* local memory was calibrated with positions that come from an array */
	if (m->code.is_shifted[access])
		gather = device_value(m->input->device,
		                      is_store ? COEFFICIENT_LOCAL_STORE : COEFFICIENT_LOCAL_LOAD,
		                      gather);
	return (1 - m->code.one_by_one) * scalar_moves(a->bytes) * gather;
}

/* Whether an iteration of vectors reads a place once: all its work-items mean the same. */
static bool is_shared_place(const struct machine *m, uint32_t access)
{
	const struct ir_summary *summary = m->input->kernel->summary;
	uint32_t index = m->input->kernel->accesses[access].index;

	return m->code.one_by_one < 1 && summary->loop_depth[summary->access_block[access]] == 0 &&
	       (index == IR_NONE || summary->node_is_uniform[index]);
}

double core_access_time(const struct machine *m, uint32_t access, bool is_store)
{
	const struct evaluation_access *a = &evaluation_of(m)->accesses[access];
	uint32_t block = m->input->kernel->summary->access_block[access];
	double bytes = a->bytes;
	struct word_times word = word_times_of(m->input->device, is_store);
	double vector = word.vector, scalar = word.scalar, gather = word.apart;

	if (block_mode(m, block) == OP_MODE_SCALAR)
		return in_lanes(m, block, scalar * scalar_moves(bytes),
		                lane_access_time(m, access, vector, scalar, gather));
	if (m->code.is_gathered[access])
		return gathered_time(m, access, is_store) +
		       m->code.one_by_one * scalar * scalar_moves(bytes);
	if (m->code.is_single[access])
		return scalar * scalar_moves(bytes);
	if (!is_store && !m->code.is_masked[access] && is_shared_place(m, access))
		return in_vectors(m, scalar / (double)VECTOR_ITEMS, scalar);
	if (m->code.is_masked[access] && steps_by_one(m, access))
		return in_vectors(m, vector * bytes / 4, scalar * scalar_moves(bytes));
	if (m->code.groups[access].factor > 0)
		return in_vectors(m, group_time(m, access, vector), scalar);
	return in_vectors(m,
	                  a->uniform * (m->code.is_masked[access] ? gather : fmin(vector, scalar)) +
	                          a->unit * vector * bytes / 4 +
	                          fmax(0, 1 - a->uniform - a->unit) * gather * scalar_moves(bytes),
	                  scalar * scalar_moves(bytes));
}

void core_accessed(struct terms *t, uint32_t access, bool is_store, double time_s)
{
	const struct machine *m = t->machine;
	double gathering_s = gathers_hold(m)
	                             ? on_busy_units(m, access_items(m, access) *
	                                                        gathered_time(m, access, is_store))
	                             : 0;

	t->gathering_s += gathering_s;
	region_moves(t, m->input->kernel->summary->access_block[access],
	             fmax(0, time_s - gathering_s));
}

double core_texel_time(const struct machine *m, uint32_t access, bool *is_known)
{
	const struct evaluation_access *a = &evaluation_of(m)->accesses[access];

	return device_image_time_s(
	        m->input->device, block_mode(m, m->input->kernel->summary->access_block[access]),
	        (enum image_way)a->image_way, (enum image_class)a->image_class, is_known);
}

double core_conflict_time(const struct device *device)
{
	return device_value(device, COEFFICIENT_LOCAL_CONFLICT, 0);
}

/* Memory, calibrated with vectors that gather; lane by lane, however wide one is, otherwise. */
static double local_time(const struct machine *m, uint32_t access, double items)
{
	const struct device *device = m->input->device;
	const struct ir_access *a = &m->input->kernel->accesses[access];
	bool is_store = a->kind == ACCESS_STORE;
	enum op_mode mode = block_mode(m, m->input->kernel->summary->access_block[access]);
	double one = local_load_time(device);

	if (!m->code.is_gathered[access] && mode == OP_MODE_VECTOR)
		return items * core_access_time(m, access, is_store);
	if (is_store)
		one = device_value(device, COEFFICIENT_LOCAL_STORE, one);
	if (mode == OP_MODE_SCALAR)
		one = device_value(
		        device, is_store ? COEFFICIENT_STORE_SCALAR : COEFFICIENT_LOAD_SCALAR, one);
	return items * scalar_moves(type_bytes(a->type)) * one;
}

double core_local_time(struct terms *t, uint32_t access, double items)
{
	const struct machine *m = t->machine;
	double device_s = local_time(m, access, items);

	region_moves(t, m->input->kernel->summary->access_block[access],
	             on_busy_units(m, device_s));
	return device_s;
}
