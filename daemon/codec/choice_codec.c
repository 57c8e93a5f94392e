/* SPDX-License-Identifier: Apache-2.0 */
/* What a choice of a configuration is kept by, from its message. */
#include "daemon/codec/choice_codec.h"

#include <string.h>

#include "proto/text.h"

enum status choice_name_decode(const Predictd__Choice *message, struct choice_name *name,
                               struct error *error)
{
	if (message == NULL)
		return error_set(error, STATUS_INVALID, "choice: want one, got none");
	size_t length = strlen(message->name);
	if (length == 0 || length >= sizeof name->text || text_clean_bytes(message->name) != length)
		return error_set(error, STATUS_INVALID,
		                 "choice: want a name of 1 to %d bytes without control characters, "
		                 "got %zu bytes",
		                 CHOICE_NAME_MAX - 1, length);
	if (message->space.len != sizeof name->space)
		return error_set(error, STATUS_INVALID, "choice: want a space of %d bytes, got %zu",
		                 CHOICE_SPACE_BYTES, message->space.len);
	if (message->n_sizes > CHOICE_SIZES_MAX)
		return error_set(error, STATUS_INVALID, "choice: want at most %d sizes, got %zu",
		                 CHOICE_SIZES_MAX, message->n_sizes);
	memset(name, 0, sizeof *name);
	memcpy(name->text, message->name, length);
	memcpy(name->space, message->space.data, sizeof name->space);
	name->size_count = message->n_sizes;
	for (size_t i = 0; i < message->n_sizes; i++)
		name->sizes[i] = message->sizes[i];
	return STATUS_OK;
}
