/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a GPU's first level does: a warp's access moves segments of its lanes, one after another;
 * local memory lies in the same place, in banks; texels come through texture units.
 */
#include <math.h>

#include "model/device/levels.h"
#include "model/time/gpu/gpu.h"

enum {
	HELD_STORES = 4,
	HELD_SECTORS = 16,
	ACCESSES_BETWEEN = 64 /* stores further apart are not looked for */
};

/*
 * Accesses that one is: a vector that may begin at any element moves by elements, since a wider
 * load has to be aligned.
 */
static double parts_of(const struct machine *m, uint32_t access)
{
	const struct ir_access *a = &m->input->kernel->accesses[access];

	return a->is_packed ? a->type.width : 1;
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

/* Iterations of an unrolled loop in which an access goes on by `bytes`; 1: there is none. */
static double unrolled_beside(const struct machine *m, uint32_t access, double bytes)
{
	const struct ir_summary *summary = m->input->kernel->summary;
	const struct affine *form = &evaluation_of(m)->accesses[access].address;
	uint32_t loop = summary->block_loop[summary->access_block[access]];

	for (unsigned i = 0; i < form->term_count && loop != IR_NONE; i++)
		if (form->terms[i].base == AFFINE_LOOP + loop && summary->loops[loop].is_unrolled &&
		    fabs((double)form->terms[i].factor) == bytes)
			return fmax(1, round(evaluation_of(m)->loops[loop].trips));
	return 1;
}

/* Bytes from a store to another of the same block and object; false: nobody knows. */
static bool store_distance(const struct machine *m, uint32_t from, uint32_t to, int64_t *bytes)
{
	const struct ir_kernel *kernel = m->input->kernel;
	const struct ir_access *a = &kernel->accesses[from], *b = &kernel->accesses[to];
	const struct affine *form = &evaluation_of(m)->accesses[from].address;
	const struct affine *other = &evaluation_of(m)->accesses[to].address;

	if (from == to) {
		*bytes = 0;
		return true;
	}
	if (kernel->objects[a->object].space != SPACE_GLOBAL || b->kind != ACCESS_STORE ||
	    b->object != a->object ||
	    kernel->summary->access_block[to] != kernel->summary->access_block[from])
		return false;
	if (a->index == b->index && a->scale_bytes == b->scale_bytes)
		return !__builtin_sub_overflow(b->offset_bytes, a->offset_bytes, bytes);
	return !form->is_random && affine_is_parallel(form, other) &&
	       !__builtin_sub_overflow(other->constant, form->constant, bytes);
}

/* Stores of a lane to places beside each other, one behind the other. */
struct stores {
	double count, bytes;
};

static struct stores stores_beside(const struct machine *m, uint32_t access)
{
	const struct ir_kernel *kernel = m->input->kernel;
	const struct evaluation_access *a = evaluation_of(m)->accesses;
	const uint32_t near = ACCESSES_BETWEEN;
	const int64_t sector_bytes = 32;
	struct stores stores = {0};
	double trips;

	for (uint32_t i = access > near ? access - near : 0;
	     i < kernel->access_count && i <= access + near; i++) {
		int64_t bytes;

		if (!store_distance(m, access, i, &bytes) || bytes <= -sector_bytes ||
		    bytes >= sector_bytes)
			continue;
		stores.count += parts_of(m, i);
		stores.bytes += a[i].bytes;
	}
	trips = unrolled_beside(m, access, stores.bytes);
	return (struct stores){stores.count * trips, stores.bytes * trips};
}

/*
 * A warp's store, in device-seconds of one of its work-items: it goes on to the level below in
 * sectors. Those that are written in full are fast; of others each takes the unit its time, and
 * each line that they are in the level below, which all units share. The first level holds what a
 * few stores, one behind the other, put into the same sectors, and hands it on at once, unless
 * these are more than it holds: an H100 takes 1.4 times as long for four words of each lane by four
 * stores, in 16 sectors, as for an aligned vector, and 21 times as long for eight in 32.
 */
static double warp_store_time(const struct machine *m, uint32_t access, double vector,
                              double scatter)
{
	const struct evaluation_access *a = &evaluation_of(m)->accesses[access];
	double sector = device_value(m->input->device, COEFFICIENT_STORE_SECTOR, scatter);
	struct stores stores = stores_beside(m, access);
	bool is_held =
	        stores.count <= (double)HELD_STORES && a->came.sectors <= (double)HELD_SECTORS;
	double parts = parts_of(m, access), bytes = is_held ? stores.bytes : a->bytes / parts;
	double times = is_held ? parts / stores.count : parts;
	/* lines of 128 bytes, as were those whose scattered stores were timed */
	double sectors_of_line = EVALUATE_LINE_BYTES(2) / EVALUATE_LINE_BYTES(0);
	double line_s = fmax(0, scatter - sector) / (1 - 1 / sectors_of_line), full, lines;

	full = fmin(a->came.sectors, a->came.addresses * bytes / EVALUATE_LINE_BYTES(0));
	lines = full < a->came.sectors ? fmax(0, a->came.lines - full / sectors_of_line) : 0;
	return times *
	       (full * vector * EVALUATE_LINE_BYTES(0) / 4 +
	        (a->came.sectors - full) * fmax(0, scatter - line_s) +
	        lines * line_s * m->occupancy.busy) /
	       evaluation_of(m)->warp_items;
}

/*
 * Segments of a load follow each other through the cache, which one warp alone keeps busy, on units
 * that are full or not. A store of a few words takes as long as one of all lanes.
 */
double warp_access_time(const struct machine *m, uint32_t access, bool is_store)
{
	struct word_times word = word_times_of(m->input->device, is_store);
	double time_s = word.vector + spread_time(m, access) / evaluation_of(m)->warp_items;
	double least_s = word.vector / m->occupancy.saturation;

	if (is_store) {
		time_s = warp_store_time(m, access, word.vector, word.apart);
		least_s *= fmin(1, evaluation_of(m)->accesses[access].bytes / 4);
	}
	return fmax(least_s, time_s);
}

/*
 * What an access has the first level itself busy with, at the most: a store as long as whole
 * sectors take, the rest of it being the level below's.
 */
static double passing_time(const struct machine *m, uint32_t access)
{
	double word = device_value(m->input->device, COEFFICIENT_STORE_VECTOR, 0);

	if (m->input->kernel->accesses[access].kind == ACCESS_LOAD)
		return HUGE_VAL;
	return word * fmax(1, evaluation_of(m)->accesses[access].bytes / 4);
}

void warp_accessed(struct terms *t, uint32_t access, bool is_store, double time_s)
{
	const struct machine *m = t->machine;

	(void)is_store;
	t->passing_s +=
	        fmin(time_s, on_busy_units(m, access_items(m, access) * passing_time(m, access)));
}

/* Sectors that a warp's texels fill in part only are written as whole ones: of 16 bytes a texel. */
static double sectors_write_time(const struct machine *m, const struct evaluation_access *a)
{
	const double full_bytes = 16, sector_bytes = 32;
	double full = device_texel_time_s(m->input->device, IMAGE_WAY_WRITE, full_bytes, NULL);

	return full / full_bytes * sector_bytes * a->lines[0] / fmax(1, a->lanes);
}

double warp_texel_time(const struct machine *m, uint32_t access, bool *is_known)
{
	const struct evaluation_access *a = &evaluation_of(m)->accesses[access];
	bool is_store = m->input->kernel->accesses[access].kind == ACCESS_STORE;
	double time_s = device_texel_time_s(m->input->device, (enum image_way)a->image_way,
	                                    a->bytes, is_known);

	if (is_store)
		time_s = fmax(time_s, sectors_write_time(m, a));
	return fmax(time_s / m->occupancy.saturation, warp_access_time(m, access, is_store));
}

double warp_conflict_time(const struct device *device)
{
	return device_value(device, COEFFICIENT_LOCAL_CONFLICT, local_load_time(device));
}

/* Without conflicts a warp goes one way, which is no less than a conflict. */
double warp_local_time(struct terms *t, uint32_t access, double items)
{
	const struct machine *m = t->machine;
	const struct device *device = m->input->device;
	const struct ir_access *a = &m->input->kernel->accesses[access];
	double load = local_load_time(device), words = fmax(1, type_bytes(a->type) / 4.0);
	double conflict = warp_conflict_time(device);

	if (a->kind == ACCESS_STORE)
		return items * words *
		       fmax(device_value(device, COEFFICIENT_LOCAL_STORE, load), conflict);
	/* what all lanes read goes at once */
	words += (1 - words) * fmin(1, evaluation_of(m)->accesses[access].uniform);
	return items * words * fmax(load, conflict);
}
