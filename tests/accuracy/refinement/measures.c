/* SPDX-License-Identifier: Apache-2.0 */
/* The figures of refinement. */
#include "tests/accuracy/refinement/measures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/accuracy/refinement/starpu.h"

enum {
	TRUTH_RUNS = 5,
	ROUNDS_MAX = 8,
	SIZE_RUNS = 5,
	SEEN_KERNELS = 30,
	KERNEL_RUNS = 3,
	DRAWS = 100,
	ORDERS = 5,
	USERS = 100,
	HOSTILE = 49,
	USER_RUNS = 3
};

void errors_free(struct errors *errors)
{
	figures_free(&errors->corrected);
	figures_free(&errors->fixed);
	figures_free(&errors->floor);
	figures_free(&errors->alone);
	figures_free(&errors->starpu);
}

/* The median of five runs from `first` on against that of the five after them. */
static double floor_of(const double *times_s)
{
	return fabs(
	        log(median_of(times_s, TRUTH_RUNS) / median_of(times_s + TRUTH_RUNS, TRUTH_RUNS)));
}

/* The runs of one round: its first, and how many they are. */
static uint32_t round_of(const struct stream_launch *launch, uint32_t round, uint32_t *first)
{
	uint32_t count = 0;

	for (uint32_t i = launch->run_count; i-- > 0;)
		if (launch->round[i] == round) {
			*first = i;
			count++;
		}
	return count;
}

static void same_launch(const struct stream_launch *launch, const double *times_s, unsigned runs,
                        struct errors *errors)
{
	struct correction *correction = correction_fresh();
	struct starpu_history history = {0};
	double truth_s = median_of(times_s + runs, TRUTH_RUNS);

	for (unsigned i = 0; i < runs; i++) {
		teach(correction, launch, USER, times_s[i], 1000 + i);
		starpu_observe(&history, times_s[i]);
	}
	figures_add(&errors->corrected, fabs(log(ask(correction, launch, USER).time_s / truth_s)));
	figures_add(&errors->fixed, fabs(log(launch->static_time_s / truth_s)));
	figures_add(&errors->floor, floor_of(times_s));
	figures_add(&errors->alone, fabs(log(median_of(times_s, runs) / truth_s)));
	if (starpu_expected(&history) > 0)
		figures_add(&errors->starpu, fabs(log(starpu_expected(&history) / truth_s)));
	correction_free(correction);
}

void measure_same_launch(const struct streams *streams, unsigned runs, struct errors *errors)
{
	for (uint32_t i = 0; i < streams->count; i++) {
		const struct stream_launch *launch = &streams->launches[i];
		for (uint32_t round = 0, first = 0; round < ROUNDS_MAX; round++)
			if (round_of(launch, round, &first) >= 10 + TRUTH_RUNS)
				same_launch(launch, launch->times_s + first, runs, errors);
	}
}

/* Launches of a kernel, by work-items. */
static uint32_t launches_of(const struct streams *streams, uint64_t kernel, uint32_t *indices,
                            uint32_t room)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < streams->count && count < room; i++) {
		uint32_t at = count;
		if (streams->launches[i].kernel != kernel)
			continue;
		for (; at > 0 &&
		       streams->launches[indices[at - 1]].items > streams->launches[i].items;
		     at--)
			indices[at] = indices[at - 1];
		indices[at] = i;
		count++;
	}
	return count;
}

static void teach_kernel(struct correction *correction, const struct streams *streams,
                         uint64_t kernel, unsigned runs)
{
	for (uint32_t i = 0; i < streams->count; i++) {
		const struct stream_launch *launch = &streams->launches[i];
		for (unsigned j = 0; launch->kernel == kernel && j < runs && j < launch->run_count;
		     j++)
			teach(correction, launch, USER, launch->times_s[j], 1000 + j);
	}
}

