/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of devices: what they are made of, what they outlive, and texts from hostile drivers. */
#include "tests/test.h"

#include "proto/device_key.h"

#include <stdio.h>
#include <string.h>

static const char uuid[] = "00112233445566778899aabbccddeeff", pci[] = "0000:3b:00.0";

static struct key_identity identity(const char *name)
{
	return (struct key_identity){"A platform", "A vendor", name, "", "", 2};
}

static const char *key_of(struct key_identity one)
{
	static char keys[8][1][KEY_BYTES_MAX];
	static unsigned next;
	char(*key)[KEY_BYTES_MAX] = keys[next++ % 8];
	keys_make(&one, 1, key);
	return key[0];
}

static void a_uuid_comes_before_an_address_and_that_before_names(void **state)
{
	(void)state;
	struct key_identity one = identity("GPU");
	/* written down: calibrations and scripts hold them for years */
	assert_string_equal(key_of(one), "name:4942c3d26d89c230");
	one.pci = pci;
	assert_string_equal(key_of(one), "pci:0000:3b:00.0-6d89c230");
	one.uuid = uuid;
	assert_string_equal(key_of(one), "uuid:00112233445566778899aabbccddeeff-6d89c230");
	one.pci = "0000:af:00.0"; /* in another slot */
	assert_string_equal(key_of(one), "uuid:00112233445566778899aabbccddeeff-6d89c230");
	one.uuid = "00112233445566778899AABBCCDDEEFF";
	assert_string_equal(key_of(one), "uuid:00112233445566778899aabbccddeeff-6d89c230");
}

static void addresses_that_tell_nothing_are_passed_over(void **state)
{
	(void)state;
	static const char *const bad[] = {"00000000000000000000000000000000",
	                                  "ffffffffffffffffffffffffffffffff",
	                                  "0011",
	                                  "00112233445566778899aabbccddeef\n",
	                                  "00112233445566778899aabbccddeeff0",
	                                  "00112233 45566778899aabbccddeeff"};
	const char *named = key_of(identity("GPU"));
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct key_identity one = identity("GPU");
		one.uuid = bad[i];
		assert_string_equal(key_of(one), named);
	}
	struct key_identity one = identity("GPU");
	one.pci = "0000:00:00.0";
	assert_string_equal(key_of(one), named);
	one.pci = "0000 3b 00 0";
	assert_string_equal(key_of(one), named);
}

static void what_is_not_the_same_device_has_another_key(void **state)
{
	(void)state;
	struct key_identity one = identity("GPU"), other = one;
	one.uuid = other.uuid = uuid;
	other.platform = "Another platform";
	assert_string_not_equal(key_of(one), key_of(other));
	other = one;
	other.compute_units = 66; /* a part of it */
	assert_string_not_equal(key_of(one), key_of(other));
	other = one;
	other.name = "CPU";
	assert_string_not_equal(key_of(one), key_of(other));
	/* texts do not run together */
	one = (struct key_identity){"ab", "c", "d", "", "", 1};
	other = (struct key_identity){"a", "bc", "d", "", "", 1};
	assert_string_not_equal(key_of(one), key_of(other));
}

static void others_that_come_and_go_change_no_key(void **state)
{
	(void)state;
	struct key_identity list[] = {identity("A"), identity("B"), identity("C")};
	char all[3][KEY_BYTES_MAX], few[2][KEY_BYTES_MAX];
	/* one identifier for two devices, as of drivers that give the node's */
	list[0].uuid = list[1].uuid = uuid;
	keys_make(list, 3, all);
	keys_make(&list[1], 2, few);
	assert_string_equal(few[0], all[1]);
	assert_string_equal(few[1], all[2]);
	assert_string_not_equal(all[0], all[1]);
}

static void equals_are_numbered(void **state)
{
	(void)state;
	struct key_identity list[12];
	char keys[12][KEY_BYTES_MAX], want[KEY_BYTES_MAX + 8];
	for (size_t i = 0; i < 12; i++)
		list[i] = identity(i == 5 ? "CPU" : "GPU");
	keys_make(list, 12, keys);
	assert_string_equal(keys[0], key_of(identity("GPU")));
	assert_int_equal(key_ordinal(keys[0]), 0);
	(void)snprintf(want, sizeof want, "%s.1", keys[0]);
	assert_string_equal(keys[1], want);
	assert_int_equal(key_ordinal(keys[1]), 1);
	assert_string_equal(keys[5], key_of(identity("CPU")));
	(void)snprintf(want, sizeof want, "%s.10", keys[0]);
	assert_string_equal(keys[11], want);
	for (size_t i = 0; i < 12; i++)
		list[i].pci = pci;
	keys_make(list, 12, keys);
	assert_int_equal(key_ordinal(keys[0]), 0);
	assert_int_equal(key_ordinal(keys[11]), 10);
	assert_true(key_is_valid(keys[11]));
}

static void names_of_drivers_do_not_show(void **state)
{
	(void)state;
	char name[1000];
	struct key_identity one = {"", "", "", "", "", 0};
	assert_true(key_is_valid(key_of(one)));
	/* a device that says nothing is listed as one unit of this name */
	struct key_identity listed = {"", "", "unnamed device", "", "", 1};
	assert_string_equal(key_of(one), key_of(listed));
	memset(name, 'x', sizeof name);
	name[sizeof name - 1] = '\0';
	one = identity(name);
	assert_true(key_is_valid(key_of(one)));
	/* as much as a daemon keeps of it */
	char cut[KEY_TEXT_BYTES + 1];
	memset(cut, 'x', sizeof cut);
	cut[KEY_TEXT_BYTES] = '\0';
	assert_string_equal(key_of(one), key_of(identity(cut)));
	one = identity("\033[31m red \n 0");
	assert_true(key_is_valid(key_of(one)));
}

static void texts_that_are_no_keys_are_told(void **state)
{
	(void)state;
	char longest[KEY_BYTES_MAX + 1];
	static const char *const bad[] = {"",         "0",       "17",           "GPU",
	                                  "name:a b", "name:\n", "name:\xc3\xa4"};
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		assert_false(key_is_valid(bad[i]));
	memset(longest, ':', sizeof longest);
	longest[KEY_BYTES_MAX] = '\0';
	assert_false(key_is_valid(longest));
	longest[KEY_BYTES_MAX - 1] = '\0';
	assert_true(key_is_valid(longest));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(a_uuid_comes_before_an_address_and_that_before_names),
	        cmocka_unit_test(addresses_that_tell_nothing_are_passed_over),
	        cmocka_unit_test(what_is_not_the_same_device_has_another_key),
	        cmocka_unit_test(others_that_come_and_go_change_no_key),
	        cmocka_unit_test(equals_are_numbered),
	        cmocka_unit_test(names_of_drivers_do_not_show),
	        cmocka_unit_test(texts_that_are_no_keys_are_told),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("device key", tests, NULL, NULL);
}
