/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fit of one kernel on one device for one user: a Gaussian process over launches. Its
 * covariance is the hierarchy: an effect of the kernel, in part by resource, a trend over the
 * logarithm of its work-items, what neighbouring launches share, and what is a launch's own.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/correction/state.h"

/*
 * How rough a kernel is: the variance of what its launches do not have in common, as a share of
 * that of static residuals. Most kernels are off by one factor wherever the same resources bound
 * them, and some by another at each size; a fit takes the roughness under which its points are
 * likeliest.
 */
static const double ROUGHNESS[] = {0.0003, 0.003, 0.03, 0.3, 1};
static const double ROUGHNESS_PRIOR[] = {0, 0, -1, -3, -5};
enum { ROUGHNESS_COUNT = sizeof(ROUGHNESS) / sizeof(ROUGHNESS[0]) };

/* Of it: the trend's over a fourfold size, what neighbours share, what is a launch's own. */
static const double TREND_SHARE = 0.5, NEAR_SHARE = 1, OWN_SHARE = 0.1;

/* Of the amplitude: by resource, so that launches that others bound share only the rest. */
static const double RESOURCE_SHARE = 0.5;

/* Neighbours: launches whose sizes differ by this factor share 1/e of the near effect. */
static const double NEAR_FACTOR = 16;

/* The static estimate was of other coefficients: its residual says less of other launches. */
static const double OTHER_EPOCH_DEVIATION = 0.15;

/* How many runs are disturbed beyond measure, and how far, as ln. */
static const double DISTURBED_SHARE = 0.01, DISTURBED_RANGE = 6.9;

static const double NOISE_MIN = 1e-6;

/* Kernels lie about what is expected of them as Student's distribution of so many degrees: one
 * that is far off has a variance that allows it. */
static const double FREEDOM = 1;

struct place {
	double items, group;
	double rest; /* ln of static time by work-item: arguments that are no size of the NDRange */
	const uint8_t *share;
};

static struct place place_of(double static_log, double items_log, double group_log,
                             const uint8_t *share)
{
	return (struct place){items_log, group_log, static_log - items_log, share};
}

/* What two launches have in common: their covariance is common + roughness apart. */
struct tie {
	double common, apart;
};

/* How much of both launches' time the same resources take: 1, all of it. */
static double overlap(const uint8_t *a, const uint8_t *b)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < BOTTLENECK_COUNT; i++)
		sum += a[i] < b[i] ? a[i] : b[i];
	return sum / 255.0;
}

static struct tie tie_of(const struct view *view, const struct place *a, const struct place *b)
{
	double four = log(4) * log(4), other = 1 - overlap(a->share, b->share);
	double distance = fabs(a->items - b->items) + 0.5 * fabs(a->group - b->group) +
	                  0.5 * fabs(a->rest - b->rest);
	double trend = (a->items - (double)view->center) * (b->items - (double)view->center);

	return (struct tie){(double)view->amplitude * (1 - RESOURCE_SHARE * other),
	                    TREND_SHARE * trend / four +
	                            NEAR_SHARE * exp(-distance / log(NEAR_FACTOR))};
}

static struct place point_place(const struct point *point)
{
	return place_of((double)point->static_log, (double)point->items_log,
	                (double)point->group_log, point->share);
}

/* What is known of a kernel as a whole says nothing of how its launches differ. */
static struct tie point_tie(const struct view *view, const struct point *point,
                            const struct place *at)
{
	struct place place = point_place(point);
	struct tie tie = tie_of(view, at, &place);

	if (point->is_level)
		tie.apart = 0;
	return tie;
}

/* ---- collecting points ---------------------------------------------------------------------- */

static uint32_t newest_s(const struct cell *cell)
{
	return cell->record.samples[cell->record.sample_count - 1].at_s;
}

/* Where a launch by one user lies; its residual is what the device's effect leaves. Others are
 * told the median of his runs, so that users' medians bound what they agree on. */
static struct point point_of(struct correction *c, uint32_t index, const struct effects *effects,
                             bool is_for_others)
{
	const struct correction_launch *launch = &c->cells[index].record.launch;
	const struct location *location = cell_location(c, index);
	const struct correction_sample *first = &c->cells[index].record.samples[0];
	double base = (double)launch->static_log + effects_bias(effects, launch);
	double time_log = is_for_others || site_is(c, c->cells[index].reporter)
	                          ? location->median_log
	                          : location->time_log;

	struct point point = {
	        .key = launch->key,
	        .epoch = launch->epoch,
	        .static_log = launch->static_log,
	        .static_sd = launch->static_sd,
	        .items_log = launch->items_log,
	        .group_log = launch->group_log,
	        .base = (float)base,
	        .residual = (float)(time_log - base),
	        .first = first->time_log - (float)base,
	        .variance = (float)location->variance,
	        .spread = (float)location->spread,
	        .count = (float)location->count,
	        .at_s = newest_s(&c->cells[index]),
	};

	memcpy(point.share, launch->share, sizeof(point.share));
	return point;
}

