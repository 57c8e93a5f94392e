/* SPDX-License-Identifier: Apache-2.0 */
/* Round numbers of the order of a small GPU's; golden tests look at counts, not at times. */
#include "tests/unit/golden/golden_device.h"

#include <string.h>

static void set(struct device *device, unsigned id, double value)
{
	device->coefficient[id] =
	        (struct coefficient){.value = value, .standard_error = 0.01, .is_known = true};
}

static void set_level(struct device *device, enum memory_level level, double capacity_bytes,
                      double instances, double bytes_per_s)
{
	const double value[MEMORY_COLUMN_COUNT] = {
	        [MEMORY_COLUMN_CAPACITY] = capacity_bytes,
	        [MEMORY_COLUMN_INSTANCES] = instances,
	        [MEMORY_COLUMN_LINE] = 128,
	        [MEMORY_COLUMN_READ] = bytes_per_s,
	        [MEMORY_COLUMN_WRITE] = bytes_per_s / 2,
	        [MEMORY_COLUMN_GATHER] = bytes_per_s / 128,
	        [MEMORY_COLUMN_LATENCY] = 100e-9,
	};

	for (int column = 0; column < MEMORY_COLUMN_COUNT; column++)
		set(device, coefficient_memory(level, (enum memory_column)column), value[column]);
}

void golden_device(struct device *device)
{
	static const struct {
		enum coefficient_id id;
		double value;
	} scalars[] = {
	        {COEFFICIENT_LAUNCH_ENQUEUE, 10e-6},  {COEFFICIENT_LAUNCH_BASE, 5e-6},
	        {COEFFICIENT_LAUNCH_GROUP, 1e-9},     {COEFFICIENT_LAUNCH_ITEM, 1e-12},
	        {COEFFICIENT_WARP_ITEMS, 32},         {COEFFICIENT_UNITS, 16},
	        {COEFFICIENT_UNIT_ITEMS, 2048},       {COEFFICIENT_SEGMENT_BYTES, 32},
	        {COEFFICIENT_LOCAL_BANKS, 32},        {COEFFICIENT_LOCAL_LOAD, 1e-12},
	        {COEFFICIENT_LOCAL_STORE, 1e-12},     {COEFFICIENT_MEMORY_LEVELS, 2},
	        {COEFFICIENT_DRAM_GRANULE_BYTES, 64}, {COEFFICIENT_SHAPE_NORM, 5},
	        {COEFFICIENT_INTERVAL_LOG_SD, 0.2},   {COEFFICIENT_PAPER_XU, 128},
	};

	memset(device, 0, sizeof *device);
	strcpy(device->vendor, "predictd");
	strcpy(device->name, "golden");
	device->type = DEVICE_GPU;
	device->compute_units = 16;
	device->max_group_items = 1024;
	device->max_item_sizes[0] = device->max_item_sizes[1] = 1024;
	device->max_item_sizes[2] = 64;
	device->local_bytes = 48 << 10;
	device->global_bytes = UINT64_C(8) << 30;
	device->max_allocation_bytes = UINT64_C(2) << 30;
	device->has_double = true;
	device->is_calibrated = true;
	for (size_t i = 0; i < sizeof scalars / sizeof scalars[0]; i++)
		set(device, scalars[i].id, scalars[i].value);
	set_level(device, MEMORY_L1, 32 << 10, 16, 1e12);
	set_level(device, MEMORY_L2, 512 << 10, 1, 5e11);
	set_level(device, MEMORY_DRAM, 8e9, 1, 1e11);
	for (int mode = 0; mode < OP_MODE_COUNT; mode++)
		for (int type = 0; type < TYPE_CLASS_COUNT; type++)
			for (int op = 0; op < OP_CLASS_COUNT; op++)
				set(device,
				    coefficient_op((enum op_mode)mode, (enum type_class)type,
				                   (enum op_class)op),
				    1e-12);
}
