/* SPDX-License-Identifier: Apache-2.0 */
/* Frames to whoever started the calibrator. */
#include "daemon/calibrator/reply.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/calibrator/watchdog.h"
#include "daemon/codec/device_codec.h"
#include "daemon/codec/pair_codec.h"
#include "proto/frame.h"

static enum status send_reply(int fd, const Predictd__CalibratorReply *reply, struct error *error)
{
	int failure = frame_write(fd, &reply->base);
	if (failure != 0)
		return error_set(error, STATUS_IO, "standard output: %s", strerror(failure));
	return STATUS_OK;
}

/* The text is only borrowed while packing. */
static Predictd__Error error_message(const struct error *why)
{
	Predictd__Error message = PREDICTD__ERROR__INIT;
	message.status = (uint32_t)why->status;
	message.text = (char *)(uintptr_t)why->text;
	return message;
}

enum status reply_error(int fd, const struct error *why, struct error *error)
{
	Predictd__CalibratorReply reply = PREDICTD__CALIBRATOR_REPLY__INIT;
	Predictd__Error message = error_message(why);
	reply.body_case = PREDICTD__CALIBRATOR_REPLY__BODY_ERROR;
	reply.error = &message;
	return send_reply(fd, &reply, error);
}

enum status reply_devices(int fd, const struct found_devices *found, struct error *error)
{
	Predictd__CalibratorReply reply = PREDICTD__CALIBRATOR_REPLY__INIT;
	Predictd__FoundDevices list = PREDICTD__FOUND_DEVICES__INIT;
	Predictd__FoundDevice entries[FOUND_DEVICES_MAX];
	Predictd__FoundDevice *pointers[FOUND_DEVICES_MAX];
	enum status status = STATUS_OK;
	size_t made = 0;
	for (; made < found->count; made++) {
		const struct found_device *device = &found->devices[made];
		predictd__found_device__init(&entries[made]);
		entries[made].platform_index = device->platform_index;
		entries[made].device_index = device->device_index;
		/* with its language; no coefficient is known */
		entries[made].device = device_encode(&device->device, true);
		if (entries[made].device == NULL) {
			status = error_set(error, STATUS_NO_MEMORY,
			                   "the list of devices: out of memory");
			goto out;
		}
		entries[made].device->index = (uint32_t)made;
		entries[made].device->is_present = true;
		if (device->failure[0] != '\0')
			entries[made].device->failure = strdup(device->failure);
		pointers[made] = &entries[made];
	}
	list.n_devices = made;
	list.devices = pointers;
	reply.body_case = PREDICTD__CALIBRATOR_REPLY__BODY_DEVICES;
	reply.devices = &list;
	status = send_reply(fd, &reply, error);
out:
	for (size_t i = 0; i < made; i++)
		predictd__device__free_unpacked(entries[i].device, NULL);
	return status;
}

enum status reply_progress(int fd, double progress, double left_s, const char *stage,
                           struct error *error)
{
	Predictd__CalibratorReply reply = PREDICTD__CALIBRATOR_REPLY__INIT;
	Predictd__Progress message = PREDICTD__PROGRESS__INIT;
	message.progress = progress;
	message.left_s = left_s;
	message.stage = (char *)(uintptr_t)stage;
	reply.body_case = PREDICTD__CALIBRATOR_REPLY__BODY_PROGRESS;
	reply.progress = &message;
	return send_reply(fd, &reply, error);
}

enum status reply_result(int fd, const struct device *device, struct error *error)
{
	Predictd__CalibratorReply reply = PREDICTD__CALIBRATOR_REPLY__INIT;
	Predictd__Device *message = device_encode(device, true);
	if (message == NULL)
		return error_set(error, STATUS_NO_MEMORY, "the calibration: out of memory");
	message->is_present = true;
	reply.body_case = PREDICTD__CALIBRATOR_REPLY__BODY_RESULT;
	reply.result = message;
	enum status status = send_reply(fd, &reply, error);
	predictd__device__free_unpacked(message, NULL);
	return status;
}

enum status reply_pair(int fd, const struct contention *pair, struct error *error)
{
	Predictd__CalibratorReply reply = PREDICTD__CALIBRATOR_REPLY__INIT;
	Predictd__Pair message;
	pair_encode(pair, &message);
	reply.body_case = PREDICTD__CALIBRATOR_REPLY__BODY_PAIR;
	reply.pair = &message;
	return send_reply(fd, &reply, error);
}

enum status reply_measurement(int fd, Predictd__Measurement *measurement, struct error *error)
{
	Predictd__CalibratorReply reply = PREDICTD__CALIBRATOR_REPLY__INIT;
	reply.body_case = PREDICTD__CALIBRATOR_REPLY__BODY_MEASUREMENT;
	reply.measurement = measurement;
	return send_reply(fd, &reply, error);
}

void reply_watch(int fd, const char *sentence, int64_t case_index)
{
	Predictd__CalibratorReply reply = PREDICTD__CALIBRATOR_REPLY__INIT;
	Predictd__Measurement measurement = PREDICTD__MEASUREMENT__INIT;
	Predictd__Error message = PREDICTD__ERROR__INIT;
	uint8_t *bytes = NULL;
	size_t size = 0;
	message.status = STATUS_TIMEOUT;
	message.text = (char *)(uintptr_t)sentence;
	if (case_index >= 0) {
		measurement.index = (uint32_t)case_index;
		measurement.error = &message;
		reply.body_case = PREDICTD__CALIBRATOR_REPLY__BODY_MEASUREMENT;
		reply.measurement = &measurement;
	} else {
		reply.body_case = PREDICTD__CALIBRATOR_REPLY__BODY_ERROR;
		reply.error = &message;
	}
	if (frame_pack(&reply.base, &bytes, &size))
		watchdog_message(fd, bytes, size);
}
