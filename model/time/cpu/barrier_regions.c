/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Regions between barriers, one after another. A core goes through all work-items of a group in one
 * region before it begins with the next: what one of them computes does not run along with what
 * another one moves. So of arithmetic and the first level each region takes its own soft maximum,
 * and these add up to no less than that of the whole (Minkowski's inequality); by how much.
 */
#include <math.h>
#include <stdlib.h>

#include "model/mechanisms.h"
#include "model/time/cpu/cpu.h"

struct region_work {
	double pipe_s[PIPE_TERMS];
	double moving_s;
};

static struct region_work *region_of(const struct terms *t, uint32_t block)
{
	const struct ir_kernel *kernel = t->machine->input->kernel;

	if (t->regions == NULL || block >= kernel->block_count ||
	    kernel->summary->block_region[block] == IR_NONE)
		return NULL;
	return &t->regions[kernel->summary->block_region[block]];
}

enum status regions_begin(struct terms *t, struct error *error)
{
	const struct machine *m = t->machine;
	const struct ir_kernel *kernel = m->input->kernel;

	if (!kernel->summary->has_barrier || !mechanism(MECHANISM_BARRIER_REGIONS))
		return STATUS_OK;
	t->regions = calloc((size_t)kernel->statement_count + 1, sizeof(*t->regions));
	return t->regions != NULL ? STATUS_OK
	                          : error_set(error, STATUS_NO_MEMORY,
	                                      "%s: no memory for its regions", kernel->name);
}

void region_works(const struct terms *t, uint32_t block, enum pipe pipe, double time_s)
{
	struct region_work *region = region_of(t, block);

	if (region != NULL)
		region->pipe_s[pipe] += time_s;
}

void region_moves(const struct terms *t, uint32_t block, double time_s)
{
	struct region_work *region = region_of(t, block);

	if (region != NULL)
		region->moving_s += time_s;
}

/* What a region takes, by what whole kernels showed of each. */
static double region_time(const struct machine *m, const struct region_work *region)
{
	const struct device *device = m->input->device;
	double norm = norm_of(device);
	double terms[] = {pipes_time(region->pipe_s, norm) *
	                          device_value(device, COEFFICIENT_SHAPE_ARITHMETIC, 1),
	                  region->moving_s *
	                          device_value(device, COEFFICIENT_SHAPE_FIRST_LEVEL, 1)};

	return soft_maximum(terms, 2, norm);
}

double regions_apart(const struct terms *t)
{
	const struct machine *m = t->machine;
	const struct ir_kernel *kernel = m->input->kernel;
	struct region_work all = {0};
	double apart_s = 0;

	for (uint32_t i = 0; t->regions != NULL && i < kernel->statement_count; i++) {
		for (unsigned k = 0; k < PIPE_TERMS; k++)
			all.pipe_s[k] += t->regions[i].pipe_s[k];
		all.moving_s += t->regions[i].moving_s;
		apart_s += region_time(m, &t->regions[i]);
	}
	return fmax(0, apart_s - region_time(m, &all));
}
