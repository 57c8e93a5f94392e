/* SPDX-License-Identifier: Apache-2.0 */
/* What other nodes observed, from its message. */
#include "daemon/codec/share_codec.h"

enum status estimate_decode(const Predictd__SiteEstimate *estimate,
                            struct correction_record *record, struct error *error)
{
	if (estimate->kind >= CORRECTION_KINDS)
		return error_set(error, STATUS_CORRUPT, "site: kind: want less than %d, got %u",
		                 CORRECTION_KINDS, estimate->kind);
	if (estimate->device[0] == '\0')
		return error_set(error, STATUS_CORRUPT, "site: want the key of a device's model");
	*record = (struct correction_record){
	        .kernel = estimate->kernel,
	        .uid = CORRECTION_UID_SITE,
	        .launch = {.key = estimate->launch, .kind = (uint8_t)estimate->kind},
	};
	if (estimate->nodes == 0)
		return STATUS_OK;
	enum status status =
	        correction_decode(estimate->state.data, estimate->state.len, record, error);
	if (status == STATUS_OK && record->sample_count == 0)
		status = error_set(error, STATUS_CORRUPT, "site: want the median of a node");
	record->runs = estimate->nodes;
	return status;
}
