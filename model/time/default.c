/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The default kernel model: launch base plus a soft maximum (a norm) of what
 * runs at the same time - dispatch, arithmetic, local memory, atomics,
 * barriers, each level of memory - and of the latency that too few work-items
 * cannot hide.
 */
#include "model/time/default.h"

#include <math.h>
#include <stdlib.h>

#include "model/codegen/codegen.h"
#include "model/machine/build_price.h"
#include "model/time/states.h"
#include "model/time/terms.h"

static enum status add_terms(struct terms *t, double **waits, struct error *error)
{
	enum status status = regions_begin(t, error);

	if (status != STATUS_OK)
		return status;
	add_dispatch(t);
	status = add_arithmetic(t, error);
	if (status != STATUS_OK)
		return status;
	add_local(t);
	add_atomics(t);
	add_barriers(t);
	add_first_level(t);
	status = add_context(t, error);
	if (status == STATUS_OK)
		status = add_memory(t, waits, error);
	return status == STATUS_OK ? add_latency(t, error) : status;
}

/* What whole kernels showed of a resource, beside what its micro-benchmark did. */
static void scale_terms(struct terms *t)
{
	static const unsigned shape[BOTTLENECK_COUNT] = {
	        [BOTTLENECK_DISPATCH] = COEFFICIENT_SHAPE_DISPATCH,
	        [BOTTLENECK_ARITHMETIC] = COEFFICIENT_SHAPE_ARITHMETIC,
	        [BOTTLENECK_LATENCY] = COEFFICIENT_SHAPE_LATENCY,
	        [BOTTLENECK_LOCAL] = COEFFICIENT_SHAPE_FIRST_LEVEL,
	        [BOTTLENECK_L1] = COEFFICIENT_SHAPE_FIRST_LEVEL,
	        [BOTTLENECK_L2] = COEFFICIENT_SHAPE_CACHES,
	        [BOTTLENECK_L3] = COEFFICIENT_SHAPE_CACHES,
	        [BOTTLENECK_L4] = COEFFICIENT_SHAPE_CACHES,
	        [BOTTLENECK_DRAM] = COEFFICIENT_SHAPE_DRAM,
	};

	for (unsigned i = 0; i < BOTTLENECK_COUNT; i++)
		if (shape[i] != 0)
			t->time_s[i] *= device_value(t->machine->input->device, shape[i], 1);
	t->gathering_s *= device_value(t->machine->input->device, shape[BOTTLENECK_L1], 1);
}

/* A build that optimised nothing has no vectors, and keeps nothing in registers. */
static void add_unoptimised(struct terms *t)
{
	const struct machine *m = t->machine;
	double unoptimised_s = on_units(m, build_unoptimised_s(m->input));

	if (unoptimised_s <= t->time_s[BOTTLENECK_ARITHMETIC])
		return;
	t->time_s[BOTTLENECK_ARITHMETIC] = unoptimised_s;
	row_add(t->prediction, 1, unoptimised_s, "operations as written, not optimised");
}

/* What a CPU's cores wait for memory, beyond what they work. */
static enum status add_stalls(struct terms *t, struct error *error)
{
	const struct machine *m = t->machine;
	double turns = m->occupancy.items / m->occupancy.units / fmax(m->occupancy.busy, 1e-9);
	enum status status;

	if (m->is_lockstep || !(turns > 0))
		return STATUS_OK;
	status = ahead_time(m, whole_of(t, t->time_s, t->gathering_s, 0) / turns, &t->stalled_s,
	                    error);
	t->stalled_s *= turns;
	if (status == STATUS_OK && t->stalled_s > 0)
		row_add(t->prediction, turns, t->stalled_s, "waiting for lines one by one");
	return status;
}

/* What is done to the terms once all are there. */
static enum status settle_terms(struct terms *t, struct error *error)
{
	scale_terms(t);
	add_unoptimised(t);
	t->apart_s = regions_apart(t);
	if (t->apart_s > 0)
		row_add(t->prediction, 1, t->apart_s, "regions one after another");
	return add_stalls(t, error);
}

/* The largest term; each is made a number that the answer can hold. */
static enum bottleneck largest_of(struct terms *t)
{
	enum bottleneck largest = BOTTLENECK_LAUNCH;
	double most = 0;

	for (unsigned i = 0; i < BOTTLENECK_COUNT; i++) {
		if (!(t->time_s[i] >= 0))
			t->time_s[i] = 0;
		t->time_s[i] = fmin(t->time_s[i], 1e30);
		if (t->time_s[i] > most) {
			most = t->time_s[i];
			largest = (enum bottleneck)i;
		}
	}
	return largest;
}

/* Says why a CPU makes no vectors, or none of a part. */
static void note_code(const struct machine *m, struct prediction *prediction)
{
	const struct code *code = &m->code;
	enum vector_obstacle obstacle = m->input->kernel->summary->obstacle;
	const char *why = NULL;

	if (!m->is_lockstep && obstacle == VECTOR_OK && code->one_by_one >= 1)
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
	prediction->is_scalar = !m->is_lockstep && (obstacle != VECTOR_OK || !code->makes_vectors);
	if (prediction->is_scalar && !code->makes_vectors)
		note_add(prediction->note, sizeof(prediction->note),
		         "not vectorised: the device's compiler makes no vectors of work-items");
	else if (prediction->is_scalar)
		note_add(prediction->note, sizeof(prediction->note), "not vectorised: %s",
		         vector_obstacle_text(obstacle));
}

enum status model_default(const struct model_input *input, struct prediction *prediction,
                          struct error *error)
{
	struct machine m = {.input = input};
	struct terms t = {.machine = &m, .prediction = prediction};
	double idle_s = input->launch->idle_s, base, reaching_s = 0;
	enum status status;

	row_add(prediction, 1, device_idle_value(input->device, IDLE_BASE, idle_s, 1e-6), "launch");
	machine_fill(&m);
	status = code_generate(&m, error);
	if (status == STATUS_OK)
		status = add_terms(&t, &m.waits, error);
	if (status == STATUS_OK) {
		reaching_s = reaching_of(&m);
		status = settle_terms(&t, error);
	}
	if (status != STATUS_OK)
		goto out;
	if (reaching_s > 0)
		row_add(prediction, 1, reaching_s, "reaching memory");
	prediction->bottleneck = (uint8_t)largest_of(&t);
	struct timed_launch launch = timed_launch_of(&t, reaching_s);
	base = launch_base(&launch, idle_s);
	prediction->kernel_time_s = launch_time(&launch, idle_s);
	elasticity_fill(&t, base, prediction->kernel_time_s - base);
	states_fill(input->device, input->launch, launch_time, &launch, prediction);
	if (base >= prediction->kernel_time_s - base)
		prediction->bottleneck = BOTTLENECK_LAUNCH;
	note_code(&m, prediction);
out:
	code_deinit(&m.code);
	free(m.waits);
	free(t.regions);
	return status;
}
