/* SPDX-License-Identifier: Apache-2.0 */
/* What the simulated device says of itself. */
#include "tests/unit/calibrator/simulated_call.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct _cl_platform_id {
	int unused;
};
struct _cl_device_id {
	int unused;
};

static struct _cl_platform_id the_platform;
static struct _cl_device_id the_device;

/* A driver that does not live as long as the question (probe.c): by the file that names it. */
static void misbehave(void)
{
	const char *icd = getenv("OCL_ICD_VENDORS");
	const char *name = icd != NULL ? strrchr(icd, '/') : NULL;
	if (name == NULL)
		return;
	if (strcmp(name, "/crashes.icd") == 0)
		(void)raise(SIGKILL);
	if (strcmp(name, "/hangs.icd") == 0)
		(void)raise(SIGALRM);
	if (strcmp(name, "/ends.icd") == 0)
		_exit(3);
}

cl_int clGetPlatformIDs(cl_uint room, cl_platform_id *platforms, cl_uint *count)
{
	misbehave();
	if (fails())
		return CL_OUT_OF_HOST_MEMORY;
	if (how.odd == ODD_NO_PLATFORMS)
		return CL_PLATFORM_NOT_FOUND_KHR;
	*count = how.odd == ODD_MANY_PLATFORMS ? 1000 : 1;
	for (cl_uint i = 0; i < room && i < *count; i++)
		platforms[i] = &the_platform;
	return CL_SUCCESS;
}

cl_int clGetPlatformInfo(cl_platform_id platform, cl_platform_info name, size_t room, void *value,
                         size_t *size)
{
	(void)platform;
	(void)name;
	if (how.odd == ODD_NAME_UNENDED)
		return tell_huge('p', room, room, value, size);
	if (how.odd == ODD_NAME_LONG)
		return tell_huge('p', SIMULATED_NAME_BYTES, room, value, size);
	return tell_text("Simulation", room, value, size);
}

cl_int clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint room,
                      cl_device_id *devices, cl_uint *count)
{
	(void)platform;
	(void)type;
	if (fails())
		return CL_OUT_OF_HOST_MEMORY;
	if (how.odd == ODD_NO_DEVICES)
		return CL_DEVICE_NOT_FOUND;
	*count = how.odd == ODD_MANY_DEVICES || how.odd == ODD_MANY_PLATFORMS ? 1000 : 1;
	for (cl_uint i = 0; i < room && i < *count; i++)
		devices[i] = &the_device;
	return CL_SUCCESS;
}

/* A driver that was built for less than is asked. */
static bool is_silent(cl_device_info name)
{
	return how.odd == ODD_SILENT && name != CL_DEVICE_TYPE && name != CL_DEVICE_AVAILABLE;
}

