/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The default kernel model: launch base plus a soft maximum (a norm) of what
 * runs at the same time - dispatch, arithmetic, local memory, atomics,
 * barriers, each level of memory - and of the latency that too few work-items
 * cannot hide.
 */
#include <math.h>
#include <stdlib.h>

#include "model/answer/interval.h"
#include "model/codegen/codegen.h"
#include "model/device/levels.h"
#include "model/device/wake_up.h"
#include "model/machine/build_price.h"
#include "model/time/default.h"
#include "model/time/states.h"
#include "model/time/terms.h"

/* ---- how the launch fills the device ------------------------------------------------------- */

static double local_bytes_of(const struct default_model *m)
{
	double bytes = (double)m->input->kernel->summary->local_bytes;

	for (uint32_t i = 0; i < m->input->launch->argument_count; i++)
		if (m->input->launch->arguments[i].kind == ARGUMENT_LOCAL)
			bytes += (double)m->input->launch->arguments[i].size_bytes;
	return bytes;
}

/* Work-groups that one unit holds: by work-items, local memory and registers. */
static double resident_groups(const struct default_model *m)
{
	const struct device *device = m->input->device;
	const struct evaluation *e = evaluation_of(m);
	double group = (double)e->group_warps * e->warp_items;
	double room = positive_value(device, COEFFICIENT_UNIT_ITEMS, group);
	double registers = m->input->kernel->summary->register_estimate;
	double local = local_bytes_of(m), groups;

	/* the estimate is an upper bound: a compiler keeps about half of it, and a
	 * unit that is full of work-items has some 32 registers for each */
	if (m->is_lockstep && registers > 64)
		room *= 64 / registers;
	groups = floor(room / group);
	/* what a work-group may take is the least that a unit has */
	if (local > 0 && device->local_bytes > 0)
		groups = fmin(groups, floor((double)device->local_bytes / local));
	return fmax(groups, 1);
}

/*
 * Warps that a unit issues from at once: as many as it takes to do what one that is alone
 * takes as long for as its own operations let it.
 */
static double schedulers(const struct default_model *m)
{
	const struct device *device = m->input->device;
	double alone = device_op_time_s(device, OP_MODE_SCALAR, TYPE_CLASS_FLOAT, OP_CLASS_ADD);
	double full = device_op_time_s(device, OP_MODE_VECTOR, TYPE_CLASS_FLOAT, OP_CLASS_ADD) *
	              m->units * evaluation_of(m)->warp_items;

	/* alone a warp issues a little less than it might, and schedulers come by powers of two */
	return full > 0 && alone > full ? exp2(floor(log2(fmin(alone / full, 64)))) : 1;
}

static void fill_device(struct default_model *m)
{
	const struct device *device = m->input->device;
	const struct evaluation *e = evaluation_of(m);
	double groups = (double)e->groups, rounds;

	m->is_lockstep = device_value(device, COEFFICIENT_WARP_ITEMS, 1) > 1.5;
	m->items = (double)e->items;
	m->padded = m->items;
	if (m->is_lockstep)
		m->padded = groups * (double)e->group_warps * e->warp_items;
	m->warps = e->warps;
	m->units = fmax(
	        1, floor(positive_value(device, COEFFICIENT_UNITS, fmax(1, device->compute_units)) +
	                 0.5));
	m->resident = m->is_lockstep ? resident_groups(m) : 1;
	rounds = ceil(groups / m->units);
	m->busy = groups / m->units / rounds;
	m->saturation = 1;
	if (m->is_lockstep) {
		double turns = fmin(rounds, m->resident) * (double)e->group_warps / schedulers(m);

		m->saturation = turns / ceil(turns);
	}
}

/* ---- the whole ----------------------------------------------------------------------------- */

