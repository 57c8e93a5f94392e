/* SPDX-License-Identifier: Apache-2.0 */
/* The keys of JSON objects in files that users write. */
#ifndef PREDICTD_CLIENT_PREDICTCTL_KEYS_H
#define PREDICTD_CLIENT_PREDICTCTL_KEYS_H

#include "client/predictctl/arguments.h"

#include <jansson.h>

/* `known`: every key that an object may have, ended by NULL. False: *why names the offender. */
bool keys_check(json_t *object, const char *const *known, const char *where, struct complaint *why);

#endif