/* What processors of a socket say, where it is another thing. */
static bool socket_number(cl_device_info name, uint64_t *number)
{
	*number = name == CL_DEVICE_MAX_COMPUTE_UNITS       ? how.socket->units
	          : name == CL_DEVICE_GLOBAL_MEM_CACHE_SIZE ? (uint64_t)how.socket->told_bytes
	          : name == CL_DEVICE_GLOBAL_MEM_SIZE       ? UINT64_C(1) << 34
	          : name == CL_DEVICE_MAX_MEM_ALLOC_SIZE    ? UINT64_C(1) << 32
	                                                    : 0;
	return *number > 0;
}

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info name, size_t room, void *value,
                       size_t *size)
{
	static const struct {
		cl_device_info name;
		size_t bytes;
		uint64_t value;
	} numbers[] = {
	        {CL_DEVICE_MAX_COMPUTE_UNITS, 4, SIMULATED_UNITS},
	        {CL_DEVICE_MAX_CLOCK_FREQUENCY, 4, 1000},
	        {CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof(size_t), 1024},
	        {CL_DEVICE_LOCAL_MEM_SIZE, 8, 49152},
	        {CL_DEVICE_GLOBAL_MEM_SIZE, 8, UINT64_C(1) << 30},
	        {CL_DEVICE_MAX_MEM_ALLOC_SIZE, 8, UINT64_C(1) << 28},
	        {CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, 4, 64},
	        {CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, 4, 8},
	        {CL_DEVICE_IMAGE_SUPPORT, 4, CL_TRUE},
	        {CL_DEVICE_IMAGE2D_MAX_WIDTH, sizeof(size_t), 16384},
	        {CL_DEVICE_IMAGE2D_MAX_HEIGHT, sizeof(size_t), 16384},
	        {CL_DEVICE_IMAGE3D_MAX_WIDTH, sizeof(size_t), 2048},
	        {CL_DEVICE_IMAGE3D_MAX_HEIGHT, sizeof(size_t), 2048},
	        {CL_DEVICE_IMAGE3D_MAX_DEPTH, sizeof(size_t), 2048},
	        {CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, sizeof(size_t), 2048},
	        {CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, sizeof(size_t), 1 << 20},
	        {CL_DEVICE_DOUBLE_FP_CONFIG, 8, 63},
	        {CL_DEVICE_AVAILABLE, 4, CL_TRUE},
	        {CL_DEVICE_COMPILER_AVAILABLE, 4, CL_TRUE},
	        {0x4008, 4, 7},  /* NVIDIA's bus, */
	        {0x4009, 4, 24}, /* slot */
	        {0x400A, 4, 0},  /* and domain */
	};
	static const struct {
		enum simulated_odd odd;
		cl_device_info name;
		size_t bytes;
		uint64_t value;
	} odd_numbers[] = {
	        {ODD_UNITS_NONE, CL_DEVICE_MAX_COMPUTE_UNITS, 4, 0},
	        {ODD_UNITS_MANY, CL_DEVICE_MAX_COMPUTE_UNITS, 4, UINT32_MAX},
	        {ODD_UNITS_ONE, CL_DEVICE_MAX_COMPUTE_UNITS, 4, 1},
	        {ODD_NO_IMAGES, CL_DEVICE_IMAGE_SUPPORT, 4, CL_FALSE},
	        {ODD_IMAGES_SMALL, CL_DEVICE_IMAGE2D_MAX_WIDTH, sizeof(size_t), 1},
	        {ODD_NO_DOUBLE, CL_DEVICE_DOUBLE_FP_CONFIG, 8, 0},
	        {ODD_NO_LOCAL, CL_DEVICE_LOCAL_MEM_SIZE, 8, 0},
	        {ODD_GROUP_NONE, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof(size_t), 0},
	        {ODD_GROUP_ONE, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof(size_t), 1},
	        {ODD_GROUP_HUGE, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof(size_t), SIZE_MAX},
	        {ODD_MEMORY_NONE, CL_DEVICE_GLOBAL_MEM_SIZE, 8, 0},
	        {ODD_MEMORY_SMALL, CL_DEVICE_GLOBAL_MEM_SIZE, 8, 1 << 20},
	        {ODD_MEMORY_HUGE, CL_DEVICE_GLOBAL_MEM_SIZE, 8, UINT64_MAX},
	        {ODD_MEMORY_HUGE, CL_DEVICE_MAX_MEM_ALLOC_SIZE, 8, UINT64_MAX},
	        {ODD_LINE_NONE, CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, 4, 0},
	        {ODD_LINE_NONE, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, 4, 0},
	        {ODD_AWAY, CL_DEVICE_AVAILABLE, 4, CL_FALSE},
	        {ODD_NO_COMPILER, CL_DEVICE_COMPILER_AVAILABLE, 4, CL_FALSE},
	        {ODD_KIND, CL_DEVICE_TYPE, 8, CL_DEVICE_TYPE_ACCELERATOR},
	};
	static const size_t sizes[3] = {1024, 1024, 64}, ones[3] = {1, 1, 1};
	static const unsigned char uuid[16] = {1, 2, 3};
	static const cl_uint pci[4] = {UINT32_MAX, 1, 2, 3};
	uint64_t of_socket;
	const cl_device_type type = how.is_gpu ? CL_DEVICE_TYPE_GPU : CL_DEVICE_TYPE_CPU;
	(void)device;
	if (is_silent(name))
		return CL_INVALID_VALUE;
	for (size_t i = 0; i < sizeof odd_numbers / sizeof odd_numbers[0]; i++)
		if (odd_numbers[i].odd == how.odd && odd_numbers[i].name == name)
			return tell(&odd_numbers[i].value, odd_numbers[i].bytes, room, value, size);
	if (how.socket != NULL && socket_number(name, &of_socket))
		return tell(&of_socket, name == CL_DEVICE_MAX_COMPUTE_UNITS ? 4 : 8, room, value,
		            size);
	switch (name) {
	case CL_DEVICE_TYPE:
		return tell(&type, sizeof type, room, value, size);
	case CL_DEVICE_NAME:
		if (how.odd == ODD_NAME_UNENDED)
			return tell_huge('d', 9, room, value, size);
		if (how.odd == ODD_NAME_LONG)
			return tell_huge('d', SIMULATED_NAME_BYTES, room, value, size);
		if (how.odd == ODD_NAME_BYTES)
			return tell_text("\xff\x01\n\033[2J", room, value, size);
		return tell_text("Simulated device", room, value, size);
	case CL_DEVICE_VENDOR:
		return tell_text("predictd", room, value, size);
	case CL_DEVICE_VERSION:
		return tell_text(how.odd == ODD_VERSION   ? "none at all"
		                 : how.odd == ODD_NO_HALF ? "OpenCL 3.0 simulated"
		                                          : "OpenCL 2.0 simulated",
		                 room, value, size);
	case CL_DRIVER_VERSION:
		return tell_text("1", room, value, size);
	case CL_DEVICE_EXTENSIONS:
		if (how.compiler != NULL && how.compiler->extensions != NULL)
			return tell_text(how.compiler->extensions, room, value, size);
		return tell_text(how.odd == ODD_NO_HALF ? "cl_khr_fp16_not cl_khr_pci_bus_info"
		                                        : "cl_khr_device_uuid "
		                                          "cl_nv_device_attribute_query "
		                                          "cl_khr_fp16",
		                 room, value, size);
	case CL_DEVICE_MAX_WORK_ITEM_SIZES:
		if (how.odd == ODD_GROUP_ONE)
			return tell(ones, sizeof ones, room, value, size);
		return tell(sizes, sizeof sizes, room, value, size);
	case 0x106A:
		return tell(uuid, sizeof uuid, room, value, size);
	case 0x410F:
		return tell(pci, sizeof pci, room, value, size);
	default:
		break;
	}
	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
		if (numbers[i].name == name)
			return tell(&numbers[i].value, numbers[i].bytes, room, value, size);
	return CL_INVALID_VALUE;
}
