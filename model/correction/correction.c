/* SPDX-License-Identifier: Apache-2.0 */
/* Corrections: asked, taught, loaded, forgotten. */
#include "model/correction/correction.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/correction/state.h"

static const double TIME_MIN_S = 1e-9, TIME_MAX_S = 1e6;

/* Runs that make a launch known well. */
enum { KNOWN_RUNS = 4 };

/* No answer is further from the static one, as ln. */
static const double CORRECTION_MAX = 12;

void correction_describe(uint64_t key, const struct prediction *prediction, double items,
                         struct correction_launch *launch)
{
	double group = 1, sum = 0;
	unsigned known = 0;

	for (unsigned d = 0; d < 3; d++)
		group *= fmax(1, (double)prediction->local[d]);
	*launch = (struct correction_launch){
	        .key = key,
	        .epoch = prediction->epoch,
	        .static_log = (float)log(prediction->kernel_time_s),
	        .static_sd = (float)((log(prediction->high_s / prediction->low_s) -
	                              (double)prediction->state_below -
	                              (double)prediction->state_above) /
	                             (2 * NINETY_PERCENT)),
	        .items_log = (float)log(fmax(1, items)),
	        .group_log = (float)log(group),
	};
	for (unsigned i = 0; i < BOTTLENECK_COUNT; i++)
		sum += (double)prediction->elasticity[i];
	for (unsigned i = 0; i < BOTTLENECK_COUNT; i++) {
		double share = (double)prediction->elasticity[i] / fmax(sum, 1);
		unsigned part = (unsigned)lround(255 * fmin(fmax(share, 0), 1));
		if (part > 255 - known)
			part = 255 - known;
		launch->share[i] = (uint8_t)part;
		known += part;
	}
	launch->share[BOTTLENECK_COUNT] = prediction->is_data_dependent ? 255 : 0;
	launch->share[BOTTLENECK_COUNT + 1] = prediction->is_scalar ? 255 : 0;
	work_fill(prediction, launch->share + BOTTLENECK_COUNT + TRAITS);
	/* of a kernel that was not analysed, all of it */
	launch->share[BOTTLENECK_UNKNOWN] =
	        (uint8_t)(launch->share[BOTTLENECK_UNKNOWN] + 255 - known);
}

/* ---- asking --------------------------------------------------------------------------------- */

/* What is known of one launch, before it becomes an answer. */
struct knowledge {
	const struct effects *effects;
	double time_log, variance, spread;
	double drift; /* a standard deviation */
	enum score_class class;
	bool is_observed, is_refined, is_drifting;
	bool is_later; /* its last run is of a time before a pause, or of others */
	uint64_t count;
	uint32_t nodes;
};

/* A launch that the user reported, but that the fit has no room for. */
static void know_cell(struct correction *c, uint32_t cell, const struct effects *effects,
                      struct knowledge *known)
{
	const struct location *location = cell_location(c, cell);
	const struct correction_launch *launch = &c->cells[cell].record.launch;
	double base = (double)launch->static_log + effects_bias(effects, launch);
	double weight = known->variance / fmax(known->variance + location->variance, 1e-12);

	known->time_log = base + (known->time_log - base) * (1 - weight) +
	                  weight * (location->time_log - base);
	known->variance *= 1 - weight;
	known->spread = location->spread;
	known->class = score_class_of(location->count);
	known->is_observed = true;
}

static void know_kernel(struct correction *c, uint32_t group, uint32_t reporter,
                        const struct correction_launch *launch, struct knowledge *known)
{
	const struct view *view = view_fresh(c, group, reporter);
	double mean, variance;

	if (view->point_count == 0)
		return;
	const struct point *point = view_at(view, launch, &mean, &variance);
	known->time_log += mean;
	known->variance = variance;
	known->spread = effects_noise(known->effects, (double)launch->static_log);
	known->class = score_class_unseen(view);
	known->is_refined = true;
	known->count = view->runs;
	if (point != NULL) {
		known->time_log = (double)point->base + mean;
		known->variance += (double)point->between;
		known->spread = (double)point->spread;
		known->class = score_class_of((double)point->count);
		known->is_observed = true;
		if (reporter != NONE)
			known->drift = drift_deviation(&c->reporters[reporter].drift, point->at_s);
		known->is_later = reporter == NONE || point->is_shared ||
		                  reporter_latest_s(c, reporter) - point->at_s > VISIT_S;
		return;
	}
	uint32_t cell = reporter == NONE ? NONE : cell_find(c, group, reporter, launch->key);
	if (cell != NONE)
		know_cell(c, cell, known->effects, known);
}

