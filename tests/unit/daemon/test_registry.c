/* SPDX-License-Identifier: Apache-2.0 */
/* The registry: keys and indices while devices come and go, and which one is meant or chosen. */
#include "tests/test.h"

#include "daemon/codec/device_codec.h"
#include "daemon/codec/language.h"
#include "daemon/state/registry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void device_fill(struct device *device, const char *name, const char *uuid)
{
	memset(device, 0, sizeof *device);
	strcpy(device->platform, "Platform");
	strcpy(device->vendor, "Vendor");
	strcpy(device->name, name);
	strcpy(device->uuid, uuid);
	device->compute_units = 2;
	device->max_group_items = 64;
	for (int i = 0; i < 3; i++)
		device->max_item_sizes[i] = 64;
}

static const char *found_pci = "";

/* A scan that finds devices of these names; a name ends where a UUID is given: "GPU/0011...". */
static void find(struct registry *registry, const char *const *names, size_t count)
{
	static struct device device; /* large */
	Predictd__FoundDevices found = PREDICTD__FOUND_DEVICES__INIT;
	Predictd__FoundDevice entries[REGISTRY_DEVICES_MAX], *pointers[REGISTRY_DEVICES_MAX];
	struct error error;
	for (size_t i = 0; i < count; i++) {
		char name[64];
		(void)snprintf(name, sizeof name, "%s", names[i]);
		char *slash = strchr(name, '/');
		if (slash != NULL)
			*slash = '\0';
		device_fill(&device, name, slash != NULL ? slash + 1 : "");
		strcpy(device.pci, found_pci);
		predictd__found_device__init(&entries[i]);
		entries[i].device = device_encode(&device, false);
		assert_non_null(entries[i].device);
		pointers[i] = &entries[i];
	}
	found.devices = pointers;
	found.n_devices = count;
	assert_int_equal(registry_set_found(registry, &found, &error), STATUS_OK);
	for (size_t i = 0; i < count; i++)
		predictd__device__free_unpacked(entries[i].device, NULL);
}

/* The same of one device at a PCI address. */
static void find_at(struct registry *registry, const char *name, const char *pci)
{
	found_pci = pci;
	find(registry, &name, 1);
	found_pci = "";
}

