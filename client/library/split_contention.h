/* SPDX-License-Identifier: Apache-2.0 */
/* What the devices of a split do to each other, of the launch that is split. */
#ifndef PREDICTD_CLIENT_LIBRARY_SPLIT_CONTENTION_H
#define PREDICTD_CLIENT_LIBRARY_SPLIT_CONTENTION_H

#include "client/library/contention.h"

struct split_contention {
	predictd_slowdown pairs[PREDICTD_SPLIT_DEVICES_MAX * PREDICTD_SPLIT_DEVICES_MAX];
	/* of splitting: as it takes them; made by split_contention_mix */
	double slowdowns[PREDICTD_SPLIT_DEVICES_MAX * PREDICTD_SPLIT_DEVICES_MAX];
	bool is_any_known, is_all_known; /* of the pairs of two of them */
};

/* Asks for pairs. Fails where the daemon does not answer. */
predictd_status split_contention_ask(predictd_connection *connection,
                                     const predictd_splitting *splitting,
                                     struct split_contention *contention);

/* Fills slowdowns by how each device divides its time: mixes, one a device. */
void split_contention_mix(struct split_contention *contention, size_t count,
                          const struct load_mix *mixes);

#endif
