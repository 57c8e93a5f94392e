/* SPDX-License-Identifier: Apache-2.0 */
/* Changes that are of GPUs alone: what a warp, or what lies on a multiprocessor, makes worth while.
 */
#include "model/passes/passes.h"
#include "model/whatif/list.h"
#include "model/whatif/several.h"
#include "model/whatif/tree.h"

static void add(const struct list *l, enum what_if_kind kind, uint32_t place, uint32_t line,
                double detail)
{
	list_add(l, (struct what_if){.kind = (uint8_t)kind,
	                             .is_sure = true,
	                             .place = place,
	                             .line = line,
	                             .detail = detail});
}

/* Trees of sums whose partners lie ever further apart. */
static void list_trees(const struct list *l)
{
	struct tree tree;

	for (uint32_t i = 0; i < l->kernel->summary->loop_count; i++) {
		uint32_t loop = l->kernel->summary->loops[i].statement;
		const struct several several = {.way = SEVERAL_TREE, .loop = loop};

		if (several_fits(l->kernel, l->launch, &several) &&
		    tree_find(l->kernel, l->launch, loop, &tree))
			add(l, WHAT_IF_TREE, loop, l->kernel->accesses[tree.store].line,
			    (double)tree.items);
	}
}

void list_of_gpu(const struct list *l)
{
	list_trees(l);
}
