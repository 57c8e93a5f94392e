/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each call of SQLite, of the allocator and of the file system failing once: it is told,
 * what was said to be kept is there afterwards, and the next attempt succeeds.
 * The linker's --wrap counts the store's own calls.
 */
#include "tests/test.h"

#include "tests/folder.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/observations.h"

static bool is_counting;
static unsigned long calls, fail_at;
static int fail_code;

static bool fails(void)
{
	return is_counting && ++calls == fail_at;
}

#define WRAP(type, name, failure, parameters, ...)                                                 \
	type __real_##name parameters;                                                             \
	type __wrap_##name parameters;                                                             \
	type __wrap_##name parameters                                                              \
	{                                                                                          \
		return fails() ? (failure) : __real_##name(__VA_ARGS__);                           \
	}

WRAP(int, sqlite3_step, fail_code, (sqlite3_stmt * s), s)
WRAP(int, sqlite3_exec, fail_code,
     (sqlite3 * d, const char *q, int (*f)(void *, int, char **, char **), void *x, char **m), d, q,
     f, x, m)
WRAP(int, sqlite3_prepare_v2, fail_code,
     (sqlite3 * d, const char *q, int n, sqlite3_stmt **s, const char **t), d, q, n, s, t)
WRAP(int, sqlite3_prepare_v3, fail_code,
     (sqlite3 * d, const char *q, int n, unsigned f, sqlite3_stmt **s, const char **t), d, q, n, f,
     s, t)
WRAP(const unsigned char *, sqlite3_column_text, NULL, (sqlite3_stmt * s, int c), s, c)
WRAP(const void *, sqlite3_column_blob, NULL, (sqlite3_stmt * s, int c), s, c)
WRAP(int, sqlite3_errcode, SQLITE_NOMEM, (sqlite3 * d), d)
WRAP(int, sqlite3_db_readonly, 1, (sqlite3 * d, const char *name), d, name)
WRAP(void *, malloc, NULL, (size_t size), size)
WRAP(void *, calloc, NULL, (size_t items, size_t size), items, size)
WRAP(void *, realloc, NULL, (void *old, size_t size), old, size)
WRAP(int, rename, (errno = EIO, -1), (const char *from, const char *to), from, to)
WRAP(int, mkdir, (errno = ENOSPC, -1), (const char *path, unsigned mode), path, mode)

int __real_sqlite3_open_v2(const char *path, sqlite3 **result, int flags, const char *vfs);
int __wrap_sqlite3_open_v2(const char *path, sqlite3 **result, int flags, const char *vfs);
int __wrap_sqlite3_open_v2(const char *path, sqlite3 **result, int flags, const char *vfs)
{
	if (fails()) {
		*result = NULL;
		return SQLITE_NOMEM;
	}
	return __real_sqlite3_open_v2(path, result, flags, vfs);
}

/* What is kept over a loss of power is not looked at: nothing waits for the disk. SQLite's own
 * calls end here as well, since a program's symbols come before those of its libraries. */
int fsync(int file)
{
	(void)file;
	return 0;
}

int fdatasync(int file)
{
	(void)file;
	return 0;
}

/* ---- what is done --------------------------------------------------------------------------- */

enum { DEVICES = 5, RECORDS = 20, PROGRAMS = 3, USERS = 2 };

/* What the store said that it keeps. */
struct said {
	size_t devices, programs, samples;
	bool has_records, is_removed;
};

static void check(enum status status, const struct error *error)
{
	if (status == STATUS_OK)
		return;
	if (error->text[0] == '\0')
		fail_msg("call %lu: no reason", fail_at);
	assert_int_equal(error->status, status);
}

static void device_fill(struct device *device, size_t which)
{
	memset(device, 0, sizeof *device);
	strcpy(device->vendor, "predictd");
	/* the last one is the first one again */
	(void)snprintf(device->name, sizeof device->name, "device %zu", which % (DEVICES - 1));
	(void)snprintf(device->key, sizeof device->key, "name:%zu", which % (DEVICES - 1));
	device->compute_units = 1;
	device->max_group_items = 64;
	device->max_item_sizes[0] = device->max_item_sizes[1] = device->max_item_sizes[2] = 64;
	device->is_calibrated = true;
	device->coefficient[COEFFICIENT_LAUNCH_BASE] = (struct coefficient){1e-6, 0.01, true};
}

static void save_and_load_pairs(struct store *store)
{
	struct contention pair = {.keys = {"name:0", "name:1"}}, *pairs = NULL;
	struct error error = {0};
	size_t count = 0;
	for (int i = 0; i < 2 * LOAD_COUNT * LOAD_COUNT; i++)
		(&pair.slowdown[0][0][0])[i] = 2;
	enum status status = store_save_pair(store, &pair, &error);
	check(status, &error);
	status = store_load_pairs(store, &pairs, &count, &error);
	check(status, &error);
	/* whole, or not there */
	for (size_t i = 0; i < count && status == STATUS_OK; i++)
		assert_memory_equal(pairs[i].slowdown, pair.slowdown, sizeof pair.slowdown);
	free(pairs);
}

