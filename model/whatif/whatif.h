/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What-ifs: one change to a kernel, its launch or its data, and how the model sees the launch then.
 *
 * Comes in: a kernel, a launch and its evaluation. Goes out: a list of changes that the kernel
 * could follow; and, for one of them, the kernel, the launch and the evaluation as they would be.
 * Both predictions are of the same model, so that their difference is what the change brings. This
 * room sets no time and writes no source.
 *
 * Changes are of two kinds. Some are made of the IR before it is evaluated: what a programmer would
 * write is then counted and priced as any kernel is. Others are made of the evaluation: where an
 * access goes follows from a layout of data that no IR holds.
 */
#ifndef PREDICTD_MODEL_WHATIF_WHATIF_H
#define PREDICTD_MODEL_WHATIF_WHATIF_H

#include "model/device/device.h"
#include "model/device/launch.h"
#include "model/evaluate/evaluate.h"
#include "model/prediction.h"

/* X(NAME, "word"): what `place` is; what `detail` is. Order is wire format: append only. */
#define WHAT_IF_TABLE(X)                                                                           \
	X(NONE, "none")                                                                            \
	X(NATIVE, "native")        /* a built-in, or BUILTIN_COUNT: real division */               \
	X(CONSTANT_ARG, "macro")   /* an argument; its value */                                    \
	X(UNROLLED, "unroll")      /* a statement; times, 0: fully */                              \
	X(EXCHANGED, "exchange")   /* nothing: dimensions 0 and 1 of the NDRange */                \
	X(TRANSPOSED, "layout")    /* an object; bytes between neighbours */                       \
	X(ALIGNED, "align")        /* an object; bytes off a line's beginning */                   \
	X(STAGED, "stage")         /* a block; bits: which of its global loads, in order */        \
	X(TILED, "tile")           /* an access; bytes between neighbours */                       \
	X(PADDED, "banks")         /* an object in local memory; ways of its worst conflict */     \
	X(PITCHED, "pitch")        /* an object; bytes from row to row */                          \
	X(CONVERGED, "converge")   /* a branch; share of lanes that work behind it */              \
	X(IN_CONSTANT, "constant") /* an object; bytes */                                          \
	X(GROUPED, "group")        /* shape: log2 of its sizes, 8 bits each; work-items of it */   \
	X(VECTORISED, "vectorise") /* an obstacle: enum vector_obstacle */                         \
	X(KEPT, "keep")            /* a store; how many loops it leaves */                         \
	X(IN_LOCAL, "table")       /* an object; bytes */                                          \
	X(BLOCKED, "block")        /* a dimension; results a work-item */                          \
	X(WIDENED, "width")        /* a dimension, results; bytes of a narrowest element */        \
	X(IN_TURNS, "turns")       /* a dimension; results a work-item */                          \
	X(SPREAD, "spread")        /* a loop's statement; work-items that share it */              \
	X(RESERVED, "reserve")     /* an array in local memory; bytes that it needs */             \
	X(WINDOW, "window")        /* an object; bytes that a group reads of it */                 \
	X(BALANCED, "balance")     /* a loop's statement; trips, most by mean of a warp */         \
	X(IMAGE, "image")          /* an object; elements from row to row */                       \
	X(SKEWED, "skew")          /* an object in local memory; ways of its worst conflict */     \
	X(NEAR, "near")            /* a private array; bytes that a group's have */                \
	X(MORE_GROUPS, "groups")   /* a loop's statement; times as many groups */                  \
	X(SUMMED, "sums")          /* a loop's statement; how many of each sum */                  \
	X(DIRECT, "direct")        /* an array in local memory; bytes */                           \
	X(CHUNKED, "chunk")        /* a loop's statement; its trips */                             \
	X(QUOTIENT, "quotient")    /* a division of integers */                                    \
	X(TREE, "tree")            /* a loop's statement; work-items that have elements */         \
	X(REMAINDER, "remainder")  /* a call of fmod or remainder */                               \
	X(BESIDE, "beside")        /* a loop's statement; elements that it reads, as a vector */   \
	X(CHOSEN, "select")        /* a loop's statement; its trips */                             \
	X(STRIP, "strip")          /* a loop's statement; elements that an iteration adds up */

/* Of `place` of WHAT_IF_SPREAD: those that share the loop are parts of a group, not neighbours. */
#define WHAT_IF_APART (UINT32_C(1) << 31)

enum what_if_kind {
#define X(name, word) WHAT_IF_##name,
	WHAT_IF_TABLE(X)
#undef X
	        WHAT_IF_COUNT
};

enum {
	WHAT_IF_LINE_BYTES = 128, /* of which `detail` of WHAT_IF_ALIGNED is a part */
	WHAT_IF_PITCH_BYTES =
	        2048 /* `detail` of WHAT_IF_PITCHED is a multiple: sets of caches repeat */
};

/* Static storage; `kind` in range. */
const char *what_if_word(enum what_if_kind kind);

/*
 * The name of what a change is of: an argument, an array, a function. Empty: it has none.
 *
 * name   out: with the terminator
 */
void what_if_name(const struct ir_kernel *kernel, const struct what_if *what_if,
                  char name[IR_NAME_MAX]);

/*
 * Changes that the kernel could follow, as far as there is room, each once. They may bring nothing:
 * predicting them tells.
 *
 * kernel      sealed
 * evaluation  of the launch
 */
void what_if_list(const struct ir_kernel *kernel, const struct device *device,
                  const struct launch *launch, const struct evaluation *evaluation,
                  struct prediction *prediction);

/* A kernel that was changed, and what of it the change added. */
struct what_if_change {
	struct ir_kernel *kernel;           /* owned; NULL: the kernel stands */
	uint32_t first_block, first_access; /* that were added */
};

/*
 * Changes a checked launch, and a copy of the kernel where it takes one.
 *
 * what_if  of what_if_list for the same kernel; hostile
 * change   out: freed with what_if_deinit; empty on error
 *
 * STATUS_INVALID: the kernel has nothing such. STATUS_NO_MEMORY.
 */
enum status what_if_apply(const struct ir_kernel *kernel, const struct what_if *what_if,
                          struct launch *launch, struct what_if_change *change,
                          struct error *error);
void what_if_deinit(struct what_if_change *change); /* accepts an empty one */

/* Changes the evaluation of the launch that what_if_apply left, where that is what changes. */
void what_if_evaluated(const struct ir_kernel *kernel, const struct device *device,
                       const struct launch *launch, const struct what_if *what_if,
                       const struct what_if_change *change, struct evaluation *evaluation);

#endif
