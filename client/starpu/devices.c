/* SPDX-License-Identifier: Apache-2.0 */
/* Workers' devices: predictd's keys of them, and which are alike. */
#include <predictd_opencl.h>
#include <starpu_opencl.h>

#include "client/starpu/adapter.h"

/* The key of one of StarPU's OpenCL devices; "" when OpenCL does not list it. */
static void key_of(int devid, const predictd_opencl_devices *list, char key[PREDICTD_KEY_BYTES])
{
	cl_device_id device;
	starpu_opencl_get_device(devid, &device);
	key[0] = '\0';
	for (size_t i = 0; i < list->count; i++)
		if (list->devices[i] == device)
			memcpy(key, list->keys[i], PREDICTD_KEY_BYTES);
}

void devices_find(void)
{
	int workers[STARPU_NMAXWORKERS];
	predictd_opencl_devices *list = calloc(1, sizeof *list);
	unsigned count =
	        starpu_worker_get_ids_by_type(STARPU_OPENCL_WORKER, workers, STARPU_NMAXWORKERS);
	adapter.device_count = 0;
	if (list == NULL || (count > 0 && predictd_opencl_list(list) != PREDICTD_OK))
		count = 0;
	for (unsigned i = 0; i < count && adapter.device_count < ADAPTER_DEVICES_MAX; i++) {
		int devid = starpu_worker_get_devid(workers[i]);
		if (devices_number(STARPU_OPENCL_WORKER, devid) >= 0)
			continue; /* several workers of one device */
		struct adapter_device *device = &adapter.devices[adapter.device_count];
		*device = (struct adapter_device){.type = STARPU_OPENCL_WORKER, .devid = devid};
		key_of(devid, list, device->key);
		atomic_store(&adapter.likeness[adapter.device_count].of, -1);
		adapter.device_count++;
	}
	free(list);
}

int devices_number(enum starpu_worker_archtype type, int devid)
{
	for (size_t i = 0; i < adapter.device_count; i++)
		if (adapter.devices[i].type == type && adapter.devices[i].devid == devid)
			return (int)i;
	return -1;
}

static const predictd_device *known_of(const predictd_devices *known, const char *key)
{
	for (size_t i = 0; i < known->count; i++)
		if (strcmp(known->devices[i].key, key) == 0)
			return &known->devices[i];
	return NULL;
}

/* What a device does at its peak beside others of its type. */
static double peak_of(const predictd_device *device)
{
	return (double)device->compute_units * device->clock_mhz;
}

void devices_compare(const predictd_devices *known)
{
	for (size_t i = 0; i < adapter.device_count; i++) {
		const predictd_device *one = known_of(known, adapter.devices[i].key);
		int of = -1;
		double factor = 1;
		for (size_t j = 0; j < adapter.device_count && one != NULL && of < 0; j++) {
			const predictd_device *other = known_of(known, adapter.devices[j].key);
			if (other == NULL || !other->is_calibrated || other->type != one->type ||
			    !(peak_of(one) > 0) || !(peak_of(other) > 0))
				continue;
			of = (int)j;
			factor = peak_of(other) / peak_of(one);
		}
		atomic_store(&adapter.likeness[i].factor, factor);
		atomic_store(&adapter.likeness[i].of, of);
	}
}
