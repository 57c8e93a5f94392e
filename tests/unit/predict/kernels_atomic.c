/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels with atomics. */
#include "tests/unit/predict/kernel_parts.h"
#include "tests/unit/predict/kernels.h"

static struct ir_access one_more(struct ir_kernel *k, uint32_t object, uint32_t index)
{
	return (struct ir_access){.kind = ACCESS_ATOMIC,
	                          .object = object,
	                          .index = index,
	                          .scale_bytes = 4,
	                          .type = INT,
	                          .value = kernel_integer(k, INT, 1),
	                          .result = IR_NONE,
	                          .line = 1};
}

static void add_one(struct ir_kernel *k, uint32_t block, uint32_t object, uint32_t index)
{
	struct ir_access access = one_more(k, object, index);

	kernel_access(k, block, &access);
}

struct ir_kernel *kernel_counter(void)
{
	struct ir_kernel *k = kernel_new("counter");

	add_one(k, 0, buffer(k, "a", INT), IR_NONE);
	return sealed(k);
}

struct ir_kernel *kernel_greatest(void)
{
	struct ir_kernel *k = kernel_new("greatest");
	struct ir_access access = one_more(k, buffer(k, "a", INT), IR_NONE);

	access.is_extreme = true;
	(void)kernel_access(k, 0, &access);
	return sealed(k);
}

struct ir_kernel *kernel_exchange(void)
{
	struct ir_kernel *k = kernel_new("exchange");
	struct ir_access access = one_more(k, buffer(k, "a", INT), IR_NONE);

	access.is_exchange = true;
	kernel_access(k, 0, &access);
	return sealed(k);
}

struct ir_kernel *kernel_retry(void)
{
	struct ir_kernel *k = kernel_new("retry");
	uint32_t a = buffer(k, "a", INT), mask = scalar(k, "mask", ULONG);
	uint32_t index = kernel_binary(k, NODE_AND, ULONG, gid(k, 0), mask), old;
	struct ir_statement loop = statement_of(STATEMENT_LOOP, 2);
	struct ir_access exchange = one_more(k, a, index);
	uint32_t body = kernel_block(k), id;

	loop.body = body;
	loop.tests_last = true;
	id = kernel_append(k, 0, &loop);
	old = load(k, body, a, index, INT);
	exchange.is_exchange = true;
	exchange.result = IR_NONE;
	k->statements[id].condition = kernel_binary(
	        k, NODE_NE, INT, old, k->accesses[kernel_access(k, body, &exchange)].result);
	return sealed(k);
}

struct ir_kernel *kernel_masked_counter(void)
{
	struct ir_kernel *k = kernel_new("masked_counter");
	uint32_t a = buffer(k, "a", INT), mask = scalar(k, "mask", ULONG);

	add_one(k, 0, a, kernel_binary(k, NODE_AND, ULONG, gid(k, 0), mask));
	return sealed(k);
}

struct ir_kernel *kernel_local_counter(void)
{
	struct ir_kernel *k = kernel_new("local_counter");
	struct ir_object counts = {.name = "counts",
	                           .space = SPACE_LOCAL,
	                           .argument = IR_NONE,
	                           .size_bytes = 4096,
	                           .type = INT,
	                           .element_bytes = 4};
	uint32_t object = kernel_add_object(k, &counts), mask = scalar(k, "mask", ULONG);
	uint32_t lid = kernel_node(k, NODE_LOCAL_ID, ULONG, NULL, 0, 0, 0);

	add_one(k, 0, object, kernel_binary(k, NODE_AND, ULONG, lid, mask));
	return sealed(k);
}

struct ir_kernel *kernel_group_counter(void)
{
	struct ir_kernel *k = kernel_new("group_counter");
	uint32_t a = buffer(k, "a", INT), then, otherwise;
	uint32_t lid = kernel_node(k, NODE_LOCAL_ID, ULONG, NULL, 0, 0, 0);

	branch(k, 0, kernel_binary(k, NODE_EQ, INT, lid, kernel_integer(k, ULONG, 0)), 2, &then,
	       &otherwise);
	add_one(k, then, a, IR_NONE);
	return sealed(k);
}

struct ir_kernel *kernel_histogram(void)
{
	struct ir_kernel *k = kernel_new("histogram");
	uint32_t a = buffer(k, "a", INT), b = buffer(k, "b", INT);

	add_one(k, 0, a, load(k, 0, b, gid(k, 0), INT));
	return sealed(k);
}
