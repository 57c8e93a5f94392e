/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a CPU's compiler packs like chains of a work-item into vectors, which are no lanes then.
 */
#ifndef PREDICTD_MODEL_CODEGEN_POCL_SUPERWORD_CHAINS_H
#define PREDICTD_MODEL_CODEGEN_POCL_SUPERWORD_CHAINS_H

#include "model/ir/ir.h"

/* Looks at what a sealed kernel, whose work-items would become vectors, does outside of loops. */
bool cpu_packs_chains(const struct ir_kernel *kernel);

#endif
