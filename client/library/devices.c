/* SPDX-License-Identifier: Apache-2.0 */
/* Calls about devices: list, calibrate, export, import; and the daemon's status. */
#include "client/library/devices.h"
#include "client/predictd_operation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "client/library/connection.h"
#include "proto/device_key.h"

enum { TEXT_MAX = 127 /* bytes that the daemon keeps of a name (model/device/device.h) */ };

/* The public list first: freeing it ends the reply that it points into. */
struct device_list {
	predictd_devices list;
	ProtobufCMessage *message;
	predictd_coefficient *coefficients;
	predictd_device devices[];
};

static void device_fill(const Predictd__Device *from, predictd_device *to)
{
	*to = (predictd_device){
	        .index = from->index,
	        .platform = from->platform,
	        .vendor = from->vendor,
	        .name = from->name,
	        .driver = from->driver,
	        .version = from->version,
	        .uuid = from->uuid,
	        .pci = from->pci,
	        .type = from->type < PREDICTD_OTHER ? (predictd_device_type)from->type
	                                            : PREDICTD_OTHER,
	        .compute_units = from->compute_units,
	        .clock_mhz = from->clock_mhz,
	        .max_group_items = from->max_group_items,
	        .local_bytes = from->local_bytes,
	        .global_bytes = from->global_bytes,
	        .max_allocation_bytes = from->max_allocation_bytes,
	        .has_double = from->has_double,
	        .has_half = from->has_half,
	        .allows_uneven_groups = from->allows_uneven_groups,
	        .is_present = from->is_present,
	        .is_calibrated = from->is_calibrated,
	        .borrowed_nodes = from->borrowed_nodes,
	        .is_quick = from->is_quick,
	        .is_stale = from->is_stale,
	        .was_busy = from->was_busy,
	        .calibrated_at_s = from->calibrated_at_s,
	        .duration_s = from->duration_s,
	        .epoch = from->epoch,
	        .failure = from->failure,
	        .key = from->key,
	        .language = from->language_text,
	        .is_language_assumed = from->is_language_assumed,
	        .refused_option_count = from->n_refused_options,
	        .refused_options = (const char *const *)from->refused_options,
	        .doubt_count = from->n_doubts,
	        .doubts = (const char *const *)from->doubts,
	};
	for (size_t i = 0; i < 3 && i < from->n_max_item_sizes; i++)
		to->max_item_sizes[i] = from->max_item_sizes[i];
}

predictd_status devices_new(ProtobufCMessage *message, Predictd__Device *const *devices,
                            size_t count, predictd_devices **result)
{
	size_t coefficients = 0;
	for (size_t i = 0; i < count; i++)
		coefficients += devices[i]->n_coefficients;
	struct device_list *list = calloc(1, sizeof *list + count * sizeof list->devices[0]);
	predictd_coefficient *next = calloc(coefficients + 1, sizeof *next);
	if (list == NULL || next == NULL) {
		free(list);
		free(next);
		protobuf_c_message_free_unpacked(message, NULL);
		return error_keep(PREDICTD_NO_MEMORY, "no memory for %zu devices", count);
	}
	list->message = message;
	list->coefficients = next;
	for (size_t i = 0; i < count; i++) {
		device_fill(devices[i], &list->devices[i]);
		list->devices[i].coefficients = next;
		list->devices[i].coefficient_count = devices[i]->n_coefficients;
		for (size_t j = 0; j < devices[i]->n_coefficients; j++) {
			const Predictd__Coefficient *from = devices[i]->coefficients[j];
			*next++ = (predictd_coefficient){from->name, from->value,
			                                 from->standard_error};
		}
	}
	list->list = (predictd_devices){count, list->devices};
	*result = &list->list;
	return PREDICTD_OK;
}

void predictd_devices_free(predictd_devices *devices)
{
	if (devices == NULL)
		return;
	struct device_list *list = (struct device_list *)devices;
	protobuf_c_message_free_unpacked(list->message, NULL);
	free(list->coefficients);
	free(list);
}

predictd_status predictd_list_devices(predictd_connection *connection, bool verbose,
                                      predictd_devices **devices)
{
	error_clear();
	Predictd__ListDevices body = PREDICTD__LIST_DEVICES__INIT;
	body.verbose = verbose;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	request.body_case = PREDICTD__REQUEST__BODY_LIST_DEVICES;
	request.list_devices = &body;
	Predictd__Response *response;
	predictd_status status =
	        connection_call(connection, &request, PREDICTD__RESPONSE__BODY_DEVICES, &response);
	if (status != PREDICTD_OK)
		return status;
	return devices_new(&response->base, response->devices->devices,
	                   response->devices->n_devices, devices);
}

