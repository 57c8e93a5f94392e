/* SPDX-License-Identifier: Apache-2.0 */
/* Windows in the device's order of time, and the slope where a cache is full. */
#include <math.h>
#include <string.h>

#include "model/traffic/groups.h"

static const double GROWTH = 4;

/* ---- windows ------------------------------------------------------------------------------- */

/* The first n of the work-items (or groups), in linear order, by dimension. */
static void fill(double n, const uint64_t extent[3], double counts[3])
{
	for (unsigned d = 0; d < 3; d++) {
		counts[d] = fmin(fmax(n, 1), (double)extent[d]);
		n /= (double)extent[d];
	}
}

struct clock {
	double items, groups; /* work-items of each group, groups */
	double step;          /* iterations done, by depth of loop: deeper ones are complete */
	uint32_t depth;       /* loops this deep grow; those around are at one iteration */
	uint32_t depths;      /* deeper ones are unrolled: complete at once */
};

static uint32_t loop_depth(const struct footprint *f, uint32_t loop)
{
	uint32_t depth = 0;

	for (; f->evaluation->loops[loop].parent != IR_NONE && depth < IR_DEPTH_MAX; depth++)
		loop = f->evaluation->loops[loop].parent;
	return depth;
}

static void push(struct footprint *f, const struct clock *now)
{
	struct footprint_window *window = &f->windows[f->window_count];
	double *loops = f->loops + (size_t)f->window_count * f->loop_count;

	if (f->window_count == FOOTPRINT_WINDOWS_MAX)
		return;
	fill(now->items, f->launch->local, window->local);
	fill(now->groups, f->evaluation->group_count, window->group);
	for (uint32_t i = 0; i < f->loop_count; i++) {
		double trips = fmax(1, f->evaluation->loops[i].trips);
		uint32_t depth = loop_depth(f, i);

		loops[i] = depth > now->depth || depth >= now->depths ? trips
		           : depth < now->depth                       ? 1
		                                : fmin(trips, fmax(1, now->step));
	}
	window->loops = loops;
	window->items_share = fmin(1, now->items / (double)f->evaluation->group_items) *
	                      fmin(1, now->groups / (double)f->evaluation->groups);
	f->window_count++;
}

/* Most trips of the loops at each depth; returns the number of depths. */
static uint32_t depth_trips(const struct footprint *f, double trips[IR_DEPTH_MAX])
{
	uint32_t depths = 0;

	for (uint32_t i = 0; i < f->loop_count; i++) {
		uint32_t depth = loop_depth(f, i);

		if (depth >= IR_DEPTH_MAX || !(f->evaluation->loops[i].entries > 0))
			continue;
		while (depths <= depth)
			trips[depths++] = 1;
		trips[depth] = fmax(trips[depth], f->evaluation->loops[i].trips);
	}
	return depths;
}

/* Whether a loop, or one within it, writes global memory, which may be what it reads next. */
static bool is_writing(const struct footprint *f, uint32_t loop)
{
	const struct ir_kernel *kernel = f->kernel;

	for (uint32_t i = 0; i < kernel->access_count; i++) {
		uint32_t block = kernel->summary->access_block[i], around;

		if (kernel->accesses[i].kind == ACCESS_LOAD || block >= kernel->block_count ||
		    kernel->objects[kernel->accesses[i].object].space != SPACE_GLOBAL)
			continue;
		for (around = kernel->summary->block_loop[block]; around != IR_NONE;
		     around = f->evaluation->loops[around].parent)
			if (around == loop)
				return true;
	}
	return false;
}

/*
 * On a GPU: iterations that a warp goes through at once, since their loads are moved together:
 * all of loops that are unrolled, which are taken off the depths, and of the loops that are then
 * the innermost as many as a compiler puts together; one where the loop writes.
 */
