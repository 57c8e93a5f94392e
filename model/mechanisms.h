/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mechanisms of the default model that live in code, by name, so that an ablation can ask what each
 * is worth (tests/accuracy/ablate). Those that coefficients drive are left out by those.
 *
 * In a build with -Dablation=true the environment variable PREDICTD_LEAVE_OUT of a process names
 * those that it does without, comma-separated; in any other build all are there, at no cost.
 *
 * To add one: a line here, and `mechanism(...)` where it begins.
 */
#ifndef PREDICTD_MODEL_MECHANISMS_H
#define PREDICTD_MODEL_MECHANISMS_H

#include <stdbool.h>
#include <stdint.h>

/* X(NAME, "name", "what the model does without it") */
#define MECHANISM_TABLE(X)                                                                         \
	X(SUPERWORD, "superword-packing", "vectors of OpenCL C stay scalars on a CPU")             \
	X(FUSION, "fusion", "operations that a GPU does along with others count whole")            \
	X(ROTATION, "rotation", "a rotation is two shifts and an or")                              \
	X(DEPENDENCE, "dependence", "work-items that read what neighbours write are lanes")        \
	X(LANE_LOOPS, "inner-loop-vectors", "iterations of inner loops are no lanes")              \
	X(CROSSINGS, "barrier-crossings", "places kept across barriers are as before them")        \
	X(SHORT_ROWS, "short-rows", "short rows of work-items are not unrolled")                   \
	X(STRAIGHT_GROUPS, "straight-groups", "loops over all of a small group are not unrolled")  \
	X(COST_MODEL, "cost-model", "whatever may be a vector is one")                             \
	X(INTERLEAVED, "interleaved-access", "strides of a few elements are gathered")             \
	X(SCALAR_REPLACEMENT, "scalar-replacement", "a CPU's private arrays are memory")           \
	X(GROUP_UNIFORM, "group-uniform", "what is the same for a group is done for each item")    \
	X(SELECTS, "selects", "a CPU's selects are never branches")                                \
	X(KEPT_LOADS, "kept-loads", "a GPU loads again what an unrolled loop has loaded")          \
	X(BARRIER_REGIONS, "barrier-regions", "regions between barriers overlap")                  \
	X(BARRIER_CONTEXT, "barrier-context", "values kept across barriers cost nothing")          \
	X(RECURRENCE, "recurrence", "no iteration waits for the one before")                       \
	X(AMORTISED, "amortised-trips", "loops that pop what others pushed are as others")         \
	X(BISECTION, "bisection", "the last steps of a bisection are as far apart as the first")   \
	X(ROWS, "row-pointers", "lengths of rows are nothing of their pointers")                   \
	X(TRIAL, "trial", "chances of conditions are not tried on random operands")

enum mechanism {
#define X(name, word, what) MECHANISM_##name,
	MECHANISM_TABLE(X)
#undef X
	        MECHANISM_COUNT
};

#ifdef PREDICTD_ABLATION
/*
 * Leaves out those that a list names, of all calls in the process; once, before any. Returns the
 * first name that is none, or NULL.
 */
const char *mechanisms_leave_out(const char *list);
bool mechanism(enum mechanism mechanism);
#else
static inline bool mechanism(enum mechanism mechanism)
{
	(void)mechanism;
	return true;
}
#endif

#endif
