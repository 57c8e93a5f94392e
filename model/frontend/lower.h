/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lowering of one kernel: the state that its parts share.
 *
 * Private variables are sets of *cells*, one per scalar, vector or pointer in
 * them; a cell holds its present value in SSA form. Writes to cells are logged
 * on a trail, so that the arms of a branch start alike and join in phis:
 * the result is pruned SSA for structured programs, without dominance
 * frontiers (Brandis, Moessenboeck, TOPLAS 16(6), 1994). Arrays with a
 * variable index, and everything global or local, are objects in memory.
 *
 * A construct outside the language calls lower_fail: the first reason stays,
 * `failed` is set, and everything unwinds to frontend.c.
 */
#ifndef PREDICTD_MODEL_FRONTEND_LOWER_H
#define PREDICTD_MODEL_FRONTEND_LOWER_H

#include "model/frontend/parse.h"
#include "model/ir/ir.h"

enum {
	LOWER_DEPTH_MAX = 2000,    /* nesting of expressions and statements */
	LOWER_CELLS_MAX = 1 << 17, /* of one kernel */
	LOWER_AGGREGATE_MAX = 256, /* cells of one variable; larger ones live in memory */
	LOWER_PATH_MAX = 256,      /* conditions above a statement */
	LOWER_GUARDS_MAX = 64,     /* conditions above a guard whose rest becomes its else */
	LOWER_TARGETS_MAX = 128,
	LOWER_CHOICES_MAX = 16,      /* objects that one pointer may point to */
	LOWER_CACHE_MAX = 512,       /* accesses remembered */
	LOWER_CHANGES_MAX = 1 << 20, /* cells copied for branches and exits */
	LOWER_SCAN_MAX = 1 << 20,    /* cursors visited by scans ahead */
	LOWER_RECORDS = 64           /* structs remembered */
};

/* ---- memory of one lowering: freed as a whole ---------------------------------------------- */

struct arena_chunk;
struct arena {
	struct arena_chunk *chunks;
	size_t total;
};
void *arena_alloc(struct arena *arena, size_t bytes); /* NULL when memory is short; zeroed */
void arena_free(struct arena *arena);

/* ---- values --------------------------------------------------------------------------------- */

enum pointer_target { POINTER_NULL, POINTER_OBJECT, POINTER_CELLS, POINTER_CHOICE };

struct choice;

/*
 * An address: node(index) * scale + offset bytes, in an object or in a variable's cells; or
 * one of two, where control decides which, plus offset bytes.
 */
struct pointer {
	uint8_t target; /* enum pointer_target */
	uint32_t base;  /* object, or first cell */
	uint32_t cells; /* of the variable */
	uint32_t index; /* node, or IR_NONE */
	uint32_t scale;
	int64_t offset;
	struct choice *choice; /* of a choice; in the arena */
	bool may_be_null;      /* memory holds it: null where its index is -1 */
};

struct choice {
	uint32_t condition;
	struct pointer yes, no; /* neither is null */
	unsigned leaves;
};

enum value_kind { VALUE_NONE, VALUE_NODE, VALUE_POINTER, VALUE_AGGREGATE };

struct value {
	uint8_t kind; /* enum value_kind */
	uint32_t node;
	struct pointer pointer;
	struct value *parts; /* aggregate: one per leaf of its layout; in the arena */
	uint32_t part_count;
};

/* One scalar, vector or pointer within a variable or type. */
struct leaf {
	struct type type; /* of a pointer: ulong */
	bool is_pointer;
	uint32_t pointee_bytes;
	uint32_t offset; /* bytes */
};

struct layout {
	struct leaf *leaves;
	uint32_t count;
	uint64_t size_bytes;
};

struct cell {
	struct leaf leaf;
	struct value value; /* VALUE_NONE: not initialised */
	uint32_t scratch;   /* for joins */
};

