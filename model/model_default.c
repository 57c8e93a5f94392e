/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The default kernel model: launch base plus a soft maximum (a norm) of what
 * runs at the same time - dispatch, arithmetic, local memory, atomics,
 * barriers, each level of memory - and of the latency that too few work-items
 * cannot hide.
 */
#include <math.h>
#include <stdlib.h>

#include "model/footprint.h"
#include "model/model_parts.h"
#include "model/pattern.h"

struct default_model {
	const struct model_input *input;
	struct prediction *prediction;
	bool is_scalar;         /* a CPU vectorises nothing of this kernel */
	bool is_lockstep;       /* warps; else lanes of vector instructions, or none */
	double items;           /* work-items */
	double padded;          /* the same with work-groups of whole warps */
	double warps;           /* of the launch */
	double units, resident; /* units of the device; work-groups that one holds */
	double busy;            /* share of the device's units over the whole launch */
	double saturation;      /* share of a unit's throughput that its work-items reach */
	double load_latency_s;  /* of a load, where its data are */
	double time_s[BOTTLENECK_COUNT];
};

static const struct evaluation *evaluation_of(const struct default_model *m)
{
	return m->input->evaluation;
}

/* ---- how the launch fills the device ------------------------------------------------------- */

static double local_bytes_of(const struct default_model *m)
{
	double bytes = (double)m->input->kernel->summary->local_bytes;

	for (uint32_t i = 0; i < m->input->launch->argument_count; i++)
		if (m->input->launch->arguments[i].kind == ARGUMENT_LOCAL)
			bytes += (double)m->input->launch->arguments[i].size_bytes;
	return bytes;
}

/* Work-groups that one unit holds: by work-items, local memory and registers. */
static double resident_groups(const struct default_model *m)
{
	const struct device *device = m->input->device;
	const struct evaluation *e = evaluation_of(m);
	double group = (double)e->group_warps * e->warp_items;
	double room = positive_value(device, COEFFICIENT_UNIT_ITEMS, group);
	double registers = m->input->kernel->summary->register_estimate;
	double local = local_bytes_of(m), groups;

	/* the estimate is an upper bound: a compiler keeps about half of it, and a
	 * unit that is full of work-items has some 32 registers for each */
	if (m->is_lockstep && registers > 64)
		room *= 64 / registers;
	groups = floor(room / group);
	/* what a work-group may take is the least that a unit has */
	if (local > 0 && device->local_bytes > 0)
		groups = fmin(groups, floor((double)device->local_bytes / local));
	return fmax(groups, 1);
}

/*
 * Whether a call keeps the loop over work-items from becoming vectors: it does
 * where the calibration found it no cheaper in code that can be vectorised.
 */
static bool has_scalar_call(const struct model_input *input)
{
	const struct ir_summary *summary = input->kernel->summary;

	for (uint32_t block = 0; block < input->kernel->block_count; block++)
		for (unsigned op = OP_CLASS_FMINMAX; op < OP_CLASS_COUNT; op++)
			for (unsigned type = 0; type < TYPE_CLASS_COUNT; type++) {
				double vector, scalar;

				if (!(summary->emitted[block].operation[op][type] > 0))
					continue;
				vector = device_op_time_s(input->device, OP_MODE_VECTOR,
				                          (enum type_class)type, (enum op_class)op);
				scalar = device_op_time_s(input->device, OP_MODE_SCALAR,
				                          (enum type_class)type, (enum op_class)op);
				if (vector > 0.6 * scalar)
					return true;
			}
	return false;
}

/*
 * Kernels that a CPU's compiler leaves scalar as a whole (seen with PoCL). The
 * loop over work-items is vectorised only where no loop stands inside, and full
 * unrolling comes after that; between barriers, values kept in arrays stand in
 * the way.
 */
static bool is_scalar_kernel(const struct model_input *input)
{
	return input->kernel->summary->loop_count > 0 || input->kernel->summary->has_barrier ||
	       has_scalar_call(input);
}

