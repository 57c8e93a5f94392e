/* SPDX-License-Identifier: Apache-2.0 */
/* Atomics whose places were sampled: how often they meet, and what that takes. */
#include "tests/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/evaluate/meet.h"
#include "tests/unit/frontend/analysis.h"
#include "tests/unit/predict/answers.h"
#include "tests/unit/predict/kernels.h"
#include "tests/unit/predict/sampled.h"

#define ITEMS 1048576
#define BINS  65536

/* A GPU whose lanes at one address take 1 ns each; 32 neighbours take an eighth. */
static struct device *device_with_atomics(void)
{
	struct device *device = device_gpu();

	device_set(device, COEFFICIENT_ATOMIC_GLOBAL_SAME, 1e-9);
	device_set(device, COEFFICIENT_ATOMIC_GLOBAL_KNOWN, 1e-9);
	device_set(device, COEFFICIENT_ATOMIC_GLOBAL_32, 1e-9 / 8);
	device_set(device, COEFFICIENT_ATOMIC_GLOBAL_256, 1e-9 / 8 / 2);
	device_set(device, COEFFICIENT_ATOMIC_GLOBAL_4096, 1e-9 / 8 / 8);
	device_set(device, COEFFICIENT_ATOMIC_GLOBAL_SPREAD, 1e-9 / 8 / 25);
	device_set(device, COEFFICIENT_ATOMIC_LOCAL_SAME, 32e-13);
	device_set(device, COEFFICIENT_ATOMIC_LOCAL_SPREAD, 1e-13);
	return device;
}

/* Eight cores, and one address that all add to 10 ns each; a line of many takes a tenth. */
static struct device *cores_with_atomics(void)
{
	struct device *device = device_cpu();

	device_set(device, COEFFICIENT_ATOMIC_GLOBAL_SAME, 1e-8);
	device_set(device, COEFFICIENT_ATOMIC_GLOBAL_SPREAD, 1e-10);
	device_set(device, COEFFICIENT_ATOMIC_GLOBAL_RANDOM_64, 4e-9);
	device_set(device, COEFFICIENT_ATOMIC_GLOBAL_RANDOM_4K, 1e-9);
	return device;
}

/* ---- what is counted ----------------------------------------------------------------------- */

/* Shares of hits at random: `hot` of them to one place, the others to any of so many lines. */
static struct evaluation_access shares(const struct device *device, double hot, uint64_t lines,
                                       bool is_together)
{
	struct meetings meetings;
	struct evaluation_access access = {0};
	uint64_t sequence = 5;

	assert_true(meetings_init(&meetings, device, 4));
	for (unsigned warp = 0; warp < 16; warp++) {
		int64_t address[32];
		uint64_t line = any_below(&sequence, lines);

		for (unsigned i = 0; i < 32; i++) {
			/* sorted: the hot place is the first */
			bool is_hot = i < 32 * hot;

			if (!is_together)
				line = any_below(&sequence, lines);
			address[i] = is_hot ? 0 : (int64_t)(128 * (line + 1));
		}
		for (unsigned i = 1; i < 32; i++)
			for (unsigned j = i; j > 0 && address[j - 1] > address[j]; j--) {
				int64_t other = address[j];

				address[j] = address[j - 1];
				address[j - 1] = other;
			}
		meet_add(&meetings, address, 32);
	}
	meet_finish(&meetings, &access);
	meetings_deinit(&meetings);
	return access;
}

static void shares_are_those_of_the_lines(void **state)
{
	struct device *device = device_cpu();
	struct evaluation_access even = shares(device, 0, 64, false);
	struct evaluation_access hot = shares(device, 0.5, 4096, false);
	struct evaluation_access few = shares(device, 0, 1, false);
	struct evaluation_access apart = shares(device, 0, 1 << 20, true);

	(void)state;
	assert_close(even.meet_share, 1 / 64.0, 0.15);
	assert_close(even.hot_share[0], 1 / 64.0, 0.25);
	assert_close(even.same_share, even.meet_share, 1e-9);
	/* of two adds both have to go there */
	assert_close(hot.meet_share, 0.25, 0.02);
	assert_close(hot.hot_share[0], 0.5, 0.02);
	assert_close(few.meet_share, 1, 1e-9);
	assert_close(few.hot_share[0], 1, 1e-9);
	/* lanes of a warp that go to one line meet nobody */
	assert_true(apart.meet_share == 0 && apart.hot_share[0] == 0);
	free(device);
}

