/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Configuration files, by inih: the first line in error is named, and values are text, numbers or
 * one of a few words. What keys there are is the caller's table.
 */
#ifndef PREDICTD_DAEMON_INI_FILE_H
#define PREDICTD_DAEMON_INI_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "model/status.h"

/* Takes one key; a status but STATUS_OK refuses it, with what was wanted in `error`. */
typedef enum status ini_key(void *into, const char *section, const char *key, const char *value,
                            struct error *error);

/*
 * Gives each key of the file to `take`, in order, until one is refused. STATUS_NOT_FOUND: no such
 * file. STATUS_INVALID names file, line, section and key.
 */
enum status ini_load(const char *path, ini_key *take, void *into, struct error *error);

/* A text of less than `size` bytes. */
enum status ini_text(char *field, size_t size, const char *value, struct error *error);

/* A whole number within bounds, which may end with K, M or G. */
enum status ini_number(uint32_t *field, const char *value, uint64_t least, uint64_t most,
                       struct error *error);

/* One of `words`, as in "red, green or blue". */
enum status ini_word(const char *value, const char *words, struct error *error);

#endif
