/* SPDX-License-Identifier: Apache-2.0 */
/* This program anew, for what may crash or hang in a driver, or is done on several processors. */
#ifndef PREDICTD_CALIBRATOR_SELF_H
#define PREDICTD_CALIBRATOR_SELF_H

#include <sys/types.h>

/*
 * Starts it with those arguments, NULL behind the last; arguments[0] is set. Input and output are
 * its standard ones, -1 for /dev/null, and stay the caller's; what it says otherwise is dropped.
 * Returns the child, or -1: none could be started.
 */
pid_t self_start(char **arguments, int input, int output);

/* Likewise another program, by its path. */
pid_t self_start_other(char *program, char **arguments, int input, int output);

#endif
