/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What indices of devices mean on a connection. A daemon that is started again may give index 1
 * to another device, and a connection goes on over it without a word: so an index that was once
 * answered, or listed, is sent as the key (proto/device_key.h) that it stood for from then on.
 * A list that the caller gets later says anew what its indices mean.
 *
 * Every function wants the connection's mutex held.
 */
#ifndef PREDICTD_CLIENT_LIBRARY_NAMES_H
#define PREDICTD_CLIENT_LIBRARY_NAMES_H

#include "proto/predictd.pb-c.h"

#include <stdbool.h>
#include <stddef.h>

struct name_key;

struct name_index {
	uint32_t index;
	const struct name_key *key; /* NULL: it was asked, and is not answered yet */
};

struct names {
	struct name_key *keys; /* every one that was met: requests borrow them */
	size_t key_count;
	struct name_index *indices;
	size_t index_count;
};

/* Puts keys in place of indices that are known, and remembers the others. */
void names_translate(struct names *names, Predictd__Request *request);

/* What a response says of the devices that were meant. True: an index means another one now. */
bool names_learn(struct names *names, const Predictd__Response *response);

void names_deinit(struct names *names);

#endif