/* Something an assignment can go to: an address, and lanes of a vector there. */
struct place {
	struct pointer pointer;
	CXType type;         /* canonical; of the whole, lanes apart */
	struct type vector;  /* with lanes: the vector's type */
	unsigned lane_count; /* 0: the whole */
	uint64_t lanes;      /* 4 bits each */
	/* of a bit-field, whose type is that of the unit it lies in; width 0: none */
	unsigned bit_offset, bit_width;
};

/* ---- control -------------------------------------------------------------------------------- */

struct change {
	uint32_t cell;
	struct value value;
};

struct changes {
	struct change *at;
	uint32_t count;
};

struct condition {
	uint32_t node;
	bool is_true;
	int32_t *settled; /* of an else: the innermost target that its then always jumped to, or
	                     NULL */
};

/* A jump that left for a target: how it got there and what the cells were. */
struct pending {
	struct condition *path;
	uint32_t path_count;
	struct changes changes;
	bool is_next;
	struct pending *before;
};

/* What break, continue and return can go to. */
struct target {
	bool is_loop, is_function, is_switch, is_label;
	bool is_once;       /* do { ... } while (0): its break and continue lead to its end */
	uint32_t statement; /* IR_NONE: jumps need no statement, values alone */
	uint32_t trail_mark, path_mark;
	struct pending *pending;
	CXCursor label; /* where is_label: what a goto goes to; a loop's beginning or a scope's end
	                 */
};

struct cached {
	struct ir_access access; /* address and type; result or stored node in `node` */
	uint32_t node;
	uint32_t number;
	bool is_dead;
};

struct variable {
	CXCursor declaration;
	unsigned hash;
	bool is_bound;
	struct pointer where;
	struct layout layout;
};

struct function_frame {
	CXCursor declaration;
	CXCursor body;
	uint32_t result; /* first cell of the result, or IR_NONE */
	uint32_t result_count;
	bool is_scanned;                     /* for private arrays with variable index */
	bool is_labelled_known, is_labelled; /* has labels */
	struct function_frame *caller;
};

/*
 * Variables that have to live in memory, though nothing said so ahead: lowering
 * finds it where they are used, and begins anew.
 */
enum { DEMANDS_MAX = 24 };
struct demands {
	CXCursor at[DEMANDS_MAX];
	unsigned count;
};

/* A struct, and how many members it has, those of structs within included. */
struct member_count {
	CXCursor record;
	unsigned count;
};

struct lower {
	struct translation *translation;
	struct arena arena;
	struct ir_kernel *kernel;
	uint32_t block;
	bool failed;
	bool terminated; /* nothing runs from here on */
	bool is_tail;    /* nothing of the function follows the present statement */
	bool is_parted;  /* the present condition is a branch's: && and || may be branches, too */
	char reason[IR_NAME_MAX];
	unsigned depth, inline_depth;
	uint32_t cursors, scanned, copied;
	CXFile file; /* the last that something stood in, and its number; NULL: none */
	uint8_t file_number;
	bool is_file_clients;

	struct cell *cells;
	uint32_t cell_count, cell_capacity;
	struct change *trail;
	uint32_t trail_count, trail_capacity;
	struct condition path[LOWER_PATH_MAX];
	uint32_t path_count;
	struct target targets[LOWER_TARGETS_MAX];
	uint32_t target_count;
	int32_t innermost_jump; /* target of jumps since the branch began; -1: none, or the kernel's
	                           end */
	struct cached cache[LOWER_CACHE_MAX];
	uint32_t cache_count;

	struct variable *variables; /* hash table, power of two */
	uint32_t variable_count, variable_capacity;
	CXCursor *dynamic; /* private arrays that have to live in memory */
	uint32_t dynamic_count, dynamic_capacity;
	struct demands *demands; /* variables that an earlier attempt found to need memory */
	bool has_demanded;       /* this attempt added one, and failed: another is worth it */
	struct function_frame *frame;
	struct member_count members[LOWER_RECORDS]; /* by hash */