static double iterations_at_once(const struct footprint *f, uint32_t *depths)
{
	double most = 0;

	for (; *depths > 0 && !(most > 0); --*depths)
		for (uint32_t i = 0; i < f->loop_count; i++) {
			const struct ir_loop *loop = &f->kernel->summary->loops[i];

			if (loop_depth(f, i) + 1 != *depths || loop->is_unrolled ||
			    !(f->evaluation->loops[i].entries > 0))
				continue;
			most = fmax(most, 1);
			if (!loop->has_early_exit && loop->induction != IR_NONE &&
			    !is_writing(f, i))
				most = fmax(most,
				            fmin(loop->unroll, f->evaluation->loops[i].trips));
		}
	*depths += most > 0;
	return fmax(1, most);
}

static void grow_loops(struct footprint *f, struct clock *now, const double *trips, uint32_t depths)
{
	for (uint32_t d = depths; d-- > 0;) {
		now->depth = d;
		for (double step = GROWTH * (d + 1 == depths ? now->step : 1);; step *= GROWTH) {
			now->step = fmin(step, trips[d]);
			if (trips[d] <= 1)
				break;
			push(f, now);
			if (step >= trips[d])
				break;
		}
	}
	now->depth = 0;
	now->step = depths > 0 ? trips[0] : 1;
}

static void grow(struct footprint *f, struct clock *now, double *count, double end)
{
	while (*count < end) {
		*count = fmin(*count * GROWTH, end);
		push(f, now);
	}
}

/* The windows of one unit, or of the device, smallest first. */
static void make_windows(struct footprint *f, bool is_unit)
{
	const struct evaluation *e = f->evaluation;
	double units = fmax(1, fmin(f->order.units, (double)e->groups));
	double all = is_unit ? fmax(1, (double)e->groups / units) : (double)e->groups;
	double resident = f->order.resident_groups * (is_unit ? 1 : units);
	double trips[IR_DEPTH_MAX];
	uint32_t depths = depth_trips(f, trips);
	struct clock now = {.items = fmin(f->order.abreast, (double)e->group_items), .groups = 1};

	if (f->window_kind == (is_unit ? 1 : 2))
		return;
	f->window_kind = is_unit ? 1 : 2;
	f->window_count = 0;
	now.step = f->order.is_lockstep ? iterations_at_once(f, &depths) : 1;
	now.depth = depths > 0 ? depths - 1 : 0;
	now.depths = depths;
	if (f->order.is_lockstep) {
		push(f, &now);
		grow(f, &now, &now.items, (double)e->group_items);
		grow(f, &now, &now.groups, fmin(fmax(1, resident), all));
		grow_loops(f, &now, trips, depths);
	} else {
		now.groups = is_unit ? 1 : units;
		push(f, &now);
		grow_loops(f, &now, trips, depths);
		grow(f, &now, &now.items, (double)e->group_items);
	}
	grow(f, &now, &now.groups, all);
	/* a unit's share of time is of its own groups */
	for (unsigned i = 0; is_unit && i < f->window_count; i++)
		f->windows[i].items_share =
		        fmin(1, f->windows[i].items_share * (double)e->groups / all);
}

/* ---- misses -------------------------------------------------------------------------------- */

/*
 * Lines of a group in a window of one unit. In lockstep order the groups of a
 * unit are dealt out one by one, so they lie apart: no more than that many
 * separate groups, no more than all units touch together.
 */
static double unit_lines(const struct footprint *f, const struct footprint_group *group,
                         const struct footprint_window *window, double line, double *isolated)
{
	double groups = window->group[0] * window->group[1] * window->group[2];
	struct footprint_window one = *window, wide = *window;
	double apart, together, other;

	if (!f->order.is_lockstep || groups <= 1)
		return footprint_group_lines(f, group, window, line, isolated);
	for (unsigned d = 0; d < 3; d++)
		one.group[d] = 1;
	apart = groups * footprint_group_lines(f, group, &one, line, isolated);
	*isolated *= groups;
	fill(groups * f->order.units, f->evaluation->group_count, wide.group);
	together = footprint_group_lines(f, group, &wide, line, &other);
	if (together < apart) {
		*isolated = other;
		return together;
	}
	return apart;
}

static double lines_of(struct footprint *f, const struct footprint_group *group, unsigned window,
                       const struct footprint_cache *cache, double *isolated)
{
	if (cache->is_private)
		return unit_lines(f, group, &f->windows[window], cache->line_bytes, isolated);
	return footprint_group_lines(f, group, &f->windows[window], cache->line_bytes, isolated);
}

