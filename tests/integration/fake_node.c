/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The OpenCL driver of a large node that is not there: eight GPUs of the model whose calibration
 * tests/accuracy/data/h200 has, and a CPU of 256 cores. It tells what devices are asked
 * (cl_khr_icd), and runs nothing.
 */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_icd.h>
#include <stdbool.h>
#include <string.h>

enum { GPUS = 8, DEVICES = GPUS + 1, GPU_UNITS = 132, CPU_CORES = 256, UUID_BYTES = 16 };
enum { DEVICE_UUID = 0x106A }; /* of cl_khr_device_uuid */

struct _cl_platform_id {
	const cl_icd_dispatch *dispatch;
};
struct _cl_device_id {
	const cl_icd_dispatch *dispatch;
	unsigned number;
};

static cl_int give(const void *from, size_t size, size_t room, void *value, size_t *size_out)
{
	if (size_out != NULL)
		*size_out = size;
	if (value == NULL)
		return CL_SUCCESS;
	if (room < size)
		return CL_INVALID_VALUE;
	memcpy(value, from, size);
	return CL_SUCCESS;
}

static cl_int CL_API_CALL get_platform_info(cl_platform_id platform, cl_platform_info name,
                                            size_t room, void *value, size_t *size)
{
	const char *text;

	(void)platform;
	switch (name) {
	case CL_PLATFORM_PROFILE:
		text = "FULL_PROFILE";
		break;
	case CL_PLATFORM_VERSION:
		text = "OpenCL 3.0 simulated";
		break;
	case CL_PLATFORM_NAME:
	case CL_PLATFORM_VENDOR:
		text = "Simulated node";
		break;
	case CL_PLATFORM_EXTENSIONS:
		text = "cl_khr_icd";
		break;
	case CL_PLATFORM_ICD_SUFFIX_KHR:
		text = "NODE";
		break;
	default:
		return CL_INVALID_VALUE;
	}
	return give(text, strlen(text) + 1, room, value, size);
}

static const char *device_text(bool is_gpu, cl_device_info name)
{
	switch (name) {
	case CL_DEVICE_VENDOR:
		return is_gpu ? "NVIDIA Corporation" : "GenuineIntel";
	case CL_DEVICE_NAME:
		return is_gpu ? "NVIDIA H200" : "cpu-skylake-avx512-Intel(R) Xeon(R) Processor";
	case CL_DRIVER_VERSION:
		return is_gpu ? "580.159.04" : "5.0+debian";
	case CL_DEVICE_VERSION:
		return is_gpu ? "OpenCL 3.0 CUDA" : "OpenCL 3.0 PoCL HSTR: cpu-x86_64-pc-linux-gnu";
	case CL_DEVICE_OPENCL_C_VERSION:
		return "OpenCL C 1.2";
	case CL_DEVICE_EXTENSIONS:
		return is_gpu ? "cl_khr_fp64 cl_khr_device_uuid" : "cl_khr_fp64";
	default:
		return NULL;
	}
}

static cl_int CL_API_CALL get_device_info(cl_device_id device, cl_device_info name, size_t room,
                                          void *value, size_t *size)
{
	bool is_gpu = device->number < GPUS;
	const char *text = device_text(is_gpu, name);
	unsigned char uuid[UUID_BYTES] = {0xa5, (unsigned char)device->number};
	const size_t sizes[] = {1024, 1024, is_gpu ? 64 : 1024};
	const size_t group = 1024;
	cl_device_type type = is_gpu ? CL_DEVICE_TYPE_GPU : CL_DEVICE_TYPE_CPU;
	cl_device_fp_config doubles = CL_FP_FMA | CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN;
	cl_uint number = 0;
	cl_ulong bytes = 0;
	cl_bool yes = CL_TRUE;

	if (text != NULL)
		return give(text, strlen(text) + 1, room, value, size);
	switch (name) {
	case CL_DEVICE_TYPE:
		return give(&type, sizeof type, room, value, size);
	case CL_DEVICE_MAX_COMPUTE_UNITS:
		number = is_gpu ? GPU_UNITS : CPU_CORES;
		return give(&number, sizeof number, room, value, size);
	case CL_DEVICE_MAX_CLOCK_FREQUENCY:
		number = is_gpu ? 1980 : 2100;
		return give(&number, sizeof number, room, value, size);
	case CL_DEVICE_MAX_WORK_GROUP_SIZE:
		return give(&group, sizeof group, room, value, size);
	case CL_DEVICE_MAX_WORK_ITEM_SIZES:
		return give(sizes, sizeof sizes, room, value, size);
	case CL_DEVICE_LOCAL_MEM_SIZE:
		bytes = 48 << 10;
		return give(&bytes, sizeof bytes, room, value, size);
	case CL_DEVICE_GLOBAL_MEM_SIZE:
		bytes = 140ULL << 30;
		return give(&bytes, sizeof bytes, room, value, size);
	case CL_DEVICE_MAX_MEM_ALLOC_SIZE:
		bytes = 35ULL << 30;
		return give(&bytes, sizeof bytes, room, value, size);
	case CL_DEVICE_DOUBLE_FP_CONFIG:
		return give(&doubles, sizeof doubles, room, value, size);
	case CL_DEVICE_AVAILABLE:
	case CL_DEVICE_COMPILER_AVAILABLE:
		return give(&yes, sizeof yes, room, value, size);
	case DEVICE_UUID:
		return is_gpu ? give(uuid, sizeof uuid, room, value, size) : CL_INVALID_VALUE;
	default:
		return CL_INVALID_VALUE;
	}
}

static cl_int CL_API_CALL get_device_ids(cl_platform_id platform, cl_device_type type, cl_uint room,
                                         cl_device_id *devices, cl_uint *count);

static const cl_icd_dispatch dispatch = {
        .clGetPlatformInfo = get_platform_info,
        .clGetDeviceIDs = get_device_ids,
        .clGetDeviceInfo = get_device_info,
};

static struct _cl_platform_id the_platform = {.dispatch = &dispatch};
static struct _cl_device_id the_devices[DEVICES];

static cl_int CL_API_CALL get_device_ids(cl_platform_id platform, cl_device_type type, cl_uint room,
                                         cl_device_id *devices, cl_uint *count)
{
	(void)platform;
	(void)type; /* all of them are asked for */
	for (unsigned i = 0; devices != NULL && i < room && i < DEVICES; i++) {
		the_devices[i] = (struct _cl_device_id){.dispatch = &dispatch, .number = i};
		devices[i] = &the_devices[i];
	}
	if (count != NULL)
		*count = DEVICES;
	return CL_SUCCESS;
}

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
