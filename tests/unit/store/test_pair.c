/* SPDX-License-Identifier: Apache-2.0 */
/* What two devices do to each other: kept, replaced, removed with a device, and read with care. */
#include "tests/test.h"

#include "tests/folder.h"

#include "store/store.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fixture {
	char directory[64];
	char path[96];
	struct store *store;
};

static void open_well(struct fixture *fixture)
{
	struct error error = {.status = STATUS_OK};
	assert_int_equal(store_open(fixture->directory, &fixture->store, &error), STATUS_OK);
	assert_int_equal(error.status, STATUS_OK);
}

static int setup(void **state)
{
	struct fixture *fixture = calloc(1, sizeof *fixture);
	assert_non_null(fixture);
	strcpy(fixture->directory, "/tmp/predictd-pair-XXXXXX");
	assert_non_null(mkdtemp(fixture->directory));
	snprintf(fixture->path, sizeof fixture->path, "%s/predictd.db", fixture->directory);
	open_well(fixture);
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

/* Each slowdown is another. */
static struct contention pair_of(const char *first, const char *second)
{
	struct contention pair = {.standard_error = 0.02,
	                          .others_share = 0.25,
	                          .duration_s = 5.5,
	                          .measured_at_s = 1780000000,
	                          .was_busy = true};
	strcpy(pair.keys[0], first);
	strcpy(pair.keys[1], second);
	strcpy(pair.drivers[0], "1.2");
	strcpy(pair.drivers[1], "3.4");
	for (int i = 0; i < 2 * LOAD_COUNT * LOAD_COUNT; i++)
		(&pair.slowdown[0][0][0])[i] = 1 + i / 8.0;
	return pair;
}

static void save_well(struct fixture *fixture, const struct contention *pair)
{
	struct error error = {.text = ""};
	if (store_save_pair(fixture->store, pair, &error) != STATUS_OK)
		fail_msg("%s", error.text);
}

static size_t load(struct fixture *fixture, struct contention **pairs, struct error *error)
{
	size_t count;
	assert_int_equal(store_load_pairs(fixture->store, pairs, &count, error), STATUS_OK);
	return count;
}

static void run_sql(const struct fixture *fixture, const char *sql)
{
	sqlite3 *database;
	assert_int_equal(sqlite3_open(fixture->path, &database), SQLITE_OK);
	assert_int_equal(sqlite3_exec(database, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(database);
}

static int number(const struct fixture *fixture, const char *sql)
{
	sqlite3 *database;
	sqlite3_stmt *row;
	assert_int_equal(sqlite3_open(fixture->path, &database), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(database, sql, -1, &row, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(row), SQLITE_ROW);
	int result = sqlite3_column_int(row, 0);
	sqlite3_finalize(row);
	sqlite3_close(database);
	return result;
}

static void what_was_saved_comes_back(void **state)
{
	struct fixture *fixture = *state;
	struct contention pair = pair_of("name:a", "name:b"), *loaded;
	struct error error;
	assert_int_equal(load(fixture, &loaded, &error), 0);
	free(loaded);
	save_well(fixture, &pair);
	store_close(fixture->store);
	open_well(fixture);
	assert_int_equal(load(fixture, &loaded, &error), 1);
	assert_memory_equal(&loaded[0].slowdown, &pair.slowdown, sizeof pair.slowdown);
	assert_string_equal(loaded[0].keys[1], "name:b");
	assert_string_equal(loaded[0].drivers[0], "1.2");
	assert_string_equal(loaded[0].drivers[1], "3.4");
	assert_true(loaded[0].was_busy && loaded[0].measured_at_s == 1780000000);
	assert_close(loaded[0].others_share, 0.25, 0);
	assert_close(loaded[0].duration_s, 5.5, 0);
	assert_close(loaded[0].standard_error, 0.02, 0);
	free(loaded);
}

static void a_later_measurement_replaces_the_one_before(void **state)
{
	struct fixture *fixture = *state;
	struct contention pair = pair_of("name:a", "name:b"), *loaded;
	struct error error;
	save_well(fixture, &pair);
	pair.slowdown[1][LOAD_MEMORY][LOAD_TRANSFER] = 77;
	save_well(fixture, &pair);
	assert_int_equal(load(fixture, &loaded, &error), 1);
	assert_close(loaded[0].slowdown[1][LOAD_MEMORY][LOAD_TRANSFER], 77, 0);
	free(loaded);
	assert_int_equal(number(fixture, "SELECT count(*) FROM slowdown"), 18);
}

static void a_pair_goes_with_either_device(void **state)
{
	struct fixture *fixture = *state;
	const struct contention pairs[] = {pair_of("name:a", "name:b"), pair_of("name:b", "name:c"),
	                                   pair_of("name:a", "name:c")};
	const char keys[1][DEVICE_KEY_MAX] = {"name:b"};
	struct contention *loaded;
	struct error error;
	for (size_t i = 0; i < 3; i++)
		save_well(fixture, &pairs[i]);
	assert_int_equal(store_remove_calibrations(fixture->store, keys, 1, &error), STATUS_OK);
	assert_int_equal(load(fixture, &loaded, &error), 1);
	assert_string_equal(loaded[0].keys[1], "name:c");
	free(loaded);
	assert_int_equal(number(fixture, "SELECT count(*) FROM slowdown"), 18);
}

static void what_is_no_pair_is_not_saved(void **state)
{
	struct fixture *fixture = *state;
	struct error error;
	struct contention pair = pair_of("name:a", "name:a");
	assert_int_equal(store_save_pair(fixture->store, &pair, &error), STATUS_INVALID);
	pair = pair_of("0", "name:a");
	assert_int_equal(store_save_pair(fixture->store, &pair, &error), STATUS_INVALID);
	pair = pair_of("name:a", "name:b");
	pair.slowdown[0][0][0] = 0.5;
	assert_int_equal(store_save_pair(fixture->store, &pair, &error), STATUS_INVALID);
	assert_non_null(strstr(error.text, "name:a: a slowdown of compute beside compute"));
}

static void rows_that_do_not_fit_are_skipped_and_named(void **state)
{
	struct fixture *fixture = *state;
	const struct contention pairs[] = {pair_of("name:a", "name:b"),
	                                   pair_of("name:a", "name:c")};
	struct contention *loaded;
	struct error error;
	save_well(fixture, &pairs[0]);
	save_well(fixture, &pairs[1]);
	run_sql(fixture, "DELETE FROM slowdown WHERE pair_id = 1 AND side = 1 AND load = 'memory'");
	/* a later version's */
	run_sql(fixture, "INSERT INTO slowdown VALUES (2, 0, 'image', 'memory', 3.0)");
	assert_int_equal(load(fixture, &loaded, &error), 1);
	assert_string_equal(loaded[0].keys[1], "name:c");
	assert_int_equal(error.status, STATUS_CORRUPT);
	assert_non_null(strstr(error.text, "pair 1: name:b: a slowdown of memory"));
	free(loaded);
}

#define PAIR_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        PAIR_TEST(what_was_saved_comes_back),
	        PAIR_TEST(a_later_measurement_replaces_the_one_before),
	        PAIR_TEST(a_pair_goes_with_either_device),
	        PAIR_TEST(what_is_no_pair_is_not_saved),
	        PAIR_TEST(rows_that_do_not_fit_are_skipped_and_named),
	};
	return cmocka_run_group_tests_name("store pairs", tests, NULL, NULL);
}
