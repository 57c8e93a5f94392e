/* SPDX-License-Identifier: Apache-2.0 */
/* The devices known: what was found, merged with what is kept. */
#include "daemon/state/registry.h"

#include "daemon/codec/device_codec.h"
#include "daemon/codec/language.h"

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
	free(registry->indices);
	registry_init(registry);
}

static bool has_address(const struct device *device)
{
	return device->uuid[0] != '\0' || device->pci[0] != '\0';
}

static struct device **find_kept(const struct registry *registry, const char *key)
{
	for (size_t i = 0; i < registry->kept_count; i++)
		if (strcmp(registry->kept[i]->key, key) == 0)
			return &registry->kept[i];
	return NULL;
}

/* A calibration serves the device of its key, or every one of its model. */
static bool serves(const struct device *kept, const struct device *found)
{
	if (!device_is_same_model(kept, found))
		return false;
	if (strcmp(kept->key, found->key) == 0)
		return true;
	return !has_address(kept) && key_ordinal(kept->key) == 0;
}

static uint64_t mix_text(uint64_t hash, const char *text)
{
	return XXH3_64bits_withSeed(text, strlen(text) + 1, hash);
}

/* pci: where the device was when it was calibrated first; it may have been moved since. */
static uint64_t identity_hash(const struct device *device, const char *pci)
{
	const uint64_t words[] = {device->type, device->compute_units};
	uint64_t hash = XXH3_64bits(words, sizeof words);
	hash = mix_text(hash, device->platform);
	hash = mix_text(hash, device->vendor);
	hash = mix_text(hash, device->name);
	hash = mix_text(hash, device->uuid);
	hash = mix_text(hash, pci);
	return key_ordinal(device->key) == 0 ? hash : mix_text(hash, device->key);
}

/* Whether `a` rather than `b` (or NULL) serves a device. */
static bool serves_better(const struct device *a, const struct device *b,
                          const struct device *device)
{
	if (b == NULL)
		return true;
	/* what was measured, before what was made of others' */
	if ((a->borrowed_nodes > 0) != (b->borrowed_nodes > 0))
		return b->borrowed_nodes > 0;
	bool is_own = strcmp(a->key, device->key) == 0, was_own = strcmp(b->key, device->key) == 0;
	/* with an address, what is not its own was imported, on purpose */
	if (!has_address(device) && is_own != was_own)
		return is_own;
	return a->epoch > b->epoch;
}

/* The found device with the coefficients of its best calibration. */
static void calibrate_entry(const struct registry *registry, struct device *device)
{
	const struct device *best = NULL;
	for (size_t i = 0; i < registry->kept_count; i++)
		if (serves(registry->kept[i], device) &&
		    serves_better(registry->kept[i], best, device))
			best = registry->kept[i];
	if (best == NULL)
		return;
	device->is_calibrated = true;
	device->is_quick = best->is_quick;
	device->was_busy = best->was_busy;
	device->calibrated_at_s = best->calibrated_at_s;
	device->duration_s = best->duration_s;
	device->epoch = best->epoch;
	device->borrowed_nodes = best->borrowed_nodes;
	device->is_stale = strcmp(best->driver, device->driver) != 0;
	memcpy(device->doubts, best->doubts, sizeof device->doubts);
	/* what another driver's compiler told is nearer than what this one's version and lists do
	 */
	if (best->language_bytes > 0 && !language_is_nearer(device, best))
		language_copy(best, device);
	memcpy(device->coefficient, best->coefficient, sizeof device->coefficient);
}

/* Its version tells something of it where nobody asked its compiler or its driver. */
static enum status assume_language(struct device *device, struct error *error)
{
	return device->language_bytes > 0 ? STATUS_OK : language_assume(NULL, device, error);
}

static struct registry_device *find_listed(const struct registry *registry, const char *key)
{
	for (size_t i = 0; i < registry->count; i++)
		if (strcmp(registry->devices[i]->device.key, key) == 0)
			return registry->devices[i];
	return NULL;
}

struct registry_device *registry_find_present(const struct registry *registry, const char *key)
{
	struct registry_device *entry = find_listed(registry, key);
	return entry != NULL && entry->is_present ? entry : NULL;
}

