/* SPDX-License-Identifier: Apache-2.0 */
/* Which device files of NVIDIA's driver are missing, below a folder of the test's own. */
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client/predictctl/nodes.h"

static const char *const folders[] = {"", "/dev", "/proc", "/proc/driver", "/proc/driver/nvidia"};
static const char *const files[] = {"/dev/nvidiactl", "/dev/nvidia-uvm",
                                    "/proc/driver/nvidia/version"};

static char root[] = "/tmp/predictd-nodes-XXXXXX";

static void path_of(char path[128], const char *name)
{
	(void)snprintf(path, 128, "%s%s", root, name);
}

static void put(const char *name)
{
	char path[128];
	path_of(path, name);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	(void)fclose(file);
}

static void a_driver_that_is_loaded_needs_its_device_files(void **state)
{
	char path[128];
	(void)state;
	assert_non_null(mkdtemp(root));
	for (size_t i = 1; i < sizeof folders / sizeof *folders; i++) {
		path_of(path, folders[i]);
		assert_int_equal(mkdir(path, 0700), 0);
	}
	/* none is loaded: nothing is missing */
	assert_null(nodes_missing_below(root));
	put("/proc/driver/nvidia/version");
	assert_string_equal(nodes_missing_below(root), "/dev/nvidiactl");
	put("/dev/nvidiactl");
	assert_string_equal(nodes_missing_below(root), "/dev/nvidia-uvm");
	put("/dev/nvidia-uvm");
	assert_null(nodes_missing_below(root));

	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		path_of(path, files[i]);
		assert_int_equal(unlink(path), 0);
	}
	for (size_t i = sizeof folders / sizeof *folders; i-- > 0;) {
		path_of(path, folders[i]);
		assert_int_equal(rmdir(path), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(a_driver_that_is_loaded_needs_its_device_files),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("nodes", tests, NULL, NULL);
}
