/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Levels of a CPU's memory by two curves that were recorded of one host: two cores of a Zen 4 in a
 * virtual machine, whose /sys tells of 32 KiB and 1 MiB a core and 32 MiB that both share.
 */
#include "tests/test.h"

#include <math.h>

#include "daemon/calibrator/memory.h"

#define KIBI 1024.0
#define MEBI 1048576.0

/* Bytes, bytes a second that two cores read of as many, and nanoseconds of a cycle's read. */
struct point {
	double footprint, read, wait_ns;
};

/* While others build beside it. */
static const struct point aligned[] = {
        {8192, 4.135e+11, 1.414},     {11585, 4.175e+11, 1.418},    {16384, 4.151e+11, 1.401},
        {23170, 3.978e+11, 1.4},      {32768, 4.074e+11, 1.505},    {46341, 2.325e+11, 4.217},
        {65536, 2.311e+11, 4.229},    {92682, 2.301e+11, 4.255},    {131072, 2.296e+11, 4.336},
        {185364, 2.3e+11, 4.335},     {262144, 2.282e+11, 4.274},   {370728, 2.265e+11, 4.386},
        {524288, 2.051e+11, 4.545},   {741455, 1.772e+11, 7.209},   {1048576, 1.713e+11, 9.641},
        {1482910, 1.648e+11, 11.72},  {2097152, 1.668e+11, 13.31},  {2965821, 1.667e+11, 13.81},
        {4194304, 1.67e+11, 27.59},   {5931642, 1.54e+11, 126.2},   {8388608, 1.41e+11, 126.1},
        {11863283, 9.85e+10, 125.3},  {16777216, 8.225e+10, 124.8}, {23726566, 5.404e+10, 125.9},
        {33554432, 3.126e+10, 123.6}, {47453133, 3.124e+10, 0},     {67108864, 3.202e+10, 0},
        {94906266, 3.189e+10, 0},     {134217728, 3.184e+10, 0},    {189812531, 3.269e+10, 0},
        {268435456, 3.356e+10, 0},
};

/* The same; a bit of addresses changes behind the second page. */
static const struct point split[] = {
        {8192, 3.831e+11, 1.403},     {11585, 2.387e+11, 3.734},    {16384, 2.522e+11, 3.365},
        {23170, 2.735e+11, 2.764},    {32768, 3.103e+11, 2.408},    {46341, 2.167e+11, 4.256},
        {65536, 2.172e+11, 4.296},    {92682, 2.042e+11, 4.298},    {131072, 2.149e+11, 4.313},
        {185364, 2.111e+11, 4.375},   {262144, 2.075e+11, 4.465},   {370728, 2.057e+11, 4.392},
        {524288, 2.096e+11, 4.598},   {741455, 2.054e+11, 6.687},   {1048576, 1.849e+11, 9.173},
        {1482910, 1.669e+11, 11.41},  {2097152, 1.805e+11, 12.99},  {2965821, 1.605e+11, 13.1},
        {4194304, 1.701e+11, 13.7},   {5931642, 1.643e+11, 119.1},  {8388608, 1.541e+11, 124.1},
        {11863283, 9.224e+10, 121.2}, {16777216, 5.607e+10, 121.7}, {23726566, 4.354e+10, 131.9},
        {33554432, 3.105e+10, 0},     {47453133, 3.273e+10, 0},     {67108864, 3.078e+10, 0},
        {94906266, 3.102e+10, 0},     {134217728, 2.984e+10, 0},    {189812531, 2.902e+10, 0},
        {268435456, 3.045e+10, 0},
};

#define COUNT(points) (sizeof(points) / sizeof *(points))

static size_t levels_of(const struct point *point, size_t n, double memory_ns, double units,
                        struct level levels[MEMORY_LEVEL_COUNT])
{
	static struct memory_curve reads, waits;
	struct plateau plateaus[MEMORY_LEVEL_COUNT];
	reads.n = n;
	waits.n = 0;
	for (size_t i = 0; i < n; i++) {
		reads.footprint[i] = point[i].footprint;
		reads.value[i] = point[i].read;
		if (point[i].wait_ns > 0) {
			waits.footprint[waits.n] = point[i].footprint;
			waits.value[waits.n++] = 1e9 / point[i].wait_ns;
		}
	}
	size_t count = plateau_find(reads.footprint, reads.value, n, LEVEL_DROP, LEVEL_POINTS,
	                            plateaus, MEMORY_LEVEL_COUNT);
	for (size_t i = 0; i < count; i++)
		levels[i] = (struct level){.capacity = plateaus[i].capacity,
		                           .instances = units,
		                           .read = plateaus[i].rate};
	memory_join_latency(levels, &count, units, &reads, &waits, memory_ns * 1e-9, LEVEL_POINTS);
	return count;
}

