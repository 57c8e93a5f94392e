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

struct region_work;

/* What the terms found so far. */
struct terms {
	const struct machine *machine;
	struct prediction *prediction; /* its rows and note */
	double time_s[BOTTLENECK_COUNT];
	double gathering_s; /* of the first level's time on a CPU: gathers and scatters that keep a
	                       core from all else */
	double passing_share;        /* of a GPU's first level's time: that it is busy itself */
	double stalled_s;            /* on a CPU: that cores wait for memory and do nothing else */
	struct region_work *regions; /* on a CPU, of a kernel with barriers; else NULL */
	double apart_s;              /* on a CPU: that regions do not overlap with each other */
};

/*
 * time/barrier_regions.c: notes what each region between barriers does, in device-seconds; and what
 * they take longer than if all overlapped.
 */
enum status regions_begin(struct terms *t, struct error *error);
void region_works(const struct terms *t, uint32_t block, enum pipe pipe, double time_s);
void region_moves(const struct terms *t, uint32_t block, double time_s);
double regions_apart(const struct terms *t);

/*
 * time/reorder_window.c: what a core waits for lines that come one by one from below the first
 * level, beyond the `working_s` that it works; 0 where how far it goes ahead is not calibrated.
 * Seconds of a work-item, both. Requires waits.
 */
enum status ahead_time(const struct machine *m, double working_s, double *time_s,
                       struct error *error);

/*
 * On a GPU: what a warp's load takes in the first level beyond one of neighbouring lanes, in
 * device-seconds.
 */
double spread_time(const struct machine *m, uint32_t access);

/* ---- terms --------------------------------------------------------------------------------- */

/* Adds to a resource's time. Nobody else writes there. */
static inline void term_add(struct terms *t, enum bottleneck resource, double time_s)
{
	t->time_s[resource] += time_s;
}

void add_dispatch(struct terms *t);
/* Seconds of pipes that work at the same time: their soft maximum. */
double pipes_time(const double pipe[PIPE_TERMS], double norm);

enum status add_arithmetic(struct terms *t, struct error *error);
void add_local(struct terms *t);
void add_barriers(struct terms *t);

/* time/atomics.c */
void add_atomics(struct terms *t);

/* time/memory.c: the first level by access, those below by traffic; sets waits. */
double first_level_time(const struct machine *m, uint32_t access, bool is_store);
void add_first_level(struct terms *t);
enum status add_memory(struct terms *t, double **waits, struct error *error);

/* time/latency.c: requires waits. */
enum status add_latency(struct terms *t, struct error *error);

/* time/barrier_context.c: what work-items of a CPU move to keep values across barriers. */
enum status add_context(struct terms *t, struct error *error);

/* ---- the whole ----------------------------------------------------------------------------- */

/* whole.c: what terms take together; `t` says what runs beside what. */
double whole_of(const struct terms *t, const double *time_s, double gathering_s, double stalled_s);

/* Fills the prediction's elasticities: `total` is what the terms take beyond `base`, in seconds. */
void elasticity_fill(const struct terms *t, double base, double total);

/* What a launch takes beyond its base if a CPU's units do it one by one, and all at once. */
struct waking {
	double groups, active; /* units that have work */
	double all_s, alone_s;
};

/* A launch all of whose terms are known: its time in any state of the device. */
struct timed_launch {
	const struct machine *machine;
	struct waking waking;
	double reaching_s; /* of a GPU: to memory and back, which no work hides */
};

/* launch.c. Requires waits. */
double reaching_of(const struct machine *m);
struct timed_launch timed_launch_of(const struct terms *t, double reaching_s);

/* Seconds of the launch after idle_s of nothing to do: what it takes at least, and the whole. */
double launch_base(const struct timed_launch *launch, double idle_s);
double launch_time(const void *context, double idle_s); /* context: struct timed_launch */

#endif
