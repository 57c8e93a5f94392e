/* SPDX-License-Identifier: Apache-2.0 */
/* Export and import: a calibration as the bytes of one file. */
#include "daemon/services/service.h"

#include "daemon/codec/device_codec.h"
#include "daemon/codec/language.h"
#include "daemon/codec/pair_codec.h"

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

/* Of every pair, one after another. False: no memory. */
static bool pairs_checksum(Predictd__Pair *const *pairs, size_t count, uint8_t sum[SHA256_BYTES])
{
	SHA2_CTX context;
	SHA256Init(&context);
	for (size_t i = 0; i < count; i++) {
		uint8_t *packed = malloc(predictd__pair__get_packed_size(pairs[i]) + 1);
		if (packed == NULL)
			return false;
		SHA256Update(&context, packed, predictd__pair__pack(pairs[i], packed));
		free(packed);
	}
	SHA256Final(sum, &context);
	return true;
}

/* What was measured of a device and others, with the keys of imported ones. */
struct exported_pairs {
	size_t count;
	struct contention *pairs;
	Predictd__Pair *messages, **pointers;
	uint8_t sum[SHA256_BYTES];
};

static void exported_pairs_deinit(struct exported_pairs *exported)
{
	free(exported->pairs);
	free(exported->messages);
	free(exported->pointers);
}

static enum status exported_pairs_init(const struct daemon *daemon, size_t device,
                                       struct exported_pairs *exported, struct error *error)
{
	const struct registry *registry = &daemon->registry;
	struct paired *found = NULL;
	size_t places[REGISTRY_DEVICES_MAX], found_count = 0;
	size_t count =
	        registry->count < REGISTRY_DEVICES_MAX ? registry->count : REGISTRY_DEVICES_MAX;
	*exported = (struct exported_pairs){0};
	for (size_t i = 0; i < count; i++)
		places[i] = i;
	enum status status =
	        pairs_find(&daemon->pairs, registry, places, count, &found, &found_count, error);
	if (status != STATUS_OK)
		return status;
	exported->pairs = calloc(found_count + 1, sizeof *exported->pairs);
	exported->messages = calloc(found_count + 1, sizeof *exported->messages);
	exported->pointers = calloc(found_count + 1, sizeof *exported->pointers);
	bool has_memory =
	        exported->pairs != NULL && exported->messages != NULL && exported->pointers != NULL;
	for (size_t i = 0; i < found_count && has_memory; i++) {
		struct contention *pair = &exported->pairs[exported->count];
		if ((found[i].first != device && found[i].second != device) || found[i].is_stale)
			continue;
		*pair = *found[i].pair;
		/* as imported ones have them */
		device_key_of_model(&registry->devices[found[i].first]->device, pair->keys[0]);
		device_key_of_model(&registry->devices[found[i].second]->device, pair->keys[1]);
		/* of two devices of one model an import would not know which is which */
		if (strcmp(pair->keys[0], pair->keys[1]) == 0)
			continue;
		pair_encode(pair, &exported->messages[exported->count]);
		exported->pointers[exported->count] = &exported->messages[exported->count];
		exported->count++;
	}
	free(found);
	if (!has_memory || !pairs_checksum(exported->pointers, exported->count, exported->sum)) {
		exported_pairs_deinit(exported);
		return error_set(error, STATUS_NO_MEMORY, "export: no memory");
	}
	return STATUS_OK;
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

	struct exported_pairs exported;
	status = exported_pairs_init(daemon, index, &exported, error);
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
	if (exported.count > 0) {
		calibration.n_pairs = exported.count;
		calibration.pairs = exported.pointers;
		calibration.pairs_sha256 = (ProtobufCBinaryData){sizeof exported.sum, exported.sum};
	}
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
	exported_pairs_deinit(&exported);
	return status;
}

/* An import that the store is keeping. */
struct importing {
	struct persistence_job keep;
	struct request request;
	struct device device;
	size_t pair_count;
	struct contention *pairs;
};

static void importing_free(struct importing *importing)
{
	free(importing->pairs);
	free(importing);
}

static void keep_pairs(struct daemon *daemon, const struct importing *importing)
{
	struct error error;
	for (size_t i = 0; i < importing->pair_count; i++)
		if (pairs_keep(&daemon->pairs, &importing->pairs[i], &error) == STATUS_OK)
			persistence_keep_pair(&daemon->persistence, &importing->pairs[i]);
	if (importing->pair_count > 0 && daemon->epochs != NULL)
		epochs_raise(daemon->epochs, daemon_pairs_slot(daemon));
}

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
		keep_pairs(daemon, importing);
		request_finish(&importing->request, &response);
	}
	if (reply.device != NULL)
		predictd__device__free_unpacked(reply.device, NULL);
	importing_free(importing);
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

/* The pairs of a file, which may have none. */
static enum status pairs_decode(const Predictd__Calibration *calibration,
                                struct importing *importing, struct error *error)
{
	uint8_t sum[SHA256_BYTES];
	if (calibration->n_pairs == 0)
		return STATUS_OK;
	if (calibration->n_pairs > REGISTRY_DEVICES_MAX)
		return error_set(error, STATUS_LIMIT, "import: %zu pairs: want at most %d",
		                 calibration->n_pairs, REGISTRY_DEVICES_MAX);
	importing->pairs = calloc(calibration->n_pairs, sizeof *importing->pairs);
	if (importing->pairs == NULL ||
	    !pairs_checksum(calibration->pairs, calibration->n_pairs, sum))
		return error_set(error, STATUS_NO_MEMORY, "import: no memory");
	if (calibration->pairs_sha256.len != sizeof sum ||
	    memcmp(sum, calibration->pairs_sha256.data, sizeof sum) != 0)
		return error_set(error, STATUS_CORRUPT,
		                 "import: the checksum is not that of its pairs");
	for (; importing->pair_count < calibration->n_pairs; importing->pair_count++) {
		enum status status = pair_decode(calibration->pairs[importing->pair_count],
		                                 &importing->pairs[importing->pair_count], error);
		if (status != STATUS_OK)
			return status;
	}
	return STATUS_OK;
}

enum status service_import(struct session *session, struct work *work, struct error *error)
{
	ProtobufCBinaryData bytes = work->message->import->calibration;
	uint32_t borrowed_nodes = work->message->import->borrowed_nodes;
	/* who shares with other nodes brings what they know, which gives way to all else */
	bool may_borrow = borrowed_nodes > 0 && session_may_share(session);
	if (!session_is_admin(session) && !may_borrow)
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
		status = pairs_decode(calibration, importing, error);
	if (status == STATUS_OK)
		status =
		        request_begin(&importing->request, session, work->message->id, NULL, error);
	if (status != STATUS_OK) {
		importing_free(importing);
		return status;
	}
	/* for every device of that model: it was another node's that was measured */
	device->uuid[0] = '\0';
	device->pci[0] = '\0';
	device_key_make(device);
	device->is_calibrated = true;
	/* what was exported as borrowed stays so */
	if (borrowed_nodes > 0)
		device->borrowed_nodes = borrowed_nodes;
	/* before it is kept in the store */
	const struct registry *registry = &session->daemon->registry;
	if (device->borrowed_nodes > 0 && registry_has_measured(registry, device->key)) {
		error_set(error, STATUS_INVALID,
		          "%.100s has a calibration of its own: no borrowed one replaces it",
		          device->name);
		request_finish_error(&importing->request, error);
		importing_free(importing);
		return STATUS_OK;
	}
	persistence_save(&session->daemon->persistence, &importing->keep, device, on_kept);
	return STATUS_OK;
}
