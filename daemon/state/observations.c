/* SPDX-License-Identifier: Apache-2.0 */
/* What users have observed, in memory: asked, and taken into account. */
#include "daemon/state/observations.h"

#include "daemon/codec/launch_key.h"
#include "daemon/daemon.h"
#include "daemon/log.h"
#include "daemon/state/observations_saving.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* That effects may take at once, when records are loaded: those of some ten users. */
enum { SETTLE_MS = 50 };

enum status observations_init(struct observations *observations, struct daemon *daemon,
                              struct error *error)
{
	observations->daemon = daemon;
	epoch_limit_init(&observations->limit, daemon->epochs, &daemon->loop);
	(void)uv_idle_init(&daemon->loop, &observations->settling);
	observations->settling.data = observations;
	(void)uv_timer_init(&daemon->loop, &observations->timer);
	observations->timer.data = observations;
	return correction_new(daemon->config.records, daemon->config.records_max,
	                      &observations->correction, error);
}

void observations_deinit(struct observations *observations)
{
	struct observer_quota *quota, *next;
	HASH_ITER(hh, observations->quotas, quota, next)
	{
		HASH_DEL(observations->quotas, quota);
		free(quota);
	}
	saving_deinit(observations);
	correction_free(observations->correction);
	observations->correction = NULL;
}

/* ---- asking -------------------------------------------------------------------------------- */

/* Runs of the launch itself were in the states that it is in; of others nobody knows. */
static void hold_states(struct correction_answer *answer, float below, float above)
{
	if (answer->basis == BASIS_OBSERVED)
		return;
	answer->low_s *= exp(-(double)below);
	answer->high_s *= exp((double)above);
}

/* Of which nothing was observed: the model's own interval, but for states, which need not lie about
 * the middle of it. */
static void keep_static(struct correction_answer *answer, const struct prediction *prediction)
{
	if (answer->basis != BASIS_STATIC && answer->basis != BASIS_FALLBACK)
		return;
	answer->low_s = prediction->low_s * exp((double)prediction->state_below);
	answer->high_s = prediction->high_s * exp(-(double)prediction->state_above);
}

void observations_refine(struct observations *observations, uint64_t device, uid_t user,
                         struct refinement *refinement)
{
	struct daemon *daemon = observations->daemon;
	struct prediction *prediction = &daemon->prediction;
	struct correction_launch launch;
	struct correction_answer answer;
	if (correction_records(observations->correction) == 0 &&
	    correction_site_records(observations->correction) == 0)
		return;
	correction_describe(launch_key(&daemon->launch), prediction, launch_items(&daemon->launch),
	                    &launch);
	correction_ask(observations->correction, device, refinement->kernel, user, &launch,
	               prediction->basis == BASIS_FALLBACK, &answer);
	keep_static(&answer, prediction);
	correction_ask_task(observations->correction, device, refinement->kernel, user, &launch,
	                    &answer, prediction->launch_time_s, &refinement->task);
	hold_states(&refinement->task, prediction->state_below, prediction->state_above);
	hold_states(&answer, prediction->state_below, prediction->state_above);
	prediction->kernel_time_s = answer.time_s;
	prediction->low_s = answer.low_s;
	prediction->high_s = answer.high_s;
	prediction->basis = answer.basis;
	prediction->launch_time_s =
	        correction_overhead(observations->correction, device, user, CORRECTION_LAUNCH,
	                            prediction->launch_time_s);
	prediction->h2d_time_s = correction_overhead(observations->correction, device, user,
	                                             CORRECTION_H2D, prediction->h2d_time_s);
	prediction->d2h_time_s = correction_overhead(observations->correction, device, user,
	                                             CORRECTION_D2H, prediction->d2h_time_s);
	refinement->observation_count = answer.count;
	refinement->nodes = answer.nodes;
}

size_t observations_drifts(const struct observations *observations,
                           char (*text)[CORRECTION_SENTENCE_MAX + 160], size_t room)
{
	const struct registry *registry = &observations->daemon->registry;
	char sentence[CORRECTION_SENTENCE_MAX];
	size_t count = 0;
	for (size_t i = 0; i < registry->count && count < room; i++)
		if (correction_drift(observations->correction, registry->devices[i]->hash,
		                     sentence))
			snprintf(text[count++], sizeof text[0], "%.80s (%s): %s",
			         registry->devices[i]->device.name,
			         registry->devices[i]->device.key, sentence);
	return count;
}

void observations_log_drifts(struct observations *observations)
{
	const struct registry *registry = &observations->daemon->registry;
	uint64_t drifting[OBSERVATIONS_DRIFTS_MAX];
	char sentence[CORRECTION_SENTENCE_MAX];
	size_t count = 0;
	for (size_t i = 0; i < registry->count && count < OBSERVATIONS_DRIFTS_MAX; i++) {
		uint64_t hash = registry->devices[i]->hash;
		bool is_logged = false;
		if (!correction_drift(observations->correction, hash, sentence))
			continue;
		for (size_t j = 0; j < observations->drifting_count; j++)
			is_logged |= observations->drifting[j] == hash;
		drifting[count++] = hash;
		if (!is_logged)
			log_write(LOG_DEVICE_DRIFTS,
			          LOG_TEXT_FIELD("device", registry->devices[i]->device.name),
			          LOG_TEXT_FIELD("what", sentence));
	}
	memcpy(observations->drifting, drifting, count * sizeof drifting[0]);
	observations->drifting_count = count;
}

