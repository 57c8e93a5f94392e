/* SPDX-License-Identifier: Apache-2.0 */
/* Export and import: a calibration as the bytes of one file. */
#include "daemon/services/service.h"

#include "daemon/codec/device_codec.h"
#include "daemon/codec/language.h"

#include <sha2.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { CALIBRATION_FORMAT = 1, SHA256_BYTES = 32, CALIBRATION_BYTES_MAX = 4 << 20 };

static void checksum(const Predictd__Device *device, uint8_t *packed, uint8_t sum[SHA256_BYTES])
{
	SHA2_CTX context;
	size_t size = predictd__device__pack(device, packed);
	SHA256Init(&context);
	SHA256Update(&context, packed, size);
	SHA256Final(sum, &context);
}

enum status service_export(struct session *session, struct work *work, struct error *error)
{
	struct daemon *daemon = session->daemon;
	size_t index;
	enum status status =
	        registry_find(&daemon->registry, work->message->export->device, &index, error);
	if (status == STATUS_OK)
		status = registry_check_calibrated(&daemon->registry, index, error);
	if (status != STATUS_OK)
		return status;

	uint8_t sum[SHA256_BYTES];
	uint8_t *packed = NULL, *bytes = NULL;
	Predictd__Calibration calibration = PREDICTD__CALIBRATION__INIT;
	Predictd__ExportReply reply = PREDICTD__EXPORT_REPLY__INIT;
	Predictd__DeviceName name = PREDICTD__DEVICE_NAME__INIT;
	Predictd__Response response = PREDICTD__RESPONSE__INIT;
	Predictd__Device *device = device_encode(&daemon->registry.devices[index]->device, true);
	if (device != NULL) {
		/* of this node alone */
		device->epoch = 0;
		device->is_stale = false;
		/* what a version tells it tells anywhere */
		if (language_origin(&daemon->registry.devices[index]->device) == LANGUAGE_VERSION)
			device->language.len = 0;
		packed = malloc(predictd__device__get_packed_size(device) + 1);
	}
	if (packed == NULL) {
		status = error_set(error, STATUS_NO_MEMORY, "export: no memory");
		goto out;
	}
	checksum(device, packed, sum);
	calibration.format = CALIBRATION_FORMAT;
	calibration.device = device;
	calibration.sha256 = (ProtobufCBinaryData){sizeof sum, sum};
	bytes = malloc(predictd__calibration__get_packed_size(&calibration));
	if (bytes == NULL) {
		status = error_set(error, STATUS_NO_MEMORY, "export: no memory");
		goto out;
	}
	reply.calibration.data = bytes;
	reply.calibration.len = predictd__calibration__pack(&calibration, bytes);
	service_name(daemon->registry.devices[index], &name);
	reply.device = &name;
	response.body_case = PREDICTD__RESPONSE__BODY_EXPORT;
	response.export = &reply;
	session_reply(session, work->message->id, &response);
out:
	if (device != NULL)
		predictd__device__free_unpacked(device, NULL);
	free(packed);
	free(bytes);
	return status;
}

/* An import that the store is keeping. */
struct importing {
	struct persistence_job keep;
	struct request request;
	struct device device;
};

static void on_kept(struct persistence_job *keep)
{
	struct importing *importing = (struct importing *)keep; /* its first member */
	struct daemon *daemon = keep->persistence->daemon;
	struct error *error = &keep->error;
	Predictd__ImportReply reply = PREDICTD__IMPORT_REPLY__INIT;
	Predictd__Response response = PREDICTD__RESPONSE__INIT;
	if (error->status == STATUS_OK)
		error->status = registry_keep(&daemon->registry, &importing->device, error);
	for (size_t i = 0; i < daemon->registry.count && reply.device == NULL; i++)
		if (error->status == STATUS_OK &&
		    daemon->registry.devices[i]->device.epoch == importing->device.epoch)
			reply.device = service_device(daemon, i, true);
	if (error->status == STATUS_OK && reply.device == NULL)
		error_set(error, STATUS_NO_MEMORY, "import: no memory");
	if (error->status != STATUS_OK) {
		request_finish_error(&importing->request, error);
	} else {
		response.body_case = PREDICTD__RESPONSE__BODY_IMPORT;
		response.import = &reply;
		request_finish(&importing->request, &response);
	}
	if (reply.device != NULL)
		predictd__device__free_unpacked(reply.device, NULL);
	free(importing);
}

static enum status check_calibration(const Predictd__Calibration *calibration, struct error *error)
{
	if (calibration->format != CALIBRATION_FORMAT)
		return error_set(error, STATUS_UNSUPPORTED, "import: format: want %d, got %u",
		                 CALIBRATION_FORMAT, calibration->format);
	if (calibration->device == NULL || calibration->sha256.len != SHA256_BYTES)
		return error_set(error, STATUS_CORRUPT, "import: not a whole calibration");
	uint8_t sum[SHA256_BYTES];
	uint8_t *packed = malloc(predictd__device__get_packed_size(calibration->device) + 1);
	if (packed == NULL)
		return error_set(error, STATUS_NO_MEMORY, "import: no memory");
	checksum(calibration->device, packed, sum);
	free(packed);
	if (memcmp(sum, calibration->sha256.data, sizeof sum) != 0)
		return error_set(error, STATUS_CORRUPT,
		                 "import: the checksum is not that of its contents");
	return STATUS_OK;
}

enum status service_import(struct session *session, struct work *work, struct error *error)
{
	ProtobufCBinaryData bytes = work->message->import->calibration;
	if (!session_is_admin(session))
		return error_set(error, STATUS_DENIED,
		                 "import needs root, the daemon's own user, or a member of the "
		                 "admin group");
	if (bytes.len > CALIBRATION_BYTES_MAX)
		return error_set(error, STATUS_LIMIT, "import: want at most %d bytes, got %zu",
		                 CALIBRATION_BYTES_MAX, bytes.len);
	ProtobufCAllocator allocator = arena_allocator(&session->arena);
	const Predictd__Calibration *calibration =
	        predictd__calibration__unpack(&allocator, bytes.len, bytes.data);
	if (calibration == NULL)
		return error_set(error, STATUS_CORRUPT, "import: %zu bytes that are no calibration",
		                 bytes.len);
	enum status status = check_calibration(calibration, error);
	if (status != STATUS_OK)
		return status;
	struct importing *importing = calloc(1, sizeof *importing);
	if (importing == NULL)
		return error_set(error, STATUS_NO_MEMORY, "import: no memory");
	struct device *device = &importing->device;
	status = device_decode(calibration->device, device, error);
	if (status == STATUS_OK)
		status =
		        request_begin(&importing->request, session, work->message->id, NULL, error);
	if (status != STATUS_OK) {
		free(importing);
		return status;
	}
	/* for every device of that model: it was another node's that was measured */
	device->uuid[0] = '\0';
	device->pci[0] = '\0';
	device_key_make(device);
	device->is_calibrated = true;
	persistence_save(&session->daemon->persistence, &importing->keep, device, on_kept);
	return STATUS_OK;
}
