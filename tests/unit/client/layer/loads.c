/* SPDX-License-Identifier: Apache-2.0 */
/* A program that loads the OpenCL loader, uses it, unloads it and goes on. */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
	cl_platform_id platform;
	cl_device_id device;
	cl_int error = CL_SUCCESS;
	const int value = 1;
	void *loader = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
	if (loader == NULL)
		return 97;
#define GET(name) const __typeof__(&name) own_##name = (__typeof__(&name))dlsym(loader, #name)
	GET(clGetPlatformIDs);
	GET(clGetDeviceIDs);
	GET(clCreateContext);
	GET(clCreateCommandQueue);
	GET(clCreateBuffer);
	GET(clEnqueueWriteBuffer);
	GET(clFinish);
	if (own_clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
	    own_clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS)
		return 98;
	cl_context context = own_clCreateContext(NULL, 1, &device, NULL, NULL, &error);
	cl_command_queue queue = own_clCreateCommandQueue(context, device, 0, &error);
	cl_mem buffer = own_clCreateBuffer(context, 0, 64, NULL, &error);
	for (int i = 0; i < 100; i++)
		error |= own_clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, sizeof value, &value,
		                                  0, NULL, NULL);
	error |= own_clFinish(queue);
	printf("written %d\n", error);
	printf("unloaded %d\n", dlclose(loader));
	(void)usleep(200000);
	printf("done\n");
	return 0;
}
