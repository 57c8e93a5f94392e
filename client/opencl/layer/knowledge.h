/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is known of what a program launches: predictions, asked for in the background, and times,
 * which are reported to the daemon and written for `predictctl run`. All of it is called by one
 * thread of the layer's, never by one of the program's.
 */
#ifndef CLIENT_OPENCL_LAYER_KNOWLEDGE_H
#define CLIENT_OPENCL_LAYER_KNOWLEDGE_H

#include "client/opencl/layer/seen.h"

/* How much is done, as $PREDICTD_LAYER says. */
typedef enum layer_mode {
	LAYER_OFF,
	LAYER_TIMES, /* counts and times, no sources: nothing is asked */
	LAYER_ALL
} layer_mode;

/*
 * Opens what the environment asks for; connects to no daemon yet, and waits for nothing.
 * false: memory is short, and nothing else of this may be called.
 */
bool knowledge_open(layer_mode mode);

/* A shape came up: its prediction is asked for, before any time of it is reported. */
void knowledge_shape(seen_shape *shape);

/* A launch of it has ended. */
void knowledge_launch(seen_shape *shape, const seen_times *times);

/* A transfer has ended. blocking: the program waited for it. */
void knowledge_transfer(seen_transfer_kind kind, const seen_device *device, uint64_t size_bytes,
                        bool is_blocking, const seen_times *times);

/* Called every 50 ms or so: writes what has changed, dispatches answers. Waits for nothing. */
void knowledge_tick(const seen_losses *losses);

/* At exit: what is to be sent and written, within wait_s. */
void knowledge_close(const seen_losses *losses, double wait_s);

/* In a child of fork(), which knows nothing of its parent's launches. */
void knowledge_forked(void);

#endif
