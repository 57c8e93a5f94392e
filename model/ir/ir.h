/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel IR: structured control flow over a hash-consed graph of values.
 *
 * Values are nodes of one graph: equal expressions are one node, and a node's
 * operands have smaller numbers than the node itself (only the `next` of a
 * loop variable closes a cycle, and that edge lives in the loop statement).
 * The form is SSA without labels: where control joins, NODE_PHI chooses;
 * a loop owns its variables (NODE_LOOP_VAR), each with an initial value and
 * the value that the next iteration sees.
 *
 * Effects are statements in blocks: memory accesses, barriers, loops,
 * branches, scopes and exits. An access that reads the same address again,
 * with no store in between that may alias it, is one access (the builder of
 * the IR, model/frontend, decides that); what the source wrote more often is
 * kept apart, as *written* counts per block, for the paper's models.
 *
 * Everything lives in the kernel's arena and ends with kernel_free. Ids are
 * indices; they stay valid, pointers into the arrays do not survive an append.
 * The grammar of the text form stands in model/ir/text.h.
 */
#ifndef PREDICTD_MODEL_IR_IR_H
#define PREDICTD_MODEL_IR_IR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/ir/image.h"
#include "model/ir/ops.h"
#include "model/ir/type.h"
#include "model/status.h"

#define IR_NONE UINT32_MAX

/* Bounds on one kernel; the builder and the validator refuse what exceeds them. */
enum {
	IR_NODES_MAX = 1 << 18,
	IR_STATEMENTS_MAX = 1 << 16,
	IR_BLOCKS_MAX = 1 << 16,
	IR_ARGUMENTS_MAX = 256,
	IR_OBJECTS_MAX = 1024,
	IR_LOOP_VARIABLES_MAX = 1024, /* of one loop */
	IR_DEPTH_MAX = 128,           /* nesting of blocks */
	IR_OPERANDS_MAX = 16,
	IR_FILES_MAX = 255,
	IR_LINE_MAX = (1 << 24) - 1,
	IR_NAME_MAX = 128 /* bytes with the terminator */
};

/*
 * Where something stands in the source: a line, 1-based, 0 unknown, of the kernel's files[file -
 * 1]; file 0: the program itself. What a macro expands to stands where the macro is used.
 */
struct ir_place {
	uint32_t line : 24, file : 8;
};

enum space {
	SPACE_GLOBAL,
	SPACE_CONSTANT,
	SPACE_LOCAL,
	SPACE_PRIVATE, /* arrays of a work-item: registers or stack */
	SPACE_IMAGE,   /* texels, addressed by NODE_TEXEL */
	SPACE_COUNT
};

enum argument_kind {
	ARGUMENT_BUFFER, /* __global or __constant pointer */
	ARGUMENT_SCALAR, /* scalar or vector by value */
	ARGUMENT_LOCAL,  /* __local pointer */
	ARGUMENT_STRUCT, /* struct by value: `size_bytes` */
	ARGUMENT_IMAGE,
	ARGUMENT_SAMPLER,
	ARGUMENT_KIND_COUNT
};

/* One formal parameter of the kernel. */
struct ir_argument {
	char name[IR_NAME_MAX];
	uint8_t kind;     /* enum argument_kind */
	struct type type; /* of a scalar, or of a pointer's element (void for structs) */
	/* of the scalar or struct, or of a pointer's element; a struct of 0 bytes is of a type that
	 * nobody declared: any argument fits it */
	uint32_t size_bytes;
	uint32_t object; /* of a pointer or image; else IR_NONE */
	uint8_t image;   /* of an image: enum image_kind */
	uint8_t access;  /* of an image: 1 read_only, 2 write_only, 3 read_write */
};

/* Something that accesses go to. Distinct objects never alias unless `may_alias`. */
struct ir_object {
	char name[IR_NAME_MAX];
	uint8_t space;       /* enum space */
	uint32_t argument;   /* index of the argument, or IR_NONE for arrays of the program */
	uint64_t size_bytes; /* of an array of the program; 0 for an argument (known at launch) */
	struct type type;    /* of an element; void for structs */
	uint32_t element_bytes;
	bool is_volatile;
	bool is_restrict;
};

/*
 * One value. `type` is the result's. What aux and imm mean is said per operator
 * in model/ir/ops.h. Comparisons give int (or an integer vector as in OpenCL C).
 */
struct ir_node {
	uint8_t op; /* enum node_op */
	struct type type;
	uint8_t operand_count;
	uint32_t first_operand; /* into kernel->operands */
	uint32_t aux;
	struct ir_place place; /* of equal expressions the first */
	uint64_t imm;
};

enum access_kind { ACCESS_LOAD, ACCESS_STORE, ACCESS_ATOMIC, ACCESS_KIND_COUNT };

