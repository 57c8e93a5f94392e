/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels built by hand, that between them use every part of the IR. */
#include "tests/unit/codec/sample_kernels.h"
#include "model/passes/passes.h"

#include <stdio.h>
#include <string.h>

static const struct type type_int = {SCALAR_INT, 1};
static const struct type type_uint = {SCALAR_UINT, 1};
static const struct type type_float = {SCALAR_FLOAT, 1};
static const struct type type_float4 = {SCALAR_FLOAT, 4};
static const struct type type_ulong = {SCALAR_ULONG, 1};

static struct ir_kernel *sealed(struct ir_kernel *kernel)
{
	struct error error;
	if (kernel == NULL || kernel_seal(kernel, &error) == STATUS_OK)
		return kernel;
	fprintf(stderr, "%s: %s\n", kernel->name, error.text);
	kernel_free(kernel);
	return NULL;
}

/* A pointer argument and its object. Returns the object. */
static uint32_t add_pointer(struct ir_kernel *kernel, const char *name, enum space space,
                            struct type type, bool is_restrict)
{
	struct ir_argument argument = {.kind = space == SPACE_LOCAL ? ARGUMENT_LOCAL
	                                                            : ARGUMENT_BUFFER,
	                               .type = type,
	                               .size_bytes = type_bytes(type),
	                               .object = kernel->object_count};
	struct ir_object object = {.space = (uint8_t)space,
	                           .argument = kernel->argument_count,
	                           .type = type,
	                           .element_bytes = type_bytes(type),
	                           .is_restrict = is_restrict};
	(void)snprintf(argument.name, sizeof argument.name, "%s", name);
	(void)snprintf(object.name, sizeof object.name, "%s", name);
	(void)kernel_add_argument(kernel, &argument);
	return kernel_add_object(kernel, &object);
}

static uint32_t add_value(struct ir_kernel *kernel, const char *name, enum argument_kind kind,
                          struct type type, uint32_t size_bytes)
{
	struct ir_argument argument = {
	        .kind = (uint8_t)kind, .type = type, .size_bytes = size_bytes, .object = IR_NONE};
	(void)snprintf(argument.name, sizeof argument.name, "%s", name);
	return kernel_add_argument(kernel, &argument);
}

static uint32_t leaf(struct ir_kernel *kernel, enum node_op op, struct type type, uint32_t aux)
{
	return kernel_node(kernel, op, type, NULL, 0, aux, 0);
}

static uint32_t load(struct ir_kernel *kernel, uint32_t block, uint32_t object, struct type type,
                     uint32_t index, int64_t offset)
{
	struct ir_access access = {.kind = ACCESS_LOAD,
	                           .object = object,
	                           .index = index,
	                           .scale_bytes = type_bytes(type),
	                           .offset_bytes = offset,
	                           .type = type,
	                           .value = IR_NONE,
	                           .result = IR_NONE,
	                           .line = 3};
	uint32_t id = kernel_access(kernel, block, &access);
	kernel_write_access(kernel, block, id, false);
	return kernel->accesses[id].result;
}

static void store(struct ir_kernel *kernel, uint32_t block, uint32_t object, struct type type,
                  uint32_t index, uint32_t value)
{
	struct ir_access access = {.kind = ACCESS_STORE,
	                           .object = object,
	                           .index = index,
	                           .scale_bytes = type_bytes(type),
	                           .type = type,
	                           .value = value,
	                           .result = IR_NONE,
	                           .line = 4};
	kernel_write_access(kernel, block, kernel_access(kernel, block, &access), true);
}

struct ir_kernel *sample_empty(void)
{
	return sealed(kernel_new("empty"));
}