/* ---- quotas -------------------------------------------------------------------------------- */

/* Those that have not reported for a while have all of it again. */
static void drop_idle(struct observations *observations, uint64_t now_ns)
{
	struct observer_quota *quota, *next;
	HASH_ITER(hh, observations->quotas, quota, next)
	{
		if (now_ns - quota->counted_ns < 1000000000)
			continue;
		HASH_DEL(observations->quotas, quota);
		free(quota);
	}
}

enum status observations_count(struct observations *observations, uid_t user, struct error *error)
{
	double per_s = observations->daemon->config.observations_per_s;
	uint64_t now_ns = uv_hrtime();
	struct observer_quota *quota;
	HASH_FIND(hh, observations->quotas, &user, sizeof user, quota);
	if (quota == NULL) {
		if (HASH_COUNT(observations->quotas) >= OBSERVATIONS_QUOTAS_MAX)
			drop_idle(observations, now_ns);
		if (HASH_COUNT(observations->quotas) >= OBSERVATIONS_QUOTAS_MAX ||
		    (quota = calloc(1, sizeof *quota)) == NULL)
			return error_set(error, STATUS_BUSY,
			                 "observations: too many users report at once");
		quota->user = user;
		quota->left = per_s;
		quota->counted_ns = now_ns;
		HASH_ADD(hh, observations->quotas, user, sizeof quota->user, quota);
		if (quota->hh.tbl == NULL) {
			free(quota);
			return error_set(error, STATUS_NO_MEMORY, "observations: no memory");
		}
	}
	quota->left += (double)(now_ns - quota->counted_ns) * 1e-9 * per_s;
	if (quota->left > per_s)
		quota->left = per_s;
	quota->counted_ns = now_ns;
	if (quota->left < 1)
		return error_set(error, STATUS_LIMIT,
		                 "observations: want at most %.0f a second of one user", per_s);
	quota->left--;
	return STATUS_OK;
}

/* ---- observing ----------------------------------------------------------------------------- */

static struct static_slot *slot_of(struct observations *observations, uint64_t device,
                                   uint64_t kernel, uint64_t question)
{
	uint64_t hash = question ^ kernel ^ device;
	return &observations->static_slots[hash % OBSERVATIONS_STATIC_SLOTS];
}

const struct static_slot *observations_static(struct observations *observations, uint64_t device,
                                              uint64_t kernel)
{
	const struct daemon *daemon = observations->daemon;
	uint64_t question = launch_question_key(&daemon->launch);
	const struct static_slot *slot = slot_of(observations, device, kernel, question);
	bool is_there = slot->question == question && slot->kernel == kernel &&
	                slot->device == device && slot->generation == daemon_generation(daemon);
	return is_there ? slot : NULL;
}

const struct static_slot *observations_describe(struct observations *observations, uint64_t device,
                                                uint64_t kernel)
{
	const struct daemon *daemon = observations->daemon;
	uint64_t question = launch_question_key(&daemon->launch);
	struct static_slot *slot = slot_of(observations, device, kernel, question);
	*slot = (struct static_slot){
	        .device = device,
	        .kernel = kernel,
	        .question = question,
	        .generation = daemon_generation(daemon),
	        .is_fallback = daemon->prediction.basis == BASIS_FALLBACK,
	        .state_below = daemon->prediction.state_below,
	        .state_above = daemon->prediction.state_above,
	};
	correction_describe(launch_key(&daemon->launch), &daemon->prediction,
	                    launch_items(&daemon->launch), &slot->launch);
	slot->overhead_s[CORRECTION_LAUNCH] = (float)daemon->prediction.launch_time_s;
	slot->overhead_s[CORRECTION_H2D] = (float)daemon->prediction.h2d_time_s;
	slot->overhead_s[CORRECTION_D2H] = (float)daemon->prediction.d2h_time_s;
	return slot;
}

/* His own answers at once, others' once a second. */
static void raise_epochs(struct observations *observations, const struct observed *observed,
                         unsigned moved)
{
	struct epochs *epochs = observations->daemon->epochs;
	uint32_t device = observed->epoch_device;
	struct epochs_scope scope = {
	        .has_device = true,
	        .device_index = device,
	        .uid = observed->user,
	        .kernel_hash = observed->kernel,
	};
	if (epochs == NULL || moved == 0)
		return;
	if (moved & CORRECTION_MOVED_KERNEL_USER)
		epochs_raise(epochs, epochs_slot(epochs, observed->kernel, device, observed->user));
	if (moved & CORRECTION_MOVED_DEVICE_USER) {
		scope.has_uid = true;
		epochs_raise_scope(epochs, &scope);
		scope.has_uid = false;
	}
	scope.has_kernel = (moved & CORRECTION_MOVED_DEVICE) == 0;
	if (moved & (CORRECTION_MOVED_KERNEL | CORRECTION_MOVED_DEVICE))
		epoch_limit_add(&observations->limit, &scope);
}

