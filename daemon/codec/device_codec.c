/* SPDX-License-Identifier: Apache-2.0 */
/* A device between model/device/device.h and its message. */
#include "daemon/codec/device_codec.h"

#include "daemon/codec/language.h"
#include "proto/text.h"

#include <stdlib.h>
#include <string.h>

/* X(field) - text of struct device and of the message alike. */
#define DEVICE_TEXTS(X) X(platform) X(vendor) X(name) X(driver) X(version) X(uuid) X(pci) X(key)

/* X(field) - numbers and flags with the same name on both sides. */
#define DEVICE_NUMBERS(X)                                                                          \
	X(compute_units)                                                                           \
	X(clock_mhz)                                                                               \
	X(max_group_items)                                                                         \
	X(local_bytes)                                                                             \
	X(global_bytes)                                                                            \
	X(max_allocation_bytes)                                                                    \
	X(has_images)                                                                              \
	X(has_double)                                                                              \
	X(has_half)                                                                                \
	X(allows_uneven_groups)                                                                    \
	X(is_calibrated)                                                                           \
	X(is_quick)                                                                                \
	X(is_stale)                                                                                \
	X(was_busy)                                                                                \
	X(calibrated_at_s)                                                                         \
	X(duration_s)                                                                              \
	X(epoch)                                                                                   \
	X(borrowed_nodes)

enum { DEVICE_DIMENSIONS = 3, DEVICE_IMAGE_SIZES = 7 };

/* X(field) - limits of images, in the message's order. */
#define DEVICE_IMAGE_LIMITS(X)                                                                     \
	X(max_image_2d[0])                                                                         \
	X(max_image_2d[1])                                                                         \
	X(max_image_3d[0])                                                                         \
	X(max_image_3d[1])                                                                         \
	X(max_image_3d[2])                                                                         \
	X(max_image_layers)                                                                        \
	X(max_image_buffer)

static bool coefficients_encode(const struct device *device, Predictd__Device *message)
{
	size_t known = 0;
	for (unsigned i = 0; i < COEFFICIENT_COUNT; i++)
		known += device->coefficient[i].is_known;
	if (known == 0)
		return true;
	message->coefficients = calloc(known, sizeof *message->coefficients);
	if (message->coefficients == NULL)
		return false;
	for (unsigned i = 0; i < COEFFICIENT_COUNT; i++) {
		const struct coefficient *coefficient = &device->coefficient[i];
		if (!coefficient->is_known)
			continue;
		Predictd__Coefficient *entry = malloc(sizeof *entry);
		if (entry == NULL)
			return false;
		predictd__coefficient__init(entry);
		/* the message owns it from here, whatever fails below */
		message->coefficients[message->n_coefficients++] = entry;
		char name[COEFFICIENT_NAME_MAX];
		coefficient_name(i, name);
		char *copy = strdup(name);
		if (copy == NULL)
			return false;
		entry->name = copy;
		entry->value = coefficient->value;
		entry->standard_error = coefficient->standard_error;
	}
	return true;
}

/* Leaves the message's empty default in place of an empty text. */
static bool text_encode(const char *text, size_t room, char **field)
{
	if (text[0] == '\0')
		return true;
	char *copy = strndup(text, room - 1);
	if (copy == NULL)
		return false;
	text_clean(copy); /* a driver's, or of a file */
	*field = copy;
	return true;
}

/* A sentence for each line. */
static bool doubts_encode(const struct device *device, Predictd__Device *message)
{
	char lines[DEVICE_DOUBTS_MAX], *rest = lines;
	memcpy(lines, device->doubts, sizeof lines);
	message->doubts = calloc(DEVICE_DOUBTS_MAX, sizeof(*message->doubts));
	if (message->doubts == NULL)
		return false;
	for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
		if (*line == '\0')
			continue;
		text_clean(line);
		char *copy = strdup(line);
		if (copy == NULL)
			return false;
		message->doubts[message->n_doubts++] = copy;
	}
	return true;
}

static bool language_encode(const struct device *device, Predictd__Device *message)
{
	message->language.data = malloc(device->language_bytes);
	if (message->language.data == NULL)
		return false;
	message->language.len = device->language_bytes;
	memcpy(message->language.data, device->language, device->language_bytes);
	return true;
}

Predictd__Device *device_encode(const struct device *device, bool with_coefficients)
{
	Predictd__Device *message = malloc(sizeof *message);
	if (message == NULL)
		return NULL;
	predictd__device__init(message);

	bool whole = true;
#define X(field) whole = whole && text_encode(device->field, sizeof device->field, &message->field);
	DEVICE_TEXTS(X)
#undef X
#define X(field) message->field = device->field;
	DEVICE_NUMBERS(X)
#undef X
	message->type = device->type;
	message->max_item_sizes = malloc(DEVICE_DIMENSIONS * sizeof *message->max_item_sizes);
	if (message->max_item_sizes != NULL) {
		message->n_max_item_sizes = DEVICE_DIMENSIONS;
		memcpy(message->max_item_sizes, device->max_item_sizes,
		       sizeof device->max_item_sizes);
	} else {
		whole = false;
	}
	message->max_image_sizes = malloc(DEVICE_IMAGE_SIZES * sizeof *message->max_image_sizes);
	if (message->max_image_sizes != NULL) {
		size_t i = 0;
		message->n_max_image_sizes = DEVICE_IMAGE_SIZES;
#define X(field) message->max_image_sizes[i++] = device->field;
		DEVICE_IMAGE_LIMITS(X)
#undef X
	} else {
		whole = false;
	}
	if (device->doubts[0] != '\0')
		whole = whole && doubts_encode(device, message);
	if (with_coefficients && device->language_bytes > 0)
		whole = whole && language_encode(device, message);
	if (with_coefficients)
		whole = whole && coefficients_encode(device, message);
	if (!whole) {
		predictd__device__free_unpacked(message, NULL);
		return NULL;
	}
	return message;
}

