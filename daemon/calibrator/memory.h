/* SPDX-License-Identifier: Apache-2.0 */
/* Levels of a memory hierarchy while they are measured. */
#ifndef PREDICTD_CALIBRATOR_MEMORY_H
#define PREDICTD_CALIBRATOR_MEMORY_H

#include "daemon/calibrator/bench.h"
#include "daemon/calibrator/plateau.h"

/* The least fall of the read rate from one level to the next, and points of a plateau. */
#define LEVEL_DROP 0.22
enum { LEVEL_POINTS = 3, MEMORY_WAYS_MAX = 32 };

struct level {
	double capacity;  /* of an instance; INFINITY: memory */
	double instances; /* 1, or units */
	double footprint; /* inside it, of an instance */
	double read; /* bytes a second, whole device: on a CPU units times what one reads alone */
};

/* What was seen of footprints in growing order. */
struct memory_curve {
	double footprint[PLATEAU_POINTS_MAX], value[PLATEAU_POINTS_MAX];
	size_t n;
};

/*
 * Bytes of each of `windows` windows that lie beside each other in data_bytes bytes: as many
 * quanta of `bytes` as fit, and one at least.
 */
size_t memory_window_bytes(double bytes, size_t windows, size_t data_bytes, size_t quantum);

/*
 * Read rates (bytes a second) of `units` units that each read a window of
 * their own, footprint bytes long, n of them. fraction_from and fraction_to say where
 * in the stage's progress this is.
 */
enum status memory_read_windows(struct bench *bench, double units, const double *footprint,
                                double *rate, size_t n, double from, double to,
                                struct error *error);

/*
 * Levels of a GPU: its first level by windows of each unit's own, from the next one on by
 * random reads of all units. levels has room for MEMORY_LEVEL_COUNT; the last is memory.
 * Footprints are not filled, nor the read rates of levels that units share.
 */
enum status memory_find_gpu_levels(struct bench *bench, struct level *levels, size_t *count,
                                   struct error *error);

/* Bytes a second of all units that read the first `footprint` bytes, each from a place of its own.
 */
enum status memory_read_shared(struct bench *bench, double footprint, double *rate,
                               struct error *error);

/*
 * What a read of a random cycle through so many bytes waits for the one before; overwrites data.
 * chunk_bytes: the cycle passes all lines of so many bytes beside each other before it goes on; 0:
 * of all. is_out: not from the caches. Both values stay where there are less than two lines.
 */
enum status memory_time_cycle(struct bench *bench, double bytes, size_t chunk_bytes, bool is_out,
                              double *latency_s, double *standard_error, struct error *error);

/* Bytes of the last cache as the driver tells them; 0: not at all. */
double memory_told_bytes(const struct bench *bench);

/*
 * Grows the data to several times the last cache, so that they have windows that no cache holds.
 * One unit alone may not get all of a cache that many share, and what all of them read finds room
 * there: then what the driver tells of it counts, but in a quick calibration.
 */
enum status memory_reach(struct bench *bench, const struct level *levels, size_t count,
                         struct error *error);

/*
 * Drops shared levels, but for the last cache, that hold less than all units' own caches before
 * them: as far as one unit's page addresses reach, say. What all units read is never found there.
 */
void memory_drop_unreached(struct level *levels, size_t *count, double units);

/*
 * The cache that a CPU's units share, by what all of them read at once: one alone may not get all
 * of it, or may read it no faster than memory. Stands behind the units' own caches then, instead of
 * what one unit found there, or took for its own: how far its page addresses reach shows as a cache
 * does, and all units find room in that. Requires the levels that one unit finds, with their
 * instances, and data that no cache holds. In a quick calibration only where one unit found no
 * shared cache, or one much smaller than the driver tells.
 */
enum status memory_find_shared(struct bench *bench, struct level *levels, size_t *count,
                               struct error *error);

/*
 * The same of the curve: `rate` (bytes a second) of all units by the bytes of each one's window, n
 * of them in growing order, none within the first two of the units' own caches; `points` of a
 * plateau; the driver tells of a cache of `told` bytes (0: of none). The index of the level that is
 * new; 0: none. A cache of which each gets as much as one alone did is known for its own then.
 */
