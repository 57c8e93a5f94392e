/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels without source: questions and observations of them, as other services meet them. */
#include "daemon/services/sourceless.h"

#include "daemon/codec/launch_key.h"
#include "proto/device_key.h"
#include "proto/sourceless.h"
#include "proto/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The work of a launch, the product of its sizes: what records can be filed by. */
static const double WORK_MAX = 0x1p92;

bool sourceless_is_meant(uint64_t handle)
{
	return handle == SOURCELESS_HANDLE;
}

enum status sourceless_find_device(const struct registry *registry, const char *device,
                                   struct registry_index *name, struct error *error)
{
	size_t place;
	/* by its whole key, or by what only devices of the node are called */
	if (registry->count > 0 || !key_is_valid(device)) {
		struct error unknown;
		enum status status = registry_find(registry, device, &place, &unknown);
		if (status == STATUS_OK) {
			name->index = registry->devices[place]->index;
			memcpy(name->key, registry->devices[place]->device.key, sizeof name->key);
			return STATUS_OK;
		}
		if (!key_is_valid(device))
			return error_set(error, status,
			                 "%.180s; or a key of your own, such as \"cpu:0\"",
			                 unknown.text);
	}
	name->index = SOURCELESS_NO_INDEX;
	snprintf(name->key, sizeof name->key, "%s", device);
	return STATUS_OK;
}

enum status sourceless_find(const struct registry *registry, const char *name, const char *device,
                            struct sourceless *sourceless, struct registry_index *found,
                            struct error *error)
{
	size_t length = strlen(name);
	if (length == 0 || length >= SOURCELESS_NAME_MAX || text_clean_bytes(name) != length)
		return error_set(error, STATUS_INVALID,
		                 "kernel without source: want a name of 1 to %d bytes without "
		                 "control characters, got %zu bytes",
		                 SOURCELESS_NAME_MAX - 1, length);
	enum status status = sourceless_find_device(registry, device, found, error);
	if (status == STATUS_OK)
		sourceless_init(sourceless, name, found->key);
	return status;
}

/* A message's launch into daemon->launch, as far as there is anything to check. */
static enum status find_launch(struct session *session, const Predictd__Launch *message,
                               struct error *error)
{
	const struct launch *launch = &session->daemon->launch;
	enum status status = service_launch(session, message, error);
	double work = 1;
	for (uint32_t i = 0; i < launch->dimensions && status == STATUS_OK; i++) {
		work *= (double)launch->global[i];
		if (launch->global[i] == 0)
			status = error_set(error, STATUS_INVALID, "size %u: want 1 or more, got 0",
			                   i);
	}
	if (status == STATUS_OK && work > WORK_MAX)
		status = error_set(error, STATUS_INVALID,
		                   "sizes: want a product of at most 2^92, got %g", work);
	return status;
}

/* ---- predicting ---------------------------------------------------------------------------- */

/* Where one of both was never observed, it is taken for the other. */
static void fill(const struct sourceless_answer *answer, Predictd__Prediction *message)
{
	bool has_kernel = answer->is_known[CORRECTION_OF_KERNEL];
	bool has_task = answer->is_known[CORRECTION_OF_TASK];
	const struct correction_answer *kernel =
	        &answer->of[has_kernel ? CORRECTION_OF_KERNEL : CORRECTION_OF_TASK];
	const struct correction_answer *task =
	        &answer->of[has_task ? CORRECTION_OF_TASK : CORRECTION_OF_KERNEL];
	message->kernel_time_s = kernel->time_s;
	message->low_s = kernel->low_s;
	message->high_s = kernel->high_s;
	message->basis = kernel->basis;
	message->observation_count = has_kernel ? kernel->count : 0;
	message->task_time_s = task->time_s;
	message->task_low_s = task->low_s;
	message->task_high_s = task->high_s;
	message->task_observation_count = has_task ? task->count : 0;
}

static Predictd__Prediction *encode(struct session *session, const struct sourceless *sourceless,
                                    const struct registry_index *name,
                                    const struct sourceless_answer *answer)
{
	struct arena *arena = &session->arena;
	const struct daemon *daemon = session->daemon;
	Predictd__Prediction *message = arena_allocate(arena, sizeof *message);
	Predictd__DeviceName *device = arena_allocate(arena, sizeof *device);
	if (message == NULL || device == NULL)
		return NULL;
	predictd__prediction__init(message);
	predictd__device_name__init(device);
	message->bottleneck = BOTTLENECK_UNKNOWN;
	fill(answer, message);
	message->note = arena_text(arena, !answer->is_known[CORRECTION_OF_KERNEL]
	                                          ? "no source: by your observations of tasks"
	                                          : "no source: by your observations");
	device->index = name->index;
	device->key = arena_text(arena, name->key);
	message->device = device;
	if (daemon->epochs != NULL) {
		message->epoch_slot =
		        sourceless_epoch_slot(&daemon->observations, sourceless, session->user);
		message->epoch_value = epochs_value(daemon->epochs, message->epoch_slot);
	}
	return message->note != NULL && device->key != NULL ? message : NULL;
}

enum status sourceless_predict(struct session *session, const Predictd__Predict *question,
                               const char *device, Predictd__Prediction **message,
                               struct sourceless_refusal *refusal, struct error *error)
{
	struct daemon *daemon = session->daemon;
	struct sourceless sourceless;
	struct registry_index name;
	struct sourceless_answer answer;
	enum status status = sourceless_find(&daemon->registry, question->kernel, device,
	                                     &sourceless, &name, error);
	if (status == STATUS_OK)
		status = find_launch(session, question->launch, error);
	if (status != STATUS_OK)
		return status;
	sourceless_ask(&daemon->observations, &sourceless, session->user, &answer);
	if (question->static_only ||
	    (!answer.is_known[CORRECTION_OF_KERNEL] && !answer.is_known[CORRECTION_OF_TASK])) {
		*refusal = (struct sourceless_refusal){.is_unknown = true};
		if (daemon->epochs != NULL)
			refusal->epoch_slot = sourceless_epoch_slot(&daemon->observations,
			                                            &sourceless, session->user);
		return error_set(error, STATUS_NOT_FOUND,
		                 "unknown: kernel \"%.80s\" without source: %s on %s",
		                 sourceless.name,
		                 question->static_only ? "no model knows of it"
		                                       : "you have not observed it yet",
		                 name.key);
	}
	daemon->metrics.predictions++;
	*message = encode(session, &sourceless, &name, &answer);
	return *message != NULL
	               ? STATUS_OK
	               : error_set(error, STATUS_LIMIT, "the answer is too large: ask for less");
}

/* ---- observing ----------------------------------------------------------------------------- */

enum status sourceless_observe(struct session *session, const Predictd__Observation *message,
                               struct observed *observed, struct registry_index *name,
                               struct error *error)
{
	struct daemon *daemon = session->daemon;
	struct sourceless sourceless;
	enum status status = sourceless_find(&daemon->registry, message->kernel, message->device,
	                                     &sourceless, name, error);
	if (status == STATUS_OK)
		status = find_launch(session, message->launch, error);
	if (status == STATUS_OK)
		status = sourceless_take(&daemon->observations, &sourceless, observed, error);
	return status;
}