/* What other nodes say, where nobody here says anything of the launch. */
static void know_site(struct correction *c, uint32_t group, uint32_t reporter,
                      const struct correction_launch *launch, struct knowledge *known)
{
	struct site_answer answer;

	if (!site_ask(c, group, reporter, known->count > 0, launch, &answer))
		return;
	known->time_log = answer.time_log;
	known->variance = answer.variance;
	known->spread = effects_noise(known->effects, (double)launch->static_log);
	known->class = answer.class;
	known->nodes = answer.nodes;
	known->is_refined = known->is_later = true;
}

static void know(struct correction *c, uint64_t device_key, uint64_t kernel, uint32_t uid,
                 const struct correction_launch *launch, struct knowledge *known)
{
	uint32_t device = device_find(c, device_key, launch->kind), reporter = NONE, group = NONE;
	double sd = (double)launch->static_sd;

	if (device != NONE) {
		reporter = reporter_find(c, device, uid);
		group = group_find(c, device, kernel);
	}
	*known = (struct knowledge){.effects = effects_of(c, device, reporter)};
	known->time_log = (double)launch->static_log + effects_bias(known->effects, launch);
	known->variance = (double)known->effects->scale * sd * sd;
	known->class = SCORE_COLD;
	known->is_refined = known->effects->kernels > 0;
	if (known->is_refined)
		known->spread = effects_noise(known->effects, (double)launch->static_log);
	if (reporter != NONE) {
		const struct drift *drift = &c->reporters[reporter].drift;
		known->is_drifting = drift_is_on(drift);
		/* what many kernels say is renewed with every run since */
		known->drift = drift_deviation(drift, 0) / sqrt(1 + (double)drift->runs / 8);
	}
	if (group != NONE && (reporter != NONE || c->devices[device].has_shared))
		know_kernel(c, group, reporter, launch, known);
	if (group != NONE && !known->is_observed && c->devices[device].has_site)
		know_site(c, group, reporter, launch, known);
}

static double between(double value, double low, double high)
{
	return fmin(fmax(value, low), high);
}

/* Agreeing evidence never widens: an unseen launch of a known kernel is no surer than after a run.
 */
static double as_sure_as_seen(const struct knowledge *known)
{
	const float *low = known->effects->low, *high = known->effects->high;
	double square = known->spread * known->spread;
	double after = known->variance * square / fmax(known->variance + square, 1e-12);

	if (known->class == SCORE_COLD || known->class >= SCORE_ONE)
		return 1;
	return fmax(1, (double)(high[SCORE_ONE] - low[SCORE_ONE]) * sqrt(after + square) /
	                       ((double)(high[known->class] - low[known->class]) *
	                        sqrt(known->variance + square)));
}

/* From the answer to an end of its interval, as ln. */
static double half_width(const struct knowledge *known, const float *quantiles)
{
	double quantile = (double)quantiles[known->class] * as_sure_as_seen(known);
	double half = quantile * sqrt(known->variance + known->spread * known->spread);

	if (known->is_later)
		half = hypot(half, (double)quantiles[SCORE_VISIT]);
	return hypot(half, NINETY_PERCENT * known->drift);
}

void correction_ask(struct correction *correction, uint64_t device, uint64_t kernel, uint32_t uid,
                    const struct correction_launch *launch, bool fallback,
                    struct correction_answer *answer)
{
	struct knowledge known;
	double base = (double)launch->static_log;