/* What is answered now about what was measured. */
static void ask_before(struct observations *observations, const struct observed *observed,
                       const struct static_slot *answer, enum correction_kind kind,
                       struct correction_answer *before)
{
	struct correction *correction = observations->correction;
	struct correction_answer of_kernel;
	correction_ask(correction, observed->device, observed->kernel, observed->user,
	               &answer->launch, answer->is_fallback, &of_kernel);
	*before = of_kernel;
	if (kind == CORRECTION_OF_TASK)
		correction_ask_task(correction, observed->device, observed->kernel, observed->user,
		                    &answer->launch, &of_kernel,
		                    (double)answer->overhead_s[CORRECTION_LAUNCH], before);
	hold_states(before, answer->state_below, answer->state_above);
}

static enum status take_one(struct observations *observations, const struct observed *observed,
                            const struct static_slot *answer, enum correction_kind kind,
                            struct error *error)
{
	unsigned moved = 0;
	struct correction_answer before;
	ask_before(observations, observed, answer, kind, &before);
	struct correction_run run = {
	        .device = observed->device,
	        .kernel = observed->kernel,
	        .uid = observed->user,
	        .flags = observed->flags,
	        .time_s = observed->time_s[kind],
	        .measured_at_s = observed->measured_at_s,
	        .predicted_s = (float)before.time_s,
	        .low_s = (float)before.low_s,
	        .high_s = (float)before.high_s,
	        .launch = answer->launch,
	};
	if (kind == CORRECTION_OF_TASK)
		run.launch = correction_task(observations->correction, observed->device,
		                             observed->kernel, observed->user, &answer->launch,
		                             (double)answer->overhead_s[CORRECTION_LAUNCH]);
	/* once of each observation */
	bool has_overheads = kind == CORRECTION_OF_KERNEL || observed->time_s[0] <= 0;
	for (unsigned i = 0; i < CORRECTION_OVERHEADS && has_overheads; i++) {
		run.overhead_s[i] = (float)observed->overhead_s[i];
		run.overhead_static_s[i] = answer->overhead_s[i];
	}
	enum status status = correction_observe(observations->correction, &run, &moved, error);
	if (status == STATUS_OK)
		raise_epochs(observations, observed, moved);
	return status;
}

enum status observations_take(struct observations *observations, const struct observed *observed,
                              const struct static_slot *answer, struct error *error)
{
	enum status status = STATUS_OK;
	/* the kernel first: what is expected of the task rests on it */
	for (unsigned kind = 0; kind < CORRECTION_KINDS && status == STATUS_OK; kind++)
		if (observed->time_s[kind] > 0)
			status = take_one(observations, observed, answer,
			                  (enum correction_kind)kind, error);
	if (status == STATUS_OK)
		saving_changed(observations, observed, answer->launch.key);
	return status;
}

/* Those that wait for effects wait for the store from here on. */
static void end_settling(struct observations *observations)
{
	struct save_wait *wait = observations->unsettled;
	observations->unsettled = NULL;
	while (wait != NULL) {
		struct save_wait *next = wait->next;
		observations_wait(observations, wait);
		wait = next;
	}
}

/* One user's effects between two turns of the loop. */
static void on_settle(uv_idle_t *idle)
{
	struct observations *observations = idle->data;
	const struct epochs_scope all = {.has_uid = false};
	if (correction_settle_step(observations->correction))
		return;
	(void)uv_idle_stop(idle);
	epoch_limit_add(&observations->limit, &all);
	end_settling(observations);
}

void observations_settle(struct observations *observations)
{
	uint64_t end_ns = uv_hrtime() + (uint64_t)SETTLE_MS * 1000000;
	correction_settle_begin(observations->correction);
	while (correction_settle_step(observations->correction)) {
		if (uv_hrtime() < end_ns)
			continue;
		if (!uv_is_closing((uv_handle_t *)&observations->settling))
			(void)uv_idle_start(&observations->settling, on_settle);
		return;
	}
}

uint64_t observations_forget(struct observations *observations,
                             const struct correction_scope *scope)
{
	struct epochs *epochs = observations->daemon->epochs;
	/* what is no user's own takes an admin */
	const struct epochs_scope own = {.has_uid = scope->has_uid, .uid = scope->uid};
	uint64_t forgotten = correction_forget(observations->correction, scope);
	if (forgotten == 0)
		return 0;
	if (epochs != NULL)
		epochs_raise_scope(epochs, &own);
	if (!uv_is_closing((uv_handle_t *)&observations->settling))
		(void)uv_idle_start(&observations->settling, on_settle);
	return forgotten;
}

void observations_wait_settled(struct observations *observations, struct save_wait *wait)
{
	if (!uv_is_active((uv_handle_t *)&observations->settling)) {
		observations_wait(observations, wait);
		return;
	}
	wait->next = observations->unsettled;
	observations->unsettled = wait;
}

void observations_settle_stop(struct observations *observations)
{
	uv_close((uv_handle_t *)&observations->settling, NULL);
	end_settling(observations);
}