static void fill_device(struct default_model *m)
{
	const struct device *device = m->input->device;
	const struct evaluation *e = evaluation_of(m);
	double groups = (double)e->groups, rounds, saturation;

	m->is_lockstep = device_value(device, COEFFICIENT_WARP_ITEMS, 1) > 1.5;
	m->items = (double)e->items;
	m->is_scalar = !m->is_lockstep && is_scalar_kernel(m->input);
	m->padded = m->items;
	if (m->is_lockstep)
		m->padded = groups * (double)e->group_warps * e->warp_items;
	m->warps = e->warps;
	m->units = fmax(
	        1, floor(positive_value(device, COEFFICIENT_UNITS, fmax(1, device->compute_units)) +
	                 0.5));
	m->resident = m->is_lockstep ? resident_groups(m) : 1;
	rounds = ceil(groups / m->units);
	m->busy = groups / m->units / rounds;
	m->saturation = 1;
	saturation = device_value(device, COEFFICIENT_SATURATION_ITEMS, 0);
	if (m->is_lockstep && saturation > 0)
		m->saturation = fmin(1, fmin(rounds, m->resident) * (double)e->group_warps *
		                                e->warp_items / saturation);
}

/* Whether a CPU runs the work-items of a block as lanes of vectors. */
static enum op_mode block_mode(const struct default_model *m, uint32_t block)
{
	const struct ir_kernel *kernel = m->input->kernel;

	if (m->is_lockstep || block >= kernel->block_count)
		return OP_MODE_VECTOR;
	if (m->is_scalar || kernel->summary->block_obstacle[block] != VECTOR_OK)
		return OP_MODE_SCALAR;
	return OP_MODE_VECTOR;
}

/* Work-items that pay for a block's execution: with lanes, all of a warp or vector. */
static double block_items(const struct default_model *m, uint32_t block)
{
	const struct evaluation_block *b = &evaluation_of(m)->blocks[block];

	if (m->is_lockstep)
		return b->warp_executions * m->padded;
	if (block_mode(m, block) == OP_MODE_VECTOR)
		return b->warp_executions * m->items;
	return b->executions * m->items;
}

static double access_items(const struct default_model *m, uint32_t access)
{
	uint32_t block = m->input->kernel->summary->access_block[access];

	return block == IR_NONE ? 0 : block_items(m, block);
}

/* Device-seconds of throughput, as time on the units that have work. */
static double on_units(const struct default_model *m, double device_s)
{
	return device_s / fmax(m->busy * m->saturation, 1e-9);
}

/* ---- terms --------------------------------------------------------------------------------- */

static void add_dispatch(struct default_model *m)
{
	const struct device *device = m->input->device;
	double groups = (double)evaluation_of(m)->groups;
	double of_groups = groups * device_value(device, COEFFICIENT_LAUNCH_GROUP, 0);
	double of_items = m->items * device_value(device, COEFFICIENT_LAUNCH_ITEM, 0);

	m->time_s[BOTTLENECK_DISPATCH] = of_groups + of_items;
	row_add(m->prediction, groups / m->items, of_groups, "work-groups");
	row_add(m->prediction, 1, of_items, "work-items");
}

/*
 * What works at the same time inside one core. A GPU issues all from one slot; a
 * CPU has integer units beside those of reals, and a divider that works alone.
 */
enum pipe { PIPE_REAL, PIPE_INTEGER, PIPE_DIVIDER, PIPE_COUNT };

static enum pipe pipe_of(const struct default_model *m, enum op_mode mode, enum type_class type,
                         enum op_class op)
{
	if (m->is_lockstep)
		return PIPE_INTEGER;
	if (op == OP_CLASS_DIV || op == OP_CLASS_MOD || op == OP_CLASS_SQRT ||
	    op == OP_CLASS_RSQRT || op == OP_CLASS_NATIVE_DIV || op == OP_CLASS_NATIVE_SQRT)
		return PIPE_DIVIDER;
	if (mode == OP_MODE_SCALAR && (type == TYPE_CLASS_INT || type == TYPE_CLASS_LONG))
		return PIPE_INTEGER;
	return PIPE_REAL;
}

/* Instructions per operation where a work-item's own vectors are vectors of the CPU. */
static void packing_of(const struct ir_counts *counts, double packing[TYPE_CLASS_COUNT])
{
	for (unsigned type = 0; type < TYPE_CLASS_COUNT; type++) {
		double operations = 0;

		for (unsigned op = 0; op < OP_CLASS_COUNT; op++)
			operations += (double)counts->operation[op][type];
		packing[type] = 1;
		if (operations > 0)
			packing[type] = fmin(1, (double)counts->instruction[type] / operations);
	}
}