	know(correction, device, kernel, uid, launch, &known);
	double time_log = between(known.time_log, base - CORRECTION_MAX, base + CORRECTION_MAX);
	double low = -between(half_width(&known, known.effects->low), 0, 50);
	double high = between(half_width(&known, known.effects->high), 0, 50);
	answer->time_s = exp(time_log);
	answer->low_s = exp(time_log + low);
	answer->high_s = exp(time_log + high);
	answer->count = known.count;
	answer->nodes = known.nodes;
	answer->is_drifting = known.is_drifting;
	answer->basis = (uint8_t)BASIS_STATIC;
	if (known.is_observed)
		answer->basis = (uint8_t)BASIS_OBSERVED;
	else if (fallback && known.count == 0 && known.nodes == 0)
		answer->basis = (uint8_t)BASIS_FALLBACK;
	else if (known.is_refined)
		answer->basis = (uint8_t)BASIS_REFINED;
}

/* ---- evidence ------------------------------------------------------------------------------- */

static bool is_within(double value, double low, double high)
{
	return value >= low && value <= high; /* false for NaN */
}

static const char *launch_problem(const struct correction_launch *launch)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < BOTTLENECK_COUNT; i++)
		sum += launch->share[i];
	if (!is_within((double)launch->static_log, -30, 70))
		return "static time";
	if (!is_within((double)launch->static_sd, 0, 50))
		return "static interval";
	if (!is_within((double)launch->items_log, 0, 64) ||
	    !is_within((double)launch->group_log, 0, 64))
		return "sizes";
	if (launch->kind >= CORRECTION_KINDS)
		return "kind";
	if (!is_within((double)launch->kernel_log, -30, 70) ||
	    !is_within((double)launch->beside_s, 0, TIME_MAX_S))
		return "parts of a task";
	return sum > 255 ? "shares" : NULL;
}

/* In its place by time, those of one second in the order in which they were reported; what there is
 * no room for goes: disturbed runs first, then the oldest. */
static bool record_add(struct correction_record *record, const struct correction_sample *sample)
{
	struct correction_sample *samples = record->samples;
	uint32_t count = record->sample_count;

	if (count > 0 && samples[0].flags == 0 && sample->flags != 0)
		return false;
	if (count > 0 && samples[0].flags != 0 && sample->flags == 0)
		count = 0;
	uint32_t at = count;
	while (at > 0 && sample->at_s < samples[at - 1].at_s)
		at--;
	record->sample_count = count;
	if (count == CORRECTION_SAMPLES) {
		if (at == 0)
			return false;
		memmove(samples, samples + 1, (at - 1) * sizeof(*samples));
		samples[at - 1] = *sample;
		return true;
	}
	memmove(samples + at + 1, samples + at, (count - at) * sizeof(*samples));
	samples[at] = *sample;
	record->sample_count++;
	return true;
}

/*
 * What the run says of drift, before it is taken: only launches known well tell, by runs all
 * of before the last shift (they lack it), or by enough since.
 */
static bool notice_drift(struct correction *c, uint32_t cell, const struct correction_run *run)
{
	const struct correction_record *record = &c->cells[cell].record;
	struct reporter *reporter = &c->reporters[c->cells[cell].reporter];
	uint32_t count = record->sample_count, since = 0, unsure = 0;
	uint32_t since_s = drift_since_s(&reporter->drift);

	if (count < KNOWN_RUNS || record->samples[0].flags != 0 || run->flags != 0)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		since += record->samples[i].at_s > since_s || since_s == 0;
		unsure += record->samples[i].at_s == since_s && since_s != 0;
	}
	if (since + unsure > 0 && since < KNOWN_RUNS)
		return false;
	const struct location *location = cell_location(c, cell);
	double deviation = sqrt(location->variance + location->spread * location->spread);
	double residual = log(run->time_s) - location->median_log;
	if (since == 0)
		residual -= drift_shift(&reporter->drift, record->samples[count - 1].at_s);
	return drift_add(&reporter->drift, run->kernel, residual, deviation,
	                 (uint32_t)run->measured_at_s, (uint32_t)reporter->effects.kernels);
}

