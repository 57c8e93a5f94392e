/* SPDX-License-Identifier: Apache-2.0 */
/* Which service answers which request; the handshake. */
#include "daemon/service.h"

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

/* X(BODY, service, waits until devices are known) */
#define SERVICE_TABLE(X)                                                                           \
	X(HELLO, service_hello, false)                                                             \
	X(REGISTER_PROGRAM, service_register_program, false)                                       \
	X(PREDICT, service_predict, true)                                                          \
	X(PREDICT_BATCH, service_predict_batch, true)                                              \
	X(LIST_DEVICES, service_list_devices, true)                                                \
	X(CALIBRATE, service_calibrate, true)                                                      \
	X(CANCEL, service_cancel, false)                                                           \
	X(STATUS, service_status, false)                                                           \
	X(EXPORT, service_export, true)                                                            \
	X(IMPORT, service_import, true)                                                            \
	X(PLACE, service_place, true)                                                              \
	X(OBSERVE, service_observe, true)                                                          \
	X(HISTORY, service_history, true)                                                          \
	X(FORGET, service_forget, true)                                                            \
	X(WATCH_EPOCHS, service_watch_epochs, false)

bool service_needs_devices(const Predictd__Request *message)
{
	switch (message->body_case) {
#define X(body, function, needs_devices)                                                           \
	case PREDICTD__REQUEST__BODY_##body:                                                       \
		return needs_devices;
		SERVICE_TABLE(X)
#undef X
	default:
		return false;
	}
}

void service_start(struct session *session, struct work *work)
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
#define X(body, function, needs_devices)                                                           \
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
