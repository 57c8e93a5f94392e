/* SPDX-License-Identifier: Apache-2.0 */
/* A registered program: what was sent, and the handle that the daemon gave for it. */
#include "client/library/program.h"

#include <stdlib.h>
#include <string.h>

#include "proto/sourceless.h"
#include "proto/text.h"

bool program_message(const predictd_source *source, Predictd__Program *message,
                     Predictd__Header **headers)
{
	size_t count = source->header_count;
	predictd__program__init(message);
	message->name = (char *)(source->name != NULL ? source->name : "kernel.cl");
	message->options = (char *)(source->options != NULL ? source->options : "");
	message->source = (ProtobufCBinaryData){source->size, (uint8_t *)source->text};
	*headers = NULL;
	if (count == 0)
		return true;
	*headers = calloc(count, sizeof **headers);
	message->headers = calloc(count, sizeof *message->headers);
	if (*headers == NULL || message->headers == NULL) {
		program_message_free(message, *headers);
		return false;
	}
	message->n_headers = count;
	for (size_t i = 0; i < count; i++) {
		const predictd_header *from = &source->headers[i];
		predictd__header__init(&(*headers)[i]);
		(*headers)[i].name = (char *)from->name;
		(*headers)[i].text = (ProtobufCBinaryData){from->size, (uint8_t *)from->text};
		message->headers[i] = &(*headers)[i];
	}
	return true;
}

void program_message_free(Predictd__Program *message, Predictd__Header *headers)
{
	free(message->headers);
	message->headers = NULL;
	message->n_headers = 0;
	free(headers);
}

/* A request about `message`, which is borrowed. */
static void register_fill(Predictd__Program *message, Predictd__RegisterProgram *body,
                          Predictd__Request *request)
{
	predictd__register_program__init(body);
	predictd__request__init(request);
	body->program = message;
	request->body_case = PREDICTD__REQUEST__BODY_REGISTER_PROGRAM;
	request->register_program = body;
}

predictd_status programs_exchange(struct ask *ask, const struct exchange *exchange, size_t requests,
                                  const predictd_program *(*program_of)(const void *context,
                                                                        size_t index),
                                  size_t count, bool again, Predictd__Response **responses)
{
	predictd_status status = PREDICTD_UNAVAILABLE;
	bool can_retry = true;
	for (unsigned attempt = 0; attempt < 2 && can_retry; attempt++) {
		const predictd_program *last = NULL;
		status = ask_begin(ask);
		if (status != PREDICTD_OK)
			return status;
		can_retry = false;
		for (size_t i = 0; i < count && status == PREDICTD_OK; i++) {
			const predictd_program *program = program_of(exchange->context, i);
			if (program != last)
				status = program_refresh(ask, program, again, &can_retry);
			last = program;
		}
		if (status == PREDICTD_OK)
			status = ask_exchange(ask, exchange, requests, responses, &can_retry);
	}
	return status;
}

uint64_t program_handle(const predictd_program *program)
{
	return atomic_load_explicit(&program->handle, memory_order_relaxed);
}

char *program_kernel_name(const predictd_program *program, const char *kernel)
{
	const char *own =
	        program != NULL && program->sourceless_name != NULL ? program->sourceless_name : "";
	return (char *)(uintptr_t)(kernel != NULL ? kernel : own);
}

void program_hold(const predictd_program *program)
{
	(void)atomic_fetch_add_explicit(&((predictd_program *)program)->users, 1,
	                                memory_order_relaxed);
}

static void keep_handle(predictd_program *program, uint64_t handle, uint64_t serial)
{
	atomic_store_explicit(&program->handle, handle, memory_order_relaxed);
	atomic_store_explicit(&program->serial, serial, memory_order_release);
}

predictd_status program_refresh(const struct ask *ask, const predictd_program *program, bool again,
                                bool *can_retry)
{
	uint64_t serial = atomic_load_explicit(&program->serial, memory_order_acquire);
	*can_retry = false;
	if (program->connection != ask->connection)
		return error_keep(PREDICTD_INVALID, "a program of another connection");
	if ((!again && serial == ask->link->serial) || program->sourceless_name != NULL)
		return PREDICTD_OK;
	Predictd__Program *message =
	        predictd__program__unpack(NULL, program->source->size, program->source->bytes);
	if (message == NULL)
		return error_keep(PREDICTD_NO_MEMORY, "no memory for a program");
	char *own = message->options;
	if (program->options != NULL)
		message->options = program->options;
	Predictd__RegisterProgram body;
	Predictd__Request request;
	Predictd__Response *response;
	register_fill(message, &body, &request);
	predictd_status status = PREDICTD_UNREGISTERED;
	for (unsigned attempt = 0;
	     status == PREDICTD_UNREGISTERED && attempt < PROGRAM_ATTEMPTS_MAX; attempt++)
		status = ask_call(ask, &request, PREDICTD__RESPONSE__BODY_REGISTER_PROGRAM,
		                  &response, can_retry);
	message->options = own;
	predictd__program__free_unpacked(message, NULL);
	if (status != PREDICTD_OK)
		return status;
	/* the first reply's texts stay */
	keep_handle((predictd_program *)program, response->register_program->handle,
	            ask->link->serial);
	predictd__response__free_unpacked(response, NULL);
	return PREDICTD_OK;
}

