/* SPDX-License-Identifier: Apache-2.0 */
/* What a schedule asks the daemon: devices, what copies take, and what tasks take. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "client/library/connection.h"
#include "client/library/error.h"
#include "client/library/estimate.h"
#include "client/library/schedule.h"

/* ---- tasks --------------------------------------------------------------------------------- */

enum { ASKED_MAX = 4096 };

/* Whether a refusal is about the device, else about asking. */
static bool is_inability(predictd_status status)
{
	switch (status) {
	case PREDICTD_INVALID:
	case PREDICTD_SYNTAX:
	case PREDICTD_UNSUPPORTED:
	case PREDICTD_LIMIT:
	case PREDICTD_NOT_FOUND:
	case PREDICTD_UNCALIBRATED:
	case PREDICTD_DEVICE:
		return true;
	default:
		return false;
	}
}

/* The daemon's sentence about a task that no device can run. */
static predictd_status refusal_say(const struct adding *adding, predictd_connection *connection,
                                   size_t index, const predictd_question *question)
{
	char name[96], text[400] = "";
	predictd_prediction *prediction = NULL;
	predictd_status status = predictd_predict(connection, question, &prediction);
	if (status == PREDICTD_OK)
		status = PREDICTD_UNSUPPORTED; /* it can, by now */
	else
		(void)strncat(text, predictd_error_text(), sizeof text - 1);
	predictd_predictions_free(prediction, 1);
	return error_keep(status, "%s: no device can run it: %s",
	                  adding_name(adding, adding->first + index, name), text);
}

/* Answers for tasks from `begin` on, `count` of which have questions, one a device. */
static predictd_status chunk_ask(struct adding *adding, predictd_connection *connection,
                                 size_t begin, size_t end, predictd_question *questions,
                                 predictd_estimate *estimates)
{
	const predictd_schedule *schedule = adding->schedule;
	size_t devices = schedule->device_count, asked = 0, at = 0;
	for (size_t i = begin; i < end; i++)
		for (size_t j = 0; j < devices && adding->tasks[i].question != NULL; j++) {
			questions[asked] = *adding->tasks[i].question;
			questions[asked].with_transfers = false;
			questions[asked++].device = schedule->devices[j].own.key;
		}
	/* a failure of one stands at its estimate */
	(void)estimates_get(connection, questions, asked, estimates);
	for (size_t i = begin; i < end; i++) {
		bool is_able = adding->tasks[i].question == NULL;
		if (is_able)
			continue;
		for (size_t j = 0; j < devices; j++, at++) {
			const predictd_estimate *estimate = &estimates[at];
			bool is_known = estimate->status == PREDICTD_OK;
			if (!is_known && !is_inability(estimate->status))
				return estimate->status;
			is_able = is_able || is_known;
			adding->statuses[i * devices + j] = estimate->status;
			adding->times_s[i * devices + j] =
			        is_known ? estimate->task_time_s : (double)INFINITY;
			adding->shares[i * devices + j] = is_known ? estimate->memory_share : -1;
		}
		if (!is_able)
			return refusal_say(adding, connection, i, &questions[at - 1]);
	}
	return PREDICTD_OK;
}

predictd_status schedule_ask(struct adding *adding, predictd_connection *connection)
{
	size_t devices = adding->schedule->device_count, chunk = ASKED_MAX / devices;
	predictd_status status = PREDICTD_OK;
	if (chunk > adding->count)
		chunk = adding->count;
	predictd_question *questions = malloc((chunk * devices + 1) * sizeof *questions);
	predictd_estimate *estimates = malloc((chunk * devices + 1) * sizeof *estimates);
	if (questions == NULL || estimates == NULL)
		status = error_keep(PREDICTD_NO_MEMORY, "no memory for %zu tasks", adding->count);
	for (size_t i = 0; i < adding->count && status == PREDICTD_OK; i += chunk)
		status = chunk_ask(adding, connection, i,
		                   adding->count - i < chunk ? adding->count : i + chunk, questions,
		                   estimates);
	free(questions);
	free(estimates);
	return status;
}

/* ---- devices ------------------------------------------------------------------------------- */

/* What is asked about copies: two sizes, between which the time of a byte shows. */
static const uint64_t copied_bytes[] = {4096, 16 << 20};

enum { SIZES = 2 };

