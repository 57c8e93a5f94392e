/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/test.h"

#include <math.h>
#include <string.h>

#include "daemon/calibrator/memory.h"

#define MEBI 1048576u

static void a_window_is_whole_quanta_and_one_at_least(void **state)
{
	(void)state;
	assert_int_equal(memory_window_bytes(10000, 2, MEBI, 256), 9984);
	assert_int_equal(memory_window_bytes(256, 2, MEBI, 256), 256);
	assert_int_equal(memory_window_bytes(1, 2, MEBI, 256), 256);
}

/* A cache of 300 MiB that 16 units share: 0.85 of it for each is more than the data have. */
static void windows_of_many_units_stay_inside_the_data(void **state)
{
	(void)state;
	size_t data = 800 * (size_t)MEBI, window = memory_window_bytes(255.0 * MEBI, 16, data, 256);
	assert_true(16 * window <= data);
	assert_true(16 * (window + 256) > data);
	assert_int_equal(memory_window_bytes(255.0 * MEBI, 1, data, 256), 255 * MEBI);
}

/* Walks of 100, 200, ... 6400 lines where `stay` of them do: near ones in 1 ns, far ones in 6. */
static double walked(double stay, double page_s, uint32_t *longest)
{
	double line_s[7];

	for (unsigned i = 0; i < 7; i++) {
		double lines = 100 * exp2(i), missed = lines > stay ? 1 : 0;

		for (unsigned k = 0; k < 64; k++)
			missed = 1 - exp(-missed * lines / stay);
		line_s[i] = 1e-9 + missed * 5e-9 + (lines > 2000 ? page_s : 0);
	}
	*longest = 0;
	return memory_walk_fits(line_s, 7, 100, longest);
}

static void walks_tell_how_many_lines_stay(void **state)
{
	uint32_t longest;

	(void)state;
	assert_close(walked(700, 0, &longest), 700, 0.1);
	assert_int_equal(longest, 1600);
	/* what slows down much longer walks has no part in it */
	assert_close(walked(700, 50e-9, &longest), walked(700, 0, &longest), 1e-9);
	assert_close(walked(1e6, 0, &longest), 0, 1e-9);
}

enum { CURVE_POINTS = 14 };

/* Two units; 60 GB/s as long as all windows fit `shared` bytes, 36 beyond: from 4 MiB each on. */
static size_t added(struct level *levels, size_t *count, double shared)
{
	double window[CURVE_POINTS], rate[CURVE_POINTS];

	for (size_t i = 0; i < CURVE_POINTS; i++) {
		window[i] = 4 * MEBI * exp2((double)i / 2);
		rate[i] = 2 * window[i] <= shared ? 60e9 : 36e9;
	}
	return memory_add_shared(levels, count, 2, window, rate, CURVE_POINTS, LEVEL_POINTS, 0);
}

/* One unit alone reads memory as fast as the cache that both share. */
static void a_cache_that_all_units_find_stands_before_memory(void **state)
{
	struct level levels[MEMORY_LEVEL_COUNT] = {
	        {.capacity = 48 << 10, .instances = 2, .read = 380e9},
	        {.capacity = 2 * MEBI, .instances = 2, .read = 350e9},
	        {.capacity = (double)INFINITY, .instances = 1, .read = 40e9}};
	size_t count = 3;

	(void)state;
	assert_int_equal(added(levels, &count, 100.0 * MEBI), 2);
	assert_int_equal(count, 4);
	assert_close(levels[2].capacity, 100.0 * MEBI, 0.25);
	assert_close(levels[2].read, 60e9, 0.01);
	assert_close(levels[2].instances, 1, 1e-9);
	assert_true(isinf(levels[3].capacity));
	/* none where nothing falls */
	count = 2;
	levels[1] = levels[3];
	assert_int_equal(added(levels, &count, 0), 0);
	assert_int_equal(count, 2);
}

static void what_one_unit_found_of_the_shared_cache_gives_way(void **state)
{
	struct level levels[MEMORY_LEVEL_COUNT] = {
	        {.capacity = 48 << 10, .instances = 2, .read = 380e9},
	        {.capacity = 2 * MEBI, .instances = 2, .read = 350e9},
	        {.capacity = 24 * MEBI, .instances = 1, .read = 66e9},
	        {.capacity = (double)INFINITY, .instances = 1, .read = 40e9}};
	size_t count = 4;

	(void)state;
	assert_int_equal(added(levels, &count, 100.0 * MEBI), 2);
	assert_int_equal(count, 4);
	assert_close(levels[2].capacity, 100.0 * MEBI, 0.25);
	/* taken for a cache of each one's own, since both found room in it */
	levels[2] = (struct level){.capacity = 24 * MEBI, .instances = 2, .read = 66e9};
	assert_int_equal(added(levels, &count, 100.0 * MEBI), 2);
	assert_int_equal(count, 4);
	assert_close(levels[2].instances, 1, 1e-9);
}

