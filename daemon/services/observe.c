/* SPDX-License-Identifier: Apache-2.0 */
/* Observing: measured times taken into account one by one, and acknowledged when they are kept. */
#include "daemon/services/service.h"

#include "daemon/codec/prediction_codec.h"
#include "daemon/services/sourceless.h"
#include "proto/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	OBSERVE_MAX = 1024,
	CLOCK_SKEW_S = 60,
	REFUSED_BYTES_MAX = 16 << 20, /* of refusals that wait, of all clients */
	NAMES_MAX = 16                /* devices of one request that its reply names */
};

static const double time_min_s = 1e-9, time_max_s = 1e6;

/* One that was refused. */
struct refused {
	size_t index;
	struct error error;
};

/* Devices that were observed, each once. */
struct observed_devices {
	size_t count;
	struct registry_index names[NAMES_MAX];
};

/* Of one request, in the session's arena. */
struct observing {
	struct observed_devices devices;
	int64_t now_s;
	uint32_t kept;
	size_t refused_count;
	struct refused *refused; /* room for all, once there is one */
};

/* An acknowledgement that waits for the store. */
struct acknowledging {
	struct save_wait wait;
	struct observed_devices devices;
	struct request request;
	struct observations *observations;
	uint32_t kept;
	size_t count, refused_count, waiting_bytes;
	struct refused *refused;
	char problem[256]; /* why nothing is kept, or empty */
};

static void devices_add(struct observed_devices *devices, const struct registry_index *name)
{
	for (size_t i = 0; i < devices->count; i++)
		if (devices->names[i].index == name->index)
			return;
	/* of a key of the user's choice there is no index to be told */
	if (devices->count < NAMES_MAX && name->index != SOURCELESS_NO_INDEX)
		devices->names[devices->count++] = *name;
}

/* ---- one observation ----------------------------------------------------------------------- */

static enum status check_time(const char *what, double time_s, struct error *error)
{
	if (!(time_s >= time_min_s && time_s <= time_max_s))
		return error_set(error, STATUS_INVALID, "%s: want %g to %g s, got %g", what,
		                 time_min_s, time_max_s, time_s);
	return STATUS_OK;
}

static enum status check_other_time(const char *what, double time_s, struct error *error)
{
	if (!(time_s >= 0 && time_s <= time_max_s))
		return error_set(error, STATUS_INVALID, "%s: want 0 to %g s, got %g", what,
		                 time_max_s, time_s);
	return STATUS_OK;
}

static enum status check(const Predictd__Observation *message, int64_t now_s, struct error *error)
{
	double kernel_s = message->kernel_time_s, task_s = message->task_time_s;
	enum status status = STATUS_OK;
	if (kernel_s != 0 || task_s == 0)
		status = check_time("kernel time", kernel_s, error);
	if (status == STATUS_OK && task_s != 0)
		status = check_time("task time", task_s, error);
	if (status != STATUS_OK)
		return status;
	if ((message->flags & ~(uint32_t)CORRECTION_FLAGS) != 0)
		return error_set(error, STATUS_INVALID, "flags: want at most %d, got %u",
		                 CORRECTION_FLAGS, message->flags);
	if (message->measured_at_s < 0 || message->measured_at_s > now_s + CLOCK_SKEW_S)
		return error_set(error, STATUS_INVALID,
		                 "measured at: want 0 (now) or a time past, got %lld",
		                 (long long)message->measured_at_s);
	status = check_other_time("transfer to the device", message->h2d_time_s, error);
	if (status == STATUS_OK)
		status = check_other_time("transfer back", message->d2h_time_s, error);
	if (status == STATUS_OK)
		status = check_other_time("launch time", message->launch_time_s, error);
	return status;
}

/* The static answer for daemon->launch, remembered or made now. */
static enum status answer_statically(struct session *session, const struct program *program,
                                     const struct ir_kernel *kernel, size_t device,
                                     const struct observed *observed,
                                     const struct static_slot **slot, struct error *error)
{
	struct daemon *daemon = session->daemon;
	struct observations *observations = &daemon->observations;
	*slot = observations_static(observations, observed->device, observed->kernel);
	if (session->evaluation == NULL) /* not once more for one whose prediction was awaited */
		metrics_look_up(&daemon->metrics, METRICS_CACHE_OBSERVED, *slot != NULL);
	if (*slot != NULL)
		return STATUS_OK;
	const struct prediction_options options = {.model = MODEL_DEFAULT,
	                                           .with_transfers = true,
	                                           .budget = daemon->config.evaluation_budget};
	enum status status = evaluations_predict(&daemon->evaluations, session, program, kernel,
	                                         device, &options, false, error);
	if (status == STATUS_OK)
		*slot = observations_describe(observations, observed->device, observed->kernel);
	return status;
}