/* Latency and rate of the line through two times. */
static void line_fill(const double times_s[SIZES], double *latency_s, double *bytes_per_s)
{
	double bytes = (double)(copied_bytes[1] - copied_bytes[0]),
	       time_s = times_s[1] - times_s[0];
	*bytes_per_s = time_s > 0 ? bytes / time_s : 0;
	*latency_s = time_s > 0 ? times_s[0] - (double)copied_bytes[0] / *bytes_per_s : times_s[0];
	if (!(*latency_s > 0))
		*latency_s = 0;
}

static predictd_status copies_fill(predictd_connection *connection, const predictd_program *program,
                                   const char *name, predictd_schedule_device *device)
{
	double uploads_s[SIZES], downloads_s[SIZES];
	for (size_t i = 0; i < SIZES; i++) {
		const predictd_argument arguments[] = {
		        {.kind = PREDICTD_BUFFER,
		         .access = PREDICTD_READ,
		         .size_bytes = copied_bytes[i]},
		        {.kind = PREDICTD_BUFFER,
		         .access = PREDICTD_WRITE,
		         .size_bytes = copied_bytes[i]},
		};
		const predictd_question question = {.program = program,
		                                    .device = name,
		                                    .with_transfers = true,
		                                    .dimensions = 1,
		                                    .global = {copied_bytes[0]},
		                                    .argument_count = 2,
		                                    .arguments = arguments};
		predictd_prediction *prediction;
		predictd_status status = predictd_predict(connection, &question, &prediction);
		if (status != PREDICTD_OK)
			return status;
		uploads_s[i] = prediction->h2d_time_s;
		downloads_s[i] = prediction->d2h_time_s;
		*device = (predictd_schedule_device){0};
		(void)strncat(device->key, prediction->device_key, sizeof device->key - 1);
		predictd_predictions_free(prediction, 1);
	}
	line_fill(uploads_s, &device->upload_latency_s, &device->upload_bytes_per_s);
	line_fill(downloads_s, &device->download_latency_s, &device->download_bytes_per_s);
	return PREDICTD_OK;
}

/* Whether it can be planned for: here, and not among those before it. */
static predictd_status device_take(const predictd_devices *list, const char *name,
                                   predictd_schedule_device *devices, size_t number)
{
	predictd_schedule_device *device = &devices[number];
	const predictd_device *known = NULL;
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->devices[i].key, device->key) == 0)
			known = &list->devices[i];
	if (known == NULL || !known->is_present)
		return error_keep(PREDICTD_NOT_FOUND, "device '%.100s' is away: nothing runs there",
		                  name);
	for (size_t i = 0; i < number; i++)
		if (strcmp(devices[i].key, device->key) == 0)
			return error_keep(PREDICTD_INVALID, "device '%.100s' is given twice", name);
	device->memory_bytes = known->global_bytes;
	return PREDICTD_OK;
}

predictd_status predictd_schedule_devices(predictd_connection *connection, const char *const *names,
                                          size_t count, predictd_schedule_device *devices,
                                          size_t *found)
{
	static const char text[] = "kernel void copy(global const char *from, global char *to)\n"
	                           "{\n"
	                           "	to[get_global_id(0)] = from[get_global_id(0)];\n"
	                           "}\n";
	const predictd_source source = {.name = "copy.cl", .text = text, .size = sizeof text - 1};
	const char *keys[PREDICTD_SCHEDULE_DEVICES_MAX];
	predictd_devices *list = NULL;
	predictd_program *program = NULL;
	if (count > PREDICTD_SCHEDULE_DEVICES_MAX)
		return error_keep(PREDICTD_LIMIT, "%zu devices: want at most %d", count,
		                  PREDICTD_SCHEDULE_DEVICES_MAX);
	predictd_status status = predictd_list_devices(connection, false, &list);
	if (status != PREDICTD_OK)
		return status;
	if (count == 0) {
		names = keys;
		for (size_t i = 0; i < list->count && count < PREDICTD_SCHEDULE_DEVICES_MAX; i++)
			if (list->devices[i].is_present && list->devices[i].is_calibrated)
				keys[count++] = list->devices[i].key;
		if (count == 0)
			status = error_keep(PREDICTD_UNCALIBRATED,
			                    "no device on this node is calibrated: type "
			                    "\"predictctl calibrate\"");
	}
	if (status == PREDICTD_OK)
		status = predictd_register(connection, &source, &program);
	for (size_t i = 0; i < count && status == PREDICTD_OK; i++) {
		status = copies_fill(connection, program, names[i], &devices[i]);
		if (status == PREDICTD_OK)
			status = device_take(list, names[i], devices, i);
	}
	if (status == PREDICTD_OK)
		*found = count;
	predictd_program_free(program);
	predictd_devices_free(list);
	return status;
}
