/* SPDX-License-Identifier: Apache-2.0 */
/* What a cache misses: the slope of the footprint where it is full. */
#include <math.h>
#include <string.h>

#include "model/traffic/groups.h"

static double lines_of(struct footprint *f, const struct footprint_group *group, unsigned window,
                       const struct footprint_cache *cache, double *isolated)
{
	if (cache->is_private)
		return f->order.kind->unit_lines(f, group, &f->windows[window], cache->line_bytes,
		                                 isolated);
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

/*
 * Bytes of a cache that all groups take up in a window. A tag keeps its room for lines that are not
 * there yet: lanes that walk rows of their own have one in use each. Of places at chance the
 * recorded kernels show no such loss.
 */
static double total_of(struct footprint *f, unsigned window, const struct footprint_cache *cache)
{
	struct footprint_cache tags = *cache;
	double bytes = 0, isolated;

	tags.line_bytes = fmax(cache->line_bytes, cache->tag_bytes);
	for (uint32_t i = 0; i < f->group_count; i++) {
		const struct footprint_cache *of = f->groups[i].is_spread ? cache : &tags;

		bytes += lines_of(f, &f->groups[i], window, of, &isolated) * of->line_bytes;
	}
	return bytes;
}

/*
 * The share of lines that a launch no longer finds in a cache that its last run filled, over the
 * ratio of its footprint to the capacity.
 */
static double cold_share(const struct footprint *f, double ratio)
{
	return ratio > 1 ? 1 - f->order.kind->hits_of(ratio) : 0;
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

static bool is_local(const struct footprint *f, const struct footprint_group *group)
{
	return f->kernel->objects[f->kernel->accesses[group->first].object].space == SPACE_LOCAL;
}

/* Where shares of the sets are told apart; SET_SHARES: all sets. */
static unsigned share_at(const struct footprint *f, const struct footprint_group *group,
                         unsigned window, const struct footprint_cache *cache)
{
	return (unsigned)lround(footprint_set_share(f, group, &f->windows[window],
	                                            cache->line_bytes, cache->way_bytes) *
	                        (double)(int)SET_SHARES);
}

/*
 * What crowds the sets of the first level: local memory begins where a page does, as arrays do.
 * What walks through both with one stride, as a tile is filled, has them in the same sets.
 */
static void fill_crowds(struct footprint *f, const struct footprint_cache *cache)
{
	f->has_crowds = false;
	for (uint32_t i = 0; cache->way_bytes > 0 && i < f->group_count; i++)
		f->has_crowds |= is_local(f, &f->groups[i]);
	f->has_crowds &= !(fabs(cache->way_bytes - cache->walk_bytes) > 0);
	if (!f->has_crowds)
		return;
	memset(f->crowd_bytes, 0, sizeof(f->crowd_bytes));
	for (unsigned window = 0; window < f->window_count; window++)
		for (uint32_t i = 0; i < f->group_count; i++) {
			const struct footprint_group *group = &f->groups[i];

			f->crowd_bytes[window][is_local(f, group)]
			              [share_at(f, group, window, cache)] +=
			        taken_bytes(f, group, window, cache);
		}
}

/* The same as taken_bytes, with what crowds these sets besides. */
static double crowded_bytes(struct footprint *f, const struct footprint_group *group,
                            unsigned window, const struct footprint_cache *cache)
{
	double bytes = taken_bytes(f, group, window, cache);
	unsigned share = f->has_crowds ? share_at(f, group, window, cache) : SET_SHARES;

	return share < SET_SHARES ? bytes + f->crowd_bytes[window][!is_local(f, group)][share]
	                          : bytes;
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
	lines *= cold_share(f, crowded_bytes(f, group, around, cache) / cache->capacity_bytes);
	return fmax(lines, lines_of(f, group, last, cache, &isolated));
}

/* Bytes of a cache in use in a window; without sets, as far as all are alike. */
static double filled_bytes(struct footprint *f, const struct footprint_group *group,
                           const double *total, unsigned window, bool has_sets,
                           const struct footprint_cache *cache)
{
	return has_sets ? fmax(total[window], crowded_bytes(f, group, window, cache))
	                : total[window];
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
		cold = cold_share(f, filled_bytes(f, group, total, last, true, cache) / capacity);
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
 * Whether stores leave parts of lines as they were: before the last cache can write such
 * a line back, it reads it.
 */
static bool is_part_written(struct footprint *f, const struct footprint_group *group,
                            const struct footprint_cache *cache)
{
	const struct footprint_window *all = &f->windows[f->window_count - 1];
	double isolated, lines, elements;

	if (!f->order.kind->reads_part_written || cache->is_private || group->has_load)
		return false;
	lines = footprint_group_lines(f, group, all, cache->line_bytes, &isolated);
	elements = footprint_group_lines(f, group, all, fmax(1, group->bytes), &isolated);
	return elements * group->bytes < 0.9 * lines * cache->line_bytes;
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

/* Adds a share of what a group causes. */
static void add_share(struct footprint_traffic *to, const struct footprint_traffic *of,
                      double read_share, double write_share)
{
	to->read_bytes += of->read_bytes * read_share;
	to->gather_lines += of->gather_lines * read_share;
	to->unstreamed_lines += of->unstreamed_lines * read_share;
	to->walk_reads += of->walk_reads * read_share;
	to->write_bytes += of->write_bytes * write_share;
	to->stored_bytes += of->stored_bytes * write_share;
	to->scatter_lines += of->scatter_lines * write_share;
	to->walk_writes += of->walk_writes * write_share;
	to->lines += of->lines * (read_share + write_share) / 2;
}

/*
 * A group's traffic among its accesses: what is read among loads, what is written among stores, by
 * executions; atomics are both. Stores of parts of lines are what has them read.
 */
static void share_out(const struct footprint *f, uint32_t group,
                      const struct footprint_traffic *own, struct footprint_traffic *causes)
{
	double loads = 0, stores = 0;

	for (uint32_t m = f->first[group]; m < f->first[group + 1]; m++) {
		uint32_t access = f->members[m];
		double executions = f->evaluation->accesses[access].executions;

		loads += f->kernel->accesses[access].kind != ACCESS_STORE ? executions : 0;
		stores += f->kernel->accesses[access].kind != ACCESS_LOAD ? executions : 0;
	}
	for (uint32_t m = f->first[group]; m < f->first[group + 1]; m++) {
		uint32_t access = f->members[m];
		double executions = f->evaluation->accesses[access].executions;
		bool is_load = f->kernel->accesses[access].kind != ACCESS_STORE;
		bool is_store = f->kernel->accesses[access].kind != ACCESS_LOAD;
		double stored = is_store && stores > 0 ? executions / stores : 0;
		double loaded = loads > 0 ? (is_load ? executions / loads : 0) : stored;

		add_share(&causes[access], own, loaded, stored);
	}
}

struct footprint_traffic footprint_misses(struct footprint *f, const struct footprint_cache *cache,
                                          double *waits, struct footprint_traffic *causes)
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
	fill_crowds(f, cache);
	for (uint32_t i = 0; i < f->group_count; i++) {
		struct footprint_group *group = &f->groups[i];
		double most = f->order.kind->most_lines(f, i, cache->line_bytes);
		struct footprint_traffic own = {0};
		double alone, fought;
		double lines =
		        units * missed_lines(f, group, total, most / units, cache, &alone, &fought);

		lines = fmin(lines, most);
		group->walked = 0;
		if (waits)
			f->order.kind->fill_waits(f, i, lines, fmax(alone, fought),
			                          cache->line_bytes, waits);
		if (group->is_atomic && cache->is_private && f->order.kind->passes_atomics)
			continue; /* a cost of their own, where they are served */
		own.lines = lines * (group->has_load + group->has_store);
		group->walked = lines * fought;
		own.walk_reads = group->has_load ? group->walked : 0;
		own.walk_writes = group->has_store ? group->walked : 0;
		lines *= 1 - fought;
		if (group->has_load) {
			double run = lines * (1 - alone);

			own.gather_lines = lines * alone;
			own.unstreamed_lines = group->is_streamed ? 0 : run;
			own.read_bytes = group->is_streamed ? run * cache->line_bytes : 0;
		}
		if (is_part_written(f, group, cache))
			own.read_bytes += lines * (1 - alone) * cache->line_bytes;
		if (group->has_store) {
			own.scatter_lines = lines * alone;
			own.write_bytes = lines * (1 - alone) * cache->line_bytes;
			own.stored_bytes =
			        group->has_load ? 0 : lines * (1 - alone) * cache->line_bytes;
		}
		traffic.lines += own.lines;
		traffic.gather_lines += own.gather_lines;
		traffic.unstreamed_lines += own.unstreamed_lines;
		traffic.read_bytes += own.read_bytes;
		traffic.scatter_lines += own.scatter_lines;
		traffic.write_bytes += own.write_bytes;
		traffic.stored_bytes += own.stored_bytes;
		if (causes != NULL)
			share_out(f, i, &own, causes);
	}
	add_walks(f, &traffic);
	return traffic;
}
