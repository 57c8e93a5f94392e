/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the passes over a sealed kernel find, independent of any launch.
 *
 * The passes, in order (kernel_seal runs them; see passes.c):
 *   tree       depth, loop and barriers of each block      requires a checked kernel
 *   live       nodes reachable from an effect              requires tree
 *   place      the block where a compiler computes a node  requires live
 *              (between its operands' blocks and its uses: the fewest loops
 *              deep, then the latest: Click, PLDI 1995, global code motion);
 *              loads move out of a loop that neither writes what they read nor,
 *              for global and local memory, has a barrier
 *   uniform    nodes that a group's work-items share  requires live
 *   address    integer nodes that only form addresses      requires live
 *   trips      trip counts that are constants; induction variables   requires place
 *   emit       operations per block by class and type      requires place, address, trips
 *   unroll     loops that a compiler unrolls, and those within whose trips their counters
 *              decide (passes/nest.c); then emit once more, for GPUs and for CPUs
 *   constants  loads whose value a compiler knows then, in tables of the program
 *   fuse       what a GPU does along with others           requires emit
 *   pack       components that a CPU's compiler makes vectors of   requires place
 *   registers  a bound on the values alive at once         requires place
 *   vector     whether work-items can run as lanes of vector instructions on a
 *              CPU, and what prevents it                   requires unroll, registers
 */
#ifndef PREDICTD_MODEL_PASSES_PASSES_H
#define PREDICTD_MODEL_PASSES_PASSES_H

#include "model/ir/ir.h"

/*
 * Operations of one execution of a block (not of blocks within it), as a
 * compiler emits them:
 *   - a width-N operation is N scalar ones; a call costs its row of BUILTIN_TABLE
 *   - a real ADD of a MUL that has no other use is one FMA; on a CPU where both stand
 *     in one expression, OpenCL's default of contraction
 *   - integer division by a constant: 1 BIT (2 signed) for a power of two, else 2 MUL (of 64
 *     bits MUL_HI, on a CPU MUL) + 2 BIT, and MUL + ADD more for a remainder; a remainder
 *     beside the quotient of the same operands is MUL + ADD. Multiplication by a power of
 *     two is BIT, real division by one is MUL. Of 64 bits WIDE_DIV or WIDE_MOD where a value is
 *     likely to have more than 32
 *   - a choice of control's is free, on a GPU SELECT where no arm computes either value
 *   - conversions among integers are free; others count as CONVERT of DOUBLE if either
 *     side is double, else LONG if either is, else FLOAT (HALF: half and short or narrower);
 *     what a GPU rounds by floor, ceil or rint it converts to an integer meanwhile
 *   - in addresses, adding a constant, the last addition, and sums that are affine in the
 *     loop's induction variable are free; a product of an induction variable and an
 *     invariant is one ADD, there and elsewhere (strength reduction)
 *   - what follows from constants and the variables of unrolled loops is free
 *   - what negates a comparison is free; the comparison counts
 */
enum { IR_NODE_COUNTS_MAX = 4 }; /* of a rest of a division by a constant */

struct ir_counts {
	float operation[OP_CLASS_COUNT]
	               [TYPE_CLASS_COUNT]; /* scalar operations: a float4 add is 4 */
	/* the same summed over the classes of operations, a float4 add being 1 */
	float instruction[TYPE_CLASS_COUNT];
	float call[TYPE_CLASS_COUNT]; /* of these, calls of math functions */
};

enum trip_kind {
	TRIP_CONSTANT, /* `trips` says how many */
	TRIP_LAUNCH,   /* the NDRange and the arguments decide: evaluate */
	TRIP_DATA      /* the contents of memory decide */
};

struct ir_loop {
	uint32_t statement;
	uint8_t trip;        /* enum trip_kind */
	uint64_t trips;      /* TRIP_CONSTANT; of a nested one in the mean */
	bool is_nested;      /* counters of loops around it decide its trips, and constants */
	bool is_retry;       /* it repeats an exchange in it until that succeeds */
	bool has_early_exit; /* a break or return that depends on more than the loop's condition */
	bool is_unrolled;    /* fully, by a compiler's usual rules: constant and short */
	bool is_closed;      /* it only adds: a compiler knows what it ends with, and drops it */
	bool is_unrolled_early; /* before a CPU's work-items become lanes: hinted, or one trip.
	                           PoCL forbids LLVM to unroll any other loop of the source */
	/* Beside barriers, and all work-items of a group go through it alike: PoCL puts it around
	 * its loop over work-items */
	bool is_outer;
	uint32_t unroll;    /* iterations that a GPU's compiler puts together; 1: none */
	uint32_t induction; /* variable with next = itself + invariant, used by the condition; or
	                       IR_NONE */
};

/* Why work-items cannot be lanes of a vector on a CPU; VECTOR_OK: they can. */
enum vector_obstacle {
	VECTOR_OK,
	VECTOR_LOOP,     /* a loop that is not fully unrolled */
	VECTOR_DIVISION, /* integer division or remainder by a variable, or of 64 bits */
	VECTOR_CALL,     /* a built-in without a vector form */
	VECTOR_ATOMIC,
	VECTOR_TYPE, /* a vector of OpenCL C: LLVM makes no vectors of vectors */
	VECTOR_OBSTACLE_COUNT
};

