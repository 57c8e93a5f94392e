/* SPDX-License-Identifier: Apache-2.0 */
/* Samples of buffers: kept for their user, and found for his questions. */
#include "daemon/services/service.h"

#include "daemon/codec/launch_codec.h"
#include "daemon/codec/sample_codec.h"
#include "proto/sample_name.h"

#include <time.h>

/* ---- questions ----------------------------------------------------------------------------- */

static enum status find_sample(struct session *session, const ProtobufCBinaryData *name, size_t i,
                               const struct sample **sample, struct error *error)
{
	struct daemon *daemon = session->daemon;
	if (name->len != SAMPLE_NAME_BYTES)
		return error_set(error, STATUS_INVALID,
		                 "argument %zu: want a sample's name of %d bytes, got %zu", i,
		                 SAMPLE_NAME_BYTES, name->len);
	if (!daemon->accepts_samples)
		return STATUS_OK;
	*sample = samples_use(&daemon->samples, session->user, name->data, (int64_t)time(NULL));
	if (*sample == NULL)
		return error_set(error, STATUS_UNSAMPLED,
		                 "argument %zu: its sample is not kept (any more): send it", i);
	return STATUS_OK;
}

enum status service_launch(struct session *session, const Predictd__Launch *message,
                           struct error *error)
{
	struct launch *launch = &session->daemon->launch;
	enum status status = launch_decode(message, launch, error);
	for (uint32_t i = 0; status == STATUS_OK && i < launch->argument_count; i++) {
		const ProtobufCBinaryData *name = &message->arguments[i]->sample;
		if (name->len > 0)
			status = find_sample(session, name, i, &launch->arguments[i].sample, error);
	}
	return status;
}

/* ---- keeping ------------------------------------------------------------------------------- */

enum status service_keep_sample(struct session *session, struct work *work, struct error *error)
{
	const Predictd__Sample *message = work->message->keep_sample->sample;
	struct daemon *daemon = session->daemon;
	Predictd__KeepSampleReply reply = PREDICTD__KEEP_SAMPLE_REPLY__INIT;
	Predictd__Response response = PREDICTD__RESPONSE__INIT;
	uint8_t name[SAMPLE_NAME_BYTES];
	struct sample *sample;
	if (!daemon->accepts_samples)
		return error_set(error, STATUS_DENIED,
		                 "samples are not accepted here: [samples] accept = no");
	if (message == NULL)
		return error_set(error, STATUS_INVALID, "sample: want one, got none");
	enum status status = sample_decode(message, &sample, error);
	if (status != STATUS_OK)
		return status;
	sample_name(message, name);
	status = samples_keep(&daemon->samples, session->user, name, sample /* taken */,
	                      (int64_t)time(NULL), error);
	if (status != STATUS_OK)
		return status;
	reply.name = (ProtobufCBinaryData){sizeof name, name};
	response.body_case = PREDICTD__RESPONSE__BODY_KEEP_SAMPLE;
	response.keep_sample = &reply;
	session_reply(session, work->message->id, &response);
	return STATUS_OK;
}
