/* SPDX-License-Identifier: Apache-2.0 */
/* What was observed: records and words that are saved come back, and go together. */
#include "tests/test.h"

#include "tests/folder.h"

#include "store/observations.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct fixture {
	char directory[64];
	char path[96];
	struct store *store;
};

static int setup(void **state)
{
	struct fixture *fixture = calloc(1, sizeof *fixture);
	struct error error;
	assert_non_null(fixture);
	strcpy(fixture->directory, "/tmp/predictd-observations-XXXXXX");
	assert_non_null(mkdtemp(fixture->directory));
	snprintf(fixture->path, sizeof fixture->path, "%s/predictd.db", fixture->directory);
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

/* Hashes have every bit: some are negative where signed. */
static struct correction_record make_record(uint64_t kernel, uint64_t launch, uint32_t uid)
{
	struct correction_record record = {.device = UINT64_MAX - 7,
	                                   .kernel = kernel,
	                                   .uid = uid,
	                                   .sample_count = 2,
	                                   .runs = 40};
	record.launch.key = launch;
	record.launch.epoch = 3;
	record.launch.static_log = -9.5F;
	record.launch.static_sd = 0.5F;
	record.launch.items_log = 12;
	record.launch.group_log = 4;
	record.samples[0] = (struct correction_sample){.time_log = -9, .at_s = 1700000000};
	record.samples[1] = (struct correction_sample){
	        .time_log = -8.5F, .at_s = 1700000001, .predicted_s = 1e-4F, .high_s = 2e-4F};
	return record;
}

static struct launch_words make_words(uint64_t kernel, uint64_t launch, const char *name)
{
	return (struct launch_words){.kernel = kernel,
	                             .launch = launch,
	                             .dimensions = 2,
	                             .sizes = {1024, UINT64_MAX, 1, 64, 1, 1},
	                             .kernel_name = name,
	                             .arguments = "buffer:4096:r float:2"};
}

static void save(struct fixture *fixture, const struct correction_record *records, size_t count,
                 const struct launch_words *words, size_t word_count)
{
	struct error error;
	const struct observed_changes changes = {.records = records,
	                                         .record_count = count,
	                                         .words = words,
	                                         .word_count = word_count};
	assert_int_equal(store_save_records(fixture->store, &changes, false, &error), STATUS_OK);
}

static struct correction_record *load(struct fixture *fixture, const uint64_t *kernel,
                                      size_t *count)
{
	struct correction_record *records = NULL;
	struct error error;
	assert_int_equal(store_load_records(fixture->store, kernel, 1000, &records, count, &error),
	                 STATUS_OK);
	assert_int_equal(error.status, STATUS_OK);
	return records;
}

static size_t rows(struct fixture *fixture, const char *table)
{
	char sql[64];
	sqlite3 *database;
	sqlite3_stmt *statement;
	snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", table);
	assert_int_equal(sqlite3_open(fixture->path, &database), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(database, sql, -1, &statement, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
	size_t count = (size_t)sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	sqlite3_close(database);
	return count;
}

static void records_come_back_as_they_were(void **state)
{
	struct fixture *fixture = *state;
	const struct correction_record saved = make_record(UINT64_MAX, UINT64_C(1) << 63, 1000);
	size_t count;
	save(fixture, &saved, 1, NULL, 0);
	struct correction_record *records = load(fixture, NULL, &count);
	assert_int_equal(count, 1);
	assert_true(records[0].kernel == saved.kernel && records[0].device == saved.device &&
	            records[0].launch.key == saved.launch.key && records[0].uid == saved.uid);
	assert_true(records[0].runs == 40 && records[0].sample_count == 2);
	assert_memory_equal(&records[0].launch, &saved.launch, sizeof saved.launch);
	assert_memory_equal(records[0].samples, saved.samples, 2 * sizeof saved.samples[0]);
	free(records);
}

static void a_record_saved_again_replaces_itself_alone(void **state)
{
	struct fixture *fixture = *state;
	struct correction_record two[] = {make_record(1, 2, 1000), make_record(1, 2, 1001)};
	size_t count;
	save(fixture, two, 2, NULL, 0);
	two[0].runs = 41;
	save(fixture, two, 1, NULL, 0);
	struct correction_record *records = load(fixture, NULL, &count);
	assert_int_equal(count, 2);
	assert_int_equal(records[0].runs + records[1].runs, 81);
	free(records);
}

static void the_records_of_one_kernel_are_loaded_alone(void **state)
{
	struct fixture *fixture = *state;
	const struct correction_record three[] = {make_record(1, 2, 0), make_record(5, 2, 0),
	                                          make_record(5, 3, 0)};
	const uint64_t kernel = 5;
	size_t count;
	save(fixture, three, 3, NULL, 0);
	free(load(fixture, &kernel, &count));
	assert_int_equal(count, 2);
}

static struct changed_records changed_after(struct fixture *fixture, uint64_t after, size_t most)
{
	struct changed_records changed = {.count = 0};
	struct error error;
	assert_int_equal(store_load_changed(fixture->store, after, most, &changed, &error),
	                 STATUS_OK);
	return changed;
}

static void reopen(struct fixture *fixture)
{
	struct error error;
	store_close(fixture->store);
	fixture->store = NULL;
	assert_int_equal(store_open(fixture->directory, &fixture->store, &error), STATUS_OK);
}

static void each_save_gives_a_sequence_that_no_other_had(void **state)
{
	struct fixture *fixture = *state;
	struct correction_record three[] = {make_record(1, 2, 0), make_record(1, 3, 0),
	                                    make_record(1, 4, 0)};
	const struct launch_words words = make_words(1, 2, "copy");
	struct changed_records before = changed_after(fixture, 0, 10);
	assert_true(before.count == 0 && before.last == 0);
	save(fixture, three, 3, &words, 1);
	struct changed_records all = changed_after(fixture, 0, 10);
	assert_true(all.count == 3 && all.last == 3);
	assert_memory_equal(all.store, before.store, STORE_IDENTITY_BYTES);
	assert_true(all.records[2].record.launch.key == 4 && all.records[2].record.runs == 40);
	assert_string_equal(all.records[0].kernel_name, "copy");
	free(all.records);
	/* the newest is deleted, and after a restart another one saved */
	three[2].sample_count = 0;
	save(fixture, &three[2], 1, NULL, 0);
	reopen(fixture);
	save(fixture, &three[0], 1, NULL, 0);
	struct changed_records after = changed_after(fixture, 3, 10);
	assert_true(after.count == 1 && after.last == 4);
	assert_true(after.records[0].sequence == 4 && after.records[0].record.launch.key == 2);
	assert_memory_equal(after.store, before.store, STORE_IDENTITY_BYTES);
	free(after.records);
}

static void pages_of_changes_miss_none_and_repeat_none(void **state)
{
	struct fixture *fixture = *state;
	enum { RECORDS = 100, PAGE = 7 };
	unsigned told[RECORDS] = {0};
	uint64_t after = 0;
	for (uint64_t i = 0; i < RECORDS; i++) {
		const struct correction_record record = make_record(i % 5, i, 0);
		save(fixture, &record, 1, NULL, 0);
	}
	for (struct changed_records page;; free(page.records)) {
		page = changed_after(fixture, after, PAGE);
		assert_true(page.count <= PAGE);
		for (size_t i = 0; i < page.count; i++) {
			assert_true(page.records[i].sequence > after);
			told[page.records[i].record.launch.key]++;
		}
		if (page.last == after)
			break;
		after = page.last;
	}
	for (unsigned i = 0; i < RECORDS; i++)
		assert_int_equal(told[i], 1);
	assert_int_equal(after, RECORDS);
}

static void a_record_that_is_none_is_passed_by(void **state)
{
	struct fixture *fixture = *state;
	const struct correction_record record = make_record(1, 2, 0);
	sqlite3 *database;
	save(fixture, &record, 1, NULL, 0);
	assert_int_equal(sqlite3_open(fixture->path, &database), SQLITE_OK);
	assert_int_equal(
	        sqlite3_exec(database, "UPDATE record SET state = x'00'", NULL, NULL, NULL),
	        SQLITE_OK);
	sqlite3_close(database);
	struct changed_records changed = changed_after(fixture, 0, 1);
	assert_true(changed.count == 1 && !changed.records[0].is_read && changed.last == 1);
	free(changed.records);
	changed = changed_after(fixture, UINT64_MAX, 1);
	assert_true(changed.count == 0 && changed.last == 1);
	free(changed.records);
}

static void words_go_with_the_last_record_that_needs_them(void **state)
{
	struct fixture *fixture = *state;
	struct correction_record two[] = {make_record(1, 2, 1000), make_record(1, 2, 1001)};
	const struct launch_words words[] = {make_words(1, 2, "copy"), make_words(1, 2, "copy")};
	save(fixture, two, 2, words, 2);
	assert_int_equal(rows(fixture, "observed_launch"), 1);
	assert_int_equal(rows(fixture, "observed_kernel"), 1);
	two[0].sample_count = 0;
	save(fixture, two, 1, NULL, 0);
	assert_int_equal(rows(fixture, "record"), 1);
	assert_int_equal(rows(fixture, "observed_launch"), 1);
	two[1].sample_count = 0;
	save(fixture, two + 1, 1, NULL, 0);
	assert_int_equal(rows(fixture, "record"), 0);
	assert_int_equal(rows(fixture, "observed_launch"), 0);
	assert_int_equal(rows(fixture, "observed_kernel"), 0);
}

static void a_record_deleted_and_saved_at_once_stays_with_its_words(void **state)
{
	struct fixture *fixture = *state;
	struct correction_record both[] = {make_record(1, 2, 0), make_record(1, 2, 0)};
	const struct launch_words words = make_words(1, 2, "copy");
	both[0].sample_count = 0;
	save(fixture, both, 2, &words, 1);
	assert_int_equal(rows(fixture, "record"), 1);
	assert_int_equal(rows(fixture, "observed_launch"), 1);
}

static void launches_come_back_in_words(void **state)
{
	struct fixture *fixture = *state;
	const struct correction_record record = make_record(1, 2, 0);
	const struct launch_words words = make_words(1, 2, "copy");
	struct launch_entry *entries;
	struct error error;
	size_t count;
	save(fixture, &record, 1, &words, 1);
	assert_int_equal(store_load_launches(fixture->store, 1, 10, &entries, &count, &error),
	                 STATUS_OK);
	assert_int_equal(count, 1);
	assert_true(entries[0].launch == 2 && entries[0].dimensions == 2);
	assert_memory_equal(entries[0].sizes, words.sizes, sizeof words.sizes);
	assert_string_equal(entries[0].arguments, words.arguments);
	free(entries);
}

static void long_texts_are_cut_between_characters(void **state)
{
	struct fixture *fixture = *state;
	char name[600] = "", arguments[2 * STORE_ARGUMENTS_MAX + 1] = "";
	struct launch_words words = make_words(1, 2, name);
	struct launch_entry *entries;
	struct error error;
	size_t count;
	uint64_t *kernels;
	for (size_t i = 0; i + 2 < sizeof arguments; i += 2)
		strcpy(&arguments[i], "\xc3\xa9");
	memset(name, 'n', sizeof name - 1);
	words.arguments = arguments;
	save(fixture, NULL, 0, &words, 1);
	assert_int_equal(store_load_launches(fixture->store, 1, 10, &entries, &count, &error),
	                 STATUS_OK);
	assert_int_equal(strlen(entries[0].arguments), STORE_ARGUMENTS_MAX - 2);
	free(entries);
	/* and found by as much of the name as is kept */
	const struct kernel_filter filter = {.name = name};
	assert_int_equal(store_find_kernels(fixture->store, &filter, &kernels, &count, &error),
	                 STATUS_OK);
	assert_int_equal(count, 1);
	free(kernels);
}

/* The sum of the kernels that a filter lets pass. */
static uint64_t sum_of(const struct fixture *fixture, const struct kernel_filter *filter)
{
	struct error error;
	size_t count;
	uint64_t *kernels = NULL, sum = 0;
	assert_int_equal(store_find_kernels(fixture->store, filter, &kernels, &count, &error),
	                 STATUS_OK);
	for (size_t i = 0; i < count; i++)
		sum += kernels[i];
	free(kernels);
	return sum;
}

static void kernels_are_found_by_name_and_device(void **state)
{
	struct fixture *fixture = *state;
	const struct correction_record records[] = {make_record(1, 2, 0), make_record(4, 2, 0),
	                                            make_record(16, 2, 0), make_record(64, 2, 0),
	                                            make_record(256, 2, 0)};
	struct launch_words words[] = {make_words(1, 2, "copy"), make_words(4, 2, "copy"),
	                               make_words(16, 2, "scale"), make_words(64, 2, "copy"),
	                               make_words(256, 2, "gemm")};
	words[3].device_key = "cpu:0"; /* of one without source */
	words[4].device_key = "cpu:1";
	save(fixture, records, 5, words, 5);
	assert_int_equal(sum_of(fixture, &(struct kernel_filter){.name = "copy"}), 69);
	assert_int_equal(sum_of(fixture, &(struct kernel_filter){.name = "nosuch"}), 0);
	assert_int_equal(sum_of(fixture, &(struct kernel_filter){.is_sourceless = true}), 320);
	assert_int_equal(
	        sum_of(fixture, &(struct kernel_filter){.name = "copy", .is_sourceless = true}),
	        64);
	assert_int_equal(sum_of(fixture, &(struct kernel_filter){.device_key = "cpu:1"}), 256);
	assert_int_equal(
	        sum_of(fixture, &(struct kernel_filter){.name = "copy", .device_key = "cpu:1"}), 0);
}

static void rows_that_are_no_records_are_skipped_and_named(void **state)
{
	struct fixture *fixture = *state;
	const struct correction_record two[] = {make_record(1, 2, 0), make_record(1, 3, 0)};
	struct correction_record *records;
	struct error error;
	size_t count;
	sqlite3 *database;
	save(fixture, two, 2, NULL, 0);
	assert_int_equal(sqlite3_open(fixture->path, &database), SQLITE_OK);
	assert_int_equal(sqlite3_exec(database, "UPDATE record SET state = x'00' WHERE launch = 2",
	                              NULL, NULL, NULL),
	                 SQLITE_OK);
	sqlite3_close(database);
	assert_int_equal(store_load_records(fixture->store, NULL, 10, &records, &count, &error),
	                 STATUS_OK);
	assert_int_equal(count, 1);
	assert_int_equal(error.status, STATUS_CORRUPT);
	free(records);
}

static void a_save_that_fails_changes_nothing(void **state)
{
	struct fixture *fixture = *state;
	const struct correction_record two[] = {make_record(1, 2, 0), make_record(1, 3, 0)};
	struct error error;
	sqlite3 *database;
	size_t count;
	save(fixture, two, 1, NULL, 0);
	assert_int_equal(sqlite3_open(fixture->path, &database), SQLITE_OK);
	assert_int_equal(sqlite3_exec(database,
	                              "CREATE TRIGGER refuse BEFORE INSERT ON record"
	                              " WHEN NEW.launch = 3"
	                              " BEGIN SELECT RAISE(ABORT, 'not this one'); END",
	                              NULL, NULL, NULL),
	                 SQLITE_OK);
	struct correction_record changed[] = {two[0], two[1]};
	changed[0].runs = 41;
	const struct observed_changes changes = {.records = changed, .record_count = 2};
	assert_int_equal(store_save_records(fixture->store, &changes, true, &error), STATUS_IO);
	assert_non_null(strstr(error.text, "not this one"));
	struct correction_record *records = load(fixture, NULL, &count);
	assert_int_equal(count, 1);
	assert_int_equal(records[0].runs, 40);
	free(records);
	assert_int_equal(sqlite3_exec(database, "DROP TRIGGER refuse", NULL, NULL, NULL),
	                 SQLITE_OK);
	sqlite3_close(database);
	save(fixture, changed, 2, NULL, 0);
	free(load(fixture, NULL, &count));
	assert_int_equal(count, 2);
}

static void what_is_kept_of_users_comes_back_until_it_is_deleted(void **state)
{
	struct fixture *fixture = *state;
	struct correction_user users[] = {
	        {.device = UINT64_MAX, .uid = UINT32_MAX, .size = 3, .bytes = {1, 2, 3}},
	        {.device = 1, .uid = 1000, .size = CORRECTION_USER_BYTES},
	};
	struct observed_changes changes = {.users = users, .user_count = 2};
	struct correction_user *loaded = NULL;
	struct error error;
	size_t count;
	assert_int_equal(store_save_records(fixture->store, &changes, false, &error), STATUS_OK);
	users[1].size = 0;
	users[0].bytes[2] = 4;
	assert_int_equal(store_load_users(fixture->store, 10, &loaded, &count, &error), STATUS_OK);
	assert_int_equal(count, 2);
	free(loaded);
	assert_int_equal(store_save_records(fixture->store, &changes, false, &error), STATUS_OK);
	assert_int_equal(store_load_users(fixture->store, 10, &loaded, &count, &error), STATUS_OK);
	assert_int_equal(count, 1);
	assert_true(loaded[0].device == UINT64_MAX && loaded[0].uid == UINT32_MAX);
	assert_int_equal(loaded[0].size, 3);
	assert_memory_equal(loaded[0].bytes, users[0].bytes, 3);
	free(loaded);
}

#define STORE_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        STORE_TEST(records_come_back_as_they_were),
	        STORE_TEST(a_record_saved_again_replaces_itself_alone),
	        STORE_TEST(the_records_of_one_kernel_are_loaded_alone),
	        STORE_TEST(each_save_gives_a_sequence_that_no_other_had),
	        STORE_TEST(pages_of_changes_miss_none_and_repeat_none),
	        STORE_TEST(a_record_that_is_none_is_passed_by),
	        STORE_TEST(words_go_with_the_last_record_that_needs_them),
	        STORE_TEST(a_record_deleted_and_saved_at_once_stays_with_its_words),
	        STORE_TEST(launches_come_back_in_words),
	        STORE_TEST(long_texts_are_cut_between_characters),
	        STORE_TEST(kernels_are_found_by_name_and_device),
	        STORE_TEST(rows_that_are_no_records_are_skipped_and_named),
	        STORE_TEST(what_is_kept_of_users_comes_back_until_it_is_deleted),
	        STORE_TEST(a_save_that_fails_changes_nothing),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("observations", tests, NULL, NULL);
}
