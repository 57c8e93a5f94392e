/* SPDX-License-Identifier: Apache-2.0 */
/* How predictctl speaks: units for people, errors, colour, and exit codes. */
#ifndef PREDICTD_CLIENT_PREDICTCTL_TEXT_H
#define PREDICTD_CLIENT_PREDICTCTL_TEXT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "client/predictd.h"

enum exit_code {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_UNREACHABLE = 3,
	EXIT_UNCALIBRATED = 4,
	EXIT_INTERRUPTED = 130
};

enum { TEXT_MAX = 48 };

/* The exit code of a library call that failed. */
enum exit_code exit_of(predictd_status status);

/* `predictctl: what: why` on standard error. */
void complain(const char *what, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* "predictctl: WHAT: warning: why", in colour on a terminal: what is asked for is done all the
 * same. */
void warn_of(const char *what, const char *why);

/* complain() with the library's last sentence; returns exit_of(status). */
enum exit_code complain_of(const char *what, predictd_status status);

/* True when standard error (for progress) is a terminal. */
bool is_watched(void);

/* Colours of standard output, "" where it is no terminal or NO_COLOR is set. */
const char *color_good(void);
const char *color_bad(void);
const char *color_dim(void);
const char *color_end(void);

/* "4.21" of that many significant digits, never with an exponent between 1e-3 and 1e6. */
void format_number(char text[TEXT_MAX], double value, int digits);
/* "4.21 ms" */
void format_time(char text[TEXT_MAX], double time_s);
/* "3.1 .. 5.9 ms" */
void format_interval(char text[TEXT_MAX], double low_s, double high_s);
/* "32 KiB" */
void format_bytes(char text[TEXT_MAX], double bytes);
/* "34.1 GB/s", "1.2 Gop/s": decimal prefixes before a unit */
void format_rate(char text[TEXT_MAX], double per_s, const char *unit);
/* "256 x 1 x 1", "256" */
void format_sizes(char text[TEXT_MAX], const uint64_t sizes[3], uint32_t dimensions);

/* Prints a JSON object with "schema": 1 and ends it (steals the reference). */
void print_json(json_t *object);

/* A JSON text of what a driver or a source may have put there: bytes that are no UTF-8 are '?'. */
json_t *json_text(const char *text);

/* A JSON number; null where the value is none. */
json_t *json_finite(double value);

#endif
