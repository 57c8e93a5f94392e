/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the kernel tells of the caches of this node's processors (Linux,
 * Documentation/ABI/testing/sysfs-devices-system-cpu): to doubt what was measured, and to look once
 * more where a level should end. Inside a virtual machine it is what the hypervisor pretends.
 */
#ifndef PREDICTD_CALIBRATOR_NODE_CACHES_H
#define PREDICTD_CALIBRATOR_NODE_CACHES_H

#include <stdbool.h>

enum { NODE_CACHES_MAX = 4 };

struct node_cache {
	double least_bytes, most_bytes; /* of all processors; they may be unlike */
	bool is_own;                    /* no other processor shares it */
};

struct node_caches {
	unsigned count; /* levels from the first on; 0: nothing is told */
	struct node_cache level[NODE_CACHES_MAX];
};

/* What the kernel tells of every processor that it tells of. */
void node_caches_read(struct node_caches *caches);

/* From now on reads the folder of cpu0, cpu1, ... of that name; borrowed. For tests. */
void node_caches_read_from(const char *folder);

#endif