/*
 * One memory access as a compiler would emit it.
 * Byte address in the object = node(index) * scale_bytes + offset_bytes.
 * Address scaling is free: frontends put element size and member offset here.
 *
 * In an image the index is a NODE_TEXEL, which counts texels; scale_bytes is 1 and
 * stands for a texel's size, which the launch tells. `type` is what the kernel sees.
 */
struct ir_access {
	uint8_t kind;     /* enum access_kind */
	bool is_exchange; /* an atomic that does not add up: (compare and) exchange */
	bool is_extreme;  /* an atomic minimum or maximum */
	bool is_packed;   /* a load or store of a vector that lies where any element may: vload4 */
	uint32_t object;
	uint32_t index; /* node of integer type; IR_NONE: zero */
	uint32_t scale_bytes;
	int64_t offset_bytes;
	struct type type; /* what moves: type_bytes(type) bytes per work-item */
	uint32_t value;   /* node stored, or an atomic's operand; else IR_NONE */
	uint32_t result;  /* NODE_LOAD or NODE_ATOMIC; IR_NONE for stores */
	uint32_t line;    /* in its file */
	uint8_t file;     /* as in struct ir_place */
};

enum statement_kind {
	STATEMENT_ACCESS, /* access */
	STATEMENT_LOOP,   /* body, condition, variables */
	STATEMENT_BRANCH, /* condition, body (then), otherwise (else, or IR_NONE) */
	STATEMENT_SCOPE,  /* body: a switch, an inlined function; a target of exits */
	STATEMENT_EXIT, /* target: the active work-items leave that loop or scope (break, return) */
	STATEMENT_NEXT, /* target: the active work-items go on with the next iteration (continue) */
	STATEMENT_BARRIER, /* of the work-group */
	/* an evaluated call without result: condition holds the node (printf, ...); where that is a
	 * NODE_UNKNOWN, its aux is how many operations of which nothing is known run here */
	STATEMENT_EFFECT,
	STATEMENT_KIND_COUNT
};

/*
 * A loop runs: variables = init; while (condition) { body; variables = next }.
 * tests_last: a do-while, the condition is evaluated after the body and sees
 * `next`; its operands may include nodes of the body. condition IR_NONE: for(;;).
 */
struct ir_statement {
	uint8_t kind; /* enum statement_kind */
	bool tests_last;
	bool is_tile;       /* a branch of what a loop over tiles, around the one it is in, does */
	uint8_t file;       /* as in struct ir_place */
	uint16_t unroll;    /* hint: 0 none, 1 forbidden, n times, UINT16_MAX fully */
	uint32_t line;      /* in its file, 1-based; 0 unknown */
	uint32_t block;     /* the block it stands in */
	uint32_t following; /* next statement of the block, or IR_NONE */
	uint32_t access;    /* STATEMENT_ACCESS: index in kernel->accesses */
	uint32_t condition; /* node */
	uint32_t body;      /* block */
	uint32_t otherwise; /* block */
	uint32_t
	        target; /* STATEMENT_EXIT, STATEMENT_NEXT: statement, or IR_NONE: the kernel ends */
	uint32_t first_variable, variable_count; /* STATEMENT_LOOP: in kernel->variables */
};

struct ir_variable {
	uint32_t node; /* NODE_LOOP_VAR */
	uint32_t init; /* node */
	uint32_t next; /* node; IR_NONE until the loop is closed */
};

/* A list of statements. Block 0 is the kernel's body. */
struct ir_block {
	uint32_t owner;       /* statement whose block this is; IR_NONE for block 0 */
	uint32_t first, last; /* statements, or IR_NONE */
	uint32_t first_written, written_count; /* filled by kernel_seal; sorted by block */
};

/* What the syntax tree says, once per execution of the block: the paper counts this. */
struct ir_written {
	uint32_t block;
	uint8_t op_class;   /* enum op_class, or OP_CLASS_NONE for an access */
	uint8_t type_class; /* of an operation */
	bool repeated;   /* of an access: the same address was read before (multiple identical) */
	uint32_t access; /* of an access; else IR_NONE */
	uint32_t count;
};

/* Filled by kernel_seal from the above; see model/passes/passes.h. */
struct ir_summary;

/* Build options that change what the compiler emits, and so how long it takes:
 * OpenCL API 3.0, section 5.8.6. */
enum build_option {
	BUILD_OPT_DISABLE = 1 << 0,
	BUILD_MAD_ENABLE = 1 << 1,
	BUILD_DENORMS_ARE_ZERO = 1 << 2,
	BUILD_NO_SIGNED_ZEROS = 1 << 3,
	BUILD_FINITE_MATH = 1 << 4,
	BUILD_UNSAFE_MATH = 1 << 5,  /* and the four before it but BUILD_FINITE_MATH */
	BUILD_FAST_RELAXED = 1 << 6, /* and the two before it */
	BUILD_OPTIONS = (1 << 7) - 1
};

