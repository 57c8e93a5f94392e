/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a runtime chooses for local NULL. PoCL's rule is known (its lib/CL/pocl_local_size.c, read
 * in version 3.1 and the same in 5.0): work-groups as large as may be, then one for each unit. Of
 * others only that they like powers of two.
 */
#include "model/device/local_size.h"

#include <string.h>

enum {
	OTHERS_ITEMS = 256,
	LANES = 8,               /* PoCL's preferred multiple on CPUs */
	LEAST_ITEMS = 4 * LANES, /* it makes no smaller groups to give every unit one */
	LIMIT_MAX = 1 << 16      /* of a dimension that is searched; PoCL's own is 4096 */
};

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t product(const uint64_t sizes[3])
{
	return sizes[0] * sizes[1] * sizes[2];
}

/* The largest power of two up to 8 that divides it. */
static uint64_t grain_of(uint64_t global)
{
	uint64_t grain = 1;
	while (grain < LANES && global % (2 * grain) == 0)
		grain *= 2;
	return grain;
}

static uint64_t largest_divisor(uint64_t of, uint64_t limit)
{
	if (of <= limit)
		return of;
	while (of % limit != 0)
		limit--;
	return limit;
}

/* Dimensions as PoCL gives them up: the last first. */
static const unsigned order[3] = {2, 1, 0};

/* Halves a dimension, or gives up one that makes poor rows. */
static void make_smaller(const uint64_t grain[3], uint64_t local[3])
{
	for (unsigned i = 0; i < 3; i++) {
		uint64_t *size = &local[order[i]];
		if (*size % 2 == 0 && *size / 2 % grain[order[i]] == 0) {
			*size /= 2;
			return;
		}
	}
	for (unsigned is_last = 0; is_last < 2; is_last++)
		for (unsigned i = 0; i < 3; i++) {
			unsigned d = order[i];
			bool has_least =
			        grain[d] <= grain[(d + 1) % 3] && grain[d] <= grain[(d + 2) % 3];
			if (local[d] > 1 && (has_least || is_last)) {
				local[d] = 1;
				return;
			}
		}
}

/* Divides a dimension by `splits` or the next smaller number that does; false: by none. */
static bool divide(const uint64_t grain[3], uint64_t splits, uint64_t local[3])
{
	for (; splits > 1; splits--)
		for (unsigned i = 0; i < 3; i++) {
			uint64_t *size = &local[order[i]];
			if (*size % splits == 0 && *size / splits % grain[order[i]] == 0) {
				*size /= splits;
				return true;
			}
		}
	return false;
}

/* Gives up the smallest dimension where the others are enough. */
static bool give_up(uint64_t local[3])
{
	for (unsigned i = 0; i < 3; i++) {
		unsigned d = order[i];
		uint64_t a = local[(d + 1) % 3], b = local[(d + 2) % 3];
		if (local[d] > 1 && local[d] <= a && local[d] <= b && a * b >= LEAST_ITEMS) {
			local[d] = 1;
			return true;
		}
	}
	return false;
}

static void choose_as_pocl(const struct device *device, const uint64_t global[3], uint64_t local[3])
{
	const uint64_t most = device->max_group_items;
	const uint64_t enough = least(LEAST_ITEMS, most);
	uint64_t grain[3];
	for (unsigned d = 0; d < 3; d++) {
		uint64_t limit = least(least(device->max_item_sizes[d], global[d]), LIMIT_MAX);
		grain[d] = grain_of(global[d]);
		if (limit < grain[d]) /* of no device that there is */
			grain[d] = 1;
		local[d] = limit <= 1 ? 1
		                      : grain[d] * largest_divisor(global[d] / grain[d],
		                                                   limit / grain[d]);
	}
	while (product(local) > most)
		make_smaller(grain, local);
	for (;;) {
		/* no launch has more groups than can be counted: launch_check */
		uint64_t groups = 1, splits;
		for (unsigned d = 0; d < 3; d++)
			groups *= global[d] / local[d];
		splits = device->compute_units / groups;
		if (splits < 2 || product(local) < splits * enough ||
		    (!divide(grain, splits, local) && !give_up(local)))
			return;
	}
}

void local_size_assume(const struct device *device, const uint64_t global[3], uint64_t local[3])
{
	uint64_t limit = OTHERS_ITEMS;
	local[0] = local[1] = local[2] = 1;
	if (device != NULL && device->type == DEVICE_CPU && device->max_group_items > 0 &&
	    strcmp(device->platform, "Portable Computing Language") == 0) {
		choose_as_pocl(device, global, local);
		return;
	}
	if (device != NULL)
		limit = least(limit, least(device->max_group_items, device->max_item_sizes[0]));
	while (local[0] * 2 <= limit && global[0] % (local[0] * 2) == 0)
		local[0] *= 2;
}