/* The largest change of a bias, and that remembered. */
static bool effects_moved(struct effects *announced, const struct effects *effects)
{
	bool has_moved = false;

	for (unsigned i = 0; i < FEATURES; i++)
		has_moved = has_moved ||
		            fabsf(announced->bias[i] - effects->bias[i]) > (float)CORRECTION_MOVE;
	if (has_moved)
		*announced = *effects;
	return has_moved;
}

/* Whether this run is an eighth more of them: the interval is another, though the time may not be.
 */
static bool is_eighth_more(uint64_t runs)
{
	uint64_t step = 1;

	while (runs / step >= 16)
		step *= 2;
	return runs % step == 0;
}

static unsigned moved_by(struct correction *c, const struct cell *cell)
{
	uint32_t group = cell->group, reporter_index = cell->reporter;
	struct reporter *reporter = &c->reporters[reporter_index];
	struct device_state *device = &c->devices[reporter->device];
	struct view *view = view_fresh(c, group, reporter_index);
	bool has_moved = view->has_moved || is_eighth_more(cell->record.runs);
	unsigned moved = has_moved ? CORRECTION_MOVED_KERNEL_USER : 0;

	view->has_moved = false;
	if (effects_moved(&reporter->announced, &reporter->effects))
		moved |= CORRECTION_MOVED_DEVICE_USER;
	if (!device->has_shared)
		return moved;
	if (effects_moved(&device->announced, &device->shared))
		moved |= CORRECTION_MOVED_DEVICE;
	/* many users' words are looked at as a whole; now and then where there are many */
	if (++c->groups[group].changes * 16 < c->groups[group].cell_count)
		return moved;
	c->groups[group].changes = 0;
	view = view_fresh(c, group, NONE);
	if (view->has_moved)
		moved |= CORRECTION_MOVED_KERNEL;
	view->has_moved = false;
	return moved;
}

enum status correction_observe(struct correction *c, const struct correction_run *run,
                               unsigned *moved, struct error *error)
{
	const char *problem = launch_problem(&run->launch);
	uint32_t index;

	if (problem != NULL)
		return error_set(error, STATUS_INVALID, "observation: %s out of range", problem);
	if (run->uid == CORRECTION_UID_SITE)
		return error_set(error, STATUS_INVALID,
		                 "observation: user %u stands for other nodes", run->uid);
	if (!is_within(run->time_s, TIME_MIN_S, TIME_MAX_S))
		return error_set(error, STATUS_INVALID,
		                 "observation: want a time of 1 ns to 10^6 s, got %g s",
		                 run->time_s);
	if (run->measured_at_s < 0 || run->measured_at_s > UINT32_MAX)
		return error_set(error, STATUS_INVALID,
		                 "observation: want a time since 1970 below 2^32 s, got %lld",
		                 (long long)run->measured_at_s);
	if ((run->flags & ~(uint32_t)CORRECTION_FLAGS) != 0)
		return error_set(error, STATUS_INVALID, "observation: unknown flags %#x",
		                 (unsigned)run->flags);
	for (unsigned i = 0; i < CORRECTION_OVERHEADS; i++)
		if (!is_within((double)run->overhead_s[i], 0, TIME_MAX_S) ||
		    !is_within((double)run->overhead_static_s[i], 0, (double)INFINITY))
			return error_set(
			        error, STATUS_INVALID,
			        "observation: want times beside the kernel's of 0 to 10^6 s");
	enum status status =
	        correction_cell(c, run->device, run->kernel, run->uid, &run->launch, &index, error);
	if (status != STATUS_OK)
		return status;
	struct cell *cell = &c->cells[index];
	struct correction_record *record = &cell->record;
	struct reporter *reporter = &c->reporters[cell->reporter];
	const struct correction_sample sample = {.time_log = (float)log(run->time_s),
	                                         .at_s = (uint32_t)run->measured_at_s,
	                                         .flags = run->flags,
	                                         .predicted_s = run->predicted_s,
	                                         .low_s = run->low_s,
	                                         .high_s = run->high_s};
	if (notice_drift(c, index, run)) {
		reporter->changes += reporter->cell_count;
		reporter->version++;
		user_change(c, cell->reporter);
	}
	bool is_first = record->sample_count == 0;
	bool is_newest = is_first || sample.at_s >= record->samples[record->sample_count - 1].at_s;
	bool is_visit = !is_first && is_newest &&
	                sample.at_s - record->samples[record->sample_count - 1].at_s > VISIT_S;
	bool is_kept = record_add(record, &sample);
	if (is_first || (is_kept && is_newest))
		record->launch = run->launch;
	record->runs++;
	c->runs++;
	c->groups[cell->group].version++;
	cell->version = 0;
	cell_touch(c, index);
	cell_change(c, index);
	if (run->uid == CORRECTION_UID_DAEMON)
		c->devices[reporter->device].has_daemon = true;
	/* more runs in a row of what is known well teach nothing of the device */
	if (record->runs <= CORRECTION_SAMPLES || is_visit)
		reporter->changes++;
	effects_refresh(c, cell->reporter);
	site_note_run(c, index);
	bool is_shared;
	unsigned bits = moved_by(c, cell);
	if (overheads_add(c, cell->reporter, run, &is_shared))
		bits |= CORRECTION_MOVED_DEVICE_USER;
	if (is_shared)
		bits |= CORRECTION_MOVED_DEVICE;
	tasks_restate(c, run, bits);
	if (moved != NULL)
		*moved = bits;
	return STATUS_OK;
}

