/* SPDX-License-Identifier: Apache-2.0 */
/* The terms of a GPU, in order. */
#include "model/time/gpu/gpu.h"

static enum status add_terms(struct terms *t, double **waits, struct error *error)
{
	enum status status;

	add_dispatch(t);
	add_warp_arithmetic(t);
	add_local(t);
	add_atomics(t);
	add_barriers(t);
	add_first_level(t);
	if (t->time_s[BOTTLENECK_L1] > 0)
		t->passing_share = t->passing_s / t->time_s[BOTTLENECK_L1];
	status = add_memory(t, waits, error);
	return status == STATUS_OK ? add_warp_latency(t, error) : status;
}

static enum status settle(struct terms *t, struct error *error)
{
	(void)error;
	t->reaching_s = reaching_of(t->machine);
	if (t->reaching_s > 0)
		row_add(t->prediction, 1, t->reaching_s, "reaching memory");
	return STATUS_OK;
}

/* Warps, whose work-items go through their loops together. */
static double items_abreast(const struct machine *m)
{
	return evaluation_of(m)->warp_items;
}

/* What caches of units deliver to each other those units alone deliver that have work. */
static double level_time(const struct machine *m, const struct level *level)
{
	double time_s = traffic_time(m, level->below, level->cache->line_bytes, level->traffic);

	return level->is_below_private ? on_busy_units(m, time_s) : time_s;
}

static double group_at_once(const struct machine *m)
{
	return (double)evaluation_of(m)->group_items;
}

const struct processor_terms gpu_terms = {
        .add_terms = add_terms,
        .settle = settle,
        .add_operations = add_warp_operations,
        .add_turns = add_warp_turns,
        .issue_time = warp_issue_time,
        .access_time = warp_access_time,
        .accessed = warp_accessed,
        .texel_time = warp_texel_time,
        .texel_resource = BOTTLENECK_L1,
        .local_time = warp_local_time,
        .conflict_time = warp_conflict_time,
        .footprint = &gpu_footprint,
        .items_abreast = items_abreast,
        .line_bytes = 32, /* sectors */
        .own_kept = 0,    /* a launch begins with empty caches of units */
        .level_time = level_time,
        .atomic_time = warp_atomic_time,
        .group_at_once = group_at_once,
        .whole = warp_whole,
        .waits_beside = true,
        .waking = warp_waking,
};
