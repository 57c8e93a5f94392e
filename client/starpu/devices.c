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

static enum adapter_kind kind_of(enum starpu_worker_archtype type)
{
	switch (type) {
	case STARPU_OPENCL_WORKER:
		return ADAPTER_OPENCL;
	case STARPU_CPU_WORKER:
		return ADAPTER_CPU;
	case STARPU_CUDA_WORKER:
		return ADAPTER_CUDA;
	default:
		return ADAPTER_KINDS;
	}
}

int devices_number(enum starpu_worker_archtype type, int devid)
{
	enum adapter_kind kind = kind_of(type);
	for (size_t i = 0; i < adapter.device_count; i++)
		if (adapter.devices[i].kind == kind &&
		    (kind == ADAPTER_CPU || adapter.devices[i].devid == devid))
			return (int)i;
	return -1;
}

bool devices_take(const struct starpu_codelet *codelet, enum adapter_kind kind)
{
	switch (kind) {
	case ADAPTER_OPENCL:
		return codelet->opencl_funcs[0] != NULL;
	case ADAPTER_CPU:
		return codelet->cpu_funcs[0] != NULL;
	default:
		return codelet->cuda_funcs[0] != NULL;
	}
}

/* Each device once, whatever number of workers it has. */
static void find_kind(enum starpu_worker_archtype type, const predictd_opencl_devices *list)
{
	int workers[STARPU_NMAXWORKERS];
	unsigned count = starpu_worker_get_ids_by_type(type, workers, STARPU_NMAXWORKERS);
	struct adapter_devices *of_kind = &adapter.kinds[kind_of(type)];
	*of_kind = (struct adapter_devices){adapter.device_count, 0};
	for (unsigned i = 0; i < count && adapter.device_count < ADAPTER_DEVICES_MAX; i++) {
		int devid = starpu_worker_get_devid(workers[i]);
		struct adapter_device *device = &adapter.devices[adapter.device_count];
		if (devices_number(type, devid) >= 0)
			continue;
		*device = (struct adapter_device){.kind = kind_of(type), .devid = devid};
		if (type == STARPU_OPENCL_WORKER)
			key_of(devid, list, device->key);
		else if (type == STARPU_CPU_WORKER)
			(void)snprintf(device->key, sizeof device->key, "starpu:cpu");
		else
			(void)snprintf(device->key, sizeof device->key, "starpu:cuda%d", devid);
		atomic_store(&adapter.likeness[adapter.device_count].of, -1);
		adapter.device_count++;
		of_kind->count++;
	}
}

void devices_find(void)
{
	predictd_opencl_devices *list = calloc(1, sizeof *list);
	adapter.device_count = 0;
	if (list != NULL && starpu_opencl_worker_get_count() > 0 &&
	    predictd_opencl_list(list) == PREDICTD_OK)
		find_kind(STARPU_OPENCL_WORKER, list);
	find_kind(STARPU_CPU_WORKER, NULL);
	find_kind(STARPU_CUDA_WORKER, NULL);
	free(list);
}

static const predictd_device *known_of(const predictd_devices *known, const char *key)
{
	for (size_t i = 0; i < known->count; i++)
		if (strcmp(known->devices[i].key, key) == 0)
			return &known->devices[i];
	return NULL;
}

static void say(struct adapter_device *device, const predictd_device *known,
                const predictd_device *alike)
{
	if (device->has_been_said || adapter_is_silent())
		return;
	device->has_been_said = true;
	if (known == NULL)
		(void)fprintf(stderr,
		              "[predictd] OpenCL device %d of StarPU is not one of predictd's: "
		              "tasks are placed by StarPU's own history; \"predictctl doctor\" "
		              "says why\n",
		              device->devid);
	else
		(void)fprintf(
		        stderr,
		        "[predictd] %s is not calibrated: %s%s; type \"predictctl calibrate %s\"\n",
		        known->name,
		        alike == NULL ? "tasks are placed by StarPU's own history"
		                      : "its times are scaled ones of ",
		        alike == NULL ? "" : alike->name, device->key);
}

/* What a device does at its peak beside others of its type. */
static double peak_of(const predictd_device *device)
{
	return (double)device->compute_units * device->clock_mhz;
}

void devices_compare(const predictd_devices *known)
{
	for (size_t i = 0; i < adapter.kinds[ADAPTER_OPENCL].count; i++) {
		const predictd_device *one = known_of(known, adapter.devices[i].key);
		const predictd_device *alike = NULL;
		int of = -1;
		double factor = 1;
		for (size_t j = 0; j < adapter.kinds[ADAPTER_OPENCL].count && one != NULL && of < 0;
		     j++) {
			const predictd_device *other = known_of(known, adapter.devices[j].key);
			if (other == NULL || !other->is_calibrated || other->type != one->type ||
			    !(peak_of(one) > 0) || !(peak_of(other) > 0))
				continue;
			of = (int)j;
			alike = other;
			factor = peak_of(other) / peak_of(one);
		}
		atomic_store(&adapter.likeness[i].factor, factor);
		atomic_store(&adapter.likeness[i].of, of);
		if (one == NULL || !one->is_calibrated)
			say(&adapter.devices[i], one, alike);
	}
}
