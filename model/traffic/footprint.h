/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traffic below a cache, from the footprint of windows of time
 * (Xiang, Ding, Luo, Bao, "HOTL: a higher order theory of locality", ASPLOS 2013).
 *
 * F(w) is the number of distinct lines that a window w of the launch touches.
 * A cache of C bytes keeps the lines of the last window whose footprint is C,
 * so it misses as often as F grows there: its slope is the miss rate. Windows
 * grow from a warp in one iteration to the whole launch, in the order of time
 * of the device: where work-items run in lockstep, the resident ones advance
 * together through their loops; where they do not, a chunk of them runs all of
 * its iterations before the next.
 */
#ifndef PREDICTD_MODEL_TRAFFIC_FOOTPRINT_H
#define PREDICTD_MODEL_TRAFFIC_FOOTPRINT_H

#include "model/evaluate/evaluate.h"

struct footprint_kind;
extern const struct footprint_kind cpu_footprint; /* cpu.c */
extern const struct footprint_kind gpu_footprint; /* gpu.c */

/* How work is laid out over the device. */
struct footprint_order {
	const struct footprint_kind *kind;
	double abreast;            /* work-items that advance together */
	double units;              /* work-groups at once run on so many units */
	double resident_groups;    /* of one unit */
	const bool *is_unstreamed; /* per access: what it reads prefetchers may not follow; NULL:
	                              none */
	unsigned tile_rows;        /* of images: see COEFFICIENT_IMAGE_TILE_ROWS; 0 as 1 */
};

/* A span of the launch: how many values each counter takes. */
struct footprint_window {
	double local[3], group[3];
	const double *loops; /* iterations, per loop of the kernel */
	double items_share;  /* of the launch's work-items; of a unit's */
};

struct footprint_cache {
	double capacity_bytes, line_bytes;
	double tag_bytes;  /* room that a tag keeps, whose lines come one by one; 0: a line's */
	double way_bytes;  /* addresses that far apart share a set; 0: not known, none do */
	double walk_lines; /* so far apart that stay; 0: as many as the capacity has room for */
	double walk_bytes; /* how far apart lines lay when walks were timed; 0: they were not */
	bool is_private;   /* one per unit; else shared by the device */
	double kept;       /* share of what the launch before left that is still of use, 0 to 1 */
	double granule_bytes; /* what moves from below; >= line for DRAM */
};

/* What a cache asks of the level below, over the launch. */
struct footprint_traffic {
	double read_bytes, write_bytes;     /* in lines whose neighbours are touched too */
	double stored_bytes;                /* of those written, in lines that no load brings */
	double gather_lines, scatter_lines; /* isolated lines, read and written */
	double unstreamed_lines;            /* in order, read by what is_unstreamed */
	double walk_reads, walk_writes;     /* lines that fought for the cache's sets */
	double walk_apart;                  /* of those read, what is written in another place */
	double lines;                       /* all, as lines */
};

struct footprint;

/* Groups the accesses of a launch; NULL when memory is short. Borrows its arguments. */
struct footprint *footprint_new(const struct ir_kernel *kernel, const struct evaluation *evaluation,
                                const struct launch *launch, const struct footprint_order *order);
void footprint_free(struct footprint *footprint); /* accepts NULL */

/* Bytes of distinct lines that all accesses touch in a window. */
double footprint_bytes(struct footprint *footprint, const struct footprint_window *window,
                       double line_bytes);

/*
 * Traffic below a cache.
 *
 * waits   out, per access, or NULL: share of a warp's executions that wait for the level below,
 * since any of its lanes does; on a CPU of a work-item's, where a core has not fetched ahead
 * causes  out, per access, zeroed, or NULL: what of the traffic each causes
 */
struct footprint_traffic footprint_misses(struct footprint *footprint,
                                          const struct footprint_cache *cache, double *waits,
                                          struct footprint_traffic *causes);

#endif