static void save_and_load_choices(struct store *store)
{
	struct stored_choice choice = {.user = 1000, .device = "name:0", .name = "a", .time_s = 1};
	struct error error = {0};
	choice.configuration = 3;
	enum status status = store_save_choice(store, &choice, &error);
	check(status, &error);
	bool is_saved = status == STATUS_OK;
	choice.configuration = 0;
	choice.used_at_s = 1000000; /* and is counted as used */
	status = store_load_choice(store, &choice, &error);
	if (status != STATUS_NOT_FOUND || is_saved)
		check(status, &error);
	if (status == STATUS_OK)
		assert_int_equal(choice.configuration, 3);
	status = store_delete_choices(store, true, 1000, "name:0", INT64_MAX, &error);
	check(status, &error);
}

static void save_and_load_calibrations(struct store *store, struct said *said)
{
	struct device *device = malloc(sizeof *device), *devices = NULL;
	struct error error = {0};
	size_t count = 0;
	for (size_t i = 0; i < DEVICES && device != NULL; i++) {
		device_fill(device, i);
		enum status status = store_save_calibration(store, device, &error);
		check(status, &error);
		said->devices += status == STATUS_OK && i > 0 && i + 1 < DEVICES;
	}
	free(device);
	enum status status = store_load_calibrations(store, &devices, &count, &error);
	check(status, &error);
	free(devices);
	save_and_load_pairs(store);
	save_and_load_choices(store);
	status = store_remove_calibrations(store, &(const char[DEVICE_KEY_MAX]){"name:0"}, 1,
	                                   &error);
	check(status, &error);
	said->is_removed = status == STATUS_OK;
}

static void save_and_load_records(struct store *store, struct said *said)
{
	struct correction_record records[RECORDS] = {0}, *loaded = NULL;
	struct correction_user users[USERS] = {0}, *loaded_users = NULL;
	struct launch_words words[2] = {0};
	struct launch_entry *entries = NULL;
	struct error error = {0};
	uint64_t *kernels = NULL, kernel = 7;
	size_t count;
	for (size_t i = 0; i < RECORDS; i++) {
		records[i] = (struct correction_record){.device = 1,
		                                        .kernel = kernel,
		                                        .uid = (uint32_t)i % USERS,
		                                        .sample_count = 1,
		                                        .runs = 1};
		records[i].launch.key = i;
		records[i].samples[0] = (struct correction_sample){.time_log = -9, .at_s = 1};
	}
	for (uint32_t i = 0; i < USERS; i++)
		users[i] = (struct correction_user){.device = 1, .uid = i};
	for (size_t i = 0; i < 2; i++)
		words[i] = (struct launch_words){.kernel = kernel,
		                                 .launch = i,
		                                 .dimensions = 1,
		                                 .sizes = {64, 1, 1},
		                                 .kernel_name = "scale",
		                                 .arguments = "buffer:64"};
	const struct observed_changes changes = {.records = records,
	                                         .record_count = RECORDS,
	                                         .users = users,
	                                         .user_count = USERS,
	                                         .words = words,
	                                         .word_count = 2};
	enum status status = store_save_records(store, &changes, true, &error);
	check(status, &error);
	said->has_records = status == STATUS_OK;
	check(store_load_records(store, &kernel, 100, &loaded, &count, &error), &error);
	free(loaded);
	check(store_load_users(store, 100, &loaded_users, &count, &error), &error);
	free(loaded_users);
	check(store_load_launches(store, kernel, 100, &entries, &count, &error), &error);
	free(entries);
	const struct kernel_filter filter = {.name = "scale"};
	check(store_find_kernels(store, &filter, &kernels, &count, &error), &error);
	free(kernels);
	struct changed_records changed = {.count = 0};
	status = store_load_changed(store, 0, 100, &changed, &error);
	check(status, &error);
	if (status == STATUS_OK && said->has_records)
		assert_true(changed.count >= RECORDS && changed.last >= changed.count);
	free(changed.records);
}

static void each_key(void *data, const uint8_t key[STORE_KEY_BYTES])
{
	size_t *count = data;
	(void)key;
	(*count)++;
}

static void save_and_load_programs(struct store *store, struct said *said)
{
	static uint8_t reply[64];
	struct stored_program programs[PROGRAMS] = {0};
	struct error error = {0};
	size_t count = 0;
	for (size_t i = 0; i < PROGRAMS; i++) {
		memset(programs[i].key, (int)i + 1, sizeof programs[i].key);
		programs[i].reply = reply;
		programs[i].reply_bytes = sizeof reply;
		programs[i].used_at_s = (int64_t)i;
	}
	enum status status =
	        store_save_programs(store, "1", programs, PROGRAMS, 2, 1 << 20, &error);
	check(status, &error);
	said->programs = status == STATUS_OK ? 2 : 0; /* the oldest had to go */
	struct stored_program found = {0};
	status = store_load_program(store, "1", programs[2].key, &found, &error);
	if (status != STATUS_NOT_FOUND)
		check(status, &error);
	free(found.reply);
	check(store_list_programs(store, "1", each_key, &count, &error), &error);
}

