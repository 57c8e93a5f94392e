/* SPDX-License-Identifier: Apache-2.0 */
/* What the daemon is asked and told: devices, what it observed, what the site says. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/log.h"
#include "daemon/share/borrow.h"
#include "daemon/share/estimate.h"
#include "daemon/share/exchange.h"

static void copy_text(char *text, size_t room, const char *from)
{
	(void)snprintf(text, room, "%s", from);
}

/* A refusal is no lost link: told, and not asked again until the next round. */
static void refused(const char *what, const char *why)
{
	log_write(LOG_SHARE_REFUSED, LOG_TEXT_FIELD("asked", what), LOG_TEXT_FIELD("problem", why));
}

/* ---- devices ------------------------------------------------------------------------------- */

static void on_devices(void *context, const Predictd__Response *response, const char *why)
{
	struct exchange *exchange = context;
	struct shared_device before[EXCHANGE_DEVICES_MAX];
	size_t before_count = exchange->device_count;
	if (response == NULL) {
		refused("devices", why);
		return;
	}
	memcpy(before, exchange->devices, sizeof before);
	exchange->device_count = 0;
	for (size_t i = 0;
	     i < response->devices->n_devices && exchange->device_count < EXCHANGE_DEVICES_MAX;
	     i++) {
		const Predictd__Device *device = response->devices->devices[i];
		struct shared_device *own = &exchange->devices[exchange->device_count++];
		*own = (struct shared_device){.is_calibrated = device->is_calibrated,
		                              .is_present = device->is_present,
		                              .borrowed_nodes = device->borrowed_nodes,
		                              .epoch = device->epoch};
		copy_text(own->key, sizeof own->key, device->key);
		copy_text(own->driver, sizeof own->driver, device->driver);
		borrowing_model(device, own->model);
		for (size_t j = 0; j < before_count; j++)
			if (strcmp(before[j].key, own->key) == 0 &&
			    strcmp(before[j].driver, own->driver) == 0)
				own->is_asked = before[j].is_asked;
	}
	exchange_pump(exchange);
}

static void ask_devices(struct exchange *exchange)
{
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	Predictd__ListDevices body = PREDICTD__LIST_DEVICES__INIT;
	request.body_case = PREDICTD__REQUEST__BODY_LIST_DEVICES;
	request.list_devices = &body;
	exchange->is_listed = true;
	daemon_link_ask(&exchange->daemon, &request, PREDICTD__RESPONSE__BODY_DEVICES, on_devices,
	                exchange);
}

/* ---- what it observed ---------------------------------------------------------------------- */

static void on_records(void *context, const Predictd__Response *response, const char *why)
{
	struct exchange *exchange = context;
	struct daemon_record *records = NULL;
	struct error error;
	size_t left_out;
	uint64_t after;
	if (response == NULL) {
		refused("records", why);
		return;
	}
	if (ledger_cursor(exchange->ledger, &after, &error) != STATUS_OK) {
		exchange_fail(exchange, &error);
		return;
	}
	if (after != exchange->read_after) {
		/* a new identity reads from the beginning: what was asked before is not what
		 * follows */
		exchange->is_read = false;
		exchange_pump(exchange);
		return;
	}
	const Predictd__ReadRecordsReply *reply = response->read_records;
	records = calloc(reply->n_records + 1, sizeof *records);
	if (records == NULL)
		return;
	for (size_t i = 0; i < reply->n_records; i++) {
		const Predictd__SharedRecord *from = reply->records[i];
		records[i] = (struct daemon_record){
		        .sequence = from->sequence,
		        .runs = from->runs,
		        .uid = from->uid,
		        .name = from->kernel_name,
		        .state = from->state.data,
		        .size = from->state.len,
		        .place = {.kernel = from->kernel,
		                  .launch = from->launch,
		                  .kind = (uint8_t)(from->kind < CORRECTION_KINDS ? from->kind
		                                                                  : UINT8_MAX)}};
		copy_text(records[i].place.model, sizeof records[i].place.model, from->device);
		copy_text(records[i].place.driver, sizeof records[i].place.driver, from->driver);
	}
	enum status status = ledger_take(exchange->ledger, reply->store.data, reply->store.len,
	                                 reply->last, records, reply->n_records, &left_out, &error);
	free(records);
	exchange->refused_records += left_out;
	if (status == STATUS_CORRUPT) {
		refused("records", error.text);
		return;
	}
	if (status != STATUS_OK) {
		exchange_fail(exchange, &error);
		return;
	}
	/* there may be more than a page */
	exchange->is_read = reply->last == exchange->read_after;
	exchange_pump(exchange);
}

