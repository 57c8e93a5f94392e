/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of a recurrence in a warp. */

#include "model/time/gpu/gpu.h"

/* What is part of an address, or of another step, takes nothing. */
static double step_latency(const struct machine *m, uint32_t node)
{
	if (is_within_address(m, node) || m->input->kernel->summary->node_is_fused[node])
		return 0;
	return warp_node_latency(m, node);
}

static double operand_latency(const struct machine *m, uint32_t node, unsigned operand)
{
	(void)m;
	(void)node;
	(void)operand;
	return 0;
}

static double load_latency(const struct machine *m, uint32_t access)
{
	return warp_access_latency(m, access, 1);
}

static double variable_latency(const struct machine *m, uint32_t variable)
{
	(void)m;
	(void)variable;
	return 0;
}

/* What stays in registers waits no less for what wrote it. */
static bool is_forwarded(const struct machine *m, const struct ir_statement *loop, uint32_t store,
                         uint32_t load, double *apart, double *forward_s)
{
	*apart = iterations_apart(m->input->kernel, loop, store, load);
	if (!(*apart > 0))
		return false;
	*forward_s = load_latency(m, load);
	return true;
}

const struct recurrence_steps warp_steps = {
        .node_latency = step_latency,
        .operand_latency = operand_latency,
        .load_latency = load_latency,
        .variable_latency = variable_latency,
        .is_forwarded = is_forwarded,
};