/* ---- records -------------------------------------------------------------------------------- */

const char *record_problem(const struct correction_record *record)
{
	const char *problem = launch_problem(&record->launch);

	if (record->sample_count < 1 || record->sample_count > CORRECTION_SAMPLES ||
	    record->runs < record->sample_count || record->runs > INT64_MAX)
		problem = "number of runs";
	for (uint32_t i = 0; i < record->sample_count && problem == NULL; i++) {
		const struct correction_sample *sample = &record->samples[i];
		if (!is_within((double)sample->time_log, -21, 14))
			problem = "time of a run";
		else if ((sample->flags & ~(uint32_t)CORRECTION_FLAGS) != 0 ||
		         (sample->flags == 0) != (record->samples[0].flags == 0))
			problem = "flags of a run";
		else if (i > 0 && sample->at_s < record->samples[i - 1].at_s)
			problem = "order of runs";
	}
	return problem;
}

enum status record_put(struct correction *c, const struct correction_record *record,
                       uint32_t *index, struct error *error)
{
	enum status status = correction_cell(c, record->device, record->kernel, record->uid,
	                                     &record->launch, index, error);
	if (status != STATUS_OK)
		return status;
	struct cell *cell = &c->cells[*index];
	if (!site_is(c, cell->reporter)) {
		c->runs += record->runs - cell->record.runs;
		c->reporters[cell->reporter].changes++;
	}
	cell->record = *record;
	cell->version = 0;
	c->groups[cell->group].version++;
	c->reporters[cell->reporter].version++;
	if (record->uid == CORRECTION_UID_DAEMON)
		c->devices[c->reporters[cell->reporter].device].has_daemon = true;
	cell_touch(c, *index);
	return STATUS_OK;
}

enum status correction_load(struct correction *c, const struct correction_record *record,
                            struct error *error)
{
	const char *problem = record_problem(record);
	uint32_t index, group;

	if (record->uid == CORRECTION_UID_SITE)
		problem = "user";
	if (problem != NULL)
		return error_set(error, STATUS_CORRUPT, "observations: %s out of range", problem);
	uint32_t device = device_find(c, record->device, record->launch.kind);
	group = device == NONE ? NONE : group_find(c, device, record->kernel);
	uint32_t reporter = device == NONE ? NONE : reporter_find(c, device, record->uid);
	bool is_known = group != NONE && reporter != NONE &&
	                cell_find(c, group, reporter, record->launch.key) != NONE;
	if (!is_known && c->cell_count >= c->records_max)
		return error_set(error, STATUS_LIMIT, "observations: want at most %zu records",
		                 c->records_max);
	return record_put(c, record, &index, error);
}

