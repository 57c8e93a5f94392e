/* SPDX-License-Identifier: Apache-2.0 */
/* A sample of a buffer: taken from a host pointer, named by its hash, sent where it is missed. */
#ifndef PREDICTD_CLIENT_LIBRARY_SAMPLE_H
#define PREDICTD_CLIENT_LIBRARY_SAMPLE_H

#include <stdatomic.h>

#include "client/library/connection.h"
#include "proto/sample_name.h"

enum {
	SAMPLE_RUNS = 16,
	SAMPLE_RUN_BYTES = 4096,
	SAMPLE_BYTES = SAMPLE_RUNS * SAMPLE_RUN_BYTES /* smaller buffers are read whole */
};

struct predictd_sample {
	_Atomic unsigned users; /* the caller, and questions that wait */
	uint8_t name[SAMPLE_NAME_BYTES];
	Predictd__Sample message; /* of what follows */
	char type[8];
	uint64_t offsets_bytes[SAMPLE_RUNS];
	uint32_t lengths_bytes[SAMPLE_RUNS];
	uint8_t bytes[];
};

/* Where run i of a buffer of more than SAMPLE_BYTES begins. */
uint64_t sample_run_offset(uint64_t size_bytes, unsigned i);

/* A sample lives until predictd_sample_free and every release. Both accept NULL. */
void client_sample_hold(const predictd_sample *sample);
void client_sample_release(const predictd_sample *sample);

/* The sample that a question to this connection names; NULL: none. */
const predictd_sample *argument_sample(const predictd_argument *argument);

/*
 * Sends the samples of `count` questions, each once, over the ask's link: the daemon has said that
 * it lacks one. *is_refused is set where it takes one of them not: the questions are to be asked
 * without.
 */
predictd_status samples_send(struct ask *ask,
                             const predictd_question *(*question_of)(const void *context, size_t i),
                             const void *context, size_t count, bool *is_refused);

#endif
