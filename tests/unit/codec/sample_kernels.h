/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels built by hand, that between them use every part of the IR. */
#ifndef PREDICTD_TESTS_SAMPLE_KERNELS_H
#define PREDICTD_TESTS_SAMPLE_KERNELS_H

#include "model/ir/ir.h"

typedef struct ir_kernel *sample_kernel(void);

/* Each builds a kernel and seals it; NULL when that fails. The caller's. */
struct ir_kernel *sample_empty(void);      /* no argument, no statement */
struct ir_kernel *sample_vector_add(void); /* c[i] = a[i] + b[i] if i < n */
struct ir_kernel *sample_reduction(void);  /* local memory, a barrier, a loop with two variables */
struct ir_kernel *sample_search(void);     /* a scope, a break, a continue, a do-while, an atomic */
struct ir_kernel *sample_arguments(void);  /* every kind of argument; vectors; built-ins */
struct ir_kernel *sample_unsupported(void); /* a reason instead of a body */

extern sample_kernel *const sample_kernels[];
extern const unsigned sample_kernel_count;

#endif
