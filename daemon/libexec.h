/* SPDX-License-Identifier: Apache-2.0 */
/* Where the child programs are. */
#ifndef PREDICTD_DAEMON_LIBEXEC_H
#define PREDICTD_DAEMON_LIBEXEC_H

#include "model/status.h"

#include <stddef.h>

/* $PREDICTD_LIBEXECDIR, else where `meson install` puts them. A colon list. Static storage. */
const char *libexec_directories(void);

/*
 * The path of an executable in the first directory of the list that has it.
 * STATUS_UNAVAILABLE says where was looked.
 */
enum status libexec_find(const char *directories, const char *program, char *path, size_t room,
                         struct error *error);

#endif