static bool is_newer(const struct cell *a, const struct cell *b)
{
	if (newest_s(a) != newest_s(b))
		return newest_s(a) > newest_s(b);
	return a->record.launch.key > b->record.launch.key;
}

/* The reporter's own launches of the group, the newest. */
static void add_own(struct correction *c, struct view *view, const struct effects *effects)
{
	uint32_t chosen[POINTS_MAX], count = 0;

	for (uint32_t i = c->groups[view->group].first_cell; i != NONE;
	     i = c->cells[i].group_next) {
		const struct cell *cell = &c->cells[i];
		uint32_t at = count;

		if (cell->reporter != view->reporter)
			continue;
		view->runs += cell->record.runs;
		while (at > 0 && is_newer(cell, &c->cells[chosen[at - 1]]))
			at--;
		if (at == POINTS_MAX)
			continue;
		if (count < POINTS_MAX)
			count++;
		memmove(&chosen[at + 1], &chosen[at], (count - at - 1) * sizeof(*chosen));
		chosen[at] = i;
	}
	for (uint32_t i = 0; i < count; i++)
		view->points[view->point_count++] = point_of(c, chosen[i], effects, false);
}

/* One user's word about one launch. */
struct word {
	uint64_t key;
	float residual;
	uint32_t cell, reporter;
};

static int by_launch(const void *a, const void *b)
{
	const struct word *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (x->residual > y->residual) - (x->residual < y->residual);
}

static int by_reporter(const void *a, const void *b)
{
	const struct word *x = a, *y = b;

	if (x->reporter != y->reporter)
		return x->reporter < y->reporter ? -1 : 1;
	return (x->residual > y->residual) - (x->residual < y->residual);
}

static bool is_daemon(const struct correction *c, uint32_t reporter)
{
	return c->reporters[reporter].uid == CORRECTION_UID_DAEMON;
}

static bool has_point(const struct view *view, uint64_t key)
{
	for (uint32_t i = 0; i < view->point_count; i++)
		if (view->points[i].key == key)
			return true;
	return false;
}

/* The variance between users, robustly; words are sorted by residual. */
static double between_users(const struct word *words, uint32_t count, double median)
{
	float deviations[GROUP_CELLS];

	for (uint32_t i = 0; i < count; i++)
		deviations[i] = fabsf(words[i].residual - (float)median);
	floats_sort(deviations, count);
	double deviation = 1.4826 * (double)deviations[count / 2];
	return deviation * deviation;
}

/* One launch on whose time enough users agree: the one in the middle has others on both sides. */
static void add_agreed(struct correction *c, struct view *view, const struct effects *effects,
                       const struct word *words, uint32_t count)
{
	bool stands = count >= CORRECTION_AGREEMENT;
	uint32_t middle = (count - 1) / 2;

	for (uint32_t i = 0; i < count && !stands; i++)
		if (is_daemon(c, words[i].reporter)) {
			stands = true;
			middle = i;
		}
	if (!stands || view->point_count == POINTS_MAX || has_point(view, words[0].key))
		return;
	struct point *point = &view->points[view->point_count++];
	*point = point_of(c, words[middle].cell, effects, true);
	point->between = (float)between_users(words, count, (double)words[middle].residual);
	/* nothing between their median and the answer where a user has none of his own */
	point->variance = view->reporter == NONE ? 0 : point->between;
	point->is_shared = true;
}

