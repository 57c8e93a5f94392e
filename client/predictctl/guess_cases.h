/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of a file's kernels, sizes guessed: what `cases` writes, and what is asked without sizes.
 */
#ifndef PREDICTD_CLIENT_PREDICTCTL_GUESS_CASES_H
#define PREDICTD_CLIENT_PREDICTCTL_GUESS_CASES_H

#include <jansson.h>

#include "client/predictctl/ask.h"

/*
 * One case for each kernel and size; the named kernel, or every one. What was guessed, and what the
 * source lacks, is said on standard error.
 *
 * one     of the command line: file, kernel, options
 * sizes   work-items; none: a usual number
 * list    out: as in a cases file; the caller's
 *
 * EXIT_DONE; else after a message.
 */
enum exit_code guess_json(predictd_connection *connection, const struct launch_case *one,
                          const uint64_t *sizes, size_t size_count, json_t **list);

/*
 * The same as launches to ask about; said as the command line's options, for who wants to change
 * one. Ended by case_list_deinit.
 */
enum exit_code guess_list(predictd_connection *connection, const struct launch_case *one,
                          struct case_list *list);

#endif