static void check_zen(const struct level *levels, size_t count)
{
	assert_int_equal(count, 4);
	assert_true(levels[0].capacity >= 32 * KIBI && levels[0].capacity < 48 * KIBI);
	assert_true(levels[1].capacity > 0.5 * MEBI && levels[1].capacity < 1.1 * MEBI);
	assert_true(levels[2].capacity > 8 * MEBI && levels[2].capacity < 32 * MEBI);
	assert_true(isinf(levels[3].capacity));
	for (size_t i = 0; i + 1 < count; i++)
		assert_true(levels[i].read > levels[i + 1].read);
}

static void latency_shows_levels_that_streams_do_not(void **state)
{
	struct level levels[MEMORY_LEVEL_COUNT];
	(void)state;
	check_zen(levels, levels_of(aligned, COUNT(aligned), 129.786, 2, levels));
	check_zen(levels, levels_of(split, COUNT(split), 123.778, 2, levels));
}

static void without_latency_levels_are_the_rates(void **state)
{
	struct level levels[MEMORY_LEVEL_COUNT];
	struct point point[COUNT(split)];
	(void)state;
	for (size_t i = 0; i < COUNT(split); i++)
		point[i] = (struct point){split[i].footprint, split[i].read, 0};
	assert_int_equal(levels_of(point, COUNT(point), 0, 2, levels), 3);
	assert_close(levels[1].capacity, 14.1e6, 0.01);
}

/*
 * One core of a socket: 48 KiB, 2 MiB and a large one; page addresses of 8 MiB are near. The rate
 * falls there, the latency of chunks of pages does not.
 */
static void what_page_addresses_reach_is_no_level(void **state)
{
	struct level levels[MEMORY_LEVEL_COUNT];
	struct point point[30];
	(void)state;
	for (size_t i = 0; i < COUNT(point); i++) {
		double bytes = 8192 * exp2((double)i / 2);
		point[i] = (struct point){bytes,
		                          bytes <= 48 * KIBI   ? 400e9
		                          : bytes <= 2 * MEBI  ? 350e9
		                          : bytes <= 8 * MEBI  ? 100e9
		                          : bytes <= 26 * MEBI ? 60e9
		                                               : 40e9,
		                          bytes <= 48 * KIBI   ? 1.3
		                          : bytes <= 2 * MEBI  ? 4.5
		                          : bytes <= 26 * MEBI ? 40
		                          : bytes <= 52 * MEBI ? 90
		                                               : 0};
	}
	assert_int_equal(levels_of(point, COUNT(point), 0, 1, levels), 4);
	assert_close(levels[0].capacity, 48 * KIBI, 0.3);
	assert_close(levels[1].capacity, 2 * MEBI, 0.3);
	assert_close(levels[2].capacity, 26 * MEBI, 0.3);
}

static void no_core_has_a_way_of_half_a_kibibyte(void **state)
{
	(void)state;
	assert_close(memory_way_bytes(41.3 * KIBI, 8), 4096, 1e-9);
	assert_close(memory_way_bytes(MEBI, 8), MEBI / 8, 1e-9);
	assert_close(memory_way_bytes(41.3 * KIBI, 62), 0, 1e-9);
	assert_close(memory_way_bytes(41.3 * KIBI, 2), 0, 1e-9);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(latency_shows_levels_that_streams_do_not),
	        cmocka_unit_test(without_latency_levels_are_the_rates),
	        cmocka_unit_test(what_page_addresses_reach_is_no_level),
	        cmocka_unit_test(no_core_has_a_way_of_half_a_kibibyte),
	};
	return cmocka_run_group_tests_name("levels", tests, NULL, NULL);
}