static bool ask_records(struct exchange *exchange)
{
	uint64_t waiting, after;
	struct error error;
	exchange->is_read = true;
	if (ledger_waiting(exchange->ledger, &waiting, &error) != STATUS_OK ||
	    ledger_cursor(exchange->ledger, &after, &error) != STATUS_OK) {
		exchange_fail(exchange, &error);
		return false;
	}
	if (waiting >= exchange->settings->outbox)
		return false;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	Predictd__ReadRecords body = PREDICTD__READ_RECORDS__INIT;
	body.after = exchange->read_after = after;
	body.count_max = EXCHANGE_BATCH;
	body.with_names = exchange->settings->names[0] == 'y';
	request.body_case = PREDICTD__REQUEST__BODY_READ_RECORDS;
	request.read_records = &body;
	daemon_link_ask(&exchange->daemon, &request, PREDICTD__RESPONSE__BODY_READ_RECORDS,
	                on_records, exchange);
	return true;
}

/* ---- what the site says -------------------------------------------------------------------- */

static void on_told(void *context, const Predictd__Response *response, const char *why)
{
	struct exchange *exchange = context;
	struct error error;
	size_t count = exchange->told_count;
	exchange->told_count = 0;
	if (response == NULL) {
		refused("estimates", why);
		return;
	}
	if (response->tell_site->taken < count)
		refused("estimates", response->tell_site->refusal);
	if (ledger_told(exchange->ledger, exchange->told, count, &error) != STATUS_OK)
		exchange_fail(exchange, &error);
	else
		exchange_pump(exchange);
}

struct collecting {
	const struct launch_place *place;
	struct estimate estimate;
};

static void collect(void *context, const struct known_row *row)
{
	struct collecting *collecting = context;
	struct error error;
	struct correction_record record = {.kernel = collecting->place->kernel};
	record.launch.key = collecting->place->launch;
	record.launch.kind = collecting->place->kind;
	if (correction_decode(row->state, row->size, &record, &error) == STATUS_OK)
		estimate_add(&collecting->estimate, row->node, &record);
}

struct telling {
	Predictd__SiteEstimate messages[EXCHANGE_TOLD], *pointers[EXCHANGE_TOLD];
	uint8_t states[EXCHANGE_TOLD][CORRECTION_RECORD_BYTES];
	struct collecting collecting;
};

static enum status estimate_one(struct exchange *exchange, struct telling *telling, size_t i,
                                struct error *error)
{
	struct launch_place *place = &exchange->told[i];
	Predictd__SiteEstimate *message = &telling->messages[i];
	struct correction_record record = {.kernel = place->kernel};
	telling->collecting.place = place;
	estimate_init(&telling->collecting.estimate);
	if (ledger_known(exchange->ledger, place, collect, &telling->collecting, error) !=
	    STATUS_OK)
		return error->status;
	uint32_t nodes = estimate_finish(&telling->collecting.estimate,
	                                 exchange->settings->agreement, &record);
	predictd__site_estimate__init(message);
	message->kernel = place->kernel;
	message->launch = place->launch;
	message->kind = place->kind;
	message->device = place->model;
	message->driver = place->driver;
	telling->pointers[i] = message;
	if (nodes < exchange->settings->agreement)
		return STATUS_OK; /* of no nodes: it is no more */
	message->nodes = nodes;
	message->state.data = telling->states[i];
	message->state.len = correction_encode(&record, telling->states[i]);
	return STATUS_OK;
}

