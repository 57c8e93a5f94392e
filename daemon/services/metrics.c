/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics to who asks over the daemon's own socket: names, where configured, to administrators. */
#include "daemon/services/service.h"

#include "daemon/export/page.h"

enum status service_metrics(struct session *session, struct work *work, struct error *error)
{
	struct daemon *daemon = session->daemon;
	struct metrics_text text = {.bytes = NULL};
	Predictd__MetricsReply reply = PREDICTD__METRICS_REPLY__INIT;
	Predictd__Response response = PREDICTD__RESPONSE__INIT;
	page_write(daemon, daemon->has_names && session_is_admin(session), &text);
	if (text.has_failed) {
		metrics_text_deinit(&text);
		return error_set(error, STATUS_NO_MEMORY, "metrics: no memory");
	}
	reply.text = text.bytes;
	response.body_case = PREDICTD__RESPONSE__BODY_METRICS;
	response.metrics = &reply;
	session_reply(session, work->message->id, &response);
	metrics_text_deinit(&text);
	return STATUS_OK;
}
