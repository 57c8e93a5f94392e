/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread that looks at events once they have ended, and tells what is known of them. It waits
 * for no event, flushes no queue and registers no callback.
 */
#ifndef CLIENT_OPENCL_LAYER_HARVEST_H
#define CLIENT_OPENCL_LAYER_HARVEST_H

#include "client/opencl/layer/queues.h"

enum { HARVEST_MAX = 1 << 14 }; /* events that are followed at once */

struct harvest_entry {
	cl_event event;      /* a reference of the layer's own */
	struct queue *queue; /* kept */
	seen_shape *shape;   /* NULL: a transfer */
	uint64_t size_bytes;
	seen_transfer_kind kind;
	bool is_blocking, is_first, is_near;
};

/* Starts the thread where there is none in this process. */
void harvest_start(void);

/* Room for one more event; false: there is none, or no thread. */
bool harvest_reserve(void);
/* The room is not needed. */
void harvest_unreserve(void);
/* Takes an entry that room was reserved for. Waits for nothing. */
void harvest_push(const struct harvest_entry *entry);

/* At exit: ends the thread, or leaves it where it hangs. Half a second at most. */
void harvest_end(void);

/* Around fork(), in the parent: meanwhile the thread is not in the driver. */
void harvest_hold(void);
void harvest_let_go(void);
/* In the child. */
void harvest_forget(void);

#endif
