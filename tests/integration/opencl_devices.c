/* SPDX-License-Identifier: Apache-2.0 */
/* The index and name of each OpenCL device as predictd knows it, found by its cl_device_id. */
#define CL_TARGET_OPENCL_VERSION 120
#include "client/opencl/predictd_opencl.h"

enum { PLATFORMS_MAX = 8, DEVICES_MAX = 16 };

int main(void)
{
	cl_platform_id platforms[PLATFORMS_MAX];
	cl_uint platform_count = 0;
	predictd_connection *connection;
	if (predictd_open(NULL, &connection) != PREDICTD_OK ||
	    clGetPlatformIDs(PLATFORMS_MAX, platforms, &platform_count) != CL_SUCCESS) {
		(void)fprintf(stderr, "opencl_devices: %s\n", predictd_error_text());
		return 1;
	}
	for (cl_uint i = 0; i < platform_count && i < PLATFORMS_MAX; i++) {
		cl_device_id devices[DEVICES_MAX];
		cl_uint count = 0;
		if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, DEVICES_MAX, devices,
		                   &count) != CL_SUCCESS)
			continue;
		for (cl_uint j = 0; j < count && j < DEVICES_MAX; j++) {
			predictd_device_identity identity;
			uint32_t index;
			predictd_opencl_identity(devices[j], &identity);
			if (predictd_opencl_find(connection, devices[j], &index) == PREDICTD_OK)
				(void)printf("%u\t%s\n", index, identity.name);
			else
				(void)printf("-\t%s\n", predictd_error_text());
		}
	}
	predictd_close(connection);
	return 0;
}