static enum status text_decode(const char *what, const char *text, char *field, size_t room,
                               struct error *error)
{
	size_t length = strlen(text);
	if (length >= room)
		return error_set(error, STATUS_CORRUPT,
		                 "device: %s: want at most %zu bytes, got %zu", what, room - 1,
		                 length);
	size_t clean = text_clean_bytes(text);
	if (clean < length)
		return error_set(error, STATUS_CORRUPT,
		                 "device: %s: byte %zu is a control character, or no UTF-8", what,
		                 clean);
	memcpy(field, text, length + 1);
	return STATUS_OK;
}

static enum status doubts_decode(const Predictd__Device *message, struct device *device,
                                 struct error *error)
{
	size_t used = 0;
	for (size_t i = 0; i < message->n_doubts; i++) {
		const char *line = message->doubts[i];
		size_t length = strlen(line);
		if (length + 2 > sizeof device->doubts - used)
			return error_set(error, STATUS_CORRUPT,
			                 "device: doubts: want at most %zu bytes",
			                 sizeof device->doubts - 2);
		enum status status = text_decode("doubts", line, device->doubts + used,
		                                 sizeof device->doubts - used, error);
		if (status != STATUS_OK)
			return status;
		used += length;
		device->doubts[used++] = '\n';
	}
	if (used > 0)
		device->doubts[used - 1] = '\0';
	return STATUS_OK;
}

static enum status language_decode(const Predictd__Device *message, struct device *device,
                                   struct error *error)
{
	if (message->language.len == 0)
		return STATUS_OK;
	if (message->language.len > sizeof device->language)
		return error_set(error, STATUS_CORRUPT,
		                 "device: language: want at most %zu bytes, got %zu",
		                 sizeof device->language, message->language.len);
	memcpy(device->language, message->language.data, message->language.len);
	device->language_bytes = (uint32_t)message->language.len;
	return language_check(device->language, device->language_bytes, error);
}

static enum status coefficients_decode(const Predictd__Device *message, struct device *device,
                                       struct error *error)
{
	/* a newer version may know more names than this one, but not without bound */
	if (message->n_coefficients > 4 * (size_t)COEFFICIENT_COUNT)
		return error_set(error, STATUS_CORRUPT,
		                 "device: want at most %d coefficients, got %zu",
		                 4 * COEFFICIENT_COUNT, message->n_coefficients);
	for (size_t i = 0; i < message->n_coefficients; i++) {
		const Predictd__Coefficient *entry = message->coefficients[i];
		int id = coefficient_find(entry->name);
		if (id < 0)
			continue;
		struct coefficient *coefficient = &device->coefficient[id];
		if (coefficient->is_known)
			return error_set(error, STATUS_CORRUPT,
			                 "device: coefficient %s is given twice", entry->name);
		*coefficient = (struct coefficient){
		        .value = entry->value,
		        .standard_error = entry->standard_error,
		        .is_known = true,
		};
	}
	return STATUS_OK;
}

enum status device_decode(const Predictd__Device *message, struct device *device,
                          struct error *error)
{
	enum status status = STATUS_OK;
	/* built apart, so that *device is unchanged on error; too large for a stack of jobs */
	struct device *built = calloc(1, sizeof *built);
	if (built == NULL)
		return error_set(error, STATUS_NO_MEMORY, "device: no memory");

#define X(field)                                                                                   \
	if (status == STATUS_OK)                                                                   \
		status = text_decode(#field, message->field, built->field, sizeof built->field,    \
		                     error);
	DEVICE_TEXTS(X)
#undef X
	if (status != STATUS_OK)
		goto out;
#define X(field) built->field = message->field;
	DEVICE_NUMBERS(X)
#undef X
	if (message->type > DEVICE_OTHER) {
		status = error_set(error, STATUS_CORRUPT, "device: type: want at most %d, got %u",
		                   DEVICE_OTHER, message->type);
		goto out;
	}
	built->type = (uint8_t)message->type;
	if (message->n_max_item_sizes != DEVICE_DIMENSIONS) {
		status = error_set(error, STATUS_CORRUPT,
		                   "device: max_item_sizes: want %d sizes, got %zu",
		                   DEVICE_DIMENSIONS, message->n_max_item_sizes);
		goto out;
	}
	memcpy(built->max_item_sizes, message->max_item_sizes, sizeof built->max_item_sizes);
	/* an older version sent none, a newer one may send more */
	size_t sizes = 0;
#define X(field)                                                                                   \
	if (sizes < message->n_max_image_sizes)                                                    \
		built->field = message->max_image_sizes[sizes++];
	DEVICE_IMAGE_LIMITS(X)
#undef X
	status = coefficients_decode(message, built, error);
	if (status == STATUS_OK)
		status = doubts_decode(message, built, error);
	if (status == STATUS_OK)
		status = language_decode(message, built, error);
	if (status != STATUS_OK)
		goto out;
	status = device_check(built, error);
	if (status == STATUS_OK)
		*device = *built;
out:
	free(built);
	return status;
}