/*
 * The share of a group's accesses that a window has: of the launch's time it has less where
 * there are loops that they are not in.
 */
static double share_of(const struct footprint *f, const struct footprint_group *group, unsigned i)
{
	const struct footprint_window *window = &f->windows[i];
	double loops = 1;

	for (uint32_t loop = group->loop; loop != IR_NONE; loop = f->evaluation->loops[loop].parent)
		loops *= fmin(1, window->loops[loop] / fmax(1, f->evaluation->loops[loop].trips));
	return fmin(1, window->items_share * loops);
}

/* Lines that a group brings in over the whole span if windows grow as from i to i + 1. */
static double slope(struct footprint *f, const struct footprint_group *group, unsigned i,
                    const struct footprint_cache *cache)
{
	double ratio, share, first, second, isolated;

	if (i + 1 >= f->window_count)
		return 0;
	share = share_of(f, group, i);
	ratio = share_of(f, group, i + 1) / share;
	if (!(ratio > 1 + 1e-9))
		return 0;
	first = lines_of(f, group, i, cache, &isolated);
	second = lines_of(f, group, i + 1, cache, &isolated);
	return fmax(0, second - first) / (ratio - 1) / share;
}

/* The largest rate from window i on: what a loop does not touch comes back around it. */
static double slope_from(struct footprint *f, const struct footprint_group *group, unsigned i,
                         const struct footprint_cache *cache)
{
	double most = 0, isolated;

	for (unsigned j = i; j + 1 < f->window_count; j++)
		most = fmax(most, slope(f, group, j, cache));
	/* at least once: what the whole launch touches */
	return fmax(most, lines_of(f, group, f->window_count - 1, cache, &isolated));
}

static double total_of(struct footprint *f, unsigned window, const struct footprint_cache *cache)
{
	double lines = 0, isolated;

	for (uint32_t i = 0; i < f->group_count; i++)
		lines += lines_of(f, &f->groups[i], window, cache, &isolated);
	return lines * cache->line_bytes;
}

/*
 * How much a launch goes around, over a cache's capacity, that finds a share `hits` of its lines
 * still there where each miss takes the place of the oldest of so many lines. A line survives as S
 * = 1 - (1 - hits) u^n until a share u of what is there is younger, since it is the oldest of n
 * with n u^(n - 1); each access adds S / capacity to u, so the round is the integral of 1 / S (over
 * s here, with u = 1 - s^2: it ends steeply). Of n = 1 that is hits = exp(-(1 - hits) ratio).
 */
static double round_ratio(double hits, unsigned ways)
{
	enum { PARTS = 16 };
	double sum = 0;

	for (unsigned i = 0; i < PARTS; i++) {
		double s = (i + 0.5) / (double)PARTS, younger = 1 - s * s;

		for (unsigned w = 1; w < ways; w *= 2)
			younger *= younger;
		sum += 2 * s / (1 - (1 - hits) * younger);
	}
	return sum / (double)PARTS;
}

/* Of an NVIDIA GPU's last cache (Jia, Maggioni, Staiger, Scarpazza, arXiv 1804.06826, 2018). */
enum { LOCKSTEP_WAYS = 16 };

/*
 * The share of lines that a launch no longer finds in a cache that its last run filled, over the
 * ratio of its footprint to the capacity. In a CPU's a line survives a round with exp(-misses /
 * capacity), as where the victim of a miss is any line; a GPU's gives up the oldest of a set.
 */
static double cold_share(double ratio, bool is_lockstep)
{
	double hits = 0, high = 1;

	if (!(ratio > 1))
		return 0;
	for (unsigned i = 0; i < 64 && !is_lockstep; i++)
		hits = exp(-(1 - hits) * ratio);
	for (unsigned i = 0; i < 20 && is_lockstep; i++) {
		double middle = (hits + high) / 2;

		if (round_ratio(middle, LOCKSTEP_WAYS) > ratio)
			hits = middle;
		else
			high = middle;
	}
	return 1 - hits;
}

