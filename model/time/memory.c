/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The default model's terms of memory: what an access costs that hits the first
 * level, and the traffic of reuse windows into each level below.
 */
#include <math.h>
#include <stdlib.h>

#include "model/codegen/codegen.h"
#include "model/device/levels.h"
#include "model/evaluate/pattern.h"
#include "model/time/terms.h"
#include "model/traffic/footprint.h"
#include "model/underived.h"

enum { ABREAST_ITEMS = 8 }; /* of an iteration that LLVM makes of vectors: 256 bits, or several */

/*
 * Accesses that one is on a GPU: a vector that may begin at any element moves by elements, since a
 * wider load has to be aligned.
 */
static double parts_of(const struct machine *m, uint32_t access)
{
	const struct ir_access *a = &m->input->kernel->accesses[access];

	return m->is_lockstep && a->is_packed ? a->type.width : 1;
}

double spread_time(const struct machine *m, uint32_t access)
{
	const struct device *device = m->input->device;
	const struct ir_kernel *kernel = m->input->kernel;
	const struct ir_object *object;
	double vector = device_value(device, COEFFICIENT_LOAD_VECTOR, 0);

	object = &kernel->objects[kernel->accesses[access].object];
	/* the program's constants have a cache of their own that serves one address after the
	 * other, however near they are; those that an argument points to lie in global memory */
	if (object->space == SPACE_CONSTANT && object->argument == IR_NONE)
		return fmax(0, evaluation_of(m)->accesses[access].came.addresses - 1) *
		       device_value(device, COEFFICIENT_CONSTANT_ADDRESS,
		                    device_value(device, COEFFICIENT_TRANSACTION, vector));
	return fmax(0, parts_of(m, access) * evaluation_of(m)->accesses[access].ways - 1) *
	       device_value(device, COEFFICIENT_TRANSACTION, vector);
}

/*
 * A warp's store, in device-seconds of one of its work-items: it goes on to the level below in
 * sectors. Those that are written in full are fast; of others each takes the unit its time, and
 * each line that they are in the level below, which all units share.
 */
static double warp_store_time(const struct machine *m, uint32_t access, double vector,
                              double scatter)
{
	const struct evaluation_access *a = &evaluation_of(m)->accesses[access];
	double sector = device_value(m->input->device, COEFFICIENT_STORE_SECTOR, scatter);
	double parts = parts_of(m, access);
	/* lines of 128 bytes, as were those whose scattered stores were timed */
	double sectors_of_line = EVALUATE_LINE_BYTES(2) / EVALUATE_LINE_BYTES(0);
	double line_s = fmax(0, scatter - sector) / (1 - 1 / sectors_of_line), full, lines;

	full = fmin(a->came.sectors, a->came.addresses * a->bytes / parts / EVALUATE_LINE_BYTES(0));
	lines = fmax(0, a->came.lines - full / sectors_of_line);
	return parts *
	       (full * vector * EVALUATE_LINE_BYTES(0) / 4 +
	        (a->came.sectors - full) * fmax(0, scatter - line_s) +
	        lines * line_s * m->occupancy.busy) /
	       evaluation_of(m)->warp_items;
}

/*
 * A warp's access to a GPU's first level, in device-seconds of one of its work-items, on units
 * that are full or not. Segments of a load follow each other through the cache, which one warp
 * alone keeps busy.
 */
static double warp_access_time(const struct machine *m, uint32_t access, bool is_store,
                               double vector, double scatter)
{
	double time_s = vector + spread_time(m, access) / evaluation_of(m)->warp_items;

	if (is_store)
		time_s = warp_store_time(m, access, vector, scatter);
	return fmax(vector / m->occupancy.saturation, time_s);
}

