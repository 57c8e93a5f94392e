/* SPDX-License-Identifier: Apache-2.0 */
/* Launches and devices of round numbers. */
#include "tests/test.h"

#include "tests/unit/predict/kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- launches ------------------------------------------------------------------------------ */

struct launch launch_1d(uint64_t items, uint64_t group)
{
	struct launch launch = {.dimensions = 1,
	                        .global = {items, 1, 1},
	                        .local = {group, 1, 1},
	                        .has_local = true};
	return launch;
}

struct launch launch_2d(uint64_t x, uint64_t y, uint64_t group_x, uint64_t group_y)
{
	struct launch launch = {.dimensions = 2,
	                        .global = {x, y, 1},
	                        .local = {group_x, group_y, 1},
	                        .has_local = true};
	return launch;
}

void launch_buffer(struct launch *launch, uint64_t bytes)
{
	launch->arguments[launch->argument_count++] = (struct launch_argument){
	        .kind = ARGUMENT_BUFFER, .access = BUFFER_READ_WRITE, .size_bytes = bytes};
}

void launch_integer(struct launch *launch, enum scalar scalar_type, int64_t value)
{
	struct launch_argument *argument = &launch->arguments[launch->argument_count++];

	*argument =
	        (struct launch_argument){.kind = ARGUMENT_SCALAR, .type = type_scalar(scalar_type)};
	argument->value.integer[0] = value;
}

/* ---- devices ------------------------------------------------------------------------------- */

void device_set(struct device *device, unsigned id, double value)
{
	device->coefficient[id] = (struct coefficient){.value = value, .is_known = true};
}

static struct device *device_new(enum device_type type, const char *name, unsigned units)
{
	struct device *device = calloc(1, sizeof(*device));

	assert_non_null(device);
	snprintf(device->name, sizeof(device->name), "%s", name);
	device->type = (uint8_t)type;
	device->compute_units = units;
	device->max_group_items = 1024;
	for (unsigned d = 0; d < 3; d++)
		device->max_item_sizes[d] = 1024;
	device->local_bytes = 49152;
	device->global_bytes = (uint64_t)1 << 34;
	device->max_allocation_bytes = (uint64_t)1 << 33;
	device->has_double = true;
	device->is_calibrated = true;
	device->epoch = 7;
	return device;
}

static void set_level(struct device *device, enum memory_level level, double capacity,
                      double instances, double line, double bandwidth, double latency)
{
	const double values[MEMORY_COLUMN_COUNT] = {[MEMORY_COLUMN_CAPACITY] = capacity,
	                                            [MEMORY_COLUMN_INSTANCES] = instances,
	                                            [MEMORY_COLUMN_LINE] = line,
	                                            [MEMORY_COLUMN_READ] = bandwidth,
	                                            [MEMORY_COLUMN_WRITE] = bandwidth / 2,
	                                            [MEMORY_COLUMN_GATHER] = bandwidth / line / 2,
	                                            [MEMORY_COLUMN_LATENCY] = latency};

	for (unsigned i = 0; i < MEMORY_COLUMN_COUNT; i++)
		device_set(device, coefficient_memory(level, (enum memory_column)i), values[i]);
}

struct device *device_gpu(void)
{
	struct device *d = device_new(DEVICE_GPU, "a GPU of round numbers", 10);

