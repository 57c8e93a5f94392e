/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The default model's terms of what a unit executes: dispatch, arithmetic, local
 * memory, barriers.
 */
#include <math.h>
#include <string.h>

#include "model/codegen/codegen.h"
#include "model/time/latency.h"
#include "model/time/terms.h"
#include "model/underived.h"

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

enum { ABREAST_ITEMS = 8 }; /* of vectors of 256 bits */

static enum pipe pipe_of(enum op_mode mode, enum type_class type, enum op_class op)
{
	bool is_whole = type == TYPE_CLASS_INT || type == TYPE_CLASS_LONG;

	if (is_whole && (op == OP_CLASS_DIV || op == OP_CLASS_MOD || op == OP_CLASS_WIDE_DIV ||
	                 op == OP_CLASS_WIDE_MOD))
		return PIPE_QUOTIENT;
	if (op == OP_CLASS_DIV || op == OP_CLASS_SQRT || op == OP_CLASS_RSQRT ||
	    op == OP_CLASS_NATIVE_DIV || op == OP_CLASS_NATIVE_SQRT)
		return PIPE_DIVIDER;
	if (mode == OP_MODE_SCALAR && is_whole)
		return PIPE_INTEGER;
	return PIPE_REAL;
}

/* Of a GPU: what its shortest operation takes, which is to issue it. */
static double slot_time(const struct device *device)
{
	return device_op_time_s(device, OP_MODE_VECTOR, TYPE_CLASS_FLOAT, OP_CLASS_FMA);
}

/* Loads, stores and barriers of all work-items. */
static double accesses_issued(const struct machine *m)
{
	const struct ir_kernel *kernel = m->input->kernel;
	double issued = 0;

	for (uint32_t i = 0; i < kernel->access_count; i++)
		issued += is_register(m, i) ? 0 : access_items(m, i);
	for (uint32_t i = 0; i < kernel->statement_count; i++)
		if (kernel->statements[i].kind == STATEMENT_BARRIER)
			issued += block_items(m, kernel->statements[i].block);
	return issued;
}

/* Adds n operations of a GPU that take op_s each where nothing else goes on. */
static void add_to_pipes(const struct device *device, enum type_class type, enum op_class op,
                         double n, double op_s, double pipe[PIPE_TERMS])
{
	bool is_whole = type == TYPE_CLASS_INT || type == TYPE_CLASS_LONG;
	double slot = slot_time(device);
	double special =
	        device_op_time_s(device, OP_MODE_VECTOR, TYPE_CLASS_FLOAT, OP_CLASS_NATIVE_SQRT);
	double words = type == TYPE_CLASS_LONG ? 2 : 1;

	switch (op) {
	case OP_CLASS_ADD:
		pipe[is_whole ? PIPE_INTEGER : PIPE_REAL] += n * op_s * (is_whole ? 0.5 : 1);
		pipe[PIPE_PRODUCT] += is_whole ? n * op_s * 0.5 : 0;
		break;
	case OP_CLASS_MUL:
	case OP_CLASS_MUL_HI:
	case OP_CLASS_FMA:
		pipe[is_whole ? PIPE_PRODUCT : PIPE_REAL] += n * op_s;
		break;
	case OP_CLASS_POPCOUNT:
	case OP_CLASS_CLZ: /* word by word where tables are looked up */
		pipe[PIPE_DIVIDER] += n * op_s;
		break;
	case OP_CLASS_BIT:
	case OP_CLASS_COMPARE:
	case OP_CLASS_SELECT:
	case OP_CLASS_MINMAX:
	case OP_CLASS_FMINMAX:
		pipe[PIPE_INTEGER] += n * op_s;
		break;
	default: /* a look-up; what takes longer than that is a sequence around one */
		pipe[PIPE_DIVIDER] += n * fmin(op_s, special);
		if (op_s > ONE_LOOK_UP * special)
			words = op_s / slot;
	}
	pipe[PIPE_ISSUE] += n * fmin(op_s, words * slot);
}

/*
 * Operations of a block: on a GPU less those that it does along with others, on a CPU less those
 * that it does not do for each work-item.
 */
static double operations_of(const struct machine *m, uint32_t block, enum op_class op,
                            enum type_class type)
{
	const struct ir_summary *summary = m->input->kernel->summary;
	double n = (double)emitted_of(m, block)->operation[op][type];

	if (!(n > 0))
		return 0;
	if (m->code.shared != NULL)
		n -= (double)m->code.shared[block].operation[op][type];
	if (!m->is_lockstep && type == TYPE_CLASS_LONG &&
	    (op == OP_CLASS_DIV || op == OP_CLASS_MOD))
		n -= evaluation_of(m)->blocks[block].bypassed[op == OP_CLASS_MOD];
	if (m->is_lockstep && op == OP_CLASS_ADD)
		n -= (double)summary->fused[block].add[type];
	if (m->is_lockstep && op == OP_CLASS_BIT)
		n -= (double)summary->fused[block].bit[type];
	if (m->is_lockstep && op == OP_CLASS_COMPARE)
		n -= (double)summary->fused[block].compare[type];
	return fmax(n, 0);
}