/* Asks for the launch `to` of those by size, three seen next to it: up or down the sizes. */
static void unseen_size(const struct streams *streams, const uint32_t *indices, uint32_t to,
                        int step, struct errors *errors)
{
	const struct stream_launch *launch = &streams->launches[indices[to]];
	double sizes[3 * SIZE_RUNS], times_s[3 * SIZE_RUNS];
	struct correction *correction = correction_fresh();
	uint32_t count = 0;

	for (uint64_t kernel = 1; kernel <= streams->kernel_count; kernel++)
		if (kernel != launch->kernel)
			teach_kernel(correction, streams, kernel, KERNEL_RUNS);
	for (int away = 1; away <= 3; away++) {
		const struct stream_launch *seen =
		        &streams->launches[indices[(int)to - step * away]];
		for (unsigned j = 0; j < SIZE_RUNS; j++) {
			teach(correction, seen, USER, seen->times_s[j], 1000 + j);
			sizes[count] = seen->items;
			times_s[count++] = seen->times_s[j];
		}
	}
	double truth_s = median_of(launch->times_s, TRUTH_RUNS);
	double starpu_s = starpu_regression(sizes, times_s, count, launch->items);
	figures_add(&errors->corrected, fabs(log(ask(correction, launch, USER).time_s / truth_s)));
	figures_add(&errors->fixed, fabs(log(launch->static_time_s / truth_s)));
	figures_add(&errors->floor, floor_of(launch->times_s));
	if (starpu_s > 0)
		figures_add(&errors->starpu, fabs(log(starpu_s / truth_s)));
	correction_free(correction);
}

static bool are_apart(const struct streams *streams, const uint32_t *indices, uint32_t first)
{
	for (uint32_t i = first; i < first + 4; i++) {
		const struct stream_launch *launch = &streams->launches[indices[i]];
		if (launch->run_count < 2 * TRUTH_RUNS)
			return false;
		if (i > first &&
		    fabs(launch->items / streams->launches[indices[i - 1]].items - 4) > 0.1)
			return false;
	}
	return true;
}

void measure_unseen_size(const struct streams *streams, struct errors *errors)
{
	for (uint64_t kernel = 1; kernel <= streams->kernel_count; kernel++) {
		uint32_t indices[32], count = launches_of(streams, kernel, indices, 32);
		for (uint32_t i = 0; i + 4 <= count; i++) {
			if (!are_apart(streams, indices, i))
				continue;
			unseen_size(streams, indices, i + 3, 1, errors);
			unseen_size(streams, indices, i, -1, errors);
		}
	}
}

struct sums {
	double before, after, percent_before, percent_after, level, count;
};

/* Adds what is answered for one kernel's launches. */
static void sums_add(struct sums *sums, struct correction *correction,
                     const struct streams *streams, uint64_t kernel)
{
	struct figures residuals = {0};

	for (uint32_t i = 0; i < streams->count; i++) {
		const struct stream_launch *launch = &streams->launches[i];
		if (launch->kernel != kernel)
			continue;
		double truth_s = median_of(launch->times_s, launch->run_count);
		double ratio = ask(correction, launch, USER).time_s / truth_s;
		sums->before += fabs(log(launch->static_time_s / truth_s));
		sums->after += fabs(log(ratio));
		sums->percent_before += fabs(launch->static_time_s / truth_s - 1);
		sums->percent_after += fabs(ratio - 1);
		sums->count++;
		figures_add(&residuals, log(launch->static_time_s / truth_s));
	}
	double level = figures_quantile(&residuals, 0.5);
	for (uint32_t i = 0; i < residuals.count; i++)
		sums->level += fabs(residuals.values[i] - level);
	figures_free(&residuals);
}

/* Each kernel asked for once, all others seen. */
static void measure_left_out(const struct streams *streams, struct sums *sums)
{
	for (uint64_t left = 1; left <= streams->kernel_count; left++) {
		struct correction *correction = correction_fresh();
		for (uint64_t kernel = 1; kernel <= streams->kernel_count; kernel++)
			if (kernel != left)
				teach_kernel(correction, streams, kernel, KERNEL_RUNS);
		sums_add(sums, correction, streams, left);
		correction_free(correction);
	}
}