	device_set(d, COEFFICIENT_LAUNCH_ENQUEUE, 10e-6);
	device_set(d, COEFFICIENT_LAUNCH_BASE, 4e-6);
	device_set(d, COEFFICIENT_LAUNCH_GROUP, 1e-9);
	device_set(d, COEFFICIENT_LAUNCH_ITEM, 1e-12);
	device_set(d, COEFFICIENT_H2D_LATENCY, 10e-6);
	device_set(d, COEFFICIENT_H2D_BANDWIDTH, 10e9);
	device_set(d, COEFFICIENT_D2H_LATENCY, 20e-6);
	device_set(d, COEFFICIENT_D2H_BANDWIDTH, 5e9);
	device_set(d, COEFFICIENT_WARP_ITEMS, 32);
	device_set(d, COEFFICIENT_UNITS, 10);
	device_set(d, COEFFICIENT_UNIT_ITEMS, 2048);
	device_set(d, COEFFICIENT_FLOAT_LATENCY, 4e-9);
	device_set(d, COEFFICIENT_INT_LATENCY, 4e-9);
	device_set(d, COEFFICIENT_LOAD_VECTOR, 1e-12);
	device_set(d, COEFFICIENT_STORE_VECTOR, 1e-12);
	device_set(d, COEFFICIENT_TRANSACTION, 8e-12);
	device_set(d, COEFFICIENT_SEGMENT_BYTES, 32);
	device_set(d, COEFFICIENT_LOCAL_LOAD, 1e-12);
	device_set(d, COEFFICIENT_LOCAL_STORE, 1e-12);
	device_set(d, COEFFICIENT_LOCAL_CONFLICT, 1e-12);
	device_set(d, COEFFICIENT_LOCAL_BANKS, 32);
	device_set(d, COEFFICIENT_BARRIER_GROUP, 1e-9);
	device_set(d, COEFFICIENT_ATOMIC_GLOBAL_SAME, 1e-9);
	device_set(d, COEFFICIENT_ATOMIC_GLOBAL_SPREAD, 1e-11);
	device_set(d, COEFFICIENT_MEMORY_LEVELS, 2);
	device_set(d, COEFFICIENT_DRAM_GRANULE_BYTES, 64);
	set_level(d, MEMORY_L1, 65536, 10, 32, 10e12, 30e-9);
	set_level(d, MEMORY_L2, 4194304, 1, 32, 2e12, 200e-9);
	set_level(d, MEMORY_DRAM, 0, 1, 64, 1e12, 500e-9);
	device_set(d, COEFFICIENT_SHAPE_NORM, 4);
	device_set(d, COEFFICIENT_INTERVAL_LOG_SD, 0.2);
	device_set(d, coefficient_op(OP_MODE_VECTOR, TYPE_CLASS_FLOAT, OP_CLASS_ADD), 1e-13);
	device_set(d, coefficient_op(OP_MODE_VECTOR, TYPE_CLASS_INT, OP_CLASS_ADD), 2e-13);
	return d;
}

struct device *device_cpu(void)
{
	struct device *d = device_new(DEVICE_CPU, "a CPU of round numbers", 4);

	device_set(d, COEFFICIENT_LAUNCH_BASE, 10e-6);
	device_set(d, COEFFICIENT_LAUNCH_GROUP, 100e-9);
	device_set(d, COEFFICIENT_WARP_ITEMS, 1);
	device_set(d, COEFFICIENT_UNITS, 4);
	device_set(d, COEFFICIENT_FLOAT_LATENCY, 1e-9);
	device_set(d, COEFFICIENT_INT_LATENCY, 0.3e-9);
	device_set(d, COEFFICIENT_LOAD_VECTOR, 1e-11);
	device_set(d, COEFFICIENT_LOAD_SCALAR, 1e-10);
	device_set(d, COEFFICIENT_LOAD_GATHER, 2e-10);
	device_set(d, COEFFICIENT_SEGMENT_BYTES, 64);
	device_set(d, COEFFICIENT_MEMORY_LEVELS, 3);
	device_set(d, COEFFICIENT_DRAM_GRANULE_BYTES, 64);
	set_level(d, MEMORY_L1, 32768, 4, 64, 400e9, 1e-9);
	set_level(d, MEMORY_L2, 262144, 4, 64, 200e9, 4e-9);
	set_level(d, MEMORY_L3, 8388608, 1, 64, 100e9, 12e-9);
	set_level(d, MEMORY_DRAM, 0, 1, 64, 20e9, 80e-9);
	device_set(d, COEFFICIENT_SHAPE_NORM, 4);
	device_set(d, coefficient_op(OP_MODE_VECTOR, TYPE_CLASS_FLOAT, OP_CLASS_ADD), 1e-11);
	device_set(d, coefficient_op(OP_MODE_SCALAR, TYPE_CLASS_FLOAT, OP_CLASS_ADD), 1e-10);
	return d;
}

void device_make_scalar(struct device *device)
{
	for (unsigned type = TYPE_CLASS_INT; type <= TYPE_CLASS_FLOAT; type++)
		for (unsigned mode = 0; mode < OP_MODE_COUNT; mode++)
			for (unsigned op = OP_CLASS_ADD; op <= OP_CLASS_MUL; op++)
				device_set(device,
				           coefficient_op((enum op_mode)mode, (enum type_class)type,
				                          (enum op_class)op),
				           1e-11);
}