static bool kernels_fill(predictd_program *program)
{
	const Predictd__RegisterReply *reply = program->response->register_program;
	program->kernels = calloc(reply->n_kernels + 1, sizeof *program->kernels);
	if (program->kernels == NULL)
		return false;
	program->kernel_count = reply->n_kernels;
	for (size_t i = 0; i < reply->n_kernels; i++) {
		const Predictd__KernelInfo *from = reply->kernels[i];
		predictd_kernel *to = &program->kernels[i];
		size_t arguments = from->n_argument_names < from->n_argument_types
		                           ? from->n_argument_names
		                           : from->n_argument_types;
		*to = (predictd_kernel){
		        .name = from->name,
		        .unsupported = from->unsupported,
		        .argument_count = arguments,
		        .argument_names = (const char *const *)from->argument_names,
		        .argument_types = (const char *const *)from->argument_types,
		};
		for (size_t j = 0; j < 3 && j < from->n_required_local; j++)
			to->required_local[j] = from->required_local[j];
	}
	return true;
}

struct program_source *program_source_new(const predictd_source *source)
{
	Predictd__Program message;
	Predictd__Header *headers = NULL;
	struct program_source *result = NULL;
	if (program_message(source, &message, &headers)) {
		size_t size = predictd__program__get_packed_size(&message);
		result = malloc(sizeof *result + size);
		if (result != NULL) {
			result->users = 1;
			result->size = size;
			(void)predictd__program__pack(&message, result->bytes);
		}
		program_message_free(&message, headers);
	}
	if (result == NULL)
		(void)error_keep(PREDICTD_NO_MEMORY, "no memory for a program");
	return result;
}

void program_source_release(struct program_source *source)
{
	if (source != NULL &&
	    atomic_fetch_sub_explicit(&source->users, 1, memory_order_acq_rel) == 1)
		free(source);
}

predictd_status program_keep(predictd_program *program, Predictd__Response *response,
                             uint64_t serial)
{
	if (program->response != NULL && program->response != response)
		predictd__response__free_unpacked(program->response, NULL);
	program->response = response;
	keep_handle(program, response->register_program->handle, serial);
	program->analysis_time_s = response->register_program->analysis_time_s;
	return kernels_fill(program) ? PREDICTD_OK
	                             : error_keep(PREDICTD_NO_MEMORY, "no memory for a program");
}

/* One registration; the response is the program's, also of a refusal. */
static predictd_status register_once(predictd_program *program, const predictd_source *source,
                                     uint64_t *serial)
{
	Predictd__Program message;
	Predictd__RegisterProgram body;
	Predictd__Request request;
	Predictd__Header *headers = NULL;
	if (program->response != NULL)
		predictd__response__free_unpacked(program->response, NULL);
	program->response = NULL;
	if (!program_message(source, &message, &headers))
		return error_keep(PREDICTD_NO_MEMORY, "no memory for a program");
	register_fill(&message, &body, &request);
	predictd_status status = connection_exchange_over(
	        (predictd_connection *)program->connection, &request, &program->response, serial);
	program_message_free(&message, headers);
	if (status != PREDICTD_OK)
		return status;
	return response_status(program->response, PREDICTD__RESPONSE__BODY_REGISTER_PROGRAM);
}

bool program_find_header(const predictd_source *source, const Predictd__Response *response)
{
	if (response == NULL || response->body_case != PREDICTD__RESPONSE__BODY_ERROR ||
	    response->error->header[0] == '\0' || source->find_header == NULL)
		return false;
	/* the caller's own callback changes the caller's own source */
	return source->find_header((predictd_source *)(uintptr_t)source, response->error->header,
	                           response->error->header_from) == PREDICTD_OK;
}