/* The same of a CPU, where iterations of a loop are lanes: by the step from one to the next. */
static double lane_access_time(const struct machine *m, uint32_t access, double vector,
                               double scalar, double gather)
{
	const struct evaluation_access *a = &evaluation_of(m)->accesses[access];
	uint32_t block = m->input->kernel->summary->access_block[access];
	int64_t step = 0;

	if (!a->address.is_known || a->address.is_random)
		return gather * fmax(1, a->bytes / 16);
	for (unsigned i = 0; i < a->address.term_count; i++)
		if (a->address.terms[i].base == AFFINE_LOOP + m->code.lanes[block].loop)
			step = a->address.terms[i].factor;
	if (step == 0)
		return fmin(vector, scalar);
	return (double)llabs(step) <= a->bytes ? vector * fmax(1, a->bytes / 4)
	                                       : fmin(gather, scalar) * fmax(1, a->bytes / 16);
}

/*
 * Whether a CPU's gathers and scatters keep a core from all else: those that are sequences of
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

/* What goes by lanes on a CPU, one after another. */
static double gathered_time(const struct machine *m, uint32_t access, bool is_store)
{
	const struct evaluation_access *a = &evaluation_of(m)->accesses[access];
	uint32_t block = m->input->kernel->summary->access_block[access];
	double gather =
	        device_value(m->input->device,
	                     is_store ? COEFFICIENT_STORE_SCATTER : COEFFICIENT_LOAD_GATHER, 0);

	if (m->is_lockstep || block_mode(m, block) != OP_MODE_VECTOR ||
	    !m->code.is_gathered[access])
		return 0;
	/* local memory was calibrated with positions that come from an array */
	if (m->code.is_shifted[access])
		gather = device_value(m->input->device,
		                      is_store ? COEFFICIENT_LOCAL_STORE : COEFFICIENT_LOCAL_LOAD,
		                      gather);
	return (1 - m->code.one_by_one) * fmax(1, a->bytes / 16) * gather;
}

/* Whether an iteration of vectors reads a place once: all its work-items mean the same. */
static bool is_shared_place(const struct machine *m, uint32_t access)
{
	const struct ir_summary *summary = m->input->kernel->summary;
	uint32_t index = m->input->kernel->accesses[access].index;

	return m->code.one_by_one < 1 && summary->loop_depth[summary->access_block[access]] == 0 &&
	       (index == IR_NONE || summary->node_is_uniform[index]);
}

/* What a load or store costs that hits the first level, in device-seconds of one work-item. */
double first_level_time(const struct machine *m, uint32_t access, bool is_store)
{
	const struct device *device = m->input->device;
	const struct evaluation_access *a = &evaluation_of(m)->accesses[access];
	uint32_t block = m->input->kernel->summary->access_block[access];
	double bytes = a->bytes;
	double otherwise = 4 / level_read_bandwidth(device, MEMORY_L1);
	double vector = device_value(device, COEFFICIENT_LOAD_VECTOR, otherwise);
	double scalar = device_value(device, COEFFICIENT_LOAD_SCALAR, vector);
	double gather = device_value(device, COEFFICIENT_LOAD_GATHER, scalar);

	if (is_store) {
		vector = device_value(device, COEFFICIENT_STORE_VECTOR, vector);
		scalar = device_value(device, COEFFICIENT_STORE_SCALAR, scalar);
		gather = device_value(device, COEFFICIENT_STORE_SCATTER, gather);
	}
	if (m->is_lockstep)
		return warp_access_time(m, access, is_store, vector, gather);
	if (block_mode(m, block) == OP_MODE_SCALAR)
		return in_lanes(m, block, scalar * fmax(1, bytes / 16),
		                lane_access_time(m, access, vector, scalar, gather));
	if (m->code.is_gathered[access])
		return gathered_time(m, access, is_store) +
		       m->code.one_by_one * scalar * fmax(1, bytes / 16);
	if (m->code.is_single[access])
		return scalar * fmax(1, bytes / 16);
	if (!is_store && !m->code.is_masked[access] && is_shared_place(m, access))
		return in_vectors(m, scalar / (double)ABREAST_ITEMS, scalar);
	if (m->code.is_masked[access] && steps_by_one(m, access))
		return in_vectors(m, vector * bytes / 4, scalar * fmax(1, bytes / 16));
	if (m->code.groups[access].factor > 0)
		return in_vectors(m, group_time(m, access, vector), scalar);
	return in_vectors(m,
	                  a->uniform * (m->code.is_masked[access] ? gather : fmin(vector, scalar)) +
	                          a->unit * vector * bytes / 4 +
	                          fmax(0, 1 - a->uniform - a->unit) * gather * fmax(1, bytes / 16),
	                  scalar * fmax(1, bytes / 16));
}