/*
 * Instructions per operation where a work-item's own vectors are vectors of the CPU: of calls, and
 * of what else there is.
 */
static void packing_of(const struct ir_counts *counts, double packing[2][TYPE_CLASS_COUNT])
{
	double operations[2][TYPE_CLASS_COUNT] = {{0}};

	for (unsigned op = 0; op < OP_CLASS_COUNT; op++) {
		bool is_call = op_class_is_call((enum op_class)op);

		for (unsigned type = 0; type < TYPE_CLASS_COUNT; type++)
			operations[is_call][type] += (double)counts->operation[op][type];
	}
	for (unsigned type = 0; type < TYPE_CLASS_COUNT; type++) {
		double instructions[2] = {(double)(counts->instruction[type] - counts->call[type]),
		                          (double)counts->call[type]};

		for (unsigned i = 0; i < 2; i++)
			packing[i][type] = operations[i][type] > 0
			                           ? fmin(1, instructions[i] / operations[i][type])
			                           : 1;
	}
}

/*
 * What an operation takes without vectors. A minimum of integers is a comparison and a select:
 * where a calibration's wait for each other LLVM makes branches of them (codegen/pocl/selects.c),
 * which were guessed right.
 */
static double scalar_time(const struct device *device, enum type_class type, enum op_class op)
{
	double op_s = device_op_time_s(device, OP_MODE_SCALAR, type, op);

	if (op == OP_CLASS_MINMAX && (type == TYPE_CLASS_INT || type == TYPE_CLASS_LONG))
		op_s = fmax(op_s, 2 * device_op_time_s(device, OP_MODE_SCALAR, type, OP_CLASS_ADD));
	return op_s;
}

/*
 * What a core has one unit for, beside those that add: a product of integers, as long as it takes
 * there, keeps those busy for no longer than an addition.
 */
static bool has_own_unit(enum op_class op)
{
	return op == OP_CLASS_MUL || op == OP_CLASS_FMA || op == OP_CLASS_MUL_HI ||
	       op == OP_CLASS_POPCOUNT || op == OP_CLASS_CLZ;
}

double pipes_time(const double pipe[PIPE_TERMS], double norm)
{
	double busy[PIPE_COUNT];

	memcpy(busy, pipe, sizeof(busy));
	busy[PIPE_REAL] -= fmin(pipe[ABREAST_SUMS], pipe[ABREAST_PRODUCTS]);
	return soft_maximum(busy, PIPE_COUNT, norm);
}

/* Additions of reals go beside their products, or some of them, where a core has units for each. */
static void add_abreast(const struct terms *t, uint32_t block, enum op_mode mode, enum op_class op,
                        double time_s, double pipe[PIPE_TERMS])
{
	const struct machine *m = t->machine;
	unsigned share =
	        mode == OP_MODE_SCALAR ? COEFFICIENT_BESIDE_SCALAR : COEFFICIENT_BESIDE_VECTOR;
	enum pipe abreast = op == OP_CLASS_ADD ? ABREAST_SUMS : ABREAST_PRODUCTS;

	if (op != OP_CLASS_ADD && op != OP_CLASS_MUL && op != OP_CLASS_FMA)
		return;
	time_s *= device_value(m->input->device, share, 0);
	pipe[abreast] += time_s;
	region_works(t, block, abreast, on_units(m, time_s));
}

/* Adds n operations of a block that take a core op_s each where nothing else goes on. */
static void add_to_core(const struct terms *t, uint32_t block, enum op_mode mode,
                        enum type_class type, enum op_class op, double n, double op_s,
                        double pipe[PIPE_TERMS])
{
	const struct machine *m = t->machine;
	enum pipe own = pipe_of(mode, type, op);
	double add_s;

	if (own == PIPE_INTEGER && has_own_unit(op)) {
		add_s = device_op_time_s(m->input->device, OP_MODE_SCALAR, type, OP_CLASS_ADD);
		pipe[PIPE_PRODUCT] += n * op_s;
		region_works(t, block, PIPE_PRODUCT, on_units(m, n * op_s));
		op_s = fmin(op_s, add_s);
	}
	pipe[own] += n * op_s;
	region_works(t, block, own, on_units(m, n * op_s));
	if (type >= TYPE_CLASS_HALF)
		add_abreast(t, block, mode, op, n * op_s, pipe);
}

