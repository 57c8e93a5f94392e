/* SPDX-License-Identifier: Apache-2.0 */
/* Which arithmetic has a cheaper form that is rounded otherwise. */
#include "model/passes/passes.h"
#include "model/whatif/arithmetic.h"
#include "model/whatif/list.h"

static void list_first(const struct list *l, enum what_if_kind kind,
                       bool (*is)(const struct ir_kernel *kernel, uint32_t node))
{
	for (uint32_t i = 0; i < l->kernel->node_count; i++) {
		struct ir_place place = l->kernel->nodes[i].place;

		if (!is(l->kernel, i))
			continue;
		list_add(l, (struct what_if){.kind = (uint8_t)kind,
		                             .place = i,
		                             .line = place.file == 0 ? place.line : 0});
		return;
	}
}

void list_arithmetic(const struct list *l)
{
	list_first(l, WHAT_IF_POWER, node_is_power);
	list_first(l, WHAT_IF_RECIPROCAL, node_divides_again);
	if (!kernel_has_doubles(l->kernel))
		list_first(l, WHAT_IF_SINGLE, node_is_double);
}
