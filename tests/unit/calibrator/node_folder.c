/* SPDX-License-Identifier: Apache-2.0 */
/* A folder in place of /sys/devices/system/cpu. */
#include "tests/unit/calibrator/node_folder.h"

#include <stdio.h>
#include <sys/stat.h>

#include "tests/test.h"

#include "tests/folder.h"

enum { PATH_BYTES = 256 };

static void write_text(const char *folder, const char *name, const char *text)
{
	char path[PATH_BYTES + 32];
	(void)snprintf(path, sizeof path, "%s/%s", folder, name);
	FILE *file = fopen(path, "we");
	assert_non_null(file);
	assert_true(fprintf(file, "%s\n", text) > 0);
	assert_int_equal(fclose(file), 0);
}

void node_folder_add(const char *folder, unsigned processor, const struct node_folder_cache *caches,
                     size_t count)
{
	char path[PATH_BYTES], level[16];
	(void)snprintf(path, sizeof path, "%s/cpu%u", folder, processor);
	assert_int_equal(mkdir(path, 0700), 0);
	(void)snprintf(path, sizeof path, "%s/cpu%u/cache", folder, processor);
	assert_int_equal(mkdir(path, 0700), 0);
	for (size_t i = 0; i < count; i++) {
		(void)snprintf(path, sizeof path, "%s/cpu%u/cache/index%zu", folder, processor, i);
		assert_int_equal(mkdir(path, 0700), 0);
		(void)snprintf(level, sizeof level, "%u", caches[i].level);
		write_text(path, "level", level);
		write_text(path, "type", caches[i].type);
		write_text(path, "size", caches[i].size);
		write_text(path, "shared_cpu_list", caches[i].shared);
	}
}

void node_folder_remove(const char *folder)
{
	assert_int_equal(folder_remove(folder), 0);
}
