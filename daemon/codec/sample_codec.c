/* SPDX-License-Identifier: Apache-2.0 */
/* A sample from its message, and back. */
#include "daemon/codec/sample_codec.h"

#include <stdlib.h>

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

enum status sample_encode(const struct sample *sample, uint8_t **bytes, size_t *size,
                          struct error *error)
{
	Predictd__Sample message = PREDICTD__SAMPLE__INIT;
	uint64_t offsets[SAMPLE_RUNS_MAX];
	uint32_t lengths[SAMPLE_RUNS_MAX];
	char type[16] = "";
	for (uint32_t i = 0; i < sample->run_count; i++) {
		offsets[i] = sample->runs[i].offset_bytes;
		lengths[i] = sample->runs[i].length_bytes;
	}
	if (sample->scalar != SCALAR_VOID)
		type_format(type_scalar((enum scalar)sample->scalar), type);
	message.size_bytes = sample->size_bytes;
	message.type = type;
	message.offsets_bytes = offsets;
	message.lengths_bytes = lengths;
	message.n_offsets_bytes = message.n_lengths_bytes = sample->run_count;
	message.bytes = (ProtobufCBinaryData){sample->byte_count, (uint8_t *)sample->bytes};
	*size = predictd__sample__get_packed_size(&message);
	*bytes = malloc(*size);
	if (*bytes == NULL)
		return error_set(error, STATUS_NO_MEMORY, "sample: no memory");
	(void)predictd__sample__pack(&message, *bytes);
	return STATUS_OK;
}
