/* SPDX-License-Identifier: Apache-2.0 */
/* The split of a range over devices that ends first. */
#include "client/library/split_solve.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "client/library/error.h"

/*
 * A prediction's interval is some percent wide at best: a tenth of a percent is lost in it.
 * A round adds at most three points a curve and halves what lies between two of them.
 */
#define CLOSE 1e-3
enum { DEVICES = PREDICTD_SPLIT_DEVICES_MAX, EVEN_POINTS = 16, ROUNDS_MAX = 24, POINTS_MAX = 128 };
enum { PARTS_A_ROUND = 4, BISECTIONS_MAX = 64 };

/* Times of parts from 1 granule to all, at the range's begin. */
struct curve {
	size_t count;
	uint64_t granules[POINTS_MAX]; /* ascending */
	double time_s[POINTS_MAX], monotone_s[POINTS_MAX];
	double place; /* what the part's place in the range makes of its time */
};

struct solver {
	const struct split_problem *problem;
	size_t order[DEVICES]; /* as parts follow each other */
	struct curve curves[DEVICES];
	double factor[DEVICES]; /* of a curve: place and slowdowns */
	bool is_used[DEVICES];
	struct split_part asked[DEVICES * POINTS_MAX];
	size_t asked_count;
};

/* ---- curves -------------------------------------------------------------------------------- */

