/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A calibrator that behaves as told by $FAKE_CALIBRATOR: "well", "crash",
 * "hang", "garbage", "long" (a reply), "none", "vanish", "slow" (to list), "unlisted" (an error
 * instead of a list), "blank" (a device without anything), "unasked" (no list) and "surprise"
 * (a list) where something else was asked,
 * "escape" (an error with an escape sequence), "nameless" (one without a status), "twice" (a result
 * after an error), "silent" (no result), "status" (of its own), "last" (crashes after its result),
 * "swapped" (lists its devices the other way round), "beta" (lists that one alone), "equal" (two of
 * one name), "busy" (others use the device, but while it is polite), "busier" (then most of all),
 * "patient" (and hangs then), "other" (calibrates another device), "broken" (finds a device of no
 * type), "spoken" (beta's compiler tells its language), "crossed" (answers a calibration with a
 * pair). It stands in for drivers that do such things.
 */
#include "daemon/codec/device_codec.h"
#include "daemon/codec/language.h"
#include "proto/frame.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A profile of a compiler that defines one macro. */
static void tell_version(struct device *device)
{
	Predictd__Language language = PREDICTD__LANGUAGE__INIT;
	Predictd__LanguageMacro macro = PREDICTD__LANGUAGE_MACRO__INIT, *macros = &macro;
	macro.name = "__OPENCL_VERSION__";
	macro.value = "300";
	language.origin = 1;
	language.macros = &macros;
	language.n_macros = 1;
	device->language_bytes = (uint32_t)predictd__language__pack(&language, device->language);
}

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
	if (strcmp(getenv("FAKE_CALIBRATOR"), "spoken") == 0 && strcmp(name, "Fake beta") == 0)
		tell_version(device);
}

