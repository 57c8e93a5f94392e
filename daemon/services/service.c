/* SPDX-License-Identifier: Apache-2.0 */
/* Which service answers which request; the handshake. */
#include "daemon/services/service.h"

#include "daemon/log.h"

static enum status service_hello(struct session *session, struct work *work, struct error *error)
{
	const Predictd__Hello *hello = work->message->hello;
	if (hello->protocol != DAEMON_PROTOCOL)
		return error_set(error, STATUS_UNSUPPORTED, "protocol: want %d, got %u",
		                 DAEMON_PROTOCOL, hello->protocol);
	Predictd__HelloReply reply = PREDICTD__HELLO_REPLY__INIT;
	Predictd__Response response = PREDICTD__RESPONSE__INIT;
	session->has_greeted = true;
	log_write(LOG_SESSION_OPENED, LOG_NUMBER_FIELD("uid", session->user),
	          LOG_NUMBER_FIELD("pid", session->pid), LOG_TEXT_FIELD("client", hello->client));
	reply.protocol = DAEMON_PROTOCOL;
	reply.version = PREDICTD_VERSION;
	reply.frame_bytes_max = session->daemon->config.frame_bytes;
	response.body_case = PREDICTD__RESPONSE__BODY_HELLO;
	response.hello = &reply;
	session_reply(session, work->message->id, &response);
	return STATUS_OK;
}

/* What is known before a request is begun. */
enum needed { NOTHING, STORED, DEVICES };

/* X(BODY, service, what it waits for) */
#define SERVICE_TABLE(X)                                                                           \
	X(HELLO, service_hello, NOTHING)                                                           \
	X(REGISTER_PROGRAM, service_register_program, DEVICES)                                     \
	X(REGISTER_VARIANTS, service_register_variants, DEVICES)                                   \
	X(PREDICT, service_predict, DEVICES)                                                       \
	X(PREDICT_BATCH, service_predict_batch, DEVICES)                                           \
	X(LIST_DEVICES, service_list_devices, DEVICES)                                             \
	X(CALIBRATE, service_calibrate, DEVICES)                                                   \
	X(CANCEL, service_cancel, NOTHING)                                                         \
	X(STATUS, service_status, STORED)                                                          \
	X(METRICS, service_metrics, NOTHING)                                                       \
	X(BACKUP, service_backup, STORED)                                                          \
	X(LIST_KERNELS, service_list_kernels, DEVICES)                                             \
	X(LIST_USERS, service_list_users, STORED)                                                  \
	X(EXPORT, service_export, DEVICES)                                                         \
	X(IMPORT, service_import, DEVICES)                                                         \
	X(PLACE, service_place, DEVICES)                                                           \
	X(OBSERVE, service_observe, DEVICES)                                                       \
	X(HISTORY, service_history, DEVICES)                                                       \
	X(FORGET, service_forget, DEVICES)                                                         \
	X(WATCH_EPOCHS, service_watch_epochs, NOTHING)                                             \
	X(REMOVE_CALIBRATION, service_remove_calibration, DEVICES)                                 \
	X(KEEP_SAMPLE, service_keep_sample, STORED)                                                \
	X(CONTENTION, service_contention, DEVICES)                                                 \
	X(KEEP_CHOICE, service_keep_choice, DEVICES)                                               \
	X(FIND_CHOICE, service_find_choice, DEVICES)                                               \
	X(FIND_REACHES, service_find_reaches, DEVICES)                                             \
	X(READ_RECORDS, service_read_records, DEVICES)                                             \
	X(TELL_SITE, service_tell_site, DEVICES)

static bool may_start(const struct daemon *daemon, const Predictd__Request *message)
{
	enum needed needed = NOTHING;
	switch (message->body_case) {
#define X(body, function, what)                                                                    \
	case PREDICTD__REQUEST__BODY_##body:                                                       \
		needed = what;                                                                     \
		break;
		SERVICE_TABLE(X)
#undef X
	default:
		break;
	}
	if (needed == DEVICES)
		return daemon->is_registry_ready;
	return needed == NOTHING || daemon->is_store_loaded;
}

static void start(struct session *session, struct work *work)
{
	const Predictd__Request *message = work->message;
	struct error error = {.status = STATUS_OK};
	enum status status;
	if (message->id == 0) {
		status = error_set(&error, STATUS_INVALID, "request id: want not 0");
	} else if (!session->has_greeted && message->body_case != PREDICTD__REQUEST__BODY_HELLO) {
		status = error_set(&error, STATUS_INVALID, "want hello as the first request");
	} else {
		switch (message->body_case) {
#define X(body, function, what)                                                                    \
	case PREDICTD__REQUEST__BODY_##body:                                                       \
		status = function(session, work, &error);                                          \
		break;
			SERVICE_TABLE(X)
#undef X
		default:
			status = error_set(&error, STATUS_UNSUPPORTED,
			                   "request: this version (%s) does not know it",
			                   PREDICTD_VERSION);
			break;
		}
	}
	if (status == STATUS_OK)
		return;
	error.status = status;
	session_reply_error(session, message->id, &error);
	if (!session->has_greeted)
		session_end(session);
}

const struct services services = {.may_start = may_start, .start = start};
