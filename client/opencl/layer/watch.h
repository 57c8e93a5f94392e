/* SPDX-License-Identifier: Apache-2.0 */
/* One command on its way to the driver: where the program wants no event, the layer asks for one.
 */
#ifndef CLIENT_OPENCL_LAYER_WATCH_H
#define CLIENT_OPENCL_LAYER_WATCH_H

#include "client/opencl/layer/harvest.h"

struct watch {
	struct queue *queue; /* NULL: the command is not followed */
	bool is_kept;        /* room is reserved */
	cl_event own;
	cl_event *event; /* for the driver */
};

/* Before the call. event: the program's, or NULL. */
void watch_begin(struct watch *watch, cl_command_queue queue, cl_event *event);

/* After it. false: it failed, or nobody is told of it; then watch_push must not be called. */
bool watch_end(struct watch *watch, cl_int result);

/* entry: but for event and queue. */
void watch_push(const struct watch *watch, struct harvest_entry *entry);

#endif
