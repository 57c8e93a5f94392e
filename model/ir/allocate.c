/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel without a builder: exact arrays, for whoever decodes one. */
#include <stdlib.h>

#include "model/ir/ir.h"

/* Zeroed room for `count` elements, which is never a null pointer for want of elements. */
static void *array_new(uint32_t count, size_t element_bytes)
{
	return calloc(count > 0 ? count : 1, element_bytes);
}

struct ir_kernel *kernel_allocate(const struct ir_kernel *head)
{
	struct ir_kernel *kernel = malloc(sizeof *kernel);
	if (kernel == NULL)
		return NULL;
	*kernel = *head;
	kernel->summary = NULL;
	kernel->builder = NULL;
	kernel->arguments = array_new(head->argument_count, sizeof *kernel->arguments);
	kernel->objects = array_new(head->object_count, sizeof *kernel->objects);
	kernel->nodes = array_new(head->node_count, sizeof *kernel->nodes);
	kernel->operands = array_new(head->operand_count, sizeof *kernel->operands);
	kernel->accesses = array_new(head->access_count, sizeof *kernel->accesses);
	kernel->statements = array_new(head->statement_count, sizeof *kernel->statements);
	kernel->variables = array_new(head->variable_count, sizeof *kernel->variables);
	kernel->blocks = array_new(head->block_count, sizeof *kernel->blocks);
	kernel->written = array_new(head->written_count, sizeof *kernel->written);
	kernel->files = array_new(head->file_count, sizeof *kernel->files);
	if (kernel->arguments == NULL || kernel->objects == NULL || kernel->nodes == NULL ||
	    kernel->operands == NULL || kernel->accesses == NULL || kernel->statements == NULL ||
	    kernel->variables == NULL || kernel->blocks == NULL || kernel->written == NULL ||
	    kernel->files == NULL) {
		kernel_free(kernel);
		return NULL;
	}
	return kernel;
}
