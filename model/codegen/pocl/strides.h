/* SPDX-License-Identifier: Apache-2.0 */
/* Which accesses a CPU's compiler proves to be neighbours, from one work-item to the next. */
#ifndef PREDICTD_MODEL_CODEGEN_POCL_STRIDES_H
#define PREDICTD_MODEL_CODEGEN_POCL_STRIDES_H

#include "model/device/launch.h"
#include "model/ir/ir.h"
#include "model/status.h"

enum cpu_step {
	CPU_STEP_PROVEN,
	CPU_STEP_SAME,    /* one place for all */
	CPU_STEP_UNKNOWN, /* no step from one work-item to the next can be shown */
	CPU_STEP_SHIFTED  /* nor here, and each position is computed for itself, in 64 bits */
};

/*
 * Looks at the accesses of a sealed kernel whose work-items become vectors.
 *
 * is_uniform   per node: the same for all work-items of a group; borrowed
 * has_crossed  per access: its position comes from an array, whatever wraps; borrowed
 * is_common    per node, out: the same for all work-items of the loop that becomes vectors
 * found        per access, out: enum cpu_step
 * one_by_one   out: share of the work-groups that run without vectors after all, 0 to 1
 */
enum status cpu_steps(const struct ir_kernel *kernel, const struct launch *launch,
                      const bool *is_uniform, const bool *has_crossed, bool *is_common,
                      uint8_t *found, double *one_by_one, struct error *error);

/* Instructions of a node that changes from one work-item to the next. */
double cpu_node_size(const struct ir_kernel *kernel, uint32_t id);

#endif
