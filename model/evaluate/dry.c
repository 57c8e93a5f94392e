/* SPDX-License-Identifier: Apache-2.0 */
/* What a dry run says of loops and branches that the evaluation leaves open. */
#include <math.h>

#include "model/evaluate/dryrun.h"
#include "model/evaluate/number.h"
#include "model/evaluate/usual.h"
#include "model/underived.h"

const struct dryrun_place *dryrun_look(struct dryrun *run, uint32_t statement)
{
	const struct schedule *schedule = run->schedule;
	bool is_loop = schedule->kernel->statements[statement].kind == STATEMENT_LOOP;
	const struct dryrun_place *place;
	double mean;

	if (!run->is_made)
		dryrun_make(run);
	place = dryrun_place(run, statement);
	if (!place || (place->ground & ~(DRYRUN_EVEN | DRYRUN_REAL | DRYRUN_RAW | DRYRUN_SCALE)))
		return NULL;
	/* nodes of a tree lie within each other, which numbers at random do not */
	if (is_loop && place->ground != 0 && trips_of_walk(schedule, statement) > 0)
		return NULL;
	/* what one number is compared with lies where such numbers do: that is open */
	mean = place->sum / place->met;
	if (is_loop ? (place->ground & DRYRUN_REAL) && !(mean > LEAST_TRIPS)
	            : (place->ground & DRYRUN_SCALE) &&
	                      !(mean > SHARE_LEAST && mean < 1 - SHARE_LEAST))
		return NULL;
	return place;
}

bool dryrun_yields(const struct dryrun_place *place, double chance)
{
	double share = place->sum / place->met;
	double error = sqrt(chance * (1 - chance) / place->met) + 0.5 / place->met;

	return fabs(share - chance) < ERRORS_MOST * error ||
	       ((place->ground & DRYRUN_REAL) && fabs(chance - 0.5) > CHANCE_SURE);
}

/* The executed work-item that a lane is like. */
static unsigned item_of(const struct warps *sampled, unsigned lane)
{
	uint64_t groups = 0;

	for (unsigned d = 0; d < 3; d++)
		groups += warps_ids(sampled, NODE_GROUP_ID, d)[lane];
	return dryrun_item(groups, lane % sampled->warp_items, sampled->warp_items);
}

uint64_t dryrun_trips(const struct dryrun_place *place, const struct warps *sampled,
                      const struct budget *budget, unsigned lane)
{
	unsigned item = item_of(sampled, lane);
	uint32_t kept = place->met < DRYRUN_KEPT ? place->met : DRYRUN_KEPT;

	if (place->met <= DRYRUN_ITEMS && place->met_by[item] > 0)
		return (uint64_t)llround(
		        (double)(place->sum_by[item] / (float)place->met_by[item]));
	return place->kept[number_mix(budget->used + lane) % kept];
}

bool dryrun_hedges(const struct dryrun *run, const struct dryrun_place *place, uint32_t statement)
{
	const struct ir_kernel *kernel = run->schedule->kernel;
	uint32_t around = list_of(kernel, statement);
	bool has_reals = place->ground & DRYRUN_REAL;

	for (uint32_t i = 1; i <= kernel->summary->loop_count && !has_reals; i++) {
		const struct dryrun_place *within;

		if (list_outside(kernel, i) != around || !run->facts[i].has_data_exit)
			continue;
		within = dryrun_place(run, list_loop(kernel, i));
		has_reals = within && (within->ground & DRYRUN_REAL);
	}
	return has_reals;
}

uint64_t dryrun_hedged(uint64_t trips, uint64_t bound)
{
	if (bound == UINT64_MAX)
		return trips;
	return (uint64_t)llround(sqrt(fmax((double)trips, 1) * (double)bound / 2));
}

double dryrun_share(const struct dryrun_place *place, const struct warps *sampled, unsigned lane)
{
	unsigned item = item_of(sampled, lane);

	if (place->ground == 0 && place->met_by[item] > 0)
		return (double)(place->sum_by[item] / (float)place->met_by[item]);
	return (place->sum + 0.5) / (place->met + 1);
}
