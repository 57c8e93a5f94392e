/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The terms of time of a GPU, whose units run warps in lockstep. Comes in: a machine with its code;
 * goes out: gpu_terms. It knows nothing of cpu/.
 */
#ifndef PREDICTD_MODEL_TIME_GPU_GPU_H
#define PREDICTD_MODEL_TIME_GPU_GPU_H

#include "model/time/latency.h"
#include "model/time/recurrence.h"

/* gpu.c: all that follows, as struct processor_terms has it. */
extern const struct processor_terms gpu_terms;

/* arithmetic.c */
void add_warp_arithmetic(struct terms *t);
void add_warp_operations(const struct terms *t, uint32_t block, enum op_class op,
                         enum type_class type, struct arithmetic *a);
double warp_issue_time(const struct machine *m, uint32_t access);
void add_warp_turns(const struct terms *t, const struct ir_loop *loop, struct arithmetic *a);

/* first_level.c */
double warp_access_time(const struct machine *m, uint32_t access, bool is_store);
void warp_accessed(struct terms *t, uint32_t access, bool is_store, double time_s);
double warp_texel_time(const struct machine *m, uint32_t access, bool *is_known);
double warp_local_time(struct terms *t, uint32_t access, double items);
double warp_conflict_time(const struct device *device);

/* Device-seconds of a warp's load in the first level beyond one of neighbouring lanes. */
double spread_time(const struct machine *m, uint32_t access);

/* atomics.c */
double warp_atomic_time(struct terms *t, uint32_t access, bool is_local);

/* latency_node.c: seconds until the result of an operation is there, of one warp; 0: it is none. */
double warp_node_latency(const struct machine *m, uint32_t node);

/*
 * Whether a function has branches of its own, for operands that are seldom (arguments of `sin` that
 * are large): what has is gone through alone. A warp that is alone takes for one of many that do
 * not follow from each other then about as long as for one that does.
 */
bool is_gone_through(const struct machine *m, uint32_t node, double latency);

/*
 * latency_access.c: what an iteration waits for a load, of as many under way together as `ahead`
 * says: until its data are here from the level that has them, and until its segments have passed
 * the first level, which they do one by one. Local memory is near, and takes its own time.
 */
double warp_access_latency(const struct machine *m, uint32_t access, double ahead);

/*
 * Marks accesses whose place follows from what loads of earlier iterations of the loop around gave
 * (`p = next[p]`), which are not under way together. is_loaded: per node, all false; is_chained:
 * per access.
 */
void accesses_mark_chained(const struct ir_kernel *kernel, bool *is_loaded, bool *is_chained);

/* latency.c: the term; whether a block is an arm of a branch that is jumped to, others of the warp
 * beside. Requires waits. */
enum status add_warp_latency(struct terms *t, struct error *error);
bool is_jumped_to(const struct ir_kernel *kernel, uint32_t block);

/*
 * fetch.c: instructions of each loop's body, with the loops within, as they are unrolled; seconds
 * in which a warp alone has a block's instructions, once, 0 where the nearest cache holds them.
 *
 * size   per loop; of loop_sizes: 0
 */
void loop_sizes(const struct machine *m, double *size);
double fetch_time(const struct machine *m, uint32_t block, const double *size);

/* recurrence.c */
extern const struct recurrence_steps warp_steps;

/* launch.c; reaching_of requires waits */
double warp_whole(const struct terms *t, const double *time_s, double gathering_s,
                  double stalled_s);
struct waking warp_waking(const struct terms *t, double total);
double reaching_of(const struct machine *m);

#endif