/* Iterations that a pragma has a CPU's compiler put together; elsewhere each is one. */
static double unrolled_by(const struct ir_statement *loop)
{
	return loop->unroll > 1 && loop->unroll < UINT16_MAX ? loop->unroll : 1;
}

/* What branches of the source choose, and a CPU selects without vectors. */
static void add_choices(const struct terms *t, double count[TYPE_CLASS_COUNT],
                        double time_s[TYPE_CLASS_COUNT], double pipe[PIPE_TERMS])
{
	const struct machine *m = t->machine;
	const struct ir_kernel *kernel = m->input->kernel;

	for (uint32_t id = 0; id < kernel->node_count && !m->is_lockstep; id++) {
		uint32_t block = kernel->summary->node_block[id];
		enum type_class type = type_class_of(kernel->nodes[id].type);
		double items, select_s;

		if (block >= kernel->block_count || type >= TYPE_CLASS_COUNT ||
		    block_mode(m, block) != OP_MODE_SCALAR || !is_chosen(m, id))
			continue;
		items = block_items(m, block) * (1 - m->code.lanes[block].share);
		select_s = items * scalar_time(m->input->device, type, OP_CLASS_SELECT);
		count[type] += items;
		time_s[type] += select_s;
		add_to_core(t, block, OP_MODE_SCALAR, type, OP_CLASS_SELECT, 1, select_s, pipe);
	}
}

enum status add_arithmetic(struct terms *t, struct error *error)
{
	const struct machine *m = t->machine;
	const struct ir_kernel *kernel = m->input->kernel;
	const struct device *device = m->input->device;
	double count[OP_CLASS_COUNT][TYPE_CLASS_COUNT] = {{0}};
	double time_s[OP_CLASS_COUNT][TYPE_CLASS_COUNT] = {{0}};
	double pipe[PIPE_TERMS] = {0}, loops = 0, iterations = 0;
	double turn_s = device_value(device, COEFFICIENT_LOOP_ITERATION, 0);
	double moves_each;
	enum status status = packing_time(m, &moves_each, &pipe[PIPE_REAL], error);

	if (status != STATUS_OK)
		return status;
	if (moves_each > 0)
		row_add(t->prediction, moves_each, on_units(m, pipe[PIPE_REAL]),
		        "moves of a vector's parts");

	for (uint32_t block = 0; block < kernel->block_count; block++) {
		const struct ir_counts *emitted = emitted_of(m, block);
		double items = block_items(m, block);
		enum op_mode mode = block_mode(m, block);
		double packing[2][TYPE_CLASS_COUNT];

		if (!(items > 0))
			continue;
		if (m->is_lockstep && is_jumped_to(kernel, block))
			pipe[PIPE_ISSUE] += items * (double)JUMP_SLOTS * slot_time(device);
		packing_of(emitted, packing);
		for (unsigned op = 0; op < OP_CLASS_COUNT; op++)
			for (unsigned type = 0; type < TYPE_CLASS_COUNT; type++) {
				double n = operations_of(m, block, (enum op_class)op,
				                         (enum type_class)type) *
				           items;
				double op_s;

				if (!(n > 0))
					continue;
				count[op][type] += n;
				bool is_call = op_class_is_call((enum op_class)op);

				op_s = mode == OP_MODE_SCALAR
				               ? scalar_time(device, (enum type_class)type,
				                             (enum op_class)op)
				               : device_op_time_s(device, mode,
				                                  (enum type_class)type,
				                                  (enum op_class)op);
				if (mode == OP_MODE_SCALAR)
					op_s = in_lanes(m, block, op_s * packing[is_call][type],
					                device_op_time_s(device, OP_MODE_VECTOR,
					                                 (enum type_class)type,
					                                 (enum op_class)op));
				else if (m->code.one_by_one > 0)
					op_s = in_vectors(m, op_s,
					                  device_op_time_s(device, OP_MODE_SCALAR,
					                                   (enum type_class)type,
					                                   (enum op_class)op));
				op_s *= n;
				time_s[op][type] += op_s;
				if (m->is_lockstep)
					add_to_pipes(device, (enum type_class)type,
					             (enum op_class)op, n, op_s / n, pipe);
				else
					add_to_core(t, block, mode, (enum type_class)type,
					            (enum op_class)op, n, op_s / n, pipe);
			}
	}
	add_choices(t, count[OP_CLASS_SELECT], time_s[OP_CLASS_SELECT], pipe);
	for (unsigned op = 0; op < OP_CLASS_COUNT; op++)
		for (unsigned type = 0; type < TYPE_CLASS_COUNT; type++) {
			if (!(count[op][type] > 0))
				continue;
			time_s[op][type] = on_units(m, time_s[op][type]);
			row_add(t->prediction, count[op][type] / m->occupancy.items,
			        time_s[op][type], "%s %s", type_class_name((enum type_class)type),
			        op_class_name((enum op_class)op));
		}
	for (uint32_t i = 0; i < kernel->summary->loop_count; i++) {
		const struct ir_loop *loop = &kernel->summary->loops[i];
		uint32_t body = kernel->statements[loop->statement].body;

		bool is_unrolled = m->is_lockstep ? loop->is_unrolled : loop->is_unrolled_early;

		if (is_unrolled || body == IR_NONE)
			continue;
		double turns;

		if (m->is_lockstep)
			turns = block_items(m, body) / loop->unroll;
		else if (is_outer_loop(m, loop->statement) && block_mode(m, body) == OP_MODE_VECTOR)
			turns = block_items(m, body) *
			        in_vectors(m, 1.0 / (double)ABREAST_ITEMS, 1);
		else
			turns = block_items(m, body) * (1 - m->code.lanes[body].share) /
			        unrolled_by(&kernel->statements[loop->statement]);
		iterations += turns;
		region_works(t, body, PIPE_INTEGER, on_units(m, turns * turn_s));
	}
	loops = on_units(m, iterations * turn_s);
	if (iterations > 0)
		row_add(t->prediction, iterations / m->occupancy.items, loops, "loop iterations");
	if (m->is_lockstep)
		pipe[PIPE_ISSUE] += (iterations + accesses_issued(m)) * slot_time(device);
	pipe[PIPE_INTEGER] += iterations * turn_s;
	term_add(t, BOTTLENECK_ARITHMETIC, on_units(m, pipes_time(pipe, norm_of(device))));
	return STATUS_OK;
}

