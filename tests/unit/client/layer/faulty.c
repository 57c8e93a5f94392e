/* SPDX-License-Identifier: Apache-2.0 */
/* A layer between the layer and the driver, which fails as $FAULT says. */
#include <CL/cl_layer.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct _cl_icd_dispatch target, own;

CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t size, void *value,
                                               size_t *size_ret)
{
	const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
	if (name != CL_LAYER_API_VERSION || (value != NULL && size < sizeof version))
		return CL_INVALID_VALUE;
	if (value != NULL)
		memcpy(value, &version, sizeof version);
	if (size_ret != NULL)
		*size_ret = sizeof version;
	return CL_SUCCESS;
}

/* A driver whose lock is held by somebody who does not come back. */
static cl_int CL_API_CALL hangs(cl_event event, cl_event_info what, size_t size, void *value,
                                size_t *size_ret)
{
	while (what == CL_EVENT_COMMAND_EXECUTION_STATUS)
		(void)pause();
	return target.clGetEventInfo(event, what, size, value, size_ret);
}

static cl_command_queue CL_API_CALL has_no_profile(cl_context context, cl_device_id device,
                                                   cl_command_queue_properties properties,
                                                   cl_int *error)
{
	if ((properties & CL_QUEUE_PROFILING_ENABLE) == 0)
		return target.clCreateCommandQueue(context, device, properties, error);
	if (error != NULL)
		*error = CL_INVALID_QUEUE_PROPERTIES;
	return NULL;
}

static cl_int CL_API_CALL has_no_times(cl_event event, cl_profiling_info what, size_t size,
                                       void *value, size_t *size_ret)
{
	(void)event, (void)what, (void)size, (void)value, (void)size_ret;
	return CL_PROFILING_INFO_NOT_AVAILABLE;
}

static cl_int CL_API_CALL has_no_resources(cl_command_queue queue, cl_kernel kernel,
                                           cl_uint dimensions, const size_t *offset,
                                           const size_t *global, const size_t *local,
                                           cl_uint wait_count, const cl_event *waits,
                                           cl_event *event)
{
	(void)queue, (void)kernel, (void)dimensions, (void)offset, (void)global, (void)local;
	(void)wait_count, (void)waits, (void)event;
	return CL_OUT_OF_RESOURCES;
}

CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint count, const cl_icd_dispatch *below,
                                            cl_uint *count_ret, const cl_icd_dispatch **dispatch)
{
	const char *fault = getenv("FAULT");
	const cl_uint known = sizeof own / sizeof(void *);
	*count_ret = count < known ? count : known;
	memcpy(&target, below, *count_ret * sizeof(void *));
	own = target;
	if (fault != NULL && strcmp(fault, "hang") == 0)
		own.clGetEventInfo = hangs;
	if (fault != NULL && strcmp(fault, "queue") == 0)
		own.clCreateCommandQueue = has_no_profile;
	if (fault != NULL && strcmp(fault, "times") == 0)
		own.clGetEventProfilingInfo = has_no_times;
	if (fault != NULL && strcmp(fault, "launch") == 0)
		own.clEnqueueNDRangeKernel = has_no_resources;
	*dispatch = &own;
	return CL_SUCCESS;
}