/* Sectors that a warp's texels fill in part only are written as whole ones: of 16 bytes a texel. */
static double sectors_write_time(const struct machine *m, const struct evaluation_access *a)
{
	const double full_bytes = 16, sector_bytes = 32;
	double full = device_texel_time_s(m->input->device, IMAGE_WAY_WRITE, full_bytes, NULL);

	return full / full_bytes * sector_bytes * a->lines[0] / fmax(1, a->lanes);
}

/* A texel where it is cached: on a CPU instructions, on a GPU its texture units' work. */
static void add_texel(struct terms *t, uint32_t access)
{
	const struct machine *m = t->machine;
	const struct ir_kernel *kernel = m->input->kernel;
	const struct evaluation_access *a = &evaluation_of(m)->accesses[access];
	enum op_mode mode = block_mode(m, kernel->summary->access_block[access]);
	bool is_store = kernel->accesses[access].kind == ACCESS_STORE, is_known;
	enum image_way way = (enum image_way)a->image_way;
	double time_s = m->is_lockstep
	                        ? device_texel_time_s(m->input->device, way, a->bytes, &is_known)
	                        : device_image_time_s(m->input->device, mode, way,
	                                              (enum image_class)a->image_class, &is_known);

	if (m->is_lockstep && is_store)
		time_s = fmax(time_s, sectors_write_time(m, a));
	time_s /= m->occupancy.saturation;
	if (m->is_lockstep)
		time_s = fmax(time_s, first_level_time(m, access, is_store));
	time_s = on_busy_units(m, access_items(m, access) * time_s);
	term_add(t, m->is_lockstep ? BOTTLENECK_L1 : BOTTLENECK_ARITHMETIC, time_s);
	row_add(t->prediction, a->executions, time_s, "%simage %s of %.24s",
	        a->image_way == IMAGE_WAY_LINEAR ? "linear " : "", is_store ? "write" : "read",
	        kernel->objects[kernel->accesses[access].object].name);
	if (!is_known)
		note_add(t->prediction->note, sizeof(t->prediction->note),
		         "images are not calibrated: estimated from loads and additions");
}

/* Bytes of private arrays that a GPU's unit keeps for the work-items that it holds. */
static double private_bytes(const struct machine *m)
{
	const struct ir_kernel *kernel = m->input->kernel;
	double bytes = 0;

	for (uint32_t i = 0; m->code.is_in_memory && i < kernel->object_count; i++)
		bytes += m->code.is_in_memory[i] ? (double)kernel->objects[i].size_bytes : 0;
	return bytes *
	       fmin(m->occupancy.resident,
	            ceil((double)evaluation_of(m)->groups / m->occupancy.units)) *
	       (double)evaluation_of(m)->group_items;
}

/* What warps' loads of them read from the level below, where a share is not in the first one. */
static double private_read_bytes(const struct machine *m, double share)
{
	const struct ir_kernel *kernel = m->input->kernel;
	double bytes = 0;

	for (uint32_t i = 0; m->code.is_in_memory && i < kernel->access_count; i++)
		if (m->code.is_in_memory[kernel->accesses[i].object] &&
		    kernel->accesses[i].kind == ACCESS_LOAD)
			bytes += access_items(m, i) / evaluation_of(m)->warp_items *
			         evaluation_of(m)->accesses[i].lines[0] * EVALUATE_LINE_BYTES(0);
	return bytes * share;
}