bool registry_serves(const struct registry *registry, const struct device *kept, size_t place)
{
	return serves(kept, &registry->devices[place]->device);
}

/* ---- indices ------------------------------------------------------------------------------- */

static bool is_among(struct registry_device *const *entries, size_t count, const char *key)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(entries[i]->device.key, key) == 0)
			return true;
	return false;
}

/* Makes room by forgetting the device that left and had its index first: back, it gets another. */
static void indices_evict(struct registry *registry, struct registry_device *const *entries,
                          size_t count)
{
	struct registry_index *indices = registry->indices;
	size_t at = 0;
	while (is_among(entries, count, indices[at].key))
		at++; /* ends: there are fewer devices than indices */
	memmove(&indices[at], &indices[at + 1], (registry->index_count - at - 1) * sizeof *indices);
	registry->index_count--;
}

static uint32_t index_get(struct registry *registry, struct registry_device *const *entries,
                          size_t count, const char *key)
{
	for (size_t i = 0; i < registry->index_count; i++)
		if (strcmp(registry->indices[i].key, key) == 0)
			return registry->indices[i].index;
	if (registry->index_count == REGISTRY_INDICES_MAX)
		indices_evict(registry, entries, count);
	struct registry_index *given = &registry->indices[registry->index_count++];
	memcpy(given->key, key, sizeof given->key);
	given->index = registry->next_index++;
	return given->index;
}

static int compare_indices(const void *a, const void *b)
{
	const struct registry_device *const *x = a, *const *y = b;
	return ((*x)->index > (*y)->index) - ((*x)->index < (*y)->index);
}

static void indices_give(struct registry *registry, struct registry_device **entries, size_t count)
{
	if (!registry->is_settled) {
		registry->index_count = 0;
		registry->next_index = 0;
	}
	for (size_t i = 0; i < count; i++)
		entries[i]->index = index_get(registry, entries, count, entries[i]->device.key);
	if (count > 0)
		qsort(entries, count, sizeof(*entries), compare_indices);
}

void registry_settle(struct registry *registry)
{
	registry->is_settled = true;
}

/* Makes the merged list anew; failures of devices that are still there stay with them. */
static enum status merge(struct registry *registry, struct error *error)
{
	size_t room = registry->found_count + registry->kept_count, count = 0;
	struct registry_device **entries = calloc(room == 0 ? 1 : room, sizeof(*entries));
	if (entries == NULL)
		goto short_of_memory;
	if (registry->indices == NULL)
		registry->indices = calloc(REGISTRY_INDICES_MAX, sizeof *registry->indices);
	if (registry->indices == NULL)
		goto short_of_memory;
	for (size_t i = 0; i < registry->found_count; i++) {
		struct registry_device *entry = calloc(1, sizeof *entry);
		if (entry == NULL)
			goto short_of_memory;
		entries[count++] = entry;
		*entry = *registry->found[i];
		struct device *const *own = find_kept(registry, entry->device.key);
		entry->hash = identity_hash(&entry->device,
		                            own != NULL ? (*own)->pci : entry->device.pci);
		calibrate_entry(registry, &entry->device);
		if (assume_language(&entry->device, error) != STATUS_OK)
			goto short_of_memory;
		const struct registry_device *before =
		        registry_find_present(registry, entry->device.key);
		if (before != NULL && entry->failure[0] == '\0')
			memcpy(entry->failure, before->failure, sizeof entry->failure);
	}
	for (size_t i = 0; i < registry->kept_count; i++) {
		const struct device *kept = registry->kept[i];
		bool is_used = is_among(entries, count, kept->key);
		for (size_t j = 0; j < registry->found_count && !is_used; j++)
			is_used = serves(kept, &registry->found[j]->device);
		if (is_used)
			continue;
		struct registry_device *entry = calloc(1, sizeof *entry);
		if (entry == NULL)
			goto short_of_memory;
		entries[count++] = entry;
		entry->device = *kept;
		entry->hash = identity_hash(kept, kept->pci);
		if (assume_language(&entry->device, error) != STATUS_OK)
			goto short_of_memory;
	}
	for (size_t i = 0; i < count; i++)
		entries[i]->language =
		        language_id(entries[i]->device.language, entries[i]->device.language_bytes);
	indices_give(registry, entries, count);
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

/* ---- what was found ------------------------------------------------------------------------ */

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
	device->borrowed_nodes = 0;
	memset(device->coefficient, 0, sizeof device->coefficient);
	found->is_present = true;
	found->platform_index = message->platform_index;
	found->device_index = message->device_index;
	snprintf(found->failure, sizeof found->failure, "%s", message->device->failure);
	return found;
}