/*
 * Lines that a group's accesses could bring in if each missed: on a CPU, where one work-item's
 * come one by one.
 */
static double most_lines(const struct footprint *f, uint32_t group, double line)
{
	double most = 0;

	for (uint32_t m = f->first[group]; m < f->first[group + 1]; m++) {
		const struct evaluation_access *access = &f->evaluation->accesses[f->members[m]];

		most += access->executions * (1 + access->bytes / line);
	}
	return most * (double)f->evaluation->items;
}

/*
 * Bytes of a cache that a group's lines take up in a window: where its strides
 * leave sets aside, those that it falls into are full sooner.
 */
static double taken_bytes(struct footprint *f, const struct footprint_group *group, unsigned window,
                          const struct footprint_cache *cache)
{
	double isolated, share, bytes;

	/* without sets it is a part of what all groups touch: no need to know */
	if (!(cache->way_bytes > 0))
		return 0;
	share = footprint_set_share(f, group, &f->windows[window], cache->line_bytes,
	                            cache->way_bytes);
	bytes = lines_of(f, group, window, cache, &isolated) * cache->line_bytes / share;
	/* pages mixed at random crowd some sets before others are full */
	if (share < 1 && cache->walk_lines > 0)
		bytes *= cache->capacity_bytes / cache->way_bytes / cache->walk_lines;
	return bytes;
}

/*
 * What is missed of `lines` by a group that is too much for its sets from window `at`
 * on: where it goes around lines that exceed them a little, some survive a round.
 */
static double fought_lines(struct footprint *f, const struct footprint_group *group, unsigned at,
                           double lines, const struct footprint_cache *cache)
{
	unsigned last = f->window_count - 1, around = at;
	double isolated, touched = lines_of(f, group, at, cache, &isolated);

	/* at once, in the first window: each step brings all of it */
	if (at == 0)
		lines = fmax(lines, touched / share_of(f, group, 0));
	for (; around < last; around++) {
		double more = lines_of(f, group, around + 1, cache, &isolated);

		if (more < 1.5 * touched)
			break;
		touched = more;
	}
	lines *= cold_share(taken_bytes(f, group, around, cache) / cache->capacity_bytes,
	                    f->order.is_lockstep);
	return fmax(lines, lines_of(f, group, last, cache, &isolated));
}

/* Bytes of a cache in use in a window; without sets, as far as all are alike. */
static double filled_bytes(struct footprint *f, const struct footprint_group *group,
                           const double *total, unsigned window, bool has_sets,
                           const struct footprint_cache *cache)
{
	return has_sets ? fmax(total[window], taken_bytes(f, group, window, cache)) : total[window];
}

/*
 * Lines that a group brings in over the whole span, as its windows grow where the cache is full:
 * from window *at on; *above: bytes in use there.
 */
static double lines_beyond(struct footprint *f, const struct footprint_group *group,
                           const double *total, bool has_sets, const struct footprint_cache *cache,
                           unsigned *at, double *above)
{
	unsigned last = f->window_count - 1, step;
	double capacity = cache->capacity_bytes, below = 0, position = 0.5, lines, isolated;

	for (*at = 0;; ++*at) {
		*above = filled_bytes(f, group, total, *at, has_sets, cache);
		if (*above > capacity || *at == last)
			break;
		below = *above;
	}
	if (*above <= capacity)
		return lines_of(f, group, last, cache, &isolated);
	/* full between window at - 1 and at; at 0: before the first */
	if (below > 0 && *above > below)
		position = log(capacity / below) / log(*above / below);
	position = fmin(1, fmax(0, position));
	step = *at > 0 ? *at - 1 : 0;
	lines = slope_from(f, group, step, cache);
	/* between windows the rate changes gradually */
	if (position > 0.5)
		lines += (slope_from(f, group, step + 1, cache) - lines) * (position - 0.5);
	else if (step > 0)
		lines += (slope_from(f, group, step - 1, cache) - lines) * (0.5 - position);
	return lines;
}

/* The share of its lines that a group touches in a window, from one with all bytes to one of each.
 */
