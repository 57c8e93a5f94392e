/* SPDX-License-Identifier: Apache-2.0 */
/* Calibrations and scans for devices. */
#include "daemon/children/calibration.h"

#include "daemon/codec/device_codec.h"
#include "daemon/codec/language.h"
#include "daemon/codec/pair_codec.h"
#include "daemon/daemon.h"
#include "daemon/libexec.h"
#include "daemon/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CALIBRATIONS_MAX = 16 };

struct calibration_job {
	struct calibration *calibration;
	struct device *device; /* identity as found, then the result */
	uint32_t platform_index, device_index;
	struct contention *pair; /* what is measured instead, of `device` first; or NULL */
	bool is_quick, has_result, is_started;
	enum calibration_for whom;
	uint64_t epoch_before;
	struct calibration_events events;
	void *data;
	struct error why; /* of the first failure */
	struct persistence_job keep;
	struct persistence_pair keep_pair;
	struct calibration_job *next;
};

static void pump(struct calibration *calibration);

void calibration_init(struct calibration *calibration, struct daemon *daemon)
{
	*calibration = (struct calibration){.daemon = daemon};
}

static void job_free(struct calibration_job *job)
{
	free(job->device);
	free(job->pair);
	free(job);
}

static void count_failure(struct calibration *calibration, enum metrics_run run,
                          const struct error *how)
{
	if (how->status != STATUS_OK && how->status != STATUS_CANCELLED)
		calibration->daemon->metrics.runs_failed[run]++;
}

static enum metrics_run run_of(const struct calibration_job *job)
{
	return job->pair != NULL ? METRICS_RUN_PAIR : METRICS_RUN_CALIBRATION;
}

/* ---- scans --------------------------------------------------------------------------------- */

static void scan_failed(struct calibration *calibration, const char *why)
{
	struct registry *registry = &calibration->daemon->registry;
	snprintf(registry->problem, sizeof registry->problem, "%s", why);
	log_write(LOG_DEVICES_FAILED, LOG_TEXT_FIELD("why", why));
}

static void scan_done(struct calibration *calibration)
{
	calibration->is_scanning = false;
	calibration->was_scanned = true;
	calibration->scanned_ms = uv_now(&calibration->daemon->loop);
	calibration->daemon->events->devices_known(calibration->daemon);
	pump(calibration);
}

/* Devices that are listed with what their drivers did when they were asked. */
static void log_drivers(const struct registry *registry)
{
	for (size_t i = 0; i < registry->found_count; i++)
		if (registry->found[i]->failure[0] != '\0')
			log_write(LOG_DRIVER_FAILED,
			          LOG_TEXT_FIELD("device", registry->found[i]->device.name),
			          LOG_TEXT_FIELD("why", registry->found[i]->failure));
}

static void on_scan_reply(void *data, const Predictd__CalibratorReply *reply)
{
	struct calibration *calibration = data;
	struct registry *registry = &calibration->daemon->registry;
	struct error error;
	switch (reply->body_case) {
	case PREDICTD__CALIBRATOR_REPLY__BODY_DEVICES:
		if (registry_set_found(registry, reply->devices, &error) != STATUS_OK)
			scan_failed(calibration, error.text);
		else
			log_write(LOG_DEVICES_FOUND,
			          LOG_NUMBER_FIELD("count", registry->found_count),
			          LOG_TEXT_FIELD("problem", registry->problem));
		log_drivers(registry);
		break;
	case PREDICTD__CALIBRATOR_REPLY__BODY_ERROR:
		scan_failed(calibration, reply->error->text);
		break;
	default:
		scan_failed(calibration, "the calibrator answered what was not asked");
		break;
	}
}

static void on_scan_end(void *data, const struct error *how)
{
	struct calibration *calibration = data;
	calibration->run = NULL;
	count_failure(calibration, METRICS_RUN_SCAN, how);
	/* drivers that crash as they are unloaded have told their devices before */
	if (how->status != STATUS_OK && calibration->daemon->registry.found_count == 0 &&
	    !calibration->is_stopping)
		scan_failed(calibration, how->text);
	scan_done(calibration);
}

bool calibration_is_scanning(const struct calibration *calibration)
{
	return calibration->is_scanning;
}

