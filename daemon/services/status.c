/* SPDX-License-Identifier: Apache-2.0 */
/* The daemon's own state. */
#include "daemon/services/service.h"

#include "proto/text.h"

/* A copy of what drivers, files and the system have said, cut or not; NULL: no memory. */
static char *clean(struct session *session, const char *text)
{
	char *copy = arena_text(&session->arena, text);
	if (copy != NULL)
		text_clean(copy);
	return copy;
}

enum status service_status(struct session *session, struct work *work, struct error *error)
{
	struct daemon *daemon = session->daemon;
	Predictd__StatusReply reply = PREDICTD__STATUS_REPLY__INIT;
	Predictd__Response response = PREDICTD__RESPONSE__INIT;
	char drifts[OBSERVATIONS_DRIFTS_MAX][CORRECTION_SENTENCE_MAX + 160],
	        *sentences[OBSERVATIONS_DRIFTS_MAX];
	size_t resident = 0;
	(void)uv_resident_set_memory(&resident);
	reply.version = PREDICTD_VERSION;
	reply.uptime_s = (double)(uv_hrtime() - daemon->started_ns) * 1e-9;
	reply.connections = daemon->session_count;
	reply.requests = metrics_requests(&daemon->metrics);
	reply.predictions = daemon->metrics.predictions;
	reply.programs = daemon->programs.count;
	reply.analyses = daemon->analysis.forks;
	reply.refused = metrics_refusals(&daemon->metrics) + daemon->metrics.connections_refused;
	reply.background = daemon->analysis.background_forks + daemon->evaluations.made;
	reply.resident_bytes = resident;
	reply.socket = clean(session, daemon->paths.socket);
	reply.state_directory = clean(session, daemon->paths.state);
	reply.store_problem = clean(session, daemon->persistence.problem);
	reply.analyser_problem = clean(session, daemon->analysis.process.problem);
	reply.device_problem = clean(session, daemon->registry.problem);
	const struct device *calibrating = calibration_device(&daemon->calibration);
	reply.calibrating = clean(session, calibrating == NULL ? "" : calibrating->name);
	reply.calibrating_key = clean(session, calibrating == NULL ? "" : calibrating->key);
	reply.jail_problem = clean(session, daemon->analysis.process.lack);
	reply.observations = correction_runs(daemon->observations.correction);
	reply.site_records = correction_site_records(daemon->observations.correction);
	for (size_t i = 0; i < daemon->registry.count; i++) {
		reply.borrowed_devices += daemon->registry.devices[i]->device.borrowed_nodes > 0;
		reply.coming_devices += recalibrating_is_coming(&daemon->recalibrating, i);
	}
	if (reply.coming_devices > 0)
		reply.coming_waits_for =
		        (char *)(uintptr_t)recalibrating_waits_for(&daemon->recalibrating);
	reply.n_drifts =
	        observations_drifts(&daemon->observations, drifts, OBSERVATIONS_DRIFTS_MAX);
	for (size_t i = 0; i < reply.n_drifts; i++) {
		text_clean(drifts[i]);
		sentences[i] = drifts[i];
	}
	reply.drifts = sentences;
	if (reply.socket == NULL || reply.state_directory == NULL || reply.store_problem == NULL ||
	    reply.analyser_problem == NULL || reply.device_problem == NULL ||
	    reply.calibrating == NULL || reply.calibrating_key == NULL ||
	    reply.jail_problem == NULL)
		return error_set(error, STATUS_NO_MEMORY, "status: no memory");
	response.body_case = PREDICTD__RESPONSE__BODY_STATUS;
	response.status = &reply;
	session_reply(session, work->message->id, &response);
	return STATUS_OK;
}
