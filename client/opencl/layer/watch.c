/* SPDX-License-Identifier: Apache-2.0 */
/* A command's event: reserved for before the call, retained or taken after it. */
#include "client/opencl/layer/watch.h"

void watch_begin(struct watch *watch, cl_command_queue handle, cl_event *event)
{
	watch->queue = layer_follows() ? queue_find(handle) : NULL;
	watch->is_kept = watch->queue != NULL && watch->queue->device != NULL && harvest_reserve();
	watch->own = NULL;
	watch->event = event == NULL && watch->is_kept ? &watch->own : event;
}

bool watch_end(struct watch *watch, cl_int result)
{
	if (!watch->is_kept)
		return false;
	bool is_good = result == CL_SUCCESS && *watch->event != NULL;
	if (is_good && watch->event != &watch->own) {
		watch->own = *watch->event;
		is_good = layer_target.clRetainEvent(watch->own) == CL_SUCCESS;
	}
	if (!is_good)
		harvest_unreserve();
	return is_good;
}

void watch_push(const struct watch *watch, struct harvest_entry *entry)
{
	entry->event = watch->own;
	entry->queue = watch->queue;
	queue_keep(watch->queue);
	harvest_push(entry);
}
