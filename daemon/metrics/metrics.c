/* SPDX-License-Identifier: Apache-2.0 */
/* Sums and names of what is counted. */
#include "daemon/metrics/metrics.h"

#include "proto/predictd.pb-c.h"

const char *metrics_kind_name(unsigned kind)
{
	const ProtobufCFieldDescriptor *field =
	        kind == 0 ? NULL
	                  : protobuf_c_message_descriptor_get_field(&predictd__request__descriptor,
	                                                            kind);
	return field == NULL || field->type != PROTOBUF_C_TYPE_MESSAGE ? NULL : field->name;
}

uint64_t metrics_requests(const struct metrics *metrics)
{
	uint64_t sum = 0;
	for (unsigned i = 0; i < METRICS_REQUESTS; i++)
		sum += metrics->requests[i];
	return sum;
}

uint64_t metrics_refusals(const struct metrics *metrics)
{
	uint64_t sum = 0;
	for (unsigned i = 0; i < STATUS_COUNT; i++)
		sum += metrics->refusals[i];
	return sum;
}

void metrics_deinit(struct metrics *metrics)
{
	quality_deinit(&metrics->quality);
	asked_deinit(&metrics->asked);
}
