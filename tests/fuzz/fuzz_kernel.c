/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels that are almost right: bytes become edits of single fields of a
 * sample's message, so that the checks behind the counts are reached.
 */
#include <stdlib.h>

#include "daemon/codec/ir_codec.h"
#include "tests/fuzz/examine.h"
#include "tests/fuzz/fuzz.h"
#include "tests/unit/codec/sample_kernels.h"

/* An edit: which field, of which element, to what. */
enum { EDIT_BYTES = 6, EDITS_MAX = 12 };

struct edit {
	unsigned field, element;
	uint32_t value;
};

/* X(count, expression of element e) */
#define FIELDS(X)                                                                                  \
	X(m->n_arguments, m->arguments[e]->kind)                                                   \
	X(m->n_arguments, m->arguments[e]->scalar)                                                 \
	X(m->n_arguments, m->arguments[e]->width)                                                  \
	X(m->n_arguments, m->arguments[e]->size_bytes)                                             \
	X(m->n_arguments, m->arguments[e]->object)                                                 \
	X(m->n_objects, m->objects[e]->space)                                                      \
	X(m->n_objects, m->objects[e]->argument)                                                   \
	X(m->n_objects, m->objects[e]->size_bytes)                                                 \
	X(m->n_objects, m->objects[e]->scalar)                                                     \
	X(m->n_objects, m->objects[e]->width)                                                      \
	X(m->n_objects, m->objects[e]->element_bytes)                                              \
	X(m->n_node_op, m->node_op[e])                                                             \
	X(m->n_node_op, m->node_type[e])                                                           \
	X(m->n_node_op, m->node_aux[e])                                                            \
	X(m->n_node_op, m->node_imm[e])                                                            \
	X(m->n_operands, m->operands[e])                                                           \
	X(m->n_accesses, m->accesses[e]->kind)                                                     \
	X(m->n_accesses, m->accesses[e]->object)                                                   \
	X(m->n_accesses, m->accesses[e]->index)                                                    \
	X(m->n_accesses, m->accesses[e]->scale_bytes)                                              \
	X(m->n_accesses, m->accesses[e]->offset_bytes)                                             \
	X(m->n_accesses, m->accesses[e]->scalar)                                                   \
	X(m->n_accesses, m->accesses[e]->width)                                                    \
	X(m->n_accesses, m->accesses[e]->value)                                                    \
	X(m->n_accesses, m->accesses[e]->result)                                                   \
	X(m->n_statements, m->statements[e]->kind)                                                 \
	X(m->n_statements, m->statements[e]->tests_last)                                           \
	X(m->n_statements, m->statements[e]->unroll)                                               \
	X(m->n_statements, m->statements[e]->block)                                                \
	X(m->n_statements, m->statements[e]->following)                                            \
	X(m->n_statements, m->statements[e]->access)                                               \
	X(m->n_statements, m->statements[e]->condition)                                            \
	X(m->n_statements, m->statements[e]->body)                                                 \
	X(m->n_statements, m->statements[e]->otherwise)                                            \
	X(m->n_statements, m->statements[e]->target)                                               \
	X(m->n_statements, m->statements[e]->first_variable)                                       \
	X(m->n_statements, m->statements[e]->variable_count)                                       \
	X(m->n_variable_node, m->variable_node[e])                                                 \
	X(m->n_variable_init, m->variable_init[e])                                                 \
	X(m->n_variable_next, m->variable_next[e])                                                 \
	X(m->n_blocks, m->blocks[e]->owner)                                                        \
	X(m->n_blocks, m->blocks[e]->first)                                                        \
	X(m->n_blocks, m->blocks[e]->last)                                                         \
	X(m->n_written, m->written[e]->block)                                                      \
	X(m->n_written, m->written[e]->op_class)                                                   \
	X(m->n_written, m->written[e]->type_class)                                                 \
	X(m->n_written, m->written[e]->access)                                                     \
	X(m->n_written, m->written[e]->count)                                                      \
	X(m->n_required_local, m->required_local[e])

static void edit_apply(Predictd__IrKernel *m, const struct edit *edit)
{
	unsigned field = 0;
#define X(count, target)                                                                           \
	if (edit->field == field++ && (count) > 0) {                                               \
		size_t e = edit->element % (count);                                                \
		(target) = (__typeof__(target))edit->value;                                        \
	}
	FIELDS(X)
#undef X
}

/* Small numbers mostly: these are what references and enums are. */
static struct edit edit_read(const uint8_t bytes[EDIT_BYTES])
{
#define X(count, target) +1
	enum { FIELD_COUNT = 0 FIELDS(X) };
#undef X
	uint32_t value = (uint32_t)bytes[3] | (uint32_t)bytes[4] << 8;
	switch (bytes[5] % 8) {
	case 0:
		value <<= 16;
		break;
	case 1:
		value = UINT32_MAX - value;
		break;
	case 2:
		break;
	default:
		value &= 0x3f;
	}
	return (struct edit){.field = bytes[0] % FIELD_COUNT,
	                     .element = (unsigned)bytes[1] | (unsigned)bytes[2] << 8,
	                     .value = value};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0)
		return 0;
	struct ir_kernel *kernel = sample_kernels[data[0] % sample_kernel_count]();
	if (kernel == NULL)
		abort();
	Predictd__IrKernel *message = ir_encode(kernel);
	kernel_free(kernel);
	if (message == NULL)
		return 0;
	for (size_t i = 0; i < EDITS_MAX && 1 + (i + 1) * EDIT_BYTES <= size; i++) {
		struct edit edit = edit_read(data + 1 + i * EDIT_BYTES);
		edit_apply(message, &edit);
	}
	struct error error;
	if (ir_decode(message, &kernel, &error) == STATUS_OK) {
		examine(kernel);
		kernel_free(kernel);
	}
	predictd__ir_kernel__free_unpacked(message, NULL);
	return 0;
}
