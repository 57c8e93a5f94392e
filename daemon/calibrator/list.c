/* SPDX-License-Identifier: Apache-2.0 */
/* The OpenCL devices of this node, in the order of their platforms. */
#include "daemon/calibrator/list.h"

#include "daemon/calibrator/probe.h"
#include "daemon/calibrator/profile.h"
#include "daemon/codec/device_codec.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLATFORMS_MAX = 16 };

/* Attributes that a header may lack: cl_khr_device_uuid, cl_khr_pci_bus_info, cl_nv_... */
enum {
	DEVICE_UUID = 0x106A,
	DEVICE_PCI_BUS_INFO = 0x410F,
	NV_PCI_BUS_ID = 0x4008,
	NV_PCI_SLOT_ID = 0x4009,
	NV_PCI_DOMAIN_ID = 0x400A,
	DEVICE_NON_UNIFORM = 0x1065
};

static void ask_text(cl_device_id id, cl_device_info what, char text[DEVICE_TEXT_MAX])
{
	char *answer = opencl_device_text(id, what, NULL);
	(void)snprintf(text, DEVICE_TEXT_MAX, "%s", answer != NULL ? answer : "");
	free(answer);
}

static void ask_platform_name(cl_platform_id platform, char name[DEVICE_TEXT_MAX])
{
	char *answer = NULL;
	size_t size = 0;
	name[0] = '\0';
	if (clGetPlatformInfo(platform, CL_PLATFORM_NAME, 0, NULL, &size) != CL_SUCCESS ||
	    size == 0 || size > 1u << 20)
		return;
	answer = calloc(1, size + 1);
	if (answer != NULL &&
	    clGetPlatformInfo(platform, CL_PLATFORM_NAME, size, answer, NULL) == CL_SUCCESS)
		(void)snprintf(name, DEVICE_TEXT_MAX, "%s", answer);
	free(answer);
}

static bool has_extension(cl_device_id id, const char *name)
{
	char *answer = opencl_device_text(id, CL_DEVICE_EXTENSIONS, NULL);
	size_t length = strlen(name);
	bool found = false;
	for (const char *at = answer != NULL ? strstr(answer, name) : NULL; at != NULL && !found;
	     at = strstr(at + 1, name))
		found = at[length] == ' ' || at[length] == '\0';
	free(answer);
	return found;
}

static bool ask(cl_device_id id, cl_device_info what, void *value, size_t size)
{
	return clGetDeviceInfo(id, what, size, value, NULL) == CL_SUCCESS;
}

static void ask_uuid(cl_device_id id, char text[40])
{
	unsigned char uuid[16];
	if (!has_extension(id, "cl_khr_device_uuid") || !ask(id, DEVICE_UUID, uuid, sizeof uuid))
		return;
	for (unsigned i = 0; i < sizeof uuid; i++)
		(void)snprintf(text + 2 * (size_t)i, 3, "%02x", uuid[i]);
}

static void ask_pci(cl_device_id id, char text[24])
{
	cl_uint khr[4], bus, slot, domain = 0;
	if (has_extension(id, "cl_khr_pci_bus_info") &&
	    ask(id, DEVICE_PCI_BUS_INFO, khr, sizeof khr)) {
		(void)snprintf(text, 24, "%04x:%02x:%02x.%x", khr[0] & 0xffffu, khr[1] & 0xffu,
		               khr[2] & 0xffu, khr[3] & 0xfu);
	} else if (has_extension(id, "cl_nv_device_attribute_query") &&
	           ask(id, NV_PCI_BUS_ID, &bus, sizeof bus) &&
	           ask(id, NV_PCI_SLOT_ID, &slot, sizeof slot)) {
		(void)ask(id, NV_PCI_DOMAIN_ID, &domain, sizeof domain);
		/* the slot holds the PCI device in its upper five bits and the function below */
		(void)snprintf(text, 24, "%04x:%02x:%02x.%x", domain & 0xffffu, bus & 0xffu,
		               slot >> 3 & 0x1fu, slot & 7u);
	}
}

