/* SPDX-License-Identifier: Apache-2.0 */
/* What memory holds: what was sampled, rows, hinted ranges, bytes, reals. */
#include "model/evaluate/content.h"

struct content content_of(const struct question *question, const struct rows *rows,
                          const struct ir_access *access, struct type type)
{
	const struct launch_argument *argument = question_argument(question, access->object);
	struct held *held = question_held(question, access);

	if (held)
		return (struct content){.kind = CONTENT_HELD, .held = held};
	if (type_is_real(type))
		return (struct content){.kind = CONTENT_REAL};
	if (rows && rows_are_of(rows, access))
		return (struct content){.kind = CONTENT_ROW};
	if (argument && argument->has_range)
		return (struct content){.kind = CONTENT_RANGE,
		                        .low = argument->low,
		                        .span = (uint64_t)argument->high - (uint64_t)argument->low};
	return (struct content){.kind = scalar_bytes((enum scalar)type.scalar) == 1 ? CONTENT_BYTE
	                                                                            : CONTENT_OPEN};
}