void calibration_scan(struct calibration *calibration)
{
	static const struct calibrator_events events = {on_scan_reply, on_scan_end};
	struct daemon *daemon = calibration->daemon;
	Predictd__ListDevices list = PREDICTD__LIST_DEVICES__INIT;
	Predictd__CalibratorRequest request = PREDICTD__CALIBRATOR_REQUEST__INIT;
	struct error error;
	if (calibration->run != NULL || calibration->is_scanning || calibration->is_stopping)
		return;
	request.body_case = PREDICTD__CALIBRATOR_REQUEST__BODY_LIST;
	request.list = &list;
	calibration->is_scanning = true;
	daemon->metrics.runs[METRICS_RUN_SCAN]++;
	if (calibrator_run_start(&daemon->loop, libexec_directories(), &request,
	                         daemon->config.scan_ms, &events, calibration, &calibration->run,
	                         &error) != STATUS_OK) {
		count_failure(calibration, METRICS_RUN_SCAN, &error);
		scan_failed(calibration, error.text);
		scan_done(calibration);
	}
}

/* ---- calibrations -------------------------------------------------------------------------- */

/* Takes the job out of the queue. */
static void job_remove(struct calibration_job *job)
{
	struct calibration *calibration = job->calibration;
	struct calibration_job **link = &calibration->first, *before = NULL;
	while (*link != NULL && *link != job) {
		before = *link;
		link = &before->next;
	}
	if (*link == NULL)
		return;
	*link = job->next;
	if (calibration->last == job)
		calibration->last = before;
	calibration->count--;
}

static void job_fail(struct calibration_job *job)
{
	struct registry_device *entry =
	        registry_find_present(&job->calibration->daemon->registry, job->device->key);
	bool is_left = job->whom == CALIBRATION_FOR_NOBODY ||
	               (job->whom == CALIBRATION_AT_START && job->why.status == STATUS_CANCELLED);
	/* who asked for none has the one before, which serves on */
	if (!is_left)
		log_write(LOG_CALIBRATION_FAILED, LOG_TEXT_FIELD("device", job->device->name),
		          LOG_TEXT_FIELD("status", status_word(job->why.status)),
		          LOG_TEXT_FIELD("why", job->why.text));
	if (entry != NULL && job->why.status != STATUS_CANCELLED && !is_left && job->pair == NULL)
		snprintf(entry->failure, sizeof entry->failure, "%s", job->why.text);
	job->events.on_done(job->data, NULL, &job->why);
	job_free(job);
}

static void log_doubts(const struct device *device)
{
	char lines[DEVICE_DOUBTS_MAX], *rest = lines;
	memcpy(lines, device->doubts, sizeof lines);
	for (char *line; (line = strtok_r(rest, "\n", &rest)) != NULL;)
		log_write(LOG_CALIBRATION_DOUBTED, LOG_TEXT_FIELD("device", device->name),
		          LOG_TEXT_FIELD("doubt", line));
}

/* Saved, or not: then it serves as long as the daemon lives. */
static void on_kept(struct persistence_job *keep)
{
	struct calibration_job *job =
	        (struct calibration_job *)((char *)keep - offsetof(struct calibration_job, keep));
	struct daemon *daemon = job->calibration->daemon;
	struct device *device = job->device;
	if (registry_keep(&daemon->registry, device, &job->why) != STATUS_OK) {
		job_fail(job);
		return;
	}
	struct registry_device *entry = registry_find_present(&daemon->registry, device->key);
	if (entry != NULL)
		entry->failure[0] = '\0';
	log_write(LOG_CALIBRATION_KEPT, LOG_TEXT_FIELD("device", device->name),
	          LOG_NUMBER_FIELD("epoch", device->epoch),
	          LOG_REAL_FIELD("duration_s", device->duration_s));
	log_doubts(device);
	job->events.on_done(job->data, device, NULL);
	job_free(job);
}

/* Likewise a pair. */
static void on_kept_pair(struct persistence_pair *keep)
{
	struct calibration_job *job =
	        (struct calibration_job *)((char *)keep -
	                                   offsetof(struct calibration_job, keep_pair));
	struct daemon *daemon = job->calibration->daemon;
	if (pairs_keep(&daemon->pairs, job->pair, &job->why) != STATUS_OK) {
		job_fail(job);
		return;
	}
	if (daemon->epochs != NULL)
		epochs_raise(daemon->epochs, daemon_pairs_slot(daemon));
	log_write(LOG_PAIR_KEPT, LOG_TEXT_FIELD("device", job->pair->keys[0]),
	          LOG_TEXT_FIELD("other", job->pair->keys[1]),
	          LOG_REAL_FIELD("duration_s", job->pair->duration_s));
	job->events.on_pair(job->data, job->pair);
	job_free(job);
}

