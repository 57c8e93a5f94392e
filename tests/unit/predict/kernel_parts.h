/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernels of these tests are put together of. */
#ifndef PREDICTD_TESTS_PREDICT_KERNEL_PARTS_H
#define PREDICTD_TESTS_PREDICT_KERNEL_PARTS_H

#include "model/ir/ir.h"

#define INT   type_scalar(SCALAR_INT)
#define UINT  type_scalar(SCALAR_UINT)
#define LONG  type_scalar(SCALAR_LONG)
#define ULONG type_scalar(SCALAR_ULONG)
#define FLOAT type_scalar(SCALAR_FLOAT)

/* The kernel, whole now. */
struct ir_kernel *sealed(struct ir_kernel *kernel);

/* An argument: the object of a buffer, and the node of a scalar. */
uint32_t buffer(struct ir_kernel *kernel, const char *name, struct type type);
uint32_t scalar(struct ir_kernel *kernel, const char *name, struct type type);

/* Nodes; gid is a ulong, int_id the same as an int. */
uint32_t gid(struct ir_kernel *kernel, unsigned dimension);
uint32_t int_id(struct ir_kernel *kernel, unsigned dimension);
uint32_t add(struct ir_kernel *kernel, struct type type, uint32_t a, uint32_t b);
uint32_t mul(struct ir_kernel *kernel, struct type type, uint32_t a, uint32_t b);

/* An access of an element, in a block: what is loaded, and the access that stores. */
uint32_t load(struct ir_kernel *kernel, uint32_t block, uint32_t object, uint32_t index,
              struct type type);
uint32_t store(struct ir_kernel *kernel, uint32_t block, uint32_t object, uint32_t index,
               struct type type, uint32_t value);

/* A branch in a block; out: its own blocks, the second where `otherwise` is not NULL. */
uint32_t branch(struct ir_kernel *kernel, uint32_t block, uint32_t condition, uint32_t line,
                uint32_t *body, uint32_t *otherwise);

#endif
