/* SPDX-License-Identifier: Apache-2.0 */
/* Placement: the device that runs a launch fastest, for each of many launches. */
#include "daemon/services/service.h"

#include "daemon/codec/prediction_codec.h"
#include "daemon/services/sourceless.h"

#include <stdlib.h>

enum { PLACE_MAX = 1024, PLACE_DEVICES_MAX = 64 };

/* Of one request, in the session's arena. One step asks one device about one launch. */
struct placing {
	size_t devices[PLACE_DEVICES_MAX];
	size_t device_count;
	uint64_t generation; /* of the registry that the devices are of */
	size_t next_device;
	double best_time_s;   /* of the launch at hand */
	bool is_unregistered; /* for one of the devices: the launch at hand has no place yet */
	struct error error;   /* of the last device that could not be asked */
	Predictd__Placement **placements;
};

static double total_time_s(const struct prediction *prediction)
{
	return prediction->h2d_time_s + prediction->launch_time_s + prediction->kernel_time_s +
	       prediction->d2h_time_s;
}

static enum status find_devices(const struct daemon *daemon, const Predictd__Place *place,
                                struct placing *placing, struct error *error)
{
	const struct registry *registry = &daemon->registry;
	bool is_coming = false;
	placing->generation = registry->generation;
	placing->device_count = 0;
	for (size_t i = 0; i < place->n_devices; i++) {
		size_t index;
		enum status status = registry_find(registry, place->devices[i], &index, error);
		if (status != STATUS_OK)
			return status;
		/* one that is away is never chosen; where every one is, the last one says so */
		if (registry_check_present(registry, index, "place", error) == STATUS_OK)
			placing->devices[placing->device_count++] = index;
	}
	if (place->n_devices > 0)
		return placing->device_count > 0 ? STATUS_OK : STATUS_NOT_FOUND;
	for (size_t i = 0; i < registry->count && placing->device_count < PLACE_DEVICES_MAX; i++) {
		is_coming |= recalibrating_is_coming(&daemon->recalibrating, i);
		if (registry->devices[i]->is_present && registry->devices[i]->device.is_calibrated)
			placing->devices[placing->device_count++] = i;
	}
	if (placing->device_count == 0 && is_coming)
		return error_set(error, STATUS_UNCALIBRATED,
		                 "no device on this node is calibrated yet, and will be once the "
		                 "node is quiet: \"predictctl waitsync\" waits for it");
	if (placing->device_count == 0)
		return error_set(error, STATUS_UNCALIBRATED,
		                 "no device on this node is calibrated: type \"predictctl "
		                 "calibrate\"");
	return STATUS_OK;
}

/* Asks one device; keeps its answer if it is the fastest so far. False: the arena is full. */
static bool ask(struct session *session, const Predictd__Predict *question, struct placing *placing,
                size_t device, Predictd__Placement *placement)
{
	const struct registry_device *entry = session->daemon->registry.devices[device];
	const struct ir_kernel *kernel;
	Predictd__Prediction *answer = NULL;
	struct sourceless_refusal refusal;
	struct error error;
	bool has_source = !sourceless_is_meant(question->handle);
	enum status status = has_source ? predict_one(session, question, device, &kernel, &error)
	                                : sourceless_predict(session, question, entry->device.key,
	                                                     &answer, &refusal, &error);
	if (status != STATUS_OK) {
		/* no choice is made while one that may be the best has not been asked */
		placing->is_unregistered |= status == STATUS_UNREGISTERED;
		if (status == STATUS_UNREGISTERED || !placing->is_unregistered) {
			placing->error = error;
			placing->error.status = status;
		}
		return true;
	}
	double time_s =
	        has_source ? total_time_s(&session->daemon->prediction) : answer->kernel_time_s;
	if (placement->prediction != NULL && time_s >= placing->best_time_s)
		return true;
	placing->best_time_s = time_s;
	placement->prediction =
	        has_source ? predict_encode(session, question, device, kernel) : answer;
	if (placement->prediction == NULL)
		return false;
	placement->index = entry->index;
	placement->device = arena_text(&session->arena, entry->device.name);
	placement->device_key = placement->prediction->device->key;
	return placement->device != NULL;
}

