/* SPDX-License-Identifier: Apache-2.0 */
/* Splits of a range, by times that the test makes up: what holds of every one. */
#include "tests/test.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "client/library/split_solve.h"

enum { DEVICES = PREDICTD_SPLIT_DEVICES_MAX, PROBLEMS = 2000, SMALL = 40 };

#define CLOSE 2e-3 /* the solver's own, and rounding */

/* A device whose time grows with its part: a floor, lines that bend, waves. */
struct device {
	double floor_s, granule_s, bend; /* bend: from so many granules on each takes twice */
	uint64_t wave;                   /* as many granules run at once; 0: no waves */
	double slope;                    /* of work along the range: 1 + slope * place */
};

struct devices {
	size_t count;
	struct device each[DEVICES];
	uint64_t granules;
	size_t fails_at; /* the call that fails; 0: none */
	size_t calls, parts;
};

static double device_s(const struct devices *devices, size_t device, uint64_t begin,
                       uint64_t granules)
{
	const struct device *is = &devices->each[device];
	double all = (double)devices->granules, size = (double)granules;
	if (is->wave > 0)
		size = ceil(size / (double)is->wave) * (double)is->wave;
	double middle = ((double)begin + (double)granules / 2) / all;
	double more = is->bend > 0 && size > is->bend ? size - is->bend : 0;
	return is->floor_s + is->granule_s * (size + more) * (1 + is->slope * middle);
}

static predictd_status times(void *context, struct split_part *parts, size_t count)
{
	struct devices *devices = context;
	devices->calls++;
	devices->parts += count;
	for (size_t i = 0; i < count; i++) {
		assert_true(parts[i].device < devices->count);
		assert_true(parts[i].granules > 0);
		assert_true(parts[i].begin <= devices->granules - parts[i].granules);
		parts[i].time_s =
		        device_s(devices, parts[i].device, parts[i].begin, parts[i].granules);
	}
	return devices->calls == devices->fails_at ? PREDICTD_UNCALIBRATED : PREDICTD_OK;
}

static struct split_solution solve(struct devices *devices, const double *slowdowns)
{
	struct split_solution solution;
	const struct split_problem problem = {.device_count = devices->count,
	                                      .granules = devices->granules,
	                                      .slowdowns = slowdowns,
	                                      .times = times,
	                                      .context = devices};
	devices->calls = devices->parts = 0;
	assert_int_equal(split_solve(&problem, &solution), PREDICTD_OK);
	return solution;
}

/* Parts lie side by side, are the range, take what is said, and no more than the best alone. */
static void assert_whole(const struct devices *devices, const struct split_solution *got)
{
	uint64_t sum = 0;
	double last_s = 0;
	for (size_t i = 0; i < devices->count; i++) {
		uint64_t begin = got->parts[i].begin, granules = got->parts[i].granules;
		sum += granules;
		if (granules == 0)
			continue;
		bool has_before = begin == 0;
		for (size_t j = 0; j < devices->count; j++)
			has_before |= got->parts[j].granules > 0 &&
			              got->parts[j].begin + got->parts[j].granules == begin;
		assert_true(has_before);
		assert_close(got->parts[i].time_s, device_s(devices, i, begin, granules), 1e-12);
		last_s = fmax(last_s, got->parts[i].time_s);
	}
	assert_true(sum == devices->granules);
	assert_close(got->time_s, last_s, 1e-12);
	assert_true(got->time_s <= got->parts[got->best].alone_s);
}

static uint64_t seed = 20090101;

static double uniform(void)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (double)(seed >> 11) / 9007199254740992.0;
}

/* Even in the logarithm. */
static double between(double low, double high)
{
	return low * pow(high / low, uniform());
}

static struct devices any_devices(size_t count, double granules_most)
{
	struct devices devices = {.count = count, .granules = (uint64_t)between(1, granules_most)};
	double all = (double)devices.granules;
	for (size_t i = 0; i < count; i++) {
		devices.each[i] = (struct device){.floor_s = between(1e-6, 1e-2),
		                                  .granule_s = between(1e-3, 1) / all};
		if (uniform() < 0.3)
			devices.each[i].bend = all * uniform();
		if (uniform() < 0.3)
			devices.each[i].wave = 1 + (uint64_t)(all * uniform() / 8);
	}
	return devices;
}