void add_local(struct terms *t)
{
	const struct machine *m = t->machine;
	const struct ir_kernel *kernel = m->input->kernel;
	const struct device *device = m->input->device;
	double load = device_value(device, COEFFICIENT_LOCAL_LOAD,
	                           device_value(device, COEFFICIENT_LOAD_VECTOR, 0));
	double store = device_value(device, COEFFICIENT_LOCAL_STORE, load);
	double conflict =
	        device_value(device, COEFFICIENT_LOCAL_CONFLICT, m->is_lockstep ? load : 0);
	double loads = 0, stores = 0, loads_s = 0, stores_s = 0, more = 0, more_s = 0;

	if (m->is_lockstep) { /* without conflicts a warp goes one way, which is no less */
		load = fmax(load, conflict);
		store = fmax(store, conflict);
	}

	for (uint32_t i = 0; i < kernel->access_count; i++) {
		const struct ir_access *access = &kernel->accesses[i];
		double items, one, words = fmax(1, type_bytes(access->type) / 4.0);
		bool is_store = access->kind == ACCESS_STORE;

		if (kernel->objects[access->object].space != SPACE_LOCAL ||
		    access->kind == ACCESS_ATOMIC)
			continue;
		items = access_items(m, i);
		if (!(items > 0)) /* in no block, perhaps */
			continue;
		one = is_store ? store : load;
		/* to a CPU local memory is memory: calibrated with vectors, that gather */
		if (!m->is_lockstep && !m->code.is_gathered[i] &&
		    block_mode(m, kernel->summary->access_block[i]) == OP_MODE_VECTOR) {
			one = first_level_time(m, i, is_store);
			words = 1;
		} else if (!m->is_lockstep) {
			/* lane by lane, however wide one is, as without vectors */
			words = fmax(1, words / 4);
			if (block_mode(m, kernel->summary->access_block[i]) == OP_MODE_SCALAR)
				one = device_value(device,
				                   is_store ? COEFFICIENT_STORE_SCALAR
				                            : COEFFICIENT_LOAD_SCALAR,
				                   one);
		}
		if (m->is_lockstep && !is_store) /* what all lanes read goes at once */
			words += (1 - words) * fmin(1, evaluation_of(m)->accesses[i].uniform);
		*(is_store ? &stores : &loads) += items;
		*(is_store ? &stores_s : &loads_s) += items * words * one;
		region_moves(t, kernel->summary->access_block[i],
		             on_busy_units(m, items * words * one));
		more += items * (evaluation_of(m)->accesses[i].ways - 1);
	}
	loads_s = on_busy_units(m, loads_s);
	stores_s = on_busy_units(m, stores_s);
	more_s = on_busy_units(m, more * conflict);
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
		if (kernel->statements[i].kind == STATEMENT_BARRIER)
			count += evaluation_of(m)
			                 ->blocks[kernel->statements[i].block]
			                 .warp_executions;
	term_add(t, BOTTLENECK_BARRIER, on_busy_units(m, count * one));
	if (count > 0)
		row_add(t->prediction, count, t->time_s[BOTTLENECK_BARRIER], "barrier");
}
