/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of a recurrence in a core. */
#include <math.h>

#include "model/codegen/codegen.h"
#include "model/time/cpu/cpu.h"

/*
 * How long a divider makes the next iteration wait for a quotient or root of reals where no
 * calibration tells, by how often it takes one in: 11 cycles and 3, 13 and 4, 12 and 3, 10 and 3.5
 * (Fog, Instruction tables: Skylake-X to Zen 4).
 */
#define DIVISION_DEPTH 3.5

/*
 * What an operand waits beyond a product, where it is a factor of a product and a sum in one:
 * that takes 4 cycles at least, on Intel's cores since Skylake, AMD's since Zen 3 and Arm's
 * Neoverse (Fog, Instruction tables; Arm, Software Optimization Guides). The addition of integers
 * takes one.
 */
static double factor_latency(const struct machine *m, uint32_t node, unsigned operand)
{
	enum { FMA_CYCLES = 4 };
	const struct device *device = m->input->device;
	const struct ir_node *n = &m->input->kernel->nodes[node];
	bool is_factor =
	        n->op == NODE_FMA
	                ? operand < 2
	                : n->op == NODE_MUL && m->input->kernel->summary->node_is_contracted[node];

	if (!is_factor || !type_is_real(n->type) ||
	    !device->coefficient[COEFFICIENT_MUL_LATENCY].is_known)
		return 0;
	return fmax(0, (double)FMA_CYCLES * device_value(device, COEFFICIENT_INT_LATENCY, 0) -
	                       device->coefficient[COEFFICIENT_MUL_LATENCY].value);
}

/* A step is all of a division, beside which there is nothing else of the chain. */
static double step_latency(const struct machine *m, uint32_t node)
{
	const struct ir_node *n = &m->input->kernel->nodes[node];
	enum op_class op = n->op == NODE_CALL ? builtin_class((enum builtin)n->aux)
	                                      : node_op_class((enum node_op)n->op);

	if (type_is_real(n->type) && is_divider(op) &&
	    !m->input->device->coefficient[coefficient_chain(type_class_of(n->type), op)].is_known)
		return fmax(core_node_latency(m, node),
		            DIVISION_DEPTH * m->occupancy.units *
		                    device_op_time_s(m->input->device, OP_MODE_SCALAR,
		                                     type_class_of(n->type), op));
	return core_node_latency(m, node);
}

/*
 * Whether each iteration of a loop reads what the one before wrote at one place. A
 * compiler has it in a register, or else a core, which finds by the address alone what it has just
 * stored.
 */
static bool is_same_place(const struct machine *m, const struct ir_statement *loop, uint32_t store,
                          uint32_t load)
{
	const struct ir_kernel *kernel = m->input->kernel;
	const struct ir_summary *summary = kernel->summary;
	const struct ir_access *to = &kernel->accesses[store], *from = &kernel->accesses[load];
	uint32_t at = summary->node_block[to->index];

	return to->index == from->index && to->offset_bytes == from->offset_bytes &&
	       at != IR_NONE && summary->loop_depth[at] < summary->loop_depth[loop->body];
}

/* What is read in the next iteration LLVM keeps in a register (LoopLoadElimination.cpp). */
static bool is_forwarded(const struct machine *m, const struct ir_statement *loop, uint32_t store,
                         uint32_t load, double *apart, double *forward_s)
{
	if (is_register(m, load))
		return false;
	if (is_same_place(m, loop, store, load)) {
		*apart = 1;
		*forward_s = 0;
		return true;
	}
	*apart = iterations_apart(m->input->kernel, loop, store, load);
	*forward_s = level_value(m, MEMORY_L1, MEMORY_COLUMN_LATENCY, 0);
	return *apart > 1;
}

const struct recurrence_steps core_steps = {
        .node_latency = step_latency,
        .operand_latency = factor_latency,
        .load_latency = core_access_latency,
        .variable_latency = part_latency,
        .is_forwarded = is_forwarded,
};