static uint8_t type_of(cl_device_type type)
{
	if (type & CL_DEVICE_TYPE_GPU)
		return DEVICE_GPU;
	if (type & CL_DEVICE_TYPE_CPU)
		return DEVICE_CPU;
	if (type & CL_DEVICE_TYPE_ACCELERATOR)
		return DEVICE_ACCELERATOR;
	return DEVICE_OTHER;
}

static bool ask_uneven(cl_device_id id, const char *version)
{
	unsigned major = 1;
	cl_bool uneven = CL_FALSE;
	(void)sscanf(version, "OpenCL %u", &major);
	if (major >= 3)
		return ask(id, DEVICE_NON_UNIFORM, &uneven, sizeof uneven) && uneven == CL_TRUE;
	return major == 2;
}

static void ask_images(cl_device_id id, struct device *device)
{
	cl_bool has = CL_FALSE;
	const struct {
		cl_device_info what;
		uint64_t *to;
	} sizes[] = {
	        {CL_DEVICE_IMAGE2D_MAX_WIDTH, &device->max_image_2d[0]},
	        {CL_DEVICE_IMAGE2D_MAX_HEIGHT, &device->max_image_2d[1]},
	        {CL_DEVICE_IMAGE3D_MAX_WIDTH, &device->max_image_3d[0]},
	        {CL_DEVICE_IMAGE3D_MAX_HEIGHT, &device->max_image_3d[1]},
	        {CL_DEVICE_IMAGE3D_MAX_DEPTH, &device->max_image_3d[2]},
	        {CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, &device->max_image_layers},
	        {CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, &device->max_image_buffer},
	};
	device->has_images = ask(id, CL_DEVICE_IMAGE_SUPPORT, &has, sizeof has) && has == CL_TRUE;
	for (size_t i = 0; device->has_images && i < sizeof sizes / sizeof *sizes; i++) {
		size_t size = 0;
		if (ask(id, sizes[i].what, &size, sizeof size))
			*sizes[i].to = size;
	}
}

static void ask_limits(cl_device_id id, struct device *device)
{
	cl_uint number = 0;
	cl_ulong size = 0;
	size_t items = 0, sizes[3] = {0};
	cl_device_fp_config fp = 0;
	if (ask(id, CL_DEVICE_MAX_CLOCK_FREQUENCY, &number, sizeof number))
		device->clock_mhz = number;
	if (ask(id, CL_DEVICE_MAX_WORK_GROUP_SIZE, &items, sizeof items))
		device->max_group_items = items;
	if (ask(id, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizes, sizeof sizes))
		for (int d = 0; d < 3; d++)
			device->max_item_sizes[d] = sizes[d];
	if (ask(id, CL_DEVICE_LOCAL_MEM_SIZE, &size, sizeof size))
		device->local_bytes = size;
	if (ask(id, CL_DEVICE_GLOBAL_MEM_SIZE, &size, sizeof size))
		device->global_bytes = size;
	if (ask(id, CL_DEVICE_MAX_MEM_ALLOC_SIZE, &size, sizeof size))
		device->max_allocation_bytes = size;
	ask_images(id, device);
	device->has_double = ask(id, CL_DEVICE_DOUBLE_FP_CONFIG, &fp, sizeof fp) && fp != 0;
	device->has_half = has_extension(id, "cl_khr_fp16");
}

/* What a list needs of a device that cannot be used. */
static void make_whole(struct device *device)
{
	if (device->name[0] == '\0')
		(void)snprintf(device->name, sizeof device->name, "unnamed device");
	if (device->compute_units == 0)
		device->compute_units = 1;
	if (device->max_group_items == 0)
		device->max_group_items = 1;
	for (int d = 0; d < 3; d++)
		if (device->max_item_sizes[d] == 0)
			device->max_item_sizes[d] = 1;
}

