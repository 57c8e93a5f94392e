/* SPDX-License-Identifier: Apache-2.0 */
/* Requests that wait. */
#include "daemon/serve/request.h"

#include "daemon/daemon.h"
#include "daemon/serve/session.h"
#include "daemon/serve/turns.h"

#include <utlist.h>

static struct request **list_of(const struct request *request)
{
	struct session *session = request->session;
	return request->step != NULL ? &session->ready : &session->requests;
}

enum status request_begin(struct request *request, struct session *session, uint64_t id,
                          void (*on_abandoned)(struct request *, bool has_left),
                          struct error *error)
{
	size_t most = session->daemon->config.requests_per_connection;
	if (session->request_count >= most)
		return error_set(error, STATUS_BUSY, "%zu requests of this connection wait", most);
	struct work *work = &session->work;
	*request = (struct request){.session = session,
	                            .id = id,
	                            .on_abandoned = on_abandoned,
	                            .kind = work->kind,
	                            .begun_ns = work->begun_ns};
	work->begun_ns = 0; /* timed until this request is answered */
	DL_PREPEND(session->requests, request);
	session->request_count++;
	return STATUS_OK;
}

static struct session *detach(struct request *request)
{
	struct session *session = request->session;
	if (session == NULL)
		return NULL;
	DL_DELETE(*list_of(request), request);
	session->request_count--;
	request->session = NULL;
	return session;
}

void request_time(const struct session *session, unsigned kind, uint64_t begun_ns)
{
	struct metrics *metrics = &session->daemon->metrics;
	if (begun_ns == 0)
		return;
	uint64_t now_ns = uv_hrtime();
	metrics_clock(metrics, now_ns);
	histogram_add(&metrics->latency[kind], 1, now_ns - begun_ns);
}

struct session *request_take(struct request *request)
{
	struct session *session = detach(request);
	if (session != NULL)
		request_time(session, request->kind, request->begun_ns);
	return session;
}

void request_ready(struct request *request, bool (*step)(struct session *, struct work *),
                   void (*on_left)(struct request *, bool has_left))
{
	struct session *session = request->session;
	if (session == NULL) {
		on_left(request, true);
		return;
	}
	DL_DELETE(session->requests, request);
	request->step = step;
	request->on_abandoned = on_left;
	DL_APPEND(session->ready, request);
	turns_wait(session);
}

static void sent(struct session *session)
{
	session_flush(session);
	session_close_when_done(session);
}

void request_progress(struct request *request, Predictd__Response *response)
{
	if (request->session == NULL)
		return;
	session_reply(request->session, request->id, response);
	if (request->session != NULL)
		session_flush(request->session);
}

void request_finish(struct request *request, Predictd__Response *response)
{
	struct session *session = request_take(request);
	if (session == NULL)
		return;
	session_reply(session, request->id, response);
	sent(session);
}

void request_finish_error(struct request *request, const struct error *error)
{
	struct session *session = request_take(request);
	if (session == NULL)
		return;
	session_reply_error(session, request->id, error);
	sent(session);
}

struct request *request_find(const struct session *session, uint64_t id)
{
	struct request *request;
	DL_SEARCH_SCALAR(session->requests, request, id, id);
	if (request == NULL)
		DL_SEARCH_SCALAR(session->ready, request, id, id);
	return request;
}

void requests_abandon(struct session *session)
{
	struct request *request;
	while ((request = session->requests != NULL ? session->requests : session->ready) != NULL) {
		(void)detach(request);
		if (request->on_abandoned != NULL)
			request->on_abandoned(request, true);
	}
}
