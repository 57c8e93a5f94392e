/* SPDX-License-Identifier: Apache-2.0 */
/* What a dry run says of loops and branches that the evaluation leaves open. */
#include <math.h>
#include <stdlib.h>

#include "model/evaluate/dryrun.h"
#include "model/underived.h"

static const struct dryrun *made(struct evaluator *evaluator)
{
	if (!evaluator->dryrun) {
		evaluator->dryrun = calloc(1, sizeof(*evaluator->dryrun));
		if (evaluator->dryrun)
			dryrun_make(evaluator, evaluator->dryrun_budget, evaluator->dryrun);
	}
	return evaluator->dryrun;
}

const struct dryrun_place *dryrun_look(struct evaluator *evaluator, uint32_t statement)
{
	const struct dryrun *run = made(evaluator);
	bool is_loop = evaluator->kernel->statements[statement].kind == STATEMENT_LOOP;
	double mean;
	const struct dryrun_place *place = run ? dryrun_place(run, statement) : NULL;

	if (!place || (place->ground & ~(DRYRUN_EVEN | DRYRUN_REAL | DRYRUN_RAW | DRYRUN_SCALE)))
		return NULL;
	/* nodes of a tree lie within each other, which numbers at random do not */
	if (is_loop && place->ground != 0 && trips_of_walk(evaluator, statement) > 0)
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
static unsigned item_of(const struct evaluator *evaluator, unsigned lane)
{
	const uint64_t *group = evaluator->ids + 6 * (size_t)evaluator->lanes + lane;

	return dryrun_item(group[0] + group[evaluator->lanes] + group[2 * (size_t)evaluator->lanes],
	                   lane % evaluator->warp_items, evaluator->warp_items);
}

uint64_t dryrun_trips(const struct evaluator *evaluator, const struct dryrun_place *place,
                      unsigned lane)
{
	unsigned item = item_of(evaluator, lane);
	uint32_t kept = place->met < DRYRUN_KEPT ? place->met : DRYRUN_KEPT;

	if (place->met <= DRYRUN_ITEMS && place->met_by[item] > 0)
		return (uint64_t)llround(
		        (double)(place->sum_by[item] / (float)place->met_by[item]));
	return place->kept[lanes_mix(evaluator->used + lane) % kept];
}

bool dryrun_hedges(const struct evaluator *evaluator, const struct dryrun_place *place,
                   uint32_t statement)
{
	const struct ir_summary *summary = evaluator->summary;
	uint32_t index = list_of(evaluator, statement) - 1;
	bool has_reals = place->ground & DRYRUN_REAL;

	for (uint32_t i = 0; i < summary->loop_count && !has_reals; i++) {
		const struct dryrun_place *within;

		if (evaluator->result->loops[i].parent != index ||
		    !evaluator->loops[i + 1].has_data_exit)
			continue;
		within = dryrun_place(evaluator->dryrun, summary->loops[i].statement);
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

double dryrun_share(const struct evaluator *evaluator, const struct dryrun_place *place,
                    unsigned lane)
{
	unsigned item = item_of(evaluator, lane);

	if (place->ground == 0 && place->met_by[item] > 0)
		return (double)(place->sum_by[item] / (float)place->met_by[item]);
	return (place->sum + 0.5) / (place->met + 1);
}
