/* SPDX-License-Identifier: Apache-2.0 */
/* What the builder of the IR folds before it makes a node. Private to model/ir*.c. */
#ifndef PREDICTD_MODEL_IR_FOLD_H
#define PREDICTD_MODEL_IR_FOLD_H

#include "model/ir/ir.h"

/* A node that is asked for; operands are valid nodes of the kernel. */
struct ir_request {
	enum node_op op;
	struct type type;
	uint32_t operands[IR_OPERANDS_MAX];
	unsigned operand_count;
	uint32_t aux;
	uint64_t imm;
};

/*
 * The node that the request simplifies to, or IR_NONE: then a node is to be
 * made of the request, whose operands have been put into one order.
 * May make other nodes (kernel_node), always smaller ones.
 */
uint32_t fold_request(struct ir_kernel *kernel, struct ir_request *request);

/* The same of a swizzle that takes one lane. */
uint32_t fold_lane(struct ir_kernel *kernel, const struct ir_request *request);

/* The value as the type holds it: cut to its width, then extended by its sign. */
uint64_t fold_wrap(struct type type, uint64_t value);

/*
 * One scalar integer operation; `operand` is the type of the operands.
 * False where the result is undefined or the operator is none of integers.
 * Comparisons give 0 or 1. Unary operators ignore b.
 */
bool fold_integer(enum node_op op, struct type type, struct type operand, uint64_t a, uint64_t b,
                  uint64_t *result);

#endif
