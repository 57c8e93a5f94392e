/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The default model's terms of memory: what an access costs that hits the first
 * level, and the traffic of reuse windows into each level below.
 */
#include <math.h>
#include <stdlib.h>

#include "model/device/levels.h"
#include "model/evaluate/pattern.h"
#include "model/time/lines.h"

struct word_times word_times_of(const struct device *device, bool is_store)
{
	double otherwise = 4 / level_read_bandwidth(device, MEMORY_L1);
	struct word_times word;

	word.vector = device_value(device, COEFFICIENT_LOAD_VECTOR, otherwise);
	word.scalar = device_value(device, COEFFICIENT_LOAD_SCALAR, word.vector);
	word.apart = device_value(device, COEFFICIENT_LOAD_GATHER, word.scalar);
	if (is_store) {
		word.vector = device_value(device, COEFFICIENT_STORE_VECTOR, word.vector);
		word.scalar = device_value(device, COEFFICIENT_STORE_SCALAR, word.scalar);
		word.apart = device_value(device, COEFFICIENT_STORE_SCATTER, word.apart);
	}
	return word;
}

/* A texel where it is cached. */
static void add_texel(struct terms *t, uint32_t access)
{
	const struct machine *m = t->machine;
	const struct ir_kernel *kernel = m->input->kernel;
	const struct evaluation_access *a = &evaluation_of(m)->accesses[access];
	bool is_store = kernel->accesses[access].kind == ACCESS_STORE, is_known;
	double time_s = t->kind->texel_time(m, access, &is_known);

	time_s = on_busy_units(m, access_items(m, access) * time_s);
	term_add(t, t->kind->texel_resource, time_s);
	lines_add_access(t, t->kind->texel_resource, access, time_s);
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

	for (uint32_t i = 0; m->code.in_memory && i < kernel->object_count; i++)
		bytes += m->code.in_memory[i] * (double)kernel->objects[i].size_bytes;
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

	for (uint32_t i = 0; m->code.in_memory && i < kernel->access_count; i++)
		if (m->code.in_memory[kernel->accesses[i].object] > 0 &&
		    kernel->accesses[i].kind == ACCESS_LOAD)
			bytes += access_items(m, i) / evaluation_of(m)->warp_items *
			         evaluation_of(m)->accesses[i].lines[0] * EVALUATE_LINE_BYTES(0);
	return bytes * share;
}