/* The kernel as a whole, where enough users agree on it but not on a launch. */
static void add_level(struct correction *c, struct view *view, struct word *words, uint32_t count)
{
	struct word users[GROUP_CELLS];
	uint32_t user_count = 0;
	bool stands = false;

	qsort(words, count, sizeof(*words), by_reporter);
	for (uint32_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count && words[end].reporter == words[i].reporter;)
			end++;
		users[user_count] = words[i + (end - i - 1) / 2];
		users[user_count].key = 0;
		stands = stands || is_daemon(c, words[i].reporter);
		user_count++;
	}
	if (user_count < CORRECTION_AGREEMENT && !stands)
		return;
	qsort(users, user_count, sizeof(*users), by_launch);
	const struct word *middle = &users[(user_count - 1) / 2];
	const struct correction_launch *launch = &c->cells[middle->cell].record.launch;
	double between = between_users(users, user_count, (double)middle->residual);
	struct point *point = &view->points[view->point_count++];
	*point = (struct point){
	        .static_log = launch->static_log,
	        .static_sd = launch->static_sd,
	        .items_log = launch->items_log,
	        .group_log = launch->group_log,
	        .residual = middle->residual,
	        .variance = (float)between,
	        .spread = (float)cell_location(c, middle->cell)->spread,
	        .count = 2,
	        .is_level = true,
	        .is_shared = true,
	};
	memcpy(point->share, launch->share, sizeof(point->share));
}

/* What users agree on, of launches that the reporter himself said nothing of. */
static void add_shared(struct correction *c, struct view *view, const struct effects *effects)
{
	struct word words[GROUP_CELLS];
	uint32_t count = 0, before = view->point_count;
	uint64_t runs = 0;

	for (uint32_t i = c->groups[view->group].first_cell; i != NONE && count < GROUP_CELLS;
	     i = c->cells[i].group_next) {
		if (site_is(c, c->cells[i].reporter))
			continue;
		struct point point = point_of(c, i, effects, true);

		words[count++] = (struct word){.key = point.key,
		                               .residual = point.residual,
		                               .cell = i,
		                               .reporter = c->cells[i].reporter};
		runs += c->cells[i].record.runs;
	}
	qsort(words, count, sizeof(*words), by_launch);
	for (uint32_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count && words[end].key == words[i].key;)
			end++;
		add_agreed(c, view, effects, &words[i], end - i);
	}
	if (view->point_count == before && before < POINTS_MAX)
		add_level(c, view, words, count);
	if (view->point_count > before)
		view->runs = runs;
}

/* ---- conditioning --------------------------------------------------------------------------- */

/* Launches known best first, so that single runs are judged by them. */
static int by_count(const void *a, const void *b)
{
	const struct point *x = a, *y = b;

	if (x->count > y->count || x->count < y->count)
		return x->count > y->count ? -1 : 1;
	return (x->key > y->key) - (x->key < y->key);
}

/*
 * Of a single run: how surely it is no accident. What the other evidence leaves open has
 * the tails of Student's t with 3 degrees; an accident makes a run up to a thousand times longer.
 */
static double acceptance(double innovation, double variance)
{
	double z = innovation / sqrt(variance), tail = 1 + z * z / 3;
	double density = 0.3675 / (tail * tail) / sqrt(variance);
	double accident = innovation > 0 ? DISTURBED_SHARE / DISTURBED_RANGE : 0;

	return density / (density + accident);
}

static float *factor_row(struct view *view, uint32_t row)
{
	return view->factor + row * (row + 1) / 2;
}

/* Ties by rows, as the factor. Returns the logarithm of the points' likelihood. */
static double condition(struct view *view, const struct tie *ties)
{
	double z[POINTS_MAX], row[POINTS_MAX], weight[POINTS_MAX], likelihood = 0;

	for (uint32_t i = 0; i < view->point_count; i++) {
		struct point *point = &view->points[i];
		const struct tie *tie = ties + i * (i + 1) / 2;
		double left = tie[i].common + (double)view->rough * tie[i].apart;
		double innovation = (double)point->residual;

		if (!point->is_level)
			left += (double)view->rough * OWN_SHARE;
		for (uint32_t j = 0; j < i; j++) {
			const float *other = factor_row(view, j);
			double sum = tie[j].common + (double)view->rough * tie[j].apart;
			for (uint32_t k = 0; k < j; k++)
				sum -= row[k] * (double)other[k];
			row[j] = sum / (double)other[j];
			left -= row[j] * row[j];
			innovation -= row[j] * z[j];
		}
		double noise = fmax(NOISE_MIN, (double)point->variance);
		if (point->count < 1.5F && !point->is_shared) {
			double all = fmax(left, NOISE_MIN) + noise;
			double before = fmax(left / (double)view->allowance, NOISE_MIN) + noise;
			double accepted = fmax(1e-6, acceptance(innovation, before));
			noise += (1 - accepted) / accepted * all;
		}
		point->noise = (float)noise;
		row[i] = sqrt(fmax(left, NOISE_MIN) + noise);
		z[i] = innovation / row[i];
		likelihood -= log(row[i]) + z[i] * z[i] / 2;
		for (uint32_t j = 0; j <= i; j++)
			factor_row(view, i)[j] = (float)row[j];
	}
	for (uint32_t i = view->point_count; i-- > 0;) {
		double sum = z[i];
		for (uint32_t j = i + 1; j < view->point_count; j++)
			sum -= (double)factor_row(view, j)[i] * weight[j];
		weight[i] = sum / (double)factor_row(view, i)[i];
		view->points[i].weight = (float)weight[i];
	}
	return likelihood;
}

