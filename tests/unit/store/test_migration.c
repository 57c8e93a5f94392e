/* SPDX-License-Identifier: Apache-2.0 */
/* Databases of earlier versions: schema_4.sql, named by the first argument, is one of them. */
#include "tests/test.h"

#include "tests/folder.h"

#include "store/observations.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *script;

struct fixture {
	char directory[64], path[96];
	struct store *store;
};

static char *read_whole(const char *path)
{
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	char *text = calloc(1, 1 << 16);
	assert_non_null(text);
	size_t size = fread(text, 1, (1 << 16) - 1, file);
	assert_true(size > 1000 && size < (1 << 16) - 1);
	assert_int_equal(fclose(file), 0);
	return text;
}

static void run_sql(const struct fixture *fixture, const char *sql)
{
	sqlite3 *database;
	char *why = NULL;
	assert_int_equal(sqlite3_open(fixture->path, &database), SQLITE_OK);
	if (sqlite3_exec(database, sql, NULL, NULL, &why) != SQLITE_OK)
		fail_msg("%s", why);
	assert_int_equal(sqlite3_close(database), SQLITE_OK);
}

static int number(const struct fixture *fixture, const char *sql)
{
	sqlite3 *database;
	sqlite3_stmt *row;
	assert_int_equal(sqlite3_open(fixture->path, &database), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(database, sql, -1, &row, NULL), SQLITE_OK);
	int code = sqlite3_step(row);
	int result = code == SQLITE_ROW ? sqlite3_column_int(row, 0) : -1;
	sqlite3_finalize(row);
	sqlite3_close(database);
	return result;
}

