/* SPDX-License-Identifier: Apache-2.0 */
/* Samples of buffers: kept for their user, and found for his questions. */
#include "daemon/services/service.h"

#include "daemon/codec/launch_codec.h"
#include "daemon/codec/sample_codec.h"
#include "proto/sample_name.h"

#include <time.h>

enum { KEEP_MAX = 16 };

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

static enum status keep(struct session *session, const Predictd__Sample *message,
                        ProtobufCBinaryData *name, struct error *error)
{
	struct sample *sample;
	enum status status = sample_decode(message, &sample, error);
	if (status != STATUS_OK)
		return status;
	name->len = SAMPLE_NAME_BYTES;
	name->data = arena_allocate(&session->arena, SAMPLE_NAME_BYTES);
	if (name->data == NULL) {
		sample_release(sample);
		return error_set(error, STATUS_NO_MEMORY, "samples: no memory");
	}
	sample_name(message, name->data);
	return samples_keep(&session->daemon->samples, session->user, name->data,
	                    sample /* taken */, (int64_t)time(NULL), error);
}

static bool step_keep(struct session *session, struct work *work)
{
	const Predictd__KeepSamples *message = work->message->keep_samples;
	Predictd__KeepSamplesReply reply = PREDICTD__KEEP_SAMPLES_REPLY__INIT;
	Predictd__Response response = PREDICTD__RESPONSE__INIT;
	struct error error;
	reply.names = work->data;
	if (work->position < message->n_samples) {
		size_t i = work->position++;
		if (keep(session, message->samples[i], &reply.names[i], &error) == STATUS_OK)
			return false;
		session_reply_error(session, work->message->id, &error);
		return true;
	}
	reply.n_names = message->n_samples;
	response.body_case = PREDICTD__RESPONSE__BODY_KEEP_SAMPLES;
	response.keep_samples = &reply;
	session_reply(session, work->message->id, &response);
	return true;
}

/* One a step: to look at a sample takes some hundred microseconds. */
enum status service_keep_samples(struct session *session, struct work *work, struct error *error)
{
	size_t count = work->message->keep_samples->n_samples;
	if (!session->daemon->accepts_samples)
		return error_set(error, STATUS_DENIED,
		                 "samples are not accepted here: [samples] accept = no");
	if (count == 0 || count > KEEP_MAX)
		return error_set(error, STATUS_LIMIT, "samples: want 1 to %d, got %zu", KEEP_MAX,
		                 count);
	work->data = arena_allocate(&session->arena, count * sizeof(ProtobufCBinaryData));
	if (work->data == NULL)
		return error_set(error, STATUS_NO_MEMORY, "samples: no memory");
	work->step = step_keep;
	return STATUS_OK;
}
