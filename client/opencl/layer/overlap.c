/* SPDX-License-Identifier: Apache-2.0 */
/* Spans that meet, among the last few. */
#include "client/opencl/layer/overlap.h"

static bool meet(const struct span *a, const struct span *b)
{
	if (a->device != b->device || (a->queue == b->queue && a->is_ordered))
		return false;
	return a->start_s < b->end_s && b->start_s < a->end_s;
}

void overlap_add(struct overlap *overlap, const struct span *span)
{
	const size_t known = overlap->count < OVERLAP_SPANS ? overlap->count : OVERLAP_SPANS;
	for (size_t i = 0; i < known; i++)
		if (meet(&overlap->recent[i], span)) {
			*span->overlapped = true;
			if (overlap->recent[i].overlapped != NULL)
				*overlap->recent[i].overlapped = true;
		}
	overlap->recent[overlap->count++ % OVERLAP_SPANS] = *span;
}

void overlap_settle(struct overlap *overlap)
{
	for (size_t i = 0; i < OVERLAP_SPANS; i++)
		overlap->recent[i].overlapped = NULL;
}
