/* SPDX-License-Identifier: Apache-2.0 */
/* What the default model's terms of latency on GPUs and CPUs share. */
#ifndef PREDICTD_MODEL_TIME_LATENCY_H
#define PREDICTD_MODEL_TIME_LATENCY_H

#include "model/codegen/codegen.h"
#include "model/time/terms.h"

/* time/latency_node.c: seconds until an operation's result is there, of one warp or core; 0: it is
 * none. */
double node_latency(const struct machine *m, uint32_t node);

/*
 * Whether a function has branches of its own, for operands that are seldom (arguments of `sin` that
 * are large): what has is gone through alone. A warp that is alone takes for one of many that do
 * not follow from each other then about as long as for one that does.
 */
bool is_gone_through(const struct machine *m, uint32_t node, double latency);

/*
 * What an iteration waits for a load, of as many under way together as `ahead` says: until
 * its data are here from the level that has them, and until its segments have passed the first
 * level, which they do one by one. Local memory is near, and takes its own time.
 */
double access_latency(const struct machine *m, uint32_t access, double ahead);

/*
 * Marks accesses whose place follows from what loads of earlier iterations of the loop around gave
 * (`p = next[p]`), which are not under way together. is_loaded: per node, all false; is_chained:
 * per access.
 */
void accesses_mark_chained(const struct ir_kernel *kernel, bool *is_loaded, bool *is_chained);

/* Whether a block is an arm of a branch that a GPU jumps to, others of the warp beside. */
bool is_jumped_to(const struct ir_kernel *kernel, uint32_t block);

/* Address arithmetic that is no instruction of its own. */
bool is_within_address(const struct machine *m, uint32_t node);

/*
 * What one iteration of a loop waits for the last, in the mean.
 *
 * distance  per node of the kernel; written
 */
double recurrence_time(const struct machine *m, const struct ir_loop *of, double *distance);

/* Sets the term, and adds its row. */
void add_waiting(struct terms *t, double time_s, double turns);

/*
 * Operations of one execution of a block, as a CPU's scalar code has them; adds to *of_calls those
 * that its calls are made of.
 */
double operations_in(const struct machine *m, uint32_t block, double *of_calls);

/* time/latency_core.c: the term of a CPU. Requires arithmetic and waits. */
enum status add_core_latency(struct terms *t, struct error *error);

#endif
