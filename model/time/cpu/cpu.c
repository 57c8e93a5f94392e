/* SPDX-License-Identifier: Apache-2.0 */
/* The terms of a CPU, in order. */
#include "model/time/cpu/cpu.h"

static enum status add_terms(struct terms *t, double **waits, struct error *error)
{
	enum status status = regions_begin(t, error);

	if (status != STATUS_OK)
		return status;
	add_dispatch(t);
	status = add_core_arithmetic(t, error);
	if (status != STATUS_OK)
		return status;
	add_local(t);
	add_atomics(t);
	add_barriers(t);
	add_first_level(t);
	status = add_context(t, error);
	if (status == STATUS_OK)
		status = add_memory(t, waits, error);
	return status == STATUS_OK ? add_core_latency(t, error) : status;
}

/* What cores wait for memory, beyond what they work. */
static enum status add_stalls(struct terms *t, struct error *error)
{
	const struct machine *m = t->machine;
	double turns = items_of_unit(m);
	enum status status;

	if (!(turns > 0))
		return STATUS_OK;
	status = ahead_time(m, core_whole(t, t->time_s, t->gathering_s, 0) / turns, &t->stalled_s,
	                    error);
	t->stalled_s *= turns;
	if (status == STATUS_OK && t->stalled_s > 0)
		row_add(t->prediction, turns, t->stalled_s, "waiting for lines one by one");
	return status;
}

/* Says why there are no vectors, or none of a part. */
static void note_code(const struct machine *m, struct prediction *prediction)
{
	const struct code *code = &m->code;
	enum vector_obstacle obstacle = m->input->kernel->summary->obstacle;
	const char *why = NULL;

	if (obstacle == VECTOR_OK && code->one_by_one >= 1)
		why = "not vectorised: an index wraps within a work-group, or that is short";
	else if (code->has_order && obstacle == VECTOR_OK)
		why = "not vectorised: a work-item reads what its neighbour writes";
	else if (code->has_emulated)
		why = "not vectorised: what is less than 4 bytes is gathered under a condition";
	else if (code->has_worthless)
		why = "not vectorised in part: gathers under a condition cost a compiler more";
	else if (code->has_switch)
		why = "not vectorised: branches that go one of several ways by a number";
	if (why != NULL)
		note_add(prediction->note, sizeof(prediction->note), "%s", why);
	prediction->is_scalar = obstacle != VECTOR_OK || !code->makes_vectors;
	if (prediction->is_scalar && !code->makes_vectors)
		note_add(prediction->note, sizeof(prediction->note),
		         "not vectorised: the device's compiler makes no vectors of work-items");
	else if (prediction->is_scalar)
		note_add(prediction->note, sizeof(prediction->note), "not vectorised: %s",
		         vector_obstacle_text(obstacle));
}

static enum status settle(struct terms *t, struct error *error)
{
	enum status status;

	t->apart_s = regions_apart(t);
	if (t->apart_s > 0)
		row_add(t->prediction, 1, t->apart_s, "regions one after another");
	status = add_stalls(t, error);
	if (status == STATUS_OK)
		note_code(t->machine, t->prediction);
	t->prediction->occupancy.multiple = t->prediction->is_scalar ? 1 : VECTOR_ITEMS;
	return status;
}

/* Work-items of a group take turns. */
static double group_at_once(const struct machine *m)
{
	(void)m;
	return 1;
}

const struct processor_terms cpu_terms = {
        .add_terms = add_terms,
        .settle = settle,
        .add_operations = add_core_operations,
        .add_turns = add_core_turns,
        .access_time = core_access_time,
        .accessed = core_accessed,
        .texel_time = core_texel_time,
        .texel_resource = BOTTLENECK_ARITHMETIC, /* instructions */
        .local_time = core_local_time,
        .conflict_time = core_conflict_time,
        .footprint = &cpu_footprint,
        .items_abreast = core_items_abreast,
        .line_bytes = 64,
        .own_kept = 1,
        .level_time = core_level_time,
        .atomic_time = core_atomic_time,
        .group_at_once = group_at_once,
        .whole = core_whole,
        .waits_beside = false, /* a core waits and works in turn */
        .waking = core_waking,
};