	/* swizzles whose text a macro hides; see swizzle.c */
	CXCursor member_function;
	CXCursor *member_cursors;
	char (*member_names)[20];
	uint32_t member_count;
	bool members_known;

	struct unroll_hints *unroll_hints; /* of the functions asked about; see unroll.c */
};

/* Marks the kernel as outside the language: "line N: text". */
void lower_fail(struct lower *l, CXCursor at, const char *format, ...)
        __attribute__((format(printf, 3, 4)));

/*
 * What is lowered stands where the cursor does from now on: returns where the last did, for
 * kernel_stand. What the client did not write stands where he uses it.
 */
struct ir_place lower_stand(struct lower *l, CXCursor cursor);

/* ---- cursors.c ------------------------------------------------------------------------------ */

struct cursor_list {
	CXCursor *at;
	unsigned count;
};

/* Children without type references and attributes; in the arena. */
struct cursor_list cursor_children(struct lower *l, CXCursor cursor);
CXCursor cursor_strip(struct lower *l, CXCursor cursor); /* parentheses and implicit casts away */
bool cursor_constant(struct lower *l, CXCursor cursor, int64_t *value); /* literals, operators */
bool cursor_is(CXCursor cursor, const char *spelling);
void cursor_name(CXCursor cursor, char name[IR_NAME_MAX]);

/* ---- types.c -------------------------------------------------------------------------------- */

bool type_of(CXType type, struct type *result); /* scalar or vector; else false */
bool type_is_pointer(CXType type);              /* or an image: its value points to its object */
/* access: 1 read_only, 2 write_only, 3 read_write */
bool type_is_image(CXType type, enum image_kind *kind, unsigned *access);
bool type_is_array(CXType type);
bool type_points(CXType type); /* a pointer, or what a parameter of an array's type is written as */
bool type_is_struct(CXType type);
CXType type_canonical(CXType type);
CXType type_pointee(CXType type); /* canonical; of a pointer or array */
/* A parameter declared as an array, which is a pointer; libclang says array all the same. */
bool is_array_parameter(CXCursor declaration);
bool layout_of_pointer(struct lower *l, CXType pointee, CXCursor at, struct layout *layout);
uint64_t type_size(CXType type); /* 0 when it has none */
/* Leaves in order of offset; at most LOWER_AGGREGATE_MAX, else false without failing. */
bool layout_of(struct lower *l, CXType type, CXCursor at, struct layout *layout);
/* Of a field in its struct; negative when it has none, or when that takes too long (it fails). */
long long field_offset_bits(struct lower *l, CXCursor field, CXCursor at);
bool type_space(CXType type, enum space *space); /* of an object of that type */

/* ---- environment.c -------------------------------------------------------------------------- */

struct variable *variable_find(struct lower *l, CXCursor declaration);
struct variable *variable_bind(struct lower *l, CXCursor declaration);
uint32_t cells_new(struct lower *l, const struct layout *layout);
void cell_set(struct lower *l, uint32_t cell, struct value value);
struct value cell_get(struct lower *l, uint32_t cell, CXCursor at);
/* The cell at a byte offset of a pointer to cells, or IR_NONE. */
uint32_t cell_at(struct lower *l, const struct pointer *pointer, uint64_t offset);
struct value value_join(struct lower *l, uint32_t condition, struct value yes, struct value no,
                        CXCursor at);

struct changes trail_collect(struct lower *l, uint32_t mark);
void trail_undo(struct lower *l, uint32_t mark);
void changes_apply(struct lower *l, const struct changes *changes);

/* One branch: begin, arm (then), arm (else), end. */
struct branch {
	uint32_t statement, condition, outer_block, trail_mark, cache_mark;
	struct changes arm[2];
	bool ended[2];
	int32_t outer_jump, jump; /* innermost targets jumped to: before, and in the then */
};
void branch_begin(struct lower *l, struct branch *branch, uint32_t condition, bool has_else,
                  unsigned line);