/* Nobody asked for it, and what is known is no worse, or was calibrated or imported meanwhile. */
static bool is_needless(const struct calibration_job *job)
{
	const struct registry_device *entry =
	        registry_find_present(&job->calibration->daemon->registry, job->device->key);
	if (job->whom == CALIBRATION_FOR_USER)
		return false;
	return entry == NULL || entry->device.epoch != job->epoch_before ||
	       (job->whom == CALIBRATION_FOR_NOBODY &&
	        !recalibrating_is_better(&entry->device, job->device));
}

static void on_result(struct calibration_job *job, const Predictd__Device *message)
{
	struct device *result = malloc(sizeof *result);
	if (result == NULL) {
		error_set(&job->why, STATUS_NO_MEMORY, "calibration: no memory");
		return;
	}
	struct error error;
	if (device_decode(message, result, &error) != STATUS_OK) {
		error_set(&job->why, STATUS_DEVICE, "the calibrator's result: %.200s", error.text);
	} else if (!device_is_same_model(result, job->device)) {
		error_set(&job->why, STATUS_DEVICE,
		          "the calibrator found another device: want %.80s, got %.80s",
		          job->device->name, result->name);
	} else {
		result->is_calibrated = true;
		result->is_quick = job->is_quick;
		result->is_stale = false;
		result->calibrated_at_s = (int64_t)time(NULL);
		/* the key names it, by what the last scan found */
		memcpy(result->key, job->device->key, sizeof result->key);
		memcpy(result->uuid, job->device->uuid, sizeof result->uuid);
		memcpy(result->pci, job->device->pci, sizeof result->pci);
		/* there may have been no time to ask: the same driver's compiler was, before */
		if (!job->device->is_stale && language_is_nearer(job->device, result))
			language_copy(job->device, result);
		*job->device = *result;
		job->has_result = true;
	}
	free(result);
}

/* Keys and drivers are those that were asked about. */
static void on_pair_result(struct calibration_job *job, const Predictd__Pair *message)
{
	struct error error;
	struct contention measured, named = *job->pair;
	Predictd__Pair told = *message;
	told.key = named.keys[0];
	told.other_key = named.keys[1];
	told.driver = named.drivers[0];
	told.other_driver = named.drivers[1];
	if (pair_decode(&told, &measured, &error) != STATUS_OK) {
		error_set(&job->why, STATUS_DEVICE, "the calibrator's result: %.200s", error.text);
		return;
	}
	measured.measured_at_s = (int64_t)time(NULL);
	*job->pair = measured;
	job->has_result = true;
}

static void on_reply(void *data, const Predictd__CalibratorReply *reply)
{
	struct calibration_job *job = data;
	if (job->why.status != STATUS_OK)
		return;
	switch (reply->body_case) {
	case PREDICTD__CALIBRATOR_REPLY__BODY_PROGRESS:
		job->events.on_progress(job->data, reply->progress);
		break;
	case PREDICTD__CALIBRATOR_REPLY__BODY_RESULT:
		if (job->pair != NULL)
			error_set(&job->why, STATUS_DEVICE,
			          "the calibrator answered what was not asked");
		else
			on_result(job, reply->result);
		break;
	case PREDICTD__CALIBRATOR_REPLY__BODY_PAIR:
		if (job->pair == NULL)
			error_set(&job->why, STATUS_DEVICE,
			          "the calibrator answered what was not asked");
		else
			on_pair_result(job, reply->pair);
		break;
	case PREDICTD__CALIBRATOR_REPLY__BODY_ERROR: {
		enum status status = status_from_number(reply->error->status);
		error_set(&job->why, status == STATUS_OK ? STATUS_DEVICE : status, "%s",
		          reply->error->text);
		break;
	}
	default:
		error_set(&job->why, STATUS_DEVICE, "the calibrator answered what was not asked");
		break;
	}
}