static double norm_of(const struct device *device)
{
	return fmin(fmax(device_value(device, COEFFICIENT_SHAPE_NORM, 4), 1), 32);
}

/* The p-norm, scaled by the largest so that no power over- or underflows. */
static double soft_maximum(const double *terms, unsigned count, double norm)
{
	double most = 0, sum = 0;

	for (unsigned i = 0; i < count; i++)
		most = fmax(most, terms[i]);
	for (unsigned i = 0; i < count && most > 0; i++)
		sum += pow(terms[i] / most, norm);
	return most > 0 ? most * pow(sum, 1 / norm) : 0;
}

static void add_arithmetic(struct default_model *m)
{
	const struct ir_kernel *kernel = m->input->kernel;
	const struct device *device = m->input->device;
	double count[OP_CLASS_COUNT][TYPE_CLASS_COUNT] = {{0}};
	double time_s[OP_CLASS_COUNT][TYPE_CLASS_COUNT] = {{0}};
	double pipe[PIPE_COUNT] = {0}, loops = 0, iterations = 0;

	for (uint32_t block = 0; block < kernel->block_count; block++) {
		const struct ir_counts *emitted = &kernel->summary->emitted[block];
		double items = block_items(m, block);
		enum op_mode mode = block_mode(m, block);
		double packing[TYPE_CLASS_COUNT];

		if (!(items > 0))
			continue;
		packing_of(emitted, packing);
		for (unsigned op = 0; op < OP_CLASS_COUNT; op++)
			for (unsigned type = 0; type < TYPE_CLASS_COUNT; type++) {
				double n = (double)emitted->operation[op][type] * items, op_s;

				if (!(n > 0))
					continue;
				count[op][type] += n;
				op_s = n * device_op_time_s(device, mode, (enum type_class)type,
				                            (enum op_class)op);
				if (mode == OP_MODE_SCALAR)
					op_s *= packing[type];
				time_s[op][type] += op_s;
				pipe[pipe_of(m, mode, (enum type_class)type, (enum op_class)op)] +=
				        op_s;
			}
	}
	for (unsigned op = 0; op < OP_CLASS_COUNT; op++)
		for (unsigned type = 0; type < TYPE_CLASS_COUNT; type++) {
			if (!(count[op][type] > 0))
				continue;
			time_s[op][type] = on_units(m, time_s[op][type]);
			row_add(m->prediction, count[op][type] / m->items, time_s[op][type],
			        "%s %s", type_class_name((enum type_class)type),
			        op_class_name((enum op_class)op));
		}
	for (uint32_t i = 0; i < kernel->summary->loop_count; i++) {
		const struct ir_loop *loop = &kernel->summary->loops[i];
		uint32_t body = kernel->statements[loop->statement].body;

		if (!loop->is_unrolled && body != IR_NONE)
			iterations += block_items(m, body);
	}
	loops = on_units(m, iterations * device_value(device, COEFFICIENT_LOOP_ITERATION, 0));
	if (iterations > 0)
		row_add(m->prediction, iterations / m->items, loops, "loop iterations");
	pipe[PIPE_INTEGER] += iterations * device_value(device, COEFFICIENT_LOOP_ITERATION, 0);
	m->time_s[BOTTLENECK_ARITHMETIC] =
	        on_units(m, soft_maximum(pipe, PIPE_COUNT, norm_of(device)));
}