#define FIND(registry, ...)                                                                        \
	find(registry, (const char *const[]){__VA_ARGS__},                                         \
	     sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

/* Keeps a calibration of the device at a place, or of one of that name that was never found. */
static void calibrate(struct registry *registry, size_t place, uint64_t epoch)
{
	struct device *device = malloc(sizeof *device);
	struct error error;
	assert_non_null(device);
	*device = registry->devices[place]->device;
	device->epoch = epoch;
	assert_int_equal(registry_keep(registry, device, &error), STATUS_OK);
	free(device);
}

static void import(struct registry *registry, const char *name, uint64_t epoch)
{
	struct device *device = malloc(sizeof *device);
	struct error error;
	assert_non_null(device);
	device_fill(device, name, "");
	device_key_make(device);
	device->epoch = epoch;
	assert_int_equal(registry_keep(registry, device, &error), STATUS_OK);
	free(device);
}

/* What a text means: the device's index, or -1 and why. */
static int meant(const struct registry *registry, const char *text, struct error *error)
{
	size_t place = 999;
	if (registry_find(registry, text, &place, error) != STATUS_OK)
		return -1;
	assert_true(place < registry->count);
	return (int)registry->devices[place]->index;
}

static void assert_refused(const struct registry *registry, const char *text, enum status status,
                           const char *why)
{
	struct error error = {.text = ""};
	assert_int_equal(meant(registry, text, &error), -1);
	assert_int_equal(error.status, status);
	if (strstr(error.text, why) == NULL)
		fail_msg("want \"%s\" in \"%s\"", why, error.text);
}

static int setup(void **state)
{
	struct registry *registry = calloc(1, sizeof *registry);
	assert_non_null(registry);
	registry_init(registry);
	*state = registry;
	return 0;
}

static int teardown(void **state)
{
	registry_deinit(*state);
	free(*state);
	return 0;
}

static void those_found_have_the_first_indices(void **state)
{
	struct registry *registry = *state;
	import(registry, "gone", 3);
	FIND(registry, "A", "B");
	registry_settle(registry);
	assert_int_equal(meant(registry, "A", NULL), 0);
	assert_int_equal(meant(registry, "B", NULL), 1);
	assert_int_equal(meant(registry, "gone", NULL), 2);
	assert_false(registry->devices[2]->is_present);
}

static void an_index_is_never_given_to_another_device(void **state)
{
	struct registry *registry = *state;
	FIND(registry, "A", "B");
	registry_settle(registry);
	FIND(registry, "C", "B");
	assert_int_equal(registry->count, 2);
	assert_int_equal(meant(registry, "B", NULL), 1);
	assert_int_equal(meant(registry, "C", NULL), 2);
	assert_refused(registry, "0", STATUS_NOT_FOUND, "device 0: want one of 1 (B), 2 (C)");
	FIND(registry, "C", "A", "B");
	assert_int_equal(meant(registry, "0", NULL), 0);
	assert_string_equal(registry->devices[0]->device.name, "A");
	assert_int_equal(meant(registry, "C", NULL), 2);
}

/* A driver whose UUIDs are other ones each time: nothing grows, and no index means two devices. */
static void devices_without_number_come_and_go(void **state)
{
	struct registry *registry = *state;
	char name[64], last[DEVICE_KEY_MAX] = "";
	for (unsigned i = 0; i < 2 * REGISTRY_INDICES_MAX; i++) {
		(void)snprintf(name, sizeof name, "A/%032x", i + 1);
		FIND(registry, "stays", name);
		registry_settle(registry);
		assert_int_equal(registry->count, 2);
		assert_int_equal(meant(registry, "stays", NULL), 0);
		assert_int_equal(registry->devices[1]->index, i + 1);
		assert_string_not_equal(registry->devices[1]->device.key, last);
		memcpy(last, registry->devices[1]->device.key, sizeof last);
	}
	assert_true(registry->index_count <= REGISTRY_INDICES_MAX);
}

static void a_device_away_is_named_but_not_chosen(void **state)
{
	struct registry *registry = *state;
	FIND(registry, "A", "B", "C");
	registry_settle(registry);
	calibrate(registry, 0, 1);
	calibrate(registry, 2, 2);
	assert_int_equal(meant(registry, "", NULL), 0);
	char key[DEVICE_KEY_MAX];
	memcpy(key, registry->devices[0]->device.key, sizeof key);
	FIND(registry, "B", "C");
	assert_int_equal(meant(registry, "", NULL), 2);
	assert_int_equal(meant(registry, "A", NULL), 0);
	assert_int_equal(meant(registry, "0", NULL), 0);
	assert_int_equal(meant(registry, key, NULL), 0);
	assert_false(registry->devices[0]->is_present);
	assert_true(registry->devices[0]->device.is_calibrated);
	struct error error;
	assert_int_equal(registry_check_present(registry, 0, "calibrate", &error),
	                 STATUS_NOT_FOUND);
	assert_non_null(strstr(error.text, "calibrate: device 0 \"A\""));
	assert_non_null(strstr(error.text, "is away"));
	/* the first that is here, though it is not calibrated */
	FIND(registry, "B");
	assert_int_equal(meant(registry, "", NULL), 1);
	find(registry, NULL, 0);
	assert_refused(registry, "", STATUS_NOT_FOUND,
	               "name one that is away: 0 (A, away), 2 (C, away)");
}

static void of_equal_names_the_one_that_is_here_is_meant(void **state)
{
	struct registry *registry = *state;
	static const char first[] = "GPU/00112233445566778899aabbccddeef0",
	                  second[] = "GPU/00112233445566778899aabbccddeef1";
	FIND(registry, first, second, "GPU of another");
	registry_settle(registry);
	assert_refused(registry, "GPU", STATUS_INVALID,
	               "is each of 2 names, want one of 0 (GPU), 1");
	assert_refused(registry, "gpu", STATUS_INVALID,
	               "is part of 3 names, want one of 0 (GPU), 1");
	assert_refused(registry, "FPGA", STATUS_NOT_FOUND, "2 (GPU of another)");
	assert_int_equal(meant(registry, "another", NULL), 2);
	calibrate(registry, 0, 1);
	FIND(registry, second);
	assert_int_equal(meant(registry, "GPU", NULL), 1);
	assert_int_equal(meant(registry, registry->devices[0]->device.key, NULL), 0);
}

static void a_name_that_looks_like_a_key_or_an_index_is_not_taken_for_it(void **state)
{
	struct registry *registry = *state;
	char key[DEVICE_KEY_MAX];
	FIND(registry, "A");
	memcpy(key, registry->devices[0]->device.key, sizeof key);
	FIND(registry, key, "A", "0");
	registry_settle(registry);
	assert_int_equal(meant(registry, key, NULL), 1);
	assert_int_equal(meant(registry, "0", NULL), 0);
	assert_refused(registry, "name:0123", STATUS_NOT_FOUND, "want one of");
	assert_refused(registry, "99999999999999999999", STATUS_NOT_FOUND, "want one of");
	assert_refused(registry, "\x1b[31m", STATUS_NOT_FOUND, "want one of");
}

static void equals_are_calibrated_apart(void **state)
{
	struct registry *registry = *state;
	FIND(registry, "A", "A");
	registry_settle(registry);
	assert_int_not_equal(registry->devices[0]->hash, registry->devices[1]->hash);
	/* nothing tells them apart: what is known of the first serves both */
	calibrate(registry, 0, 1);
	assert_int_equal(registry->devices[1]->device.epoch, 1);
	calibrate(registry, 1, 2);
	assert_int_equal(registry->devices[0]->device.epoch, 1);
	assert_int_equal(registry->devices[1]->device.epoch, 2);
	calibrate(registry, 0, 3);
	assert_int_equal(registry->devices[0]->device.epoch, 3);
	assert_int_equal(registry->devices[1]->device.epoch, 2);
	FIND(registry, "A");
	assert_int_equal(registry->count, 2);
	assert_true(registry->devices[0]->is_present);
	assert_int_equal(registry->devices[0]->device.epoch, 3);
	assert_false(registry->devices[1]->is_present);
}

static void what_is_imported_serves_its_model_until_it_is_dropped(void **state)
{
	struct registry *registry = *state;
	static const char device[] = "GPU/00112233445566778899aabbccddeef0";
	FIND(registry, device);
	registry_settle(registry);
	calibrate(registry, 0, 1);
	import(registry, "GPU", 2);
	assert_int_equal(registry->count, 1);
	assert_int_equal(registry->devices[0]->device.epoch, 2);
	calibrate(registry, 0, 3);
	assert_int_equal(registry->devices[0]->device.epoch, 3);
	assert_int_equal(registry->kept_count, 2);

	char keys[2][DEVICE_KEY_MAX];
	struct error error;
	for (size_t i = 0; i < 2; i++) {
		assert_true(registry_serves(registry, registry->kept[i], 0));
		memcpy(keys[i], registry->kept[i]->key, sizeof keys[i]);
	}
	assert_int_equal(registry_drop(registry, "name:0", &error), STATUS_OK);
	assert_int_equal(registry->kept_count, 2);
	assert_int_equal(registry_drop(registry, registry->devices[0]->device.key, &error),
	                 STATUS_OK);
	assert_int_equal(registry->devices[0]->device.epoch, 2);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(registry_drop(registry, keys[i], &error), STATUS_OK);
	assert_int_equal(registry->kept_count, 0);
	assert_int_equal(registry->count, 1);
	assert_false(registry->devices[0]->device.is_calibrated);
	assert_int_equal(registry_check_calibrated(registry, 0, &error), STATUS_UNCALIBRATED);
	find(registry, NULL, 0);
	assert_int_equal(registry->count, 0);
}

/* A card in another slot has the key, calibration and observations that it had. */
static void a_device_that_was_moved_is_the_same(void **state)
{
	struct registry *registry = *state;
	static const char device[] = "GPU/00112233445566778899aabbccddeef0";
	find_at(registry, device, "0000:3b:00.0");
	registry_settle(registry);
	calibrate(registry, 0, 1);
	uint64_t hash = registry->devices[0]->hash;
	find_at(registry, device, "0000:af:00.0");
	assert_int_equal(registry->count, 1);
	assert_int_equal(registry->devices[0]->device.epoch, 1);
	assert_string_equal(registry->devices[0]->device.pci, "0000:af:00.0");
	assert_int_equal(registry->devices[0]->hash, hash);
	calibrate(registry, 0, 2);
	assert_int_equal(registry->devices[0]->device.epoch, 2);
	assert_int_equal(registry->devices[0]->hash, hash);
	find(registry, NULL, 0);
	assert_int_equal(registry->devices[0]->hash, hash);
}

/* With other compute units it is another device: neither calibration nor key carry over. */
static void a_device_that_grew_is_another_one(void **state)
{
	struct registry *registry = *state;
	FIND(registry, "A");
	registry_settle(registry);
	struct device *device = malloc(sizeof *device);
	struct error error;
	assert_non_null(device);
	*device = registry->devices[0]->device;
	device->compute_units = 16;
	device_key_make(device);
	device->epoch = 1;
	assert_int_equal(registry_keep(registry, device, &error), STATUS_OK);
	free(device);
	assert_int_equal(registry->count, 2);
	assert_false(registry->devices[0]->device.is_calibrated);
	assert_false(registry->devices[1]->is_present);
	assert_int_equal(meant(registry, "A", NULL), 0);
}

/* ---- languages ------------------------------------------------------------------------------ */

static void speak(struct device *device, enum language_origin origin)
{
	const struct language_macro macro = {"__OPENCL_C_VERSION__", "120"};
	const struct language_standard standard = {"", false, &macro, 1};
	const struct language_answers answers = {
	        .origin = origin, .standards = &standard, .standard_count = 1};
	struct error error = {.text = ""};
	device->language_bytes = 0;
	if (origin != LANGUAGE_NONE && language_pack(&answers, device, &error) != STATUS_OK)
		fail_msg("%s", error.text);
}

/* The origin of what is listed where a scan and a calibration tell these. */
static enum language_origin heard(struct registry *registry, enum language_origin found,
                                  enum language_origin kept)
{
	static struct device device; /* large */
	Predictd__FoundDevices message = PREDICTD__FOUND_DEVICES__INIT;
	Predictd__FoundDevice one = PREDICTD__FOUND_DEVICE__INIT, *list = &one;
	struct error error = {.text = ""};
	device_fill(&device, "A", "");
	strcpy(device.version, "OpenCL 3.0 A");
	device_key_make(&device);
	speak(&device, found);
	one.device = device_encode(&device, true);
	message.n_devices = 1;
	message.devices = &list;
	assert_int_equal(registry_set_found(registry, &message, &error), STATUS_OK);
	predictd__device__free_unpacked(one.device, NULL);
	speak(&device, kept);
	device.epoch = 1;
	assert_int_equal(registry_keep(registry, &device, &error), STATUS_OK);
	assert_int_equal(registry->count, 1);
	assert_true(registry->devices[0]->is_present);
	return language_origin(&registry->devices[0]->device);
}

static void the_language_that_was_asked_comes_first_then_the_listed_one(void **state)
{
	struct registry *registry = *state;
	assert_int_equal(heard(registry, LANGUAGE_LISTED, LANGUAGE_ASKED), LANGUAGE_ASKED);
	assert_int_equal(heard(registry, LANGUAGE_NONE, LANGUAGE_ASKED), LANGUAGE_ASKED);
	assert_int_equal(heard(registry, LANGUAGE_LISTED, LANGUAGE_NONE), LANGUAGE_LISTED);
	assert_int_equal(heard(registry, LANGUAGE_LISTED, LANGUAGE_VERSION), LANGUAGE_LISTED);
	assert_int_equal(heard(registry, LANGUAGE_NONE, LANGUAGE_LISTED), LANGUAGE_LISTED);
	assert_int_equal(heard(registry, LANGUAGE_NONE, LANGUAGE_NONE), LANGUAGE_VERSION);
}

/* What a version tells is listed, and never kept: a later version may tell more. */
static void a_device_that_is_away_speaks_what_its_version_tells(void **state)
{
	struct registry *registry = *state;
	assert_int_equal(heard(registry, LANGUAGE_NONE, LANGUAGE_NONE), LANGUAGE_VERSION);
	find(registry, NULL, 0);
	assert_int_equal(registry->count, 1);
	assert_false(registry->devices[0]->is_present);
	assert_int_equal(language_origin(&registry->devices[0]->device), LANGUAGE_VERSION);
	assert_int_equal(registry->kept[0]->language_bytes, 0);
	assert_int_equal(heard(registry, LANGUAGE_NONE, LANGUAGE_ASKED), LANGUAGE_ASKED);
	find(registry, NULL, 0);
	assert_int_equal(language_origin(&registry->devices[0]->device), LANGUAGE_ASKED);
}

#define REGISTRY_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        REGISTRY_TEST(those_found_have_the_first_indices),
	        REGISTRY_TEST(an_index_is_never_given_to_another_device),
	        REGISTRY_TEST(devices_without_number_come_and_go),
	        REGISTRY_TEST(a_device_away_is_named_but_not_chosen),
	        REGISTRY_TEST(of_equal_names_the_one_that_is_here_is_meant),
	        REGISTRY_TEST(a_name_that_looks_like_a_key_or_an_index_is_not_taken_for_it),
	        REGISTRY_TEST(equals_are_calibrated_apart),
	        REGISTRY_TEST(what_is_imported_serves_its_model_until_it_is_dropped),
	        REGISTRY_TEST(a_device_that_was_moved_is_the_same),
	        REGISTRY_TEST(a_device_that_grew_is_another_one),
	        REGISTRY_TEST(the_language_that_was_asked_comes_first_then_the_listed_one),
	        REGISTRY_TEST(a_device_that_is_away_speaks_what_its_version_tells),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("registry", tests, NULL, NULL);
}