static void list(void)
{
	static const char *const usual[] = {"Fake alpha", "Fake beta"},
	                         *const swapped[] = {"Fake beta", "Fake alpha"},
	                         *const equal[] = {"Fake alpha", "Fake alpha"};
	const char *behaviour = getenv("FAKE_CALIBRATOR");
	const char *const *names =
	        strcmp(behaviour, "swapped") == 0 || strcmp(behaviour, "beta") == 0 ? swapped
	        : strcmp(behaviour, "equal") == 0                                   ? equal
	                                                                            : usual;
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
	if (strcmp(behaviour, "blank") == 0)
		found[1].device = NULL;
	devices.devices = pointers;
	devices.n_devices = strcmp(behaviour, "none") == 0   ? 0
	                    : strcmp(behaviour, "beta") == 0 ? 1
	                                                     : 2;
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

/* A compiler that was asked, and two doubts. */
static void speak(struct device *device)
{
	static const struct language_macro macro = {"__OPENCL_C_VERSION__", "120"};
	static const struct language_standard standard = {"", false, &macro, 1};
	static const struct language_option option = {"-cl-fake", true};
	const struct language_answers answers = {.origin = LANGUAGE_ASKED,
	                                         .standards = &standard,
	                                         .standard_count = 1,
	                                         .options = &option,
	                                         .option_count = 1};
	struct error error;
	if (language_pack(&answers, device, &error) != STATUS_OK)
		exit(1);
	strcpy(device->doubts, "a way of 512 bytes\na launch of 8 us");
}

static void calibrate(const Predictd__CalibratorCalibrate *request)
{
	Predictd__CalibratorReply reply = PREDICTD__CALIBRATOR_REPLY__INIT;
	static struct device device;
	const bool is_other = strcmp(getenv("FAKE_CALIBRATOR"), "other") == 0;
	const bool is_broken = strcmp(getenv("FAKE_CALIBRATOR"), "broken") == 0;
	fill(&device, is_other ? "Fake gamma" : request->device->name);
	device.duration_s = 0.5;
	device.coefficient[COEFFICIENT_LAUNCH_BASE] = (struct coefficient){1e-5, 0.01, true};
	device.coefficient[COEFFICIENT_LAUNCH_ENQUEUE] = (struct coefficient){2e-5, 0.01, true};
	device.coefficient[COEFFICIENT_IDLE_1MS_BASE] = (struct coefficient){5e-5, 0.01, true};
	if (strncmp(getenv("FAKE_CALIBRATOR"), "bus", 3) == 0 ||
	    strcmp(getenv("FAKE_CALIBRATOR"), "patient") == 0) {
		const bool is_busier = strcmp(getenv("FAKE_CALIBRATOR"), "busier") == 0;
		device.was_busy = !request->is_polite || is_busier;
		device.coefficient[COEFFICIENT_OTHERS_SHARE] =
		        (struct coefficient){!request->is_polite ? 0.5
		                             : is_busier         ? 0.9
		                                                 : 0.01,
		                             0, true};
	}
	if (strcmp(getenv("FAKE_CALIBRATOR"), "speaks") == 0)
		speak(&device);
	progress(0.5);
	reply.body_case = PREDICTD__CALIBRATOR_REPLY__BODY_RESULT;
	reply.result = device_encode(&device, true);
	if (is_broken)
		reply.result->type = 99;
	frame_write(STDOUT_FILENO, &reply.base);
}

/* Everything takes one and a half times as long; of a broken one, half as long. */
static void pair(void)
{
	enum { FACTORS = 18 };
	Predictd__CalibratorReply reply = PREDICTD__CALIBRATOR_REPLY__INIT;
	Predictd__Pair message = PREDICTD__PAIR__INIT;
	double factors[FACTORS];
	for (int i = 0; i < FACTORS; i++)
		factors[i] = strcmp(getenv("FAKE_CALIBRATOR"), "broken") == 0 ? 0.5 : 1.5;
	message.slowdowns = factors;
	message.n_slowdowns = FACTORS;
	message.duration_s = 0.5;
	progress(0.5);
	reply.body_case = PREDICTD__CALIBRATOR_REPLY__BODY_PAIR;
	reply.pair = &message;
	frame_write(STDOUT_FILENO, &reply.base);
}

static void complain(enum status status, const char *text)
{
	Predictd__Error error = PREDICTD__ERROR__INIT;
	Predictd__CalibratorReply reply = PREDICTD__CALIBRATOR_REPLY__INIT;
	error.status = status;
	error.text = (char *)(uintptr_t)text;
	reply.body_case = PREDICTD__CALIBRATOR_REPLY__BODY_ERROR;
	reply.error = &error;
	frame_write(STDOUT_FILENO, &reply.base);
}

static bool is(const char *behaviour)
{
	return strcmp(getenv("FAKE_CALIBRATOR"), behaviour) == 0;
}

static void answer_list(void)
{
	if (is("vanish"))
		raise(SIGKILL);
	if (is("slow"))
		pause();
	if (is("unlisted"))
		complain(STATUS_DEVICE, "no driver is at home");
	else if (is("unasked"))
		progress(0.5);
	else
		list();
}

static void answer_calibrate(const Predictd__CalibratorCalibrate *request)
{
	if (is("crash")) {
		progress(0.1);
		raise(SIGKILL); /* as a crash, without a core file */
	} else if (is("hang") || (is("patient") && request != NULL && request->is_polite)) {
		progress(0.1);
		for (;;)
			pause();
	} else if (is("escape")) {
		complain(STATUS_DEVICE, "\033[31mred\r\n");
	} else if (is("nameless")) {
		complain(STATUS_OK, "something went wrong");
	} else if (is("twice")) {
		complain(STATUS_DEVICE, "the first word");
		calibrate(request);
	} else if (is("garbage")) {
		(void)!write(STDOUT_FILENO, "\x04\0\0\0\xff\xff\xff\xff", 8);
	} else if (is("long")) {
		(void)!write(STDOUT_FILENO, "\xff\xff\xff\x7f", 4);
	} else if (is("status")) {
		_exit(3);
	} else if (is("surprise")) {
		list();
	} else if (!is("silent") && (request == NULL || is("crossed"))) {
		pair();
	} else if (!is("silent")) {
		calibrate(request);
		if (is("last"))
			raise(SIGKILL);
	}
}

int main(void)
{
	uint8_t *bytes;
	size_t size;
	if (getenv("FAKE_CALIBRATOR") == NULL ||
	    frame_read(STDIN_FILENO, 1 << 20, -1, &bytes, &size) != 0)
		return 1;
	Predictd__CalibratorRequest *request =
	        predictd__calibrator_request__unpack(NULL, size, bytes);
	if (request == NULL)
		return 1;
	if (request->body_case == PREDICTD__CALIBRATOR_REQUEST__BODY_LIST)
		answer_list();
	else if (request->body_case == PREDICTD__CALIBRATOR_REQUEST__BODY_PAIR)
		answer_calibrate(NULL);
	else
		answer_calibrate(request->calibrate);
	_exit(0); /* what it leaks is no business of a leak checker */
}
