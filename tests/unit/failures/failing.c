/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that fail once. */
#include "tests/unit/failures/failing.h"

#include <stdbool.h>
#include <stddef.h>

#include "model/ir/ir.h"

static enum failing counted = FAILING_COUNT;
static unsigned long count, fail_at;

void failing_set(enum failing kind, unsigned long n)
{
	counted = kind;
	count = 0;
	fail_at = n;
}

unsigned long failing_end(void)
{
	counted = FAILING_COUNT;
	return count;
}

static bool fails(enum failing kind)
{
	return kind == counted && ++count == fail_at;
}

#define WRAP(kind, name, type, parameters, ...)                                                    \
	type __real_##name parameters;                                                             \
	type __wrap_##name parameters;                                                             \
	type __wrap_##name parameters                                                              \
	{                                                                                          \
		return fails(kind) ? NULL : __real_##name(__VA_ARGS__);                            \
	}

WRAP(FAILING_MEMORY, malloc, void *, (size_t size), size)
WRAP(FAILING_MEMORY, calloc, void *, (size_t items, size_t size), items, size)
WRAP(FAILING_MEMORY, realloc, void *, (void *old, size_t size), old, size)
WRAP(FAILING_MEMORY, strdup, char *, (const char *text), text)

struct arena;
WRAP(FAILING_ARENA, arena_alloc, void *, (struct arena * arena, size_t bytes), arena, bytes)

/* Spoils the kernel, as a limit that is reached would: what is added from here on is refused. */
static void spoil(struct ir_kernel *kernel)
{
	static const struct ir_statement statement;
	uint32_t __real_kernel_append(struct ir_kernel *, uint32_t, const struct ir_statement *);
	(void)__real_kernel_append(kernel, UINT32_MAX, &statement);
}

#define WRAP_BUILDER(name, parameters, ...)                                                        \
	uint32_t __real_##name parameters;                                                         \
	uint32_t __wrap_##name parameters;                                                         \
	uint32_t __wrap_##name parameters                                                          \
	{                                                                                          \
		if (fails(FAILING_BUILDER))                                                        \
			spoil(kernel);                                                             \
		return __real_##name(__VA_ARGS__);                                                 \
	}

WRAP_BUILDER(kernel_append,
             (struct ir_kernel * kernel, uint32_t block, const struct ir_statement *statement),
             kernel, block, statement)
WRAP_BUILDER(kernel_access,
             (struct ir_kernel * kernel, uint32_t block, const struct ir_access *access), kernel,
             block, access)
WRAP_BUILDER(kernel_add_argument, (struct ir_kernel * kernel, const struct ir_argument *argument),
             kernel, argument)
WRAP_BUILDER(kernel_add_object, (struct ir_kernel * kernel, const struct ir_object *object), kernel,
             object)
WRAP_BUILDER(kernel_node,
             (struct ir_kernel * kernel, enum node_op op, struct type type,
              const uint32_t *operands, unsigned operands_count, uint32_t aux, uint64_t imm),
             kernel, op, type, operands, operands_count, aux, imm)
WRAP_BUILDER(kernel_integer, (struct ir_kernel * kernel, struct type type, int64_t value), kernel,
             type, value)
WRAP_BUILDER(kernel_real, (struct ir_kernel * kernel, struct type type, double value), kernel, type,
             value)
WRAP_BUILDER(kernel_unary,
             (struct ir_kernel * kernel, enum node_op op, struct type type, uint32_t a), kernel, op,
             type, a)
WRAP_BUILDER(kernel_binary,
             (struct ir_kernel * kernel, enum node_op op, struct type type, uint32_t a, uint32_t b),
             kernel, op, type, a, b)
WRAP_BUILDER(kernel_unknown, (struct ir_kernel * kernel, struct type type), kernel, type)
WRAP_BUILDER(kernel_block, (struct ir_kernel * kernel), kernel)
WRAP_BUILDER(kernel_open_variables,
             (struct ir_kernel * kernel, uint32_t loop, const struct type *types,
              const uint32_t *inits, unsigned variables),
             kernel, loop, types, inits, variables)
