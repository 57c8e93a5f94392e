/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What data give another value in each work-item of a CPU's core.
 */
#ifndef PREDICTD_MODEL_CODEGEN_POCL_DATA_H
#define PREDICTD_MODEL_CODEGEN_POCL_DATA_H

#include "model/codegen/codegen.h"

/* Fills is_data, per node; all false before. */
enum status cpu_data(const struct machine *m, bool *is_data, struct error *error);

#endif