void branch_arm(struct lower *l, struct branch *branch, unsigned arm);
void branch_arm_end(struct lower *l, struct branch *branch, unsigned arm);
void branch_end(struct lower *l, struct branch *branch, CXCursor at);

void target_push(struct lower *l, struct target target, CXCursor at);
void target_jump(struct lower *l, uint32_t target, bool is_next, bool needs_statement, CXCursor at);
/* Joins the pending jumps (`next` ones or the others) with the present state. */
void target_join(struct lower *l, uint32_t target, bool is_next, CXCursor at);

/* A stretch that jumps leave for its end: begin, its statements, end; false after a failure. */
struct scope {
	uint32_t target, outer_block, cache_mark;
	bool was_tail;
};
bool scope_begin(struct lower *l, struct scope *scope, struct target target, CXCursor at);
void scope_end(struct lower *l, const struct scope *scope, CXCursor at);

/* ---- memory.c ------------------------------------------------------------------------------- */

struct pointer pointer_add(struct lower *l, struct pointer pointer, uint32_t index,
                           uint64_t element_bytes, CXCursor at);
uint32_t pointer_bytes(struct lower *l, const struct pointer *pointer); /* node: its offset */
/* What a pointer points to, whatever it is, as that type. */
struct value pointer_load(struct lower *l, const struct pointer *pointer, struct type type,
                          CXCursor at);
void pointer_store(struct lower *l, const struct pointer *pointer, struct type type,
                   struct value value, CXCursor at);
uint32_t memory_load(struct lower *l, const struct pointer *pointer, struct type type, CXCursor at);
void memory_store(struct lower *l, const struct pointer *pointer, struct type type, uint32_t value,
                  CXCursor at);
/* What becomes of work-items' operands: they add up to one, the least or greatest stays, or the
 * last. */
enum atomic_way { ATOMIC_SUM, ATOMIC_EXTREME, ATOMIC_EXCHANGE };

uint32_t memory_atomic(struct lower *l, const struct pointer *pointer, struct type type,
                       uint32_t value, enum atomic_way way, CXCursor at);
/* Zeros that many bytes, by a loop of stores. */
void memory_fill(struct lower *l, const struct pointer *pointer, uint64_t bytes, CXCursor at);
/* Moves `count` elements (a node), the work-group's work-items taking turns; strides in elements,
 * nodes or IR_NONE. */
struct copy {
	struct pointer to, from;
	struct type type;
	uint32_t count, to_stride, from_stride;
};
void memory_copy(struct lower *l, const struct copy *copy, CXCursor at);
void cache_forget_object(struct lower *l, uint32_t object);
void cache_forget_shared(struct lower *l); /* a barrier: global and local */

/* Fails with that reason, unless the variable that these cells are of can go to memory. */
void memory_demand(struct lower *l, const struct pointer *pointer, CXCursor at, const char *reason);
struct value place_load(struct lower *l, const struct place *place, CXCursor at);
void place_store(struct lower *l, const struct place *place, struct value value, CXCursor at);

/* ---- candidates.c --------------------------------------------------------------------------- */

/* What a pointer may point to in the rounds of a loop: objects, each once. */
struct candidates {
	struct pointer at[LOWER_CHOICES_MAX];
	unsigned count;
};

/* Finds the pointers that a loop assigns from one another. */
struct flows;
struct flows *flows_new(struct lower *l);
void flows_scan(struct lower *l, struct flows *flows, CXCursor cursor, unsigned depth);
/* What the pointer in a cell may point to when the loop begins anew; NULL when it cannot be told.
 */
struct candidates *flows_candidates(struct lower *l, const struct flows *flows, uint32_t cell);

/*
 * Adds what a pointer may point to, each object once; false where there are more than
 * LOWER_CHOICES_MAX, and some are left out.
 */
bool candidates_add(struct candidates *candidates, const struct pointer *pointer);

