/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The devices known: those found on this node by the last scan, in the order
 * of the platforms, then those whose calibration is kept while they are away.
 */
#ifndef PREDICTD_DAEMON_REGISTRY_H
#define PREDICTD_DAEMON_REGISTRY_H

#include "daemon/epochs.h"
#include "model/device.h"
#include "proto/predictd.pb-c.h"

enum { REGISTRY_FAILURE_MAX = 256, REGISTRY_DEVICES_MAX = 256 };

struct registry_device {
	struct device device; /* of a found one: its identity, limits, and the best calibration */
	uint64_t key;         /* a hash of its identity, whatever its driver */
	bool is_present;
	uint32_t platform_index, device_index; /* of a present one */
	char failure[REGISTRY_FAILURE_MAX];
};

struct registry {
	struct registry_device **devices; /* what `index` means */
	size_t count;
	struct registry_device **found; /* as the drivers say, without calibration */
	size_t found_count;
	struct device **kept; /* the newest calibration of each device */
	size_t kept_count;
	uint64_t epoch_max;
	uint64_t generation;                /* grows whenever `devices` is made anew */
	struct epochs *epochs;              /* raised then, borrowed; or NULL */
	char problem[REGISTRY_FAILURE_MAX]; /* why no device was found, or empty */
};

void registry_init(struct registry *registry);
void registry_deinit(struct registry *registry);

/*
 * Replaces what the last scan found; entries that are no device are left out and
 * named in `problem`. STATUS_NO_MEMORY: nothing changed.
 */
enum status registry_set_found(struct registry *registry, const Predictd__FoundDevices *message,
                               struct error *error);

/*
 * Keeps a calibration: of the device itself, or (with neither uuid nor pci)
 * of every device of its model, in place of an earlier one. Where several calibrations
 * serve a device, the highest epoch wins. STATUS_NO_MEMORY, STATUS_LIMIT: nothing changed.
 */
enum status registry_keep(struct registry *registry, const struct device *calibrated,
                          struct error *error);

/* True when a calibration of that very device is kept. */
bool registry_is_kept(const struct registry *registry, const struct device *device);

/* Epochs given from here on are above this one. */
void registry_raise_epoch(struct registry *registry, uint64_t epoch);

/*
 * The device that a text means: an index, or part of a name (case does not count);
 * empty: the first calibrated one, else the first. The result is valid until the
 * registry changes.
 *
 * STATUS_NOT_FOUND lists the devices; STATUS_INVALID: part of several names.
 */
enum status registry_find(const struct registry *registry, const char *text, size_t *index,
                          struct error *error);

/* STATUS_UNCALIBRATED, with what to type, when the device has no calibration. */
enum status registry_check_calibrated(const struct registry *registry, size_t index,
                                      struct error *error);

/* A hash of a device's identity, whatever its driver: the same in every daemon. */
static inline uint64_t registry_device_key(const struct registry *registry, size_t index)
{
	return registry->devices[index]->key;
}

/* The present device of that identity, or NULL: where a result belongs after a scan. */
struct registry_device *registry_find_same(struct registry *registry, const struct device *device);

#endif
