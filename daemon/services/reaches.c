/* SPDX-License-Identifier: Apache-2.0 */
/* Which bytes a part of a launch reads and writes, for who splits it. */
#include "daemon/services/service.h"

#include "daemon/services/sourceless.h"
#include "model/split/split.h"

#include <stdlib.h>

struct reply_room {
	Predictd__ArgumentReaches arguments[IR_ARGUMENTS_MAX], *list[IR_ARGUMENTS_MAX];
	Predictd__Reach reads[IR_ARGUMENTS_MAX], writes[IR_ARGUMENTS_MAX];
	struct split_reaches reaches;
};

static void encode_reach(const struct reach *reach, Predictd__Reach *message)
{
	predictd__reach__init(message);
	message->kind = reach->kind;
	message->stride_bytes = reach->stride_bytes;
	message->low_bytes = reach->low_bytes;
	message->high_bytes = reach->high_bytes;
}

static void encode(struct reply_room *room, Predictd__FindReachesReply *reply)
{
	for (uint32_t i = 0; i < room->reaches.argument_count; i++) {
		struct split_argument *from = &room->reaches.arguments[i];
		Predictd__ArgumentReaches *to = room->list[i] = &room->arguments[i];
		predictd__argument_reaches__init(to);
		encode_reach(&from->reads, &room->reads[i]);
		encode_reach(&from->writes, &room->writes[i]);
		to->reads = &room->reads[i];
		to->writes = &room->writes[i];
		to->is_filled = from->is_filled;
		to->refusal = from->refusal;
	}
	reply->arguments = room->list;
	reply->n_arguments = room->reaches.argument_count;
	reply->refusal = room->reaches.refusal;
}

static enum status find(struct session *session, const Predictd__FindReaches *message,
                        struct split_reaches *reaches, struct error *error)
{
	struct daemon *daemon = session->daemon;
	const Predictd__Predict *question = message->question;
	const struct program *program = NULL;
	const struct ir_kernel *kernel = NULL;
	size_t device = 0;
	enum status status;
	if (question == NULL)
		return error_set(error, STATUS_INVALID, "reaches: want a question, got none");
	if (sourceless_is_meant(question->handle))
		return error_set(error, STATUS_UNSUPPORTED,
		                 "a kernel without source: what its parts do is not known");
	status = registry_find(&daemon->registry, question->device, &device, error);
	if (status == STATUS_OK)
		status = predict_program(daemon, question->handle, device, &program, error);
	if (status == STATUS_OK)
		status = program_find_kernel(program, question->kernel, &kernel, error);
	if (status == STATUS_OK)
		status = service_launch(session, question->launch, error);
	if (status == STATUS_OK)
		status = launch_check(kernel, &daemon->registry.devices[device]->device,
		                      &daemon->launch, error);
	if (status == STATUS_OK)
		status = split_find_reaches(kernel, &daemon->launch, message->dimension, reaches,
		                            error);
	return status;
}

static bool step_reaches(struct session *session, struct work *work)
{
	struct error error = {.status = STATUS_OK};
	Predictd__FindReachesReply reply = PREDICTD__FIND_REACHES_REPLY__INIT;
	Predictd__Response response = PREDICTD__RESPONSE__INIT;
	struct reply_room *room = calloc(1, sizeof *room);
	enum status status =
	        room == NULL ? error_set(&error, STATUS_NO_MEMORY, "reaches: no memory")
	                     : find(session, work->message->find_reaches, &room->reaches, &error);
	error.status = status;
	if (status == STATUS_OK) {
		encode(room, &reply);
		response.body_case = PREDICTD__RESPONSE__BODY_FIND_REACHES;
		response.find_reaches = &reply;
		session_reply(session, work->message->id, &response);
	} else {
		session_reply_error(session, work->message->id, &error);
	}
	free(room);
	return true;
}

enum status service_find_reaches(struct session *session, struct work *work, struct error *error)
{
	(void)session;
	(void)error;
	work->step = step_reaches;
	return STATUS_OK;
}
