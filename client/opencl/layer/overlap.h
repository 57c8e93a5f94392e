/* SPDX-License-Identifier: Apache-2.0 */
/* Which kernels ran on a device while another one did: their spans are longer than their work. */
#ifndef CLIENT_OPENCL_LAYER_OVERLAP_H
#define CLIENT_OPENCL_LAYER_OVERLAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct span {
	const void *device;
	uint64_t queue;
	bool is_ordered; /* its queue runs one after the other */
	double start_s, end_s;
	bool *overlapped; /* out: true where it is found to be; unchanged else */
};

enum { OVERLAP_SPANS = 64 };

/* Kernels that ended last, of all devices. Zeroes at first. */
struct overlap {
	struct span recent[OVERLAP_SPANS];
	size_t count; /* seen in all */
};

/* Another kernel has ended: marks it, and those before it that it ran beside. */
void overlap_add(struct overlap *overlap, const struct span *span);

/* What was added is told by now: its marks are not written any more. */
void overlap_settle(struct overlap *overlap);

#endif
