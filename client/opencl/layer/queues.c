/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queues get a profile that the program does not see: its properties are what the program gave,
 * and its events refuse their times as they would have.
 */
#include "client/opencl/layer/queues.h"

#include <stdlib.h>
#include <string.h>

#include "client/opencl/layer/exit.h"
#include "client/opencl/layer/handles.h"
#include "client/opencl/layer/harvest.h"
#include "client/opencl/layer/intern.h"

enum { PROPERTIES_MAX = 64, GONE_MAX = 64 };

/* Queues with a hidden profile that the program released last: events outlive them. */
static _Atomic(cl_command_queue) gone[GONE_MAX];
static _Atomic uint64_t gone_count;

static _Atomic uint64_t queues_made, queues_live;
static _Atomic bool has_unordered;

struct queue *queue_find(cl_command_queue handle)
{
	return handles_find(handle, HANDLE_QUEUE);
}

void queue_keep(struct queue *queue)
{
	atomic_fetch_add_explicit(&queue->references, 1, memory_order_relaxed);
}

void queue_drop(struct queue *queue)
{
	if (atomic_fetch_sub_explicit(&queue->references, 1, memory_order_acq_rel) != 1)
		return;
	free(queue->wanted);
	free(queue);
}

static void queue_end(void *record)
{
	atomic_fetch_sub(&queues_live, 1);
	queue_drop(record);
}

bool queues_may_overlap(void)
{
	return atomic_load(&has_unordered) || atomic_load(&queues_live) > 1;
}

void queues_forget(void)
{
	atomic_store(&queues_live, 0);
	atomic_store(&has_unordered, false);
}

/* The address of a queue that is gone has come up again, for another one. */
static void come_back(cl_command_queue handle)
{
	for (size_t i = 0; i < GONE_MAX; i++) {
		cl_command_queue expected = handle;
		(void)atomic_compare_exchange_strong(&gone[i], &expected, NULL);
	}
}

/* properties: as the program gave them, `count` with the zero at the end; NULL: no list. */
static void follow(cl_command_queue handle, cl_device_id device, bool is_ordered, bool is_hidden,
                   const cl_queue_properties *properties, size_t count)
{
	struct queue *new = calloc(1, sizeof *new);
	come_back(handle);
	if (new == NULL)
		return;
	new->handle = device;
	new->is_ordered = is_ordered;
	atomic_store(&new->is_hidden, is_hidden);
	new->device = intern_device(device);
	new->number = atomic_fetch_add(&queues_made, 1);
	atomic_store(&new->references, 1);
	atomic_fetch_add(&queues_live, 1);
	if (!is_ordered)
		atomic_store(&has_unordered, true);
	if (properties != NULL && (new->wanted = malloc(count * sizeof *properties)) != NULL) {
		memcpy(new->wanted, properties, count * sizeof *properties);
		new->wanted_count = count;
	}
	handles_add(handle, HANDLE_QUEUE, new, queue_end);
	exit_register(EXIT_AFTER_QUEUE);
	harvest_start();
}