static void parts_are_the_whole_range(void **state)
{
	(void)state;
	size_t calls = 0, parts = 0, split = 0;
	for (unsigned i = 0; i < PROBLEMS; i++) {
		struct devices devices = any_devices(1 + i % DEVICES, i % 7 == 0 ? 9.2e18 : 1e6);
		struct split_solution got = solve(&devices, NULL);
		assert_whole(&devices, &got);
		calls += devices.calls;
		parts += devices.parts;
		split += got.parts[got.best].granules < devices.granules;
	}
	print_message("# %u problems, %zu split: %.1f exchanges and %.1f parts each\n", PROBLEMS,
	              split, (double)calls / (double)PROBLEMS, (double)parts / (double)PROBLEMS);
	assert_true(split > PROBLEMS / 2);
}

static void two_to_the_63_granules_are_split(void **state)
{
	(void)state;
	struct devices devices = {.count = 2, .granules = (uint64_t)1 << 63};
	devices.each[0] = (struct device){.floor_s = 1e-5, .granule_s = 1e-9};
	devices.each[1] = (struct device){.floor_s = 1e-5, .granule_s = 3e-9};
	struct split_solution got = solve(&devices, NULL);
	assert_whole(&devices, &got);
	assert_close((double)got.parts[0].granules, 0.75 * 0x1p63, 1e-3);
}

/* The least end of devices from number `from` on, by every split. */
static double least_s(const struct devices *devices, size_t from, uint64_t granules)
{
	double least = granules > 0 ? device_s(devices, from, 0, granules) : 0;
	for (uint64_t own = 0; own <= granules && from + 1 < devices->count; own++) {
		double own_s = own > 0 ? device_s(devices, from, 0, own) : 0;
		least = fmin(least, fmax(own_s, least_s(devices, from + 1, granules - own)));
	}
	return least;
}

static void no_split_ends_sooner(void **state)
{
	(void)state;
	for (unsigned i = 0; i < PROBLEMS / 4; i++) {
		struct devices devices = any_devices(2 + i % 2, SMALL);
		struct split_solution got = solve(&devices, NULL);
		assert_whole(&devices, &got);
		assert_true(got.time_s <= (1 + CLOSE) * least_s(&devices, 0, devices.granules));
	}
}

/* Of thousands of granules, on two devices. */
static void waves_are_seen_between_points(void **state)
{
	(void)state;
	for (unsigned i = 0; i < PROBLEMS / 10; i++) {
		struct devices devices = any_devices(2, 20000);
		devices.each[0].wave = 1 + devices.granules / (2 + i % 40);
		struct split_solution got = solve(&devices, NULL);
		assert_whole(&devices, &got);
		assert_true(got.time_s <= (1 + CLOSE) * least_s(&devices, 0, devices.granules));
	}
}

static void more_devices_never_lengthen(void **state)
{
	(void)state;
	for (unsigned i = 0; i < PROBLEMS / 10; i++) {
		struct devices devices = any_devices(DEVICES, 1e7);
		double before_s = (double)INFINITY;
		for (devices.count = 1; devices.count <= DEVICES; devices.count++) {
			double time_s = solve(&devices, NULL).time_s;
			assert_true(time_s <= (1 + CLOSE) * before_s);
			before_s = fmin(time_s, before_s);
		}
	}
}

static void the_order_of_devices_does_not_matter(void **state)
{
	(void)state;
	for (unsigned i = 0; i < PROBLEMS / 4; i++) {
		struct devices devices = any_devices(2 + i % 5, 1e6), turned = devices;
		size_t shift = 1 + i % (devices.count - 1);
		for (size_t j = 0; j < devices.count; j++)
			turned.each[(j + shift) % devices.count] = devices.each[j];
		struct split_solution got = solve(&devices, NULL), other = solve(&turned, NULL);
		assert_close(other.time_s, got.time_s, CLOSE);
		for (size_t j = 0; j < devices.count && i % 2 == 0; j++)
			assert_true(other.parts[(j + shift) % devices.count].begin ==
			            got.parts[j].begin);
	}
}

static void equal_devices_share_evenly(void **state)
{
	(void)state;
	for (size_t count = 1; count <= DEVICES; count++) {
		struct devices devices = {.count = count, .granules = 100003};
		for (size_t i = 0; i < count; i++)
			devices.each[i] = (struct device){.floor_s = 1e-5, .granule_s = 1e-6};
		struct split_solution got = solve(&devices, NULL);
		assert_whole(&devices, &got);
		for (size_t i = 0; i < count; i++) {
			assert_true(got.parts[i].granules >= 100003 / count);
			assert_true(got.parts[i].granules <= 100003 / count + 1);
		}
	}
}