/*
 * The largest term, and the others as far as they do not overlap with it.
 * Scaled by the largest, so that no power over- or underflows. Latency is no
 * resource that others compete for but a bound: on a GPU it stands beside the
 * norm, and what is about as long as that adds to it in part, since not all warps wait at
 * the same time. A CPU's core waits and works in turn.
 */
#define WAITING_NORM 3.0

static double whole_of(const struct default_model *m, const double *time_s, double gathering_s,
                       double stalled_s)
{
	double terms[BOTTLENECK_COUNT], beside[2];

	for (unsigned i = 0; i < BOTTLENECK_COUNT; i++)
		terms[i] = i == BOTTLENECK_LATENCY && m->is_lockstep ? 0 : time_s[i];
	if (!m->is_lockstep) { /* to a CPU local memory is memory: the same instructions */
		terms[BOTTLENECK_L1] += terms[BOTTLENECK_LOCAL];
	} else { /* to a GPU it is the first level's: what passes both does so one by one */
		double passing_s = m->passing_share * terms[BOTTLENECK_L1];
		double others[2] = {terms[BOTTLENECK_L1] - passing_s, terms[BOTTLENECK_LOCAL]};

		terms[BOTTLENECK_L1] =
		        passing_s + soft_maximum(others, 2, norm_of(m->input->device));
	}
	terms[BOTTLENECK_LOCAL] = 0;
	terms[BOTTLENECK_L1] = fmax(0, terms[BOTTLENECK_L1] - gathering_s);
	beside[0] = soft_maximum(terms, BOTTLENECK_COUNT, norm_of(m->input->device)) + gathering_s +
	            stalled_s;
	beside[1] = m->is_lockstep ? time_s[BOTTLENECK_LATENCY] : 0;
	return soft_maximum(beside, 2, WAITING_NORM);
}

/*
 * How whole_of follows each term: of a norm, each term's share of the sum of powers. What regions
 * take longer one after another is shared out like that as well, roughly: it follows arithmetic and
 * the first level alone.
 */
static void fill_elasticity(const struct default_model *m, double base, double total)
{
	float *elasticity = m->prediction->elasticity;
	double norm = norm_of(m->input->device), most = 0, sum = 0, share = total / (base + total);
	double powers[BOTTLENECK_COUNT];

	elasticity[BOTTLENECK_LAUNCH] = (float)(1 - share);
	if (m->stalled_s > 0 && total > 0) {
		double waits = fmin(1, m->stalled_s / total);

		elasticity[BOTTLENECK_LATENCY] = (float)(share * waits);
		share *= 1 - waits;
	}
	for (unsigned i = 0; i < BOTTLENECK_COUNT; i++)
		if (i != BOTTLENECK_LATENCY || !m->is_lockstep)
			most = fmax(most, m->time_s[i]);
	if (m->is_lockstep && total > 0) {
		double waits = pow(fmin(1, m->time_s[BOTTLENECK_LATENCY] / total), WAITING_NORM);

		elasticity[BOTTLENECK_LATENCY] = (float)(share * waits);
		share *= 1 - waits;
	}
	for (unsigned i = 0; i < BOTTLENECK_COUNT && most > 0; i++) {
		bool counts = i != BOTTLENECK_LATENCY || !m->is_lockstep;
		powers[i] = counts ? pow(m->time_s[i] / most, norm) : 0;
		sum += powers[i];
	}
	for (unsigned i = 0; i < BOTTLENECK_COUNT && sum > 0; i++)
		elasticity[i] += (float)(share * powers[i] / sum);
}

/* What a launch takes beyond its base if a CPU's units do it one by one, and all at once. */
struct waking {
	double groups, active; /* units that have work */
	double all_s, alone_s;
};

/*
 * Alone, a unit takes as many times longer as there are units - but reads shared memory faster
 * than its share of it.
 */
static struct waking waking_of(const struct default_model *m, double total)
{
	double groups = (double)evaluation_of(m)->groups, active = fmin(m->units, groups);
	double time_s[BOTTLENECK_COUNT], gathering_s = m->gathering_s;

