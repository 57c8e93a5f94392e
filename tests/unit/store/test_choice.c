/* SPDX-License-Identifier: Apache-2.0 */
/* Choices of configurations in the store: by what they are found, and how many are kept. */
#include "tests/test.h"

#include "tests/folder.h"

#include "store/store.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MINE = 1000, HIS = 1001, NOW = 1000000, DAY = 24 * 60 * 60 };

struct fixture {
	char directory[64];
	struct store *store;
};

static int setup(void **state)
{
	struct fixture *fixture = calloc(1, sizeof *fixture);
	struct error error;
	assert_non_null(fixture);
	strcpy(fixture->directory, "/tmp/predictd-store-XXXXXX");
	assert_non_null(mkdtemp(fixture->directory));
	assert_int_equal(store_open(fixture->directory, &fixture->store, &error), STATUS_OK);
	*state = fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;
	store_close(fixture->store);
	(void)folder_remove(fixture->directory);
	free(fixture);
	return 0;
}

static struct stored_choice choice_of(uint64_t user, const char *name, uint32_t configuration)
{
	struct stored_choice choice = {.user = user,
	                               .device = "name:0",
	                               .driver = "1.0",
	                               .sizes = {1024, UINT64_MAX},
	                               .size_count = 2,
	                               .configuration = configuration,
	                               .time_s = 1e-3 * (configuration + 1),
	                               .is_over = true,
	                               .used_at_s = NOW};
	snprintf(choice.name, sizeof choice.name, "%s", name);
	memset(choice.space, 7, sizeof choice.space);
	return choice;
}

static void save(const struct fixture *fixture, const struct stored_choice *choice)
{
	struct error error = {.text = ""};
	if (store_save_choice(fixture->store, choice, &error) != STATUS_OK)
		fail_msg("%s", error.text);
}

/* The configuration that is found by what a choice is kept by; -1: none. */
static int find(const struct fixture *fixture, struct stored_choice choice)
{
	struct error error = {.text = ""};
	choice.configuration = 77;
	enum status status = store_load_choice(fixture->store, &choice, &error);
	if (status == STATUS_NOT_FOUND)
		return -1;
	if (status != STATUS_OK)
		fail_msg("%s", error.text);
	assert_close(choice.time_s, 1e-3 * (choice.configuration + 1), 1e-12);
	assert_true(choice.is_over);
	return (int)choice.configuration;
}

static void delete(const struct fixture *fixture, bool has_user, uint64_t user, const char *device,
                   int64_t before_s)
{
	struct error error = {.text = ""};
	if (store_delete_choices(fixture->store, has_user, user, device, before_s, &error) !=
	    STATUS_OK)
		fail_msg("%s", error.text);
}

static void it_is_found_by_all_that_it_is_kept_by(void **state)
{
	struct fixture *fixture = *state;
	struct error error;
	struct stored_choice choice = choice_of(MINE, "gemm", 3), other;
	save(fixture, &choice);
	assert_int_equal(find(fixture, choice), 3);
	for (unsigned i = 0; i < 9; i++) {
		other = choice;
		switch (i) {
		case 0:
			other.user = HIS;
			break;
		case 1:
			strcpy(other.name, "gemm2");
			break;
		case 2:
			strcpy(other.device, "name:1");
			break;
		case 3:
			strcpy(other.driver, "1.1");
			break;
		case 4:
			other.space[15] = 8;
			break;
		case 5:
			other.sizes[1] = 0;
			break;
		case 6:
			other.size_count = 1;
			break;
		case 7:
			other.size_count = 3;
			break;
		default:
			other.size_count = 0;
			break;
		}
		assert_int_equal(find(fixture, other), -1);
	}
	other = choice;
	other.size_count = 0;
	other.configuration = 4;
	other.time_s = 5e-3;
	save(fixture, &other);
	assert_int_equal(find(fixture, other), 4);
	assert_int_equal(find(fixture, choice), 3);
	store_close(fixture->store);
	assert_int_equal(store_open(fixture->directory, &fixture->store, &error), STATUS_OK);
	assert_int_equal(find(fixture, choice), 3);
}

