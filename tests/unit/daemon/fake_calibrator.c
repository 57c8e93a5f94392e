/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A calibrator that behaves as told by $FAKE_CALIBRATOR: "well", "crash",
 * "hang", "garbage", "none", "vanish", "slow" (to list), "escape" (an error with an
 * escape sequence). It stands in for drivers that do such things.
 */
#include "daemon/device_codec.h"
#include "proto/frame.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void fill(struct device *device, const char *name)
{
	memset(device, 0, sizeof *device);
	strcpy(device->platform, "Fake platform");
	strcpy(device->vendor, "Nobody");
	strcpy(device->name, name);
	strcpy(device->driver, "1.0");
	strcpy(device->version, "OpenCL 3.0");
	device->type = DEVICE_CPU;
	device->compute_units = 2;
	device->clock_mhz = 1000;
	device->max_group_items = 4096;
	for (int i = 0; i < 3; i++)
		device->max_item_sizes[i] = 4096;
	device->local_bytes = 1 << 16;
	device->global_bytes = 1 << 30;
	device->max_allocation_bytes = 1 << 28;
	device->has_double = true;
	device->allows_uneven_groups = true;
}

static void list(void)
{
	static const char *const names[] = {"Fake alpha", "Fake beta"};
	Predictd__FoundDevice found[2], *pointers[2] = {&found[0], &found[1]};
	Predictd__FoundDevices devices = PREDICTD__FOUND_DEVICES__INIT;
	Predictd__CalibratorReply reply = PREDICTD__CALIBRATOR_REPLY__INIT;
	static struct device device;
	for (unsigned i = 0; i < 2; i++) {
		predictd__found_device__init(&found[i]);
		fill(&device, names[i]);
		found[i].device_index = i;
		found[i].device = device_encode(&device, false);
	}
	devices.devices = pointers;
	devices.n_devices = strcmp(getenv("FAKE_CALIBRATOR"), "none") == 0 ? 0 : 2;
	reply.body_case = PREDICTD__CALIBRATOR_REPLY__BODY_DEVICES;
	reply.devices = &devices;
	frame_write(STDOUT_FILENO, &reply.base);
}

static void progress(double share)
{
	Predictd__Progress progress = PREDICTD__PROGRESS__INIT;
	Predictd__CalibratorReply reply = PREDICTD__CALIBRATOR_REPLY__INIT;
	progress.progress = share;
	progress.stage = "pretending";
	reply.body_case = PREDICTD__CALIBRATOR_REPLY__BODY_PROGRESS;
	reply.progress = &progress;
	frame_write(STDOUT_FILENO, &reply.base);
}

static void calibrate(const Predictd__CalibratorCalibrate *request)
{
	Predictd__CalibratorReply reply = PREDICTD__CALIBRATOR_REPLY__INIT;
	static struct device device;
	fill(&device, request->device_index == 0 ? "Fake alpha" : "Fake beta");
	device.duration_s = 0.5;
	device.coefficient[COEFFICIENT_LAUNCH_BASE] = (struct coefficient){1e-5, 0.01, true};
	device.coefficient[COEFFICIENT_LAUNCH_ENQUEUE] = (struct coefficient){2e-5, 0.01, true};
	progress(0.5);
	reply.body_case = PREDICTD__CALIBRATOR_REPLY__BODY_RESULT;
	reply.result = device_encode(&device, true);
	frame_write(STDOUT_FILENO, &reply.base);
}

int main(void)
{
	const char *behaviour = getenv("FAKE_CALIBRATOR");
	uint8_t *bytes;
	size_t size;
	if (behaviour == NULL || frame_read(STDIN_FILENO, 1 << 20, -1, &bytes, &size) != 0)
		return 1;
	Predictd__CalibratorRequest *request =
	        predictd__calibrator_request__unpack(NULL, size, bytes);
	if (request == NULL)
		return 1;
	if (request->body_case == PREDICTD__CALIBRATOR_REQUEST__BODY_LIST) {
		if (strcmp(behaviour, "vanish") == 0)
			raise(SIGKILL);
		if (strcmp(behaviour, "slow") == 0)
			pause();
		list();
		_exit(0); /* what it leaks is no business of a leak checker */
	}
	if (strcmp(behaviour, "crash") == 0) {
		progress(0.1);
		raise(SIGKILL); /* as a crash, without a core file */
	} else if (strcmp(behaviour, "hang") == 0) {
		progress(0.1);
		for (;;)
			pause();
	} else if (strcmp(behaviour, "escape") == 0) {
		Predictd__Error error = PREDICTD__ERROR__INIT;
		Predictd__CalibratorReply reply = PREDICTD__CALIBRATOR_REPLY__INIT;
		error.status = STATUS_DEVICE;
		error.text = "\033[31mred\r\n";
		reply.body_case = PREDICTD__CALIBRATOR_REPLY__BODY_ERROR;
		reply.error = &error;
		frame_write(STDOUT_FILENO, &reply.base);
	} else if (strcmp(behaviour, "garbage") == 0) {
		(void)!write(STDOUT_FILENO, "\x04\0\0\0\xff\xff\xff\xff", 8);
	} else {
		calibrate(request->calibrate);
	}
	_exit(0);
}
