/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of devices: which serve whom, and which do not any more. */
#include "tests/test.h"

#include "daemon/state/pairs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A calibrated device that is away; with a uuid, or of a model. */
static void keep(struct registry *registry, const char *key, const char *driver)
{
	static struct device device; /* large */
	struct error error;
	memset(&device, 0, sizeof device);
	strcpy(device.platform, "Platform");
	strcpy(device.vendor, "Vendor");
	(void)snprintf(device.name, sizeof device.name, "%.60s", key);
	strcpy(device.driver, driver);
	strcpy(device.key, key);
	device.compute_units = 2;
	device.epoch = registry->epoch_max + 1;
	assert_int_equal(registry_keep(registry, &device, &error), STATUS_OK);
}

static struct contention pair_of(const char *first, const char *second, double slowdown)
{
	struct contention pair = {.duration_s = 5};
	strcpy(pair.keys[0], first);
	strcpy(pair.keys[1], second);
	strcpy(pair.drivers[0], "1");
	strcpy(pair.drivers[1], "1");
	for (int i = 0; i < 2 * LOAD_COUNT * LOAD_COUNT; i++)
		(&pair.slowdown[0][0][0])[i] = slowdown;
	return pair;
}

static size_t place_of(const struct registry *registry, const char *key)
{
	struct error error;
	size_t place = 0;
	assert_int_equal(registry_find(registry, key, &place, &error), STATUS_OK);
	return place;
}

static void pairs_serve_their_devices_with_their_drivers(void **state)
{
	(void)state;
	struct registry registry;
	struct pairs pairs;
	struct paired *found;
	struct error error;
	size_t count;
	const struct contention kept[] = {pair_of("name:a", "name:b", 2),
	                                  pair_of("name:b", "name:c", 3),
	                                  pair_of("name:a", "name:gone", 4)};
	registry_init(&registry);
	pairs_init(&pairs);
	keep(&registry, "name:a", "1");
	keep(&registry, "name:b", "1");
	keep(&registry, "name:c", "1");
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(pairs_keep(&pairs, &kept[i], &error), STATUS_OK);
	assert_true(pairs_has(&pairs, &kept[1]));
	/* in whatever order they are asked about */
	const size_t places[] = {place_of(&registry, "name:c"), place_of(&registry, "name:b"),
	                         place_of(&registry, "name:a")};
	assert_int_equal(pairs_find(&pairs, &registry, places, 3, &found, &count, &error),
	                 STATUS_OK);
	assert_int_equal(count, 2);
	for (size_t i = 0; i < count; i++) {
		bool is_first = found[i].pair->slowdown[0][0][0] < 2.5;
		assert_int_equal(found[i].first, is_first ? 2 : 1);
		assert_int_equal(found[i].second, is_first ? 1 : 0);
		assert_false(found[i].is_stale);
	}
	free(found);
	/* calibrated anew with another driver */
	keep(&registry, "name:b", "2");
	const size_t again[] = {place_of(&registry, "name:a"), place_of(&registry, "name:b")};
	assert_int_equal(pairs_find(&pairs, &registry, again, 2, &found, &count, &error),
	                 STATUS_OK);
	assert_int_equal(count, 1);
	assert_true(found[0].is_stale);
	free(found);
	/* measured anew */
	struct contention fresh = pair_of("name:a", "name:b", 5);
	strcpy(fresh.drivers[1], "2");
	assert_int_equal(pairs_keep(&pairs, &fresh, &error), STATUS_OK);
	assert_int_equal(pairs.count, 3);
	assert_int_equal(pairs_find(&pairs, &registry, again, 2, &found, &count, &error),
	                 STATUS_OK);
	assert_true(count == 1 && !found[0].is_stale);
	assert_close(found[0].pair->slowdown[0][0][0], 5, 0);
	free(found);
	pairs_drop(&pairs, "name:a");
	assert_int_equal(pairs.count, 1);
	assert_true(pairs_has(&pairs, &kept[1]));
	/* nobody, and one device, have no pairs */
	assert_int_equal(pairs_find(&pairs, &registry, again, 0, &found, &count, &error),
	                 STATUS_OK);
	assert_int_equal(count, 0);
	free(found);
	pairs_deinit(&pairs);
	registry_deinit(&registry);
}

static void there_are_no_more_than_there_is_room_for(void **state)
{
	(void)state;
	struct pairs pairs;
	struct error error;
	pairs_init(&pairs);
	for (int i = 0; i <= PAIRS_MAX; i++) {
		char key[32];
		(void)snprintf(key, sizeof key, "name:%d", i);
		struct contention pair = pair_of("name", key, 2);
		assert_int_equal(pairs_keep(&pairs, &pair, &error),
		                 i < PAIRS_MAX ? STATUS_OK : STATUS_LIMIT);
	}
	pairs_deinit(&pairs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(pairs_serve_their_devices_with_their_drivers),
	        cmocka_unit_test(there_are_no_more_than_there_is_room_for),
	};
	return cmocka_run_group_tests_name("pairs", tests, NULL, NULL);
}