	if (m->is_lockstep || active < 2)
		return (struct waking){groups, active, total, total};
	for (unsigned i = 0; i < BOTTLENECK_COUNT; i++) {
		double longer = active;

		if (i >= BOTTLENECK_L1 && i <= BOTTLENECK_DRAM) {
			unsigned level = i - BOTTLENECK_L1;
			double all = level_value(m, level, MEMORY_COLUMN_READ, 0);
			double one = level_value(m, level, MEMORY_COLUMN_UNIT_READ, 0);

			if (all > 0 && one > 0)
				longer = fmin(active, fmax(1, all / one));
		}
		time_s[i] = m->time_s[i] * longer;
		if (i == BOTTLENECK_L1)
			gathering_s *= longer;
	}
	return (struct waking){
	        .groups = groups,
	        .active = active,
	        .all_s = total * waking_uneven(groups, m->units, evaluation_of(m)->slope),
	        .alone_s = whole_of(m, time_s, gathering_s, (m->stalled_s + m->apart_s) * active),
	};
}

/*
 * A launch begins on one unit; the others come one by one, as threads that wake up, the later the
 * longer they have slept. In the end each has come and gone, whatever there was to do, and has
 * asked for work-groups in turn with the others.
 */
static double with_units_waking(const struct default_model *m, const struct waking *w,
                                double idle_s)
{
	const struct device *device = m->input->device;
	double base = device_idle_value(device, IDLE_BASE, idle_s, 0);
	double spread = device_idle_value(device, IDLE_SPREAD, idle_s, 0);
	double join = device_idle_value(device, IDLE_JOIN, idle_s, 0), total;

	if (m->is_lockstep || w->active < 2)
		return w->all_s;
	if (!device->coefficient[COEFFICIENT_JOIN].is_known) /* fitted to all that come at once */
		return w->alone_s <= spread ? w->alone_s
		                            : spread + w->all_s * (1 - spread / w->alone_s);
	total = waking_time_s(w->all_s, w->alone_s, m->units, w->active, spread);
	/* in a row of launches threads are half awake; else they wake as the first one does, where
	 * that has to: an empty launch takes less than a thread does to wake up if none did. After
	 * a pause that is what was measured. */
	if (base * (m->units - 1) >= spread && !(idle_s > 0 && device_has_idle_states(device)))
		join = fmax(join, fmin(base, spread));
	join *= w->active / m->units;
	return fmax(total, join) +
	       waking_handouts(w->groups, m->units) * device_value(device, COEFFICIENT_HANDOUT, 0);
}

/* A launch whose state is not settled yet. */
struct in_state {
	const struct default_model *model;
	struct waking waking;
	double reaching_s;
};

static double base_in_state(const struct in_state *launch, double idle_s)
{
	return device_idle_value(launch->model->input->device, IDLE_BASE, idle_s, 1e-6) +
	       launch->reaching_s;
}

static double time_in_state(const void *context, double idle_s)
{
	const struct in_state *launch = context;

	return base_in_state(launch, idle_s) +
	       with_units_waking(launch->model, &launch->waking, idle_s);
}

static enum status add_terms(struct default_model *m, struct error *error)
{
	enum status status = STATUS_OK;

	fill_device(m);
	status = m->is_lockstep ? find_private(m, error) : cpu_shape(m, error);
	if (status == STATUS_OK && m->is_lockstep)
		status = find_repeats(m, error);
	if (status == STATUS_OK)
		status = regions_begin(m, error);
	if (status != STATUS_OK)
		return status;
	add_dispatch(m);
	status = add_arithmetic(m, error);
	if (status != STATUS_OK)
		return status;
	add_local(m);
	add_atomics(m);
	add_barriers(m);
	add_first_level(m);
	status = add_context(m, error);
	if (status == STATUS_OK)
		status = add_memory(m, error);
	return status == STATUS_OK ? add_latency(m, error) : status;
}