/* A text of the daemon, which may have been cut, and the caller's. */
static bool is_text(const char *known, const char *wanted)
{
	size_t length = strlen(known);
	return wanted[0] == '\0' || strcmp(known, wanted) == 0 ||
	       (length == TEXT_MAX && strncmp(known, wanted, length) == 0);
}

static bool is_device(const Predictd__Device *known, const predictd_device_identity *wanted)
{
	if (!known->is_present)
		return false;
	if (known->uuid[0] != '\0' && wanted->uuid[0] != '\0')
		return strcasecmp(known->uuid, wanted->uuid) == 0 &&
		       is_text(known->platform, wanted->platform);
	if (known->pci[0] != '\0' && wanted->pci[0] != '\0')
		return strcasecmp(known->pci, wanted->pci) == 0 &&
		       is_text(known->platform, wanted->platform);
	return is_text(known->platform, wanted->platform) &&
	       is_text(known->vendor, wanted->vendor) && is_text(known->name, wanted->name) &&
	       (wanted->compute_units == 0 || wanted->compute_units == known->compute_units);
}

/* An identity with every text ended. */
static predictd_device_identity identity_ended(const predictd_device_identity *given)
{
	predictd_device_identity ended = *given;
	ended.platform[sizeof ended.platform - 1] = '\0';
	ended.vendor[sizeof ended.vendor - 1] = '\0';
	ended.name[sizeof ended.name - 1] = '\0';
	ended.uuid[sizeof ended.uuid - 1] = '\0';
	ended.pci[sizeof ended.pci - 1] = '\0';
	return ended;
}

predictd_status predictd_find_device(predictd_connection *connection,
                                     const predictd_device_identity *given, uint32_t *index)
{
	error_clear();
	const predictd_device_identity identity = identity_ended(given);
	Predictd__ListDevices body = PREDICTD__LIST_DEVICES__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	Predictd__Response *response;
	if (identity.name[0] == '\0' && identity.uuid[0] == '\0' && identity.pci[0] == '\0')
		return error_keep(PREDICTD_INVALID, "a device without name, UUID and PCI address");
	request.body_case = PREDICTD__REQUEST__BODY_LIST_DEVICES;
	request.list_devices = &body;
	predictd_status status =
	        connection_call(connection, &request, PREDICTD__RESPONSE__BODY_DEVICES, &response);
	if (status != PREDICTD_OK)
		return status;
	status = PREDICTD_NOT_FOUND;
	for (size_t i = 0; i < response->devices->n_devices && status != PREDICTD_OK; i++) {
		if (!is_device(response->devices->devices[i], &identity))
			continue;
		*index = response->devices->devices[i]->index;
		status = PREDICTD_OK;
	}
	predictd__response__free_unpacked(response, NULL);
	if (status != PREDICTD_OK)
		(void)error_keep(status, "predictd knows no device \"%s\" of \"%s\"", identity.name,
		                 identity.platform);
	return status;
}

struct calibration {
	predictd_progress progress;
	void *context;
};

/* True at the last reply: an error, or the device. */
static bool calibration_reply(void *context, Predictd__Response *response, bool *cancel)
{
	const struct calibration *calibration = context;
	if (response->body_case != PREDICTD__RESPONSE__BODY_CALIBRATE)
		return true;
	const Predictd__CalibrateReply *reply = response->calibrate;
	if (reply->device != NULL || reply->pair != NULL)
		return true;
	if (calibration->progress != NULL &&
	    !calibration->progress(reply->progress, reply->left_s, reply->stage,
	                           calibration->context))
		*cancel = true;
	return false;
}

predictd_status predictd_calibrate(predictd_connection *connection, const char *device, bool quick,
                                   predictd_progress progress, void *context,
                                   predictd_devices **result)
{
	error_clear();
	Predictd__Calibrate body = PREDICTD__CALIBRATE__INIT;
	body.device = (char *)(device != NULL ? device : "");
	body.quick = quick;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	request.body_case = PREDICTD__REQUEST__BODY_CALIBRATE;
	request.calibrate = &body;
	struct calibration calibration = {progress, context};
	Predictd__Response *response = NULL;
	predictd_status status =
	        connection_stream(connection, &request, calibration_reply, &calibration, &response);
	if (status == PREDICTD_OK)
		status = response_status(response, PREDICTD__RESPONSE__BODY_CALIBRATE);
	if (status == PREDICTD_OK && result != NULL)
		return devices_new(&response->base, &response->calibrate->device, 1, result);
	if (response != NULL)
		predictd__response__free_unpacked(response, NULL);
	return status;
}