/*
 * What an access has a GPU's first level itself busy with, at the most: a store as long as whole
 * sectors take, the rest of it being the level below's.
 */
static double passing_time(const struct machine *m, uint32_t access)
{
	double word = device_value(m->input->device, COEFFICIENT_STORE_VECTOR, 0);

	if (m->input->kernel->accesses[access].kind == ACCESS_LOAD)
		return HUGE_VAL;
	return word * fmax(1, evaluation_of(m)->accesses[access].bytes / 4);
}

void add_first_level(struct terms *t)
{
	const struct machine *m = t->machine;
	const struct ir_kernel *kernel = m->input->kernel;
	double passing_s = 0;

	for (uint32_t i = 0; i < kernel->access_count; i++) {
		const struct ir_access *access = &kernel->accesses[i];
		const struct ir_object *object = &kernel->objects[access->object];
		bool is_store = access->kind == ACCESS_STORE;
		double time_s, gathering_s;

		/* one that never happens may be in no block: a load that nobody needs */
		if (object->space == SPACE_LOCAL || access->kind == ACCESS_ATOMIC ||
		    !(access_items(m, i) > 0))
			continue;
		if (object->space == SPACE_IMAGE) {
			add_texel(t, i);
			continue;
		}
		if (is_register(m, i))
			continue;
		time_s = on_busy_units(m, access_items(m, i) * first_level_time(m, i, is_store));
		term_add(t, BOTTLENECK_L1, time_s);
		passing_s +=
		        fmin(time_s, on_busy_units(m, access_items(m, i) * passing_time(m, i)));
		gathering_s = gathers_hold(m)
		                      ? on_busy_units(m, access_items(m, i) *
		                                                 gathered_time(m, i, is_store))
		                      : 0;
		t->gathering_s += gathering_s;
		region_moves(t, kernel->summary->access_block[i], fmax(0, time_s - gathering_s));
		row_add(t->prediction,
		        evaluation_of(m)->accesses[i].executions *
		                (m->code.repeats != NULL ? m->code.repeats[i] : 1),
		        time_s, "%s %s of %.24s",
		        pattern_name(pattern_of(kernel, evaluation_of(m), m->input->device, i)),
		        is_store ? "write" : "read", object->name);
	}
	if (t->time_s[BOTTLENECK_L1] > 0)
		t->passing_share = passing_s / t->time_s[BOTTLENECK_L1];
}

/*
 * Work-items that go through their loops together: a warp, or the lanes of vectors. Where
 * a loop keeps a CPU from making vectors, a work-item ends it before the next one begins.
 */
static double items_abreast(const struct machine *m)
{
	const struct ir_kernel *kernel = m->input->kernel;

	for (uint32_t i = 0; !m->is_lockstep && i < kernel->summary->loop_count; i++) {
		uint32_t loop = kernel->summary->loops[i].statement;

		if (!is_outer_loop(m, loop) &&
		    block_mode(m, kernel->statements[loop].body) == OP_MODE_SCALAR)
			return 1;
	}
	return evaluation_of(m)->warp_items;
}

/* Ways of a first level: 12 on Intel's cores, 8 on AMD's, 4 to 16 elsewhere. */
enum { FIRST_WAYS_MAX = 16, FIRST_WAYS = 8 };

/* Whether a calibration took something else for the first level's ways. */
static bool is_first_way_wrong(const struct machine *m)
{
	double way = level_value(m, MEMORY_L1, MEMORY_COLUMN_WAY, 0);

	return way > 0 && level_value(m, MEMORY_L1, MEMORY_COLUMN_CAPACITY, 0) / way >
	                          (double)(int)FIRST_WAYS_MAX;
}

/*
 * How far apart addresses share a set. A way is a power of two: where no cache has the ways that
 * were found, it is the largest that a first level of 8 ways has room for (4 KiB of 32 and 48 KiB).
 */
