/* SPDX-License-Identifier: Apache-2.0 */
/* The devices known: what was found, merged with what is kept. */
#include "daemon/registry.h"

#include "daemon/device_codec.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

void registry_init(struct registry *registry)
{
	*registry = (struct registry){.devices = NULL};
}

static void entries_free(struct registry_device **entries, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(entries[i]);
	free(entries);
}

void registry_deinit(struct registry *registry)
{
	entries_free(registry->devices, registry->count);
	entries_free(registry->found, registry->found_count);
	for (size_t i = 0; i < registry->kept_count; i++)
		free(registry->kept[i]);
	free(registry->kept);
	registry_init(registry);
}

/* Equal in everything that tells two devices of a node apart. */
static bool is_same_device(const struct device *a, const struct device *b)
{
	return device_is_same_model(a, b) && strcmp(a->platform, b->platform) == 0 &&
	       strcmp(a->uuid, b->uuid) == 0 && strcmp(a->pci, b->pci) == 0;
}

/* A calibration serves the device that it names, or every one of its model. */
static bool serves(const struct device *kept, const struct device *found)
{
	if (!device_is_same_model(kept, found))
		return false;
	if (kept->uuid[0] == '\0' && kept->pci[0] == '\0')
		return true;
	if (kept->uuid[0] != '\0' && found->uuid[0] != '\0')
		return strcmp(kept->uuid, found->uuid) == 0;
	return strcmp(kept->pci, found->pci) == 0;
}

static uint64_t mix_text(uint64_t hash, const char *text)
{
	return XXH3_64bits_withSeed(text, strlen(text) + 1, hash);
}

static uint64_t identity_key(const struct device *device)
{
	const uint64_t words[] = {device->type, device->compute_units};
	uint64_t hash = XXH3_64bits(words, sizeof words);
	hash = mix_text(hash, device->platform);
	hash = mix_text(hash, device->vendor);
	hash = mix_text(hash, device->name);
	hash = mix_text(hash, device->uuid);
	return mix_text(hash, device->pci);
}

/* The found device with the coefficients of its best calibration. */
static void calibrate_entry(const struct registry *registry, struct device *device)
{
	const struct device *best = NULL;
	for (size_t i = 0; i < registry->kept_count; i++) {
		const struct device *kept = registry->kept[i];
		if (serves(kept, device) && (best == NULL || kept->epoch > best->epoch))
			best = kept;
	}
	if (best == NULL)
		return;
	device->is_calibrated = true;
	device->is_quick = best->is_quick;
	device->was_busy = best->was_busy;
	device->calibrated_at_s = best->calibrated_at_s;
	device->duration_s = best->duration_s;
	device->epoch = best->epoch;
	device->is_stale = strcmp(best->driver, device->driver) != 0;
	memcpy(device->coefficient, best->coefficient, sizeof device->coefficient);
}

struct registry_device *registry_find_same(struct registry *registry, const struct device *device)
{
	for (size_t i = 0; i < registry->count; i++)
		if (registry->devices[i]->is_present &&
		    is_same_device(&registry->devices[i]->device, device))
			return registry->devices[i];
	return NULL;
}

/* Makes the merged list anew; failures of devices that are still there stay with them. */
static enum status merge(struct registry *registry, struct error *error)
{
	size_t room = registry->found_count + registry->kept_count, count = 0;
	struct registry_device **entries = calloc(room == 0 ? 1 : room, sizeof(*entries));
	if (entries == NULL)
		goto short_of_memory;
	for (size_t i = 0; i < registry->found_count; i++) {
		struct registry_device *entry = calloc(1, sizeof *entry);
		if (entry == NULL)
			goto short_of_memory;
		entries[count++] = entry;
		*entry = *registry->found[i];
		entry->key = identity_key(&entry->device);
		calibrate_entry(registry, &entry->device);
		const struct registry_device *before = registry_find_same(registry, &entry->device);
		if (before != NULL && entry->failure[0] == '\0')
			memcpy(entry->failure, before->failure, sizeof entry->failure);
	}
	for (size_t i = 0; i < registry->kept_count; i++) {
		bool is_used = false;
		for (size_t j = 0; j < registry->found_count && !is_used; j++)
			is_used = serves(registry->kept[i], &registry->found[j]->device);
		if (is_used)
			continue;
		struct registry_device *entry = calloc(1, sizeof *entry);
		if (entry == NULL)
			goto short_of_memory;
		entries[count++] = entry;
		entry->device = *registry->kept[i];
		entry->key = identity_key(&entry->device);
	}
	entries_free(registry->devices, registry->count);
	registry->devices = entries;
	registry->count = count;
	registry->generation++;
	if (registry->epochs != NULL)
		epochs_raise_all(registry->epochs);
	return STATUS_OK;

short_of_memory:
	if (entries != NULL)
		entries_free(entries, count);
	return error_set(error, STATUS_NO_MEMORY, "devices: no memory");
}

