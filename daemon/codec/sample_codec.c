/* SPDX-License-Identifier: Apache-2.0 */
/* A sample from its message. */
#include "daemon/codec/sample_codec.h"

enum status sample_decode(const Predictd__Sample *message, struct sample **sample,
                          struct error *error)
{
	struct type type = type_scalar(SCALAR_VOID);
	if (message->type[0] != '\0' &&
	    (!type_parse(message->type, &type) || !type_is_valid(type) || type.width != 1 ||
	     type.scalar == SCALAR_VOID))
		return error_set(
		        error, STATUS_INVALID,
		        "sample: want elements of a scalar type such as int, got \"%.40s\"",
		        message->type);
	const struct sample_parts parts = {
	        .size_bytes = message->size_bytes,
	        .scalar = (enum scalar)type.scalar,
	        .offsets_bytes = message->offsets_bytes,
	        .offset_count = message->n_offsets_bytes,
	        .lengths_bytes = message->lengths_bytes,
	        .length_count = message->n_lengths_bytes,
	        .bytes = message->bytes.data,
	        .byte_count = message->bytes.len,
	};
	return sample_new(&parts, sample, error);
}
