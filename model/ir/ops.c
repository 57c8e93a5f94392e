/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of the vocabulary tables. */
#include "model/ir/ops.h"

#include <assert.h>
#include <string.h>

static const char *const op_classes[OP_CLASS_COUNT] = {
#define X(name, word) word,
        OP_CLASS_TABLE(X)
#undef X
};

static const struct {
	const char *word;
	int operands;
	enum op_class op_class;
} node_ops[NODE_OP_COUNT] = {
#define X(name, word, operands, class) {word, operands, OP_CLASS_##class},
        NODE_OP_TABLE(X)
#undef X
};

static const struct {
	const char *word;
	enum op_class op_class;
	unsigned operations;
} builtins[BUILTIN_COUNT] = {
#define X(name, word, class, operations) {word, OP_CLASS_##class, operations},
        BUILTIN_TABLE(X)
#undef X
};

const char *op_class_name(enum op_class op_class)
{
	return op_class < OP_CLASS_COUNT ? op_classes[op_class] : "none";
}

const char *node_op_name(enum node_op op)
{
	assert(op < NODE_OP_COUNT);
	return node_ops[op].word;
}

int node_op_operands(enum node_op op)
{
	assert(op < NODE_OP_COUNT);
	return node_ops[op].operands;
}

enum op_class node_op_class(enum node_op op)
{
	assert(op < NODE_OP_COUNT);
	return node_ops[op].op_class;
}

const char *builtin_name(enum builtin builtin)
{
	assert(builtin < BUILTIN_COUNT);
	return builtins[builtin].word;
}

enum op_class builtin_class(enum builtin builtin)
{
	assert(builtin < BUILTIN_COUNT);
	return builtins[builtin].op_class;
}

enum op_class builtin_lockstep_class(enum builtin builtin)
{
	return builtin == BUILTIN_LENGTH || builtin == BUILTIN_NORMALIZE ? OP_CLASS_HYPOT
	                                                                 : builtin_class(builtin);
}

unsigned builtin_operations(enum builtin builtin)
{
	assert(builtin < BUILTIN_COUNT);
	return builtins[builtin].operations;
}

int builtin_find(const char *name)
{
	for (int i = 0; i < BUILTIN_COUNT; i++)
		if (strcmp(builtins[i].word, name) == 0)
			return i;
	return -1;
}

bool node_op_is_modular(enum node_op op)
{
	switch (op) {
	case NODE_ADD:
	case NODE_SUB:
	case NODE_MUL:
	case NODE_AND:
	case NODE_OR:
	case NODE_XOR:
		return true;
	default:
		return false;
	}
}

bool op_class_is_call(enum op_class op)
{
	return op >= OP_CLASS_EXP && op < OP_CLASS_COUNT && op != OP_CLASS_NATIVE_DIV &&
	       op != OP_CLASS_NATIVE_SQRT;
}