/* Of one place half of a warp's lanes take a turn each, of the others all together. */
static void shares_of_a_gpu_are_turns(void **state)
{
	struct device *device = device_with_atomics();
	struct meetings meetings;
	struct evaluation_access access = {0};
	int64_t address[32];

	(void)state;
	for (unsigned i = 0; i < 32; i++) /* four units of eight words: a turn each */
		address[i] = i < 16 ? 0 : 4096 + 4 * (int64_t)(2 * (i - 16));
	assert_true(meetings_init(&meetings, device, 0));
	meet_add(&meetings, address, 32);
	meet_finish(&meetings, &access);
	/* one warp says nothing of others */
	assert_true(access.meet_share == 0);
	for (unsigned warp = 1; warp < 16; warp++)
		meet_add(&meetings, address, 32);
	meet_finish(&meetings, &access);
	assert_close(access.meet_share, 0.8 * 0.8 + 0.2 * 0.2, 1e-9);
	assert_close(access.hot_share[0], (0.512 + 0.008) / 0.68, 1e-9);
	/* 16 KiB have both */
	assert_close(access.hot_share[2], 1, 1e-9);
	assert_true(access.same_share == 0);
	meetings_deinit(&meetings);
	free(device);
}

/* More lines than there is room for: what was counted before stands. */
static void what_has_no_room_is_left_out(void **state)
{
	struct device *device = device_cpu();
	struct evaluation_access access = {0};
	struct meetings meetings;
	int64_t address[32];

	(void)state;
	assert_true(meetings_init(&meetings, device, 0));
	for (unsigned warp = 0; warp < 1000; warp++) {
		for (unsigned i = 0; i < 32; i++)
			address[i] = i < 16 ? 0 : 4096 * (int64_t)(warp * 32 + i);
		meet_add(&meetings, address, 32);
	}
	meet_finish(&meetings, &access);
	assert_close(access.hot_share[0], 0.5, 1e-9);
	meetings_deinit(&meetings);
	free(device);
}

/* ---- what it takes ------------------------------------------------------------------------- */

#define COUNTS                                                                                     \
	"kernel void f(global const int *key, global uint *bins) {"                                \
	" atomic_inc(&bins[key[get_global_id(0)]]); }"

#define COUNTS_WHAT_IS_RECKONED                                                                    \
	"kernel void f(global const float *x, global uint *bins) {"                                \
	" float v = x[get_global_id(0)]; atomic_inc(&bins[(int)(v * 0.25f)]); }"

#define COUNTS_IN_LOCAL                                                                            \
	"kernel void f(global const int *key, global uint *bins) { local uint own[256];"           \
	" atomic_inc(&own[key[get_global_id(0)]]); barrier(CLK_LOCAL_MEM_FENCE);"                  \
	" bins[get_global_id(0) & 255] = own[get_local_id(0)]; }"

#define SUMS_BY_EXCHANGE                                                                           \
	"kernel void f(global const int *key, global uint *sums) {"                                \
	" global uint *to = &sums[key[get_global_id(0)]]; uint old, sum;"                          \
	" do { old = *to; sum = as_uint(as_float(old) + 1.0f); }"                                  \
	" while (atomic_cmpxchg(to, old, sum) != old); }"

#define FILLS_A_TABLE                                                                              \
	"kernel void f(global const int *key, global uint *table) {"                               \
	" uint mine = key[get_global_id(0)], at = mine;"                                           \
	" for (;;) { uint had = atomic_cmpxchg(&table[at], 0u, mine);"                             \
	" if (had == 0 || had == mine) break; at = (at + 1) & 65535; } }"

/* Such a share of keys is `place`, the others are any below `bins`. */
static int32_t *keys_new(double hot, uint64_t place, uint64_t bins)
{
	int32_t *keys = calloc(ITEMS, sizeof(*keys));
	uint64_t sequence = 3;

	assert_non_null(keys);
	for (unsigned i = 0; i < ITEMS; i++) {
		uint64_t any = any_below(&sequence, bins);

		keys[i] = (int32_t)((double)any_below(&sequence, 1 << 16) < hot * 65536 ? place
		                                                                        : any);
	}
	return keys;
}