static bool tell(struct exchange *exchange)
{
	struct error error;
	size_t count;
	enum status status =
	        ledger_touched(exchange->ledger, exchange->told, EXCHANGE_TOLD, &count, &error);
	if (status == STATUS_OK && count == 0)
		return false;
	struct telling *telling = status == STATUS_OK ? malloc(sizeof *telling) : NULL;
	for (size_t i = 0; i < count && telling != NULL && status == STATUS_OK; i++)
		status = estimate_one(exchange, telling, i, &error);
	if (status != STATUS_OK) {
		exchange_fail(exchange, &error);
	} else if (telling != NULL) {
		Predictd__Request request = PREDICTD__REQUEST__INIT;
		Predictd__TellSite body = PREDICTD__TELL_SITE__INIT;
		body.n_estimates = count;
		body.estimates = telling->pointers;
		request.body_case = PREDICTD__REQUEST__BODY_TELL_SITE;
		request.tell_site = &body;
		exchange->told_count = count;
		daemon_link_ask(&exchange->daemon, &request, PREDICTD__RESPONSE__BODY_TELL_SITE,
		                on_told, exchange);
	}
	free(telling);
	return status == STATUS_OK && exchange->told_count > 0;
}

/* ---- calibrations -------------------------------------------------------------------------- */

static void on_exported(void *context, const Predictd__Response *response, const char *why)
{
	struct exchange *exchange = context;
	struct parcel *parcel = &exchange->exported;
	if (response == NULL) {
		refused("export", why);
		parcel_empty(parcel);
		return;
	}
	const ProtobufCBinaryData *bytes = &response->export->calibration;
	parcel->bytes = malloc(bytes->len + 1);
	if (parcel->bytes == NULL)
		return;
	memcpy(parcel->bytes, bytes->data, bytes->len);
	parcel->size = bytes->len;
	exchange_pump(exchange);
}

/* A calibration of a device of this node that the server does not have; what was imported for one
 * that is elsewhere is another node's to send. */
static bool ask_export(struct exchange *exchange)
{
	struct error error;
	bool has = true;
	size_t i = 0;
	if (!exchange->is_welcome || exchange->exported.bytes != NULL)
		return false;
	for (; i < exchange->device_count && has; i++) {
		const struct shared_device *device = &exchange->devices[i];
		if (!device->is_calibrated || !device->is_present || device->borrowed_nodes > 0)
			continue;
		if (ledger_has_calibration(exchange->ledger, device->key, device->epoch, &has,
		                           &error) != STATUS_OK) {
			exchange_fail(exchange, &error);
			return false;
		}
	}
	if (has)
		return false;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	Predictd__Export body = PREDICTD__EXPORT__INIT;
	exchange->exported.device = exchange->devices[i - 1];
	body.device = exchange->exported.device.key;
	request.body_case = PREDICTD__REQUEST__BODY_EXPORT;
	request.export = &body;
	daemon_link_ask(&exchange->daemon, &request, PREDICTD__RESPONSE__BODY_EXPORT, on_exported,
	                exchange);
	return true;
}

static void on_imported(void *context, const Predictd__Response *response, const char *why)
{
	struct exchange *exchange = context;
	if (response == NULL)
		refused("import", why);
	else
		log_write(LOG_SHARE_BORROWED,
		          LOG_TEXT_FIELD("device", exchange->borrowed.device.key),
		          LOG_NUMBER_FIELD("nodes", exchange->borrowed.nodes));
	parcel_empty(&exchange->borrowed);
	exchange->is_listed = false;
	exchange_pump(exchange);
}

static bool import(struct exchange *exchange)
{
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	Predictd__Import body = PREDICTD__IMPORT__INIT;
	if (exchange->borrowed.bytes == NULL)
		return false;
	body.calibration.data = exchange->borrowed.bytes;
	body.calibration.len = exchange->borrowed.size;
	body.borrowed_nodes = exchange->borrowed.nodes;
	request.body_case = PREDICTD__REQUEST__BODY_IMPORT;
	request.import = &body;
	daemon_link_ask(&exchange->daemon, &request, PREDICTD__RESPONSE__BODY_IMPORT, on_imported,
	                exchange);
	return true;
}

void exchange_pump_daemon(struct exchange *exchange)
{
	if (!daemon_link_is_free(&exchange->daemon))
		return;
	if (!exchange->is_listed)
		ask_devices(exchange);
	else if (!import(exchange) && !tell(exchange) && !ask_export(exchange) &&
	         !exchange->is_read)
		(void)ask_records(exchange);
}
