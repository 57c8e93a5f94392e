/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traffic of a GPU: the resident work-groups of its units advance together through their loops.
 */
#include <math.h>

#include "model/traffic/groups.h"

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
 * Iterations that a warp goes through at once, since their loads are moved together:
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

static void grow(struct footprint *f, struct clock *now, const double *trips, uint32_t depths,
                 double side, double all)
{
	double resident = f->order.resident_groups * side;

	now->step = iterations_at_once(f, &depths);
	now->depth = depths > 0 ? depths - 1 : 0;
	now->depths = depths;
	push_window(f, now);
	grow_to(f, now, &now->items, (double)f->evaluation->group_items);
	grow_to(f, now, &now->groups, fmin(fmax(1, resident), all));
	grow_loops(f, now, trips, depths);
}

/*
 * Groups are dealt out to units one by one, so those of a unit lie apart: no more than that many
 * separate groups, no more than all units touch together.
 */
static double unit_lines(const struct footprint *f, const struct footprint_group *group,
                         const struct footprint_window *window, double line, double *isolated)
{
	double groups = window->group[0] * window->group[1] * window->group[2];
	struct footprint_window one = *window, wide = *window;
	double apart, together, other;

	if (groups <= 1)
		return footprint_group_lines(f, group, window, line, isolated);
	for (unsigned d = 0; d < 3; d++)
		one.group[d] = 1;
	apart = groups * footprint_group_lines(f, group, &one, line, isolated);
	*isolated *= groups;
	fill_counts(groups * f->order.units, f->evaluation->group_count, wide.group);
	together = footprint_group_lines(f, group, &wide, line, &other);
	if (together < apart) {
		*isolated = other;
		return together;
	}
	return apart;
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
enum { CACHE_WAYS = 16 };

/* What is given up is the oldest of a set. */
static double hits_of(double ratio)
{
	double hits = 0, high = 1;

	for (unsigned i = 0; i < 20; i++) {
		double middle = (hits + high) / 2;

		if (round_ratio(middle, CACHE_WAYS) > ratio)
			hits = middle;
		else
			high = middle;
	}
	return hits;
}

/* No bound: lanes of a warp come together. */
static double most_lines(const struct footprint *f, uint32_t group, double line)
{
	(void)f;
	(void)group;
	(void)line;
	return HUGE_VAL;
}

static double lines_of_execution(const struct footprint *f, uint32_t access, double line)
{
	return f->evaluation->accesses[access].lines[line_index(line)];
}

/*
 * How often a warp's load waits, of a group that brings in `lines`: lanes with a form of
 * their own come to their next lines together, others each when chance wants it.
 */
static void fill_waits(const struct footprint *f, uint32_t group, double lines, double alone,
                       double line, double *waits)
{
	double touched = 0, share;

	(void)alone;
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

const struct footprint_kind gpu_footprint = {
        .grow = grow,
        .unit_lines = unit_lines,
        .hits_of = hits_of,
        .most_lines = most_lines,
        .fill_waits = fill_waits,
        .reads_part_written = true,
        .holds_local = false,
        .passes_atomics = true,
};