static void add_local(struct default_model *m)
{
	const struct ir_kernel *kernel = m->input->kernel;
	const struct device *device = m->input->device;
	double load = device_value(device, COEFFICIENT_LOCAL_LOAD,
	                           device_value(device, COEFFICIENT_LOAD_VECTOR, 0));
	double store = device_value(device, COEFFICIENT_LOCAL_STORE, load);
	double conflict =
	        device_value(device, COEFFICIENT_LOCAL_CONFLICT, m->is_lockstep ? load : 0);
	double loads = 0, stores = 0, loads_s = 0, stores_s = 0, more = 0, more_s = 0;

	for (uint32_t i = 0; i < kernel->access_count; i++) {
		const struct ir_access *access = &kernel->accesses[i];
		double items, one, words = fmax(1, type_bytes(access->type) / 4.0);
		bool is_store = access->kind == ACCESS_STORE;

		if (kernel->objects[access->object].space != SPACE_LOCAL ||
		    access->kind == ACCESS_ATOMIC)
			continue;
		items = access_items(m, i);
		one = is_store ? store : load;
		/* to a CPU local memory is memory: calibrated with vectors */
		if (block_mode(m, kernel->summary->access_block[i]) == OP_MODE_SCALAR)
			one = fmax(one, device_value(device,
			                             is_store ? COEFFICIENT_STORE_SCALAR
			                                      : COEFFICIENT_LOAD_SCALAR,
			                             one));
		*(is_store ? &stores : &loads) += items;
		*(is_store ? &stores_s : &loads_s) += items * words * one;
		more += items * (evaluation_of(m)->accesses[i].ways - 1);
	}
	loads_s = on_units(m, loads_s);
	stores_s = on_units(m, stores_s);
	more_s = on_units(m, more * conflict);
	m->time_s[BOTTLENECK_LOCAL] = loads_s + stores_s + more_s;
	if (loads > 0)
		row_add(m->prediction, loads / m->items, loads_s, "local load");
	if (stores > 0)
		row_add(m->prediction, stores / m->items, stores_s, "local store");
	if (more > 0)
		row_add(m->prediction, more / m->items, more_s, "bank conflict");
}

/* Addresses that an access can touch over the launch. */
static double distinct_addresses(const struct default_model *m, uint32_t access)
{
	const struct evaluation_access *a = &evaluation_of(m)->accesses[access];
	double bytes = fmax(1, type_bytes(m->input->kernel->accesses[access].type));
	double all = a->object_bytes > 0 ? (double)a->object_bytes / bytes : 1e18, values = 1;

	if (a->address.is_known && !a->address.is_random) {
		for (unsigned i = 0; i < a->address.term_count; i++)
			values *= (double)a->address.terms[i].extent;
		return fmax(1, fmin(all, values));
	}
	if (a->unknown < 0.5 && a->high_bytes > a->low_bytes)
		all = fmin(all, (a->high_bytes - a->low_bytes) / bytes);
	return fmax(1, all);
}

static void add_atomics(struct default_model *m)
{
	const struct ir_kernel *kernel = m->input->kernel;
	const struct device *device = m->input->device;

	for (uint32_t i = 0; i < kernel->access_count; i++) {
		const struct ir_access *access = &kernel->accesses[i];
		const struct evaluation_access *a = &evaluation_of(m)->accesses[i];
		bool is_local = kernel->objects[access->object].space == SPACE_LOCAL;
		double same = device_value(
		        device,
		        is_local ? COEFFICIENT_ATOMIC_LOCAL_SAME : COEFFICIENT_ATOMIC_GLOBAL_SAME,
		        device_value(device, COEFFICIENT_ATOMIC_GLOBAL_SAME, 1e-9));
		double spread = device_value(device,
		                             is_local ? COEFFICIENT_ATOMIC_LOCAL_SPREAD
		                                      : COEFFICIENT_ATOMIC_GLOBAL_SPREAD,
		                             same);
		double count = a->executions * m->items, share = 0, time_s;

		if (access->kind != ACCESS_ATOMIC || !(count > 0))
			continue;
		if (a->lanes > 1)
			share = fmin(1, fmax(0, 1 - (a->addresses - 1) / (a->lanes - 1)));
		/* units of a CPU take the lines from each other, whatever the address in them */
		if (!m->is_lockstep && !is_local && m->units > 1 &&
		    !(a->address.is_known && !a->address.is_random && a->address.term_count > 0))
			share = 1;
		time_s = count * (share * same + (1 - share) * spread);
		if (is_local)
			time_s = on_units(m, time_s);
		else /* the hottest address takes its turns one by one */
			time_s = fmax(time_s, count / distinct_addresses(m, i) * same);
		m->time_s[BOTTLENECK_ATOMIC] += time_s;
		row_add(m->prediction, a->executions, time_s, "%s atomic on %s",
		        is_local ? "local" : "global", kernel->objects[access->object].name);
	}
}