struct ir_kernel *sample_vector_add(void)
{
	struct ir_kernel *kernel = kernel_new("vector_add");
	kernel->line = 1;
	kernel->required_local[0] = 64;
	kernel->required_local[1] = kernel->required_local[2] = 1;
	uint32_t a = add_pointer(kernel, "a", SPACE_GLOBAL, type_float, true);
	uint32_t b = add_pointer(kernel, "b", SPACE_CONSTANT, type_float, false);
	uint32_t c = add_pointer(kernel, "c", SPACE_GLOBAL, type_float, false);
	uint32_t n = leaf(kernel, NODE_ARG, type_uint,
	                  add_value(kernel, "n", ARGUMENT_SCALAR, type_uint, 4));
	uint32_t i = kernel_unary(kernel, NODE_CONVERT, type_uint,
	                          leaf(kernel, NODE_GLOBAL_ID, type_ulong, 0));
	struct ir_statement branch = statement_of(STATEMENT_BRANCH, 2);
	branch.condition = kernel_binary(kernel, NODE_LT, type_int, i, n);
	branch.body = kernel_block(kernel);
	(void)kernel_append(kernel, 0, &branch);
	uint32_t sum = kernel_binary(kernel, NODE_ADD, type_float,
	                             load(kernel, branch.body, a, type_float, i, 0),
	                             load(kernel, branch.body, b, type_float, i, -4));
	store(kernel, branch.body, c, type_float, i, sum);
	kernel_write_operation(kernel, branch.body, OP_CLASS_ADD, TYPE_CLASS_FLOAT, 1);
	kernel_write_operation(kernel, 0, OP_CLASS_COMPARE, TYPE_CLASS_INT, 1);
	return sealed(kernel);
}

struct ir_kernel *sample_reduction(void)
{
	struct ir_kernel *kernel = kernel_new("reduction");
	uint32_t in = add_pointer(kernel, "in", SPACE_GLOBAL, type_float, true);
	uint32_t out = add_pointer(kernel, "out", SPACE_GLOBAL, type_float, true);
	struct ir_object scratch = {.name = "scratch",
	                            .space = SPACE_LOCAL,
	                            .argument = IR_NONE,
	                            .size_bytes = 1024,
	                            .type = type_float,
	                            .element_bytes = 4,
	                            .is_volatile = true};
	uint32_t local = kernel_add_object(kernel, &scratch);
	uint32_t lid = leaf(kernel, NODE_LOCAL_ID, type_ulong, 0);
	uint32_t gid = leaf(kernel, NODE_GLOBAL_ID, type_ulong, 0);
	uint32_t n = leaf(kernel, NODE_ARG, type_ulong,
	                  add_value(kernel, "n", ARGUMENT_SCALAR, type_ulong, 8));

	struct ir_statement loop = statement_of(STATEMENT_LOOP, 5);
	loop.body = kernel_block(kernel);
	loop.unroll = 4;
	uint32_t id = kernel_append(kernel, 0, &loop);
	struct type types[2] = {type_ulong, type_float};
	uint32_t inits[2] = {gid, kernel_real(kernel, type_float, 0.0)};
	uint32_t first = kernel_open_variables(kernel, id, types, inits, 2);
	uint32_t i = kernel->variables[first].node, sum = kernel->variables[first + 1].node;
	kernel->statements[id].condition = kernel_binary(kernel, NODE_LT, type_int, i, n);
	uint32_t element = load(kernel, loop.body, in, type_float, i, 0);
	kernel_close_variable(kernel, first,
	                      kernel_binary(kernel, NODE_ADD, type_ulong, i,
	                                    leaf(kernel, NODE_GLOBAL_SIZE, type_ulong, 0)));
	kernel_close_variable(kernel, first + 1,
	                      kernel_binary(kernel, NODE_ADD, type_float, sum, element));
	kernel_write_operation(kernel, loop.body, OP_CLASS_ADD, TYPE_CLASS_FLOAT, 1);
	kernel_write_operation(kernel, loop.body, OP_CLASS_ADD, TYPE_CLASS_LONG, 1);

