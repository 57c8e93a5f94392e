/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The terms of time of a CPU, whose cores run work-items one by one or as lanes of vectors. Comes
 * in: a machine with its code; goes out: cpu_terms. It knows nothing of gpu/.
 */
#ifndef PREDICTD_MODEL_TIME_CPU_CPU_H
#define PREDICTD_MODEL_TIME_CPU_CPU_H

#include <math.h>

#include "model/codegen/pocl/llvm.h"
#include "model/time/latency.h"
#include "model/time/recurrence.h"

/* Work-items, or iterations, of a vector that LLVM makes: of words. */
enum { VECTOR_ITEMS = LLVM_VECTOR_BYTES / 4 };

/*
 * Loads or stores that one of so many bytes is where it is no lane of a vector: a register of
 * SSE or Neon each, which every x86-64 and AArch64 has (System V ABI; Arm Architecture Reference
 * Manual, A1.3).
 */
static inline double scalar_moves(double bytes)
{
	enum { REGISTER_BYTES = 16 };

	return fmax(1, bytes / (double)REGISTER_BYTES);
}

/* cpu.c: all that follows, as struct processor_terms has it. */
extern const struct processor_terms cpu_terms;

/* arithmetic.c */
enum status add_core_arithmetic(struct terms *t, struct error *error);
void add_core_operations(const struct terms *t, uint32_t block, enum op_class op,
                         enum type_class type, struct arithmetic *a);
void add_core_turns(const struct terms *t, const struct ir_loop *loop, struct arithmetic *a);

/* first_level.c */
double core_access_time(const struct machine *m, uint32_t access, bool is_store);
void core_accessed(struct terms *t, uint32_t access, bool is_store, double time_s);
double core_texel_time(const struct machine *m, uint32_t access, bool *is_known);
double core_local_time(struct terms *t, uint32_t access, double items);
double core_conflict_time(const struct device *device);

/* caches.c */
double core_items_abreast(const struct machine *m);
double core_level_time(const struct machine *m, const struct level *level);

/* atomics.c */
double core_atomic_time(struct terms *t, uint32_t access, bool is_local);

/* barrier_context.c: what work-items move to keep values across barriers. */
enum status add_context(struct terms *t, struct error *error);

/*
 * barrier_regions.c: notes what each region between barriers does, in seconds; and what they take
 * longer than if all overlapped.
 */
enum status regions_begin(struct terms *t, struct error *error);
void region_works(const struct terms *t, uint32_t block, enum pipe pipe, double time_s);
void region_moves(const struct terms *t, uint32_t block, double time_s);
double regions_apart(const struct terms *t);

/*
 * latency_node.c: seconds until the result of an operation, 0: it is none; or of a load or atomic
 * is there. Requires waits.
 */
double core_node_latency(const struct machine *m, uint32_t node);
double core_access_latency(const struct machine *m, uint32_t access);

/* recurrence.c */
extern const struct recurrence_steps core_steps;

/* latency.c: the term. Requires arithmetic and waits. */
enum status add_core_latency(struct terms *t, struct error *error);

/*
 * Operations of one execution of a block, as scalar code has them; adds to *of_calls those that its
 * calls are made of.
 */
double operations_in(const struct machine *m, uint32_t block, double *of_calls);

/*
 * reorder_window.c: what a core waits for lines that come one by one from below the first level,
 * beyond the `working_s` that it works; 0 where how far it goes ahead is not calibrated. Seconds of
 * a work-item, both. Requires waits.
 */
enum status ahead_time(const struct machine *m, double working_s, double *time_s,
                       struct error *error);

/* spread.c: how many times longer units take for work-groups than for their shares of the work. */
double spread_uneven(const struct machine *m, double groups);

/* launch.c */
double core_whole(const struct terms *t, const double *time_s, double gathering_s,
                  double stalled_s);
struct waking core_waking(const struct terms *t, double total);

#endif
