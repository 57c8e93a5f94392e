/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of simulated processors of a socket, and what their node tells of it. */
#include "tests/test.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/calibrator/calibrate.h"
#include "daemon/calibrator/list.h"
#include "tests/unit/calibrator/node_folder.h"
#include "tests/unit/calibrator/simulated.h"

#define MEBI 1048576.0

/* Enough of simulated time for every stage, and for those of a quick one. */
#define BUDGET_S 1000.0
#define SHORT_S  30.0

static enum status listen(void *context, double progress, double left_s, const char *stage,
                          struct error *error)
{
	(void)context;
	(void)progress;
	(void)left_s;
	(void)stage;
	(void)error;
	return STATUS_OK;
}

static void calibrate_simulated(const struct simulated *simulated, bool is_quick,
                                struct device *device)
{
	struct found_devices found = {0};
	struct opencl opencl = {0};
	struct error error = {0};
	const struct calibrate_options options = {.is_quick = is_quick,
	                                          .budget_s = is_quick ? SHORT_S : BUDGET_S,
	                                          .progress = listen};
	simulated_begin(simulated);
	assert_int_equal(found_devices_init(&found, &error), STATUS_OK);
	*device = found.devices[0].device;
	assert_int_equal(
	        opencl_open(&opencl, found.devices[0].platform, found.devices[0].id, &error),
	        STATUS_OK);
	if (calibrate(&opencl, &options, device, &error) != STATUS_OK ||
	    device_check(device, &error) != STATUS_OK)
		fail_msg("%s", error.text);
	opencl_close(&opencl);
	found_devices_deinit(&found);
}

static void calibrate_socket(const struct simulated_socket *socket, bool is_quick,
                             struct device *device)
{
	calibrate_simulated(&(struct simulated){.socket = socket}, is_quick, device);
}

static double value(const struct device *device, unsigned id)
{
	char name[COEFFICIENT_NAME_MAX];
	coefficient_name(id, name);
	if (!device->coefficient[id].is_known)
		fail_msg("%s is not known", name);
	return device->coefficient[id].value;
}

/* The last cache of a calibration. */
static double last_value(const struct device *device, enum memory_column column)
{
	unsigned levels = (unsigned)value(device, COEFFICIENT_MEMORY_LEVELS);
	return value(device, coefficient_memory((enum memory_level)(levels - 1), column));
}

/* Page addresses of 26 MiB are near a core: either finds room in that, both in 160 MiB. */
static void two_cores_of_a_large_socket_share_its_cache(void **state)
{
	static const struct simulated_socket socket = {.units = 2,
	                                               .own_bytes = 2 * MEBI,
	                                               .reach_bytes = 26 * MEBI,
	                                               .cache_bytes = 160 * MEBI,
	                                               .told_bytes = 504 * MEBI,
	                                               .own = 170e9,
	                                               .reached = 36e9,
	                                               .alone = 28e9,
	                                               .memory = 36e9};
	static struct device device;
	(void)state;
	for (int is_quick = 0; is_quick < 2; is_quick++) {
		calibrate_socket(&socket, is_quick == 1, &device);
		assert_close(last_value(&device, MEMORY_COLUMN_INSTANCES), 1, 1e-9);
		assert_close(last_value(&device, MEMORY_COLUMN_CAPACITY), 160 * MEBI, 0.42);
		/* by latency it is one, whether page addresses are near or not */
		double read = last_value(&device, MEMORY_COLUMN_READ);
		assert_true(read > 0.9 * 2 * socket.alone && read < 1.1 * 2 * socket.reached);
		assert_close(value(&device, coefficient_memory(MEMORY_DRAM, MEMORY_COLUMN_READ)),
		             36e9, 0.1);
	}
}

/* Two cores of two sockets, or of two parts of one. */
static void a_last_cache_of_each_core_is_its_own(void **state)
{
	static const struct simulated_socket socket = {.units = 2,
	                                               .own_bytes = 1 * MEBI,
	                                               .reach_bytes = 1 * MEBI,
	                                               .cache_bytes = 30 * MEBI,
	                                               .told_bytes = 32 * MEBI,
	                                               .own = 110e9,
	                                               .alone = 55e9,
	                                               .memory = 40e9,
	                                               .is_own = true};
	static struct device device;
	(void)state;
	for (int is_quick = 0; is_quick < 2; is_quick++) {
		calibrate_socket(&socket, is_quick == 1, &device);
		assert_close(last_value(&device, MEMORY_COLUMN_INSTANCES), 2, 1e-9);
		assert_close(last_value(&device, MEMORY_COLUMN_CAPACITY), 30 * MEBI, 0.3);
	}
}

