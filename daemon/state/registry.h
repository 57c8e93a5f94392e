/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The devices known: those found on this node by the last scan, and those whose calibration is
 * kept while they are away. Each has a key (proto/device_key.h), and an index which no other
 * device gets while the daemon lives. One that is away and has no calibration is not listed.
 */
#ifndef PREDICTD_DAEMON_STATE_REGISTRY_H
#define PREDICTD_DAEMON_STATE_REGISTRY_H

#include "daemon/state/epochs.h"
#include "model/device/device.h"
#include "proto/predictd.pb-c.h"

enum {
	REGISTRY_FAILURE_MAX = 256,
	REGISTRY_DEVICES_MAX = 256,
	/* those that have left keep theirs, until so many have come and gone */
	REGISTRY_INDICES_MAX = 4 * REGISTRY_DEVICES_MAX
};

struct registry_device {
	struct device device; /* of a found one: its identity, limits, and the best calibration */
	uint32_t index;       /* what people and programs may call it */
	uint64_t language;    /* what its compiler makes of sources: language_id */
	uint64_t hash; /* of its identity when it was calibrated first: observations are filed by it
	                */
	bool is_present;
	uint32_t platform_index, device_index; /* of a present one */
	char failure[REGISTRY_FAILURE_MAX];
};

struct registry_index {
	char key[DEVICE_KEY_MAX];
	uint32_t index;
};

struct registry {
	/* by index; a place in this list stands until `generation` grows, the index for ever */
	struct registry_device **devices;
	size_t count;
	struct registry_device **found; /* as the drivers say, without calibration */
	size_t found_count;
	struct device **kept; /* the newest calibration of each device */
	size_t kept_count;
	struct registry_index *indices; /* given so far */
	size_t index_count;
	uint32_t next_index;
	bool is_settled; /* indices may have been told: registry_settle */
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
 * From here on indices stay: calibrations kept and devices found at the start are known, and
 * those found have the first ones, in the order of their platforms.
 */
void registry_settle(struct registry *registry);

/*
 * Keeps a calibration: of the device of its key, or (with neither uuid nor pci, nor equals before
 * it) of every device of its model, in place of an earlier one. Where several calibrations serve a
 * device, the highest epoch wins; but one without uuid and pci is served by its own first, and a
 * borrowed one serves while there is no other. STATUS_INVALID: it is borrowed, and one that is not
 * is kept of the same key.
 * STATUS_NO_MEMORY, STATUS_LIMIT: nothing changed.
 */
enum status registry_keep(struct registry *registry, const struct device *calibrated,
                          struct error *error);

/* Whether the kept calibration is one that serves the device of that place. */
bool registry_serves(const struct registry *registry, const struct device *kept, size_t place);

/*
 * Drops the calibration that is kept of the device of that key; none: nothing changes.
 * STATUS_NO_MEMORY: nothing changed.
 */
enum status registry_drop(struct registry *registry, const char *key, struct error *error);

/* True when a calibration of that very device is kept. */
bool registry_is_kept(const struct registry *registry, const struct device *device);

/* True when a calibration that is not borrowed is kept of the device of that key. */
bool registry_has_measured(const struct registry *registry, const char *key);

/* Epochs given from here on are above this one. */
void registry_raise_epoch(struct registry *registry, uint64_t epoch);

/*
 * The device that a text means: a key, an index, or part of a name (case does not count);
 * empty: of those present the first calibrated one, else the first. Of several with the text in
 * their names, a whole name counts more than a part, and then the only one that is present.
 * *place is its place in `devices`, valid until the registry changes.
 *
 * STATUS_NOT_FOUND lists the devices; STATUS_INVALID: part of several names, which are listed.
 */
enum status registry_find(const struct registry *registry, const char *text, size_t *place,
                          struct error *error);

/* STATUS_UNCALIBRATED, with what to type, when the device has no calibration. */
enum status registry_check_calibrated(const struct registry *registry, size_t place,
                                      struct error *error);

/* STATUS_NOT_FOUND when the device is away, and cannot do as is asked: `what`, "calibrate". */
enum status registry_check_present(const struct registry *registry, size_t place, const char *what,
                                   struct error *error);

/* The present device of that key, or NULL: where a result belongs after a scan. */
struct registry_device *registry_find_present(const struct registry *registry, const char *key);

#endif