	store(kernel, 0, local, type_float, lid, sum);
	struct ir_statement barrier = statement_of(STATEMENT_BARRIER, 8);
	(void)kernel_append(kernel, 0, &barrier);
	struct ir_statement branch = statement_of(STATEMENT_BRANCH, 9);
	branch.condition = kernel_binary(kernel, NODE_EQ, type_int, lid,
	                                 kernel_integer(kernel, type_ulong, 0));
	branch.body = kernel_block(kernel);
	branch.otherwise = kernel_block(kernel);
	(void)kernel_append(kernel, 0, &branch);
	store(kernel, branch.body, out, type_float, leaf(kernel, NODE_GROUP_ID, type_ulong, 0),
	      load(kernel, branch.body, local, type_float, IR_NONE, 0));
	struct ir_statement end = statement_of(STATEMENT_EXIT, 11);
	(void)kernel_append(kernel, branch.otherwise, &end);
	return sealed(kernel);
}

struct ir_kernel *sample_search(void)
{
	struct ir_kernel *kernel = kernel_new("search");
	uint32_t in = add_pointer(kernel, "in", SPACE_GLOBAL, type_int, false);
	uint32_t hits = add_pointer(kernel, "hits", SPACE_GLOBAL, type_int, false);
	struct ir_statement scope = statement_of(STATEMENT_SCOPE, 2);
	scope.body = kernel_block(kernel);
	uint32_t scope_id = kernel_append(kernel, 0, &scope);
	struct ir_statement loop = statement_of(STATEMENT_LOOP, 3);
	loop.body = kernel_block(kernel);
	loop.tests_last = true;
	loop.unroll = UINT16_MAX;
	uint32_t id = kernel_append(kernel, scope.body, &loop);
	struct type types[1] = {type_int};
	uint32_t inits[1] = {kernel_integer(kernel, type_int, -7)};
	uint32_t first = kernel_open_variables(kernel, id, types, inits, 1);
	uint32_t i = kernel->variables[first].node;
	uint32_t value = load(kernel, loop.body, in, type_int, i, 0);

	struct ir_statement skip = statement_of(STATEMENT_BRANCH, 4);
	skip.condition = kernel_unary(kernel, NODE_LNOT, type_int, value);
	skip.body = kernel_block(kernel);
	(void)kernel_append(kernel, loop.body, &skip);
	struct ir_statement next = statement_of(STATEMENT_NEXT, 5);
	next.target = id;
	(void)kernel_append(kernel, skip.body, &next);

	struct ir_statement found = statement_of(STATEMENT_BRANCH, 6);
	found.condition = kernel_binary(kernel, NODE_EQ, type_int, value,
	                                kernel_integer(kernel, type_int, 42));
	found.body = kernel_block(kernel);
	(void)kernel_append(kernel, loop.body, &found);
	struct ir_access add = {.kind = ACCESS_ATOMIC,
	                        .is_exchange = true,
	                        .object = hits,
	                        .index = IR_NONE,
	                        .scale_bytes = 4,
	                        .type = type_int,
	                        .value = kernel_integer(kernel, type_int, 1),
	                        .result = IR_NONE,
	                        .line = 7};
	(void)kernel_access(kernel, found.body, &add);
	struct ir_statement leave = statement_of(STATEMENT_EXIT, 8);
	leave.target = scope_id;
	(void)kernel_append(kernel, found.body, &leave);

	uint32_t following =
	        kernel_binary(kernel, NODE_ADD, type_int, i, kernel_integer(kernel, type_int, 1));
	kernel_close_variable(kernel, first, following);
	kernel->statements[id].condition = kernel_binary(kernel, NODE_LT, type_int, following,
	                                                 kernel_integer(kernel, type_int, 1000));
	return sealed(kernel);
}

