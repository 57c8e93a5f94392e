/* SPDX-License-Identifier: Apache-2.0 */
/* The daemon's own state. */
#include "daemon/service.h"

enum status service_status(struct session *session, struct work *work, struct error *error)
{
	struct daemon *daemon = session->daemon;
	Predictd__StatusReply reply = PREDICTD__STATUS_REPLY__INIT;
	Predictd__Response response = PREDICTD__RESPONSE__INIT;
	char drifts[OBSERVATIONS_DRIFTS_MAX][CORRECTION_SENTENCE_MAX + 160],
	        *sentences[OBSERVATIONS_DRIFTS_MAX];
	size_t resident = 0;
	(void)error;
	(void)uv_resident_set_memory(&resident);
	reply.version = PREDICTD_VERSION;
	reply.uptime_s = (double)(uv_hrtime() - daemon->started_ns) * 1e-9;
	reply.connections = daemon->session_count;
	reply.requests = daemon->requests;
	reply.predictions = daemon->predictions;
	reply.programs = daemon->programs.count;
	reply.analyses = daemon->analysis.forks;
	reply.refused = daemon->refused;
	reply.background = daemon->analysis.background_forks + daemon->evaluations.made;
	reply.resident_bytes = resident;
	reply.socket = daemon->paths.socket;
	reply.state_directory = daemon->paths.state;
	reply.store_problem = daemon->keeping.problem;
	reply.analyser_problem = daemon->analysis.process.problem;
	reply.device_problem = daemon->registry.problem;
	reply.observations = correction_runs(daemon->observations.correction);
	reply.n_drifts =
	        observations_drifts(&daemon->observations, drifts, OBSERVATIONS_DRIFTS_MAX);
	for (size_t i = 0; i < reply.n_drifts; i++)
		sentences[i] = drifts[i];
	reply.drifts = sentences;
	const struct device *calibrating = calibration_device(&daemon->calibration);
	if (calibrating != NULL) {
		reply.calibrating = (char *)calibrating->name;
		reply.calibrating_key = (char *)calibrating->key;
	}
	response.body_case = PREDICTD__RESPONSE__BODY_STATUS;
	response.status = &reply;
	session_reply(session, work->message->id, &response);
	return STATUS_OK;
}
