/* SPDX-License-Identifier: Apache-2.0 */
/* A folder in place of /sys/devices/system/cpu. */
#ifndef PREDICTD_TESTS_NODE_FOLDER_H
#define PREDICTD_TESTS_NODE_FOLDER_H

#include <stddef.h>

/* A cache as the kernel tells it. */
struct node_folder_cache {
	unsigned level;
	const char *type, *size, *shared;
};

/* A processor with its caches; the folder is there. Fails the test where that does not work. */
void node_folder_add(const char *folder, unsigned processor, const struct node_folder_cache *caches,
                     size_t count);

/* The folder and all in it. */
void node_folder_remove(const char *folder);

#endif
