/* SPDX-License-Identifier: Apache-2.0 */
/* The passes over a sealed kernel, in order. */
#include "model/passes.h"

#include <stdlib.h>

void summary_free(struct ir_summary *summary)
{
	if (summary == NULL)
		return;
	free(summary->node_block);
	free(summary->node_is_address);
	free(summary->node_is_integer_known);
	free(summary->access_block);
	free(summary->emitted);
	free(summary->block_depth);
	free(summary->loop_depth);
	free(summary->loops);
	free(summary);
}

enum status passes_run(struct ir_kernel *kernel, struct error *error)
{
	struct ir_summary *summary = calloc(1, sizeof *summary);
	if (summary == NULL)
		goto out;
	summary->node_block = calloc((size_t)kernel->node_count + 1, sizeof *summary->node_block);
	summary->node_is_address = calloc((size_t)kernel->node_count + 1, sizeof(bool));
	summary->node_is_integer_known = calloc((size_t)kernel->node_count + 1, sizeof(bool));
	summary->access_block =
	        calloc((size_t)kernel->access_count + 1, sizeof *summary->access_block);
	summary->emitted = calloc(kernel->block_count, sizeof *summary->emitted);
	summary->block_depth = calloc(kernel->block_count, sizeof *summary->block_depth);
	summary->loop_depth = calloc(kernel->block_count, sizeof *summary->loop_depth);
	summary->loops = calloc((size_t)kernel->statement_count + 1, sizeof *summary->loops);
	if (summary->node_block == NULL || summary->node_is_address == NULL ||
	    summary->node_is_integer_known == NULL || summary->access_block == NULL ||
	    summary->emitted == NULL || summary->block_depth == NULL ||
	    summary->loop_depth == NULL || summary->loops == NULL)
		goto out;
	summary_free(kernel->summary);
	kernel->summary = summary;
	return STATUS_OK;
out:
	summary_free(summary);
	return error_set(error, STATUS_NO_MEMORY, "kernel %s: out of memory", kernel->name);
}
