/* SPDX-License-Identifier: Apache-2.0 */
/* The terms of the default model. Each add_ function fills its time_s and rows. */
#ifndef PREDICTD_MODEL_TIME_TERMS_H
#define PREDICTD_MODEL_TIME_TERMS_H

#include "model/machine/machine.h"

/*
 * What works at the same time inside one core. A CPU has integer units beside those of reals,
 * and a divider of each that works alone. A GPU's unit has pipes for comparisons and bits, for
 * products of integers, for reals, and for what takes tables; an addition of integers goes to
 * either of the first two. All issue from one slot.
 */
enum pipe {
	PIPE_REAL,
	PIPE_INTEGER,
	PIPE_DIVIDER,
	PIPE_QUOTIENT,
	PIPE_PRODUCT,
	PIPE_ISSUE,
	PIPE_COUNT,
	/* of PIPE_REAL on a CPU, what could go beside as long a row of the other */
	ABREAST_SUMS = PIPE_COUNT,
	ABREAST_PRODUCTS,
	PIPE_TERMS
};

/*
 * time/barrier_regions.c: notes what each region between barriers does, in device-seconds; and what
 * they take longer than if all overlapped.
 */
enum status regions_begin(struct default_model *m, struct error *error);
void region_works(const struct default_model *m, uint32_t block, enum pipe pipe, double time_s);
void region_moves(const struct default_model *m, uint32_t block, double time_s);
double regions_apart(const struct default_model *m);

/*
 * time/reorder_window.c: what a core waits for lines that come one by one from below the first
 * level, beyond the `working_s` that it works; 0 where how far it goes ahead is not calibrated.
 * Seconds of a work-item, both. Requires waits.
 */
enum status ahead_time(const struct default_model *m, double working_s, double *time_s,
                       struct error *error);

/*
 * On a GPU: what a warp's load takes in the first level beyond one of neighbouring lanes, in
 * device-seconds.
 */
double spread_time(const struct default_model *m, uint32_t access);

/* ---- terms --------------------------------------------------------------------------------- */

void add_dispatch(struct default_model *m);
/* Seconds of pipes that work at the same time: their soft maximum. */
double pipes_time(const double pipe[PIPE_TERMS], double norm);

enum status add_arithmetic(struct default_model *m, struct error *error);
void add_local(struct default_model *m);
void add_barriers(struct default_model *m);

/* time/atomics.c */
void add_atomics(struct default_model *m);

/* time/memory.c: the first level by access, those below by traffic; sets waits. */
double first_level_time(const struct default_model *m, uint32_t access, bool is_store);
void add_first_level(struct default_model *m);
enum status add_memory(struct default_model *m, struct error *error);

/* time/latency.c: requires waits. */
enum status add_latency(struct default_model *m, struct error *error);

/* time/barrier_context.c: what work-items of a CPU move to keep values across barriers. */
enum status add_context(struct default_model *m, struct error *error);

#endif