static void one_granule_goes_to_the_fastest(void **state)
{
	(void)state;
	struct devices devices = {.count = 3, .granules = 1};
	for (size_t i = 0; i < 3; i++)
		devices.each[i] = (struct device){.granule_s = 3.0 - (double)i};
	struct split_solution got = solve(&devices, NULL);
	assert_true(got.parts[2].granules == 1 && got.best == 2);
	assert_whole(&devices, &got);
}

static void a_floor_above_the_others_end_leaves_a_device_out(void **state)
{
	(void)state;
	struct devices devices = {.count = 2, .granules = 4096};
	devices.each[0] = (struct device){.floor_s = 1e-5, .granule_s = 1e-8};
	devices.each[1] = (struct device){.floor_s = 1e-3, .granule_s = 1e-12};
	struct split_solution got = solve(&devices, NULL);
	assert_true(got.parts[0].granules == 4096 && got.parts[1].granules == 0);
	assert_close(got.parts[1].granule_time_s, 1e-3, 1e-6);
	devices.granules = 4096 * 100; /* and no longer where there is more to do */
	got = solve(&devices, NULL);
	assert_whole(&devices, &got);
	assert_close((double)got.parts[0].granules, (1e-3 - 1e-5) / 1e-8, 0.01);
}

/* A triangle's work: what a part takes is the more, the later in the range it lies. */
static void parts_are_taken_where_they_lie(void **state)
{
	(void)state;
	struct devices devices = {.count = 2, .granules = 100000};
	for (size_t i = 0; i < 2; i++)
		devices.each[i] = (struct device){.granule_s = 1e-6, .slope = 1e6};
	struct split_solution got = solve(&devices, NULL);
	assert_whole(&devices, &got);
	size_t first = got.parts[0].begin == 0 ? 0 : 1;
	assert_close((double)got.parts[first].granules, 100000 * sqrt(0.5), 0.01);
	assert_close(got.parts[0].time_s, got.parts[1].time_s, 0.01);
}

static void devices_that_hold_each_other_up_work_alone(void **state)
{
	(void)state;
	struct devices devices = {.count = 3, .granules = 1000};
	for (size_t i = 0; i < 3; i++)
		devices.each[i] = (struct device){.granule_s = 1e-6};
	double slowdowns[9] = {1, 3, 1, 3, 1, 1, 1, 1, 1};
	struct split_solution got = solve(&devices, slowdowns);
	/* either of the first two beside the third */
	assert_true((got.parts[0].granules == 0) != (got.parts[1].granules == 0));
	assert_true(got.parts[2].granules == 500);
	slowdowns[1] = slowdowns[3] = 1.2;
	got = solve(&devices, slowdowns);
	for (size_t i = 0; i < 2; i++) {
		assert_close((double)got.parts[i].granules, 1000 / 3.2, 0.01);
		assert_close(got.parts[i].time_s, 1.2e-6 * (double)got.parts[i].granules, 1e-9);
	}
}

static void what_times_fail_with_is_passed_up(void **state)
{
	(void)state;
	struct devices devices = any_devices(3, 1e6);
	devices.granules = 1000000;
	(void)solve(&devices, NULL);
	size_t calls = devices.calls;
	for (size_t i = 1; i <= calls; i++) {
		struct split_solution got;
		const struct split_problem problem = {.device_count = 3,
		                                      .granules = devices.granules,
		                                      .times = times,
		                                      .context = &devices};
		devices.calls = 0;
		devices.fails_at = i;
		assert_int_equal(split_solve(&problem, &got), PREDICTD_UNCALIBRATED);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(parts_are_the_whole_range),
	        cmocka_unit_test(two_to_the_63_granules_are_split),
	        cmocka_unit_test(no_split_ends_sooner),
	        cmocka_unit_test(waves_are_seen_between_points),
	        cmocka_unit_test(more_devices_never_lengthen),
	        cmocka_unit_test(the_order_of_devices_does_not_matter),
	        cmocka_unit_test(equal_devices_share_evenly),
	        cmocka_unit_test(one_granule_goes_to_the_fastest),
	        cmocka_unit_test(a_floor_above_the_others_end_leaves_a_device_out),
	        cmocka_unit_test(parts_are_taken_where_they_lie),
	        cmocka_unit_test(devices_that_hold_each_other_up_work_alone),
	        cmocka_unit_test(what_times_fail_with_is_passed_up),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