/* ---- choice.c: pointers to one of several ---------------------------------------------------- */

/* Condition ? yes : no, for pointers that differ. */
struct pointer pointer_choose(struct lower *l, uint32_t condition, const struct pointer *yes,
                              const struct pointer *no, CXCursor at);
/* One arm of a choice, its offset included. */
struct pointer choice_arm(const struct pointer *pointer, bool is_yes);
/* Whether all that it may point to is cells. */
bool pointer_is_of_cells(const struct pointer *pointer);
/* The address in units of `step` bytes, as a node. */
uint32_t pointer_in_steps(struct lower *l, struct pointer pointer, uint32_t step);
/* Whether every address that it may be is a multiple of `step` bytes. */
bool pointer_is_multiple(const struct pointer *pointer, uint32_t step);
/*
 * Which of the candidates an address is of, as a node. `number`: the loop's variable that says
 * so at its head, or IR_NONE. What is of none is taken as of the last, and as unknown.
 */
uint32_t candidates_which(struct lower *l, const struct candidates *candidates,
                          const struct pointer *pointer, uint32_t number, CXCursor at);
/* The candidate of that number, at `index` steps; both nodes. */
struct pointer candidates_choose(struct lower *l, const struct candidates *candidates,
                                 uint32_t number, uint32_t index, uint32_t step, CXCursor at);

/* ---- counted.c: loops that nobody wrote ------------------------------------------------------ */

/* for (i = first; i < end; i += step) with i as long: begin, its body, end. */
struct counted {
	uint32_t statement, variable, index, step, outer_block, cache_mark;
};
void counted_begin(struct lower *l, struct counted *loop, uint32_t first, uint32_t end,
                   uint32_t step, CXCursor at);
void counted_end(struct lower *l, struct counted *loop);

/* ---- scan.c --------------------------------------------------------------------------------- */

/* What a loop may change: cells (enum scan_how of all cells so far) and objects. */
enum scan_how {
	SCAN_ASSIGNED = 1,
	SCAN_BY_LANES = 2, /* of a vector: a lane, or (float2)(x, y) */
	SCAN_AS_WHOLE = 4  /* of a vector: as one value, or where it is not to be seen */
};
struct scan {
	uint8_t *cells;
	uint32_t cell_count;
	uint8_t *objects;
	bool all_objects;
};
/* Empty bitmaps, and what the cursor assigns where it descends. */
void scan_loop(struct lower *l, CXCursor cursor, struct scan *scan, bool descends);
bool scan_has_effects(struct lower *l, CXCursor cursor);      /* memory, calls, assignments */
bool scan_is_simple_function(struct lower *l, CXCursor body); /* values alone: no statement */
bool scan_ends_flow(struct lower *l, CXCursor cursor);        /* a jump stands at its end */
bool scan_is_guard(struct lower *l, CXCursor cursor);      /* if (...) { ...; jump } without else */
bool scan_returns_at_tail(struct lower *l, CXCursor body); /* nothing follows any return */
bool array_is_dynamic(struct lower *l, CXCursor declaration);
bool variable_is_demanded(const struct lower *l, CXCursor declaration);

/* ---- pun.c: variables read and written as what they are not -------------------------------------
 */

/* The bytes at an offset of a variable's cells as a value of that type; false: they are no such. */
bool cells_gather(struct lower *l, const struct pointer *pointer, struct type type, uint32_t *node);
bool cells_scatter(struct lower *l, const struct pointer *pointer, struct type type, uint32_t node);
uint32_t bits_load(struct lower *l, const struct place *place, struct type type, uint32_t unit);
uint32_t bits_store(struct lower *l, const struct place *place, struct type type, uint32_t unit,
                    uint32_t value);

/* ---- swizzle.c ------------------------------------------------------------------------------ */