static void ask_device(struct found_device *found)
{
	struct device *device = &found->device;
	cl_device_id id = found->id;
	cl_device_type type = 0;
	cl_uint units = 0;
	cl_bool available = CL_TRUE, compiles = CL_TRUE;
	struct error why = {0};
	ask_platform_name(found->platform, device->platform);
	ask_text(id, CL_DEVICE_VENDOR, device->vendor);
	ask_text(id, CL_DEVICE_NAME, device->name);
	ask_text(id, CL_DRIVER_VERSION, device->driver);
	ask_text(id, CL_DEVICE_VERSION, device->version);
	ask_uuid(id, device->uuid);
	ask_pci(id, device->pci);
	if (ask(id, CL_DEVICE_TYPE, &type, sizeof type))
		device->type = type_of(type);
	if (ask(id, CL_DEVICE_MAX_COMPUTE_UNITS, &units, sizeof units))
		device->compute_units = units;
	ask_limits(id, device);
	device->allows_uneven_groups = ask_uneven(id, device->version);
	(void)ask(id, CL_DEVICE_AVAILABLE, &available, sizeof available);
	(void)ask(id, CL_DEVICE_COMPILER_AVAILABLE, &compiles, sizeof compiles);
	if (available != CL_TRUE)
		(void)snprintf(found->failure, sizeof found->failure,
		               "the driver says that it is not available");
	else if (compiles != CL_TRUE)
		(void)snprintf(found->failure, sizeof found->failure,
		               "the driver has no compiler for it");
	else if (device_check(device, &why) != STATUS_OK)
		(void)snprintf(found->failure, sizeof found->failure,
		               "the driver does not say enough: %.90s", why.text);
	else if (device->global_bytes == 0 || device->max_allocation_bytes == 0)
		(void)snprintf(found->failure, sizeof found->failure,
		               "the driver does not say how much memory it has");
	make_whole(device);
	profile_assume(id, device);
}

/* A driver that cannot be used stands in the list with the reason, so that a person sees it. */
static void note_bad(struct found_devices *found, const char *name, const char *why)
{
	if (found->count == FOUND_DEVICES_MAX)
		return;
	struct found_device *bad = &found->devices[found->count++];
	struct device *device = &bad->device;
	bad->platform_index = UINT32_MAX;
	(void)snprintf(bad->failure, sizeof bad->failure, "%s", why);
	(void)snprintf(device->platform, sizeof device->platform, "%s", name);
	(void)snprintf(device->name, sizeof device->name, "%s", name);
	device->type = DEVICE_OTHER;
	make_whole(device);
}

static void ask_platform(struct found_devices *found, cl_platform_id platform, unsigned index)
{
	cl_device_id ids[FOUND_DEVICES_MAX];
	cl_uint count = 0;
	cl_int code = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, FOUND_DEVICES_MAX, ids, &count);
	if (code == CL_DEVICE_NOT_FOUND) /* how a platform says that it has none */
		return;
	if (code != CL_SUCCESS) {
		char name[DEVICE_TEXT_MAX];
		struct error why = {0};
		ask_platform_name(platform, name);
		(void)opencl_failure("clGetDeviceIDs", code, &why);
		note_bad(found, name, why.text);
		return;
	}
	if (count > FOUND_DEVICES_MAX)
		count = FOUND_DEVICES_MAX;
	for (unsigned d = 0; d < count && found->count < FOUND_DEVICES_MAX; d++) {
		struct found_device *device = &found->devices[found->count++];
		device->platform = platform;
		device->id = ids[d];
		device->platform_index = index;
		device->device_index = d;
		ask_device(device);
	}
}

static void name_devices(struct found_devices *found)
{
	struct key_identity identities[FOUND_DEVICES_MAX];
	char keys[FOUND_DEVICES_MAX][KEY_BYTES_MAX];
	for (size_t i = 0; i < found->count; i++)
		identities[i] = device_key_identity(&found->devices[i].device);
	keys_make(identities, found->count, keys);
	for (size_t i = 0; i < found->count; i++)
		memcpy(found->devices[i].device.key, keys[i], sizeof keys[i]);
}

