/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a GPU's first level does: a warp's access moves segments of its lanes, one after another;
 * local memory lies in the same place, in banks; texels come through texture units.
 */
#include <math.h>

#include "model/device/levels.h"
#include "model/time/gpu/gpu.h"

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

/* What a warp's store takes, in device-seconds of one of its work-items. */
struct store_time {
	double unit_s;     /* the first level itself is busy */
	double draining_s; /* all of it, until it has gone on to the level below */
};

/*
 * A store goes on to the level below in sectors. Those that are written in full are fast; of others
 * each takes the unit its time, and each line that they are in the level below, which all units
 * share.
 */
static struct store_time warp_store_time(const struct machine *m, uint32_t access)
{
	const struct device *device = m->input->device;
	const struct evaluation_access *a = &evaluation_of(m)->accesses[access];
	struct word_times word = word_times_of(device, true);
	double sector = device_value(device, COEFFICIENT_STORE_SECTOR, word.apart);
	double parts = parts_of(m, access), sector_words = EVALUATE_LINE_BYTES(0) / 4;
	/* lines of 128 bytes, as were those whose scattered stores were timed */
	double sectors_of_line = EVALUATE_LINE_BYTES(2) / EVALUATE_LINE_BYTES(0);
	double line_s = fmax(0, word.apart - sector) / (1 - 1 / sectors_of_line), full, lines,
	       rest_s;

	full = fmin(a->came.sectors, a->came.addresses * a->bytes / parts / EVALUATE_LINE_BYTES(0));
	lines = fmax(0, a->came.lines - full / sectors_of_line);
	rest_s = (a->came.sectors - full) * fmax(0, word.apart - line_s);
	parts /= evaluation_of(m)->warp_items;
	return (struct store_time){
	        /* a turn for as much as a load's */
	        .unit_s = parts *
	                  (full * sector_words *
	                           fmin(word.vector, device_value(device, COEFFICIENT_LOAD_VECTOR,
	                                                          word.vector)) +
	                   rest_s),
	        .draining_s = parts * (full * sector_words * word.vector + rest_s +
	                               lines * line_s * m->occupancy.busy),
	};
}

/*
 * Segments of a load follow each other through the cache, which one warp alone keeps busy, on units
 * that are full or not.
 */
double warp_access_time(const struct machine *m, uint32_t access, bool is_store)
{
	const struct device *device = m->input->device;
	struct word_times word = word_times_of(device, is_store);
	double time_s = word.vector + spread_time(m, access) / evaluation_of(m)->warp_items;

	if (is_store)
		time_s = warp_store_time(m, access).draining_s;
	return fmax(word.vector / m->occupancy.saturation, time_s);
}

void warp_accessed(struct terms *t, uint32_t access, bool is_store, double time_s)
{
	const struct machine *m = t->machine;

	if (!is_store)
		return;
	t->draining_s += time_s;
	t->passed_s +=
	        fmax(0, time_s - on_busy_units(m, access_items(m, access) *
	                                                  warp_store_time(m, access).unit_s));
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
