/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hot path: two look-ups of handles, one of the shape, a place in the ring. It takes no lock,
 * allocates nothing and calls no system, but for a shape that comes up.
 */
#include <string.h>

#include "client/opencl/layer/shapes.h"
#include "client/opencl/layer/watch.h"

static void copy_sizes(uint64_t to[3], const size_t *from, cl_uint dimensions)
{
	for (cl_uint i = 0; from != NULL && i < dimensions; i++)
		to[i] = from[i];
}

/* A launch of nothing, which OpenCL 2.1 allows. */
static bool is_empty(const size_t *global, cl_uint dimensions)
{
	for (cl_uint i = 0; global != NULL && i < dimensions; i++)
		if (global[i] == 0)
			return true;
	return global == NULL;
}

static void let_go(const struct watch *watch, bool is_followed)
{
	if (!is_followed)
		return;
	(void)layer_target.clReleaseEvent(watch->own);
	harvest_unreserve();
}

/* The launch has been taken by the driver. is_followed: its event is to be pushed. */
static void tell(const struct watch *watch, bool is_followed, cl_kernel handle, cl_uint dimensions,
                 const size_t *offset, const size_t *global, const size_t *local)
{
	const struct kernel *kernel = kernel_find(handle);
	struct shape_launch launch = {
	        .kernel = kernel == NULL ? NULL : kernel_on(kernel, watch->queue->handle),
	        .device = watch->queue->device,
	        .dimensions = dimensions};
	struct harvest_entry entry = {0};
	copy_sizes(launch.offset, offset, dimensions);
	copy_sizes(launch.global, global, dimensions);
	copy_sizes(launch.local, local, dimensions);
	if (launch.kernel != NULL && launch.device != NULL)
		entry.shape = shapes_find(&launch, kernel, &entry.is_near);
	if (kernel != NULL)
		kernel_has_written(kernel);
	if (entry.shape == NULL)
		atomic_fetch_add_explicit(&layer_losses.shapes, 1, memory_order_relaxed);
	else if (!is_followed)
		atomic_fetch_add_explicit(&layer_losses.launches, 1, memory_order_relaxed);
	if (entry.shape != NULL)
		entry.is_first = atomic_fetch_add_explicit(&entry.shape->launches, 1,
		                                           memory_order_relaxed) == 0;
	if (is_followed && entry.shape != NULL)
		watch_push(watch, &entry);
	else
		let_go(watch, is_followed);
}

static cl_int CL_API_CALL own_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel,
                                                     cl_uint dimensions, const size_t *offset,
                                                     const size_t *global, const size_t *local,
                                                     cl_uint wait_count, const cl_event *waits,
                                                     cl_event *event)
{
	struct watch watch;
	watch_begin(&watch, queue, event);
	const cl_int result = layer_target.clEnqueueNDRangeKernel(
	        queue, kernel, dimensions, offset, global, local, wait_count, waits, watch.event);
	const bool is_followed = watch_end(&watch, result);
	if (result != CL_SUCCESS || watch.queue == NULL)
		return result;
	if (dimensions > 3 || is_empty(global, dimensions))
		let_go(&watch, is_followed);
	else
		tell(&watch, is_followed, kernel, dimensions, offset, global, local);
	return result;
}

static cl_int CL_API_CALL own_clEnqueueTask(cl_command_queue queue, cl_kernel kernel,
                                            cl_uint wait_count, const cl_event *waits,
                                            cl_event *event)
{
	static const size_t one = 1;
	struct watch watch;
	watch_begin(&watch, queue, event);
	const cl_int result =
	        layer_target.clEnqueueTask(queue, kernel, wait_count, waits, watch.event);
	const bool is_followed = watch_end(&watch, result);
	if (result == CL_SUCCESS && watch.queue != NULL)
		tell(&watch, is_followed, kernel, 1, NULL, &one, &one);
	return result;
}

void launch_enter(struct _cl_icd_dispatch *dispatch)
{
	LAYER_ENTER(dispatch, clEnqueueNDRangeKernel);
	LAYER_ENTER(dispatch, clEnqueueTask);
}