static void on_end(void *data, const struct error *how)
{
	struct calibration_job *job = data;
	struct calibration *calibration = job->calibration;
	calibration->run = NULL;
	job_remove(job);
	bool is_cancelled = how->status == STATUS_CANCELLED;
	if (job->has_result && job->why.status == STATUS_OK && !is_cancelled && job->pair != NULL) {
		persistence_save_pair(&calibration->daemon->persistence, &job->keep_pair, job->pair,
		                      on_kept_pair);
	} else if (job->has_result && job->why.status == STATUS_OK && !is_cancelled &&
	           is_needless(job)) {
		error_set(&job->why, STATUS_BUSY, "no quieter than the one before");
		job->events.on_done(job->data, NULL, &job->why);
		job_free(job);
	} else if (job->has_result && job->why.status == STATUS_OK && !is_cancelled) {
		/* a driver that crashes after that, as it is unloaded, takes nothing back */
		persistence_save(&calibration->daemon->persistence, &job->keep, job->device,
		                 on_kept);
	} else {
		if (job->why.status == STATUS_OK || is_cancelled)
			job->why = *how;
		if (job->why.status == STATUS_OK)
			error_set(&job->why, STATUS_DEVICE,
			          "the calibrator ended without a result");
		count_failure(calibration, run_of(job), &job->why);
		job_fail(job);
	}
	pump(calibration);
}

static enum status job_start(struct calibration_job *job, struct error *error)
{
	static const struct calibrator_events events = {on_reply, on_end};
	struct calibration *calibration = job->calibration;
	struct daemon *daemon = calibration->daemon;
	Predictd__CalibratorCalibrate calibrate = PREDICTD__CALIBRATOR_CALIBRATE__INIT;
	Predictd__CalibratorPair pair = PREDICTD__CALIBRATOR_PAIR__INIT;
	Predictd__CalibratorRequest request = PREDICTD__CALIBRATOR_REQUEST__INIT;
	Predictd__Device *identity = device_encode(job->device, false);
	if (identity == NULL)
		return error_set(error, STATUS_NO_MEMORY, "calibration: no memory");
	if (job->pair != NULL) {
		pair.key = job->pair->keys[0];
		pair.other_key = job->pair->keys[1];
	}
	calibrate.platform_index = job->platform_index;
	calibrate.device_index = job->device_index;
	calibrate.quick = job->is_quick;
	calibrate.is_polite = job->whom != CALIBRATION_FOR_USER;
	calibrate.device = identity;
	request.body_case = PREDICTD__CALIBRATOR_REQUEST__BODY_CALIBRATE;
	request.calibrate = &calibrate;
	if (job->pair != NULL) {
		request.body_case = PREDICTD__CALIBRATOR_REQUEST__BODY_PAIR;
		request.pair = &pair;
	}
	uint32_t deadline_ms = job->is_quick ? daemon->config.calibrate_quick_ms
	                                     : daemon->config.calibrate_full_ms;
	enum status status =
	        calibrator_run_start(&daemon->loop, libexec_directories(), &request, deadline_ms,
	                             &events, job, &calibration->run, error);
	predictd__device__free_unpacked(identity, NULL);
	if (status == STATUS_OK) {
		job->is_started = true;
		daemon->metrics.runs[run_of(job)]++;
		log_write(LOG_CALIBRATION_STARTED, LOG_TEXT_FIELD("device", job->device->name),
		          LOG_NUMBER_FIELD("quick", job->is_quick));
	}
	return status;
}

static void pump(struct calibration *calibration)
{
	while (calibration->run == NULL && !calibration->is_scanning &&
	       calibration->first != NULL) {
		struct calibration_job *job = calibration->first;
		if (!calibration->is_stopping && job_start(job, &job->why) == STATUS_OK)
			return;
		if (calibration->is_stopping)
			error_set(&job->why, STATUS_CANCELLED, "the daemon is stopping");
		job_remove(job);
		job_fail(job);
	}
}

static enum status room_check(const struct calibration *calibration, struct error *error)
{
	if (calibration->is_stopping)
		return error_set(error, STATUS_UNAVAILABLE, "the daemon is stopping");
	if (calibration->count >= CALIBRATIONS_MAX)
		return error_set(error, STATUS_BUSY, "%u calibrations wait", calibration->count);
	return STATUS_OK;
}

/* A job of a device of the registry, or NULL. */
static struct calibration_job *job_new(struct calibration *calibration, size_t index,
                                       const struct calibration_events *events, void *data)
{
	const struct registry_device *entry = calibration->daemon->registry.devices[index];
	struct calibration_job *job = calloc(1, sizeof *job);
	if (job == NULL || (job->device = malloc(sizeof *job->device)) == NULL) {
		free(job);
		return NULL;
	}
	job->calibration = calibration;
	*job->device = entry->device;
	job->platform_index = entry->platform_index;
	job->device_index = entry->device_index;
	job->epoch_before = entry->device.epoch;
	job->events = *events;
	job->data = data;
	return job;
}

