/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An OpenCL driver that misbehaves, for tests: built with MISBEHAVE_CRASH it
 * dies when asked for its devices, with MISBEHAVE_HANG it never answers.
 * It offers what the ICD loader needs (cl_khr_icd) and no more.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <CL/cl_icd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct _cl_platform_id {
	const cl_icd_dispatch *dispatch;
};

static cl_int CL_API_CALL get_platform_info(cl_platform_id platform, cl_platform_info name,
                                            size_t room, void *value, size_t *size)
{
	const char *text = "";

	(void)platform;
	switch (name) {
	case CL_PLATFORM_PROFILE:
		text = "FULL_PROFILE";
		break;
	case CL_PLATFORM_VERSION:
		text = "OpenCL 1.2 fake";
		break;
	case CL_PLATFORM_NAME:
	case CL_PLATFORM_VENDOR:
		text = "Misbehaving driver";
		break;
	case CL_PLATFORM_EXTENSIONS:
		text = "cl_khr_icd";
		break;
	case CL_PLATFORM_ICD_SUFFIX_KHR:
		text = "FAKE";
		break;
	default:
		return CL_INVALID_VALUE;
	}
	size_t length = strlen(text) + 1;
	if (size != NULL)
		*size = length;
	if (value != NULL) {
		if (room < length)
			return CL_INVALID_VALUE;
		memcpy(value, text, length);
	}
	return CL_SUCCESS;
}

static cl_int CL_API_CALL get_device_ids(cl_platform_id platform, cl_device_type type, cl_uint room,
                                         cl_device_id *devices, cl_uint *count)
{
	(void)platform;
	(void)type;
	(void)room;
	(void)devices;
	(void)count;
#if defined(MISBEHAVE_CRASH)
	abort();
#else
	while (pause() < 0)
		;
	return CL_DEVICE_NOT_FOUND;
#endif
}

static const cl_icd_dispatch dispatch = {
        .clGetPlatformInfo = get_platform_info,
        .clGetDeviceIDs = get_device_ids,
};

static struct _cl_platform_id the_platform = {.dispatch = &dispatch};

CL_API_ENTRY cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint room, cl_platform_id *platforms,
                                                       cl_uint *count);
CL_API_ENTRY cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint room, cl_platform_id *platforms,
                                                       cl_uint *count)
{
	if (count != NULL)
		*count = 1;
	if (platforms != NULL && room > 0)
		platforms[0] = &the_platform;
	return CL_SUCCESS;
}

CL_API_ENTRY void *CL_API_CALL clGetExtensionFunctionAddress(const char *name)
{
	if (strcmp(name, "clIcdGetPlatformIDsKHR") == 0)
		return (void *)clIcdGetPlatformIDsKHR;
	return NULL;
}

CL_API_ENTRY cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id platform, cl_platform_info name,
                                                  size_t room, void *value, size_t *size)
{
	return get_platform_info(platform, name, room, value, size);
}