struct ir_file {
	char name[IR_NAME_MAX]; /* as the client gave it; cut where it is longer */
};

struct ir_kernel {
	char name[IR_NAME_MAX];
	/* Non-empty: outside what this version analyses; a fallback estimate is given, with this
	 * reason. */
	char unsupported[IR_NAME_MAX];
	/* Of what the analysis knows nothing, though of all around it: "line 3: inline assembly",
	 * and further such as far as there is room; or empty. */
	char unknown[IR_NAME_MAX];
	uint32_t required_local[3]; /* reqd_work_group_size, or zeros */
	uint32_t line;
	uint32_t build; /* enum build_option */

	struct ir_argument *arguments;
	struct ir_object *objects;
	struct ir_node *nodes;
	uint32_t *operands;
	struct ir_access *accesses;
	struct ir_statement *statements;
	struct ir_variable *variables;
	struct ir_block *blocks;
	struct ir_written *written;
	struct ir_file *files; /* headers that something of the kernel stands in */
	uint32_t file_count;
	uint32_t argument_count, object_count, node_count, operand_count, access_count,
	        statement_count, variable_count, block_count, written_count;

	struct ir_summary *summary; /* NULL until kernel_seal (model/passes/passes.h), */
	void (*summary_free)(struct ir_summary *summary); /* which knows how to free it */
	struct ir_builder *builder; /* hash table while building; NULL once sealed */
};

/* ---- building ------------------------------------------------------------------------------ */

/*
 * Builder functions never fail one by one: the first failure (a bound, memory,
 * a broken operand) sticks in the builder, later calls return IR_NONE, and
 * kernel_seal reports it. Names are copied and truncated.
 */

/* A kernel with an empty block 0. Returns NULL when memory is short. Owner: the caller. */
struct ir_kernel *kernel_new(const char *name);
void kernel_free(struct ir_kernel *kernel); /* accepts NULL */

/*
 * A kernel without a builder, for decoding: a copy of head's name, reason,
 * required size, line and counts, with an array of zeroed entries for every count
 * (head's own arrays are not read). The caller fills them, then seals.
 * The counts must be within the bounds above. NULL when memory is short.
 */
struct ir_kernel *kernel_allocate(const struct ir_kernel *head);

uint32_t kernel_add_argument(struct ir_kernel *kernel, const struct ir_argument *argument);
uint32_t kernel_add_object(struct ir_kernel *kernel, const struct ir_object *object);

/*
 * The node for op(operands): folded, simplified and hash-consed, so the result
 * may be another operator or an older node. Integer arithmetic wraps at the
 * type's width; division by a constant zero stays a node.
 * Simplifications: constants, identities (x+0, x*1, x*0 of integers, x-x, x/x
 * of integers), p/n*n + p%n = p, commuted operands in one order, double negation,
 * conversions to the same type, PHI and SELECT with equal arms or a constant condition.
 */
uint32_t kernel_node(struct ir_kernel *kernel, enum node_op op, struct type type,
                     const uint32_t *operands, unsigned operand_count, uint32_t aux, uint64_t imm);

/* The number of a file for struct ir_place, which is added; 0 and false where there are too many.
 */
bool kernel_file(struct ir_kernel *kernel, const char *name, uint8_t *file);

/* Nodes, accesses and statements stand there from now on. Returns where they stood until now. */
struct ir_place kernel_stand(struct ir_kernel *kernel, struct ir_place place);

static inline struct ir_place ir_place_of(uint32_t line, uint32_t file)
{
	return (struct ir_place){.line = (line <= IR_LINE_MAX ? line : 0) & IR_LINE_MAX,
	                         .file = file & UINT8_MAX};
}

/* Shorthands for kernel_node. */
uint32_t kernel_integer(struct ir_kernel *kernel, struct type type, int64_t value);
uint32_t kernel_real(struct ir_kernel *kernel, struct type type, double value);
uint32_t kernel_unary(struct ir_kernel *kernel, enum node_op op, struct type type, uint32_t a);
uint32_t kernel_binary(struct ir_kernel *kernel, enum node_op op, struct type type, uint32_t a,
                       uint32_t b);
uint32_t kernel_unknown(struct ir_kernel *kernel, struct type type);

/* True and the value when the node is an integer constant (any integer type, width 1). */
bool kernel_constant(const struct ir_kernel *kernel, uint32_t node, int64_t *value);