/* What each of two reads alone as it does beside the other: 32 MiB each. */
static void what_all_units_find_as_one_did_is_each_ones_own(void **state)
{
	struct level levels[MEMORY_LEVEL_COUNT] = {
	        {.capacity = 48 << 10, .instances = 2, .read = 380e9},
	        {.capacity = 1 * MEBI, .instances = 2, .read = 200e9},
	        {.capacity = 32 * MEBI, .instances = 1, .read = 110e9},
	        {.capacity = (double)INFINITY, .instances = 1, .read = 40e9}};
	size_t count = 4;

	(void)state;
	assert_int_equal(added(levels, &count, 64.0 * MEBI), 0);
	assert_int_equal(count, 4);
	assert_close(levels[2].instances, 2, 1e-9);
}

/* Found behind the caches: how far page addresses reach that the core keeps, and their tables. */
static void what_page_addresses_reach_leaves_room_for_the_shared_cache(void **state)
{
	struct level levels[MEMORY_LEVEL_COUNT] = {
	        {.capacity = 48 << 10, .instances = 2, .read = 380e9},
	        {.capacity = 2 * MEBI, .instances = 2, .read = 350e9},
	        {.capacity = 8 * MEBI, .instances = 2, .read = 100e9},
	        {.capacity = 26 * MEBI, .instances = 2, .read = 80e9},
	        {.capacity = (double)INFINITY, .instances = 1, .read = 52e9}};
	size_t count = 5;

	(void)state;
	assert_int_equal(added(levels, &count, 160.0 * MEBI), 3);
	assert_int_equal(count, 5);
	assert_close(levels[3].capacity, 160.0 * MEBI, 0.25);
	assert_close(levels[3].instances, 1, 1e-9);
	assert_true(isinf(levels[4].capacity));
}

/* 16 cores: what one found at 25 MiB is less than their second levels hold. */
static void a_shared_cache_holds_more_than_those_before_it(void **state)
{
	const struct level found[] = {{.capacity = 46 << 10, .instances = 16, .read = 1.4e12},
	                              {.capacity = 2 * MEBI, .instances = 16, .read = 1.2e12},
	                              {.capacity = 25 * MEBI, .instances = 1, .read = 425e9},
	                              {.capacity = 90 * MEBI, .instances = 1, .read = 305e9},
	                              {.capacity = (double)INFINITY, .instances = 1}};
	struct level levels[MEMORY_LEVEL_COUNT];
	size_t count = 5;

	(void)state;
	memcpy(levels, found, sizeof found);
	memory_drop_unreached(levels, &count, 2);
	assert_int_equal(count, 5);
	memory_drop_unreached(levels, &count, 16);
	assert_int_equal(count, 4);
	assert_close(levels[2].capacity, 90 * MEBI, 1e-9);
	assert_true(isinf(levels[3].capacity));
	/* the last one stays, whatever it holds */
	memory_drop_unreached(levels, &count, 64);
	assert_int_equal(count, 4);
}

static void a_hierarchy_begins_with_a_small_cache_of_each_cores_own(void **state)
{
	struct level levels[] = {{.capacity = 48 << 10, .instances = 2, .read = 380e9},
	                         {.capacity = 2 * MEBI, .instances = 2, .read = 350e9},
	                         {.capacity = (double)INFINITY, .instances = 1, .read = 40e9}};

	(void)state;
	assert_true(memory_is_plausible(levels, 3, 2));
	assert_true(memory_is_plausible(levels + 1, 1, 1) == false);
	levels[0].instances = 1;
	assert_false(memory_is_plausible(levels, 3, 2));
	assert_true(memory_is_plausible(levels, 3, 1));
	levels[0] = (struct level){.capacity = 450 << 10, .instances = 2, .read = 380e9};
	assert_false(memory_is_plausible(levels, 3, 2));
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(a_window_is_whole_quanta_and_one_at_least),
	        cmocka_unit_test(windows_of_many_units_stay_inside_the_data),
	        cmocka_unit_test(walks_tell_how_many_lines_stay),
	        cmocka_unit_test(a_cache_that_all_units_find_stands_before_memory),
	        cmocka_unit_test(what_one_unit_found_of_the_shared_cache_gives_way),
	        cmocka_unit_test(what_all_units_find_as_one_did_is_each_ones_own),
	        cmocka_unit_test(what_page_addresses_reach_leaves_room_for_the_shared_cache),
	        cmocka_unit_test(a_shared_cache_holds_more_than_those_before_it),
	        cmocka_unit_test(a_hierarchy_begins_with_a_small_cache_of_each_cores_own),
	};
	return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
