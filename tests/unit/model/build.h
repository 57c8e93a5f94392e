/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels built by hand, in few words. */
#ifndef PREDICTD_TESTS_UNIT_MODEL_BUILD_H
#define PREDICTD_TESTS_UNIT_MODEL_BUILD_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/ir/ir.h"
#include "model/passes/passes.h"

#define INT   type_scalar(SCALAR_INT)
#define UINT  type_scalar(SCALAR_UINT)
#define LONG  type_scalar(SCALAR_LONG)
#define ULONG type_scalar(SCALAR_ULONG)
#define FLOAT type_scalar(SCALAR_FLOAT)

/* An argument `name` and its object in that space; the object's number. */
static inline uint32_t add_buffer(struct ir_kernel *kernel, const char *name, enum space space,
                                  struct type type)
{
	struct ir_argument argument = {.kind = space == SPACE_LOCAL ? ARGUMENT_LOCAL
	                                                            : ARGUMENT_BUFFER,
	                               .type = type,
	                               .size_bytes = type_bytes(type),
	                               .object = kernel->object_count};
	struct ir_object object = {.space = (uint8_t)space,
	                           .argument = kernel->argument_count,
	                           .type = type,
	                           .element_bytes = type_bytes(type)};
	(void)snprintf(argument.name, sizeof argument.name, "%s", name);
	(void)snprintf(object.name, sizeof object.name, "%s", name);
	(void)kernel_add_argument(kernel, &argument);
	return kernel_add_object(kernel, &object);
}

/* A scalar argument; its node. */
static inline uint32_t add_scalar(struct ir_kernel *kernel, const char *name, struct type type)
{
	struct ir_argument argument = {.kind = ARGUMENT_SCALAR,
	                               .type = type,
	                               .size_bytes = type_bytes(type),
	                               .object = IR_NONE};
	(void)snprintf(argument.name, sizeof argument.name, "%s", name);
	return kernel_node(kernel, NODE_ARG, type, NULL, 0, kernel_add_argument(kernel, &argument),
	                   0);
}

/* An array of the program. */
static inline uint32_t add_array(struct ir_kernel *kernel, const char *name, enum space space,
                                 struct type type, uint64_t size_bytes)
{
	struct ir_object object = {.space = (uint8_t)space,
	                           .argument = IR_NONE,
	                           .size_bytes = size_bytes,
	                           .type = type,
	                           .element_bytes = type_bytes(type)};
	(void)snprintf(object.name, sizeof object.name, "%s", name);
	return kernel_add_object(kernel, &object);
}

static inline uint32_t add_id(struct ir_kernel *kernel, enum node_op op, uint32_t dimension)
{
	return kernel_unary(kernel, NODE_CONVERT, INT,
	                    kernel_node(kernel, op, ULONG, NULL, 0, dimension, 0));
}

/* object[index] of the object's type, read; the value's node. */
static inline uint32_t add_load(struct ir_kernel *kernel, uint32_t block, uint32_t object,
                                uint32_t index)
{
	struct ir_access access = {.kind = ACCESS_LOAD,
	                           .object = object,
	                           .index = index,
	                           .scale_bytes = kernel->objects[object].element_bytes,
	                           .type = kernel->objects[object].type,
	                           .value = IR_NONE};
	uint32_t id = kernel_access(kernel, block, &access);
	return id == IR_NONE ? IR_NONE : kernel->accesses[id].result;
}

static inline uint32_t add_store(struct ir_kernel *kernel, uint32_t block, uint32_t object,
                                 uint32_t index, uint32_t value)
{
	struct ir_access access = {.kind = ACCESS_STORE,
	                           .object = object,
	                           .index = index,
	                           .scale_bytes = kernel->objects[object].element_bytes,
	                           .type = kernel->objects[object].type,
	                           .value = value};
	return kernel_access(kernel, block, &access);
}

static inline void add_barrier(struct ir_kernel *kernel, uint32_t block)
{
	struct ir_statement statement = statement_of(STATEMENT_BARRIER, 0);
	(void)kernel_append(kernel, block, &statement);
}

/* if (condition): the block of its body; *otherwise, unless NULL, of its else. */
static inline uint32_t add_branch(struct ir_kernel *kernel, uint32_t block, uint32_t condition,
                                  uint32_t *otherwise)
{
	struct ir_statement statement = statement_of(STATEMENT_BRANCH, 0);
	statement.condition = condition;
	statement.body = kernel_block(kernel);
	if (otherwise != NULL)
		statement.otherwise = *otherwise = kernel_block(kernel);
	(void)kernel_append(kernel, block, &statement);
	return statement.body;
}

/* A loop under construction: for (i = from; i < to; i += step) with one more variable. */
struct loop {
	uint32_t statement, body, i, sum, first;
};

static inline struct loop open_loop(struct ir_kernel *kernel, uint32_t block, uint32_t from,
                                    uint32_t sum)
{
	struct ir_statement statement = statement_of(STATEMENT_LOOP, 7);
	struct loop loop = {.body = kernel_block(kernel)};
	statement.body = loop.body;
	loop.statement = kernel_append(kernel, block, &statement);
	struct type types[2] = {kernel->nodes[from].type, FLOAT};
	uint32_t inits[2] = {from, sum};
	loop.first =
	        kernel_open_variables(kernel, loop.statement, types, inits, sum == IR_NONE ? 1 : 2);
	loop.i = kernel->variables[loop.first].node;
	loop.sum = sum == IR_NONE ? IR_NONE : kernel->variables[loop.first + 1].node;
	return loop;
}

/* Ends it: i OP to goes on, i = next_i, sum = next_sum. */
static inline void close_loop(struct ir_kernel *kernel, const struct loop *loop, enum node_op op,
                              uint32_t to, uint32_t next_i, uint32_t next_sum)
{
	kernel->statements[loop->statement].condition = kernel_binary(kernel, op, INT, loop->i, to);
	kernel_close_variable(kernel, loop->first, next_i);
	if (loop->sum != IR_NONE)
		kernel_close_variable(kernel, loop->first + 1, next_sum);
}

/* Seals, or fails the test with the reason. */
#define seal(kernel)                                                                               \
	do {                                                                                       \
		struct error error_ = {0};                                                         \
		if (kernel_seal((kernel), &error_) != STATUS_OK)                                   \
			fail_msg("%s", error_.text);                                               \
	} while (0)

/* Emitted operations of a block. */
static inline double emitted(const struct ir_kernel *kernel, uint32_t block, enum op_class op,
                             enum type_class type)
{
	return (double)kernel->summary->emitted[block].operation[op][type];
}

static inline double emitted_in_all(const struct ir_kernel *kernel, uint32_t block)
{
	double sum = 0;
	for (unsigned op = 0; op < OP_CLASS_COUNT; op++)
		for (unsigned type = 0; type < TYPE_CLASS_COUNT; type++)
			sum += emitted(kernel, block, (enum op_class)op, (enum type_class)type);
	return sum;
}

#endif
