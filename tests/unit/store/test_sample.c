/* SPDX-License-Identifier: Apache-2.0 */
/* Samples in the store: by user and name, overwritten in its files where they are deleted. */
#include "tests/test.h"

#include "tests/folder.h"

#include "store/store.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BYTES = 40000, MINE = 1000, HIS = 1001 };

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

/* A sample named and filled by a letter; without bytes it is to be deleted. */
static struct stored_sample letter(char which, uint64_t user, int64_t used_at_s, bool is_saved)
{
	static uint8_t messages[256][BYTES];
	struct stored_sample sample = {.user = user, .used_at_s = used_at_s};
	memset(sample.name, which, sizeof sample.name);
	memset(messages[(uint8_t)which], which, BYTES);
	if (is_saved) {
		sample.message = messages[(uint8_t)which];
		sample.message_bytes = BYTES;
	}
	return sample;
}

static void save(const struct fixture *fixture, const struct stored_sample *samples, size_t count)
{
	struct error error = {.text = ""};
	if (store_save_samples(fixture->store, samples, count, &error) != STATUS_OK)
		fail_msg("%s", error.text);
}

/* "a1000 b1001": in the order of their use. */
static char listed[256];

static void list_one(void *data, const struct stored_sample *sample)
{
	(void)data;
	size_t used = strlen(listed);
	snprintf(listed + used, sizeof listed - used, "%s%c%llu", used > 0 ? " " : "",
	         sample->name[0], (unsigned long long)sample->user);
	if (sample->message == NULL)
		strcat(listed, "?");
	else if (sample->message_bytes != BYTES || sample->message[BYTES - 1] != sample->name[0])
		strcat(listed, "!");
}

static const char *list(const struct fixture *fixture)
{
	struct error error = {.text = ""};
	listed[0] = '\0';
	if (store_load_samples(fixture->store, list_one, NULL, &error) != STATUS_OK)
		fail_msg("%s", error.text);
	return listed;
}

static void samples_are_kept_by_user_and_name(void **state)
{
	struct fixture *fixture = *state;
	struct error error;
	const struct stored_sample samples[] = {letter('b', MINE, 20, true),
	                                        letter('a', MINE, 30, true),
	                                        letter('a', HIS, 10, true)};
	assert_string_equal(list(fixture), "");
	save(fixture, samples, 3);
	assert_string_equal(list(fixture), "a1001 b1000 a1000");
	store_close(fixture->store);
	assert_int_equal(store_open(fixture->directory, &fixture->store, &error), STATUS_OK);
	assert_string_equal(list(fixture), "a1001 b1000 a1000");
	struct stored_sample again = letter('b', MINE, 40, true);
	save(fixture, &again, 1);
	assert_string_equal(list(fixture), "a1001 a1000 b1000");
}

static void what_is_deleted_is_in_no_file(void **state)
{
	struct fixture *fixture = *state;
	struct stored_sample samples[] = {letter('a', MINE, 1, true), letter('a', HIS, 2, true),
	                                  letter('c', HIS, 3, true)};
	save(fixture, samples, 3);
	assert_true(folder_has(fixture->directory, 'a'));
	/* one of them saved again meanwhile, and one that is not there */
	samples[0] = letter('a', MINE, 0, false);
	samples[1] = letter('z', MINE, 0, false);
	save(fixture, samples, 2);
	assert_string_equal(list(fixture), "a1001 c1001");
	assert_true(folder_has(fixture->directory, 'a'));
	samples[0] = letter('a', HIS, 0, false);
	save(fixture, samples, 1);
	assert_false(folder_has(fixture->directory, 'a'));
	assert_true(folder_has(fixture->directory, 'c'));
}

static void all_may_be_deleted(void **state)
{
	struct fixture *fixture = *state;
	struct error error = {.text = ""};
	const struct stored_sample samples[] = {letter('a', MINE, 1, true),
	                                        letter('b', HIS, 2, true)};
	assert_int_equal(store_delete_samples(fixture->store, &error), STATUS_OK);
	save(fixture, samples, 2);
	assert_int_equal(store_delete_samples(fixture->store, &error), STATUS_OK);
	assert_string_equal(list(fixture), "");
	assert_false(folder_has(fixture->directory, 'a'));
	assert_false(folder_has(fixture->directory, 'b'));
}

static void run_sql(const struct fixture *fixture, const char *sql)
{
	sqlite3 *database;
	char path[128], *why = NULL;
	snprintf(path, sizeof path, "%s/predictd.db", fixture->directory);
	assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
	if (sqlite3_exec(database, sql, NULL, NULL, &why) != SQLITE_OK)
		fail_msg("%s", why);
	assert_int_equal(sqlite3_close(database), SQLITE_OK);
}

static void one_that_is_too_long_comes_without_its_bytes(void **state)
{
	struct fixture *fixture = *state;
	const struct stored_sample samples[] = {letter('a', MINE, 1, true),
	                                        letter('b', HIS, 2, true)};
	save(fixture, samples, 2);
	run_sql(fixture, "UPDATE sample SET message = zeroblob(131073) WHERE uid = 1000");
	assert_string_equal(list(fixture), "a1000? b1001");
}

static void one_without_a_name_ends_the_list(void **state)
{
	struct fixture *fixture = *state;
	struct error error = {.text = ""};
	const struct stored_sample sample = letter('a', MINE, 1, true);
	save(fixture, &sample, 1);
	run_sql(fixture, "UPDATE sample SET name = x'00'");
	assert_int_equal(store_load_samples(fixture->store, list_one, NULL, &error),
	                 STATUS_CORRUPT);
	assert_string_equal(error.text, "sample: a name of 1 bytes");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
	        TEST(samples_are_kept_by_user_and_name),
	        TEST(what_is_deleted_is_in_no_file),
	        TEST(all_may_be_deleted),
	        TEST(one_that_is_too_long_comes_without_its_bytes),
	        TEST(one_without_a_name_ends_the_list),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("store samples", tests, NULL, NULL);
}
