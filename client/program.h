/* SPDX-License-Identifier: Apache-2.0 */
/* A registered program: what was sent, and the handle that the daemon gave for it. */
#ifndef PREDICTD_CLIENT_PROGRAM_H
#define PREDICTD_CLIENT_PROGRAM_H

#include "client/connection.h"

struct predictd_program {
	const predictd_connection *connection;
	uint64_t serial; /* of the socket that `handle` came over */
	uint64_t handle;
	uint8_t *packed; /* the Program message, to register again */
	size_t packed_size;
	double analysis_time_s;
	Predictd__Response *response; /* the kernels' texts */
	size_t kernel_count;
	predictd_kernel *kernels;
};

/*
 * A source as a message, borrowed. *headers: an array to free() afterwards, or NULL.
 * False when memory is short.
 */
bool program_message(const predictd_source *source, Predictd__Program *message,
                     Predictd__Header **headers);
void program_message_free(Predictd__Program *message, Predictd__Header *headers);

/*
 * Makes the handle good for the connection as it is now; `again` registers even when it
 * seems to be (the daemon said that it is not). Wants the mutex held and the socket open.
 */
predictd_status program_refresh(predictd_connection *connection, predictd_program *program,
                                bool again);

#endif