/* Of two shifts and what joins them: all of it, or one of the shifts. */
enum rotation { ROTATION_NONE, ROTATION_WHOLE, ROTATION_PART };

/* Of the operations of a block, those that a GPU does along with others. */
struct ir_fused {
	float add[TYPE_CLASS_COUNT], bit[TYPE_CLASS_COUNT], compare[TYPE_CLASS_COUNT];
};

struct ir_summary {
	/* per node */
	uint32_t *node_block;        /* where it is computed; IR_NONE: dead */
	bool *node_is_address;       /* only forms addresses or loop conditions */
	bool *node_is_integer_known; /* its value follows from launch alone: no load, no unknown
	                                under it */
	bool *node_is_contracted;    /* a sum or a product of one FMA on a CPU */
	uint8_t *node_rotation;      /* enum rotation */
	uint8_t *node_lanes;    /* on a CPU: of a vector that it is packed into; 0: it is not */
	bool *node_is_fused;    /* a GPU does it along with another: see `fused` */
	bool *node_is_bypassed; /* a division that a CPU carries out only where its divisor is
	                           no greater than its dividend */
	bool *node_is_wide;     /* a division that is likely to take all 64 bits */
	bool *node_is_word;     /* an operation on 64 bits that is one on 32 to a GPU */
	bool *node_is_uniform;  /* one value for all work-items of a group, and it shows */
	/* per access */
	uint32_t *access_block;      /* after hoisting; IR_NONE: a load that nothing uses */
	bool *access_is_folded;      /* of a constant that a compiler knows: no access */
	bool *access_is_fixed;       /* its place is a constant once loops are unrolled */
	bool *access_is_fixed_early; /* the same where loops are unrolled early or not at all */
	bool *access_is_used;        /* an operation, a branch or a store waits for its result */
	/* per statement */
	bool *branch_is_fixed; /* constants decide it once loops are unrolled: no branch */
	/* per block */
	struct ir_counts *emitted;
	struct ir_counts *rolled; /* the same where loops are unrolled early or not at all */
	struct ir_fused *fused;
	uint32_t *block_depth; /* nesting of blocks */
	uint32_t *block_loop;  /* the innermost loop around it, in `loops`; IR_NONE: none */
	uint32_t *loop_depth;  /* nesting of loops that are not unrolled */
	/*
	 * enum vector_obstacle of the code directly in that block. Between barriers a CPU
	 * runs the work-items of a group in a loop (PoCL); that loop is vectorised whole or
	 * not at all, so an obstacle holds for a region between barriers, with the blocks
	 * within. A block that contains barriers has the obstacle of its heaviest region.
	 */
	uint8_t *block_obstacle;
	uint32_t *block_region; /* that region, by number; IR_NONE: of none */
	/* loops, in order of statements */
	struct ir_loop *loops;
	uint32_t loop_count;
	enum vector_obstacle obstacle; /* of the region with most operations */
	uint32_t obstacle_line;        /* in the client's source; 0: none, or unknown */
	bool has_barrier;
	uint64_t local_bytes;       /* of __local arrays of the program */
	uint64_t private_bytes;     /* of private arrays */
	uint32_t register_estimate; /* 32-bit values alive at once, a rough upper bound; without
	                               private arrays */
};

/*
 * Ends building (kernel_finish) and runs the passes: fills `summary`. On failure the kernel is
 * unusable but can be freed.
 *
 * STATUS_LIMIT: a bound; STATUS_CORRUPT: an invariant; STATUS_NO_MEMORY.
 */
enum status kernel_seal(struct ir_kernel *kernel, struct error *error);

/* The operations of a node within `emitted`, or `rolled`, of its block. */
struct ir_node_counts {
	float operations[IR_NODE_COUNTS_MAX];
	uint8_t op[IR_NODE_COUNTS_MAX], type[IR_NODE_COUNTS_MAX]; /* enum op_class, type_class */
	uint8_t count;
};

/*
 * Runs the passes over a sealed kernel once more, to know what each node costs: a summary keeps
 * sums alone, which is all that most questions need.
 *
 * is_rolled  those of `rolled`, else of `emitted`
 * counts     out: per node; to free()
 *
 * STATUS_NO_MEMORY.
 */
enum status kernel_count_nodes(const struct ir_kernel *kernel, bool is_rolled,
                               struct ir_node_counts **counts, struct error *error);

/* The innermost loop around a loop, by number; IR_NONE: there is none. */
uint32_t loop_around(const struct ir_kernel *kernel, uint32_t loop);

/* The same around a block, of loops that are not unrolled early. */
uint32_t rolled_loop_of(const struct ir_kernel *kernel, uint32_t block);

/* "an atomic" and so on. Static storage. */
const char *vector_obstacle_text(enum vector_obstacle obstacle);

#endif