/* Drops the runs before a time; returns how many are forgotten. */
static uint64_t record_forget(struct correction_record *record, int64_t before_s)
{
	uint32_t gone = 0;

	while (gone < record->sample_count && (int64_t)record->samples[gone].at_s < before_s)
		gone++;
	if (gone == 0 && record->runs == record->sample_count)
		return 0;
	/* those that were not kept one by one were older, but for disturbed ones */
	uint64_t forgotten = gone + record->runs - record->sample_count;
	if (gone == 0 && (int64_t)record->samples[0].at_s >= before_s)
		return 0;
	record->sample_count -= gone;
	memmove(record->samples, record->samples + gone,
	        record->sample_count * sizeof(*record->samples));
	record->runs -= forgotten;
	return forgotten;
}

static int compare_kernels(const void *first, const void *second)
{
	uint64_t a = *(const uint64_t *)first, b = *(const uint64_t *)second;

	return (a > b) - (a < b);
}

static bool is_in_scope(const struct correction_scope *scope,
                        const struct correction_record *record)
{
	if ((scope->has_device && record->device != scope->device) ||
	    (scope->has_uid && record->uid != scope->uid) || record->uid == CORRECTION_UID_SITE)
		return false;
	return !scope->has_kernels || (scope->kernel_count > 0 &&
	                               bsearch(&record->kernel, scope->kernels, scope->kernel_count,
	                                       sizeof(*scope->kernels), compare_kernels) != NULL);
}

/* What of one record is in scope; returns how many runs are forgotten. */
static uint64_t cell_forget(struct correction *c, uint32_t index,
                            const struct correction_scope *scope)
{
	struct cell *cell = &c->cells[index];
	struct correction_record *record = &cell->record;
	uint64_t runs = record->runs;

	if (!is_in_scope(scope, record))
		return 0;
	if (!scope->has_before ||
	    (int64_t)record->samples[record->sample_count - 1].at_s < scope->before_s) {
		cell_remove(c, index);
		return runs;
	}
	runs = record_forget(record, scope->before_s);
	if (runs == 0)
		return 0;
	c->runs -= runs;
	cell->version = 0;
	c->groups[cell->group].version++;
	c->reporters[cell->reporter].changes++;
	cell_change(c, index);
	return runs;
}

/* By kernel: few of many records. */
static uint64_t forget_kernels(struct correction *c, const struct correction_scope *scope)
{
	uint64_t forgotten = 0;

	for (uint32_t device = 0; device < c->device_count; device++)
		for (size_t i = 0; i < scope->kernel_count; i++) {
			if (scope->has_device && c->devices[device].key != scope->device)
				break;
			uint32_t group = group_find(c, device, scope->kernels[i]);
			uint32_t index = group == NONE ? NONE : c->groups[group].first_cell;
			while (index != NONE) {
				uint32_t next = c->cells[index].group_next;
				forgotten += cell_forget(c, index, scope);
				index = next;
			}
		}
	return forgotten;
}

static uint64_t forget_reporters(struct correction *c, const struct correction_scope *scope)
{
	uint64_t forgotten = 0;

	for (uint32_t i = 0; i < CORRECTION_USERS; i++) {
		const struct reporter *reporter = &c->reporters[i];
		if (!reporter->is_used || site_is(c, i) ||
		    (scope->has_uid && reporter->uid != scope->uid) ||
		    (scope->has_device && c->devices[reporter->device].key != scope->device))
			continue;
		for (uint32_t index = reporter->newest; index != NONE;) {
			uint32_t older = c->cells[index].older;
			forgotten += cell_forget(c, index, scope);
			index = older;
		}
	}
	return forgotten;
}

uint64_t correction_forget(struct correction *c, const struct correction_scope *scope)
{
	uint64_t forgotten =
	        scope->has_kernels ? forget_kernels(c, scope) : forget_reporters(c, scope);

	correction_settle_begin(c);
	return forgotten;
}
