/* SPDX-License-Identifier: Apache-2.0 */
/* What a calibration found and cannot be, and what a node tells of its caches. */
#include "tests/test.h"

#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/calibrator/impossible.h"
#include "daemon/codec/device_codec.h"
#include "tests/unit/calibrator/node_folder.h"

#define KIBI 1024.0
#define MEBI 1048576.0

static const struct node_caches zen = {
        .count = 3,
        .level = {{32 * KIBI, 32 * KIBI, true}, {MEBI, MEBI, true}, {32 * MEBI, 32 * MEBI, false}}};

static struct device device;
static struct impossible found[IMPOSSIBLE_MAX];
static const char *recorded; /* the folder of calibrations of real devices */

static void set(unsigned id, double value)
{
	device.coefficient[id] = (struct coefficient){value, 0.02, true};
}

static void set_level(enum memory_level level, double capacity, double instances, double read,
                      double latency_s)
{
	set(coefficient_memory(level, MEMORY_COLUMN_READ), read);
	set(coefficient_memory(level, MEMORY_COLUMN_GATHER), read / 16);
	set(coefficient_memory(level, MEMORY_COLUMN_LATENCY), latency_s);
	if (level == MEMORY_DRAM)
		return;
	set(coefficient_memory(level, MEMORY_COLUMN_CAPACITY), capacity);
	set(coefficient_memory(level, MEMORY_COLUMN_INSTANCES), instances);
}

/* As it was found when nothing was wrong. */
static int begin(void **state)
{
	(void)state;
	memset(&device, 0, sizeof device);
	set(COEFFICIENT_MEMORY_LEVELS, 3);
	set_level(MEMORY_L1, 39 * KIBI, 2, 415e9, 1.4e-9);
	set_level(MEMORY_L2, 0.87 * MEBI, 2, 226e9, 4.4e-9);
	set_level(MEMORY_L3, 18 * MEBI, 1, 182e9, 18e-9);
	set_level(MEMORY_DRAM, 0, 1, 30e9, 220e-9);
	set(coefficient_memory(MEMORY_L1, MEMORY_COLUMN_WAY), 4096);
	set(COEFFICIENT_LAUNCH_BASE, 2e-7);
	set(COEFFICIENT_LAUNCH_ENQUEUE, 1e-7);
	for (unsigned i = 0; i < IDLE_STATE_COUNT; i++) {
		set(coefficient_idle((enum idle_state)i, IDLE_BASE), 2e-6 * (i + 1));
		set(coefficient_idle((enum idle_state)i, IDLE_ENQUEUE), 1e-6);
	}
	set(coefficient_op(OP_MODE_VECTOR, TYPE_CLASS_FLOAT, OP_CLASS_ADD), 1e-11);
	set(COEFFICIENT_INTERVAL_LOG_SD, 0.3);
	set(COEFFICIENT_INTERVAL_SHARED, 0.4);
	set(COEFFICIENT_INTERVAL_UNIT, 0.2);
	set(COEFFICIENT_INTERVAL_LAUNCH, 0.1);
	return 0;
}

static size_t find(void)
{
	return impossible_find(&device, 32 * MEBI, &zen, found);
}

/* Just that is found, and of that kind. */
static void assert_only(const char *text, enum impossible_family family, enum doubt kind)
{
	size_t count = find();
	for (size_t i = 0; i < count; i++)
		if (strcmp(found[i].text, text) != 0)
			fail_msg("%s", found[i].text);
	assert_int_equal(count, 1);
	assert_int_equal(found[0].family, family);
	assert_int_equal(found[0].kind, kind);
	assert_true(found[0].log_sd > 0);
}

static void what_may_be_is_not_doubted(void **state)
{
	(void)state;
	assert_int_equal(find(), 0);
	/* others share the last cache, and a virtual machine has a part of a socket */
	device.coefficient[coefficient_memory(MEMORY_L3, MEMORY_COLUMN_CAPACITY)].value = 6 * MEBI;
	assert_int_equal(find(), 0);
	assert_int_equal(impossible_find(&device, 504 * MEBI, NULL, found), 0);
	/* nothing is known */
	memset(&device, 0, sizeof device);
	assert_int_equal(find(), 0);
}