/* A 3-D image argument; its object. */
static uint32_t add_image(struct ir_kernel *kernel, const char *name)
{
	struct ir_argument argument = {.kind = ARGUMENT_IMAGE,
	                               .type = type_scalar(SCALAR_VOID),
	                               .object = kernel->object_count,
	                               .image = IMAGE_3D,
	                               .access = 1};
	struct ir_object object = {.space = SPACE_IMAGE,
	                           .argument = kernel->argument_count,
	                           .type = type_scalar(SCALAR_VOID)};
	(void)snprintf(argument.name, sizeof argument.name, "%s", name);
	(void)snprintf(object.name, sizeof object.name, "%s", name);
	(void)kernel_add_argument(kernel, &argument);
	return kernel_add_object(kernel, &object);
}

struct ir_kernel *sample_arguments(void)
{
	struct ir_kernel *kernel = kernel_new("arguments");
	uint32_t data = add_pointer(kernel, "data", SPACE_GLOBAL, type_float4, false);
	uint32_t scratch = add_pointer(kernel, "scratch", SPACE_LOCAL, type_float4, false);
	uint32_t parameters =
	        add_value(kernel, "parameters", ARGUMENT_STRUCT, type_scalar(SCALAR_VOID), 24);
	uint32_t picture = add_image(kernel, "picture");
	uint32_t how = add_value(kernel, "how", ARGUMENT_SAMPLER, type_scalar(SCALAR_UINT), 4);
	uint32_t factor = kernel_node(kernel, NODE_ARG, type_float, NULL, 0, parameters, 12);
	uint32_t i = leaf(kernel, NODE_GLOBAL_ID, type_ulong, 1);
	uint32_t value = load(kernel, 0, data, type_float4, i, 16);
	uint32_t x = kernel_node(kernel, NODE_SWIZZLE, type_float, &value, 1, 0, 0x0);
	uint32_t root = kernel_node(kernel, NODE_CALL, type_float, &x, 1, BUILTIN_SQRT, 0);
	uint32_t operands[3] = {root, factor, kernel_real(kernel, type_float, 0.1)};
	uint32_t fused = kernel_node(kernel, NODE_FMA, type_float, operands, 3, 0, 0);
	uint32_t lanes[4] = {fused, x, root, kernel_unknown(kernel, type_float)};
	uint32_t vector = kernel_node(kernel, NODE_VECTOR, type_float4, lanes, 4, 0, 0);
	store(kernel, 0, scratch, type_float4, leaf(kernel, NODE_LOCAL_ID, type_ulong, 1), vector);
	uint32_t where[4] = {
	        fused, x, root,
	        kernel_node(kernel, NODE_ARG, type_scalar(SCALAR_UINT), NULL, 0, how, 0)};
	uint32_t texel = kernel_node(kernel, NODE_TEXEL, type_ulong, where, 4, picture,
	                             3 | (uint64_t)TEXEL_REAL);
	struct ir_access look = {.kind = ACCESS_LOAD,
	                         .object = picture,
	                         .index = texel,
	                         .scale_bytes = 1,
	                         .type = type_float4,
	                         .value = IR_NONE};
	(void)kernel_access(kernel, 0, &look);
	(void)kernel_node(kernel, NODE_IMAGE_SIZE, type_scalar(SCALAR_INT), NULL, 0, 3,
	                  IMAGE_SIZE_DEPTH);
	struct ir_statement effect = statement_of(STATEMENT_EFFECT, 9);
	effect.condition = fused;
	(void)kernel_append(kernel, 0, &effect);
	return sealed(kernel);
}

struct ir_kernel *sample_unsupported(void)
{
	struct ir_kernel *kernel = kernel_new("unsupported");
	(void)add_pointer(kernel, "data", SPACE_GLOBAL, type_float, false);
	kernel_unsupported(kernel, "calls %s, which is not known", "intel_sub_group_\xc3\xa9");
	return sealed(kernel);
}

sample_kernel *const sample_kernels[] = {sample_empty,  sample_vector_add, sample_reduction,
                                         sample_search, sample_arguments,  sample_unsupported};
const unsigned sample_kernel_count = sizeof sample_kernels / sizeof *sample_kernels;
