/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels without source: no model says anything of them, so a user's own runs do. A launch that
 * ran is answered by its runs. Any other is by a line through the others in log space, time over
 * work: t = a work^b, a local linear regression (Cleveland, JASA 74, 1979) with a prior for b, and
 * Student's weights for launches that lie apart.
 */
#include <math.h>

#include "model/correction/state.h"

/* A single item is expected to take that long, and what is expected says nothing: kept in records
 * alone, whose noise and order go by it. */
static const double ITEM_S = 1e-9, ITEM_DEVIATION = 3;

/*
 * What exponents lie about: 1, and how far: 0 where launches bound, 1 of a stream, 1.5 of a product
 * of matrices by their elements; the root of their mean square distance from 1.
 */
static const double EXPONENT = 1, EXPONENT_DEVIATION = 0.65;

/* How far launches lie from a line, as ln, before any showed it, and in how many launches that is
 * worth: data that leaves a cache halves or doubles the time, about a line between both. */
static const double SCATTER = 0.35, SCATTER_LAUNCHES = 2;

/* Of launches about the line, Student's degrees of freedom; and rounds of reweighting. */
static const double FREEDOM = 4;
enum { ROUNDS = 8 };

/* No interval's half is wider, as ln. */
static const double HALF_MAX = 50;

struct correction_launch correction_describe_work(uint64_t key, enum correction_kind kind,
                                                  double work)
{
	struct correction_launch launch = {.key = key, .kind = (uint8_t)kind};

	launch.items_log = (float)log(fmax(1, work));
	launch.static_log = launch.items_log + (float)log(ITEM_S);
	launch.static_sd = (float)ITEM_DEVIATION;
	launch.share[BOTTLENECK_UNKNOWN] = 255;
	return launch;
}

/*
 * How far a power law lies from its tangent so far away, as ln: of t = t0 + c work, whose exponent
 * goes from 0 to 1, the exponent changes by a quarter an e-fold at most; and in all by no more than
 * exponents differ.
 */
static double bend(double distance)
{
	return fmin(distance * distance / 8, EXPONENT_DEVIATION * fabs(distance));
}

/* A launch that was observed. */
struct mark {
	double distance; /* of its ln of work from that asked about */
	double time_log, variance;
	double weight;
};

/* Of the line, where it is asked about. */
struct line {
	double time_log, exponent, variance;
};

/* With marks' weights; the prior is one more mark, of the exponent. */
static struct line line_through(const struct mark *marks, uint32_t count)
{
	double precision = 1 / (EXPONENT_DEVIATION * EXPONENT_DEVIATION);
	double sum = 0, first = 0, second = precision, time = 0, moment = precision * EXPONENT;

	for (uint32_t i = 0; i < count; i++) {
		const struct mark *mark = &marks[i];
		double weighted = mark->weight * mark->distance;

		sum += mark->weight;
		first += weighted;
		second += weighted * mark->distance;
		time += mark->weight * mark->time_log;
		moment += weighted * mark->time_log;
	}
	/* positive: second has the prior's part beyond what Cauchy and Schwarz say */
	double determinant = sum * second - first * first;

	return (struct line){
	        .time_log = (second * time - first * moment) / determinant,
	        .exponent = (sum * moment - first * time) / determinant,
	        .variance = second / determinant,
	};
}

/*
 * 95 % of Student's distribution of so many degrees of freedom, by its expansion about the normal
 * one (Abramowitz and Stegun, 26.7.5).
 */
static double student_quantile(double freedom)
{
	double z = NINETY_PERCENT, cube = z * z * z, fifth = cube * z * z;

	return z + (cube + z) / (4 * freedom) +
	       (5 * fifth + 16 * cube + 3 * z) / (96 * freedom * freedom);
}

static void answer_by_line(struct mark *marks, uint32_t count, double noise,
                           struct correction_answer *answer)
{
	double scatter = SCATTER * SCATTER, low = (double)INFINITY, high = (double)-INFINITY;
	struct line line = {0};