/* Registers until it is known: with headers that it lacks, and in another device's language. */
static predictd_status register_source(predictd_program *program, const predictd_source *source,
                                       uint64_t *serial)
{
	enum { HEADERS_MAX = 64 };
	unsigned headers = 0, attempts = 0;
	for (;;) {
		predictd_status status = register_once(program, source, serial);
		if (status == PREDICTD_UNREGISTERED && ++attempts < PROGRAM_ATTEMPTS_MAX)
			continue;
		char sentence[512] = "";
		(void)strncat(sentence, predictd_error_text(), sizeof sentence - 1);
		if (status == PREDICTD_SYNTAX && headers++ < HEADERS_MAX &&
		    program_find_header(source, program->response))
			continue;
		return status == PREDICTD_OK ? PREDICTD_OK : error_keep(status, "%s", sentence);
	}
}

predictd_program *program_new(const predictd_connection *connection)
{
	static _Atomic uint64_t numbers;
	predictd_program *program = calloc(1, sizeof *program);
	if (program == NULL)
		return NULL;
	program->connection = connection;
	program->number = atomic_fetch_add_explicit(&numbers, 1, memory_order_relaxed) + 1;
	program->users = 1;
	return program;
}

predictd_status predictd_register(predictd_connection *connection, const predictd_source *source,
                                  predictd_program **result)
{
	error_clear();
	predictd_program *program = program_new(connection);
	if (program == NULL)
		return error_keep(PREDICTD_NO_MEMORY, "no memory for a program");
	uint64_t serial;
	predictd_status status = register_source(program, source, &serial);
	bool is_known = status == PREDICTD_OK;
	/* its first question registers it */
	if (is_known || (status == PREDICTD_UNAVAILABLE && connection->is_lazy)) {
		program->source = program_source_new(source);
		status = program->source != NULL ? PREDICTD_OK : PREDICTD_NO_MEMORY;
	}
	if (is_known && status == PREDICTD_OK)
		status = program_keep(program, program->response, serial);
	if (status == PREDICTD_OK) {
		*result = program;
		program = NULL; /* given */
	}
	predictd_program_free(program);
	return status;
}

predictd_status predictd_register_without_source(predictd_connection *connection, const char *name,
                                                 predictd_program **result)
{
	error_clear();
	size_t length = strlen(name);
	if (length == 0 || length >= SOURCELESS_NAME_MAX || text_clean_bytes(name) != length)
		return error_keep(PREDICTD_INVALID,
		                  "want a name of 1 to %d bytes without control characters, have "
		                  "%zu bytes",
		                  SOURCELESS_NAME_MAX - 1, length);
	predictd_program *program = program_new(connection);
	if (program != NULL) {
		program->sourceless_name = strdup(name);
		program->kernels = calloc(1, sizeof *program->kernels);
	}
	if (program == NULL || program->sourceless_name == NULL || program->kernels == NULL) {
		predictd_program_free(program);
		return error_keep(PREDICTD_NO_MEMORY, "no memory for a program");
	}
	program->kernels[0] =
	        (predictd_kernel){.name = program->sourceless_name, .unsupported = ""};
	program->kernel_count = 1;
	program->handle = SOURCELESS_HANDLE;
	*result = program;
	return PREDICTD_OK;
}

void program_release(const predictd_program *borrowed)
{
	predictd_program *program = (predictd_program *)borrowed;
	if (atomic_fetch_sub_explicit(&program->users, 1, memory_order_acq_rel) > 1)
		return;
	if (program->response != NULL)
		predictd__response__free_unpacked(program->response, NULL);
	program_source_release(program->source);
	free(program->options);
	free(program->sourceless_name);
	free(program->kernels);
	free(program);
}

void predictd_program_free(predictd_program *program)
{
	if (program != NULL)
		program_release(program);
}

size_t predictd_program_kernels(const predictd_program *program, const predictd_kernel **kernels)
{
	*kernels = program->kernels;
	return program->kernel_count;
}

static const Predictd__RegisterReply *reply_of(const predictd_program *program)
{
	const Predictd__Response *response = program->response;
	bool is_reply = response != NULL &&
	                response->body_case == PREDICTD__RESPONSE__BODY_REGISTER_PROGRAM;
	return is_reply ? response->register_program : NULL;
}

const char *predictd_program_undefined(const predictd_program *program)
{
	const Predictd__RegisterReply *reply = reply_of(program);
	return reply != NULL ? reply->undefined : "";
}

const char *predictd_program_left_out(const predictd_program *program)
{
	const Predictd__RegisterReply *reply = reply_of(program);
	return reply != NULL ? reply->left_out : "";
}

double predictd_program_analysis_time_s(const predictd_program *program)
{
	return program->analysis_time_s;
}