static double used_share(struct footprint *f, const struct footprint_group *group, unsigned window,
                         const struct footprint_cache *cache)
{
	double isolated, bytes = fmax(1, group->bytes), lines, elements;

	if (group->is_spread)
		return 0;
	lines = lines_of(f, group, window, cache, &isolated);
	elements = footprint_group_lines(f, group, &f->windows[window], bytes, &isolated);
	return lines > 0 ? fmin(1, elements * bytes / (lines * cache->line_bytes)) : 0;
}

/*
 * Lines that a group brings in over the whole span, and the share of them that
 * come alone, and that fought for sets: all where one set alone is hit, half of them where
 * two are; but none that are used in whole as they come, and would with sets for all. `total`:
 * bytes that all groups touch in each window; `most`: lines if each access missed.
 */
static double missed_lines(struct footprint *f, const struct footprint_group *group,
                           const double *total, double most, const struct footprint_cache *cache,
                           double *alone, double *fought)
{
	unsigned last = f->window_count - 1, at, other;
	double capacity = cache->capacity_bytes, above, cold = 1, lines, touched, isolated;

	if (cache->kept > 0 && capacity > 0) {
		cold = cold_share(filled_bytes(f, group, total, last, true, cache) / capacity,
		                  f->order.is_lockstep);
		cold = 1 - cache->kept * (1 - cold);
	}
	*alone = *fought = 0;
	if (cold <= 0)
		return 0;
	/* loops beside each other share their windows, however long each is */
	lines = fmin(lines_beyond(f, group, total, true, cache, &at, &above), most);
	if (above > capacity && above > total[at]) {
		double sets = cache->walk_bytes / cache->line_bytes;
		double share = footprint_set_share(f, group, &f->windows[at], cache->line_bytes,
		                                   cache->walk_bytes);
		double plain;

		lines = fought_lines(f, group, at, lines, cache);
		plain = fmin(lines_beyond(f, group, total, false, cache, &other, &above), most);
		/* sets work side by side: a line waits for those of its own */
		*fought = sets >= 2 ? fmin(1, 1 / (share * sets)) : 0;
		*fought *= lines > 0 ? fmax(0, 1 - used_share(f, group, at, cache) * plain / lines)
		                     : 0;
	}
	touched = lines_of(f, group, at, cache, &isolated);
	*alone = touched > 0 ? isolated / touched : 0;
	return lines * cold;
}

/*
 * Whether a GPU's stores leave parts of lines as they were: before the last cache can write such
 * a line back, it reads it.
 */
static bool is_part_written(struct footprint *f, const struct footprint_group *group,
                            const struct footprint_cache *cache)
{
	const struct footprint_window *all = &f->windows[f->window_count - 1];
	double isolated, lines, elements;

	if (!f->order.is_lockstep || cache->is_private || group->has_load)
		return false;
	lines = footprint_group_lines(f, group, all, cache->line_bytes, &isolated);
	elements = footprint_group_lines(f, group, all, fmax(1, group->bytes), &isolated);
	return elements * group->bytes < 0.9 * lines * cache->line_bytes;
}

static double lines_of_execution(const struct footprint *f, uint32_t access, double line)
{
	unsigned at = line >= 256 ? 3 : line >= 128 ? 2 : line >= 64 ? 1 : 0;

	return f->evaluation->accesses[access].lines[at];
}

/*
 * How often a CPU's load waits, of a group that brings in `lines`, of which `alone` have no
 * neighbours that are brought in, too: a core fetches those before they are asked for.
 */
static void fill_core_waits(const struct footprint *f, uint32_t group, double lines, double alone,
                            double *waits)
{
	double loads = 0;

	for (uint32_t m = f->first[group]; m < f->first[group + 1]; m++)
		if (f->kernel->accesses[f->members[m]].kind != ACCESS_STORE)
			loads += f->evaluation->accesses[f->members[m]].executions *
			         (double)f->evaluation->items;
	for (uint32_t m = f->first[group]; m < f->first[group + 1]; m++)
		waits[f->members[m]] = loads > 0 ? fmin(1, lines * alone / loads) : 0;
}

