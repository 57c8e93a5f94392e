/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A database of each schema that ever landed, schema_N.sql: it opens, has all that it had, and
 * takes more. The arguments are the scripts.
 */
#include "tests/test.h"

#include "tests/folder.h"

#include "store/observations.h"

#include <libgen.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SCRIPT_BYTES_MAX = 1 << 16, VERSIONS_MAX = 32, TODAY = 11 };

struct version {
	const char *script;
	int schema;
	char directory[64], path[96];
};

static sqlite3 *database_of(const struct version *version)
{
	sqlite3 *database;
	assert_int_equal(sqlite3_open(version->path, &database), SQLITE_OK);
	return database;
}

static int number(const struct version *version, const char *sql)
{
	sqlite3 *database = database_of(version);
	sqlite3_stmt *row;
	if (sqlite3_prepare_v2(database, sql, -1, &row, NULL) != SQLITE_OK)
		fail_msg("%s: %s", sql, sqlite3_errmsg(database));
	int result = sqlite3_step(row) == SQLITE_ROW ? sqlite3_column_int(row, 0) : -1;
	sqlite3_finalize(row);
	sqlite3_close(database);
	return result;
}

static int setup(void **state)
{
	struct version *version = *state;
	char *sql = calloc(1, SCRIPT_BYTES_MAX), *why = NULL;
	FILE *file = fopen(version->script, "r");
	assert_non_null(sql);
	assert_non_null(file);
	size_t size = fread(sql, 1, SCRIPT_BYTES_MAX - 1, file);
	assert_true(size > 1000 && size < SCRIPT_BYTES_MAX - 1);
	assert_int_equal(fclose(file), 0);
	strcpy(version->directory, "/tmp/predictd-versions-XXXXXX");
	assert_non_null(mkdtemp(version->directory));
	snprintf(version->path, sizeof version->path, "%s/predictd.db", version->directory);
	sqlite3 *database = database_of(version);
	if (sqlite3_exec(database, sql, NULL, NULL, &why) != SQLITE_OK)
		fail_msg("%s", why);
	assert_int_equal(sqlite3_close(database), SQLITE_OK);
	free(sql);
	version->schema = number(version, "PRAGMA user_version");
	return 0;
}

static int teardown(void **state)
{
	struct version *version = *state;
	(void)folder_remove(version->directory);
	return 0;
}

static struct store *open_well(const struct version *version)
{
	struct store *store = NULL;
	struct error error = {.text = ""};
	if (store_open(version->directory, &store, &error) != STATUS_OK ||
	    error.status != STATUS_OK)
		fail_msg("%s", error.text);
	return store;
}

static void assert_calibrations(struct store *store)
{
	struct device *devices = NULL;
	struct error error = {.text = ""};
	size_t count = 0;
	assert_int_equal(store_load_calibrations(store, &devices, &count, &error), STATUS_OK);
	if (error.status != STATUS_OK)
		fail_msg("%s", error.text);
	assert_int_equal(count, 3);
	for (size_t i = 0; i < count; i++) {
		assert_true(devices[i].key[0] != '\0');
		assert_true(devices[i].coefficient[COEFFICIENT_LAUNCH_BASE].is_known);
		assert_int_equal(devices[i].borrowed_nodes, 0);
	}
	free(devices);
}

static size_t count_records(struct store *store, struct correction_record *first)
{
	struct correction_record *records = NULL;
	struct error error = {.text = ""};
	size_t count = 0;
	assert_int_equal(store_load_records(store, NULL, 100, &records, &count, &error), STATUS_OK);
	if (error.status != STATUS_OK)
		fail_msg("%s", error.text);
	for (size_t i = 0; i < count; i++)
		assert_true(records[i].runs == 1 || records[i].runs == 2);
	if (count > 0)
		*first = records[0];
	free(records);
	return count;
}

static size_t count_pairs(struct store *store)
{
	struct contention *pairs = NULL;
	struct error error = {.text = ""};
	size_t count = 0;
	assert_int_equal(store_load_pairs(store, &pairs, &count, &error), STATUS_OK);
	if (error.status != STATUS_OK)
		fail_msg("%s", error.text);
	for (size_t i = 0; i < count; i++)
		assert_close(pairs[i].slowdown[1][2][0], 1.25, 1e-12);
	free(pairs);
	return count;
}