static void the_last_one_counts_and_another_driver_replaces_it(void **state)
{
	struct fixture *fixture = *state;
	struct stored_choice choice = choice_of(MINE, "gemm", 3),
	                     newer = choice_of(MINE, "gemm", 5);
	save(fixture, &choice);
	save(fixture, &newer);
	assert_int_equal(find(fixture, choice), 5);
	strcpy(newer.driver, "2.0");
	save(fixture, &newer);
	assert_int_equal(find(fixture, choice), -1);
	assert_int_equal(find(fixture, newer), 5);
}

static void a_user_has_so_many_and_no_more(void **state)
{
	struct fixture *fixture = *state;
	struct stored_choice his = choice_of(HIS, "his", 1), used = choice_of(MINE, "name 0", 0);
	char name[32];
	save(fixture, &his);
	for (uint32_t i = 0; i < STORE_CHOICES_MAX + 10; i++) {
		snprintf(name, sizeof name, "name %u", i);
		struct stored_choice choice = choice_of(MINE, name, i);
		choice.used_at_s = NOW + i;
		save(fixture, &choice);
		used.used_at_s = NOW + 2 * DAY;
		if (i == STORE_CHOICES_MAX / 2) /* the oldest is used, and stays */
			assert_int_equal(find(fixture, used), 0);
	}
	assert_int_equal(find(fixture, used), 0);
	assert_int_equal(find(fixture, choice_of(MINE, "name 1", 0)), -1);
	assert_int_equal(find(fixture, choice_of(MINE, "name 10", 0)), -1);
	assert_int_equal(find(fixture, choice_of(MINE, "name 11", 0)), 11);
	assert_int_equal(find(fixture, choice_of(MINE, name, 0)), STORE_CHOICES_MAX + 9);
	assert_int_equal(find(fixture, his), 1);
}

static void they_are_deleted_by_user_device_and_age(void **state)
{
	struct fixture *fixture = *state;
	struct stored_choice mine = choice_of(MINE, "a", 1), his = choice_of(HIS, "a", 2);
	struct stored_choice there = choice_of(MINE, "a", 3), old = choice_of(MINE, "b", 4);
	strcpy(there.device, "name:1");
	old.used_at_s = NOW - 10;
	save(fixture, &mine);
	save(fixture, &his);
	save(fixture, &there);
	save(fixture, &old);
	old.used_at_s = NOW;
	delete (fixture, true, MINE, NULL, NOW);
	assert_int_equal(find(fixture, old), -1);
	assert_int_equal(find(fixture, mine), 1);
	delete (fixture, true, MINE, "name:1", INT64_MAX);
	assert_int_equal(find(fixture, there), -1);
	assert_int_equal(find(fixture, mine), 1);
	delete (fixture, true, MINE, NULL, INT64_MAX);
	assert_int_equal(find(fixture, mine), -1);
	assert_int_equal(find(fixture, his), 2);
	delete (fixture, false, 0, NULL, INT64_MAX);
	assert_int_equal(find(fixture, his), -1);
}

static void what_somebody_wrote_there_is_refused(void **state)
{
	struct fixture *fixture = *state;
	static const char *const changes[] = {
	        "UPDATE choice SET configuration = -1",
	        "UPDATE choice SET configuration = 4294967296",
	        "UPDATE choice SET configuration = 1, time_s = 0",
	        "UPDATE choice SET configuration = 1, time_s = -9e999",
	};
	struct stored_choice choice = choice_of(MINE, "a", 1);
	char path[96];
	save(fixture, &choice);
	store_close(fixture->store);
	fixture->store = NULL;
	snprintf(path, sizeof path, "%s/predictd.db", fixture->directory);
	for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
		struct error error = {.text = ""};
		sqlite3 *database;
		assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
		assert_int_equal(sqlite3_exec(database, changes[i], NULL, NULL, NULL), SQLITE_OK);
		assert_int_equal(sqlite3_close(database), SQLITE_OK);
		assert_int_equal(store_open(fixture->directory, &fixture->store, &error),
		                 STATUS_OK);
		assert_int_equal(store_load_choice(fixture->store, &choice, &error),
		                 STATUS_CORRUPT);
		store_close(fixture->store);
		fixture->store = NULL;
	}
}

#define CHOICE_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        CHOICE_TEST(it_is_found_by_all_that_it_is_kept_by),
	        CHOICE_TEST(the_last_one_counts_and_another_driver_replaces_it),
	        CHOICE_TEST(a_user_has_so_many_and_no_more),
	        CHOICE_TEST(they_are_deleted_by_user_device_and_age),
	        CHOICE_TEST(what_somebody_wrote_there_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