/* With the roughness that is expected given the points: of one point, before any. */
static void condition_expected(struct view *view)
{
	double likelihoods[ROUGHNESS_COUNT], most = (double)-INFINITY, sum = 0, total = 0;
	struct tie ties[POINTS_MAX * (POINTS_MAX + 1) / 2], *tie = ties;

	for (uint32_t i = 0; i < view->point_count; i++) {
		struct place at = point_place(&view->points[i]);
		for (uint32_t j = 0; j <= i; j++, tie++) {
			*tie = point_tie(view, &view->points[j], &at);
			if (view->points[i].is_level)
				tie->apart = 0;
		}
	}
	for (unsigned i = 0; i < ROUGHNESS_COUNT; i++) {
		view->rough = view->amplitude * (float)ROUGHNESS[i];
		likelihoods[i] = ROUGHNESS_PRIOR[i];
		if (view->point_count > 1)
			likelihoods[i] += condition(view, ties);
		most = fmax(most, likelihoods[i]);
	}
	for (unsigned i = 0; i < ROUGHNESS_COUNT; i++) {
		double share = exp(likelihoods[i] - most);
		sum += share;
		total += share * ROUGHNESS[i];
	}
	view->rough = view->amplitude * (float)(total / sum);
	(void)condition(view, ties);
}

/* How far the kernel lies from where it was expected, squared, in standard deviations: by the
 * launch in the middle, and a single run as far as it seems no accident. */
static double surprise(const struct view *view)
{
	float residuals[POINTS_MAX];

	for (uint32_t i = 0; i < view->point_count; i++) {
		const struct point *point = &view->points[i];
		double accepted = 1, variance = (double)view->amplitude + (double)point->variance;

		if (point->count < 1.5F && !point->is_shared)
			accepted = acceptance((double)point->residual, variance);
		residuals[i] = point->residual * (float)accepted;
	}
	if (view->point_count == 0)
		return 0;
	floats_sort(residuals, view->point_count);
	double low = (double)residuals[(view->point_count - 1) / 2];
	double high = (double)residuals[view->point_count / 2];
	double middle = fabs(low) < fabs(high) ? low : high;
	return middle * middle / fmax((double)view->amplitude, NOISE_MIN);
}

static void make(struct correction *c, struct view *view)
{
	const struct group *group = &c->groups[view->group];
	const struct device_state *device = &c->devices[group->device];
	const struct effects *effects = effects_of(c, group->device, view->reporter);
	double deviation = 0, center = 0;
	uint64_t epoch = 0;

	view->point_count = 0;
	view->runs = 0;
	if (view->reporter != NONE)
		add_own(c, view, effects);
	if (device_may_share(device) && !site_is(c, view->reporter))
		add_shared(c, view, effects);
	for (uint32_t i = 0; i < view->point_count; i++) {
		deviation += (double)view->points[i].static_sd / view->point_count;
		center += (double)view->points[i].items_log / view->point_count;
		if (view->points[i].epoch > epoch)
			epoch = view->points[i].epoch;
	}
	for (uint32_t i = 0; i < view->point_count; i++)
		if (view->points[i].epoch != epoch && !view->points[i].is_level)
			view->points[i].variance +=
			        (float)(OTHER_EPOCH_DEVIATION * OTHER_EPOCH_DEVIATION);
	view->amplitude = (float)((double)effects->scale * deviation * deviation);
	view->allowance = (float)fmax(1, (FREEDOM + surprise(view)) / (FREEDOM + 1));
	view->amplitude *= view->allowance;
	view->center = (float)center;
	qsort(view->points, view->point_count, sizeof(*view->points), by_count);
	condition_expected(view);
}

/* The answer at a point, ln of seconds: K weight is the residual less noise times weight. */
static double point_answer(const struct point *point)
{
	return (double)point->base + (double)point->residual -
	       (double)point->noise * (double)point->weight;
}

/* As far as a fit looks at a launch. */
static struct correction_launch point_launch(const struct point *point)
{
	struct correction_launch launch = {.key = point->key,
	                                   .static_log = point->static_log,
	                                   .items_log = point->items_log,
	                                   .group_log = point->group_log};

