/* SPDX-License-Identifier: Apache-2.0 */
/* The clock of all time limits: nanoseconds of CLOCK_MONOTONIC. 0 as an end: none. */
#ifndef PREDICTD_CLIENT_LIBRARY_CLOCK_H
#define PREDICTD_CLIENT_LIBRARY_CLOCK_H

#include <stdint.h>

int64_t clock_now_ns(void);
/* The earlier of two ends. */
int64_t end_earlier(int64_t a_ns, int64_t b_ns);
/* The later of two ends. */
int64_t end_later(int64_t a_ns, int64_t b_ns);

#endif