static cl_command_queue CL_API_CALL own_clCreateCommandQueue(cl_context context,
                                                             cl_device_id device,
                                                             cl_command_queue_properties properties,
                                                             cl_int *error)
{
	const bool has = (properties & CL_QUEUE_PROFILING_ENABLE) != 0;
	cl_command_queue made = NULL;
	if (!layer_follows())
		return layer_target.clCreateCommandQueue(context, device, properties, error);
	if (!has)
		made = layer_target.clCreateCommandQueue(
		        context, device, properties | CL_QUEUE_PROFILING_ENABLE, error);
	const bool is_hidden = made != NULL;
	if (made == NULL)
		made = layer_target.clCreateCommandQueue(context, device, properties, error);
	if (made != NULL)
		follow(made, device, (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0,
		       is_hidden, NULL, 0);
	return made;
}

/*
 * Copies the program's list and adds the profile.
 *
 * with    PROPERTIES_MAX + 2
 * count   out: of the program's list, with its zero; 0: it has none
 * given   out: what the program gave as CL_QUEUE_PROPERTIES
 *
 * false: the list is too long to be looked at.
 */
static bool add_profile(const cl_queue_properties *list, cl_queue_properties *with, size_t *count,
                        cl_queue_properties *given)
{
	size_t n = 0;
	bool has = false;
	*given = 0;
	for (; list != NULL && list[n] != 0; n += 2) {
		if (n + 3 > PROPERTIES_MAX)
			return false;
		with[n] = list[n];
		with[n + 1] = list[n + 1];
		if (list[n] == CL_QUEUE_PROPERTIES) {
			*given = list[n + 1];
			with[n + 1] |= CL_QUEUE_PROFILING_ENABLE;
			has = true;
		}
	}
	*count = list == NULL ? 0 : n + 1;
	if (!has) {
		with[n++] = CL_QUEUE_PROPERTIES;
		with[n++] = CL_QUEUE_PROFILING_ENABLE;
	}
	with[n] = 0;
	return true;
}

static cl_command_queue CL_API_CALL own_clCreateCommandQueueWithProperties(
        cl_context context, cl_device_id device, const cl_queue_properties *list, cl_int *error)
{
	cl_queue_properties with[PROPERTIES_MAX + 2], given = 0;
	size_t count = 0;
	cl_command_queue made = NULL;
	if (!layer_follows() || !add_profile(list, with, &count, &given) ||
	    (given & CL_QUEUE_ON_DEVICE) != 0)
		return layer_target.clCreateCommandQueueWithProperties(context, device, list,
		                                                       error);
	if ((given & CL_QUEUE_PROFILING_ENABLE) == 0)
		made = layer_target.clCreateCommandQueueWithProperties(context, device, with,
		                                                       error);
	const bool is_hidden = made != NULL;
	if (made == NULL)
		made = layer_target.clCreateCommandQueueWithProperties(context, device, list,
		                                                       error);
	if (made != NULL)
		follow(made, device, (given & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0,
		       is_hidden, list, count);
	return made;
}

static cl_int CL_API_CALL own_clRetainCommandQueue(cl_command_queue handle)
{
	const cl_int result = layer_target.clRetainCommandQueue(handle);
	if (result == CL_SUCCESS)
		handles_retain(handle, HANDLE_QUEUE);
	return result;
}

static cl_int CL_API_CALL own_clReleaseCommandQueue(cl_command_queue handle)
{
	const struct queue *queue = queue_find(handle);
	const bool is_hidden = queue != NULL && atomic_load(&queue->is_hidden);
	handles_release(handle, HANDLE_QUEUE);
	if (is_hidden && queue_find(handle) == NULL)
		atomic_store(&gone[atomic_fetch_add(&gone_count, 1) % GONE_MAX], handle);
	return layer_target.clReleaseCommandQueue(handle);
}

/* What clGet...Info returns of a value. */
static cl_int give(const void *from, size_t wanted, size_t size, void *value, size_t *size_ret)
{
	if (value != NULL && size < wanted)
		return CL_INVALID_VALUE;
	if (value != NULL && wanted > 0)
		memcpy(value, from, wanted);
	if (size_ret != NULL)
		*size_ret = wanted;
	return CL_SUCCESS;
}

static cl_int CL_API_CALL own_clGetCommandQueueInfo(cl_command_queue handle,
                                                    cl_command_queue_info what, size_t size,
                                                    void *value, size_t *size_ret)
{
	const struct queue *queue = queue_find(handle);
	cl_command_queue_properties properties;
	size_t theirs;
	if (queue == NULL || !atomic_load(&queue->is_hidden))
		return layer_target.clGetCommandQueueInfo(handle, what, size, value, size_ret);
	if (what == CL_QUEUE_PROPERTIES_ARRAY &&
	    layer_target.clGetCommandQueueInfo(handle, what, 0, NULL, &theirs) == CL_SUCCESS)
		return give(queue->wanted, queue->wanted_count * sizeof *queue->wanted, size, value,
		            size_ret);
	if (what == CL_QUEUE_PROPERTIES &&
	    layer_target.clGetCommandQueueInfo(handle, what, sizeof properties, &properties,
	                                       NULL) == CL_SUCCESS) {
		properties &= ~(cl_command_queue_properties)CL_QUEUE_PROFILING_ENABLE;
		return give(&properties, sizeof properties, size, value, size_ret);
	}
	return layer_target.clGetCommandQueueInfo(handle, what, size, value, size_ret);
}

/* Of OpenCL 1.0: what the program sets from now on is what it sees. */
static cl_int CL_API_CALL own_clSetCommandQueueProperty(cl_command_queue handle,
                                                        cl_command_queue_properties properties,
                                                        cl_bool enable,
                                                        cl_command_queue_properties *old)
{
	const cl_int result =
	        layer_target.clSetCommandQueueProperty(handle, properties, enable, old);
	struct queue *queue = queue_find(handle);
	if (result != CL_SUCCESS || queue == NULL || !atomic_load(&queue->is_hidden))
		return result;
	if (old != NULL)
		*old &= ~(cl_command_queue_properties)CL_QUEUE_PROFILING_ENABLE;
	if ((properties & CL_QUEUE_PROFILING_ENABLE) != 0)
		atomic_store(&queue->is_hidden, false);
	return result;
}

static bool is_gone(cl_command_queue handle)
{
	for (size_t i = 0; handle != NULL && i < GONE_MAX; i++)
		if (atomic_load_explicit(&gone[i], memory_order_relaxed) == handle)
			return true;
	return false;
}

static cl_int CL_API_CALL own_clGetEventProfilingInfo(cl_event event, cl_profiling_info what,
                                                      size_t size, void *value, size_t *size_ret)
{
	cl_command_queue handle = NULL;
	const struct queue *queue = NULL;
	if (layer_target.clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof handle, &handle,
	                                NULL) == CL_SUCCESS)
		queue = queue_find(handle);
	if (queue != NULL ? atomic_load(&queue->is_hidden) : is_gone(handle))
		return CL_PROFILING_INFO_NOT_AVAILABLE;
	return layer_target.clGetEventProfilingInfo(event, what, size, value, size_ret);
}

/* ---- contexts: once one is made, the driver has registered what it does at exit ------------ */

static cl_context CL_API_CALL own_clCreateContext(
        const cl_context_properties *properties, cl_uint count, const cl_device_id *devices,
        void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *user,
        cl_int *error)
{
	cl_context made =
	        layer_target.clCreateContext(properties, count, devices, notify, user, error);
	exit_register(EXIT_AFTER_CONTEXT);
	return made;
}

static cl_context CL_API_CALL
own_clCreateContextFromType(const cl_context_properties *properties, cl_device_type type,
                            void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *),
                            void *user, cl_int *error)
{
	cl_context made =
	        layer_target.clCreateContextFromType(properties, type, notify, user, error);
	exit_register(EXIT_AFTER_CONTEXT);
	return made;
}

void queues_enter(struct _cl_icd_dispatch *dispatch)
{
	LAYER_ENTER(dispatch, clCreateContext);
	LAYER_ENTER(dispatch, clCreateContextFromType);
	LAYER_ENTER(dispatch, clCreateCommandQueue);
	LAYER_ENTER(dispatch, clCreateCommandQueueWithProperties);
	LAYER_ENTER(dispatch, clRetainCommandQueue);
	LAYER_ENTER(dispatch, clReleaseCommandQueue);
	LAYER_ENTER(dispatch, clGetCommandQueueInfo);
	LAYER_ENTER(dispatch, clSetCommandQueueProperty);
	LAYER_ENTER(dispatch, clGetEventProfilingInfo);
}
