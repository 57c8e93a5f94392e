/* SPDX-License-Identifier: Apache-2.0 */
/* The program's queues. */
#ifndef CLIENT_OPENCL_LAYER_QUEUES_H
#define CLIENT_OPENCL_LAYER_QUEUES_H

#include "client/opencl/layer/layer.h"

struct pending; /* harvest.c */

struct queue {
	seen_device *device;
	cl_device_id handle; /* of the device */
	bool is_ordered;
	_Atomic bool is_hidden;      /* has a profile that the program did not ask for */
	cl_queue_properties *wanted; /* the program's own list with its zero; NULL: none */
	size_t wanted_count;
	uint64_t number;
	_Atomic uint32_t references; /* the program's, and one an event that is followed */
	/* the harvesting thread's own: events that are followed, the oldest first */
	struct pending *first, *last;
	struct queue *next;
	bool is_listed;
};

/* NULL: it is not followed. */
struct queue *queue_find(cl_command_queue handle);
void queue_keep(struct queue *queue);
void queue_drop(struct queue *queue);

/* Whether kernels of one device may run at once, as far as queues tell. */
bool queues_may_overlap(void);

/* In a child of fork(). */
void queues_forget(void);

#endif