static void add_barriers(struct default_model *m)
{
	const struct ir_kernel *kernel = m->input->kernel;
	const struct device *device = m->input->device;
	double one = (double)evaluation_of(m)->groups *
	                     device_value(device, COEFFICIENT_BARRIER_GROUP, 0) +
	             m->padded * device_value(device, COEFFICIENT_BARRIER_ITEM, 0);
	double count = 0;

	for (uint32_t i = 0; i < kernel->statement_count; i++)
		if (kernel->statements[i].kind == STATEMENT_BARRIER)
			count += evaluation_of(m)
			                 ->blocks[kernel->statements[i].block]
			                 .warp_executions;
	m->time_s[BOTTLENECK_BARRIER] = on_units(m, count * one);
	if (count > 0)
		row_add(m->prediction, count, m->time_s[BOTTLENECK_BARRIER], "barrier");
}

/* What a load or store costs that hits the first level, in device-seconds of one work-item. */
static double first_level_time(const struct default_model *m, uint32_t access, bool is_store)
{
	const struct device *device = m->input->device;
	const struct evaluation_access *a = &evaluation_of(m)->accesses[access];
	double bytes = type_bytes(m->input->kernel->accesses[access].type);
	double otherwise = 4 / level_read_bandwidth(device, MEMORY_L1);
	double vector = device_value(device, COEFFICIENT_LOAD_VECTOR, otherwise);
	double scalar = device_value(device, COEFFICIENT_LOAD_SCALAR, vector);
	double gather = device_value(device, COEFFICIENT_LOAD_GATHER, scalar);

	if (is_store) {
		vector = device_value(device, COEFFICIENT_STORE_VECTOR, vector);
		scalar = device_value(device, COEFFICIENT_STORE_SCALAR, scalar);
		gather = device_value(device, COEFFICIENT_STORE_SCATTER, gather);
	}
	if (m->is_lockstep) {
		double segment = positive_value(device, COEFFICIENT_SEGMENT_BYTES, 32);
		double plain = fmax(1, a->lanes * 4 / segment);
		double more = fmax(0, a->segments - plain);

		/* the segments belong to a warp: shared out to its work-items */
		return vector + more / evaluation_of(m)->warp_items *
		                        device_value(device, COEFFICIENT_TRANSACTION, vector);
	}
	if (block_mode(m, m->input->kernel->summary->access_block[access]) == OP_MODE_SCALAR)
		return scalar * fmax(1, bytes / 16);
	return (a->uniform * fmin(vector, scalar) + a->unit * vector * fmax(1, bytes / 4)) +
	       fmax(0, 1 - a->uniform - a->unit) * gather * fmax(1, bytes / 16);
}

static void add_first_level(struct default_model *m)
{
	const struct ir_kernel *kernel = m->input->kernel;

	for (uint32_t i = 0; i < kernel->access_count; i++) {
		const struct ir_access *access = &kernel->accesses[i];
		const struct ir_object *object = &kernel->objects[access->object];
		bool is_store = access->kind == ACCESS_STORE;
		double time_s;

		if (object->space == SPACE_LOCAL || access->kind == ACCESS_ATOMIC)
			continue;
		if (object->space == SPACE_PRIVATE &&
		    evaluation_of(m)->accesses[i].address.is_known &&
		    evaluation_of(m)->accesses[i].address.term_count == 0 &&
		    !evaluation_of(m)->accesses[i].address.is_random)
			continue; /* a register */
		time_s = on_units(m, access_items(m, i) * first_level_time(m, i, is_store));
		m->time_s[BOTTLENECK_L1] += time_s;
		if (!(access_items(m, i) > 0))
			continue;
		row_add(m->prediction, evaluation_of(m)->accesses[i].executions, time_s,
		        "%s %s of %.24s",
		        pattern_name(pattern_of(kernel, evaluation_of(m), m->input->device, i)),
		        is_store ? "write" : "read", object->name);
	}
}

static double level_value(const struct default_model *m, unsigned level, enum memory_column column,
                          double otherwise)
{
	return positive_value(m->input->device,
	                      coefficient_memory((enum memory_level)level, column), otherwise);
}