static void count_sample(void *data, const struct stored_sample *sample)
{
	*(size_t *)data += sample->user == 0 && sample->message_bytes == 2;
}

static void assert_choice(struct store *store, bool is_there)
{
	struct stored_choice choice = {.user = 1000,
	                               .device = "name:0ccea0041f9b2b7f",
	                               .driver = "580.159.04",
	                               .name = "gemm",
	                               .sizes = {0},
	                               .size_count = 1};
	struct error error = {.text = ""};
	for (uint8_t i = 0; i < STORE_CHOICE_SPACE_BYTES; i++)
		choice.space[i] = i;
	assert_int_equal(store_load_choice(store, &choice, &error),
	                 is_there ? STATUS_OK : STATUS_NOT_FOUND);
	assert_int_equal(choice.configuration, is_there ? 3 : 0);
}

static void assert_kept(struct store *store, const struct version *version,
                        struct correction_record *first)
{
	struct error error = {.text = ""};
	size_t samples = 0;
	assert_calibrations(store);
	assert_int_equal(count_records(store, first), version->schema >= 8   ? 3
	                                              : version->schema >= 3 ? 2
	                                                                     : 0);
	assert_int_equal(count_pairs(store), version->schema >= 9);
	assert_choice(store, version->schema >= 10);
	assert_int_equal(store_load_samples(store, count_sample, &samples, &error), STATUS_OK);
	assert_int_equal(samples, version->schema >= 7);
}

/* An observation of a kernel that was not known, which writes to every table of observations. */
static void observe(struct store *store, const struct correction_record *like)
{
	struct correction_record record = *like;
	const struct launch_words words = {.kernel = 77,
	                                   .launch = 78,
	                                   .dimensions = 1,
	                                   .sizes = {64, 1, 1},
	                                   .kernel_name = "later",
	                                   .arguments = "",
	                                   .device_key = "mine:word"};
	struct error error = {.text = ""};
	record.kernel = 77;
	record.launch.key = 78;
	const struct observed_changes changes = {
	        .records = &record, .record_count = 1, .words = &words, .word_count = 1};
	if (store_save_records(store, &changes, true, &error) != STATUS_OK)
		fail_msg("%s", error.text);
}

static void a_database_of_this_version_serves(void **state)
{
	const struct version *version = *state;
	struct correction_record first;
	struct store *store = open_well(version);
	assert_kept(store, version, &first);
	if (version->schema >= 3)
		observe(store, &first);
	store_close(store);
	assert_int_equal(number(version, "PRAGMA user_version"), TODAY);
	assert_int_equal(number(version, "SELECT count(*) FROM pragma_foreign_key_check"), 0);
	assert_int_equal(number(version, "SELECT count(*) FROM calibration"), 4);
	assert_int_equal(number(version, "SELECT count(*) FROM observed_kernel"
	                                 " WHERE device = 'mine:word'"),
	                 version->schema >= 3);
	/* migrated, it opens as any other */
	store = open_well(version);
	assert_calibrations(store);
	store_close(store);
}

int main(int argc, char **argv)
{
	static struct version versions[VERSIONS_MAX];
	struct CMUnitTest tests[VERSIONS_MAX];
	int failed = 0;
	if (argc < 2 || argc > VERSIONS_MAX)
		return 2;
	for (int i = 1; i < argc; i++) {
		versions[i].script = argv[i];
		tests[i - 1] = (struct CMUnitTest){.name = basename(argv[i]),
		                                   .test_func = a_database_of_this_version_serves,
		                                   .setup_func = setup,
		                                   .teardown_func = teardown,
		                                   .initial_state = &versions[i]};
	}
	cmocka_set_message_output(CM_OUTPUT_TAP);
	failed = _cmocka_run_group_tests("store versions", tests, (size_t)argc - 1, NULL, NULL);
	return failed;
}