predictd_status predictd_calibrate_pair(predictd_connection *connection, const char *device,
                                        const char *other, predictd_progress progress,
                                        void *context)
{
	error_clear();
	Predictd__Calibrate body = PREDICTD__CALIBRATE__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	struct calibration calibration = {progress, context};
	Predictd__Response *response = NULL;
	if (device == NULL || other == NULL || device[0] == '\0' || other[0] == '\0')
		return error_keep(PREDICTD_INVALID, "a pair: want two devices");
	body.device = (char *)(uintptr_t)device;
	body.other = (char *)(uintptr_t)other;
	request.body_case = PREDICTD__REQUEST__BODY_CALIBRATE;
	request.calibrate = &body;
	predictd_status status =
	        connection_stream(connection, &request, calibration_reply, &calibration, &response);
	if (status == PREDICTD_OK)
		status = response_status(response, PREDICTD__RESPONSE__BODY_CALIBRATE);
	/* a daemon that does not know of pairs has calibrated the device */
	if (status == PREDICTD_OK && response->calibrate->pair == NULL)
		status = error_keep(PREDICTD_UNSUPPORTED, "this predictd measures no pairs");
	if (response != NULL)
		predictd__response__free_unpacked(response, NULL);
	return status;
}

predictd_status predictd_remove_calibration(predictd_connection *connection, const char *device,
                                            predictd_removal *removal)
{
	error_clear();
	Predictd__RemoveCalibration body = PREDICTD__REMOVE_CALIBRATION__INIT;
	body.device = (char *)(device != NULL ? device : "");
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	request.body_case = PREDICTD__REQUEST__BODY_REMOVE_CALIBRATION;
	request.remove_calibration = &body;
	Predictd__Response *response;
	predictd_status status = connection_call(
	        connection, &request, PREDICTD__RESPONSE__BODY_REMOVE_CALIBRATION, &response);
	if (status != PREDICTD_OK)
		return status;
	const Predictd__RemoveCalibrationReply *reply = response->remove_calibration;
	if (removal != NULL) {
		*removal = (predictd_removal){.calibrations = reply->removed,
		                              .observations = reply->forgotten};
		if (reply->device != NULL)
			(void)snprintf(removal->key, sizeof removal->key, "%s", reply->device->key);
	}
	predictd__response__free_unpacked(response, NULL);
	return PREDICTD_OK;
}

void predictd_device_keys(const predictd_device_identity *identities, size_t count,
                          char (*keys)[PREDICTD_KEY_BYTES])
{
	/* one by one, and then those of equals: no memory is wanted for the list */
	for (size_t i = 0; i < count; i++) {
		const predictd_device_identity one = identity_ended(&identities[i]);
		const struct key_identity identity = {
		        .platform = one.platform,
		        .vendor = one.vendor,
		        .name = one.name,
		        .uuid = one.uuid,
		        .pci = one.pci,
		        .compute_units = one.compute_units,
		};
		key_make(&identity, keys[i]);
	}
	keys_number(keys, count);
}

predictd_status predictd_export(predictd_connection *connection, const char *device,
                                uint8_t **bytes, size_t *size)
{
	error_clear();
	Predictd__Export body = PREDICTD__EXPORT__INIT;
	body.device = (char *)(device != NULL ? device : "");
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	request.body_case = PREDICTD__REQUEST__BODY_EXPORT;
	request.export = &body;
	Predictd__Response *response;
	predictd_status status =
	        connection_call(connection, &request, PREDICTD__RESPONSE__BODY_EXPORT, &response);
	if (status != PREDICTD_OK)
		return status;
	const ProtobufCBinaryData *data = &response->export->calibration;
	uint8_t *copy = malloc(data->len > 0 ? data->len : 1);
	if (copy == NULL) {
		status = error_keep(PREDICTD_NO_MEMORY, "no memory for %zu bytes", data->len);
	} else {
		if (data->len > 0)
			memcpy(copy, data->data, data->len);
		*bytes = copy;
		*size = data->len;
	}
	predictd__response__free_unpacked(response, NULL);
	return status;
}

predictd_status predictd_import(predictd_connection *connection, const uint8_t *bytes, size_t size,
                                predictd_devices **result)
{
	error_clear();
	Predictd__Import body = PREDICTD__IMPORT__INIT;
	body.calibration = (ProtobufCBinaryData){size, (uint8_t *)bytes};
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	request.body_case = PREDICTD__REQUEST__BODY_IMPORT;
	request.import = &body;
	Predictd__Response *response;
	predictd_status status =
	        connection_call(connection, &request, PREDICTD__RESPONSE__BODY_IMPORT, &response);
	if (status != PREDICTD_OK)
		return status;
	if (response->import->device == NULL)
		status = error_keep(PREDICTD_INTERNAL, "predictd imported no device");
	else if (result != NULL)
		return devices_new(&response->base, &response->import->device, 1, result);
	predictd__response__free_unpacked(response, NULL);
	return status;
}