/* Their keys, whatever the scan says of those; false when memory is short. */
static bool found_name(struct registry_device **found, size_t count)
{
	struct key_identity *identities = calloc(count + 1, sizeof *identities);
	char(*keys)[KEY_BYTES_MAX] = calloc(count + 1, sizeof *keys);
	bool is_named = identities != NULL && keys != NULL;
	for (size_t i = 0; i < count && is_named; i++)
		identities[i] = device_key_identity(&found[i]->device);
	if (is_named)
		keys_make(identities, count, keys);
	for (size_t i = 0; i < count && is_named; i++)
		memcpy(found[i]->device.key, keys[i], sizeof keys[i]);
	free(identities);
	free(keys);
	return is_named;
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
	enum status status = found_name(found, count)
	                             ? merge(registry, error)
	                             : error_set(error, STATUS_NO_MEMORY, "devices: no memory");
	if (status == STATUS_OK) {
		entries_free(before, before_count);
	} else {
		registry->found = before;
		registry->found_count = before_count;
		entries_free(found, count);
	}
	return status;
}

/* ---- what is kept -------------------------------------------------------------------------- */

bool registry_is_kept(const struct registry *registry, const struct device *device)
{
	return find_kept(registry, device->key) != NULL;
}

bool registry_has_measured(const struct registry *registry, const char *key)
{
	struct device *const *kept = find_kept(registry, key);
	return kept != NULL && (*kept)->borrowed_nodes == 0;
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
	enum status status = STATUS_OK;
	if (copy == NULL)
		return error_set(error, STATUS_NO_MEMORY, "devices: no memory");
	*copy = *calibrated;
	copy->is_calibrated = true;
	struct device **entry = find_kept(registry, copy->key);
	registry_raise_epoch(registry, copy->epoch);
	if (copy->borrowed_nodes > 0 && entry != NULL && (*entry)->borrowed_nodes == 0) {
		free(copy);
		return error_set(error, STATUS_INVALID,
		                 "%.100s has a calibration of its own: no borrowed one replaces it",
		                 calibrated->name);
	}
	if (entry != NULL) {
		earlier = *entry;
		memcpy(copy->pci, earlier->pci, sizeof copy->pci);
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

enum status registry_drop(struct registry *registry, const char *key, struct error *error)
{
	struct device **entry = find_kept(registry, key);
	if (entry == NULL)
		return STATUS_OK;
	struct device *dropped = *entry;
	size_t at = (size_t)(entry - registry->kept), behind = registry->kept_count - at - 1;
	memmove(entry, entry + 1, behind * sizeof(*entry));
	registry->kept_count--;
	enum status status = merge(registry, error);
	if (status == STATUS_OK) {
		free(dropped);
	} else {
		memmove(entry + 1, entry, behind * sizeof(*entry));
		*entry = dropped;
		registry->kept_count++;
	}
	return status;
}

/* ---- which one is meant -------------------------------------------------------------------- */

/* How well a text names a device. */
enum named { NAMED_NOT, NAMED_IN_PART, NAMED_WHOLE };

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

static enum named named(const struct registry_device *entry, const char *text)
{
	if (strcmp(entry->device.name, text) == 0)
		return NAMED_WHOLE;
	return contains(entry->device.name, text) ? NAMED_IN_PART : NAMED_NOT;
}

/* "0 (A), 1 (B, away)" of those that a text names at least so well, cut where it gets long. */
static void list_devices(const struct registry *registry, const char *text, enum named least,
                         char *list, size_t room)
{
	size_t used = 0;
	list[0] = '\0';
	for (size_t i = 0; i < registry->count; i++) {
		const struct registry_device *entry = registry->devices[i];
		if (named(entry, text) < least)
			continue;
		int length = snprintf(list + used, room - used, "%s%u (%.60s%s)",
		                      used == 0 ? "" : ", ", entry->index, entry->device.name,
		                      entry->is_present ? "" : ", away");
		if (length < 0 || (size_t)length + 8 >= room - used) {
			snprintf(list + used, room - used, ", ...");
			return;
		}
		used += (size_t)length;
	}
}

static bool parse_index(const char *text, uint32_t *index)
{
	uint32_t value = 0;
	size_t length = strlen(text);
	if (length == 0 || length > 9)
		return false;
	for (size_t i = 0; i < length; i++) {
		if (text[i] < '0' || text[i] > '9')
			return false;
		value = value * 10 + (uint32_t)(text[i] - '0');
	}
	*index = value;
	return true;
}

/* Of those present, the first calibrated one, else the first. */
static enum status find_default(const struct registry *registry, size_t *place, struct error *error)
{
	char known[160];
	size_t first = registry->count;
	for (size_t i = registry->count; i-- > 0;) {
		const struct registry_device *entry = registry->devices[i];
		if (entry->is_present && (first == registry->count || entry->device.is_calibrated ||
		                          !registry->devices[first]->device.is_calibrated))
			first = i;
	}
	*place = first;
	if (first < registry->count)
		return STATUS_OK;
	list_devices(registry, "", NAMED_NOT, known, sizeof known);
	return error_set(error, STATUS_NOT_FOUND,
	                 "no device is on this node now: name one that is away: %s", known);
}

static enum status find_by_name(const struct registry *registry, const char *text, size_t *place,
                                struct error *error)
{
	char known[160];
	enum named best = NAMED_NOT;
	size_t count = 0, present_count = 0, found = 0, present = 0;
	for (size_t i = 0; i < registry->count; i++) {
		enum named one = named(registry->devices[i], text);
		if (one == NAMED_NOT || one < best)
			continue;
		if (one > best)
			count = present_count = 0;
		best = one;
		found = i;
		count++;
		if (registry->devices[i]->is_present) {
			present = i;
			present_count++;
		}
	}
	list_devices(registry, text, best, known, sizeof known);
	if (count == 0)
		return error_set(error, STATUS_NOT_FOUND, "device \"%.60s\": want one of %s", text,
		                 known);
	if (count > 1 && present_count != 1)
		return error_set(error, STATUS_INVALID,
		                 "device \"%.40s\": is %s %zu names, want one of %s", text,
		                 best == NAMED_WHOLE ? "each of" : "part of", count, known);
	*place = count > 1 ? present : found;
	return STATUS_OK;
}

enum status registry_find(const struct registry *registry, const char *text, size_t *place,
                          struct error *error)
{
	char known[160];
	uint32_t index;
	if (registry->count == 0)
		return error_set(error, STATUS_NOT_FOUND, "no device: %.200s",
		                 registry->problem[0] == '\0' ? "none was found"
		                                              : registry->problem);
	if (text[0] == '\0')
		return find_default(registry, place, error);
	for (size_t i = 0; i < registry->count; i++)
		if (strcmp(registry->devices[i]->device.key, text) == 0) {
			*place = i;
			return STATUS_OK;
		}
	if (!parse_index(text, &index))
		return find_by_name(registry, text, place, error);
	for (size_t i = 0; i < registry->count; i++)
		if (registry->devices[i]->index == index) {
			*place = i;
			return STATUS_OK;
		}
	list_devices(registry, "", NAMED_NOT, known, sizeof known);
	return error_set(error, STATUS_NOT_FOUND, "device %u: want one of %s", index, known);
}

enum status registry_check_calibrated(const struct registry *registry, size_t place,
                                      struct error *error)
{
	const struct registry_device *entry = registry->devices[place];
	if (entry->device.is_calibrated)
		return STATUS_OK;
	return error_set(error, STATUS_UNCALIBRATED,
	                 "device \"%s\" is not calibrated: type \"predictctl calibrate %u\"",
	                 entry->device.name, entry->index);
}

enum status registry_check_present(const struct registry *registry, size_t place, const char *what,
                                   struct error *error)
{
	const struct registry_device *entry = registry->devices[place];
	if (entry->is_present)
		return STATUS_OK;
	return error_set(error, STATUS_NOT_FOUND,
	                 "%s: device %u \"%.100s\" (%s) is away: only its calibration is known",
	                 what, entry->index, entry->device.name, entry->device.key);
}