/* The time of the atomic alone, of ITEMS keys below `bins`; has_sample: of them. */
static double time_of_keys(const char *source, const struct device *device, const int32_t *keys,
                           uint64_t bins, bool has_sample)
{
	struct ir_kernel *kernel = analyse(source, "");
	struct launch launch = launch_1d(ITEMS, 256);
	float *reals = calloc(ITEMS, sizeof(*reals));
	bool is_real = strcmp(source, COUNTS_WHAT_IS_RECKONED) == 0;
	double time_s;
	struct prediction p;

	assert_non_null(reals);
	for (unsigned i = 0; i < ITEMS; i++)
		reals[i] = 4 * (float)keys[i];
	if (is_real)
		launch_data(&launch, reals, ITEMS * sizeof(*reals), SCALAR_FLOAT, has_sample);
	else
		launch_data(&launch, keys, ITEMS * sizeof(*keys), SCALAR_INT, has_sample);
	launch_buffer(&launch, 4 * bins);
	p = answer(kernel, device, &launch);
	time_s = rows_time(&p, strcmp(source, COUNTS_IN_LOCAL) == 0 ? "local atomic on "
	                                                            : "global atomic on ");
	launch_end(&launch);
	kernel_free(kernel);
	free(reals);
	return time_s;
}

/* The same of keys by such shares. */
static double time_of(const char *source, const struct device *device, double hot, uint64_t bins,
                      bool has_sample)
{
	int32_t *keys = keys_new(hot, 7 * bins / 8, bins);
	double time_s = time_of_keys(source, device, keys, bins, has_sample);

	free(keys);
	return time_s;
}

static void a_hot_line_takes_its_turns_on_a_gpu(void **state)
{
	static const char *const sources[] = {COUNTS, COUNTS_WHAT_IS_RECKONED};
	struct device *device = device_with_atomics();

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		const char *source = sources[i];
		double even = time_of(source, device, 0, BINS, true);

		/* nothing is hot: as without a sample */
		assert_close(even, time_of(source, device, 0, BINS, false), 0.05);
		assert_close(time_of(source, device, 1, BINS, true), ITEMS * 1e-9, 0.02);
		/* others are served meanwhile, elsewhere */
		assert_close(time_of(source, device, 0.5, BINS, true), ITEMS * 0.5e-9, 0.15);
		assert_close(time_of(source, device, 0.25, BINS, true), ITEMS * 0.25e-9, 0.2);
	}
	free(device);
}

/* A core takes the line from another one each time; a few that are hot are as bad as few lines. */
static void a_hot_line_goes_from_core_to_core(void **state)
{
	struct device *device = cores_with_atomics();
	double even = time_of(COUNTS, device, 0, BINS, true);

	(void)state;
	/* 4096 lines: of 256 adds that are looked at eight pairs have met, more or less */
	assert_close(even, time_of(COUNTS, device, 0, BINS, false), 0.25);
	assert_close(even, ITEMS * 1e-9, 0.25);
	assert_close(time_of(COUNTS, device, 1, BINS, true), ITEMS * 1e-8, 0.02);
	/* two meet at every fourth: as of four lines that are hit evenly */
	assert_close(time_of(COUNTS, device, 0.5, BINS, true),
	             ITEMS * 1e-8 * pow(0.4, log(4) / log(64)), 0.1);
	/* places apart within one line are one line */
	assert_close(time_of(COUNTS, device, 0, 16, true), ITEMS * 1e-8, 0.02);
	free(device);
}