/* True when the cursor is a vector component access: the lanes, and whether through a pointer. */
bool swizzle_of(struct lower *l, CXCursor cursor, CXCursor child, unsigned *lane_count,
                uint64_t *lanes, struct type *vector, bool *is_arrow);

struct call;

/* ---- unknown.c: what is not known, amid what is --------------------------------------------- */

/* An operation of which nothing is known stands here, `count` of them; the text says what. */
void lower_unknown(struct lower *l, CXCursor at, uint32_t count, const char *format, ...)
        __attribute__((format(printf, 4, 5)));
/* A call of a function without a body: its arguments are read, its result is anything. */
struct value unknown_call(struct lower *l, const struct call *call);
/* Inline assembly: its inputs are read, its outputs are anything afterwards. */
void lower_assembly(struct lower *l, CXCursor cursor);
/* Whether an operand of inline assembly is one that it may assign. */
bool assembly_assigns(CXCursor operand);
/*
 * A pointer that memory holds, of which it is not known where it points: somewhere in what it
 * was loaded from where that has elements of as many bytes, else in the first argument that has.
 * `node`: its value, as it was loaded.
 */
struct pointer pointer_unknown(struct lower *l, const struct pointer *from, uint64_t bytes,
                               uint32_t node, CXCursor at);

/* ---- unroll.c ------------------------------------------------------------------------------- */

/* What the pragmas and attributes in front of a loop ask for; as ir_statement's unroll. */
unsigned unroll_hint(struct lower *l, CXCursor loop);

/* ---- expression.c, operator.c, call.c, builtin_*.c ------------------------------------------ */

struct value lower_expression(struct lower *l, CXCursor cursor);
struct place lower_place(struct lower *l, CXCursor cursor);
uint32_t lower_node(struct lower *l, CXCursor cursor); /* a scalar or vector value */
uint32_t lower_condition(struct lower *l, CXCursor cursor);
/* The same; is_branch: of a branch, not of a loop. */
uint32_t lower_condition_of(struct lower *l, CXCursor cursor, bool is_branch);
/* Whether a pointer is none, as a node: of those alone that memory holds is it not known. */
uint32_t pointer_is_set(struct lower *l, const struct pointer *pointer);
uint32_t value_as_condition(struct lower *l, struct value value,
                            CXCursor cursor); /* an integer node */
struct pointer lower_pointer(struct lower *l, CXCursor cursor);
/* An initialiser list: a vector, a scalar, or the leaves of a struct or array. */
struct value lower_list(struct lower *l, CXCursor cursor);
struct value lower_string(struct lower *l, CXCursor cursor);
uint32_t lower_vector_literal(struct lower *l, CXCursor list, struct type type);

struct value value_node(uint32_t node);
uint32_t node_check(struct lower *l,
                    uint32_t node); /* fails where the builder did; never IR_NONE */
struct value value_pointer(struct pointer pointer);
uint32_t value_as_node(struct lower *l, struct value value, CXCursor at);
struct type node_type(const struct lower *l, uint32_t node);
uint32_t convert_node(struct lower *l, uint32_t node, struct type type);
uint32_t node_binary(struct lower *l, enum node_op op, struct type type, uint32_t a, uint32_t b);
uint32_t node_unary(struct lower *l, enum node_op op, struct type type, uint32_t a);
uint32_t node_select(struct lower *l, enum node_op op, struct type type, uint32_t condition,
                     uint32_t yes, uint32_t no);
uint32_t node_zero(struct lower *l, struct type type);
uint32_t node_number(struct lower *l, struct type type, double value);
uint32_t node_swizzle(struct lower *l, uint32_t node, unsigned count, uint64_t lanes);
/* An operation that the source's call stands for, counted as written. */
uint32_t node_operation(struct lower *l, enum node_op op, struct type type, uint32_t a, uint32_t b);
/* A call that stays one. */
uint32_t node_call(struct lower *l, enum builtin builtin, struct type type,
                   const uint32_t *operands, unsigned count);