static void each_sample(void *data, const struct stored_sample *sample)
{
	size_t *count = data;
	(void)sample;
	(*count)++;
}

/* Three, of which one goes. */
static void save_and_load_samples(struct store *store, struct said *said)
{
	static const uint8_t message[5000];
	struct stored_sample samples[3] = {0};
	struct error error = {0};
	size_t count = 0;
	for (size_t i = 0; i < 3; i++)
		samples[i] = (struct stored_sample){
		        .user = i, .message = message, .message_bytes = sizeof message};
	enum status status = store_save_samples(store, samples, 3, &error);
	check(status, &error);
	samples[0].message = NULL;
	if (status == STATUS_OK)
		status = store_save_samples(store, samples, 1, &error);
	check(status, &error);
	said->samples = status == STATUS_OK ? 2 : 0;
	check(store_load_samples(store, each_sample, &count, &error), &error);
}

static void everything(const char *directory, struct said *said)
{
	struct store *store = NULL;
	struct error error = {0};
	*said = (struct said){0};
	enum status status = store_open(directory, &store, &error);
	check(status, &error);
	if (status != STATUS_OK)
		return;
	save_and_load_calibrations(store, said);
	save_and_load_records(store, said);
	save_and_load_programs(store, said);
	save_and_load_samples(store, said);
	store_close(store);
}

/* Without failures: what was said to be kept is. */
static void assert_kept(const char *directory, const struct said *said)
{
	struct store *store = NULL;
	struct error error = {0};
	struct device *devices = NULL;
	struct correction_record *records = NULL;
	size_t count = 0;
	assert_int_equal(store_open(directory, &store, &error), STATUS_OK);
	assert_int_equal(store_load_calibrations(store, &devices, &count, &error), STATUS_OK);
	if (count < said->devices)
		fail_msg("call %lu: %zu devices of %zu", fail_at, count, said->devices);
	for (size_t i = 0; i < count && said->is_removed; i++)
		if (strcmp(devices[i].key, "name:0") == 0)
			fail_msg("call %lu: a calibration that was removed is there", fail_at);
	free(devices);
	assert_int_equal(store_load_records(store, NULL, 1000, &records, &count, &error),
	                 STATUS_OK);
	if (said->has_records ? count != RECORDS : count != 0 && count != RECORDS)
		fail_msg("call %lu: %zu records", fail_at, count);
	free(records);
	count = 0;
	assert_int_equal(store_list_programs(store, "1", each_key, &count, &error), STATUS_OK);
	if (said->programs > 0 && count != said->programs)
		fail_msg("call %lu: %zu programs of %zu", fail_at, count, said->programs);
	count = 0;
	assert_int_equal(store_load_samples(store, each_sample, &count, &error), STATUS_OK);
	if (said->samples > 0 && count != said->samples)
		fail_msg("call %lu: %zu samples of %zu", fail_at, count, said->samples);
	store_close(store);
}

static void sweep(bool is_new, int code)
{
	struct said said;
	unsigned long total = 1;
	fail_code = code;
	for (unsigned long n = 0; n <= total; n++) {
		char directory[] = "/tmp/predictd-store-XXXXXX", path[64];
		assert_non_null(mkdtemp(directory));
		(void)snprintf(path, sizeof path, "%s/below", directory);
		if (!is_new)
			everything(path, &said);
		calls = 0;
		fail_at = n;
		is_counting = true;
		everything(path, &said);
		is_counting = false;
		if (n == 0)
			total = calls;
		assert_kept(path, &said);
		(void)folder_remove(directory);
	}
	assert_true(total > 100);
}

static void a_failure_in_a_new_store_is_told_and_loses_nothing(void **state)
{
	(void)state;
	sweep(true, SQLITE_IOERR);
}

static void a_failure_in_a_store_in_use_is_told_and_loses_nothing(void **state)
{
	(void)state;
	sweep(false, SQLITE_FULL);
}

static void a_store_that_is_busy_is_told_and_loses_nothing(void **state)
{
	(void)state;
	sweep(false, SQLITE_BUSY);
}

static void folders_that_cannot_be_are_refused(void **state)
{
	struct store *store = NULL;
	struct error error = {0};
	char *folder = calloc(1, 8192);
	(void)state;
	assert_non_null(folder);
	assert_int_not_equal(store_open("", &store, &error), STATUS_OK);
	memset(folder, 'x', 8191);
	assert_int_not_equal(store_open(folder, &store, &error), STATUS_OK);
	/* a file is no folder */
	assert_int_not_equal(store_open("/dev/null", &store, &error), STATUS_OK);
	assert_true(strstr(error.text, "/dev/null") != NULL);
	assert_null(store);
	free(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(folders_that_cannot_be_are_refused),
	        cmocka_unit_test(a_failure_in_a_new_store_is_told_and_loses_nothing),
	        cmocka_unit_test(a_failure_in_a_store_in_use_is_told_and_loses_nothing),
	        cmocka_unit_test(a_store_that_is_busy_is_told_and_loses_nothing),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("store failures", tests, NULL, NULL);
}
