/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of accesses that move in parallel; internal to the footprint. */
#ifndef PREDICTD_MODEL_TRAFFIC_GROUPS_H
#define PREDICTD_MODEL_TRAFFIC_GROUPS_H

#include "model/passes/passes.h"
#include "model/traffic/footprint.h"

enum {
	FOOTPRINT_RESTS_MAX = 32,
	FOOTPRINT_SHIFT_MAX = 31,
	FOOTPRINT_WINDOWS_MAX = 72,
	SET_SHARES = 64
};

struct footprint_term {
	uint32_t base;
	double divisor, extent;
	int64_t factor;
};

/* Whole strides by which the group's accesses differ: bit q + FOOTPRINT_SHIFT_MAX of seen. */
struct footprint_shifts {
	int64_t low, high;
	uint64_t seen;
};

struct footprint_group {
	uint32_t first; /* its first access */
	uint32_t loop;  /* around the access that is executed most, or IR_NONE */
	bool is_spread; /* by data, or without a form */
	bool has_load, has_store;
	bool is_streamed; /* by a load that a prefetcher follows */
	bool is_atomic;   /* on a GPU these pass the units' own caches */
	double bytes;     /* of one access */
	double object_bytes;
	double pitch_bytes; /* of an image's rows where they lie in tiles; else 0 */
	double executions;  /* per work-item */
	double walked; /* lines that fought for the sets of the cache that was last asked about */
	unsigned term_count;
	struct footprint_term terms[AFFINE_TERMS_MAX]; /* by size of stride */
	struct footprint_shifts shifts[AFFINE_TERMS_MAX];
	int64_t rest_low, rest_high; /* what is left of the offsets */
	int64_t rests[FOOTPRINT_RESTS_MAX];
	unsigned rest_count;
};

struct footprint {
	const struct ir_kernel *kernel;
	const struct evaluation *evaluation;
	const struct launch *launch;
	struct footprint_order order;
	struct footprint_group *groups;
	uint32_t group_count, loop_count;
	uint32_t *group_of; /* per access: its group, or IR_NONE */
	uint32_t *first;    /* per group, and behind the last: its part of `members` */
	uint32_t *members;  /* accesses of groups, group by group, in their order */
	double *loops;      /* iterations of each window */
	struct footprint_window windows[FOOTPRINT_WINDOWS_MAX];
	unsigned window_count;
	/* of each window, what arrays and local memory take of the same share of a cache's sets */
	double crowd_bytes[FOOTPRINT_WINDOWS_MAX][2][SET_SHARES + 1];
	bool has_crowds;
	int window_kind; /* what the windows are for: 0 none, 1 a unit's, 2 the device's */
};

/* How far a launch has gone, while windows grow. */
struct clock {
	double items, groups; /* work-items of each group, groups */
	double step;          /* iterations done, by depth of loop: deeper ones are complete */
	uint32_t depth;       /* loops this deep grow; those around are at one iteration */
	uint32_t depths;      /* deeper ones are unrolled: complete at once */
};

/* How a kind of processor goes through a launch, and what its caches do with what it asks for. */
struct footprint_kind {
	/*
	 * Windows up to a unit's work-groups, or one of each unit, and all their iterations,
	 * smallest first. Fills step, depth and depths.
	 *
	 * trips   most trips of the loops at each of `depths` depths
	 * side    units beside each other in the windows
	 * all     work-groups of the last window
	 */
	void (*grow)(struct footprint *f, struct clock *now, const double *trips, uint32_t depths,
	             double side, double all);
	/* Lines of a group in a window of one unit; *isolated: see footprint_group_lines. */
	double (*unit_lines)(const struct footprint *f, const struct footprint_group *group,
	                     const struct footprint_window *window, double line, double *isolated);
	/* Share of lines that a round finds again, by how often it exceeds the capacity, > 1. */
	double (*hits_of)(double ratio);
	/* Lines that a group's accesses could bring in if each missed. */
	double (*most_lines)(const struct footprint *f, uint32_t group, double line);
	/* How often loads wait of a group that brings in `lines`, a share `alone` of them alone. */
	void (*fill_waits)(const struct footprint *f, uint32_t group, double lines, double alone,
	                   double line, double *waits);
	bool reads_part_written; /* the last cache reads lines that stores leave in part as they
	                            were, before it writes them back */
	bool holds_local;        /* caches do local memory, as any other */
	bool passes_atomics;     /* by caches of one unit: they are served below */
};

/* windows.c: the windows of one unit, or of the device, smallest first; what they are made of. */
void make_windows(struct footprint *f, bool is_unit);
void push_window(struct footprint *f, const struct clock *now);
void grow_loops(struct footprint *f, struct clock *now, const double *trips, uint32_t depths);
void grow_to(struct footprint *f, struct clock *now, double *count, double end);
uint32_t loop_depth(const struct footprint *f, uint32_t loop);

/* The first n of the work-items (or groups), in linear order, by dimension. */
void fill_counts(double n, const uint64_t extent[3], double counts[3]);

/* Index of a line's bytes in an access's `lines`. */
static inline unsigned line_index(double line)
{
	return line >= 256 ? 3 : line >= 128 ? 2 : line >= 64 ? 1 : 0;
}

/*
 * The share of a cache's sets that a group's lines of a window can fall into, when
 * addresses `way` bytes apart share a set: 1 unless its strides are multiples of
 * large parts of it. way 0: not known, 1.
 */
double footprint_set_share(const struct footprint *footprint, const struct footprint_group *group,
                           const struct footprint_window *window, double line, double way);

/* Distinct lines of one group; *isolated: how many of them have no neighbour touched. */
double footprint_group_lines(const struct footprint *footprint, const struct footprint_group *group,
                             const struct footprint_window *window, double line, double *isolated);

#endif