/*
 * How often a warp's load waits, of a group that brings in `lines`: lanes with a form of
 * their own come to their next lines together, others each when chance wants it.
 */
static void fill_waits(const struct footprint *f, uint32_t group, double lines, double line,
                       double *waits)
{
	double touched = 0, share;

	for (uint32_t m = f->first[group]; m < f->first[group + 1]; m++) {
		uint32_t i = f->members[m];

		if (f->kernel->accesses[i].kind != ACCESS_STORE)
			touched += f->evaluation->accesses[i].warp_executions *
			           f->evaluation->warps * lines_of_execution(f, i, line);
	}
	share = touched > 0 ? fmin(1, lines / touched) : 0;
	for (uint32_t m = f->first[group]; m < f->first[group + 1]; m++) {
		uint32_t i = f->members[m];

		waits[i] = share;
		if (f->groups[group].is_spread)
			waits[i] = 1 - pow(1 - share, fmax(1, lines_of_execution(f, i, line)));
	}
}

static uint32_t object_of(const struct footprint *f, uint32_t group)
{
	return f->kernel->accesses[f->groups[group].first].object;
}

/*
 * Lines that fought for sets. What one place reads and writes again is there still when it is
 * written; what an object has read in one place and written in another fights in both.
 */
static void add_walks(const struct footprint *f, struct footprint_traffic *traffic)
{
	for (uint32_t i = 0; i < f->group_count; i++) {
		const struct footprint_group *group = &f->groups[i];
		double written = 0;

		if (!(group->walked > 0))
			continue;
		traffic->walk_reads += group->has_load ? group->walked : 0;
		traffic->walk_writes += group->has_store ? group->walked : 0;
		for (uint32_t j = 0; j < f->group_count && !group->has_store; j++)
			if (!f->groups[j].has_load && object_of(f, j) == object_of(f, i))
				written += f->groups[j].walked;
		traffic->walk_apart += fmin(group->walked, written);
	}
}

struct footprint_traffic footprint_misses(struct footprint *f, const struct footprint_cache *cache,
                                          double *waits)
{
	struct footprint_traffic traffic = {0};
	double units = cache->is_private
	                       ? fmax(1, fmin(f->order.units, (double)f->evaluation->groups))
	                       : 1;
	double total[FOOTPRINT_WINDOWS_MAX];

	if (f->group_count == 0)
		return traffic;
	make_windows(f, cache->is_private);
	for (unsigned i = 0; i < f->window_count; i++)
		total[i] = total_of(f, i, cache);
	for (uint32_t i = 0; i < f->group_count; i++) {
		struct footprint_group *group = &f->groups[i];
		double most = f->order.is_lockstep ? HUGE_VAL : most_lines(f, i, cache->line_bytes);
		double alone, fought;
		double lines =
		        units * missed_lines(f, group, total, most / units, cache, &alone, &fought);

		lines = fmin(lines, most);
		group->walked = 0;
		if (waits && f->order.is_lockstep)
			fill_waits(f, i, lines, cache->line_bytes, waits);
		else if (waits)
			fill_core_waits(f, i, lines, fmax(alone, fought), waits);
		if (group->is_atomic && cache->is_private && f->order.is_lockstep)
			continue; /* a cost of their own, where they are served */
		traffic.lines += lines * (group->has_load + group->has_store);
		group->walked = lines * fought;
		lines *= 1 - fought;
		if (group->has_load) {
			double run = lines * (1 - alone);

			traffic.gather_lines += lines * alone;
			traffic.unstreamed_lines += group->is_streamed ? 0 : run;
			traffic.read_bytes += group->is_streamed ? run * cache->line_bytes : 0;
		}
		if (is_part_written(f, group, cache))
			traffic.read_bytes += lines * (1 - alone) * cache->line_bytes;
		if (group->has_store) {
			traffic.scatter_lines += lines * alone;
			traffic.write_bytes += lines * (1 - alone) * cache->line_bytes;
			traffic.stored_bytes +=
			        group->has_load ? 0 : lines * (1 - alone) * cache->line_bytes;
		}
	}
	add_walks(f, &traffic);
	return traffic;
}