/* The second and the third level as one, and a way of half a KiB: what this host gave. */
static void levels_that_the_node_does_not_have_are_doubted(void **state)
{
	(void)state;
	set(COEFFICIENT_MEMORY_LEVELS, 2);
	set_level(MEMORY_L2, 28 * MEBI, 1, 200e9, 10e-9);
	set(coefficient_memory(MEMORY_L1, MEMORY_COLUMN_WAY), 512);
	assert_int_equal(find(), 3);
	assert_string_equal(found[0].text, "The second level was found as 28 MiB; this node's /sys "
	                                   "says 1 MiB a processor.");
	/* between the rate there and memory's */
	assert_close(found[0].log_sd, log(200.0 / 30) / sqrt(12), 1e-6);
	assert_string_equal(found[1].text,
	                    "2 levels of caches were found; this node's /sys says 3.");
	assert_string_equal(found[2].text, "A way of the first level was found as 512 B of 39 KiB; "
	                                   "no core has more than 32 ways.");
	assert_int_equal(found[2].kind, DOUBT_UNIT);
	/* of a node that tells nothing the levels may be */
	assert_int_equal(impossible_find(&device, 0, NULL, found), 1);
}

static void a_cache_larger_than_the_driver_says_is_doubted(void **state)
{
	(void)state;
	set_level(MEMORY_L3, 100 * MEBI, 1, 182e9, 18e-9);
	assert_int_equal(impossible_find(&device, 32 * MEBI, NULL, found), 1);
	assert_string_equal(found[0].text,
	                    "The last cache was found as 100 MiB; the driver says 32 MiB.");
	/* of one a core it tells the sum, or of a nearer level */
	assert_int_equal(impossible_find(&device, 2 * 0.9 * MEBI, NULL, found), 0);
	assert_int_equal(impossible_find(&device, 36 * KIBI, NULL, found), 0);
	/* of a GPU's first levels what local memory leaves of them */
	device.type = DEVICE_GPU;
	assert_int_equal(impossible_find(&device, 4.1 * MEBI, NULL, found), 0);
}

static void an_empty_launch_that_a_later_one_undercuts_is_doubted(void **state)
{
	(void)state;
	/* enqueueing takes longer after a pause, and hides nothing */
	set(COEFFICIENT_LAUNCH_BASE, 4e-5);
	set(coefficient_idle(IDLE_10US, IDLE_ENQUEUE), 2e-5);
	assert_only("An empty launch was found to take 40 us; later it took 2 us, after 10 us "
	            "without work.",
	            IMPOSSIBLE_LAUNCH, DOUBT_LAUNCH);
	assert_close(found[0].log_sd, log(20) / sqrt(12), 1e-6);
	set(COEFFICIENT_LAUNCH_BASE, 2e-7);
	set(COEFFICIENT_LAUNCH_ENQUEUE, 4e-5);
	assert_only("Enqueueing was found to take 40 us; later it took 1 us, after 1 ms "
	            "without work.",
	            IMPOSSIBLE_LAUNCH, DOUBT_LAUNCH);
	set(COEFFICIENT_LAUNCH_BASE, 0);
	set(COEFFICIENT_LAUNCH_ENQUEUE, 0);
	assert_only("An empty launch was found to take no time.", IMPOSSIBLE_LAUNCH, DOUBT_LAUNCH);
}

static void a_faster_level_behind_a_slower_one_is_doubted(void **state)
{
	(void)state;
	set_level(MEMORY_L3, 18 * MEBI, 1, 300e9, 18e-9);
	assert_only("The second level was found to be read at 226 GB/s, third level behind it at "
	            "300.",
	            IMPOSSIBLE_MEMORY, DOUBT_SHARED);
	set_level(MEMORY_L3, 18 * MEBI, 1, 182e9, 300e-9);
	assert_only("The third level was found to answer after 300 ns, memory behind it after 220 "
	            "ns.",
	            IMPOSSIBLE_MEMORY, DOUBT_SHARED);
	/* within errors they are alike */
	device.coefficient[coefficient_memory(MEMORY_L3, MEMORY_COLUMN_LATENCY)].standard_error =
	        0.2;
	assert_int_equal(find(), 0);
}

static void what_costs_nothing_is_doubted(void **state)
{
	(void)state;
	set(coefficient_op(OP_MODE_VECTOR, TYPE_CLASS_FLOAT, OP_CLASS_ADD), 0);
	assert_only("An addition of type float was found to take no time.", IMPOSSIBLE_OPERATIONS,
	            DOUBT_UNIT);
}

static void doubts_are_told_and_widen_what_hangs_on_them(void **state)
{
	(void)state;
	impossible_tell(found, 0, &device);
	assert_string_equal(device.doubts, "");
	assert_close(device.coefficient[COEFFICIENT_INTERVAL_SHARED].value, 0.4, 1e-9);
	found[0] = (struct impossible){.kind = DOUBT_SHARED, .log_sd = 0.3, .text = "One."};
	found[1] = (struct impossible){.kind = DOUBT_SHARED, .log_sd = 0.1, .text = "Two."};
	impossible_tell(found, 2, &device);
	assert_string_equal(device.doubts, "One.\nTwo.");
	assert_close(device.coefficient[COEFFICIENT_INTERVAL_SHARED].value, 0.5, 1e-9);
	assert_close(device.coefficient[COEFFICIENT_INTERVAL_UNIT].value, 0.2, 1e-9);
	assert_close(device.coefficient[COEFFICIENT_INTERVAL_LOG_SD].value, hypot(0.3, 0.3), 1e-9);
	/* more than there is room for */
	for (size_t i = 0; i < IMPOSSIBLE_MAX; i++)
		memset(found[i].text, 'x', IMPOSSIBLE_TEXT_MAX - 1);
	impossible_tell(found, IMPOSSIBLE_MAX, &device);
	assert_int_equal(strlen(device.doubts), 6 * IMPOSSIBLE_TEXT_MAX - 1);
}

