/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Figures of the model that are NOT DERIVED: neither calibrated, nor cited, nor computed from what
 * is. They were chosen where they were found to help, and stand together for a later decision.
 */
#ifndef PREDICTD_MODEL_UNDERIVED_H
#define PREDICTD_MODEL_UNDERIVED_H

/* ---- time ---- */

/* norm of a GPU's latency and of all else: how far they overlap (time/gpu/launch.c) */
#define WAITING_NORM 3.0
/* loads of later iterations that a GPU's compiler moves ahead (time/gpu/latency.c) */
enum { LOADS_AHEAD_MAX = 12 };
/* issue slots of a branch that parts a warp: BSSY, BRA, BSYNC (time/gpu/arithmetic.c) */
enum { JUMP_SLOTS = 3 };
/* times a native function: what takes longer is a sequence (time/gpu/arithmetic.c) */
#define ONE_LOOK_UP 1.1
/* times a CPU's scalar loads: a gather that takes longer is a sequence (time/cpu/first_level.c) */
#define SEQUENCE_SHARE 1.5
/* operations of a gathered lane: its position comes out, its element goes in
 * (time/cpu/reorder_window.c) */
enum { GATHER_OPERATIONS = 3 };
/* of a CPU's atomic minimum: it reads the line, and comes back to exchange (time/cpu/atomics.c) */
enum { EXTREME_TURNS = 2 };

/* ---- codegen ---- */

/* of scalar code's time: a call that takes longer was no vector (codegen/pocl/shape.c) */
#define SCALAR_SHARE 0.6
/* operations of an arm that LLVM still selects (codegen/pocl/shape.c) */
enum { SELECTED_OPERATIONS = 4 };
/* of what a loop waits for, at least one in so many, for a branch (codegen/pocl/selects.c) */
#define SELECT_GAIN 8.0
/* of a function's sequence: what is shorter is an instruction (codegen/pocl/signs.c) */
enum { SEQUENCE_OPERATIONS_MIN = 4 };

/* ---- passes ---- */

/* of a loop whose trips nobody knows, to weigh regions (passes/vector.c) */
#define UNKNOWN_TRIPS 16.0
/* iterations that compilers put together where trips are unknown, ... (passes/loops.c) */
enum { UNROLL_PART = 4 };
/* ... while one is no more operations than this; ... (passes/loops.c) */
enum { UNROLL_PART_SIZE_MAX = 64 };
/* ... and four times four of them that are short (passes/loops.c) */
enum { UNROLL_TWICE_SIZE_MAX = 12 };

/* ---- evaluate ---- */

/* standard deviation of ln(trips) of a loop without a bound (evaluate/assume.c) */
#define ASSUMED_DOUBT 1.0
/* of half of a bound, the mean row's, or reals without a scale (evaluate/assume.c) */
#define MEAN_DOUBT 0.6
/* of trips that are drawn (evaluate/assume.c) */
#define DRAWN_DOUBT 0.35
/* of a branch's log odds (evaluate/branch.c) */
#define BRANCH_DOUBT 0.9
/* a chance by which a loop is left as soon as it says: what is less likely may be asked of one
 * number in all iterations, which then do not leave it independently of each other
 * (evaluate/assume.c) */
#define OFTEN 0.7
/* a chance that is so far from a half says something (evaluate/dry.c) */
#define CHANCE_SURE 0.1
/* a smaller share, or one so near to one, of numbers without a scale is none (evaluate/dry.c) */
#define SHARE_LEAST 0.1
/* of a loop that reals end: fewer say that their scale is another (evaluate/dry.c) */
#define LEAST_TRIPS 1.5
/* of a table whose places do not suffice (evaluate/usual.c) */
#define FULL_MOST 0.99
/* standard deviations within which two shares, or a line and none, may be the same (evaluate/dry.c)
 */
#define ERRORS_MOST 2.5

/* ---- answer ---- */

/* of ln(time): work that was not looked at (answer/interval.c) */
#define CAPPED_VARIANCE 1.0
/* of ln(time): kernels that were not looked at (answer/interval.c) */
#define FALLBACK_VARIANCE 2.0
/* of ln(measured / predicted) where no whole kernels were measured (answer/interval.c) */
#define LOG_SD 0.4
/* share of what runs that may be unknown before a prediction falls back (answer/interval.h) */
#define INTERVAL_UNKNOWN_MOST 0.5

#endif