/* A device as a scan tells it, or NULL and why not. */
static struct registry_device *found_new(const Predictd__FoundDevice *message, struct error *error)
{
	struct registry_device *found = calloc(1, sizeof *found);
	if (found == NULL) {
		error_set(error, STATUS_NO_MEMORY, "no memory");
		return NULL;
	}
	if (message->device == NULL) {
		error_set(error, STATUS_CORRUPT, "no description");
		free(found);
		return NULL;
	}
	struct device *device = &found->device;
	if (device_decode(message->device, device, error) != STATUS_OK) {
		free(found);
		return NULL;
	}
	device->is_calibrated = false;
	device->epoch = 0;
	memset(device->coefficient, 0, sizeof device->coefficient);
	found->is_present = true;
	found->platform_index = message->platform_index;
	found->device_index = message->device_index;
	snprintf(found->failure, sizeof found->failure, "%s", message->device->failure);
	return found;
}

enum status registry_set_found(struct registry *registry, const Predictd__FoundDevices *message,
                               struct error *error)
{
	size_t room = message->n_devices < REGISTRY_DEVICES_MAX ? message->n_devices
	                                                        : REGISTRY_DEVICES_MAX;
	size_t count = 0;
	struct registry_device **found = calloc(room == 0 ? 1 : room, sizeof(*found));
	if (found == NULL)
		return error_set(error, STATUS_NO_MEMORY, "devices: no memory");
	registry->problem[0] = '\0';
	for (size_t i = 0; i < room; i++) {
		struct error why = {.status = STATUS_OK};
		found[count] = found_new(message->devices[i], &why);
		if (found[count] != NULL)
			count++;
		else
			snprintf(registry->problem, sizeof registry->problem,
			         "a device was left out: %.200s", why.text);
	}
	if (count == 0 && registry->problem[0] == '\0')
		snprintf(registry->problem, sizeof registry->problem,
		         "no OpenCL device: no driver is installed, or it found none");

	struct registry_device **before = registry->found;
	size_t before_count = registry->found_count;
	registry->found = found;
	registry->found_count = count;
	enum status status = merge(registry, error);
	if (status == STATUS_OK) {
		entries_free(before, before_count);
	} else {
		registry->found = before;
		registry->found_count = before_count;
		entries_free(found, count);
	}
	return status;
}

static struct device **find_kept(const struct registry *registry, const struct device *device)
{
	for (size_t i = 0; i < registry->kept_count; i++)
		if (is_same_device(registry->kept[i], device))
			return &registry->kept[i];
	return NULL;
}

bool registry_is_kept(const struct registry *registry, const struct device *device)
{
	return find_kept(registry, device) != NULL;
}

void registry_raise_epoch(struct registry *registry, uint64_t epoch)
{
	if (epoch > registry->epoch_max)
		registry->epoch_max = epoch;
}

