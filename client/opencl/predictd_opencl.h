/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a cl_device_id to predictd's device, and back. Everything here is compiled into the program
 * that includes it and calls the OpenCL that the program links: libpredictd itself knows none.
 */
#ifndef PREDICTD_OPENCL_H
#define PREDICTD_OPENCL_H

#include <predictd.h>

#include <stdio.h>
#include <stdlib.h>
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

enum { PREDICTD_OPENCL_DEVICES_MAX = 64, PREDICTD_OPENCL_PLATFORMS_MAX = 16 };

/* Every OpenCL device of this process, in the order of the platforms, and its key. */
typedef struct predictd_opencl_devices {
	size_t count;
	cl_device_id devices[PREDICTD_OPENCL_DEVICES_MAX];
	char keys[PREDICTD_OPENCL_DEVICES_MAX][PREDICTD_KEY_BYTES];
} predictd_opencl_devices;

/* PREDICTD_DEVICE: there is no platform. PREDICTD_NO_MEMORY: nothing is listed. */
static inline predictd_status predictd_opencl_list(predictd_opencl_devices *list)
{
	cl_platform_id platforms[PREDICTD_OPENCL_PLATFORMS_MAX];
	cl_uint platform_count = 0, i;
	size_t j;
	predictd_device_identity *identities;
	list->count = 0;
	if (clGetPlatformIDs(PREDICTD_OPENCL_PLATFORMS_MAX, platforms, &platform_count) !=
	    CL_SUCCESS)
		return PREDICTD_DEVICE;
	for (i = 0; i < platform_count && i < PREDICTD_OPENCL_PLATFORMS_MAX; i++) {
		const size_t room = PREDICTD_OPENCL_DEVICES_MAX - list->count;
		cl_uint count = 0;
		if (room == 0 || clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, (cl_uint)room,
		                                list->devices + list->count, &count) != CL_SUCCESS)
			continue;
		list->count += count < room ? count : room;
	}
	identities = (predictd_device_identity *)calloc(list->count + 1, sizeof *identities);
	if (identities == NULL) {
		list->count = 0;
		return PREDICTD_NO_MEMORY;
	}
	for (j = 0; j < list->count; j++)
		predictd_opencl_identity(list->devices[j], &identities[j]);
	predictd_device_keys(identities, list->count, list->keys);
	free(identities);
	return PREDICTD_OK;
}

/*
 * The device's key, for the `device` of questions: it stands whatever happens to the daemon.
 * PREDICTD_NOT_FOUND: OpenCL does not list it, as a sub-device.
 */
static inline predictd_status predictd_opencl_key(cl_device_id device, char key[PREDICTD_KEY_BYTES])
{
	predictd_opencl_devices list;
	size_t i;
	predictd_status status = predictd_opencl_list(&list);
	for (i = 0; i < list.count; i++)
		if (list.devices[i] == device) {
			memcpy(key, list.keys[i], PREDICTD_KEY_BYTES);
			return PREDICTD_OK;
		}
	return status == PREDICTD_OK ? PREDICTD_NOT_FOUND : status;
}

/*
 * The device of this process that has a key, as answers and lists of the daemon give it.
 * PREDICTD_NOT_FOUND: this process has none.
 */
static inline predictd_status predictd_opencl_device(const char *key, cl_device_id *device)
{
	predictd_opencl_devices list;
	size_t i;
	predictd_status status = predictd_opencl_list(&list);
	for (i = 0; i < list.count; i++)
		if (strcmp(list.keys[i], key) == 0) {
			*device = list.devices[i];
			return PREDICTD_OK;
		}
	return status == PREDICTD_OK ? PREDICTD_NOT_FOUND : status;
}

/*
 * The device's index among the daemon's, by its key.
 * PREDICTD_NOT_FOUND: the daemon does not know it, or it is away.
 */
static inline predictd_status predictd_opencl_find(predictd_connection *connection,
                                                   cl_device_id device, uint32_t *index)
{
	char key[PREDICTD_KEY_BYTES];
	predictd_devices *known = NULL;
	size_t i;
	predictd_status status = predictd_opencl_key(device, key);
	if (status == PREDICTD_OK)
		status = predictd_list_devices(connection, false, &known);
	if (status != PREDICTD_OK)
		return status;
	status = PREDICTD_NOT_FOUND;
	for (i = 0; i < known->count; i++)
		if (known->devices[i].is_present && strcmp(known->devices[i].key, key) == 0) {
			*index = known->devices[i].index;
			status = PREDICTD_OK;
		}
	predictd_devices_free(known);
	return status;
}

#endif
