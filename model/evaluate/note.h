/* SPDX-License-Identifier: Apache-2.0 */
/* Notes: what an answer assumes, in one line. */
#ifndef PREDICTD_MODEL_EVALUATE_NOTE_H
#define PREDICTD_MODEL_EVALUATE_NOTE_H

#include <stddef.h>

enum { EVALUATE_NOTE_MAX = 256 };

/* Adds one assumption to a note, parted by "; ", once; truncates. */
void note_add(char *note, size_t size, const char *format, ...)
        __attribute__((format(printf, 3, 4)));

#endif