static double way_bytes(const struct machine *m, enum memory_level level)
{
	if (level == MEMORY_L1 && is_first_way_wrong(m))
		return exp2(floor(log2(level_value(m, level, MEMORY_COLUMN_CAPACITY, 0) /
		                       (double)(int)FIRST_WAYS)));
	return level_value(m, level, MEMORY_COLUMN_WAY, 0);
}

/*
 * Rates of lines that fight for a set of the level before. Those of the second level are timed as
 * far apart as the first level's way was found. Unless that holds, reads come as at random, and
 * stores, which leave a core in order, wait for one line after the other.
 */
static double walk_rate(const struct machine *m, enum memory_level level, double line,
                        bool is_store)
{
	const struct device *device = m->input->device;
	double latency_s = level_value(m, level, MEMORY_COLUMN_LATENCY, 0);
	double otherwise = level_gather_rate(device, level, line);

	if (is_store)
		otherwise = fmin(level_scatter_rate(device, level, line),
		                 latency_s > 0 ? m->occupancy.units / latency_s : HUGE_VAL);
	if (level == MEMORY_L2 && is_first_way_wrong(m))
		return otherwise;
	return level_value(m, level, is_store ? MEMORY_COLUMN_WALK_WRITE : MEMORY_COLUMN_WALK_READ,
	                   otherwise);
}

/*
 * What a level takes to deliver what the one before it misses. A core goes on reading while stores
 * wait that fight for a set, unless these are lines that it read in another place: of 16 arrays a
 * power of two apart it takes 1.1 ns to read a line, 2.4 to write one, and 4.2 to read all and then
 * to write them (Zen 4).
 */
static double traffic_time(const struct machine *m, enum memory_level level, double line,
                           const struct footprint_traffic *traffic)
{
	const struct device *device = m->input->device;
	double gather = level_gather_rate(device, level, line);
	double scatter = level_scatter_rate(device, level, line);
	double walk_read_s = 1 / walk_rate(m, level, line, false);
	double walk_write_s = 1 / walk_rate(m, level, line, true);

	return traffic->read_bytes / level_read_bandwidth(device, level) +
	       traffic->write_bytes / level_write_bandwidth(device, level) +
	       traffic->gather_lines / gather + traffic->scatter_lines / scatter +
	       traffic->unstreamed_lines / level_value(m, level, MEMORY_COLUMN_UNSTREAMED, gather) +
	       fmax((traffic->walk_reads - traffic->walk_apart) * walk_read_s,
	            traffic->walk_writes * walk_write_s) +
	       traffic->walk_apart * walk_read_s;
}

/*
 * What those units take of a CPU for it that have work: lines that come one by one come no
 * faster to a unit because others have nothing to do.
 */
static double busy_traffic_time(const struct machine *m, enum memory_level level, double line,
                                const struct footprint_traffic *traffic)
{
	struct footprint_traffic apart = *traffic;

	apart.read_bytes = apart.write_bytes = 0;
	return (traffic_time(m, level, line, &apart) +
	        traffic->read_bytes / level_value(m, level, MEMORY_COLUMN_UNIT_READ, HUGE_VAL) /
	                m->occupancy.units) /
	       fmax(m->occupancy.busy, 1e-9);
}

#define HANDED_BYTES 64.0 /* a line that CPUs' cores hand to each other */

/*
 * What stores take of a level that cores share, where other cores have written their lines in the
 * launch before: each has to give up what it has, and where no load brings such a line, it comes
 * alone. A core goes on reading meanwhile.
 */
static double handed_time(const struct machine *m, struct footprint *footprint,
                          const struct footprint_cache *cache, enum memory_level below,
                          const struct footprint_traffic *traffic)
{
	const struct device *device = m->input->device;
	struct footprint_cache own = *cache;
	double handed;

	own.kept = 1;
	handed = fmax(0,
	              traffic->stored_bytes - footprint_misses(footprint, &own, NULL).stored_bytes);
	return handed / HANDED_BYTES / level_scatter_rate(device, below, HANDED_BYTES) +
	       fmax(0, traffic->write_bytes - handed) / level_write_bandwidth(device, below);
}

