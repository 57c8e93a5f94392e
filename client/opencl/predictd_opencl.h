/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a cl_device_id to predictd's device. Everything here is compiled into the program that
 * includes it and calls the OpenCL that the program links: libpredictd itself knows none.
 */
#ifndef PREDICTD_OPENCL_H
#define PREDICTD_OPENCL_H

#include <predictd.h>

#include <stdio.h>
#include <string.h>

#ifdef __APPLE__
#include <OpenCL/opencl.h>
#else
#include <CL/cl.h>
#endif

/* 1 when the device has an extension of that name. */
static inline int predictd_opencl_has(cl_device_id device, const char *name)
{
	char extensions[16384];
	const size_t length = strlen(name);
	const char *at;
	if (clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL) !=
	    CL_SUCCESS)
		return 0;
	extensions[sizeof extensions - 1] = '\0';
	for (at = strstr(extensions, name); at != NULL; at = strstr(at + 1, name))
		if (at[length] == ' ' || at[length] == '\0')
			return 1;
	return 0;
}

/* Text of the device, "" where the driver gives none or one that does not fit. */
static inline void predictd_opencl_text(cl_device_id device, cl_device_info what, char *text,
                                        size_t size)
{
	if (clGetDeviceInfo(device, what, size, text, NULL) != CL_SUCCESS)
		text[0] = '\0';
	text[size - 1] = '\0';
}

/* What tells the device from others, as predictd_find_device wants it. */
static inline void predictd_opencl_identity(cl_device_id device, predictd_device_identity *identity)
{
	/* of extensions that <CL/cl.h> may lack: cl_khr_device_uuid, cl_khr_pci_bus_info, cl_nv_ */
	const cl_device_info uuid_info = 0x106A, pci_info = 0x410F;
	const cl_device_info nv_bus_info = 0x4008, nv_slot_info = 0x4009, nv_domain_info = 0x400A;
	unsigned char uuid[16];
	cl_uint pci[4], bus, slot, domain = 0, units = 0;
	cl_platform_id platform;
	size_t i;
	memset(identity, 0, sizeof *identity);
	if (clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL) ==
	            CL_SUCCESS &&
	    clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof identity->platform - 1,
	                      identity->platform, NULL) != CL_SUCCESS)
		identity->platform[0] = '\0';
	predictd_opencl_text(device, CL_DEVICE_VENDOR, identity->vendor, sizeof identity->vendor);
	predictd_opencl_text(device, CL_DEVICE_NAME, identity->name, sizeof identity->name);
	if (clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL) ==
	    CL_SUCCESS)
		identity->compute_units = units;
	if (predictd_opencl_has(device, "cl_khr_device_uuid") &&
	    clGetDeviceInfo(device, uuid_info, sizeof uuid, uuid, NULL) == CL_SUCCESS)
		for (i = 0; i < sizeof uuid; i++)
			(void)snprintf(identity->uuid + 2 * i, 3, "%02x", uuid[i]);
	if (predictd_opencl_has(device, "cl_khr_pci_bus_info") &&
	    clGetDeviceInfo(device, pci_info, sizeof pci, pci, NULL) == CL_SUCCESS)
		(void)snprintf(identity->pci, sizeof identity->pci, "%04x:%02x:%02x.%x",
		               pci[0] & 0xffffu, pci[1] & 0xffu, pci[2] & 0xffu, pci[3] & 0xfu);
	else if (predictd_opencl_has(device, "cl_nv_device_attribute_query") &&
	         clGetDeviceInfo(device, nv_bus_info, sizeof bus, &bus, NULL) == CL_SUCCESS &&
	         clGetDeviceInfo(device, nv_slot_info, sizeof slot, &slot, NULL) == CL_SUCCESS) {
		(void)clGetDeviceInfo(device, nv_domain_info, sizeof domain, &domain, NULL);
		/* the slot holds the device in its upper five bits and the function below */
		(void)snprintf(identity->pci, sizeof identity->pci, "%04x:%02x:%02x.%x",
		               domain & 0xffffu, bus & 0xffu, slot >> 3 & 0x1fu, slot & 7u);
	}
}

/*
 * The device's index, for the `device` of questions (as a decimal number).
 * PREDICTD_NOT_FOUND: the daemon does not know it.
 */
static inline predictd_status predictd_opencl_find(predictd_connection *connection,
                                                   cl_device_id device, uint32_t *index)
{
	predictd_device_identity identity;
	predictd_opencl_identity(device, &identity);
	return predictd_find_device(connection, &identity, index);
}

#endif
