/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernels of these tests are put together of. */
#include "tests/unit/predict/kernel_parts.h"

#include "model/passes/passes.h"
#include "tests/test.h"

#include <stdio.h>

struct ir_kernel *sealed(struct ir_kernel *kernel)
{
	struct error error = {0};

	if (kernel_seal(kernel, &error) != STATUS_OK)
		fail_msg("%s: %s", kernel->name, error.text);
	return kernel;
}

uint32_t buffer(struct ir_kernel *kernel, const char *name, struct type type)
{
	struct ir_object object = {.space = SPACE_GLOBAL,
	                           .argument = kernel->argument_count,
	                           .type = type,
	                           .element_bytes = type_bytes(type)};
	struct ir_argument argument = {.kind = ARGUMENT_BUFFER,
	                               .type = type,
	                               .size_bytes = type_bytes(type),
	                               .object = kernel->object_count};

	snprintf(object.name, sizeof(object.name), "%s", name);
	snprintf(argument.name, sizeof(argument.name), "%s", name);
	kernel_add_argument(kernel, &argument);
	return kernel_add_object(kernel, &object);
}

uint32_t scalar(struct ir_kernel *kernel, const char *name, struct type type)
{
	struct ir_argument argument = {.kind = ARGUMENT_SCALAR,
	                               .type = type,
	                               .size_bytes = type_bytes(type),
	                               .object = IR_NONE};
	uint32_t index;

	snprintf(argument.name, sizeof(argument.name), "%s", name);
	index = kernel_add_argument(kernel, &argument);
	return kernel_node(kernel, NODE_ARG, type, NULL, 0, index, 0);
}

uint32_t gid(struct ir_kernel *kernel, unsigned dimension)
{
	return kernel_node(kernel, NODE_GLOBAL_ID, ULONG, NULL, 0, dimension, 0);
}

/* (int)get_global_id(dimension) */
uint32_t int_id(struct ir_kernel *kernel, unsigned dimension)
{
	return kernel_unary(kernel, NODE_CONVERT, INT, gid(kernel, dimension));
}

uint32_t load(struct ir_kernel *kernel, uint32_t block, uint32_t object, uint32_t index,
              struct type type)
{
	uint32_t access = kernel_access(kernel, block,
	                                &(struct ir_access){.kind = ACCESS_LOAD,
	                                                    .object = object,
	                                                    .index = index,
	                                                    .scale_bytes = type_bytes(type),
	                                                    .type = type,
	                                                    .value = IR_NONE,
	                                                    .result = IR_NONE,
	                                                    .line = 1});

	kernel_write_access(kernel, block, access, false);
	return kernel->accesses[access].result;
}

uint32_t store(struct ir_kernel *kernel, uint32_t block, uint32_t object, uint32_t index,
               struct type type, uint32_t value)
{
	uint32_t access = kernel_access(kernel, block,
	                                &(struct ir_access){.kind = ACCESS_STORE,
	                                                    .object = object,
	                                                    .index = index,
	                                                    .scale_bytes = type_bytes(type),
	                                                    .type = type,
	                                                    .value = value,
	                                                    .result = IR_NONE,
	                                                    .line = 1});

	kernel_write_access(kernel, block, access, false);
	return access;
}

uint32_t add(struct ir_kernel *kernel, struct type type, uint32_t a, uint32_t b)
{
	return kernel_binary(kernel, NODE_ADD, type, a, b);
}

uint32_t mul(struct ir_kernel *kernel, struct type type, uint32_t a, uint32_t b)
{
	return kernel_binary(kernel, NODE_MUL, type, a, b);
}

uint32_t branch(struct ir_kernel *k, uint32_t block, uint32_t condition, uint32_t line,
                uint32_t *body, uint32_t *otherwise)
{
	struct ir_statement s = statement_of(STATEMENT_BRANCH, line);

	s.condition = condition;
	s.body = *body = kernel_block(k);
	if (otherwise)
		s.otherwise = *otherwise = kernel_block(k);
	return kernel_append(k, block, &s);
}
