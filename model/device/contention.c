/* SPDX-License-Identifier: Apache-2.0 */
/* What two devices do to each other. */
#include "model/device/contention.h"

#include <math.h>
#include <string.h>

const char *load_name(enum load load)
{
	static const char *const names[LOAD_COUNT] = {"compute", "memory", "transfer"};
	return load < LOAD_COUNT ? names[load] : "unknown";
}

enum status contention_check(const struct contention *contention, struct error *error)
{
	for (int side = 0; side < 2; side++) {
		if (contention->keys[side][0] == '\0')
			return error_set(error, STATUS_INVALID, "a pair: want two keys");
		for (enum load own = 0; own < LOAD_COUNT; own++)
			for (enum load other = 0; other < LOAD_COUNT; other++) {
				double slowdown = contention->slowdown[side][own][other];
				if (!(slowdown >= 1 && slowdown <= CONTENTION_MAX))
					return error_set(
					        error, STATUS_INVALID,
					        "%.60s: a slowdown of %s beside %s: want 1 "
					        "to %g, got %g",
					        contention->keys[side], load_name(own),
					        load_name(other), CONTENTION_MAX, slowdown);
			}
	}
	if (strcmp(contention->keys[0], contention->keys[1]) == 0)
		return error_set(error, STATUS_INVALID, "a pair: want two devices, got %.60s twice",
		                 contention->keys[0]);
	if (!(contention->standard_error >= 0 && isfinite(contention->standard_error)) ||
	    !(contention->others_share >= 0 && contention->others_share <= 1) ||
	    !(contention->duration_s >= 0 && isfinite(contention->duration_s)))
		return error_set(error, STATUS_INVALID, "a pair: a figure is out of its range");
	return STATUS_OK;
}

void contention_order(struct contention *contention)
{
	struct contention other = *contention;
	if (strcmp(contention->keys[0], contention->keys[1]) <= 0)
		return;
	for (int side = 0; side < 2; side++) {
		memcpy(contention->keys[side], other.keys[1 - side], sizeof other.keys[0]);
		memcpy(contention->drivers[side], other.drivers[1 - side], sizeof other.drivers[0]);
		memcpy(contention->slowdown[side], other.slowdown[1 - side],
		       sizeof other.slowdown[0]);
	}
}