/* Traffic into each level below the first, and how long a load waits on the way. */
static enum status add_memory(struct default_model *m, struct error *error)
{
	const struct device *device = m->input->device;
	const struct ir_kernel *kernel = m->input->kernel;
	struct footprint_order order = {
	        .is_lockstep = m->is_lockstep, .units = m->units, .resident_groups = m->resident};
	struct footprint *footprint =
	        footprint_new(kernel, evaluation_of(m), m->input->launch, &order);
	unsigned levels = cache_levels(device);
	double touched = 0, latency;

	if (!footprint)
		return error_set(error, STATUS_NO_MEMORY, "%s: no memory for its footprint",
		                 kernel->name);
	for (uint32_t i = 0; i < kernel->access_count; i++)
		if (kernel->objects[kernel->accesses[i].object].space <= SPACE_CONSTANT)
			touched += evaluation_of(m)->accesses[i].warp_executions * m->warps *
			           evaluation_of(m)->accesses[i].lines[0];
	latency = level_value(m, levels > 0 ? MEMORY_L1 : MEMORY_DRAM, MEMORY_COLUMN_LATENCY, 0);
	/* without a cache found, one line is all that is kept */
	for (unsigned i = 0; i < (levels > 0 ? levels : 1); i++) {
		bool is_last = i + 1 >= levels;
		unsigned below = is_last ? MEMORY_DRAM : i + 1;
		double line = level_value(m, i, MEMORY_COLUMN_LINE, m->is_lockstep ? 32 : 64);
		bool is_private = level_value(m, i, MEMORY_COLUMN_INSTANCES, 1) > 1;
		struct footprint_cache cache = {
		        .capacity_bytes = levels > 0
		                                  ? level_value(m, i, MEMORY_COLUMN_CAPACITY, 32768)
		                                  : line,
		        .line_bytes = line,
		        .is_private = is_private && i < levels,
		        .is_kept = levels > 0 && !(m->is_lockstep && is_private),
		};
		struct footprint_traffic traffic;
		double stream, gather, time_s;

		if (is_last)
			cache.line_bytes = fmax(
			        line, device_value(device, COEFFICIENT_DRAM_GRANULE_BYTES, line));
		traffic = footprint_misses(footprint, &cache);
		stream = traffic.read_bytes /
		                 level_read_bandwidth(device, (enum memory_level)below) +
		         traffic.write_bytes /
		                 level_write_bandwidth(device, (enum memory_level)below);
		gather = traffic.gather_lines /
		         level_gather_rate(device, (enum memory_level)below, cache.line_bytes);
		time_s = stream + gather;
		if (!is_last && level_value(m, below, MEMORY_COLUMN_INSTANCES, 1) > 1)
			time_s = time_s / fmax(m->busy, 1e-9);
		m->time_s[BOTTLENECK_L1 + below] += time_s;
		latency +=
		        fmin(1, touched > 0 ? traffic.lines * cache.line_bytes / 32 / touched : 0) *
		        fmax(0, level_value(m, below, MEMORY_COLUMN_LATENCY, 0) -
		                        level_value(m, i, MEMORY_COLUMN_LATENCY, 0));
		if (traffic.lines > 0)
			row_add(m->prediction, traffic.lines * cache.line_bytes / m->items, time_s,
			        "bytes from %s",
			        bottleneck_name((enum bottleneck)(BOTTLENECK_L1 + below)));
	}
	m->load_latency_s = latency;
	footprint_free(footprint);
	return STATUS_OK;
}

/* ---- latency ------------------------------------------------------------------------------- */

static double node_latency(const struct default_model *m, uint32_t node)
{
	const struct device *device = m->input->device;
	const struct ir_node *n = &m->input->kernel->nodes[node];
	bool is_real = type_is_real(n->type);
	double add = device_value(device,
	                          is_real ? COEFFICIENT_FLOAT_LATENCY : COEFFICIENT_INT_LATENCY, 0);
	enum op_class op_class = node_op_class((enum node_op)n->op);
	enum type_class type = type_class_of(n->type);
	double add_s, op_s;

	if (n->op == NODE_CALL)
		op_class = builtin_class((enum builtin)n->aux);
	if (op_class == OP_CLASS_NONE || type == TYPE_CLASS_NONE)
		return 0;
	/* an operation that takes longer than an add also makes others wait longer */
	add_s = device_op_time_s(device, OP_MODE_VECTOR, type, OP_CLASS_ADD);
	op_s = device_op_time_s(device, OP_MODE_VECTOR, type, op_class);
	return add_s > 0 ? add * fmin(64, fmax(1, op_s / add_s)) : add;
}

