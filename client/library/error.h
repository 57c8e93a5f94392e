/* SPDX-License-Identifier: Apache-2.0 */
/* The library's statuses: the words, and the sentence of a thread's last failure. */
#ifndef PREDICTD_CLIENT_LIBRARY_ERROR_H
#define PREDICTD_CLIENT_LIBRARY_ERROR_H

#include "client/predictd.h"

/* Keeps a formatted sentence for predictd_error_text() and returns `status`. */
predictd_status error_keep(predictd_status status, const char *format, ...)
        __attribute__((format(printf, 2, 3)));

/* Forgets the sentence: what a call does first. */
/* Keeps a sentence as it is. */
void error_keep_text(const char *text);
void error_clear(void);

/* A status from the wire; PREDICTD_INTERNAL when the number is out of range. */
predictd_status status_from_wire(uint32_t number);

/* "memory", "L2 cache", ...; "unknown" when the number is out of range. */
const char *bottleneck_from_wire(uint32_t number);

#endif
