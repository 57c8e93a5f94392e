/* SPDX-License-Identifier: Apache-2.0 */
/* Calibrating a device, with progress; cancelling. */
#include "daemon/services/service.h"

#include "daemon/codec/device_codec.h"
#include "daemon/codec/pair_codec.h"

#include <stdlib.h>

struct calibrating {
	struct request request;
	struct daemon *daemon;
	struct calibration_job *job;
};

static void on_progress(void *data, const Predictd__Progress *progress)
{
	struct calibrating *calibrating = data;
	Predictd__CalibrateReply reply = PREDICTD__CALIBRATE_REPLY__INIT;
	Predictd__Response response = PREDICTD__RESPONSE__INIT;
	reply.progress = progress->progress;
	reply.left_s = progress->left_s;
	reply.stage = progress->stage;
	response.body_case = PREDICTD__RESPONSE__BODY_CALIBRATE;
	response.calibrate = &reply;
	request_progress(&calibrating->request, &response);
}

/* The device as `devices` shows it: the registry has it by now. */
static Predictd__Device *describe(const struct daemon *daemon, const struct device *device)
{
	for (size_t i = 0; i < daemon->registry.count; i++)
		if (daemon->registry.devices[i]->device.epoch == device->epoch)
			return service_device(daemon, i, true);
	return device_encode(device, true);
}

static void on_done(void *data, const struct device *device, const struct error *why)
{
	struct calibrating *calibrating = data;
	if (device == NULL) {
		request_finish_error(&calibrating->request, why);
	} else {
		struct error error;
		Predictd__CalibrateReply reply = PREDICTD__CALIBRATE_REPLY__INIT;
		Predictd__Response response = PREDICTD__RESPONSE__INIT;
		reply.progress = 1;
		reply.device = describe(calibrating->daemon, device);
		response.body_case = PREDICTD__RESPONSE__BODY_CALIBRATE;
		response.calibrate = &reply;
		if (reply.device != NULL) {
			request_finish(&calibrating->request, &response);
			predictd__device__free_unpacked(reply.device, NULL);
		} else {
			error_set(&error, STATUS_NO_MEMORY, "calibrate: no memory");
			request_finish_error(&calibrating->request, &error);
		}
	}
	free(calibrating);
}

static void on_pair(void *data, const struct contention *pair)
{
	struct calibrating *calibrating = data;
	Predictd__Pair message;
	Predictd__CalibrateReply reply = PREDICTD__CALIBRATE_REPLY__INIT;
	Predictd__Response response = PREDICTD__RESPONSE__INIT;
	pair_encode(pair, &message);
	reply.progress = 1;
	reply.pair = &message;
	response.body_case = PREDICTD__RESPONSE__BODY_CALIBRATE;
	response.calibrate = &reply;
	request_finish(&calibrating->request, &response);
	free(calibrating);
}

static void on_abandoned(struct request *request, bool has_left)
{
	struct calibrating *calibrating = (struct calibrating *)request; /* its first member */
	calibration_cancel(&calibrating->daemon->calibration, calibrating->job,
	                   has_left ? "calibrate: the client has left" : "calibrate: cancelled");
}

enum status service_calibrate(struct session *session, struct work *work, struct error *error)
{
	static const struct calibration_events events = {on_progress, on_done, on_pair};
	struct daemon *daemon = session->daemon;
	const Predictd__Calibrate *question = work->message->calibrate;
	size_t index, other = 0;
	bool is_pair = question->other[0] != '\0';
	if (!session_is_admin(session))
		return error_set(error, STATUS_DENIED,
		                 "calibrate needs root, the daemon's own user, or a member of the "
		                 "admin group");
	enum status status = registry_find(&daemon->registry, question->device, &index, error);
	if (status != STATUS_OK)
		return status;
	status = registry_check_present(&daemon->registry, index, "calibrate", error);
	if (status == STATUS_OK && is_pair)
		status = registry_find(&daemon->registry, question->other, &other, error);
	if (status == STATUS_OK && is_pair)
		status = registry_check_present(&daemon->registry, other, "calibrate", error);
	if (status != STATUS_OK)
		return status;
	struct calibrating *calibrating = calloc(1, sizeof *calibrating);
	if (calibrating == NULL)
		return error_set(error, STATUS_NO_MEMORY, "calibrate: no memory");
	calibrating->daemon = daemon;
	status = request_begin(&calibrating->request, session, work->message->id, on_abandoned,
	                       error);
	if (status == STATUS_OK && is_pair)
		status = calibration_start_pair(&daemon->calibration, index, other, &events,
		                                calibrating, &calibrating->job, error);
	else if (status == STATUS_OK)
		status = calibration_start(&daemon->calibration, index, question->quick,
		                           CALIBRATION_FOR_USER, &events, calibrating,
		                           &calibrating->job, error);
	if (status != STATUS_OK) {
		(void)request_take(&calibrating->request);
		free(calibrating);
	}
	return status;
}

enum status service_cancel(struct session *session, struct work *work, struct error *error)
{
	uint64_t id = work->message->cancel->id;
	struct request *request = request_find(session, id);
	Predictd__CancelReply reply = PREDICTD__CANCEL_REPLY__INIT;
	Predictd__Response response = PREDICTD__RESPONSE__INIT;
	if (request == NULL)
		return error_set(error, STATUS_NOT_FOUND,
		                 "cancel: no request %llu of this connection waits for its answer",
		                 (unsigned long long)id);
	if (request->on_abandoned == NULL || request->step != NULL)
		return error_set(error, STATUS_UNSUPPORTED,
		                 "cancel: request %llu cannot be ended any more: its answer comes",
		                 (unsigned long long)id);
	request->on_abandoned(request, false);
	response.body_case = PREDICTD__RESPONSE__BODY_CANCEL;
	response.cancel = &reply;
	session_reply(session, work->message->id, &response);
	return STATUS_OK;
}