size_t memory_add_shared(struct level *levels, size_t *count, double units, const double *window,
                         const double *rate, size_t n, size_t points, double told);

/* Items in an order of no pattern, the same each time. */
void memory_shuffle(cl_uint *item, size_t count);

/*
 * Adds to the levels that a CPU's rate of reads shows those that only latency does, and joins those
 * behind them that latency does not tell apart. Requires capacities of at least one cache, and data
 * that no cache holds; leaves zeros as data.
 */
enum status memory_find_near(struct bench *bench, const struct memory_curve *reads,
                             struct level *levels, size_t *count, struct error *error);

/*
 * The same of curves: `reads` of bytes a second, `waits` of 1 over the latency of cycles; memory_s
 * is the latency of memory, 0 where it is not known; `points` of a plateau.
 */
void memory_join_latency(struct level *levels, size_t *count, double units,
                         const struct memory_curve *reads, const struct memory_curve *waits,
                         double memory_s, size_t points);

/*
 * Whether a CPU of so many units may have such levels: a first one of each unit's own, no larger
 * than cores have, and each slower than the one before. What others do meanwhile makes others up.
 */
bool memory_is_plausible(const struct level *levels, size_t count, double units);

/*
 * Sets memory.<level>.way_bytes of a CPU's private level (L1 or L2) where it can be
 * seen. Requires the latencies of the level and of the next, and its capacity;
 * overwrites the data.
 */
enum status memory_find_way(struct bench *bench, enum memory_level id, struct error *error);

/*
 * The way of a cache, a power of two; 0: no first or second level of a core has so many ways, or so
 * few. They have 4 to 24 (Intel and AMD, optimization manuals; Arm, technical reference manuals).
 */
double memory_way_bytes(double capacity, unsigned ways);

/*
 * Sets memory.<next level>.walk_*: what lines cost that fight for the level's sets.
 * A level whose way was not seen gets one here, where lines a page apart fight for it.
 * Requires the level's capacity and line, and what L1's call set; overwrites the data.
 */
enum status memory_time_walks(struct bench *bench, enum memory_level id, struct error *error);

/*
 * Seconds that each of so many units spends on one line where they walk, all at once, down columns
 * of `lines` lines. kernel: walk_read; or, of one unit, walk_write.
 */
enum status memory_time_walk(struct bench *bench, const char *kernel, size_t units, uint32_t lines,
                             uint32_t apart_bytes, double *line_s, struct error *error);

/*
 * memory_pages.c: of how many pages a CPU's core keeps the addresses, and what an access to another
 * one takes. `own_bytes`: of the last cache of each core.
 */
enum status memory_time_pages(struct bench *bench, double own_bytes, struct error *error);

/*
 * Random writes of each unit of a CPU to `bytes` of its own, instead of what all of them to the
 * same were found to take: sets memory.<level>.scatter where that is more.
 */
enum status memory_scatter_own(struct bench *bench, enum memory_level id, double bytes,
                               double line_bytes, struct error *error);

/*
 * Sets memory.<level>.unstreamed_lines_per_s of a CPU, in lines of line_bytes, by a window of so
 * many bytes that this level holds and no nearer one. Requires the level's read rate.
 */
enum status memory_time_run(struct bench *bench, enum memory_level id, double footprint,
                            double line_bytes, struct error *error);

/*
 * Of walks down least, 2 least, 4 least, ... lines that fight for the level's sets, and what a line
 * took in each: how many lines stay; 0: no walk is slowed down. *longest: so many that hardly
 * any stays. A walk that takes twice as long as the first misses a part of its lines, and by the
 * law of model/traffic/misses.c, 1 - hits = 1 - exp(-(1 - hits) lines / stay), that part tells
 * of how many stay. Much longer walks are slowed down by more than that: by their pages.
 */
double memory_walk_fits(const double *line_s, unsigned steps, uint32_t least, uint32_t *longest);

/*
 * Sets exec.ahead_operations of a CPU whose last cache holds so many bytes. Requires the latency
 * of memory, and data that no cache holds.
 */
enum status memory_time_ahead(struct bench *bench, double last_bytes, struct error *error);

#endif