enum status registry_keep(struct registry *registry, const struct device *calibrated,
                          struct error *error)
{
	struct device *copy = malloc(sizeof *copy), *earlier = NULL;
	struct device **entry = find_kept(registry, calibrated);
	enum status status = STATUS_OK;
	if (copy == NULL)
		return error_set(error, STATUS_NO_MEMORY, "devices: no memory");
	*copy = *calibrated;
	copy->is_calibrated = true;
	registry_raise_epoch(registry, copy->epoch);
	if (entry != NULL) {
		earlier = *entry;
	} else if (registry->kept_count >= REGISTRY_DEVICES_MAX) {
		status = error_set(error, STATUS_LIMIT, "devices: want at most %d",
		                   REGISTRY_DEVICES_MAX);
	} else {
		struct device **grown =
		        realloc(registry->kept, (registry->kept_count + 1) * sizeof(*grown));
		if (grown == NULL) {
			status = error_set(error, STATUS_NO_MEMORY, "devices: no memory");
		} else {
			registry->kept = grown;
			entry = &grown[registry->kept_count++];
		}
	}
	if (status == STATUS_OK) {
		*entry = copy;
		status = merge(registry, error);
		if (status == STATUS_OK) {
			copy = earlier; /* the registry's, and the one before nobody's */
		} else {
			*entry = earlier;
			registry->kept_count -= earlier == NULL;
		}
	}
	free(copy);
	return status;
}

/* "0 (A), 1 (B)", cut where it gets long. */
static void list_devices(const struct registry *registry, char *text, size_t room)
{
	size_t used = 0;
	text[0] = '\0';
	for (size_t i = 0; i < registry->count; i++) {
		int length = snprintf(text + used, room - used, "%s%zu (%.60s)", i == 0 ? "" : ", ",
		                      i, registry->devices[i]->device.name);
		if (length < 0 || (size_t)length + 8 >= room - used) {
			snprintf(text + used, room - used, ", ...");
			return;
		}
		used += (size_t)length;
	}
}

static bool contains(const char *text, const char *part)
{
	for (; *text != '\0'; text++) {
		size_t i = 0;
		while (part[i] != '\0' &&
		       tolower((unsigned char)text[i]) == tolower((unsigned char)part[i]))
			i++;
		if (part[i] == '\0')
			return true;
	}
	return false;
}

static bool parse_index(const char *text, size_t *index)
{
	size_t value = 0, length = strlen(text);
	if (length == 0 || length > 4)
		return false;
	for (size_t i = 0; i < length; i++) {
		if (text[i] < '0' || text[i] > '9')
			return false;
		value = value * 10 + (size_t)(text[i] - '0');
	}
	*index = value;
	return true;
}

enum status registry_find(const struct registry *registry, const char *text, size_t *index,
                          struct error *error)
{
	char known[160];
	size_t found = 0, matches = 0, number;
	if (registry->count == 0)
		return error_set(error, STATUS_NOT_FOUND, "no device: %.200s",
		                 registry->problem[0] == '\0' ? "none was found"
		                                              : registry->problem);
	list_devices(registry, known, sizeof known);
	if (text[0] == '\0') {
		*index = 0;
		for (size_t i = registry->count; i-- > 0;)
			if (registry->devices[i]->device.is_calibrated)
				*index = i;
		return STATUS_OK;
	}
	if (parse_index(text, &number)) {
		if (number >= registry->count)
			return error_set(error, STATUS_NOT_FOUND, "device %zu: want one of %s",
			                 number, known);
		*index = number;
		return STATUS_OK;
	}
	for (size_t i = 0; i < registry->count; i++) {
		const char *name = registry->devices[i]->device.name;
		if (strcmp(name, text) == 0) {
			/* a whole name is no part of another */
			*index = i;
			return STATUS_OK;
		}
		if (contains(name, text)) {
			found = i;
			matches++;
		}
	}
	if (matches == 0)
		return error_set(error, STATUS_NOT_FOUND, "device \"%.60s\": want one of %s", text,
		                 known);
	if (matches > 1)
		return error_set(error, STATUS_INVALID,
		                 "device \"%.40s\": is part of %zu names, want one of %s", text,
		                 matches, known);
	*index = found;
	return STATUS_OK;
}

enum status registry_check_calibrated(const struct registry *registry, size_t index,
                                      struct error *error)
{
	const struct device *device = &registry->devices[index]->device;
	if (device->is_calibrated)
		return STATUS_OK;
	return error_set(error, STATUS_UNCALIBRATED,
	                 "device \"%s\" is not calibrated: type \"predictctl calibrate %zu\"",
	                 device->name, index);
}
