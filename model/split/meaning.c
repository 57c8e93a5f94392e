/* SPDX-License-Identifier: Apache-2.0 */
/* What statements depend on, by a walk from what they use to its operands. */
#include "model/split/meaning.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const names[NODE_OP_COUNT] = {
        [NODE_GROUP_ID] = "get_group_id",
        [NODE_GLOBAL_SIZE] = "get_global_size",
        [NODE_NUM_GROUPS] = "get_num_groups",
        [NODE_GLOBAL_OFFSET] = "get_group_id or get_global_offset",
        [NODE_LOCAL_ID] = "get_local_id",
        [NODE_LOCAL_SIZE] = "get_local_size",
};

struct walk {
	const struct ir_kernel *kernel;
	uint32_t dimension;
	bool has_local;
	char *refusal;
	uint32_t *stack; /* room for every node once */
	uint8_t *was_seen;
};

/* Of groups, whose size runtimes choose where nobody says it: for each part anew. */
static bool is_of_groups(unsigned op)
{
	return op == NODE_LOCAL_ID || op == NODE_LOCAL_SIZE || op == NODE_GROUP_ID ||
	       op == NODE_NUM_GROUPS;
}

static bool leaf_stays(const struct walk *walk, const struct ir_node *n, uint32_t line)
{
	bool is_own = (n->op == NODE_GROUP_ID || n->op == NODE_GLOBAL_SIZE ||
	               n->op == NODE_NUM_GROUPS || n->op == NODE_GLOBAL_OFFSET) &&
	              n->aux == walk->dimension;
	bool is_chosen = !walk->has_local && is_of_groups(n->op);
	char where[24] = "";
	if (!is_own && !is_chosen)
		return true;
	if (line > 0)
		(void)snprintf(where, sizeof where, "line %u: ", line);
	(void)snprintf(walk->refusal, SPLIT_REASON_MAX,
	               is_own ? "%s%s(%u) is of the part, not of the launch"
	                      : "%s%s(%u) is used, and the work-group's size is not said",
	               where, names[n->op], n->aux);
	return false;
}

static void push(struct walk *walk, uint32_t *depth, uint32_t node)
{
	if (node == IR_NONE || walk->was_seen[node])
		return;
	walk->was_seen[node] = 1;
	walk->stack[(*depth)++] = node;
}

/* All that a node depends on; what other statements use was looked through before. */
static bool node_stays(struct walk *walk, uint32_t root, uint32_t line)
{
	const struct ir_kernel *kernel = walk->kernel;
	uint32_t depth = 0;
	push(walk, &depth, root);
	while (depth > 0) {
		uint32_t node = walk->stack[--depth];
		const struct ir_node *n = &kernel->nodes[node];
		if (!leaf_stays(walk, n, line))
			return false;
		for (unsigned i = 0; i < n->operand_count; i++)
			push(walk, &depth, kernel_operands(kernel, node)[i]);
		if (n->op == NODE_LOOP_VAR) {
			push(walk, &depth, kernel_variable(kernel, node)->init);
			push(walk, &depth, kernel_variable(kernel, node)->next);
		}
	}
	return true;
}

bool meaning_stays(const struct ir_kernel *kernel, const struct launch *launch, uint32_t dimension,
                   char refusal[SPLIT_REASON_MAX])
{
	struct walk walk = {.kernel = kernel,
	                    .dimension = dimension,
	                    .has_local = launch->has_local || kernel->required_local[0] > 0,
	                    .refusal = refusal,
	                    .stack = calloc((size_t)kernel->node_count + 1, sizeof(uint32_t)),
	                    .was_seen = calloc((size_t)kernel->node_count + 1, 1)};
	bool stays = walk.stack != NULL && walk.was_seen != NULL;
	if (!stays)
		(void)snprintf(refusal, SPLIT_REASON_MAX, "no memory to look through it");
	for (uint32_t i = 0; i < kernel->statement_count && stays; i++) {
		const struct ir_statement *statement = &kernel->statements[i];
		stays = node_stays(&walk, statement->condition, statement->line);
		if (statement->kind != STATEMENT_ACCESS || !stays)
			continue;
		const struct ir_access *access = &kernel->accesses[statement->access];
		stays = node_stays(&walk, access->index, access->line) &&
		        node_stays(&walk, access->value, access->line);
	}
	free(walk.stack);
	free(walk.was_seen);
	return stays;
}
