/* SPDX-License-Identifier: Apache-2.0 */
/* A registered program: what was sent, and the handle that the daemon gave for it. */
#ifndef PREDICTD_CLIENT_LIBRARY_PROGRAM_H
#define PREDICTD_CLIENT_LIBRARY_PROGRAM_H

#include "client/library/connection.h"

/* What was sent of a source, to register it again; of variants, what they have in common. */
struct program_source {
	_Atomic unsigned users;
	size_t size;
	uint8_t bytes[]; /* a packed Program message */
};

struct predictd_program {
	const predictd_connection *connection;
	uint64_t number;         /* in this process, of this one alone */
	_Atomic unsigned users;  /* the caller, and questions that wait */
	_Atomic uint64_t serial; /* of the link that `handle` came over */
	_Atomic uint64_t handle;
	char *sourceless_name; /* of a kernel without source, whose handle is always good; else NULL
	                        */
	struct program_source *source;
	char *options; /* of a variant, in place of the source's; else NULL */
	double analysis_time_s;
	Predictd__Response *response; /* the kernels' texts */
	size_t kernel_count;
	predictd_kernel *kernels;
};

/*
 * How often one call registers its programs: a daemon that was started again has forgotten them,
 * and has each analysed once more for every device whose compiler makes something else of it.
 */
enum { PROGRAM_ATTEMPTS_MAX = 10 };

/*
 * A source as a message, borrowed. *headers: an array to free() afterwards, or NULL.
 * False when memory is short.
 */
bool program_message(const predictd_source *source, Predictd__Program *message,
                     Predictd__Header **headers);
void program_message_free(Predictd__Program *message, Predictd__Header *headers);

/*
 * Steps of registering. A new program is the caller's, to release. program_source_new: of one
 * user, which program_source_release ends; NULL: no memory. program_keep takes the reply, also on
 * failure: it is known by it over the link of that serial.
 */
predictd_program *program_new(const predictd_connection *connection);
struct program_source *program_source_new(const predictd_source *source);
void program_source_release(struct program_source *source);
predictd_status program_keep(predictd_program *program, Predictd__Response *response,
                             uint64_t serial);

/* Whether the source has grown by the header that its analysis lacked. */
bool program_find_header(const predictd_source *source, const Predictd__Response *response);

/*
 * Makes the handle good for the ask's link; `again` registers even when it seems to be (the
 * daemon said that it is not). The handle is the library's own, behind the caller's const.
 * *can_retry: over another link.
 */
predictd_status program_refresh(const struct ask *ask, const predictd_program *program, bool again,
                                bool *can_retry);

/*
 * Exchanges requests about programs, over a new link when the old one proves dead before the
 * first reply.
 *
 * program_of   the program of each of `count` things asked about; gets the exchange's context
 * again        registers them anew: the daemon has said that it knows them no more
 * responses    `requests` of them, the caller's, also on failure
 */
predictd_status programs_exchange(struct ask *ask, const struct exchange *exchange, size_t requests,
                                  const predictd_program *(*program_of)(const void *context,
                                                                        size_t index),
                                  size_t count, bool again, Predictd__Response **responses);

uint64_t program_handle(const predictd_program *program);

/* The kernel that a question names, as a message has it: "" where it is the only one. */
char *program_kernel_name(const predictd_program *program, const char *kernel);

/* A program lives until predictd_program_free and every release. */
void program_hold(const predictd_program *program);
void program_release(const predictd_program *program);

#endif