	memcpy(launch.share, point->share, sizeof(point->share));
	return launch;
}

/* What was answered there before. */
static float point_before(const struct point *point, const struct view *before)
{
	const struct correction_launch launch = point_launch(point);
	double mean = 0, variance;

	for (uint32_t i = 0; i < before->point_count; i++)
		if (before->points[i].key == point->key)
			return before->points[i].announced;
	if (before->point_count > 0 && !point->is_level)
		(void)view_at(before, &launch, &mean, &variance);
	return (float)((double)point->base + mean);
}

/* Whether answers moved since they were announced last; then these are. */
static void announce(struct view *view, const struct view *before)
{
	bool has_moved = false;

	for (uint32_t i = 0; i < view->point_count; i++) {
		struct point *point = &view->points[i];

		point->announced = point_before(point, before);
		has_moved = has_moved ||
		            fabs(point_answer(point) - (double)point->announced) > CORRECTION_MOVE;
	}
	view->has_moved = before->has_moved || has_moved;
	for (uint32_t i = 0; i < view->point_count && has_moved; i++)
		view->points[i].announced = (float)point_answer(&view->points[i]);
}

struct view *view_fresh(struct correction *c, uint32_t group, uint32_t reporter)
{
	struct view *view = view_get(c, group, reporter);
	uint32_t group_version = c->groups[group].version;
	uint32_t reporter_version = reporter == NONE ? 0 : c->reporters[reporter].version;
	uint32_t device_version = c->devices[c->groups[group].device].version;

	if (view->group_version == group_version && view->reporter_version == reporter_version &&
	    view->device_version == device_version)
		return view;
	struct view before = *view;
	make(c, view);
	view->group_version = group_version;
	view->reporter_version = reporter_version;
	view->device_version = device_version;
	announce(view, &before);
	return view;
}

/* ---- asking --------------------------------------------------------------------------------- */

const struct point *view_at(const struct view *view, const struct correction_launch *launch,
                            double *mean, double *variance)
{
	struct place at = place_of((double)launch->static_log, (double)launch->items_log,
	                           (double)launch->group_log, launch->share);
	const struct point *same = NULL;
	struct tie tie = tie_of(view, &at, &at);
	double row[POINTS_MAX];

	*mean = 0;
	*variance = tie.common + (double)view->rough * (tie.apart + OWN_SHARE);
	for (uint32_t i = 0; i < view->point_count; i++) {
		const struct point *point = &view->points[i];
		const float *factor = view->factor + i * (i + 1) / 2;
		struct place own = point_place(point);
		bool is_same = point->key == launch->key && !point->is_level;

		if (is_same)
			same = point;
		tie = point_tie(view, point, is_same ? &own : &at);
		double sum = tie.common + (double)view->rough * tie.apart;
		if (is_same)
			sum += (double)view->rough * OWN_SHARE;
		*mean += sum * (double)point->weight;
		for (uint32_t j = 0; j < i; j++)
			sum -= row[j] * (double)factor[j];
		row[i] = sum / (double)factor[i];
		*variance -= row[i] * row[i];
	}
	*variance = fmax(*variance, 0);
	/* users' agreement on a launch stands as it is: nothing draws it out of their range */
	if (same != NULL && same->is_shared)
		*mean = (double)same->residual;
	return same;
}

enum score_class score_class_unseen(const struct view *view)
{
	return view->point_count == 1 ? SCORE_KERNEL_ONE : SCORE_KERNEL;
}

void view_scores(const struct view *view, const struct effects *effects,
                 float *scores[SCORE_CLASSES], uint32_t counts[SCORE_CLASSES])
{
	struct view part = *view;

	for (uint32_t i = 1; i < view->point_count; i++) {
		const struct point *point = &view->points[i];
		const struct correction_launch launch = point_launch(point);
		double mean, variance;

		/* beyond a few launches it makes little difference which were known */
		if ((i > 3 && i + 1 < view->point_count) || point->is_level || point->is_shared ||
		    point->count < 1.5F)
			continue;
		part.point_count = i;
		enum score_class class = score_class_unseen(&part);
		if (counts[class] == SCORES_MAX)
			continue;
		condition_expected(&part);
		(void)view_at(&part, &launch, &mean, &variance);
		variance = fmax(variance, NOISE_MIN);
		double error = (double)point->first - mean;
		double noise = effects_noise(effects, (double)point->static_log);
		scores[class][counts[class]++] = (float)(error / sqrt(variance + noise * noise));
	}
}