enum status found_devices_init(struct found_devices *found, struct error *error)
{
	cl_platform_id platforms[PLATFORMS_MAX];
	cl_uint count = 0;
	struct drivers drivers;
	*found = (struct found_devices){0};
	found->devices = calloc(FOUND_DEVICES_MAX, sizeof *found->devices);
	if (found->devices == NULL)
		return error_set(error, STATUS_NO_MEMORY, "the list of devices: out of memory");
	drivers_init(&drivers);
	cl_int code = clGetPlatformIDs(PLATFORMS_MAX, platforms, &count);
	drivers_deinit(&drivers);
	if (code != CL_SUCCESS && code != CL_PLATFORM_NOT_FOUND_KHR) {
		found_devices_deinit(found);
		return opencl_failure("clGetPlatformIDs", code, error);
	}
	if (code == CL_PLATFORM_NOT_FOUND_KHR)
		count = 0;
	if (count > PLATFORMS_MAX)
		count = PLATFORMS_MAX;
	for (unsigned p = 0; p < count; p++)
		ask_platform(found, platforms[p], p);
	for (size_t i = 0; i < drivers.bad_count; i++)
		note_bad(found, drivers.bad[i].name, drivers.bad[i].why);
	name_devices(found);
	return STATUS_OK;
}

void found_devices_deinit(struct found_devices *found)
{
	free(found->devices);
	*found = (struct found_devices){0};
}

const struct found_device *found_devices_find_key(const struct found_devices *found,
                                                  const char *key)
{
	for (size_t i = 0; i < found->count; i++)
		if (strcmp(found->devices[i].device.key, key) == 0)
			return &found->devices[i];
	return NULL;
}

/* Those whose names contain a text, the first a match: "0 (A), 2 (B)", cut where it gets long. */
static size_t list_matches(const struct found_devices *found, const char *text,
                           const struct found_device **first, char *list, size_t room)
{
	size_t count = 0, used = 0;
	list[0] = '\0';
	for (size_t i = 0; i < found->count; i++) {
		const struct found_device *device = &found->devices[i];
		if (strcasestr(device->device.name, text) == NULL)
			continue;
		if (count++ == 0)
			*first = device;
		int length = snprintf(list + used, room - used, "%s%zu (%.48s)",
		                      count == 1 ? "" : ", ", i, device->device.name);
		used += length > 0 && (size_t)length < room - used ? (size_t)length : 0;
	}
	return count;
}

enum status found_devices_find(const struct found_devices *found, const char *text,
                               const struct found_device **device, struct error *error)
{
	char list[160];
	if (found->count == 0)
		return error_set(error, STATUS_NOT_FOUND,
		                 "no OpenCL device: clGetPlatformIDs finds none; \"predictctl "
		                 "doctor\" says what may be missing");
	if (text[0] == '\0') {
		*device = &found->devices[0];
		return STATUS_OK;
	}
	*device = found_devices_find_key(found, text);
	if (*device != NULL)
		return STATUS_OK;
	if (text[strspn(text, "0123456789")] == '\0') {
		unsigned long index = strtoul(text, NULL, 10);
		if (index >= found->count)
			return error_set(error, STATUS_NOT_FOUND,
			                 "device %.20s: want an index below %zu", text,
			                 found->count);
		*device = &found->devices[index];
		return STATUS_OK;
	}
	size_t matches = list_matches(found, text, device, list, sizeof list);
	if (matches == 0)
		return error_set(error, STATUS_NOT_FOUND,
		                 "no OpenCL device of this process has the key '%.64s', or that in "
		                 "its name",
		                 text);
	if (matches > 1)
		return error_set(error, STATUS_INVALID,
		                 "device '%.40s': is part of %zu names, want one of %s", text,
		                 matches, list);
	return STATUS_OK;
}
