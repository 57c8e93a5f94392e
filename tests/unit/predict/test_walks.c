/* SPDX-License-Identifier: Apache-2.0 */
/* Lines a power of two apart, which fight for the sets of a core's first level. */
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/predict/core.h"

/* As an AMD EPYC of the Zen 4 kind has it: 32 KiB of 8 ways, lines of 64 bytes. */
static struct device *zen4(void)
{
	struct device *device = device_cpu();

	device_make_scalar(device);
	device_set(device, COEFFICIENT_UNITS, 2);
	device_set(device, COEFFICIENT_WINDOW, 94);
	device_set(device, COEFFICIENT_FLOAT_LATENCY, 0.8e-9);
	device_set(device, COEFFICIENT_LAUNCH_BASE, 3e-7);
	device_set(device, COEFFICIENT_LAUNCH_GROUP, 1e-8);
	device_set(device, COEFFICIENT_STORE_SCALAR, 1e-10);
	device_set(device, coefficient_memory(MEMORY_L1, MEMORY_COLUMN_WAY), 4096);
	device_set(device, coefficient_memory(MEMORY_L2, MEMORY_COLUMN_CAPACITY), 1 << 20);
	device_set(device, coefficient_memory(MEMORY_L2, MEMORY_COLUMN_LATENCY), 3.8e-9);
	device_set(device, coefficient_memory(MEMORY_L2, MEMORY_COLUMN_WALK_READ), 1.2e9);
	device_set(device, coefficient_memory(MEMORY_L2, MEMORY_COLUMN_WALK_WRITE), 4.3e8);
	return device;
}

/* 16 arrays, each n floats, one after another: a lattice cell's layout. */
static struct prediction lattice(const struct device *device, const char *body, int64_t n)
{
	char source[512];
	struct launch launch = launch_1d(1 << 16, 256);
	struct ir_kernel *kernel;
	struct prediction p;

	(void)snprintf(source, sizeof source,
	               "kernel void f(global float *f, uint n) {"
	               " uint x = get_global_id(0); float s = 0; %s }",
	               body);
	kernel = analyse(source, "");
	launch_buffer(&launch, (uint64_t)n * 17 * 4);
	launch_integer(&launch, SCALAR_UINT, n);
	p = answer(kernel, device, &launch);
	kernel_free(kernel);
	return p;
}

#define READ   "for (uint i = 0; i < 16; i++) s += f[i * n + x];"
#define WRITE  "for (uint i = 0; i < 16; i++) f[i * n + x] = s * (i + 1);"
#define APART  65600
#define FIGHTS 65536

static double slower(const struct device *device, const char *body)
{
	return lattice(device, body, FIGHTS).kernel_time_s /
	       lattice(device, body, APART).kernel_time_s;
}

/* Measured on Zen 4: 4.2 ns an access and 0.55 in LBM's layout, which is 7.7 times. */
static void arrays_a_power_of_two_apart_are_slower(void **state)
{
	struct device *device = zen4();

	(void)state;
	assert_true(slower(device, READ WRITE) > 4);
	assert_true(slower(device, READ WRITE) < 16);
	free(device);
}

static void what_is_read_here_and_written_there_fights_twice(void **state)
{
	struct device *device = zen4();
	double read, write, both;

	(void)state;
	read = row_count((struct prediction[]){lattice(device, READ " f[x] = s;", FIGHTS)},
	                 "bytes from L2 cache");
	assert_true(read > 0);
	write = rows_time((struct prediction[]){lattice(device, WRITE, FIGHTS)},
	                  "bytes from L2 cache");
	both = rows_time((struct prediction[]){lattice(device, READ WRITE, FIGHTS)},
	                 "bytes from L2 cache");
	/* a core goes on reading what stores do not fight for; here they do */
	assert_true(both > write + 0.5 * (1 << 16) * 16 / 1.2e9);
	free(device);
}

/*
 * A calibration beside builds took 512 bytes for a way: 64 ways and more, which no first level has.
 * Its walks were timed that far apart, so that nothing fought.
 */
static void a_way_that_no_cache_has_is_derived_from_the_capacity(void **state)
{
	struct device *device = zen4();
	double sure = slower(device, READ WRITE);

	(void)state;
	device_set(device, coefficient_memory(MEMORY_L1, MEMORY_COLUMN_CAPACITY), 42240);
	device_set(device, coefficient_memory(MEMORY_L1, MEMORY_COLUMN_WAY), 512);
	device_set(device, coefficient_memory(MEMORY_L2, MEMORY_COLUMN_WALK_READ), 2.4e9);
	device_set(device, coefficient_memory(MEMORY_L2, MEMORY_COLUMN_WALK_WRITE), 1.7e9);
	assert_true(slower(device, READ WRITE) > 0.5 * sure);
	/* 16 ways are a cache's: then the arrays have sets of their own */
	device_set(device, coefficient_memory(MEMORY_L1, MEMORY_COLUMN_CAPACITY), 65536);
	device_set(device, coefficient_memory(MEMORY_L1, MEMORY_COLUMN_WAY), 4096);
	assert_true(slower(device, READ WRITE) < 1.2);
	free(device);
}

/* Columns of so many rows, each in a page of its own. */
static struct prediction columns(const struct device *device, int64_t rows)
{
	struct launch launch = launch_1d(1024, 64);
	struct ir_kernel *kernel = analyse("kernel void f(global const float *a, global float *b,"
	                                   " int pitch, int rows) {"
	                                   " int x = get_global_id(0); float s = 0;"
	                                   " for (int i = 0; i < rows; i++) s += a[i * pitch + x];"
	                                   " b[x] = s; }",
	                                   "");
	struct prediction p;

	launch_buffer(&launch, (uint64_t)rows * 1040 * 4);
	launch_buffer(&launch, 4096);
	launch_integer(&launch, SCALAR_INT, 1040);
	launch_integer(&launch, SCALAR_INT, rows);
	p = answer(kernel, device, &launch);
	kernel_free(kernel);
	return p;
}

/*
 * Measured on 16 cores: of columns of 2048 rows and more each access takes 16 ns, whatever the
 * pitch; of 1024 rows 2.3 ns.
 */
static void pages_beyond_those_kept_are_looked_up(void **state)
{
	struct device *device = zen4();
	struct prediction few, many, none = columns(device, 4096);

	(void)state;
	assert_close(row_count(&none, "pages looked up"), 0, 1e-9);
	device_set(device, COEFFICIENT_PAGES, 1400);
	device_set(device, COEFFICIENT_PAGE, 1e-8);
	few = columns(device, 512);
	many = columns(device, 4096);
	assert_close(row_count(&few, "pages looked up"), 0, 2);
	assert_close(row_count(&many, "pages looked up"), 4096, 0.1);
	assert_true(many.kernel_time_s > none.kernel_time_s + 0.5 * 1024 * 4096 * 1e-8 / 2);
	free(device);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(pages_beyond_those_kept_are_looked_up),
	        cmocka_unit_test(arrays_a_power_of_two_apart_are_slower),
	        cmocka_unit_test(what_is_read_here_and_written_there_fights_twice),
	        cmocka_unit_test(a_way_that_no_cache_has_is_derived_from_the_capacity),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("walks", tests, NULL, NULL);
}
