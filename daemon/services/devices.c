/* SPDX-License-Identifier: Apache-2.0 */
/* Devices: listing them, after a scan where the last one is old. */
#include "daemon/services/service.h"

#include "daemon/codec/device_codec.h"
#include "daemon/codec/language.h"
#include "proto/text.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

enum { SCAN_AGE_MAX_MS = 30000 };

struct devices_wait {
	struct request request;
	struct daemon *daemon;
	bool is_verbose;
	struct devices_wait *next, *prev;
};

Predictd__Device *service_device(const struct daemon *daemon, size_t index, bool is_verbose)
{
	const struct registry_device *entry = daemon->registry.devices[index];
	Predictd__Device *message = device_encode(&entry->device, is_verbose);
	if (message == NULL)
		return NULL;
	message->index = entry->index;
	message->is_present = entry->is_present;
	if (!language_tell(&entry->device, message))
		goto short_of_memory;
	if (entry->failure[0] != '\0') {
		char *failure = strdup(entry->failure);
		if (failure == NULL)
			goto short_of_memory;
		text_clean(failure); /* it may have been cut */
		message->failure = failure;
	}
	return message;
short_of_memory:
	predictd__device__free_unpacked(message, NULL);
	return NULL;
}

static void reply_devices(struct session *session, uint64_t id, bool is_verbose)
{
	const struct daemon *daemon = session->daemon;
	size_t count = daemon->registry.count;
	Predictd__DevicesReply reply = PREDICTD__DEVICES_REPLY__INIT;
	Predictd__Response response = PREDICTD__RESPONSE__INIT;
	struct error error;
	reply.devices = calloc(count + 1, sizeof(*reply.devices));
	if (reply.devices == NULL)
		goto short_of_memory;
	for (; reply.n_devices < count; reply.n_devices++) {
		Predictd__Device *device = service_device(daemon, reply.n_devices, is_verbose);
		if (device == NULL)
			goto short_of_memory;
		reply.devices[reply.n_devices] = device;
	}
	response.body_case = PREDICTD__RESPONSE__BODY_DEVICES;
	response.devices = &reply;
	session_reply(session, id, &response);
	goto out;
short_of_memory:
	error_set(&error, STATUS_NO_MEMORY, "devices: no memory");
	session_reply_error(session, id, &error);
out:
	for (size_t i = 0; i < reply.n_devices; i++)
		predictd__device__free_unpacked(reply.devices[i], NULL);
	free(reply.devices);
}

static bool step_ready(struct session *session, struct work *work)
{
	struct devices_wait *wait = work->data;
	bool is_verbose = wait->is_verbose;
	(void)request_take(&wait->request);
	free(wait);
	reply_devices(session, work->message->id, is_verbose);
	return true;
}

static void on_left(struct request *request, bool has_left)
{
	(void)has_left;
	free(request); /* the wait's first member */
}

void service_devices_known(struct daemon *daemon)
{
	while (daemon->device_waits != NULL) {
		struct devices_wait *wait = daemon->device_waits;
		DL_DELETE(daemon->device_waits, wait);
		request_ready(&wait->request, step_ready, on_left);
	}
}

static void on_abandoned(struct request *request, bool has_left)
{
	struct devices_wait *wait = (struct devices_wait *)request; /* its first member */
	struct error error;
	DL_DELETE(wait->daemon->device_waits, wait);
	error_set(&error, STATUS_CANCELLED, "devices: cancelled");
	if (!has_left)
		request_finish_error(request, &error);
	free(wait);
}

enum status service_list_devices(struct session *session, struct work *work, struct error *error)
{
	struct daemon *daemon = session->daemon;
	struct calibration *calibration = &daemon->calibration;
	bool is_verbose = work->message->list_devices->verbose;
	uint64_t age_ms = uv_now(&daemon->loop) - calibration->scanned_ms;
	/* devices come and go; while one is calibrated, nothing may disturb it */
	bool is_old = age_ms > SCAN_AGE_MAX_MS || daemon->registry.found_count == 0;
	if (is_old && calibration->run == NULL && age_ms > 1000)
		calibration_scan(calibration);
	if (!calibration_is_scanning(calibration)) {
		reply_devices(session, work->message->id, is_verbose);
		return STATUS_OK;
	}
	struct devices_wait *wait = calloc(1, sizeof *wait);
	if (wait == NULL)
		return error_set(error, STATUS_NO_MEMORY, "devices: no memory");
	enum status status =
	        request_begin(&wait->request, session, work->message->id, on_abandoned, error);
	if (status != STATUS_OK) {
		free(wait);
		return status;
	}
	wait->daemon = daemon;
	wait->is_verbose = is_verbose;
	DL_APPEND(daemon->device_waits, wait);
	return STATUS_OK;
}