/*
 * Traffic into each level below the first, and how long a load waits on the way. A CPU hands its
 * work-groups to whichever core asks: in a core's own cache the next launch finds its data no
 * more often than by chance.
 */
enum status add_memory(struct terms *t, double **waits, struct error *error)
{
	const struct machine *m = t->machine;
	const struct device *device = m->input->device;
	const struct ir_kernel *kernel = m->input->kernel;
	struct footprint_order order = {
	        .is_lockstep = m->is_lockstep,
	        .abreast = items_abreast(m),
	        .units = m->occupancy.units,
	        .resident_groups = m->occupancy.resident,
	        .is_unstreamed = m->code.is_unstreamed,
	        .tile_rows = (unsigned)fmin(
	                fmax(device_value(device, COEFFICIENT_IMAGE_TILE_ROWS, 1), 1), 64)};
	struct footprint *footprint =
	        footprint_new(kernel, evaluation_of(m), m->input->launch, &order);
	unsigned levels = cache_levels(device);
	double taken = private_bytes(m), missing = 0;

	*waits = calloc((size_t)kernel->access_count * (MEMORY_LEVEL_COUNT - 1) + 1,
	                sizeof(**waits));
	if (!footprint || !*waits) {
		footprint_free(footprint);
		return error_set(error, STATUS_NO_MEMORY, "%s: no memory for its footprint",
		                 kernel->name);
	}
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
		        .way_bytes = levels > 0 ? way_bytes(m, (enum memory_level)i) : 0,
		        .walk_lines =
		                levels > 0 ? level_value(m, i, MEMORY_COLUMN_WALK_LINES, 0) : 0,
		        .walk_bytes = levels > 0 ? way_bytes(m, MEMORY_L1) : 0,
		        .is_private = is_private && i < levels,
		        .kept = levels == 0      ? 0
		                : !is_private    ? 1
		                : m->is_lockstep ? 0
		                                 : 1 / m->occupancy.units, /* a group comes back to
		                                                              any core */
		};
		struct footprint_traffic traffic;
		double time_s;

		if (is_last)
			cache.line_bytes = fmax(
			        line, device_value(device, COEFFICIENT_DRAM_GRANULE_BYTES, line));
		if (i == 0 && cache.is_private) { /* arrays of work-items stand in it first */
			double room = fmax(cache.capacity_bytes - taken, cache.capacity_bytes / 8);

			missing = taken > 0 ? fmax(0, 1 - cache.capacity_bytes / taken) : 0;
			cache.capacity_bytes = room;
		}
		traffic = footprint_misses(footprint, &cache,
		                           *waits + (size_t)i * kernel->access_count);
		if (i == 0)
			traffic.read_bytes += private_read_bytes(m, missing);
		time_s = traffic_time(m, (enum memory_level)below, cache.line_bytes, &traffic);
		if (!m->is_lockstep && !is_last && is_private && traffic.stored_bytes > 0 &&
		    !(level_value(m, below, MEMORY_COLUMN_INSTANCES, 1) > 1))
			time_s = fmax(time_s, handed_time(m, footprint, &cache,
			                                  (enum memory_level)below, &traffic));
		if (!is_last && level_value(m, below, MEMORY_COLUMN_INSTANCES, 1) > 1)
			time_s = time_s / fmax(m->occupancy.busy, 1e-9);
		else if (!m->is_lockstep)
			time_s = fmax(time_s, busy_traffic_time(m, (enum memory_level)below,
			                                        cache.line_bytes, &traffic));
		term_add(t, BOTTLENECK_L1 + below, time_s);
		if (traffic.lines > 0)
			row_add(t->prediction,
			        traffic.lines * cache.line_bytes / m->occupancy.items, time_s,
			        "bytes from %s",
			        bottleneck_name((enum bottleneck)(BOTTLENECK_L1 + below)));
	}
	footprint_free(footprint);
	return STATUS_OK;
}
