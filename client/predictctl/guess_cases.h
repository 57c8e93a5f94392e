/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of a file's kernels, sizes guessed: what `cases` writes, and what is asked without sizes.
 */
#ifndef PREDICTD_CLIENT_PREDICTCTL_GUESS_CASES_H
#define PREDICTD_CLIENT_PREDICTCTL_GUESS_CASES_H

#include <jansson.h>

#include "client/predictctl/ask.h"

/*
 * One case for each kernel and size; the named kernel, or every one. What was guessed, and what the
 * source lacks, is said on standard error. Buffers are as large as the launch reaches, by the
 * answer for the device where it is calibrated. A kernel of which the answer still warns is left
 * out, and the warning is said.
 *
 * one     of the command line: file, kernel, options
 * device  as in a question; NULL: the daemon chooses
 * sizes   work-items; none: a usual number
 * list    out: as in a cases file; the caller's
 *
 * EXIT_DONE; else after a message.
 */
enum exit_code guess_json(predictd_connection *connection, const struct launch_case *one,
                          const char *device, const uint64_t *sizes, size_t size_count,
                          json_t **list);

/*
 * The same as launches to ask about; said as the command line's options, for who wants to change
 * one. With is_run they are for running; else nothing is left out. Ended by case_list_deinit.
 */
enum exit_code guess_list(predictd_connection *connection, const struct launch_case *one,
                          const char *device, bool is_run, struct case_list *list);

#endif
