/* SPDX-License-Identifier: Apache-2.0 */
/* Taking a device's calibrations away: from the store first, then from what serves. */
#include "daemon/services/service.h"

#include "daemon/log.h"

#include <stdlib.h>
#include <string.h>

struct removing {
	struct store_job job;
	struct request request;
	struct daemon *daemon;
	struct registry_device device; /* as it was when it was named */
	size_t count, key_count;       /* calibrations; with the device's own key behind theirs */
	char (*keys)[DEVICE_KEY_MAX];  /* of the calibrations that served it */
	struct error error;
};

static void removing_free(struct removing *removing)
{
	free(removing->keys);
	free(removing);
}

static void on_run(struct store_job *job, struct store **store)
{
	struct removing *removing = (struct removing *)job; /* its first member */
	struct error *error = &removing->error;
	if (*store == NULL)
		error_set(error, STATUS_IO, "remove: the store is not open");
	else
		error->status = store_remove_calibrations(
		        *store, (const char(*)[DEVICE_KEY_MAX])removing->keys, removing->key_count,
		        error);
}

/* Nothing could name the observations of a device that has left the list. */
static uint64_t forget_gone(struct removing *removing)
{
	struct registry *registry = &removing->daemon->registry;
	const struct correction_scope scope = {.has_device = true, .device = removing->device.hash};
	for (size_t i = 0; i < registry->count; i++)
		if (registry->devices[i]->hash == removing->device.hash)
			return 0;
	return observations_forget(&removing->daemon->observations, &scope);
}

static void on_removed(struct store_job *job)
{
	struct removing *removing = (struct removing *)job;
	struct registry *registry = &removing->daemon->registry;
	struct error *error = &removing->error;
	for (size_t i = 0; i < removing->key_count && error->status == STATUS_OK; i++) {
		error->status = registry_drop(registry, removing->keys[i], error);
		if (error->status == STATUS_OK)
			pairs_drop(&removing->daemon->pairs, removing->keys[i]);
	}
	if (error->status == STATUS_OK)
		recalibrating_leave(&removing->daemon->recalibrating, removing->device.hash);
	if (error->status != STATUS_OK) {
		request_finish_error(&removing->request, error);
	} else {
		Predictd__RemoveCalibrationReply reply = PREDICTD__REMOVE_CALIBRATION_REPLY__INIT;
		Predictd__DeviceName name = PREDICTD__DEVICE_NAME__INIT;
		Predictd__Response response = PREDICTD__RESPONSE__INIT;
		reply.removed = (uint32_t)removing->count;
		reply.forgotten = forget_gone(removing);
		log_write(LOG_CALIBRATION_REMOVED,
		          LOG_TEXT_FIELD("device", removing->device.device.name),
		          LOG_TEXT_FIELD("key", removing->device.device.key),
		          LOG_NUMBER_FIELD("count", removing->count));
		service_name(&removing->device, &name);
		reply.device = &name;
		response.body_case = PREDICTD__RESPONSE__BODY_REMOVE_CALIBRATION;
		response.remove_calibration = &reply;
		request_finish(&removing->request, &response);
	}
	removing_free(removing);
}

static enum status collect(struct removing *removing, size_t place, struct error *error)
{
	const struct registry *registry = &removing->daemon->registry;
	removing->keys = calloc(registry->kept_count + 1, sizeof *removing->keys);
	if (removing->keys == NULL)
		return error_set(error, STATUS_NO_MEMORY, "remove: no memory");
	for (size_t i = 0; i < registry->kept_count; i++)
		if (registry_serves(registry, registry->kept[i], place))
			memcpy(removing->keys[removing->count++], registry->kept[i]->key,
			       sizeof removing->keys[0]);
	if (removing->count == 0)
		return error_set(error, STATUS_NOT_FOUND,
		                 "remove: device %u \"%.100s\" has no calibration",
		                 removing->device.index, removing->device.device.name);
	/* its pairs are of that key, whatever calibration serves it */
	removing->key_count = removing->count + 1;
	memcpy(removing->keys[removing->count], removing->device.device.key,
	       sizeof removing->keys[0]);
	return STATUS_OK;
}

enum status service_remove_calibration(struct session *session, struct work *work,
                                       struct error *error)
{
	struct daemon *daemon = session->daemon;
	const char *device = work->message->remove_calibration->device;
	size_t place;
	if (!session_is_admin(session))
		return error_set(error, STATUS_DENIED,
		                 "remove needs root, the daemon's own user, or a member of the "
		                 "admin group");
	if (device[0] == '\0')
		return error_set(error, STATUS_INVALID, "remove: want a device");
	enum status status = registry_find(&daemon->registry, device, &place, error);
	if (status != STATUS_OK)
		return status;
	struct removing *removing = calloc(1, sizeof *removing);
	if (removing == NULL)
		return error_set(error, STATUS_NO_MEMORY, "remove: no memory");
	removing->daemon = daemon;
	removing->device = *daemon->registry.devices[place];
	removing->job = (struct store_job){.run = on_run, .done = on_removed};
	status = collect(removing, place, error);
	if (status == STATUS_OK)
		status = request_begin(&removing->request, session, work->message->id, NULL, error);
	if (status != STATUS_OK) {
		removing_free(removing);
		return status;
	}
	store_worker_add(&daemon->persistence.worker, &removing->job);
	return STATUS_OK;
}