/* The first point of `granules` or more; count: there is none. */
static size_t curve_at(const struct curve *curve, uint64_t granules)
{
	size_t low = 0, high = curve->count;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (curve->granules[middle] < granules)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool curve_has(const struct curve *curve, uint64_t granules)
{
	size_t at = curve_at(curve, granules);
	return at < curve->count && curve->granules[at] == granules;
}

static void curve_add(struct curve *curve, uint64_t granules, double time_s)
{
	size_t at = curve_at(curve, granules);
	if (curve->count == POINTS_MAX || curve_has(curve, granules))
		return;
	size_t moved = curve->count - at;
	memmove(&curve->granules[at + 1], &curve->granules[at], moved * sizeof curve->granules[0]);
	memmove(&curve->time_s[at + 1], &curve->time_s[at], moved * sizeof curve->time_s[0]);
	curve->granules[at] = granules;
	curve->time_s[at] = time_s;
	curve->count++;
	double most = 0;
	for (size_t i = 0; i < curve->count; i++) {
		most = fmax(most, curve->time_s[i]);
		curve->monotone_s[i] = most;
	}
}

/* The largest part that ends by `time_s`, by lines between points; 0: not even one granule. */
static uint64_t curve_largest(const struct curve *curve, double time_s)
{
	size_t low = 0, high = curve->count; /* the first point above time_s */
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (curve->monotone_s[middle] <= time_s)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return 0;
	uint64_t granules = curve->granules[low - 1];
	if (low == curve->count)
		return granules;
	uint64_t room = curve->granules[low] - granules - 1; /* that point itself is too late */
	double share = (time_s - curve->monotone_s[low - 1]) /
	               (curve->monotone_s[low] - curve->monotone_s[low - 1]);
	long double more = (long double)(room + 1) * (long double)share;
	return granules + (more >= (long double)room ? room : (uint64_t)more);
}

/* ---- the optimum on curves ----------------------------------------------------------------- */

/* The largest parts that end by `time_s`; whether they are the range or more. */
static bool parts_by(const struct solver *solver, double time_s, uint64_t parts[DEVICES])
{
	uint64_t all = solver->problem->granules, left = all;
	for (size_t i = 0; i < solver->problem->device_count; i++) {
		parts[i] = 0;
		if (!solver->is_used[i])
			continue;
		parts[i] = curve_largest(&solver->curves[i], time_s / solver->factor[i]);
		left -= parts[i] < left ? parts[i] : left;
	}
	return left == 0;
}

/* Makes parts that are too large together the range, each smaller in the same ratio. */
static void parts_fit(const struct solver *solver, uint64_t parts[DEVICES])
{
	size_t count = solver->problem->device_count;
	uint64_t all = solver->problem->granules, left = all, most[DEVICES];
	long double sum = 0;
	for (size_t i = 0; i < count; i++)
		sum += (long double)parts[i];
	for (size_t i = 0; i < count; i++) {
		long double part = (long double)parts[i] / sum * (long double)all;
		most[i] = parts[i];
		if (part < (long double)most[i])
			parts[i] = (uint64_t)part;
		if (parts[i] > left) /* by rounding */
			parts[i] = left;
		left -= parts[i];
	}
	/* what rounding down has left: some granules, to those who have none first */
	for (size_t pass = 0; left > 0; pass++)
		for (size_t i = 0; i < count && left > 0; i++) {
			size_t device = solver->order[i];
			if (parts[device] == most[device] || (pass == 0 && parts[device] > 0))
				continue;
			uint64_t room = most[device] - parts[device], even = left / count + 1;
			uint64_t more = even < room ? even : room;
			more = pass == 0 ? 1 : more;
			parts[device] += more;
			left -= more;
		}
}

/* The least end of the devices in use. */
static double curves_solve(struct solver *solver, uint64_t parts[DEVICES])
{
	const struct split_problem *problem = solver->problem;
	double low = 0, high = (double)INFINITY;
	for (size_t i = 0; i < problem->device_count; i++) {
		const struct curve *curve = &solver->curves[i];
		solver->factor[i] = curve->place;
		if (!solver->is_used[i])
			continue;
		for (size_t j = 0; j < problem->device_count && problem->slowdowns != NULL; j++)
			if (j != i && solver->is_used[j])
				solver->factor[i] *=
				        problem->slowdowns[i * problem->device_count + j];
		high = fmin(high, solver->factor[i] * curve->monotone_s[curve->count - 1]);
	}
	high *= 1 + 1e-12; /* the product may have been rounded down */
	for (unsigned i = 0; i < BISECTIONS_MAX && high - low > 1e-7 * high; i++) {
		double middle = low + (high - low) / 2;
		if (parts_by(solver, middle, parts))
			high = middle;
		else
			low = middle;
	}
	(void)parts_by(solver, high, parts);
	parts_fit(solver, parts);
	return high;
}

/*
 * Where devices slow each other down, one less may end sooner: they are taken out one by one, each
 * time the one without which it ends first.
 */
static void devices_choose(struct solver *solver, uint64_t parts[DEVICES])
{
	const struct split_problem *problem = solver->problem;
	for (size_t i = 0; i < problem->device_count; i++)
		solver->is_used[i] = true;
	double time_s = curves_solve(solver, parts);
	for (size_t left = problem->device_count; left > 1 && problem->slowdowns != NULL; left--) {
		uint64_t less[DEVICES], least[DEVICES];
		size_t out = problem->device_count;
		double least_s = time_s;
		for (size_t i = 0; i < problem->device_count; i++) {
			if (!solver->is_used[i])
				continue;
			solver->is_used[i] = false;
			double without_s = curves_solve(solver, less);
			solver->is_used[i] = true;
			if (without_s < least_s || (parts[i] == 0 && without_s <= least_s)) {
				least_s = without_s;
				out = i;
				memcpy(least, less, sizeof least);
			}
		}
		if (out == problem->device_count)
			break;
		solver->is_used[out] = false;
		time_s = least_s;
		memcpy(parts, least, sizeof least);
	}
	/* the factors are of the last try */
	time_s = curves_solve(solver, parts);
	(void)time_s;
}

/* ---- rounds -------------------------------------------------------------------------------- */

static void want(struct solver *solver, size_t device, uint64_t begin, uint64_t granules)
{
	for (size_t i = 0; i < solver->asked_count; i++) {
		const struct split_part *part = &solver->asked[i];
		if (part->device == device && part->begin == begin && part->granules == granules)
			return;
	}
	solver->asked[solver->asked_count++] = (struct split_part){device, begin, granules, 0};
}

static void want_point(struct solver *solver, size_t device, uint64_t granules)
{
	const struct curve *curve = &solver->curves[device];
	/* room for every point of a round */
	if (!curve_has(curve, granules) && curve->count + PARTS_A_ROUND <= POINTS_MAX)
		want(solver, device, 0, granules);
}

static predictd_status ask(struct solver *solver)
{
	const struct split_problem *problem = solver->problem;
	if (solver->asked_count == 0)
		return PREDICTD_OK;
	predictd_status status =
	        problem->times(problem->context, solver->asked, solver->asked_count);
	for (size_t i = 0; i < solver->asked_count && status == PREDICTD_OK; i++) {
		const struct split_part *part = &solver->asked[i];
		if (part->begin == 0)
			curve_add(&solver->curves[part->device], part->granules, part->time_s);
	}
	return status;
}

/* Points of every curve: even ones, and down to one granule by quarters, where floors show. */
static predictd_status curves_begin(struct solver *solver)
{
	uint64_t all = solver->problem->granules;
	solver->asked_count = 0;
	for (size_t i = 0; i < solver->problem->device_count; i++) {
		solver->curves[i].place = 1;
		for (uint64_t j = 1; j <= EVEN_POINTS; j++) {
			uint64_t granules =
			        all / EVEN_POINTS * j + all % EVEN_POINTS * j / EVEN_POINTS;
			if (granules > 0)
				want(solver, i, 0, granules);
		}
		for (uint64_t granules = all / EVEN_POINTS / 4; granules > 1; granules /= 4)
			want(solver, i, 0, granules);
		want(solver, i, 0, 1);
	}
	return ask(solver);
}

static double point_s(const struct curve *curve, uint64_t granules)
{
	return curve->time_s[curve_at(curve, granules)];
}

double split_slowdown(const struct split_problem *problem, const struct split_solution *solution,
                      size_t device)
{
	double factor = 1;
	for (size_t j = 0; j < problem->device_count && problem->slowdowns != NULL; j++)
		if (j != device && solution->parts[j].granules > 0)
			factor *= problem->slowdowns[device * problem->device_count + j];
	return factor;
}

/* Parts in order; their ends are not known yet. */
static void solution_place(const struct solver *solver, const uint64_t parts[DEVICES],
                           struct split_solution *solution)
{
	uint64_t begin = 0;
	for (size_t i = 0; i < solver->problem->device_count; i++) {
		size_t device = solver->order[i];
		solution->parts[device].begin = parts[device] > 0 ? begin : 0;
		solution->parts[device].granules = parts[device];
		begin += parts[device];
	}
	assert(begin == solver->problem->granules);
}

/* Points that would make the curves surer near the parts, and the parts themselves. */
static void round_want(struct solver *solver, const struct split_solution *tried, unsigned round)
{
	const struct split_problem *problem = solver->problem;
	solver->asked_count = 0;
	for (size_t i = 0; i < problem->device_count; i++) {
		const struct curve *curve = &solver->curves[i];
		uint64_t granules = tried->parts[i].granules;
		if (granules < problem->granules)
			want_point(solver, i, granules + 1);
		if (granules == 0)
			continue;
		want_point(solver, i, granules);
		if (tried->parts[i].begin > 0)
			want(solver, i, tried->parts[i].begin, granules);
		/* lines go wrong over steps: halve what the point is between */
		size_t at = curve_at(curve, granules);
		if (round == 0 || at == 0 || at == curve->count || curve->granules[at] == granules)
			continue;
		uint64_t below = curve->granules[at - 1], above = curve->granules[at];
		if (above - below > 2)
			want_point(solver, i, below + (above - below) / 2);
	}
}

/* What the parts take, of what was asked; also what their place does to them. */
static void round_take(struct solver *solver, struct split_solution *tried)
{
	const struct split_problem *problem = solver->problem;
	tried->time_s = 0;
	for (size_t i = 0; i < problem->device_count; i++) {
		struct curve *curve = &solver->curves[i];
		uint64_t begin = tried->parts[i].begin, granules = tried->parts[i].granules;
		tried->parts[i].time_s = 0;
		if (granules == 0)
			continue;
		double time_s = (double)NAN;
		if (curve_has(curve, granules))
			time_s = point_s(curve, granules);
		for (size_t j = 0; j < solver->asked_count && begin > 0; j++) {
			const struct split_part *part = &solver->asked[j];
			if (part->device != i || part->begin != begin || part->granules != granules)
				continue;
			if (time_s > 0)
				curve->place = part->time_s / time_s;
			time_s = part->time_s;
		}
		if (begin == 0)
			curve->place = 1;
		tried->parts[i].time_s = time_s * split_slowdown(problem, tried, i);
		tried->time_s = fmax(tried->time_s, tried->parts[i].time_s);
	}
}

/*
 * Whether no other parts can end sooner by more than CLOSE: some device would have a granule more
 * than it was tried with, and that alone takes as long.
 */
static bool is_best(const struct solver *solver, const struct split_solution *tried)
{
	for (size_t i = 0; i < solver->problem->device_count; i++) {
		const struct curve *curve = &solver->curves[i];
		uint64_t more = tried->parts[i].granules + 1;
		size_t at = curve_at(curve, more);
		if (!solver->is_used[i] || more > solver->problem->granules)
			continue;
		if (at == curve->count || curve->granules[at] != more ||
		    solver->factor[i] * curve->monotone_s[at] * (1 + CLOSE) < tried->time_s)
			return false;
	}
	return true;
}

/* The order of parts: by the time of the whole range, whatever order the caller has. */
static void order_make(struct solver *solver)
{
	size_t count = solver->problem->device_count;
	for (size_t i = 0; i < count; i++) {
		double alone_s = point_s(&solver->curves[i], solver->problem->granules);
		size_t at = i;
		for (; at > 0; at--) {
			size_t before = solver->order[at - 1];
			if (point_s(&solver->curves[before], solver->problem->granules) <= alone_s)
				break;
			solver->order[at] = before;
		}
		solver->order[at] = i;
	}
}

static predictd_status rounds(struct solver *solver, struct split_solution *best)
{
	const struct split_problem *problem = solver->problem;
	struct split_solution tried = *best;
	uint64_t parts[DEVICES], before[DEVICES] = {0};
	for (unsigned round = 0; round < ROUNDS_MAX && problem->device_count > 1; round++) {
		devices_choose(solver, parts);
		solution_place(solver, parts, &tried);
		round_want(solver, &tried, round);
		bool is_same = memcmp(parts, before, problem->device_count * sizeof parts[0]) == 0;
		if (round > 0 && is_same)
			break;
		memcpy(before, parts, sizeof before);
		predictd_status status = ask(solver);
		if (status != PREDICTD_OK)
			return status;
		double places[DEVICES];
		for (size_t i = 0; i < problem->device_count; i++)
			places[i] = solver->curves[i].place;
		round_take(solver, &tried);
		if (tried.time_s < best->time_s)
			*best = tried;
		bool has_moved = false;
		for (size_t i = 0; i < problem->device_count; i++) {
			double moved = solver->curves[i].place / places[i];
			has_moved |= !(moved < 1 + CLOSE && moved > 1 - CLOSE);
		}
		if (!has_moved && is_best(solver, &tried))
			break;
	}
	return PREDICTD_OK;
}

predictd_status split_solve(const struct split_problem *problem, struct split_solution *solution)
{
	assert(problem->device_count > 0 && problem->device_count <= DEVICES);
	assert(problem->granules > 0);
	struct solver *solver = malloc(sizeof *solver);
	if (solver == NULL)
		return error_keep(PREDICTD_NO_MEMORY, "no memory for a split");
	solver->problem = problem;
	for (size_t i = 0; i < problem->device_count; i++)
		solver->curves[i].count = 0;
	predictd_status status = curves_begin(solver);
	if (status != PREDICTD_OK)
		goto out;
	order_make(solver);
	*solution = (struct split_solution){.best = solver->order[0]};
	for (size_t i = 0; i < problem->device_count; i++) {
		solution->parts[i].granule_time_s = solver->curves[i].time_s[0];
		solution->parts[i].alone_s = point_s(&solver->curves[i], problem->granules);
	}
	solution->parts[solution->best].granules = problem->granules;
	solution->time_s = solution->parts[solution->best].time_s =
	        solution->parts[solution->best].alone_s;
	status = rounds(solver, solution);
out:
	free(solver);
	return status;
}