/* Work-items whose neighbours go to the same line find it in their core's own cache. */
static void neighbours_share_their_line_on_a_core(void **state)
{
	struct device *device = cores_with_atomics();
	struct ir_kernel *kernel = analyse(COUNTS, "");
	int32_t *keys = calloc(ITEMS, sizeof(*keys));
	double time_s[3];

	(void)state;
	assert_non_null(keys);
	/* 64 neighbours begin anywhere: places one by one, each four times, and a line each */
	for (unsigned i = 0; i < 3; i++) {
		struct launch launch = launch_1d(ITEMS, 256);
		struct prediction p;
		uint64_t sequence = 3, place = 0;

		for (unsigned k = 0; k < ITEMS; k++) {
			if (k % 64 == 0 || i == 2)
				place = 16 * any_below(&sequence, ITEMS);
			keys[k] = (int32_t)(place + (i == 0 ? k % 64 : i == 1 ? k % 64 / 4 : 0));
		}
		launch_data(&launch, keys, ITEMS * sizeof(*keys), SCALAR_INT, true);
		launch_buffer(&launch, 64 * ITEMS);
		p = answer(kernel, device, &launch);
		time_s[i] = rows_time(&p, "global atomic on ");
		launch_end(&launch);
	}
	assert_close(time_s[2], ITEMS * 1e-9, 0.05);
	/* eight work-items that are looked at share one line, or so: it is their core's own */
	assert_in_range((uint64_t)(time_s[0] / ITEMS * 1e12), 95, 250);
	/* who goes to one place does not wait for others there */
	assert_in_range((uint64_t)(time_s[1] / ITEMS * 1e12), 95, 250);
	free(keys);
	kernel_free(kernel);
	free(device);
}

/* Work-items beside each other that go to one place are one core's: it keeps the line meanwhile. */
static void neighbours_at_one_place_are_one_core_s(void **state)
{
	struct device *device = cores_with_atomics();
	int32_t *keys = calloc(ITEMS, sizeof(*keys));
	double in_order;

	(void)state;
	assert_non_null(keys);
	for (unsigned i = 0; i < ITEMS; i++)
		keys[i] = (int32_t)(i / (ITEMS / BINS));
	in_order = time_of_keys(COUNTS, device, keys, BINS, true);
	assert_true(in_order < 1.3 * time_of(COUNTS, device, 0, BINS, true));
	free(keys);
	free(device);
}

static void local_lanes_wait_at_few_places(void **state)
{
	struct device *device = device_with_atomics();
	double even = time_of(COUNTS_IN_LOCAL, device, 0, 256, true);

	(void)state;
	assert_close(even, time_of(COUNTS_IN_LOCAL, device, 0, 256, false), 0.3);
	assert_close(time_of(COUNTS_IN_LOCAL, device, 1, 256, true), ITEMS * 32e-13, 0.02);
	/* half of a warp at one place */
	assert_close(time_of(COUNTS_IN_LOCAL, device, 0.5, 256, true), ITEMS * 16.5e-13, 0.1);
	free(device);
}

/* The more go to one place, the more often each has to try: by the square of their share. */
static void exchanges_are_repeated_where_they_meet(void **state)
{
	struct device *device = device_with_atomics();
	double even = time_of(SUMS_BY_EXCHANGE, device, 0, BINS, true);
	double half = time_of(SUMS_BY_EXCHANGE, device, 0.5, BINS, true);
	double all = time_of(SUMS_BY_EXCHANGE, device, 1, BINS, true);

	(void)state;
	assert_close(even, time_of(SUMS_BY_EXCHANGE, device, 0, BINS, false), 0.3);
	assert_true(half > 20 * even);
	/* a quarter as many tries, and half as many turns in each */
	assert_close(all / half, 8, 0.3);
	free(device);
}

/* One that goes on to the next slot takes its turn there: it waits for nobody to be through. */
static void another_slot_is_no_repetition(void **state)
{
	struct device *device = device_with_atomics();

	(void)state;
	assert_true(time_of(FILLS_A_TABLE, device, 0.5, BINS, true) <
	            4 * time_of(COUNTS, device, 0.5, BINS, true));
	free(device);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(shares_are_those_of_the_lines),
	        cmocka_unit_test(shares_of_a_gpu_are_turns),
	        cmocka_unit_test(what_has_no_room_is_left_out),
	        cmocka_unit_test(a_hot_line_takes_its_turns_on_a_gpu),
	        cmocka_unit_test(a_hot_line_goes_from_core_to_core),
	        cmocka_unit_test(neighbours_share_their_line_on_a_core),
	        cmocka_unit_test(neighbours_at_one_place_are_one_core_s),
	        cmocka_unit_test(local_lanes_wait_at_few_places),
	        cmocka_unit_test(exchanges_are_repeated_where_they_meet),
	        cmocka_unit_test(another_slot_is_no_repetition),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("meet", tests, NULL, NULL);
}