/* Takes the job, also where it fails. */
static enum status job_add(struct calibration *calibration, struct calibration_job *job,
                           struct calibration_job **result, struct error *error)
{
	bool starts =
	        calibration->run == NULL && !calibration->is_scanning && calibration->first == NULL;
	enum status status = starts ? job_start(job, error) : STATUS_OK;
	if (status != STATUS_OK) {
		job_free(job);
		return status;
	}
	if (calibration->last != NULL)
		calibration->last->next = job;
	else
		calibration->first = job;
	calibration->last = job;
	calibration->count++;
	*result = job;
	return STATUS_OK;
}

enum status calibration_start_pair(struct calibration *calibration, size_t first, size_t second,
                                   const struct calibration_events *events, void *data,
                                   struct calibration_job **result, struct error *error)
{
	const struct registry *registry = &calibration->daemon->registry;
	const struct device *devices[] = {&registry->devices[first]->device,
	                                  &registry->devices[second]->device};
	enum status status = room_check(calibration, error);
	if (status != STATUS_OK)
		return status;
	if (first == second)
		return error_set(error, STATUS_INVALID,
		                 "a pair: want two devices, got \"%.100s\" twice",
		                 devices[0]->name);
	recalibrating_give_way(&calibration->daemon->recalibrating);
	struct calibration_job *job = job_new(calibration, first, events, data);
	if (job == NULL || (job->pair = calloc(1, sizeof *job->pair)) == NULL) {
		if (job != NULL)
			job_free(job);
		return error_set(error, STATUS_NO_MEMORY, "calibration: no memory");
	}
	for (int side = 0; side < 2; side++) {
		memcpy(job->pair->keys[side], devices[side]->key, sizeof job->pair->keys[side]);
		memcpy(job->pair->drivers[side], devices[side]->driver,
		       sizeof job->pair->drivers[side]);
	}
	job->is_quick = true;
	return job_add(calibration, job, result, error);
}

enum status calibration_start(struct calibration *calibration, size_t index, bool is_quick,
                              enum calibration_for whom, const struct calibration_events *events,
                              void *data, struct calibration_job **result, struct error *error)
{
	const struct registry_device *entry = calibration->daemon->registry.devices[index];
	enum status status = room_check(calibration, error);
	if (status != STATUS_OK)
		return status;
	if (whom == CALIBRATION_FOR_USER)
		recalibrating_give_way(&calibration->daemon->recalibrating);
	for (struct calibration_job *one = calibration->first; one != NULL; one = one->next)
		if (one->whom == CALIBRATION_FOR_USER && one->pair == NULL &&
		    strcmp(one->device->key, entry->device.key) == 0)
			return error_set(error, STATUS_BUSY,
			                 "device \"%s\" is being calibrated already",
			                 entry->device.name);
	struct calibration_job *job = job_new(calibration, index, events, data);
	if (job == NULL)
		return error_set(error, STATUS_NO_MEMORY, "calibration: no memory");
	job->is_quick = is_quick;
	job->whom = whom;
	return job_add(calibration, job, result, error);
}

void calibration_cancel(struct calibration *calibration, struct calibration_job *job,
                        const char *why)
{
	if (job->is_started) {
		/* none when its result is being kept: too late */
		if (calibration->run != NULL && calibration->first == job)
			calibrator_run_end(calibration->run, STATUS_CANCELLED, why);
		return;
	}
	error_set(&job->why, STATUS_CANCELLED, "%s", why);
	job_remove(job);
	job_fail(job);
}

bool calibration_is_idle(const struct calibration *calibration)
{
	return calibration->run == NULL && !calibration->is_scanning &&
	       calibration->first == NULL && !calibration->is_stopping;
}

const struct device *calibration_device(const struct calibration *calibration)
{
	const struct calibration_job *job = calibration->first;
	return job != NULL && job->is_started ? job->device : NULL;
}

void calibration_stop(struct calibration *calibration)
{
	calibration->is_stopping = true;
	if (calibration->run != NULL)
		calibrator_run_end(calibration->run, STATUS_CANCELLED, "the daemon is stopping");
	else
		pump(calibration);
}