/* What whole kernels showed of a resource, beside what its micro-benchmark did. */
static void scale_terms(struct default_model *m)
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
			m->time_s[i] *= device_value(m->input->device, shape[i], 1);
	m->gathering_s *= device_value(m->input->device, shape[BOTTLENECK_L1], 1);
}

/* A build that optimised nothing has no vectors, and keeps nothing in registers. */
static void add_unoptimised(struct default_model *m)
{
	double unoptimised_s = on_units(m, build_unoptimised_s(m->input));

	if (unoptimised_s <= m->time_s[BOTTLENECK_ARITHMETIC])
		return;
	m->time_s[BOTTLENECK_ARITHMETIC] = unoptimised_s;
	row_add(m->prediction, 1, unoptimised_s, "operations as written, not optimised");
}

/*
 * What is looked up one after another before the first texel of a launch: what describes each
 * image, and the sampler where one is read. Both have caches of their own, which every launch of
 * a GPU begins with empty, since the host may have written others.
 */
static double descriptors(const struct default_model *m)
{
	const struct ir_kernel *kernel = m->input->kernel;
	unsigned images = 0;
	bool has_sampler = false;

	for (uint32_t i = 0; i < kernel->object_count && m->is_lockstep; i++)
		images += kernel->objects[i].space == SPACE_IMAGE;
	for (uint32_t i = 0; i < kernel->access_count && images > 0; i++)
		has_sampler |= kernel->objects[kernel->accesses[i].object].space == SPACE_IMAGE &&
		               kernel->accesses[i].kind == ACCESS_LOAD;
	return images + has_sampler;
}

/*
 * What no work hides of a GPU's launch, however much there is: its first warps find nothing in
 * any unit's cache, and it has not ended before its last stores have arrived.
 */
static double reaching_s(const struct default_model *m)
{
	const struct ir_kernel *kernel = m->input->kernel;
	unsigned below = cache_levels(m->input->device) > 1 ? MEMORY_L1 + 1 : MEMORY_DRAM;
	double far = level_value(m, below, MEMORY_COLUMN_LATENCY, 0), waits = 0;
	double near = fmin(far, level_value(m, MEMORY_L1, MEMORY_COLUMN_LATENCY, 0));
	bool is_stored = false, is_loaded = false;
	double looked_up_s = descriptors(m) * level_value(m, MEMORY_DRAM, MEMORY_COLUMN_LATENCY, 0);

	for (uint32_t i = 0; i < kernel->access_count && m->is_lockstep; i++) {
		const struct ir_access *access = &kernel->accesses[i];
		unsigned space = kernel->objects[access->object].space;

		if (!(access_items(m, i) > 0) || (space != SPACE_GLOBAL && space != SPACE_IMAGE))
			continue;
		if (access->kind != ACCESS_LOAD)
			is_stored = true;
		else
			is_loaded = true, waits = fmax(waits, fmin(1, m->waits[i]));
	}
	return (is_stored ? far : 0) + (is_loaded ? (1 - waits) * (far - near) : 0) + looked_up_s;
}

/* What a CPU's cores wait for memory, beyond what they work. */
static enum status add_stalls(struct default_model *m, struct error *error)
{
	double turns = m->items / m->units / fmax(m->busy, 1e-9);
	enum status status;

	if (m->is_lockstep || !(turns > 0))
		return STATUS_OK;
	status = ahead_time(m, whole_of(m, m->time_s, m->gathering_s, 0) / turns, &m->stalled_s,
	                    error);
	m->stalled_s *= turns;
	if (status == STATUS_OK && m->stalled_s > 0)
		row_add(m->prediction, turns, m->stalled_s, "waiting for lines one by one");
	return status;
}

