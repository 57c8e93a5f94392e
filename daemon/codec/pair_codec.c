/* SPDX-License-Identifier: Apache-2.0 */
/* A pair between model/device/contention.h and its message. */
#include "daemon/codec/pair_codec.h"

#include <stdint.h>
#include <string.h>

#include "proto/device_key.h"
#include "proto/text.h"

enum { SLOWDOWNS = 2 * LOAD_COUNT * LOAD_COUNT };

void pair_encode(const struct contention *pair, Predictd__Pair *message)
{
	predictd__pair__init(message);
	/* borrowed: a message's texts are not const */
	message->key = (char *)(uintptr_t)pair->keys[0];
	message->other_key = (char *)(uintptr_t)pair->keys[1];
	message->driver = (char *)(uintptr_t)pair->drivers[0];
	message->other_driver = (char *)(uintptr_t)pair->drivers[1];
	message->slowdowns = (double *)(uintptr_t)&pair->slowdown[0][0][0];
	message->n_slowdowns = SLOWDOWNS;
	message->standard_error = pair->standard_error;
	message->others_share = pair->others_share;
	message->duration_s = pair->duration_s;
	message->measured_at_s = pair->measured_at_s;
	message->was_busy = pair->was_busy;
}

static enum status text_decode(const char *what, const char *text, char *field, size_t room,
                               struct error *error)
{
	size_t length = strlen(text);
	if (length >= room || text_clean_bytes(text) < length)
		return error_set(error, STATUS_CORRUPT,
		                 "a pair: %s: want at most %zu bytes of clean text", what,
		                 room - 1);
	memcpy(field, text, length + 1);
	return STATUS_OK;
}

enum status pair_decode(const Predictd__Pair *message, struct contention *pair, struct error *error)
{
	struct contention built = {.standard_error = message->standard_error,
	                           .others_share = message->others_share,
	                           .duration_s = message->duration_s,
	                           .measured_at_s = message->measured_at_s,
	                           .was_busy = message->was_busy};
	const char *keys[] = {message->key, message->other_key};
	const char *drivers[] = {message->driver, message->other_driver};
	enum status status = STATUS_OK;
	for (int side = 0; side < 2 && status == STATUS_OK; side++) {
		status = text_decode("key", keys[side], built.keys[side], sizeof built.keys[side],
		                     error);
		if (status == STATUS_OK)
			status = text_decode("driver", drivers[side], built.drivers[side],
			                     sizeof built.drivers[side], error);
		if (status == STATUS_OK && !key_is_valid(built.keys[side]))
			status = error_set(error, STATUS_CORRUPT, "a pair: '%.60s' is no key",
			                   built.keys[side]);
	}
	if (status == STATUS_OK && message->n_slowdowns != SLOWDOWNS)
		status = error_set(error, STATUS_CORRUPT, "a pair: want %d slowdowns, got %zu",
		                   SLOWDOWNS, message->n_slowdowns);
	if (status != STATUS_OK)
		return status;
	memcpy(&built.slowdown[0][0][0], message->slowdowns, sizeof built.slowdown);
	status = contention_check(&built, error);
	if (status != STATUS_OK)
		return status;
	contention_order(&built);
	*pair = built;
	return STATUS_OK;
}