static enum status observe_one(struct session *session, const Predictd__Observation *message,
                               struct observing *observing, struct error *error)
{
	struct daemon *daemon = session->daemon;
	const struct ir_kernel *kernel = NULL;
	const struct static_slot *slot = NULL;
	struct observed observed = {
	        .user = session->user,
	        .time_s = {[CORRECTION_OF_KERNEL] = message->kernel_time_s,
	                   [CORRECTION_OF_TASK] = message->task_time_s},
	        .overhead_s = {[CORRECTION_LAUNCH] = message->launch_time_s,
	                       [CORRECTION_H2D] = message->h2d_time_s,
	                       [CORRECTION_D2H] = message->d2h_time_s},
	        .flags = message->flags,
	        .measured_at_s =
	                message->measured_at_s > 0 ? message->measured_at_s : observing->now_s,
	};
	size_t index = 0;
	enum status status = STATUS_OK;
	/* not once more for one whose prediction was awaited */
	if (session->evaluation == NULL)
		status = observations_count(&daemon->observations, session->user, error);
	if (status == STATUS_OK)
		status = check(message, observing->now_s, error);
	if (status == STATUS_OK && sourceless_is_meant(message->handle)) {
		struct registry_index name;
		status = sourceless_observe(session, message, &observed, &name, error);
		if (status == STATUS_OK)
			devices_add(&observing->devices, &name);
		return status;
	}
	if (status == STATUS_OK)
		status = registry_find(&daemon->registry, message->device, &index, error);
	if (status == STATUS_OK)
		status = service_check_calibrated(daemon, index, error);
	if (status != STATUS_OK)
		return status;
	const struct program *program = NULL;
	status = predict_program(session->daemon, message->handle, index, &program, error);
	if (status == STATUS_OK)
		status = program_find_kernel(program, message->kernel, &kernel, error);
	if (status == STATUS_OK)
		status = service_launch(session, message->launch, error);
	if (status != STATUS_OK)
		return status;
	const struct registry_device *device = daemon->registry.devices[index];
	struct registry_index name = {.index = device->index};
	memcpy(name.key, device->device.key, sizeof name.key);
	devices_add(&observing->devices, &name);
	observed.device = device->hash;
	observed.epoch_device = device->index;
	observed.kernel = program_kernel_hash(program, kernel);
	observed.kernel_name = kernel->name;
	status = answer_statically(session, program, kernel, index, &observed, &slot, error);
	if (status == STATUS_OK)
		status = observations_take(&daemon->observations, &observed, slot, error);
	return status;
}

/* ---- the reply ----------------------------------------------------------------------------- */

/* An entry each when one was refused, else none; false when memory is short. */
static bool encode_entries(const struct acknowledging *acknowledging, Predictd__ObserveReply *reply,
                           struct arena *arena)
{
	size_t count = acknowledging->count;
	if (acknowledging->refused_count == 0)
		return true;
	reply->entries = arena_allocate(arena, count * sizeof(*reply->entries));
	Predictd__BatchEntry *entries = arena_allocate(arena, count * sizeof *entries);
	if (reply->entries == NULL || entries == NULL)
		return false;
	for (size_t i = 0; i < count; i++) {
		predictd__batch_entry__init(&entries[i]);
		reply->entries[i] = &entries[i];
	}
	for (size_t i = 0; i < acknowledging->refused_count; i++) {
		const struct refused *refused = &acknowledging->refused[i];
		Predictd__BatchEntry *entry = &entries[refused->index];
		entry->error = error_encode(&refused->error, arena);
		if (entry->error == NULL)
			return false;
		entry->result_case = PREDICTD__BATCH_ENTRY__RESULT_ERROR;
	}
	reply->n_entries = count;
	return true;
}

static void acknowledging_free(struct acknowledging *acknowledging)
{
	acknowledging->observations->refused_bytes -= acknowledging->waiting_bytes;
	free(acknowledging->refused);
	free(acknowledging);
}

static struct acknowledging *of_request(struct request *request)
{
	return (struct acknowledging *)((char *)request - offsetof(struct acknowledging, request));
}

static void on_left(struct request *request, bool has_left)
{
	(void)has_left;
	acknowledging_free(of_request(request));
}

static bool step_acknowledge(struct session *session, struct work *work)
{
	struct acknowledging *acknowledging = of_request(work->data);
	Predictd__ObserveReply reply = PREDICTD__OBSERVE_REPLY__INIT;
	Predictd__Response response = PREDICTD__RESPONSE__INIT;
	Predictd__DeviceName names[NAMES_MAX], *list[NAMES_MAX];
	struct error error;
	(void)request_take(&acknowledging->request);
	if (acknowledging->problem[0] == '\0')
		reply.kept = acknowledging->kept;
	reply.store_problem = acknowledging->problem;
	for (size_t i = 0; i < acknowledging->devices.count; i++) {
		predictd__device_name__init(&names[i]);
		names[i].index = acknowledging->devices.names[i].index;
		names[i].key = acknowledging->devices.names[i].key;
		list[i] = &names[i];
	}
	reply.devices = list;
	reply.n_devices = acknowledging->devices.count;
	response.body_case = PREDICTD__RESPONSE__BODY_OBSERVE;
	response.observe = &reply;
	if (encode_entries(acknowledging, &reply, &session->arena)) {
		session_reply(session, work->message->id, &response);
	} else {
		error_set(&error, STATUS_NO_MEMORY, "observe: no memory");
		session_reply_error(session, work->message->id, &error);
	}
	acknowledging_free(acknowledging);
	return true;
}

