/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The terms of the default model. Each add_ function fills its time_s and rows. What a CPU and a
 * GPU do differently is in cpu/ and gpu/, behind struct processor_terms; what stands here asks
 * that.
 */
#ifndef PREDICTD_MODEL_TIME_TERMS_H
#define PREDICTD_MODEL_TIME_TERMS_H

#include "model/machine/machine.h"
#include "model/traffic/footprint.h"

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

struct arithmetic;
struct lines;
struct region_work;
struct terms;
struct waking;

/* A cache's traffic with the level below. */
struct level {
	struct footprint *footprint;
	const struct footprint_cache *cache;
	enum memory_level below;
	bool is_below_private; /* that is a cache of one unit, too */
	const struct footprint_traffic *traffic;
};

/*
 * What a kind of processor contributes to the terms. model_default chooses one; what both kinds
 * share asks it. Seconds are device-seconds, as if all units had work.
 */
struct processor_terms {
	/* All terms, in order, and what loads wait: see add_memory. */
	enum status (*add_terms)(struct terms *t, double **waits, struct error *error);
	/* What is known only once all terms are scaled: stalled_s, apart_s, reaching_s, notes. */
	enum status (*settle)(struct terms *t, struct error *error);

	/* Adds all operations of a block that are of one class and type. */
	void (*add_operations)(const struct terms *t, uint32_t block, enum op_class op,
	                       enum type_class type, struct arithmetic *a);
	/* What issuing an access takes in all, in device-seconds; NULL: nothing beside the access.
	 */
	double (*issue_time)(const struct machine *m, uint32_t access);
	/* What a loop's iterations over all work-items keep busy. */
	void (*add_turns)(const struct terms *t, const struct ir_loop *loop, struct arithmetic *a);

	/* What a load or store that hits the first level takes of a work-item. */
	double (*access_time)(const struct machine *m, uint32_t access, bool is_store);
	/* Notes what an access's seconds in the first level keep from all else: a core, the level.
	 */
	void (*accessed)(struct terms *t, uint32_t access, bool is_store, double time_s);
	/* What a texel that is cached takes of a work-item, and of which resource. */
	double (*texel_time)(const struct machine *m, uint32_t access, bool *is_known);
	enum bottleneck texel_resource;
	/* What a load or store of local memory takes of so many work-items; a further way of it. */
	double (*local_time)(struct terms *t, uint32_t access, double items);
	double (*conflict_time)(const struct device *device);

	/* The order of its work-items in time; those of a unit that go through loops together. */
	const struct footprint_kind *footprint;
	double (*items_abreast)(const struct machine *m);
	double line_bytes; /* of a cache whose lines are not calibrated */
	/* Whether a unit's own cache keeps what a launch left there, 0 or 1. The next one finds it
	 * by chance: its work-groups go to whichever unit asks. */
	double own_kept;
	/* What a level takes to deliver what the one before it misses. */
	double (*level_time)(const struct machine *m, const struct level *level);

	/* What an atomic operation takes in all, and work-items of a group at it at once. */
	double (*atomic_time)(struct terms *t, uint32_t access, bool is_local);
	double (*group_at_once)(const struct machine *m);

	/* What terms of so many seconds take together; t says what runs beside what. */
	double (*whole)(const struct terms *t, const double *time_s, double gathering_s,
	                double stalled_s);
	bool waits_beside; /* latency is no part of the norm, but stands beside it */
	/* What units that come one by one make of a launch that takes `total` beyond its base. */
	struct waking (*waking)(const struct terms *t, double total);
};

/* What the terms found so far. */
struct terms {
	const struct machine *machine;
	const struct processor_terms *kind;
	struct prediction *prediction; /* its rows and note */
	struct lines *lines;           /* seconds by line of the source; NULL: nobody asks */
	double time_s[BOTTLENECK_COUNT];

	/* of a CPU */
	double gathering_s; /* of the first level: gathers and scatters keep a core from all else */
	double stalled_s;   /* cores wait for memory and do nothing else */
	double apart_s;     /* regions do not overlap with each other */
	double lines_under_way;      /* that units hold at the same time; 0: nobody has asked */
	struct region_work *regions; /* of a kernel with barriers; else NULL; to free() */

	/* of a GPU */
	double passing_s;     /* the first level is busy itself */
	double passing_share; /* that, of its time */
	double reaching_s;    /* to memory and back, which no work hides */
};

/* Device-seconds of a word that hits the first level: in vectors, alone, lane by lane. */
struct word_times {
	double vector, scalar, apart;
};
struct word_times word_times_of(const struct device *device, bool is_store);

/* Operations of a launch, and what they are busy with. */
struct arithmetic {
	double count[OP_CLASS_COUNT][TYPE_CLASS_COUNT];  /* of all work-items */
	double time_s[OP_CLASS_COUNT][TYPE_CLASS_COUNT]; /* device-seconds */
	double pipe[PIPE_TERMS];                         /* device-seconds */
	double iterations;                               /* of all loops that are not unrolled */
};

/* Rows of operations; then, once iterations are known, their row and the term. */
void add_operation_rows(struct terms *t, const struct arithmetic *a);
void add_pipes(struct terms *t, struct arithmetic *a);

/* ---- terms --------------------------------------------------------------------------------- */

/* Adds to a resource's time. Nobody else writes there. */
static inline void term_add(struct terms *t, enum bottleneck resource, double time_s)
{
	t->time_s[resource] += time_s;
}

/* Seconds of pipes that work at the same time: their soft maximum. */
double pipes_time(const double pipe[PIPE_TERMS], double norm);

/* How those follow each: d pipes_time / d pipe[i]. */
void pipes_slope(const double pipe[PIPE_TERMS], double norm, double slope[PIPE_TERMS]);

/* throughput.c; a load of local memory in device-seconds of a work-item */
void add_dispatch(struct terms *t);
double local_load_time(const struct device *device);
void add_local(struct terms *t);
void add_barriers(struct terms *t);

/* atomics.c */
void add_atomics(struct terms *t);

/*
 * memory.c: the first level by access, those below by traffic; sets waits, to free(). Then what
 * traffic takes of a level, all units together.
 */
void add_first_level(struct terms *t);
enum status add_memory(struct terms *t, double **waits, struct error *error);
double traffic_time(const struct machine *m, enum memory_level level, double line,
                    const struct footprint_traffic *traffic);

/* ---- the whole ----------------------------------------------------------------------------- */

/* elasticity.c: fills the prediction's elasticities: `total` is what the terms take beyond `base`,
 * in seconds. Returns what of them is of cores that wait for memory and do nothing else. */
double elasticity_fill(const struct terms *t, double base, double total);

/* What a launch takes beyond its base if units do it all at once, and one alone. */
struct waking {
	double groups, active; /* work-groups; units that come one by one, 1: all at once */
	double all_s, alone_s;
};

/* A launch all of whose terms are known: its time in any state of the device. */
struct timed_launch {
	const struct machine *machine;
	struct waking waking;
	double reaching_s; /* see struct terms */
};

/* launch.c. Requires that the terms are settled. */
struct timed_launch timed_launch_of(const struct terms *t);

/* Seconds of the launch after idle_s of nothing to do: what it takes at least, and the whole. */
double launch_base(const struct timed_launch *launch, double idle_s);
double launch_time(const void *context, double idle_s); /* context: struct timed_launch */

#endif
