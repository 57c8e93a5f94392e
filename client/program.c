/* SPDX-License-Identifier: Apache-2.0 */
/* A registered program: what was sent, and the handle that the daemon gave for it. */
#include "client/program.h"

#include <stdlib.h>
#include <string.h>

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

static predictd_status register_message(predictd_connection *connection, Predictd__Program *message,
                                        Predictd__Response **response)
{
	Predictd__RegisterProgram body = PREDICTD__REGISTER_PROGRAM__INIT;
	body.program = message;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	request.body_case = PREDICTD__REQUEST__BODY_REGISTER_PROGRAM;
	request.register_program = &body;
	return connection_call(connection, &request, PREDICTD__RESPONSE__BODY_REGISTER_PROGRAM,
	                       response);
}

predictd_status program_refresh(predictd_connection *connection, predictd_program *program,
                                bool again)
{
	if (program->connection != connection)
		return error_keep(PREDICTD_INVALID, "a program of another connection");
	if (!again && program->serial == connection->serial)
		return PREDICTD_OK;
	Predictd__Program *message =
	        predictd__program__unpack(NULL, program->packed_size, program->packed);
	if (message == NULL)
		return error_keep(PREDICTD_NO_MEMORY, "no memory for a program");
	Predictd__Response *response;
	predictd_status status = register_message(connection, message, &response);
	predictd__program__free_unpacked(message, NULL);
	if (status != PREDICTD_OK)
		return status;
	/* the same source has the same kernels: the first reply's texts stay */
	program->handle = response->register_program->handle;
	program->serial = connection->serial;
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

predictd_status predictd_register(predictd_connection *connection, const predictd_source *source,
                                  predictd_program **result)
{
	error_clear();
	Predictd__Program message;
	Predictd__Header *headers = NULL;
	predictd_program *program = calloc(1, sizeof *program);
	if (program == NULL || !program_message(source, &message, &headers)) {
		free(program);
		return error_keep(PREDICTD_NO_MEMORY, "no memory for a program");
	}
	predictd_status status = PREDICTD_OK;
	program->connection = connection;
	program->packed_size = predictd__program__get_packed_size(&message);
	program->packed = malloc(program->packed_size + 1);
	if (program->packed == NULL) {
		status = error_keep(PREDICTD_NO_MEMORY, "no memory for a program");
		goto out;
	}
	(void)predictd__program__pack(&message, program->packed);
	pthread_mutex_lock(&connection->mutex);
	status = register_message(connection, &message, &program->response);
	program->serial = connection->serial;
	pthread_mutex_unlock(&connection->mutex);
	if (status != PREDICTD_OK)
		goto out;
	program->handle = program->response->register_program->handle;
	program->analysis_time_s = program->response->register_program->analysis_time_s;
	if (!kernels_fill(program)) {
		status = error_keep(PREDICTD_NO_MEMORY, "no memory for a program");
		goto out;
	}
	*result = program;
	program = NULL; /* given */
out:
	program_message_free(&message, headers);
	predictd_program_free(program);
	return status;
}

void predictd_program_free(predictd_program *program)
{
	if (program == NULL)
		return;
	if (program->response != NULL)
		predictd__response__free_unpacked(program->response, NULL);
	free(program->packed);
	free(program->kernels);
	free(program);
}

size_t predictd_program_kernels(const predictd_program *program, const predictd_kernel **kernels)
{
	*kernels = program->kernels;
	return program->kernel_count;
}

double predictd_program_analysis_time_s(const predictd_program *program)
{
	return program->analysis_time_s;
}