/*
 * Iterations whose loads are under way together: all of an unrolled loop, four
 * of a counted one (compilers unroll by that), one of a loop that data may end.
 */
static double loads_ahead(const struct default_model *m, uint32_t block)
{
	const struct ir_kernel *kernel = m->input->kernel;
	double ahead = 1;

	while (kernel->blocks[block].owner != IR_NONE) {
		uint32_t owner = kernel->blocks[block].owner, i = 0;
		const struct ir_loop *loop;
		double trips;

		block = kernel->statements[owner].block;
		if (kernel->statements[owner].kind != STATEMENT_LOOP)
			continue;
		while (kernel->summary->loops[i].statement != owner)
			i++;
		loop = &kernel->summary->loops[i];
		trips = fmax(1, evaluation_of(m)->loops[i].trips);
		if (!loop->is_unrolled)
			return loop->trip == TRIP_DATA || loop->has_early_exit
			               ? ahead
			               : ahead * fmin(4, trips);
		ahead *= trips;
	}
	return ahead;
}

/*
 * Longest chains of dependent operations: within one execution of each block
 * (with the loads that they wait for), and around each loop.
 */
static double chain_time(const struct default_model *m, double *depth, double *around)
{
	const struct ir_kernel *kernel = m->input->kernel;
	const struct ir_summary *summary = kernel->summary;
	double *block_s = around + kernel->node_count, total = 0;

	for (uint32_t node = 0; node < kernel->node_count; node++) {
		const struct ir_node *n = &kernel->nodes[node];
		double latency;
		uint32_t block = summary->node_block[node];

		depth[node] = 0;
		around[node] = n->op == NODE_LOOP_VAR ? 0 : -1;
		if (summary->node_is_address[node] && n->op != NODE_LOAD)
			continue;
		latency = node_latency(m, node);
		for (unsigned i = 0; i < n->operand_count; i++) {
			uint32_t operand = kernel->operands[n->first_operand + i];

			if (summary->node_block[operand] == block)
				depth[node] = fmax(depth[node], depth[operand]);
			around[node] = fmax(around[node], around[operand]);
		}
		if (n->op == NODE_LOAD || n->op == NODE_ATOMIC) {
			const struct ir_access *access = &kernel->accesses[n->aux];
			bool is_far = kernel->objects[access->object].space <= SPACE_CONSTANT;

			if (access->index != IR_NONE && summary->node_block[access->index] == block)
				depth[node] = depth[access->index];
			latency = is_far ? m->load_latency_s : 0;
			block = summary->access_block[n->aux];
		}
		depth[node] += latency;
		if (around[node] >= 0)
			around[node] += latency;
		if (block < kernel->block_count)
			block_s[block] = fmax(block_s[block], depth[node]);
	}
	if (m->is_lockstep)
		for (uint32_t i = 0; i < kernel->block_count; i++)
			total += block_s[i] * evaluation_of(m)->blocks[i].warp_executions /
			         loads_ahead(m, i);
	for (uint32_t i = 0; i < summary->loop_count && !m->is_lockstep; i++) {
		const struct ir_statement *s = &kernel->statements[summary->loops[i].statement];
		double chain = 0;

		for (uint32_t v = 0; v < s->variable_count; v++) {
			uint32_t next = kernel->variables[s->first_variable + v].next;

			if (next != IR_NONE)
				chain = fmax(chain, around[next]);
		}
		if (s->body != IR_NONE && block_mode(m, s->body) == OP_MODE_SCALAR)
			total += chain * evaluation_of(m)->blocks[s->body].executions;
	}
	return total;
}

static enum status add_latency(struct default_model *m, struct error *error)
{
	const struct ir_kernel *kernel = m->input->kernel;
	double *memory =
	        calloc((size_t)kernel->node_count * 2 + kernel->block_count + 1, sizeof(*memory));
	double path, turns;