static int setup(void **state)
{
	struct fixture *fixture = calloc(1, sizeof *fixture);
	assert_non_null(fixture);
	strcpy(fixture->directory, "/tmp/predictd-migration-XXXXXX");
	assert_non_null(mkdtemp(fixture->directory));
	snprintf(fixture->path, sizeof fixture->path, "%s/predictd.db", fixture->directory);
	char *sql = read_whole(script);
	run_sql(fixture, sql);
	free(sql);
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

static void open_well(struct fixture *fixture)
{
	struct error error = {.text = ""};
	if (store_open(fixture->directory, &fixture->store, &error) != STATUS_OK ||
	    error.status != STATUS_OK)
		fail_msg("%s", error.text);
}

static size_t load(struct fixture *fixture, struct device **devices)
{
	struct error error = {.text = ""};
	size_t count = 0;
	if (store_load_calibrations(fixture->store, devices, &count, &error) != STATUS_OK ||
	    error.status != STATUS_OK)
		fail_msg("%s", error.text);
	return count;
}

static void devices_without_keys_get_them_and_lose_nothing(void **state)
{
	struct fixture *fixture = *state;
	struct device *devices = NULL;
	open_well(fixture);
	assert_int_equal(load(fixture, &devices), 3);
	/* the newest last */
	assert_string_equal(devices[0].name, "basic-skylake-avx512-AMD EPYC");
	assert_string_equal(devices[0].key, "name:b89c1f8de2d238d6");
	assert_int_equal(devices[0].epoch, 1);
	assert_true(devices[0].is_quick && devices[0].was_busy);
	assert_string_equal(devices[0].driver, "3.1+debian");
	assert_string_equal(devices[1].name, "NVIDIA H200");
	assert_string_equal(devices[1].key, "name:0ccea0041f9b2b7f");
	assert_int_equal(devices[1].compute_units, 132);
	for (size_t i = 0; i < 3; i++)
		assert_true(devices[i].coefficient[COEFFICIENT_LAUNCH_BASE].is_known);
	/* one GPU that was moved is one device: as it was calibrated last */
	assert_string_equal(devices[2].key, "uuid:c0ffee0000000000000000000000d00d-eff7ac15");
	assert_string_equal(devices[2].pci, "0000:af:00.0");
	assert_int_equal(devices[2].epoch, 4);
	assert_close(devices[2].coefficient[COEFFICIENT_LAUNCH_BASE].value,
	             3 * devices[1].coefficient[COEFFICIENT_LAUNCH_BASE].value, 1e-12);
	free(devices);
	assert_int_equal(number(fixture, "SELECT count(*) FROM calibration"), 4);
	assert_int_equal(number(fixture, "SELECT count(*) FROM calibration, device"
	                                 " WHERE device_id = device.id AND name = 'NVIDIA H100'"),
	                 2);
	assert_int_equal(number(fixture, "SELECT count(*) FROM pragma_foreign_key_check"), 0);
}

/* Before version 6 nobody had asked a compiler, or doubted. */
static void calibrations_without_a_language_have_none_and_get_one(void **state)
{
	struct fixture *fixture = *state;
	struct device *devices = NULL;
	struct error error = {.text = ""};
	open_well(fixture);
	assert_int_equal(number(fixture, "PRAGMA user_version"), 11);
	assert_int_equal(load(fixture, &devices), 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(devices[i].language_bytes, 0);
		assert_string_equal(devices[i].doubts, "");
	}
	devices[1].epoch = 0;
	devices[1].language_bytes = 2;
	devices[1].language[0] = 8;
	devices[1].language[1] = 2;
	strcpy(devices[1].doubts, "an empty launch of 8 us");
	assert_int_equal(store_save_calibration(fixture->store, &devices[1], &error), STATUS_OK);
	free(devices);
	assert_int_equal(load(fixture, &devices), 3);
	assert_string_equal(devices[2].name, "NVIDIA H200");
	assert_int_equal(devices[2].language_bytes, 2);
	assert_int_equal(devices[2].language[1], 2);
	assert_string_equal(devices[2].doubts, "an empty launch of 8 us");
	free(devices);
}

/* What a later version, or somebody, wrote is no profile that a device has room for. */
static void a_language_that_is_too_long_is_skipped_and_named(void **state)
{
	struct fixture *fixture = *state;
	struct device *devices = NULL;
	struct error error = {.text = ""};
	size_t count = 0;
	open_well(fixture);
	store_close(fixture->store);
	fixture->store = NULL;
	run_sql(fixture, "UPDATE calibration SET language = zeroblob(16385) WHERE epoch = 1");
	open_well(fixture);
	assert_int_equal(store_load_calibrations(fixture->store, &devices, &count, &error),
	                 STATUS_OK);
	assert_int_equal(count, 2);
	assert_int_equal(error.status, STATUS_CORRUPT);
	assert_non_null(strstr(error.text, "calibration 1: a field does not fit"));
	free(devices);
}

static void observations_stay_with_their_devices(void **state)
{
	struct fixture *fixture = *state;
	struct correction_record *records = NULL;
	struct error error = {.text = ""};
	size_t count = 0;
	open_well(fixture);
	assert_int_equal(store_load_records(fixture->store, NULL, 10, &records, &count, &error),
	                 STATUS_OK);
	assert_int_equal(count, 2);
	assert_int_equal(records[0].device, (uint64_t)INT64_C(-3545831883561014264));
	assert_int_equal(records[0].runs, 2);
	assert_int_equal(records[1].device, UINT64_C(4992492692292644930));
	free(records);
}

/* Version 8 tells tasks from kernels: what was there is of kernels, and both have room now. */
static void observations_from_before_tasks_are_of_kernels(void **state)
{
	struct fixture *fixture = *state;
	struct correction_record *records = NULL;
	struct error error = {.text = ""};
	size_t count = 0;
	run_sql(fixture, "DELETE FROM observer;"
	                 "INSERT INTO observer VALUES (7, 1000, x'0102'), (-1, 4294967295, x'03')");
	open_well(fixture);
	assert_int_equal(number(fixture, "SELECT count(*) FROM record WHERE kind = 0"), 2);
	assert_int_equal(number(fixture, "SELECT count(*) FROM observer WHERE kind = 0"), 2);
	assert_int_equal(number(fixture, "SELECT uid FROM observer WHERE device = 7"), 1000);
	assert_int_equal(store_load_records(fixture->store, NULL, 10, &records, &count, &error),
	                 STATUS_OK);
	assert_int_equal(count, 2);
	struct correction_record task = records[0];
	task.launch.kind = CORRECTION_OF_TASK;
	task.launch.beside_s = 0.5F;
	free(records);
	const struct observed_changes changes = {.records = &task, .record_count = 1};
	assert_int_equal(store_save_records(fixture->store, &changes, false, &error), STATUS_OK);
	assert_int_equal(
	        store_load_records(fixture->store, &task.kernel, 10, &records, &count, &error),
	        STATUS_OK);
	assert_true(count >= 2);
	size_t tasks = 0;
	for (size_t i = 0; i < count; i++)
		if (records[i].launch.kind == CORRECTION_OF_TASK) {
			tasks++;
			assert_true(records[i].launch.beside_s == 0.5F);
		}
	assert_int_equal(tasks, 1);
	free(records);
	assert_int_equal(number(fixture, "SELECT count(*) FROM record"), 3);
}

/* Version 9 has room for what two devices do to each other; nothing was known of it. */
static void devices_from_before_pairs_have_none_and_get_one(void **state)
{
	struct fixture *fixture = *state;
	struct contention pair = {.keys = {"name:0ccea0041f9b2b7f", "name:b89c1f8de2d238d6"}},
	                  *pairs;
	struct error error = {.text = ""};
	size_t count = 1;
	open_well(fixture);
	assert_int_equal(store_load_pairs(fixture->store, &pairs, &count, &error), STATUS_OK);
	assert_int_equal(count, 0);
	free(pairs);
	for (int i = 0; i < 2 * LOAD_COUNT * LOAD_COUNT; i++)
		(&pair.slowdown[0][0][0])[i] = 1.5;
	assert_int_equal(store_save_pair(fixture->store, &pair, &error), STATUS_OK);
	assert_int_equal(store_load_pairs(fixture->store, &pairs, &count, &error), STATUS_OK);
	assert_int_equal(count, 1);
	free(pairs);
}

/* Version 10 has room for choices of configurations. */
static void users_from_before_choices_have_none_and_get_one(void **state)
{
	struct fixture *fixture = *state;
	struct stored_choice choice = {
	        .user = 1000, .device = "name:0ccea0041f9b2b7f", .name = "gemm", .time_s = 1};
	struct error error = {.text = ""};
	open_well(fixture);
	assert_int_equal(store_load_choice(fixture->store, &choice, &error), STATUS_NOT_FOUND);
	choice.configuration = 3;
	assert_int_equal(store_save_choice(fixture->store, &choice, &error), STATUS_OK);
	choice.configuration = 0;
	assert_int_equal(store_load_choice(fixture->store, &choice, &error), STATUS_OK);
	assert_int_equal(choice.configuration, 3);
}

/* Version 11 numbers the records that there are, and gives the store an identity. */
static void records_from_before_sequences_are_read_once_each(void **state)
{
	struct fixture *fixture = *state;
	struct changed_records first = {.count = 0}, again = {.count = 0};
	struct error error = {.text = ""};
	open_well(fixture);
	store_close(fixture->store);
	fixture->store = NULL;
	/* as version 10 left it */
	run_sql(fixture, "DROP INDEX record_sequence; DROP TABLE identity;"
	                 "ALTER TABLE record DROP COLUMN sequence;"
	                 "ALTER TABLE calibration DROP COLUMN borrowed_nodes;"
	                 "PRAGMA user_version = 10");
	int records = number(fixture, "SELECT count(*) FROM record");
	assert_int_equal(records, 2);
	open_well(fixture);
	assert_int_equal(store_load_changed(fixture->store, 0, 10, &first, &error), STATUS_OK);
	assert_int_equal(first.count, records);
	assert_int_equal(first.last, records);
	for (size_t i = 0; i < first.count; i++)
		assert_true(first.records[i].sequence == i + 1 && first.records[i].is_read);
	assert_int_equal(store_load_changed(fixture->store, 2, 10, &again, &error), STATUS_OK);
	assert_int_equal(again.count, 0);
	assert_int_equal(again.last, records);
	assert_memory_equal(first.store, again.store, sizeof first.store);
	assert_int_equal(number(fixture, "SELECT max(borrowed_nodes) FROM calibration"), 0);
	free(first.records);
	free(again.records);
}

static void a_new_calibration_follows_those_before(void **state)
{
	struct fixture *fixture = *state;
	struct device *devices = NULL;
	struct error error = {.text = ""};
	open_well(fixture);
	assert_int_equal(load(fixture, &devices), 3);
	devices[2].epoch = 0;
	strcpy(devices[2].pci,
	       "0000:c1:00.0"); /* moved once more: observations are filed as ever */
	assert_int_equal(store_save_calibration(fixture->store, &devices[2], &error), STATUS_OK);
	assert_int_equal(devices[2].epoch, 5);
	free(devices);
	assert_int_equal(load(fixture, &devices), 3);
	assert_string_equal(devices[2].pci, "0000:af:00.0");
	free(devices);
	assert_int_equal(number(fixture, "SELECT count(*) FROM calibration"), 5);
}

static void a_calibration_that_is_removed_takes_its_versions_along(void **state)
{
	struct fixture *fixture = *state;
	struct device *devices = NULL;
	struct error error = {.text = ""};
	char keys[2][DEVICE_KEY_MAX] = {"name:0"};
	open_well(fixture);
	assert_int_equal(load(fixture, &devices), 3);
	memcpy(keys[1], devices[2].key, sizeof keys[1]);
	free(devices);
	assert_int_equal(store_remove_calibrations(fixture->store,
	                                           (const char(*)[DEVICE_KEY_MAX])keys, 2, &error),
	                 STATUS_OK);
	assert_int_equal(load(fixture, &devices), 2);
	free(devices);
	assert_int_equal(number(fixture, "SELECT count(*) FROM calibration"), 2);
	assert_int_equal(number(fixture, "SELECT count(*) FROM coefficient WHERE epoch > 2"), 0);
	assert_int_equal(number(fixture, "SELECT count(*) FROM record"), 2);
}

/* A migration that could not end leaves what was there, and is done by the next one. */
static void a_migration_that_fails_changes_nothing(void **state)
{
	struct fixture *fixture = *state;
	struct error error = {.text = ""};
	run_sql(fixture, "CREATE TABLE device_with_key (id INTEGER)");
	assert_int_not_equal(store_open(fixture->directory, &fixture->store, &error), STATUS_OK);
	assert_non_null(strstr(error.text, "device_with_key"));
	assert_non_null(strstr(error.text, fixture->path));
	assert_int_equal(number(fixture, "PRAGMA user_version"), 4);
	assert_int_equal(number(fixture, "SELECT count(*) FROM device"), 4);
	assert_int_equal(number(fixture, "SELECT count(*) FROM calibration"), 4);
	run_sql(fixture, "DROP TABLE device_with_key");
	open_well(fixture);
	assert_int_equal(number(fixture, "SELECT count(*) FROM device"), 3);
}

static void a_key_that_is_none_is_skipped_and_named(void **state)
{
	struct fixture *fixture = *state;
	struct device *devices = NULL;
	struct error error = {.text = ""};
	size_t count = 0;
	open_well(fixture);
	store_close(fixture->store);
	fixture->store = NULL;
	run_sql(fixture, "UPDATE device SET key = '0' WHERE name = 'NVIDIA H200'");
	open_well(fixture);
	assert_int_equal(store_load_calibrations(fixture->store, &devices, &count, &error),
	                 STATUS_OK);
	assert_int_equal(count, 2);
	assert_int_equal(error.status, STATUS_CORRUPT);
	assert_non_null(strstr(error.text, "calibration 2: a field does not fit"));
	free(devices);
}

#define MIGRATION_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	        MIGRATION_TEST(devices_without_keys_get_them_and_lose_nothing),
	        MIGRATION_TEST(calibrations_without_a_language_have_none_and_get_one),
	        MIGRATION_TEST(a_language_that_is_too_long_is_skipped_and_named),
	        MIGRATION_TEST(observations_stay_with_their_devices),
	        MIGRATION_TEST(observations_from_before_tasks_are_of_kernels),
	        MIGRATION_TEST(devices_from_before_pairs_have_none_and_get_one),
	        MIGRATION_TEST(users_from_before_choices_have_none_and_get_one),
	        MIGRATION_TEST(records_from_before_sequences_are_read_once_each),
	        MIGRATION_TEST(a_new_calibration_follows_those_before),
	        MIGRATION_TEST(a_calibration_that_is_removed_takes_its_versions_along),
	        MIGRATION_TEST(a_migration_that_fails_changes_nothing),
	        MIGRATION_TEST(a_key_that_is_none_is_skipped_and_named),
	};
	if (argc != 2)
		return 2;
	script = argv[1];
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("store migration", tests, NULL, NULL);
}