/* A 16th of what lies in the last cache fits one core's own. */
static void the_last_cache_of_many_cores_is_read_from_there(void **state)
{
	static const struct simulated_socket socket = {.units = 16,
	                                               .own_bytes = 2 * MEBI,
	                                               .reach_bytes = 2 * MEBI,
	                                               .cache_bytes = 100 * MEBI,
	                                               .told_bytes = 300 * MEBI,
	                                               .own = 100e9,
	                                               .alone = 28e9,
	                                               .far = 18e9,
	                                               .memory = 170e9};
	static struct device device;
	(void)state;
	calibrate_socket(&socket, false, &device);
	assert_close(last_value(&device, MEMORY_COLUMN_INSTANCES), 1, 1e-9);
	assert_close(last_value(&device, MEMORY_COLUMN_READ), 16 * 28e9, 0.1);
}

/* A first level of 450 KiB, which both share: others had one of them meanwhile. */
static void levels_that_no_core_has_are_looked_for_again(void **state)
{
	static struct simulated_socket socket = {.units = 2,
	                                         .own_bytes = 1 * MEBI,
	                                         .reach_bytes = 1 * MEBI,
	                                         .cache_bytes = 30 * MEBI,
	                                         .told_bytes = 32 * MEBI,
	                                         .own = 110e9,
	                                         .alone = 55e9,
	                                         .memory = 40e9};
	static const unsigned launches[] = {0, 100, UINT_MAX};
	static struct device device;
	(void)state;
	for (size_t i = 0; i < sizeof launches / sizeof *launches; i++) {
		socket.disturbed = launches[i];
		calibrate_socket(&socket, true, &device);
		assert_int_equal(device.was_busy, launches[i] == UINT_MAX);
		if (device.was_busy)
			continue;
		assert_close(last_value(&device, MEMORY_COLUMN_INSTANCES), 1, 1e-9);
		assert_close(last_value(&device, MEMORY_COLUMN_CAPACITY), 30 * MEBI, 0.3);
	}
}

static const struct simulated_socket two_cores = {.units = 2,
                                                  .own_bytes = 1 * MEBI,
                                                  .reach_bytes = 1 * MEBI,
                                                  .cache_bytes = 30 * MEBI,
                                                  .told_bytes = 32 * MEBI,
                                                  .own = 110e9,
                                                  .alone = 100e9,
                                                  .memory = 40e9};

/* Its /sys tells of a second level of so many bytes. */
static void calibrate_told(const char *second, bool is_quick, struct device *device)
{
	const struct node_folder_cache caches[] = {
	        {1, "Data", "64K", "0"}, {2, "Unified", second, "0"}, {3, "Unified", "32M", "0-1"}};
	char folder[] = "/tmp/simulated_XXXXXX";
	assert_non_null(mkdtemp(folder));
	node_folder_add(folder, 0, caches, 3);
	calibrate_simulated(&(struct simulated){.socket = &two_cores, .node = folder}, is_quick,
	                    device);
	node_folder_remove(folder);
}

/* The third level is read nearly as fast. */
static void a_level_that_only_latency_shows_is_found(void **state)
{
	static struct device device;
	(void)state;
	for (int is_quick = 0; is_quick < 2; is_quick++) {
		calibrate_told("1024K", is_quick == 1, &device);
		assert_null(strstr(device.doubts, "level"));
		assert_close(value(&device, COEFFICIENT_MEMORY_LEVELS), 3, 1e-9);
		assert_close(value(&device, coefficient_memory(MEMORY_L2, MEMORY_COLUMN_CAPACITY)),
		             1 * MEBI, 0.42);
		assert_close(value(&device, coefficient_memory(MEMORY_L2, MEMORY_COLUMN_INSTANCES)),
		             2, 1e-9);
		assert_close(last_value(&device, MEMORY_COLUMN_INSTANCES), 1, 1e-9);
	}
}

static void what_stays_and_cannot_be_is_told(void **state)
{
	static struct device device;
	(void)state;
	for (int is_quick = 0; is_quick < 2; is_quick++) {
		calibrate_told("1024K", is_quick == 1, &device);
		unsigned launches = simulated_launches("chase");
		calibrate_told("8192K", is_quick == 1, &device);
		assert_non_null(strstr(device.doubts, "The second level was found as 1."));
		assert_non_null(strstr(device.doubts, "this node's /sys says 8 MiB a processor."));
		/* not before it was looked at again */
		assert_true(simulated_launches("chase") > launches);
		assert_close(value(&device, coefficient_memory(MEMORY_L2, MEMORY_COLUMN_CAPACITY)),
		             1 * MEBI, 0.42);
	}
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(two_cores_of_a_large_socket_share_its_cache),
	        cmocka_unit_test(a_last_cache_of_each_core_is_its_own),
	        cmocka_unit_test(the_last_cache_of_many_cores_is_read_from_there),
	        cmocka_unit_test(levels_that_no_core_has_are_looked_for_again),
	        cmocka_unit_test(a_level_that_only_latency_shows_is_found),
	        cmocka_unit_test(what_stays_and_cannot_be_is_told),
	};
	return cmocka_run_group_tests_name("sockets", tests, NULL, NULL);
}
