/* SPDX-License-Identifier: Apache-2.0 */
/* Text in messages, found by their descriptors. */
#include "daemon/codec/message_text.h"

#include "proto/text.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static bool is_set(const ProtobufCMessage *message, const ProtobufCFieldDescriptor *field)
{
	uint32_t which;
	if ((field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) == 0)
		return true;
	memcpy(&which, (const char *)message + field->quantifier_offset, sizeof which);
	return which == field->id;
}

static void clean_value(const ProtobufCFieldDescriptor *field, void *value)
{
	if (value == NULL)
		return;
	if (field->type == PROTOBUF_C_TYPE_STRING)
		text_clean(value);
	else
		message_clean_text(value);
}

void message_clean_text(ProtobufCMessage *message)
{
	const ProtobufCMessageDescriptor *descriptor = message->descriptor;
	for (unsigned i = 0; i < descriptor->n_fields; i++) {
		const ProtobufCFieldDescriptor *field = &descriptor->fields[i];
		bool has_text = field->type == PROTOBUF_C_TYPE_MESSAGE ||
		                (field->type == PROTOBUF_C_TYPE_STRING &&
		                 strcmp(field->name, "options") != 0);
		if (!has_text || !is_set(message, field))
			continue;
		void **member = (void **)((char *)message + field->offset);
		if (field->label != PROTOBUF_C_LABEL_REPEATED) {
			clean_value(field, *member);
			continue;
		}
		size_t count;
		memcpy(&count, (const char *)message + field->quantifier_offset, sizeof count);
		void **values = *member;
		for (size_t j = 0; j < count; j++)
			clean_value(field, values[j]);
	}
}
