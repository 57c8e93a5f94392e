/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A calibrator for tests: every run takes as many nanoseconds as the launch has
 * work-items. Kernel "crash" brings it down, "refuse" fails alone, "vanish" ends it in silence,
 * "hang" after it has said that the case took too long; "sleep" goes on until somebody ends it.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/status.h"
#include "proto/frame.h"
#include "proto/predictd.pb-c.h"

static void reply_error(uint32_t status, const char *text)
{
	Predictd__Error error = PREDICTD__ERROR__INIT;
	Predictd__CalibratorReply reply = PREDICTD__CALIBRATOR_REPLY__INIT;
	error.status = status;
	error.text = (char *)text;
	reply.body_case = PREDICTD__CALIBRATOR_REPLY__BODY_ERROR;
	reply.error = &error;
	(void)frame_write(STDOUT_FILENO, &reply.base);
}

static void list(void)
{
	Predictd__Device device = PREDICTD__DEVICE__INIT, lame = PREDICTD__DEVICE__INIT;
	Predictd__FoundDevice found = PREDICTD__FOUND_DEVICE__INIT,
	                      other = PREDICTD__FOUND_DEVICE__INIT;
	Predictd__FoundDevice *array[] = {&found, &other};
	Predictd__FoundDevices devices = PREDICTD__FOUND_DEVICES__INIT;
	Predictd__CalibratorReply reply = PREDICTD__CALIBRATOR_REPLY__INIT;
	device.name = (char *)"Testing 3000";
	lame.name = (char *)"Lame 1";
	lame.failure = (char *)"no context";
	found.device = &device;
	other.device = &lame;
	devices.devices = array;
	devices.n_devices = 2;
	reply.body_case = PREDICTD__CALIBRATOR_REPLY__BODY_DEVICES;
	reply.devices = &devices;
	(void)frame_write(STDOUT_FILENO, &reply.base);
}

static void measure(const Predictd__CalibratorMeasure *request)
{
	for (size_t i = 0; i < request->n_cases; i++) {
		const Predictd__MeasureCase *one = request->cases[i];
		Predictd__Measurement measurement = PREDICTD__MEASUREMENT__INIT;
		Predictd__Error error = PREDICTD__ERROR__INIT;
		Predictd__CalibratorReply reply = PREDICTD__CALIBRATOR_REPLY__INIT;
		if (strcmp(one->kernel, "crash") == 0)
			(void)raise(SIGKILL);
		if (strcmp(one->kernel, "sleep") == 0)
			(void)pause();
		if (strcmp(one->kernel, "vanish") == 0)
			exit(7);
		if (strcmp(one->kernel, "refuse") == 0) {
			error.status = 1;
			error.text = (char *)"too many arguments";
			measurement.error = &error;
		}
		if (strcmp(one->kernel, "hang") == 0) {
			error.status = STATUS_TIMEOUT;
			error.text = (char *)"the case took too long";
			measurement.error = &error;
		}
		measurement.index = (uint32_t)i;
		measurement.runs = one->runs_min;
		measurement.kernel_time_s = 1e-9 * (double)one->launch->global_items[0];
		reply.body_case = PREDICTD__CALIBRATOR_REPLY__BODY_MEASUREMENT;
		reply.measurement = &measurement;
		(void)frame_write(STDOUT_FILENO, &reply.base);
		if (strcmp(one->kernel, "hang") == 0)
			exit(3);
	}
}

int main(void)
{
	uint8_t *bytes;
	size_t size;
	if (frame_read(STDIN_FILENO, FRAME_BYTES_MAX, 10000, &bytes, &size) != 0)
		return 1;
	Predictd__CalibratorRequest *request =
	        predictd__calibrator_request__unpack(NULL, size, bytes);
	free(bytes);
	if (request == NULL)
		return 1;
	if (request->body_case == PREDICTD__CALIBRATOR_REQUEST__BODY_LIST)
		list();
	else if (request->body_case != PREDICTD__CALIBRATOR_REQUEST__BODY_MEASURE)
		reply_error(3, "not here");
	else if (strcmp(request->measure->device, "absent") == 0)
		reply_error(5, "no device 'absent'");
	else
		measure(request->measure);
	predictd__calibrator_request__free_unpacked(request, NULL);
	return 0;
}
