/* SPDX-License-Identifier: Apache-2.0 */
/* The OpenCL devices of this node, in the order of their platforms. */
#ifndef PREDICTD_CALIBRATOR_LIST_H
#define PREDICTD_CALIBRATOR_LIST_H

#include "daemon/calibrator/opencl.h"

enum { FOUND_DEVICES_MAX = 64 };

struct found_device {
	cl_platform_id platform;
	cl_device_id id;
	unsigned platform_index;
	unsigned device_index; /* of the platform */
	char failure[128];     /* why it cannot be used, or empty */
	struct device device;  /* identity, key and limits; no coefficient */
};

struct found_devices {
	size_t count;
	struct found_device *devices; /* at most FOUND_DEVICES_MAX */
};

/* Asks every platform. No platform at all is an empty list. */
enum status found_devices_init(struct found_devices *found, struct error *error);
void found_devices_deinit(struct found_devices *found);

/* The device of that key, or NULL. */
const struct found_device *found_devices_find_key(const struct found_devices *found,
                                                  const char *key);

/*
 * The device that `text` names: empty the first, else by its key, a number its index, else the
 * one whose name contains it, without regard to case. STATUS_NOT_FOUND; STATUS_INVALID: part of
 * several names, which are listed.
 */
enum status found_devices_find(const struct found_devices *found, const char *text,
                               const struct found_device **device, struct error *error);

#endif
