/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns from ranges and segments; the thresholds are the words of the paper in numbers. */
#include "model/evaluate/pattern.h"

#include <math.h>

double pattern_cache_bytes(const struct device *device)
{
	double levels = device_value(device, COEFFICIENT_MEMORY_LEVELS, 0), bytes = 0;

	for (unsigned i = 0; i < MEMORY_DRAM && i < levels; i++) {
		double instances = device_value(
		        device, coefficient_memory((enum memory_level)i, MEMORY_COLUMN_INSTANCES),
		        1);

		if (i == 0 || instances > 1)
			bytes = device_value(
			        device,
			        coefficient_memory((enum memory_level)i, MEMORY_COLUMN_CAPACITY),
			        bytes);
	}
	return bytes > 0 ? bytes : 32768;
}

enum pattern pattern_of(const struct ir_kernel *kernel, const struct evaluation *evaluation,
                        const struct device *device, uint32_t access)
{
	const struct ir_access *ir = &kernel->accesses[access];
	const struct evaluation_access *a = &evaluation->accesses[access];
	double bytes = a->bytes, range = (double)a->object_bytes;
	double segment = device_value(device, COEFFICIENT_SEGMENT_BYTES, 32);
	double touched = (double)evaluation->items * a->executions * bytes, needed;
	int64_t low, high;

	if (kernel->objects[ir->object].space == SPACE_LOCAL)
		return PATTERN_LOCAL;
	if (kernel->objects[ir->object].space == SPACE_PRIVATE)
		return PATTERN_PRIVATE;
	if (a->address.is_known && !a->address.is_random) {
		if (a->address.term_count == 0)
			return PATTERN_CONSTANT;
		if (affine_range(&a->address, &low, &high))
			range = (double)high - (double)low + bytes;
	} else if (a->unknown < 0.5 && a->high_bytes > a->low_bytes) {
		range = a->high_bytes - a->low_bytes;
	}
	if (range > 0 && range <= pattern_cache_bytes(device) && touched >= 2 * range)
		return PATTERN_INTERVAL;
	needed = fmax(1, ceil(a->lanes * bytes / fmax(segment, 1)));
	if (a->unknown < 0.5 && (a->segments <= 2 * needed || a->unit + a->uniform >= 0.5))
		return PATTERN_COALESCED;
	return PATTERN_UNCOALESCED;
}