	if (!memory)
		return error_set(error, STATUS_NO_MEMORY, "%s: no memory for its chains",
		                 kernel->name);
	path = chain_time(m, memory, memory + kernel->node_count);
	free(memory);
	if (m->is_lockstep)
		turns = ceil((double)evaluation_of(m)->groups / (m->units * m->resident));
	else /* one work-item after another; the path is of those that are no lanes of vectors */
		turns = m->items / m->units / fmax(m->busy, 1e-9);
	m->time_s[BOTTLENECK_LATENCY] = path * turns;
	if (path * turns > 0)
		row_add(m->prediction, turns, path * turns, "latency of dependent operations");
	return STATUS_OK;
}

/* ---- the whole ----------------------------------------------------------------------------- */

/*
 * The largest term, and the others as far as they do not overlap with it.
 * Scaled by the largest, so that no power over- or underflows. Latency is no
 * resource that others compete for but a bound: on a GPU it stands beside the
 * norm. A CPU's core waits and works in turn.
 */
static double whole_of(const struct default_model *m, const double *time_s)
{
	double terms[BOTTLENECK_COUNT];

	for (unsigned i = 0; i < BOTTLENECK_COUNT; i++)
		terms[i] = i == BOTTLENECK_LATENCY && m->is_lockstep ? 0 : time_s[i];
	return fmax(soft_maximum(terms, BOTTLENECK_COUNT, norm_of(m->input->device)),
	            time_s[BOTTLENECK_LATENCY]);
}

/*
 * A launch begins on one unit; the others come after exec.spread.time_s, as
 * threads that wake up. Alone, a unit takes as many times longer as there are
 * units - but reads shared memory faster than its share of it.
 */
static double with_units_waking(const struct default_model *m, double total)
{
	const struct device *device = m->input->device;
	double spread = device_value(device, COEFFICIENT_SPREAD, 0);
	double active = fmin(m->units, (double)evaluation_of(m)->groups), alone;
	double time_s[BOTTLENECK_COUNT];

	if (m->is_lockstep || !(spread > 0) || active < 2)
		return total;
	for (unsigned i = 0; i < BOTTLENECK_COUNT; i++) {
		double longer = active;

		if (i >= BOTTLENECK_L1 && i <= BOTTLENECK_DRAM) {
			unsigned level = i - BOTTLENECK_L1;
			double all = level_value(m, level, MEMORY_COLUMN_READ, 0);
			double one = level_value(m, level, MEMORY_COLUMN_UNIT_READ, 0);

			if (all > 0 && one > 0)
				longer = fmin(active, fmax(1, all / one));
		}
		time_s[i] = m->time_s[i] * longer;
	}
	alone = whole_of(m, time_s);
	return alone <= spread ? alone : spread + total * (1 - spread / alone);
}

enum status model_default(const struct model_input *input, struct prediction *prediction,
                          struct error *error)
{
	struct default_model m = {.input = input, .prediction = prediction};
	double base = device_value(input->device, COEFFICIENT_LAUNCH_BASE, 1e-6);
	double most = 0, total;
	enum status status;

	row_add(prediction, 1, base, "launch");
	fill_device(&m);
	add_dispatch(&m);
	add_arithmetic(&m);
	add_local(&m);
	add_atomics(&m);
	add_barriers(&m);
	add_first_level(&m);
	status = add_memory(&m, error);
	if (status != STATUS_OK)
		return status;
	status = add_latency(&m, error);
	if (status != STATUS_OK)
		return status;
	prediction->bottleneck = BOTTLENECK_LAUNCH;
	for (unsigned i = 0; i < BOTTLENECK_COUNT; i++) {
		if (!(m.time_s[i] >= 0))
			m.time_s[i] = 0;
		m.time_s[i] = fmin(m.time_s[i], 1e30);
		if (m.time_s[i] > most) {
			most = m.time_s[i];
			prediction->bottleneck = (uint8_t)i;
		}
	}
	total = with_units_waking(&m, whole_of(&m, m.time_s));
	prediction->kernel_time_s = base + total;
	if (base >= prediction->kernel_time_s - base)
		prediction->bottleneck = BOTTLENECK_LAUNCH;
	if (!m.is_lockstep && input->kernel->summary->obstacle != VECTOR_OK)
		note_add(prediction->note, sizeof(prediction->note), "not vectorised: %s",
		         vector_obstacle_text(input->kernel->summary->obstacle));
	return STATUS_OK;
}