void measure_other_kernels(const struct streams *streams, struct others *others)
{
	struct random random = {30};
	struct sums some = {0}, all = {0};
	uint32_t *order = calloc(streams->kernel_count, sizeof(*order));

	for (unsigned draw = 0; draw < DRAWS; draw++) {
		struct correction *correction = correction_fresh();
		for (uint32_t i = 0; i < streams->kernel_count; i++)
			order[i] = i;
		random_shuffle(&random, order, streams->kernel_count);
		for (uint32_t i = 0; i < streams->kernel_count; i++)
			if (i < SEEN_KERNELS)
				teach_kernel(correction, streams, order[i] + 1, KERNEL_RUNS);
			else
				sums_add(&some, correction, streams, order[i] + 1);
		correction_free(correction);
	}
	free(order);
	measure_left_out(streams, &all);
	*others = (struct others){.static_error = some.before / some.count,
	                          .refined_error = some.after / some.count,
	                          .gain = 1 - some.after / some.before,
	                          .percent_gain = 1 - some.percent_after / some.percent_before,
	                          .all_gain = 1 - all.after / all.before,
	                          .level_gain = 1 - all.level / all.before};
}

void measure_outliers(const struct streams *streams, struct figures *moves)
{
	struct random random = {100};

	for (uint32_t i = 0; i < streams->count; i++) {
		const struct stream_launch *launch = &streams->launches[i];
		struct correction *plain = correction_fresh(), *disturbed = correction_fresh();
		for (unsigned j = 0; j < launch->run_count; j++) {
			double factor = random_uniform(&random) < 0.1 ? 100 : 1;
			teach(plain, launch, USER, launch->times_s[j], 1000 + j);
			teach(disturbed, launch, USER, factor * launch->times_s[j], 1000 + j);
		}
		if (launch->run_count >= 10)
			figures_add(moves, fabs(log(ask(disturbed, launch, USER).time_s /
			                            ask(plain, launch, USER).time_s)));
		correction_free(plain);
		correction_free(disturbed);
	}
}

/* One launch, told by 100 users; the hostile ones all in one direction. */
static bool hostile_launch(const struct stream_launch *launch, struct random *random, double factor)
{
	struct correction *correction = correction_fresh();
	double least = (double)INFINITY, most = 0;

	for (uint32_t user = 0; user < USERS; user++) {
		double times_s[USER_RUNS];
		for (unsigned j = 0; j < USER_RUNS; j++) {
			double draw = random_uniform(random) * launch->run_count;
			times_s[j] = launch->times_s[(uint32_t)draw];
			if (user < HOSTILE)
				times_s[j] *= factor;
			teach(correction, launch, USER + user, times_s[j], 1000 + j);
		}
		if (user >= HOSTILE) {
			least = fmin(least, median_of(times_s, USER_RUNS));
			most = fmax(most, median_of(times_s, USER_RUNS));
		}
	}
	correction_settle(correction);
	struct correction_answer answer = ask(correction, launch, USER + USERS);
	correction_free(correction);
	return answer.basis == BASIS_OBSERVED && answer.time_s >= least * (1 - 1e-6) &&
	       answer.time_s <= most * (1 + 1e-6);
}

double measure_hostile(const struct streams *streams)
{
	struct random random = {49};
	double within = 0, count = 0;

	for (uint32_t i = 0; i < streams->count; i += 8) {
		const struct stream_launch *launch = &streams->launches[i];
		within += hostile_launch(launch, &random, 100);
		within += hostile_launch(launch, &random, 0.01);
		count += 2;
	}
	return within / count;
}

static void cover(struct coverage *coverage, const struct correction_answer *answer, double time_s)
{
	coverage->count++;
	coverage->covered += time_s >= answer->low_s && time_s <= answer->high_s;
	figures_add(&coverage->widths, answer->high_s / answer->low_s);
}

