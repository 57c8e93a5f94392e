/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the passes over a sealed kernel find, independent of any launch.
 *
 * The passes, in order (kernel_seal runs them; see passes.c):
 *   live       nodes reachable from an effect              requires a checked kernel
 *   place      the block where a compiler computes a node  requires live
 *              (between its operands' blocks and its uses: the fewest loops
 *              deep, then the latest: Click, PLDI 1995, global code motion)
 *   hoist      the same for loads whose object is not stored to in the loop
 *   address    integer nodes that only form addresses; strength-reduced in loops
 *   emit       operations per block by class and type      requires place, address
 *   loops      trip counts that are constants; induction variables; unrolling
 *   vector     whether work-items can run as lanes of vector instructions on a
 *              CPU, and what prevents it
 */
#ifndef PREDICTD_MODEL_PASSES_H
#define PREDICTD_MODEL_PASSES_H

#include "model/ir.h"

/* Operations of one execution of a block (not of blocks within it). */
struct ir_counts {
	float operation[OP_CLASS_COUNT]
	               [TYPE_CLASS_COUNT]; /* scalar operations: a float4 add is 4 */
};

enum trip_kind {
	TRIP_CONSTANT, /* `trips` says how many */
	TRIP_LAUNCH,   /* the NDRange and the arguments decide: evaluate */
	TRIP_DATA      /* the contents of memory decide */
};

struct ir_loop {
	uint32_t statement;
	uint8_t trip;        /* enum trip_kind */
	uint64_t trips;      /* TRIP_CONSTANT */
	bool has_early_exit; /* a break or return that depends on more than the loop's condition */
	bool is_unrolled;    /* fully, by a compiler's usual rules: constant and short */
	uint32_t induction;  /* variable with next = itself + invariant, used by the condition; or
	                        IR_NONE */
};

/* Why work-items cannot be lanes of a vector on a CPU; VECTOR_OK: they can. */
enum vector_obstacle {
	VECTOR_OK,
	VECTOR_LOOP,     /* a loop that is not fully unrolled */
	VECTOR_DIVISION, /* integer division or remainder by a variable */
	VECTOR_CALL,     /* a built-in without a vector form */
	VECTOR_CONTROL,  /* an access under a condition that cannot be masked, an exit */
	VECTOR_ATOMIC,
	VECTOR_OBSTACLE_COUNT
};

struct ir_summary {
	/* per node */
	uint32_t *node_block;        /* where it is computed; IR_NONE: dead */
	bool *node_is_address;       /* only forms addresses or loop conditions */
	bool *node_is_integer_known; /* its value follows from launch alone: no load, no unknown
	                                under it */
	/* per access */
	uint32_t *access_block; /* after hoisting */
	/* per block */
	struct ir_counts *emitted;
	uint32_t *block_depth; /* nesting of blocks */
	uint32_t *loop_depth;  /* nesting of loops that are not unrolled */
	/* loops, in order of statements */
	struct ir_loop *loops;
	uint32_t loop_count;
	enum vector_obstacle obstacle;
	uint32_t obstacle_line;
	bool has_barrier;
	uint64_t local_bytes;       /* of __local arrays of the program */
	uint64_t private_bytes;     /* of private arrays */
	uint32_t register_estimate; /* 32-bit values alive at once, a rough upper bound */
};

enum status passes_run(struct ir_kernel *kernel, struct error *error);
void summary_free(struct ir_summary *summary); /* accepts NULL */

/* "an integer division by a variable" and so on. Static storage. */
const char *vector_obstacle_text(enum vector_obstacle obstacle);

#endif