	for (uint32_t i = 0; i < count; i++) {
		low = fmin(low, marks[i].distance);
		high = fmax(high, marks[i].distance);
	}
	/* where the line is a tangent: there, or at the nearest end of what was observed */
	double anchor = fmin(fmax(0, low), high);
	for (unsigned round = 0; round < ROUNDS; round++) {
		double near = SCATTER_LAUNCHES, squares = SCATTER_LAUNCHES * SCATTER * SCATTER;

		for (uint32_t i = 0; i < count; i++) {
			struct mark *mark = &marks[i];
			double bent = bend(mark->distance - anchor);
			double variance = scatter + mark->variance + bent * bent;
			double residual = round == 0 ? 0
			                             : mark->time_log - line.time_log -
			                                       line.exponent * mark->distance;
			double student = (FREEDOM + 1) / (FREEDOM + residual * residual / variance);

			mark->weight = (round == 0 ? 1 : student) / variance;
			/* who lies far away tells of the bend, not of the scatter here */
			near += scatter / variance;
			squares += scatter / variance * fmin(1, student) * residual * residual;
		}
		line = line_through(marks, count);
		if (round > 0)
			scatter = squares / near;
	}
	double beyond = bend(anchor);
	double deviation = sqrt(line.variance + scatter + noise * noise + beyond * beyond);
	double half = fmin(HALF_MAX, student_quantile(SCATTER_LAUNCHES + count) * deviation);
	answer->time_s = exp(line.time_log);
	answer->low_s = exp(line.time_log - half);
	answer->high_s = exp(line.time_log + half);
	answer->basis = (uint8_t)BASIS_HISTORY;
}

/* The launch itself, by its runs: as for kernels with source. */
static void answer_by_runs(const struct location *location, const struct effects *effects,
                           bool is_later, struct correction_answer *answer)
{
	enum score_class class = score_class_of(location->count);
	double deviation = sqrt(location->variance + location->spread * location->spread);
	double low = -(double)effects->low[class] * deviation;
	double high = (double)effects->high[class] * deviation;

	if (is_later) {
		low = hypot(low, (double)effects->low[SCORE_VISIT]);
		high = hypot(high, (double)effects->high[SCORE_VISIT]);
	}
	answer->time_s = exp(location->time_log);
	answer->low_s = exp(location->time_log - low);
	answer->high_s = exp(location->time_log + high);
	answer->basis = (uint8_t)BASIS_OBSERVED;
}

bool correction_ask_history(struct correction *c, uint64_t device_key, uint64_t kernel,
                            uint32_t uid, const struct correction_launch *launch,
                            struct correction_answer *answer)
{
	uint32_t device = device_find(c, device_key, launch->kind), count = 0, same = NONE;
	uint32_t reporter = device == NONE ? NONE : reporter_find(c, device, uid);
	uint32_t group = device == NONE ? NONE : group_find(c, device, kernel);
	struct mark marks[CORRECTION_LAUNCHES];

	*answer = (struct correction_answer){.basis = (uint8_t)BASIS_HISTORY};
	if (reporter == NONE || group == NONE)
		return false;
	const struct effects *effects = effects_of(c, device, reporter);
	for (uint32_t i = c->groups[group].first_cell; i != NONE; i = c->cells[i].group_next) {
		const struct correction_record *record = &c->cells[i].record;

		if (c->cells[i].reporter != reporter)
			continue;
		const struct location *location = cell_location(c, i);
		answer->count += record->runs;
		if (record->launch.key == launch->key)
			same = i;
		if (count < CORRECTION_LAUNCHES)
			marks[count++] = (struct mark){
			        .distance = (double)record->launch.items_log -
			                    (double)launch->items_log,
			        .time_log = location->time_log,
			        .variance = location->variance,
			};
	}
	if (count == 0)
		return false;
	answer->is_drifting = drift_is_on(&c->reporters[reporter].drift);
	if (same != NONE) {
		const struct correction_record *record = &c->cells[same].record;
		uint32_t newest_s = record->samples[record->sample_count - 1].at_s;
		answer_by_runs(cell_location(c, same), effects,
		               reporter_latest_s(c, reporter) - newest_s > VISIT_S, answer);
	} else {
		answer_by_line(marks, count, effects_noise(effects, (double)launch->static_log),
		               answer);
	}
	return true;
}