static void acknowledge(struct save_wait *wait, const char *problem)
{
	struct acknowledging *acknowledging = (struct acknowledging *)wait; /* its first member */
	if (problem != NULL)
		snprintf(acknowledging->problem, sizeof acknowledging->problem, "%s", problem);
	text_clean(acknowledging->problem);
	request_ready(&acknowledging->request, step_acknowledge, on_left);
}

/* Every one was taken or refused: the reply waits for the store. */
static enum status wait_for_store(struct session *session, struct work *work, struct error *error)
{
	const struct observing *observing = work->data;
	struct observations *observations = &session->daemon->observations;
	struct acknowledging *acknowledging = calloc(1, sizeof *acknowledging);
	if (acknowledging == NULL)
		return error_set(error, STATUS_NO_MEMORY, "observe: no memory");
	acknowledging->wait.done = acknowledge;
	acknowledging->observations = observations;
	acknowledging->kept = observing->kept;
	acknowledging->devices = observing->devices;
	acknowledging->count = work->message->observe->n_observations;
	acknowledging->refused_count = observing->refused_count;
	if (observing->refused_count > 0) {
		size_t size = observing->refused_count * sizeof *observing->refused;
		acknowledging->refused = malloc(size);
		if (acknowledging->refused == NULL) {
			free(acknowledging);
			return error_set(error, STATUS_NO_MEMORY, "observe: no memory");
		}
		memcpy(acknowledging->refused, observing->refused, size);
	}
	enum status status =
	        request_begin(&acknowledging->request, session, work->message->id, NULL, error);
	if (status != STATUS_OK) {
		free(acknowledging->refused);
		free(acknowledging);
		return status;
	}
	/* while the store is slow, refusals would gather without bound */
	size_t waiting_bytes = acknowledging->refused_count * sizeof *acknowledging->refused;
	if (waiting_bytes > REFUSED_BYTES_MAX - observations->refused_bytes) {
		acknowledge(&acknowledging->wait,
		            "too many refused observations wait for the store");
		return STATUS_OK;
	}
	acknowledging->waiting_bytes = waiting_bytes;
	observations->refused_bytes += waiting_bytes;
	observations_wait(observations, &acknowledging->wait);
	return STATUS_OK;
}

/* ---- the request --------------------------------------------------------------------------- */

/* False when memory is short: the request as a whole is refused. */
static bool add_refused(struct session *session, struct work *work, struct error *error)
{
	struct observing *observing = work->data;
	size_t room = work->message->observe->n_observations;
	metrics_refuse(&session->daemon->metrics, error->status);
	if (observing->refused == NULL)
		observing->refused =
		        arena_allocate(&session->arena, room * sizeof *observing->refused);
	if (observing->refused == NULL) {
		error_set(error, STATUS_NO_MEMORY, "observe: no memory");
		session_reply_error(session, work->message->id, error);
		return false;
	}
	observing->refused[observing->refused_count++] =
	        (struct refused){.index = work->position, .error = *error};
	return true;
}

static bool step_observe(struct session *session, struct work *work)
{
	const Predictd__Observe *observe = work->message->observe;
	struct observing *observing = work->data;
	struct error error = {.status = STATUS_OK};
	if (work->position < observe->n_observations) {
		enum status status = observe_one(session, observe->observations[work->position],
		                                 observing, &error);
		if (evaluation_is_awaited(session->evaluation))
			return false;
		if (status == STATUS_OK) {
			observing->kept++;
			session->daemon->metrics.observed++;
		} else if (!add_refused(session, work, &error)) {
			return true;
		}
		work->position++;
		return work->position == observe->n_observations && !observe->acknowledge;
	}
	if (wait_for_store(session, work, &error) != STATUS_OK)
		session_reply_error(session, work->message->id, &error);
	return true;
}

enum status service_observe(struct session *session, struct work *work, struct error *error)
{
	const Predictd__Observe *observe = work->message->observe;
	size_t count = observe->n_observations;
	if (count == 0 || count > OBSERVE_MAX)
		return error_set(error, STATUS_LIMIT, "observe: want 1 to %d observations, got %zu",
		                 OBSERVE_MAX, count);
	struct observing *observing = arena_allocate(&session->arena, sizeof *observing);
	if (observing == NULL)
		return error_set(error, STATUS_NO_MEMORY, "observe: no memory");
	observing->now_s = (int64_t)time(NULL);
	work->data = observing;
	work->step = step_observe;
	return STATUS_OK;
}
