/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a site says of one launch: the median of its nodes, each of which counts as the median of
 * its observers, so that a node that lies, or a user on many, moves the middle by one place.
 * Pure: no clock, no file.
 */
#ifndef PREDICTD_DAEMON_SHARE_ESTIMATE_H
#define PREDICTD_DAEMON_SHARE_ESTIMATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/correction/correction.h"

enum {
	ESTIMATE_NODES_MAX = 1024,    /* of one launch that count */
	ESTIMATE_OBSERVERS_MAX = 256, /* of a node */
	ESTIMATE_NODE_TEXT = 37
};

/* One node's word. */
struct node_word {
	float time_log; /* the median of its observers */
	uint32_t at_s;
	struct correction_launch launch;
};

/* Collects records, those of a node one after another. */
struct estimate {
	char node[ESTIMATE_NODE_TEXT];
	size_t node_count, observer_count;
	uint64_t runs;
	struct node_word nodes[ESTIMATE_NODES_MAX];
	struct node_word observers[ESTIMATE_OBSERVERS_MAX];
};

void estimate_init(struct estimate *estimate);

/* One observer's runs, as decoded; where all were disturbed, or none is a number, it says nothing.
 */
void estimate_add(struct estimate *estimate, const char *node,
                  const struct correction_record *record);

/*
 * The site's record, as of one user: of each node's word a sample, of more than CORRECTION_SAMPLES
 * nodes those at even ranks, about the launch of the node in the middle. Returns the number of
 * nodes; where it is less than `agreement`, *record is not filled.
 */
uint32_t estimate_finish(struct estimate *estimate, uint32_t agreement,
                         struct correction_record *record);

#endif