static void forget(struct default_model *m)
{
	free(m->is_refused);
	free(m->is_gathered);
	free(m->is_single);
	free(m->is_shifted);
	free(m->is_common);
	free(m->is_same);
	free(m->is_masked);
	free(m->groups);
	free(m->is_unstreamed);
	free(m->predicated);
	free(m->lanes);
	free(m->is_once);
	free(m->shared);
	free(m->is_part);
	free(m->is_added);
	free(m->wrong_guesses);
	free(m->is_branch);
	free(m->is_kept);
	free(m->is_in_memory);
	free(m->repeats);
	free(m->waits);
	free(m->regions);
}

enum status model_default(const struct model_input *input, struct prediction *prediction,
                          struct error *error)
{
	struct default_model m = {.input = input, .prediction = prediction};
	double idle_s = input->launch->idle_s;
	double base = device_idle_value(input->device, IDLE_BASE, idle_s, 1e-6);
	double most = 0, reaching = 0;
	enum status status;

	row_add(prediction, 1, base, "launch");
	status = add_terms(&m, error);
	if (status == STATUS_OK) {
		reaching = reaching_s(&m);
		scale_terms(&m);
		add_unoptimised(&m);
		m.apart_s = regions_apart(&m);
		if (m.apart_s > 0)
			row_add(prediction, 1, m.apart_s, "regions one after another");
		status = add_stalls(&m, error);
	}
	forget(&m);
	if (status != STATUS_OK)
		return status;
	if (reaching > 0)
		row_add(prediction, 1, reaching, "reaching memory");
	prediction->bottleneck = BOTTLENECK_LAUNCH;
	for (unsigned i = 0; i < BOTTLENECK_COUNT; i++) {
		if (!(m.time_s[i] >= 0))
			m.time_s[i] = 0;
		m.time_s[i] = fmin(m.time_s[i], 1e30);
		if (m.time_s[i] > most) {
			most = m.time_s[i];
			prediction->bottleneck = (uint8_t)i;
		}
	}
	struct in_state launch = {.model = &m, .reaching_s = reaching};
	launch.waking =
	        waking_of(&m, whole_of(&m, m.time_s, m.gathering_s, m.stalled_s + m.apart_s));
	base = base_in_state(&launch, idle_s);
	prediction->kernel_time_s = time_in_state(&launch, idle_s);
	fill_elasticity(&m, base, prediction->kernel_time_s - base);
	states_fill(input->device, input->launch, time_in_state, &launch, prediction);
	if (base >= prediction->kernel_time_s - base)
		prediction->bottleneck = BOTTLENECK_LAUNCH;
	if (!m.is_lockstep && input->kernel->summary->obstacle == VECTOR_OK && m.one_by_one >= 1)
		note_add(prediction->note, sizeof(prediction->note),
		         "not vectorised: an index wraps within a work-group, or that is short");
	else if (m.has_order && input->kernel->summary->obstacle == VECTOR_OK)
		note_add(prediction->note, sizeof(prediction->note),
		         "not vectorised: a work-item reads what its neighbour writes");
	else if (m.has_emulated)
		note_add(prediction->note, sizeof(prediction->note),
		         "not vectorised: what is less than 4 bytes is gathered under a condition");
	else if (m.has_worthless)
		note_add(prediction->note, sizeof(prediction->note),
		         "not vectorised in part: gathers under a condition cost a compiler more");
	else if (m.has_switch)
		note_add(prediction->note, sizeof(prediction->note),
		         "not vectorised: branches that go one of several ways by a number");
	prediction->is_scalar = !m.is_lockstep &&
	                        (input->kernel->summary->obstacle != VECTOR_OK || !m.makes_vectors);
	if (prediction->is_scalar && !m.makes_vectors)
		note_add(prediction->note, sizeof(prediction->note),
		         "not vectorised: the device's compiler makes no vectors of work-items");
	else if (prediction->is_scalar)
		note_add(prediction->note, sizeof(prediction->note), "not vectorised: %s",
		         vector_obstacle_text(input->kernel->summary->obstacle));
	return STATUS_OK;
}
