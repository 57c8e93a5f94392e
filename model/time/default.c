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
#include "model/time/cpu/cpu.h"
#include "model/time/gpu/gpu.h"
#include "model/time/lines.h"
#include "model/time/states.h"

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

enum status model_default(const struct model_input *input, struct prediction *prediction,
                          struct prediction_lines *lines, struct error *error)
{
	static const struct processor_terms *const kinds[] = {
	        [PROCESSOR_CPU] = &cpu_terms,
	        [PROCESSOR_GPU] = &gpu_terms,
	};
	struct machine m = {.input = input};
	struct terms t = {.machine = &m, .prediction = prediction};
	double stalled = 0;
	double idle_s = input->launch->idle_s, base;
	enum status status;

	row_add(prediction, 1, device_idle_value(input->device, IDLE_BASE, idle_s, 1e-6), "launch");
	machine_fill(&m);
	t.kind = kinds[m.processor->kind];
	m.processor->describe(&m, &prediction->occupancy);
	prediction->occupancy.local_bytes = (uint64_t)fmin(local_bytes_of(&m), 1e18);
	if (lines != NULL && (t.lines = lines_new(&m)) == NULL) {
		status = error_set(error, STATUS_NO_MEMORY, "%s: no memory for its lines",
		                   input->kernel->name);
		goto out;
	}
	status = code_generate(&m, error);
	if (status == STATUS_OK)
		status = t.kind->add_terms(&t, &m.waits, error);
	if (status != STATUS_OK)
		goto out;
	scale_terms(&t);
	add_unoptimised(&t);
	status = t.kind->settle(&t, error);
	if (status != STATUS_OK)
		goto out;
	prediction->bottleneck = (uint8_t)largest_of(&t);
	struct timed_launch launch = timed_launch_of(&t);
	base = launch_base(&launch, idle_s);
	prediction->kernel_time_s = launch_time(&launch, idle_s);
	stalled = elasticity_fill(&t, base, prediction->kernel_time_s - base);
	if (lines != NULL)
		lines_fill(&t, stalled, lines);
	states_fill(input->device, input->launch, launch_time, &launch, prediction);
	if (base >= prediction->kernel_time_s - base)
		prediction->bottleneck = BOTTLENECK_LAUNCH;
out:
	lines_free(t.lines);
	code_deinit(&m.code);
	free(m.waits);
	free(t.regions);
	return status;
}