/* x0 * y0 + x1 * y1 + ..., as multiply and fused multiply-adds. */
uint32_t node_dot(struct lower *l, uint32_t a, uint32_t b);
void write_operation(struct lower *l, enum op_class op_class, struct type type, unsigned count);

struct value lower_unary(struct lower *l, CXCursor cursor);
struct value lower_binary(struct lower *l, CXCursor cursor);
struct value lower_compound_assign(struct lower *l, CXCursor cursor);
struct value lower_conditional(struct lower *l, CXCursor cursor);
struct value lower_otherwise(struct lower *l, CXCursor cursor, CXCursor common, CXCursor otherwise);

struct value lower_call(struct lower *l, CXCursor cursor);
/* Fails, and is true, where a function, struct or variable uses a name that nobody declared. */
bool function_fault(struct lower *l, CXCursor definition, CXCursor at);
void lower_function_body(struct lower *l, struct function_frame *frame);

struct call {
	CXCursor cursor;
	const char *name;
	struct type type; /* of the result; void where it is none the IR knows */
	CXCursor arguments[16];
	unsigned count;
};
/* A compiler's built-in by the name that OpenCL C has for it: __builtin_popcountll, popcount. */
void builtin_strip(struct call *call);
/* Each returns false when the name is not its own. */
bool builtin_work_item(struct lower *l, const struct call *call, struct value *result);
bool builtin_group(struct lower *l, const struct call *call, struct value *result);
bool builtin_bits(struct lower *l, const struct call *call, struct value *result);
bool builtin_math(struct lower *l, const struct call *call, struct value *result);
bool builtin_memory(struct lower *l, const struct call *call, struct value *result);
bool builtin_atomic(struct lower *l, const struct call *call, struct value *result);
bool builtin_image(struct lower *l, const struct call *call, struct value *result);

/* Nodes: which work-item of its group this is, in order, and how many there are. */
uint32_t work_group_item(struct lower *l);
uint32_t work_group_items(struct lower *l);
void barrier_append(struct lower *l, CXCursor at);
/* Whether what others wrote to memory may be seen after a call of that built-in. */
bool call_synchronises(const char *name);

/* ---- statement.c, loop.c, switch.c ---------------------------------------------------------- */

void lower_statement(struct lower *l, CXCursor cursor);
void lower_declaration(struct lower *l, CXCursor cursor);
/* Binds a variable to an object of its own. */
void declare_object(struct lower *l, CXCursor declaration, enum space space);
/* Binds a variable of the function to private memory, unless it is already. */
void declare_in_memory(struct lower *l, CXCursor declaration);
void lower_loop(struct lower *l, CXCursor cursor, unsigned unroll);
void lower_switch(struct lower *l, CXCursor cursor);
/* A loop by goto: `body` lowers `count` statements and then falls out of it, unless a condition
 * says whether it goes on. */
struct goto_loop {
	CXCursor label, condition; /* null: none */
	const CXCursor *statements;
	unsigned count;
	void (*body)(struct lower *l, void *data);
	void *data;
};
void lower_goto_loop(struct lower *l, const struct goto_loop *jumps);
/* Whether a list of statements has labels that are jumped to: lowered then. */
bool lower_labelled(struct lower *l, const CXCursor *at, unsigned count);
void lower_goto(struct lower *l, CXCursor cursor);
void lower_sequence(struct lower *l, const CXCursor *at, unsigned count);
/* Which parts of a for are there: initialiser, condition, increment. */
bool for_parts(struct lower *l, CXCursor cursor, bool present[3]);

/* ---- kernel.c ------------------------------------------------------------------------------- */

/* One kernel of an open translation unit; takes no ownership. NULL only without memory. */
struct ir_kernel *lower_kernel(struct translation *translation, CXCursor function,
                               const char *reason);
bool function_is_kernel(struct translation *translation, CXCursor function,
                        uint32_t required_local[3], bool *has_body);

#endif