/* A scan or a calibration between two steps: the places are of other devices now. */
static enum status start_over(const struct daemon *daemon, struct work *work, struct error *error)
{
	const Predictd__Place *place = work->message->place;
	struct placing *placing = work->data;
	for (size_t i = 0; i <= work->position && i < place->n_launches; i++)
		predictd__placement__init(placing->placements[i]);
	placing->next_device = 0;
	placing->is_unregistered = false;
	work->position = 0;
	return find_devices(daemon, place, placing, error);
}

static bool step_place(struct session *session, struct work *work)
{
	Predictd__Place *place = work->message->place;
	struct placing *placing = work->data;
	const struct registry *registry = &session->daemon->registry;
	if (placing->generation != registry->generation) {
		struct error error;
		if (start_over(session->daemon, work, &error) != STATUS_OK) {
			session_reply_error(session, work->message->id, &error);
			return true;
		}
	}
	if (work->position < place->n_launches) {
		Predictd__Placement *placement = placing->placements[work->position];
		bool fits = ask(session, place->launches[work->position], placing,
		                placing->devices[placing->next_device], placement);
		if (evaluation_is_awaited(session->evaluation))
			return false;
		if (fits && ++placing->next_device == placing->device_count) {
			if (placing->is_unregistered)
				placement->prediction = NULL;
			if (placement->prediction == NULL) {
				placement->error = error_encode(&placing->error, &session->arena);
				fits = placement->error != NULL;
			}
			placing->next_device = 0;
			placing->is_unregistered = false;
			work->position++;
		}
		if (fits)
			return false;
		struct error error;
		error_set(&error, STATUS_LIMIT, "the answer is too large: ask for less");
		session_reply_error(session, work->message->id, &error);
		return true;
	}
	Predictd__PlaceReply reply = PREDICTD__PLACE_REPLY__INIT;
	Predictd__Response response = PREDICTD__RESPONSE__INIT;
	reply.placements = placing->placements;
	reply.n_placements = place->n_launches;
	response.body_case = PREDICTD__RESPONSE__BODY_PLACE;
	response.place = &reply;
	session_reply(session, work->message->id, &response);
	return true;
}

enum status service_place(struct session *session, struct work *work, struct error *error)
{
	const Predictd__Place *place = work->message->place;
	size_t count = place->n_launches;
	if (count > PLACE_MAX)
		return error_set(error, STATUS_LIMIT, "place: want at most %d launches, got %zu",
		                 PLACE_MAX, count);
	if (place->n_devices > PLACE_DEVICES_MAX)
		return error_set(error, STATUS_LIMIT, "place: want at most %d devices, got %zu",
		                 PLACE_DEVICES_MAX, place->n_devices);
	struct placing *placing = arena_allocate(&session->arena, sizeof *placing);
	Predictd__Placement *placements =
	        arena_allocate(&session->arena, (count + 1) * sizeof *placements);
	if (placing == NULL || placements == NULL)
		return error_set(error, STATUS_NO_MEMORY, "place: no memory");
	enum status status = find_devices(session->daemon, place, placing, error);
	if (status != STATUS_OK)
		return status;
	placing->placements =
	        arena_allocate(&session->arena, (count + 1) * sizeof(*placing->placements));
	if (placing->placements == NULL)
		return error_set(error, STATUS_NO_MEMORY, "place: no memory");
	for (size_t i = 0; i < count; i++) {
		predictd__placement__init(&placements[i]);
		placing->placements[i] = &placements[i];
	}
	work->data = placing;
	work->step = step_place;
	return STATUS_OK;
}
