/* SPDX-License-Identifier: Apache-2.0 */
/* Prepared questions: one kernel, launched again and again. <predictd.h> includes this. */
#ifndef PREDICTD_PREPARED_H
#define PREDICTD_PREPARED_H

#include "predictd.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A question whose kernel, shape and devices are looked at once, for runtimes that launch it over
 * and over with other sizes, values and data. Any number of threads may use it at once.
 */
typedef struct predictd_prepared predictd_prepared;

/* What one launch puts in place of the question's own. */
typedef struct predictd_value {
	size_t argument; /* its number */
	/* buffer, local memory, struct: its size; scalar: of its type, three lanes having the room
	 * of four */
	uint64_t size_bytes;
	const void *bytes;             /* scalar: its value, as clSetKernelArg takes it */
	const predictd_sample *sample; /* buffer: or NULL */
} predictd_value;

typedef struct predictd_launch {
	/* as many as the question has dimensions, work-items; NULL: the question's */
	const uint64_t *global, *local, *offset;
	size_t value_count;
	const predictd_value *values; /* arguments that none is for are the question's */
} predictd_launch;

/*
 * question       copied; its program must not be freed before the prepared question
 * devices        `device_count` keys, indices or parts of names; 0: the question's own device
 * prepared       out: the caller's, to predictd_prepared_free before predictd_close
 *
 * PREDICTD_INVALID: as of the question. PREDICTD_LIMIT: more than 256 devices.
 */
predictd_status predictd_prepared_new(predictd_connection *connection,
                                      const predictd_question *question, const char *const *devices,
                                      size_t device_count, predictd_prepared **prepared);
void predictd_prepared_free(predictd_prepared *prepared); /* accepts NULL */

/*
 * As predictd_predict_within, for `count` of the devices from number `first` on; all wait together.
 * Answers are those of the whole question, whoever asks it: predictd_prepare and
 * predictd_predict_into know them, too.
 *
 * estimates   `count`, each with a status of its own
 *
 * PREDICTD_OK: each has an answer; else the last failure. PREDICTD_INVALID: a value or a device
 * that the question does not have; estimates are unchanged. PREDICTD_UNSUPPORTED: a value of an
 * image or a sampler.
 */
predictd_status predictd_prepared_within(const predictd_prepared *prepared,
                                         const predictd_launch *launch, size_t first, size_t count,
                                         double wait_s, predictd_estimate *estimates);

/*
 * Reports a launch of a prepared question, as predictd_report does.
 *
 * device        its number
 * observation   its question is not used
 */
predictd_status predictd_prepared_report(const predictd_prepared *prepared,
                                         const predictd_launch *launch, size_t device,
                                         const predictd_observation *observation);

/*
 * An argument from what clSetKernelArg takes, by the type that the kernel declares.
 *
 * kernel       of predictd_program_kernels
 * size_bytes   scalar, struct: of its type; buffer, local memory: its own
 * bytes        scalar: its value; else not read
 * argument     out: its type is the program's text. A buffer is said to be read and written
 *
 * PREDICTD_INVALID: no such argument, or of another size. PREDICTD_UNSUPPORTED: an image or a
 * sampler, of which bytes tell nothing.
 */
predictd_status predictd_argument_from_bytes(const predictd_kernel *kernel, size_t index,
                                             uint64_t size_bytes, const void *bytes,
                                             predictd_argument *argument);

#ifdef __cplusplus
}
#endif

#endif