struct status_block {
	predictd_daemon_status status;
	Predictd__Response *response;
};

predictd_status predictd_get_status(predictd_connection *connection,
                                    predictd_daemon_status **result)
{
	error_clear();
	Predictd__Status body = PREDICTD__STATUS__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	request.body_case = PREDICTD__REQUEST__BODY_STATUS;
	request.status = &body;
	Predictd__Response *response;
	predictd_status status =
	        connection_call(connection, &request, PREDICTD__RESPONSE__BODY_STATUS, &response);
	if (status != PREDICTD_OK)
		return status;
	struct status_block *block = calloc(1, sizeof *block);
	if (block == NULL) {
		predictd__response__free_unpacked(response, NULL);
		return error_keep(PREDICTD_NO_MEMORY, "no memory for a status");
	}
	const Predictd__StatusReply *reply = response->status;
	block->response = response;
	block->status = (predictd_daemon_status){
	        .version = reply->version,
	        .socket = reply->socket,
	        .state_directory = reply->state_directory,
	        .store_problem = reply->store_problem,
	        .analyser_problem = reply->analyser_problem,
	        .calibrating = reply->calibrating,
	        .uptime_s = reply->uptime_s,
	        .connections = reply->connections,
	        .requests = reply->requests,
	        .predictions = reply->predictions,
	        .programs = reply->programs,
	        .analyses = reply->analyses,
	        .refused = reply->refused,
	        .resident_bytes = reply->resident_bytes,
	        .device_problem = reply->device_problem,
	        .observations = reply->observations,
	        .site_records = reply->site_records,
	        .borrowed_devices = reply->borrowed_devices,
	        .coming_devices = reply->coming_devices,
	        .coming_waits_for = reply->coming_waits_for,
	        .drift_count = reply->n_drifts,
	        .drifts = (const char *const *)reply->drifts,
	        .background = reply->background,
	        .jail_problem = reply->jail_problem,
	        .calibrating_key = reply->calibrating_key,
	};
	*result = &block->status;
	return PREDICTD_OK;
}

predictd_status predictd_get_metrics(predictd_connection *connection, char **text)
{
	error_clear();
	Predictd__Metrics body = PREDICTD__METRICS__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	request.body_case = PREDICTD__REQUEST__BODY_METRICS;
	request.metrics = &body;
	Predictd__Response *response;
	predictd_status status =
	        connection_call(connection, &request, PREDICTD__RESPONSE__BODY_METRICS, &response);
	if (status != PREDICTD_OK)
		return status;
	*text = strdup(response->metrics->text);
	predictd__response__free_unpacked(response, NULL);
	return *text != NULL ? PREDICTD_OK
	                     : error_keep(PREDICTD_NO_MEMORY, "no memory for metrics");
}

void predictd_status_free(predictd_daemon_status *status)
{
	if (status == NULL)
		return;
	struct status_block *block = (struct status_block *)status;
	predictd__response__free_unpacked(block->response, NULL);
	free(block);
}

struct backup {
	bool (*write)(const void *bytes, size_t size, void *context);
	void *context;
	bool has_failed;
	uint64_t got_bytes;
};

static bool backup_reply(void *context, Predictd__Response *response, bool *cancel)
{
	struct backup *backup = context;
	(void)cancel; /* the daemon sends on; what comes is passed over */
	if (response->body_case != PREDICTD__RESPONSE__BODY_BACKUP)
		return true;
	const Predictd__BackupReply *reply = response->backup;
	backup->got_bytes += reply->part.len;
	if (!backup->write(reply->part.data, reply->part.len, backup->context))
		backup->has_failed = true;
	return reply->is_last || backup->has_failed;
}

predictd_status predictd_backup(predictd_connection *connection,
                                bool (*write)(const void *bytes, size_t size, void *context),
                                void *context)
{
	error_clear();
	Predictd__Backup body = PREDICTD__BACKUP__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	Predictd__Response *response = NULL;
	struct backup backup = {.write = write, .context = context};
	request.body_case = PREDICTD__REQUEST__BODY_BACKUP;
	request.backup = &body;
	predictd_status status =
	        connection_stream(connection, &request, backup_reply, &backup, &response);
	if (status == PREDICTD_OK)
		status = response_status(response, PREDICTD__RESPONSE__BODY_BACKUP);
	if (status == PREDICTD_OK && backup.has_failed)
		status = error_keep(PREDICTD_CANCELLED, "backup: ended by the caller");
	else if (status == PREDICTD_OK && backup.got_bytes != response->backup->size_bytes)
		status = error_keep(PREDICTD_CORRUPT, "backup: parts of it are missing");
	if (response != NULL)
		predictd__response__free_unpacked(response, NULL);
	return status;
}