/* One launch's runs of one round: asked before each, then told. */
static void cover_round(struct correction *correction, const struct stream_launch *launch,
                        uint32_t round, bool is_cold, uint32_t *now_s,
                        struct coverage coverage[COVERAGE_CLASSES])
{
	static const int counts[COVERAGE_CLASSES] = {0, -1, -1, 1, 3, 10, -1};
	uint32_t first = 0, count = round_of(launch, round, &first);

	for (uint32_t i = 0; i < count; i++) {
		double time_s = launch->times_s[first + i];
		struct correction_answer answer = ask(correction, launch, USER);
		for (unsigned k = 0; k < COVERAGE_CLASSES && round == 0; k++)
			if (counts[k] == (int)i)
				cover(&coverage[k], &answer, time_s);
		if (i == 0 && round == 0)
			cover(&coverage[is_cold ? COVERAGE_COLD : COVERAGE_KERNEL], &answer,
			      time_s);
		if (i == 0 && round > 0)
			cover(&coverage[COVERAGE_LATER], &answer, time_s);
		teach(correction, launch, USER, time_s, (*now_s)++);
	}
}

static void cover_all(const struct streams *streams, uint64_t seed,
                      struct coverage coverage[COVERAGE_CLASSES])
{
	struct correction *correction = correction_fresh();
	uint32_t *order = calloc(streams->kernel_count, sizeof(*order)), now_s = 1000;

	for (uint32_t round = 0; round < ROUNDS_MAX; round++) {
		struct random random = {seed};
		for (uint32_t i = 0; i < streams->kernel_count; i++)
			order[i] = i;
		random_shuffle(&random, order, streams->kernel_count);
		for (uint32_t i = 0; i < streams->kernel_count; i++) {
			uint32_t indices[32];
			uint32_t count = launches_of(streams, order[i] + 1, indices, 32);
			random_shuffle(&random, indices, count);
			for (uint32_t l = 0; l < count; l++)
				cover_round(correction, &streams->launches[indices[l]], round,
				            l == 0, &now_s, coverage);
		}
	}
	free(order);
	correction_free(correction);
}

/* The shortest width that holds 90 % of figures of which logarithms were taken. */
static double shortest(struct figures *figures)
{
	uint32_t held = (uint32_t)ceil(0.9 * figures->count);
	double width = (double)INFINITY;

	(void)figures_quantile(figures, 0); /* sorts */
	for (uint32_t i = 0; i + held <= figures->count; i++)
		width = fmin(width, figures->values[i + held - 1] - figures->values[i]);
	return exp(width);
}

static void measure_noise(const struct streams *streams, struct coverage coverage[COVERAGE_CLASSES])
{
	struct figures firsts[2] = {{0}};

	for (uint32_t i = 0; i < streams->count; i++) {
		const struct stream_launch *launch = &streams->launches[i];
		for (uint32_t round = 0, first = 0; round < ROUNDS_MAX; round++) {
			struct figures runs = {0};
			uint32_t count = round_of(launch, round, &first);
			if (count < 10)
				continue;
			for (uint32_t j = first + 1; j < first + count; j++)
				figures_add(&runs, log(launch->times_s[j]));
			figures_add(&firsts[round > 0],
			            log(launch->times_s[first]) - figures_quantile(&runs, 0.5));
			for (unsigned k = COVERAGE_1; k < COVERAGE_LATER && round == 0; k++)
				figures_add(&coverage[k].noise, shortest(&runs));
			figures_free(&runs);
		}
	}
	for (unsigned k = COVERAGE_0; k < COVERAGE_1; k++)
		figures_add(&coverage[k].noise, shortest(&firsts[0]));
	figures_add(&coverage[COVERAGE_LATER].noise, shortest(&firsts[1]));
	figures_free(&firsts[0]);
	figures_free(&firsts[1]);
}

void measure_coverage(const struct streams *streams, struct coverage coverage[COVERAGE_CLASSES])
{
	memset(coverage, 0, COVERAGE_CLASSES * sizeof(*coverage));
	for (uint64_t order = 0; order < ORDERS; order++)
		cover_all(streams, 90 + order, coverage);
	measure_noise(streams, coverage);
}