void add_first_level(struct terms *t)
{
	const struct machine *m = t->machine;
	const struct ir_kernel *kernel = m->input->kernel;

	for (uint32_t i = 0; i < kernel->access_count; i++) {
		const struct ir_access *access = &kernel->accesses[i];
		const struct ir_object *object = &kernel->objects[access->object];
		bool is_store = access->kind == ACCESS_STORE;
		double time_s;

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
		time_s =
		        on_busy_units(m, access_items(m, i) * t->kind->access_time(m, i, is_store));
		term_add(t, BOTTLENECK_L1, time_s);
		lines_add_access(t, BOTTLENECK_L1, i, time_s);
		t->kind->accessed(t, i, is_store, time_s);
		row_add(t->prediction,
		        evaluation_of(m)->accesses[i].executions *
		                (m->code.repeats != NULL ? m->code.repeats[i] : 1),
		        time_s, "%s %s of %.24s",
		        pattern_name(pattern_of(kernel, evaluation_of(m), m->input->device, i)),
		        is_store ? "write" : "read", object->name);
	}
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
 * A core goes on reading while stores
 * wait that fight for a set, unless these are lines that it read in another place: of 16 arrays a
 * power of two apart it takes 1.1 ns to read a line, 2.4 to write one, and 4.2 to read all and then
 * to write them (Zen 4).
 */
double traffic_time(const struct machine *m, enum memory_level level, double line,
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

enum { PAGE_BYTES = 4096 };

/*
 * What cores take to look up where pages are: as many are kept as a cache has lines, with a page
 * for a line. Random lines of what cores share, `alone` of them, were timed with that.
 */
static void add_pages(struct terms *t, struct footprint *footprint, double alone)
{
	const struct machine *m = t->machine;
	const struct device *device = m->input->device;
	const struct ir_kernel *kernel = m->input->kernel;
	struct footprint_cache pages = {
	        .capacity_bytes = device_value(device, COEFFICIENT_PAGES, 0) * (double)PAGE_BYTES,
	        .line_bytes = (double)PAGE_BYTES,
	        .is_private = true};
	struct footprint_traffic *causes = lines_causes(t), traffic;
	double each_s, time_s;

	if (!(pages.capacity_bytes > 0))
		return;
	traffic = footprint_misses(footprint, &pages, NULL, causes);
	if (!(traffic.lines > alone))
		return;
	each_s = on_busy_units(m, device_value(device, COEFFICIENT_PAGE, 0) / m->occupancy.units) *
	         (1 - alone / traffic.lines);
	time_s = traffic.lines * each_s;
	term_add(t, BOTTLENECK_L2, time_s);
	for (uint32_t i = 0; causes != NULL && i < kernel->access_count; i++)
		lines_add_access(t, BOTTLENECK_L2, i, causes[i].lines * each_s);
	row_add(t->prediction, traffic.lines / m->occupancy.items, time_s, "pages looked up");
}

/*
 * Traffic into each level below the first, and how long a load waits on the way.
 */
enum status add_memory(struct terms *t, double **waits, struct error *error)
{
	const struct machine *m = t->machine;
	const struct device *device = m->input->device;
	const struct ir_kernel *kernel = m->input->kernel;
	struct footprint_order order = {
	        .kind = t->kind->footprint,
	        .abreast = t->kind->items_abreast(m),
	        .units = m->occupancy.units,
	        .resident_groups = m->occupancy.resident,
	        .is_unstreamed = m->code.is_unstreamed,
	        .tile_rows = (unsigned)fmin(
	                fmax(device_value(device, COEFFICIENT_IMAGE_TILE_ROWS, 1), 1), 64)};
	struct footprint *footprint =
	        footprint_new(kernel, evaluation_of(m), m->input->launch, &order);
	unsigned levels = cache_levels(device);
	double taken = private_bytes(m), missing = 0, alone = 0;

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
		double line = level_value(m, i, MEMORY_COLUMN_LINE, t->kind->line_bytes);
		bool is_private = level_value(m, i, MEMORY_COLUMN_INSTANCES, 1) > 1;
		struct footprint_cache cache = {
		        .capacity_bytes = levels > 0
		                                  ? level_value(m, i, MEMORY_COLUMN_CAPACITY, 32768)
		                                  : line,
		        .line_bytes = line,
		        /* of a unit's own level recorded kernels show none */
		        .tag_bytes = levels > 0 && !is_private
		                             ? device_value(device, COEFFICIENT_SEGMENT_BYTES, 0)
		                             : 0,
		        .way_bytes = levels > 0 ? way_bytes(m, (enum memory_level)i) : 0,
		        .walk_lines =
		                levels > 0 ? level_value(m, i, MEMORY_COLUMN_WALK_LINES, 0) : 0,
		        .walk_bytes = levels > 0 ? way_bytes(m, MEMORY_L1) : 0,
		        .is_private = is_private && i < levels,
		        .kept = levels == 0   ? 0
		                : !is_private ? 1
		                              : t->kind->own_kept / m->occupancy.units,
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
		                           *waits + (size_t)i * kernel->access_count,
		                           lines_causes(t));
		if (i == 0)
			traffic.read_bytes += private_read_bytes(m, missing);
		struct level level = {
		        .footprint = footprint,
		        .cache = &cache,
		        .below = (enum memory_level)below,
		        .is_below_private =
		                !is_last && level_value(m, below, MEMORY_COLUMN_INSTANCES, 1) > 1,
		        .traffic = &traffic,
		};
		if (cache.is_private && !level.is_below_private)
			alone = traffic.gather_lines + traffic.scatter_lines;
		time_s = t->kind->level_time(m, &level);
		term_add(t, BOTTLENECK_L1 + below, time_s);
		lines_add_traffic(t, &level);
		if (traffic.lines > 0)
			row_add(t->prediction,
			        traffic.lines * cache.line_bytes / m->occupancy.items, time_s,
			        "bytes from %s",
			        bottleneck_name((enum bottleneck)(BOTTLENECK_L1 + below)));
	}
	add_pages(t, footprint, alone);
	footprint_free(footprint);
	return STATUS_OK;
}