/*
 * The node under conversions of one integer type to another, or of one real type to another: what
 * the node is, as far as its type has bits. A conversion that drops bits of that stays.
 */
uint32_t kernel_unconverted(const struct ir_kernel *kernel, uint32_t node);

/* What an id or a size is under conversions to 32 bits and more, which keep it: no device has 2^31
 * work-items in a dimension. */
uint32_t kernel_id_under(const struct ir_kernel *kernel, uint32_t node);

/* The ids of a node's operands; borrowed. */
static inline const uint32_t *kernel_operands(const struct ir_kernel *kernel, uint32_t node)
{
	return kernel->operands + kernel->nodes[node].first_operand;
}

/* What a NODE_LOOP_VAR stands for; borrowed. */
static inline const struct ir_variable *kernel_variable(const struct ir_kernel *kernel,
                                                        uint32_t node)
{
	const struct ir_node *n = &kernel->nodes[node];

	return &kernel->variables[kernel->statements[n->aux].first_variable + (uint32_t)n->imm];
}

/* Whether a block is a statement's, or within one that is. */
static inline bool kernel_is_within(const struct ir_kernel *kernel, uint32_t block,
                                    uint32_t statement)
{
	while (kernel->blocks[block].owner != IR_NONE && kernel->blocks[block].owner != statement)
		block = kernel->statements[kernel->blocks[block].owner].block;
	return kernel->blocks[block].owner == statement;
}

/* What a variable goes by: next = variable + step, or variable - step; IR_NONE: it does not. */
uint32_t kernel_step(const struct ir_kernel *kernel, const struct ir_variable *variable);

/* A comparison, or what joins such. */
static inline bool node_is_truth(const struct ir_node *node)
{
	return node->op >= NODE_EQ && node->op <= NODE_LNOT;
}

/* Appends a statement to `block`; `statement->block` and `following` are set here. Copies. */
uint32_t kernel_append(struct ir_kernel *kernel, uint32_t block,
                       const struct ir_statement *statement);

/*
 * Moves all that stands in a loop's body so far to before the loop, which is the last statement
 * of its block.
 *
 * before  the statement in front of the loop, or IR_NONE
 */
void kernel_move_before(struct ir_kernel *kernel, uint32_t loop, uint32_t before);

/* A statement of that kind with every reference IR_NONE and every count zero. */
struct ir_statement statement_of(enum statement_kind kind, uint32_t line);

/*
 * Appends an access and its statement; for loads and atomics makes the result
 * node too. Returns the access. `access->result` is set here.
 */
uint32_t kernel_access(struct ir_kernel *kernel, uint32_t block, const struct ir_access *access);

/* A new block owned by a statement appended afterwards; the owner is set by kernel_append. */
uint32_t kernel_block(struct ir_kernel *kernel);

/*
 * A loop with `count` variables: append the statement first (with a body
 * block), then open its variables, build the body, close each.
 * Returns the first variable's index; variable i is node variables[first + i].node.
 */
uint32_t kernel_open_variables(struct ir_kernel *kernel, uint32_t loop, const struct type *types,
                               const uint32_t *inits, unsigned count);
void kernel_close_variable(struct ir_kernel *kernel, uint32_t variable, uint32_t next);

/* Adds to the written counts of a block. */
void kernel_write_operation(struct ir_kernel *kernel, uint32_t block, enum op_class op_class,
                            enum type_class type_class, uint32_t count);
void kernel_write_access(struct ir_kernel *kernel, uint32_t block, uint32_t access, bool repeated);

/* Marks the kernel as outside the language; the first reason stays. */
void kernel_unsupported(struct ir_kernel *kernel, const char *format, ...)
        __attribute__((format(printf, 2, 3)));

/*
 * Appends an effect of which nothing is known: as many operations as `count` says, at least one.
 * `unknown` gets "line N: text" unless it is there already. Returns the statement.
 */
uint32_t kernel_append_unknown(struct ir_kernel *kernel, uint32_t block, uint32_t line,
                               uint32_t count, const char *text);

/* How many operations of which nothing is known a statement stands for. */
static inline uint32_t kernel_unknown_operations(const struct ir_kernel *kernel,
                                                 const struct ir_statement *statement)
{
	const struct ir_node *node;

	if (statement->kind != STATEMENT_EFFECT || statement->condition == IR_NONE)
		return 0;
	node = &kernel->nodes[statement->condition];
	return node->op == NODE_UNKNOWN ? node->aux : 0;
}

/*
 * Ends building: checks every invariant above (model/ir/check.h, also for a kernel decoded from a
 * hostile process) and sorts the written counts. A part of kernel_seal (model/passes/passes.h).
 */
enum status kernel_finish(struct ir_kernel *kernel, struct error *error);

#endif