enum { FILE_BYTES = 1 << 18 };

/* Of eighteen calibrations of five machines none contradicts itself. */
static void recorded_calibrations_are_not_doubted(void **state)
{
	static uint8_t bytes[FILE_BYTES];
	struct error error = {0};
	char pattern[512];
	glob_t files;
	(void)state;
	assert_non_null(recorded);
	(void)snprintf(pattern, sizeof pattern, "%s/*/device.calibration", recorded);
	assert_int_equal(glob(pattern, 0, NULL, &files), 0);
	for (size_t i = 0; i < files.gl_pathc; i++) {
		FILE *file = fopen(files.gl_pathv[i], "re");
		assert_non_null(file);
		size_t size = fread(bytes, 1, sizeof bytes, file);
		assert_int_equal(fclose(file), 0);
		Predictd__Calibration *read = predictd__calibration__unpack(NULL, size, bytes);
		assert_non_null(read);
		if (device_decode(read->device, &device, &error) != STATUS_OK)
			fail_msg("%s: %s", files.gl_pathv[i], error.text);
		predictd__calibration__free_unpacked(read, NULL);
		if (impossible_find(&device, 0, NULL, found) > 0)
			fail_msg("%s: %s", files.gl_pathv[i], found[0].text);
	}
	assert_true(files.gl_pathc >= 18);
	globfree(&files);
}

static void a_node_tells_of_its_processors_caches(void **state)
{
	static const struct node_folder_cache small[] = {{1, "Data", "32K", "0"},
	                                                 {1, "Instruction", "64K", "0"},
	                                                 {2, "Unified", "512K", "0-1"},
	                                                 {3, "Unified", "32M", "0-7"}};
	static const struct node_folder_cache large[] = {{1, "Data", "48K", "2"},
	                                                 {2, "Unified", "2048K", "2"},
	                                                 {3, "Unified", "32M", "0-7"}};
	struct node_caches caches;
	char folder[] = "/tmp/node_caches_XXXXXX";
	(void)state;
	assert_non_null(mkdtemp(folder));
	node_caches_read_from(folder);
	node_caches_read(&caches);
	assert_int_equal(caches.count, 0);
	node_folder_add(folder, 0, small, 4);
	node_folder_add(folder, 1, large, 3);
	node_caches_read(&caches);
	assert_int_equal(caches.count, 3);
	assert_close(caches.level[0].least_bytes, 32 * KIBI, 1e-9);
	assert_close(caches.level[0].most_bytes, 48 * KIBI, 1e-9);
	assert_true(caches.level[0].is_own && !caches.level[1].is_own && !caches.level[2].is_own);
	assert_close(caches.level[1].most_bytes, 2 * MEBI, 1e-9);
	/* one that tells less, or nonsense: nothing is told of that level, and those behind it */
	node_folder_add(folder, 2,
	                (struct node_folder_cache[]){{1, "Data", "32K", "3"},
	                                             {2, "Unified", "-1K", "3"},
	                                             {3, "Unified", "32M", "3"}},
	                3);
	node_caches_read(&caches);
	assert_int_equal(caches.count, 1);
	node_folder_remove(folder);
}

int main(int argc, char **argv)
{
	recorded = argc > 1 ? argv[1] : NULL;
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup(what_may_be_is_not_doubted, begin),
	        cmocka_unit_test_setup(levels_that_the_node_does_not_have_are_doubted, begin),
	        cmocka_unit_test_setup(a_cache_larger_than_the_driver_says_is_doubted, begin),
	        cmocka_unit_test_setup(an_empty_launch_that_a_later_one_undercuts_is_doubted,
	                               begin),
	        cmocka_unit_test_setup(a_faster_level_behind_a_slower_one_is_doubted, begin),
	        cmocka_unit_test_setup(what_costs_nothing_is_doubted, begin),
	        cmocka_unit_test_setup(doubts_are_told_and_widen_what_hangs_on_them, begin),
	        cmocka_unit_test(recorded_calibrations_are_not_doubted),
	        cmocka_unit_test(a_node_tells_of_its_processors_caches),
	};
	return cmocka_run_group_tests_name("impossible", tests, NULL, NULL);
}
