/* SPDX-License-Identifier: Apache-2.0 */
/* The store: what is saved comes back; files that are new, newer, corrupt or not writable. */
#include "tests/test.h"

#include "tests/folder.h"

#include "store/store.h"

#include <ftw.h>
#include <grp.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct fixture {
	char directory[64];
	char path[96];
};

static int setup(void **state)
{
	struct fixture *fixture = calloc(1, sizeof *fixture);
	assert_non_null(fixture);
	strcpy(fixture->directory, "/tmp/predictd-store-XXXXXX");
	assert_non_null(mkdtemp(fixture->directory));
	snprintf(fixture->path, sizeof fixture->path, "%s/predictd.db", fixture->directory);
	*state = fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;
	(void)folder_remove(fixture->directory);
	free(fixture);
	return 0;
}

static struct device *make_device(const char *name)
{
	struct device *device = calloc(1, sizeof *device);
	assert_non_null(device);
	strcpy(device->platform, "A platform");
	strcpy(device->vendor, "A vendor");
	strcpy(device->name, name);
	strcpy(device->driver, "1.2.3");
	strcpy(device->version, "OpenCL 3.0");
	strcpy(device->uuid, "00112233445566778899aabbccddeeff");
	strcpy(device->pci, "0000:3b:00.0");
	snprintf(device->key, sizeof device->key, "name:%.20s", name);
	for (char *at = device->key; *at != '\0'; at++)
		*at = *at == ' ' ? '_' : *at;
	device->type = DEVICE_GPU;
	device->compute_units = 132;
	device->clock_mhz = 1980;
	device->max_group_items = 1024;
	device->max_item_sizes[0] = 1024;
	device->max_item_sizes[1] = 512;
	device->max_item_sizes[2] = 64;
	device->local_bytes = 49152;
	device->global_bytes = UINT64_C(150) << 30;
	device->max_allocation_bytes = UINT64_C(1) << 63; /* no signed integer holds it */
	device->has_double = true;
	device->has_half = true;
	/* the store keeps it as it is: any bytes, zeros among them */
	device->language_bytes = 5;
	memcpy(device->language, "\x08\x01\x00\xff\x00", 5);
	strcpy(device->doubts, "a way of 512 bytes\nan empty launch of 8 us");
	device->is_calibrated = true;
	device->is_quick = true;
	device->was_busy = true;
	device->calibrated_at_s = 1780000000;
	device->duration_s = 12.5;
	device->coefficient[COEFFICIENT_LAUNCH_BASE] = (struct coefficient){3.2e-6, 0.015, true};
	device->coefficient[coefficient_op(OP_MODE_SCALAR, TYPE_CLASS_FLOAT, 0)] =
	        (struct coefficient){1.0 / 3, 0.5, true};
	return device;
}

static struct store *open_well(const struct fixture *fixture)
{
	struct store *store = NULL;
	struct error error;
	assert_int_equal(store_open(fixture->directory, &store, &error), STATUS_OK);
	assert_int_equal(error.status, STATUS_OK);
	return store;
}

static uint64_t save_well(struct store *store, const char *name)
{
	struct device *device = make_device(name);
	struct error error;
	assert_int_equal(store_save_calibration(store, device, &error), STATUS_OK);
	uint64_t epoch = device->epoch;
	free(device);
	return epoch;
}

static size_t load(struct store *store, struct device **devices)
{
	struct error error;
	size_t count;
	assert_int_equal(store_load_calibrations(store, devices, &count, &error), STATUS_OK);
	return count;
}

/* Runs SQL behind the store's back. */
static int run_sql(const struct fixture *fixture, const char *sql)
{
	sqlite3 *database;
	assert_int_equal(sqlite3_open(fixture->path, &database), SQLITE_OK);
	int code = sqlite3_exec(database, sql, NULL, NULL, NULL);
	sqlite3_close(database);
	return code;
}

static void epochs_are_not_below_what_is_asked(void **state)
{
	const struct fixture *fixture = *state;
	struct store *store = open_well(fixture);
	struct device *device = make_device("A device"), *devices;
	struct error error;
	assert_int_equal(save_well(store, "A device"), 1);
	device->epoch = 7; /* the daemon has given 6 to one that could not be saved */
	assert_int_equal(store_save_calibration(store, device, &error), STATUS_OK);
	assert_int_equal(device->epoch, 7);
	device->epoch = 3;
	assert_int_equal(store_save_calibration(store, device, &error), STATUS_OK);
	assert_int_equal(device->epoch, 8);
	assert_int_equal(load(store, &devices), 1);
	assert_int_equal(devices[0].epoch, 8);
	free(devices);
	free(device);
	store_close(store);
}

/* Daemons of one user that start at the same time. */
static void a_fresh_store_is_made_once_by_many(void **state)
{
	const struct fixture *fixture = *state;
	enum { COUNT = 8 };
	pid_t children[COUNT];
	int gate[2];
	assert_int_equal(pipe(gate), 0);
	for (int i = 0; i < COUNT; i++) {
		children[i] = fork();
		assert_true(children[i] >= 0);
		if (children[i] != 0)
			continue;
		char byte;
		struct store *store = NULL;
		struct error error;
		close(gate[1]);
		(void)!read(gate[0], &byte, 1); /* until the gate is closed */
		enum status status = STATUS_BUSY;
		for (int attempt = 0; status == STATUS_BUSY && attempt < 20; attempt++)
			status = store_open(fixture->directory, &store, &error);
		if (status != STATUS_OK)
			fprintf(stderr, "# %s\n", error.text);
		store_close(store);
		_exit(status != STATUS_OK);
	}
	close(gate[0]);
	close(gate[1]);
	int failures = 0;
	for (int i = 0; i < COUNT; i++) {
		int status;
		assert_int_equal(waitpid(children[i], &status, 0), children[i]);
		failures += status != 0;
	}
	assert_int_equal(failures, 0);
}

static void a_store_has_one_user_at_a_time(void **state)
{
	const struct fixture *fixture = *state;
	struct store *first = open_well(fixture), *second = NULL;
	struct error error;
	assert_int_equal(store_open(fixture->directory, &second, &error), STATUS_BUSY);
	assert_non_null(strstr(error.text, "another predictd"));
	assert_null(second);
	store_close(first);
	store_close(open_well(fixture));
}

static void who_has_the_store_is_named_with_what_to_do(void **state)
{
	const struct fixture *fixture = *state;
	struct store *store = NULL;
	struct error error;
	char pid[64], byte = 0;
	int ready[2], gate[2];
	assert_int_equal(pipe(ready), 0);
	assert_int_equal(pipe(gate), 0);
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		close(gate[1]);
		byte = store_open(fixture->directory, &store, &error) == STATUS_OK ? 'o' : 'f';
		(void)!write(ready[1], &byte, 1);
		(void)!read(gate[0], &byte, 1); /* until the gate is closed */
		store_close(store);
		_exit(0);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	assert_int_equal(byte, 'o');
	assert_int_equal(store_open(fixture->directory, &store, &error), STATUS_BUSY);
	(void)snprintf(pid, sizeof pid, "another predictd, pid %ld,", (long)child);
	assert_non_null(strstr(error.text, pid));
	assert_non_null(strstr(error.text, "--state DIR"));
	close(gate[1]);
	assert_int_equal(waitpid(child, NULL, 0), child);
	close(gate[0]);
	close(ready[0]);
	close(ready[1]);
}

static unsigned files_found, files_open_to_others;

static int count_entry(const char *path, const struct stat *there, int kind, struct FTW *place)
{
	(void)path;
	(void)place;
	if (kind == FTW_F)
		files_found++;
	if ((there->st_mode & 077) != 0)
		files_open_to_others++;
	return 0;
}

static void what_is_kept_is_nobody_elses_whatever_the_umask(void **state)
{
	const struct fixture *fixture = *state;
	char directory[96];
	struct store *store = NULL;
	struct error error;
	mode_t before = umask(0);
	(void)snprintf(directory, sizeof directory, "%s/made/here", fixture->directory);
	assert_int_equal(store_open(directory, &store, &error), STATUS_OK);
	save_well(store, "one");
	files_found = files_open_to_others = 0;
	assert_int_equal(nftw(fixture->directory, count_entry, 8, FTW_PHYS), 0);
	assert_int_equal(files_found, 3); /* the database, its log, and the log's index */
	assert_int_equal(files_open_to_others, 0);
	store_close(store);
	(void)umask(before);
}

static void files_of_an_earlier_version_are_closed_to_others(void **state)
{
	const struct fixture *fixture = *state;
	struct stat there;
	store_close(open_well(fixture));
	assert_int_equal(chmod(fixture->path, 0644), 0);
	struct store *store = open_well(fixture);
	assert_int_equal(stat(fixture->path, &there), 0);
	assert_int_equal(there.st_mode & 07777, 0600);
	store_close(store);
	/* also where it is set aside */
	FILE *file = fopen(fixture->path, "w");
	assert_non_null(file);
	assert_true(fputs("no database, and long enough to be taken for one", file) >= 0);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(chmod(fixture->path, 0644), 0);
	struct error error;
	assert_int_equal(store_open(fixture->directory, &store, &error), STATUS_OK);
	assert_int_equal(error.status, STATUS_CORRUPT);
	files_found = files_open_to_others = 0;
	assert_int_equal(nftw(fixture->directory, count_entry, 8, FTW_PHYS), 0);
	assert_int_equal(files_found, 4);
	assert_int_equal(files_open_to_others, 0);
	store_close(store);
}

static void calibrations_come_back_as_they_were(void **state)
{
	struct store *store = open_well(*state);
	struct device *saved = make_device("H200"), *loaded;
	struct error error;
	assert_int_equal(store_save_calibration(store, saved, &error), STATUS_OK);
	store_close(store);
	store = open_well(*state);
	assert_int_equal(load(store, &loaded), 1);
	assert_memory_equal(loaded, saved, sizeof *saved);
	free(loaded);
	free(saved);
	store_close(store);
}

static void newest_version_of_each_device_is_loaded(void **state)
{
	struct store *store = open_well(*state);
	struct device *loaded;
	uint64_t first = save_well(store, "one"), other = save_well(store, "two");
	uint64_t second = save_well(store, "one");
	assert_true(second > other && other > first);
	assert_int_equal(load(store, &loaded), 2);
	assert_string_equal(loaded[0].name, "two");
	assert_string_equal(loaded[1].name, "one");
	assert_int_equal(loaded[1].epoch, second);
	free(loaded);
	store_close(store);
}

static void a_borrowed_version_serves_while_there_is_no_other(void **state)
{
	struct store *store = open_well(*state);
	struct device *device = make_device("one"), *loaded;
	struct error error;
	device->borrowed_nodes = 7;
	assert_int_equal(store_save_calibration(store, device, &error), STATUS_OK);
	assert_int_equal(load(store, &loaded), 1);
	assert_int_equal(loaded[0].borrowed_nodes, 7);
	free(loaded);
	uint64_t own = save_well(store, "one");
	device->epoch = 0;
	assert_int_equal(store_save_calibration(store, device, &error), STATUS_OK);
	assert_true(device->epoch > own);
	assert_int_equal(load(store, &loaded), 1);
	assert_int_equal(loaded[0].borrowed_nodes, 0);
	assert_int_equal(loaded[0].epoch, own);
	free(loaded);
	free(device);
	store_close(store);
}

static void old_versions_are_forgotten_and_their_epochs_never_used_again(void **state)
{
	struct store *store = open_well(*state);
	uint64_t last = 0;
	for (int i = 0; i < 20; i++) {
		uint64_t epoch = save_well(store, "one");
		assert_true(epoch > last);
		last = epoch;
	}
	store_close(store);
	assert_int_equal(run_sql(*state, "CREATE TEMP TABLE check_count (n CHECK (n = 16));"
	                                 "INSERT INTO check_count SELECT count(*) FROM "
	                                 "calibration;"
	                                 "DELETE FROM check_count;"
	                                 "CREATE TEMP TABLE check_more (n CHECK (n = 32));"
	                                 "INSERT INTO check_more SELECT count(*) FROM "
	                                 "coefficient;"),
	                 SQLITE_OK);
	assert_int_equal(run_sql(*state, "DELETE FROM calibration"), SQLITE_OK);
	store = open_well(*state);
	assert_true(save_well(store, "one") > last);
	store_close(store);
}

static void devices_that_fail_their_check_are_not_saved(void **state)
{
	struct store *store = open_well(*state);
	struct device *device = make_device("bad"), *loaded;
	struct error error;
	device->coefficient[COEFFICIENT_LAUNCH_BASE].value = (double)NAN;
	assert_int_equal(store_save_calibration(store, device, &error), STATUS_CORRUPT);
	assert_int_equal(load(store, &loaded), 0);
	free(loaded);
	free(device);
	store_close(store);
}

static void rows_that_fail_their_check_are_skipped_and_named(void **state)
{
	struct store *store = open_well(*state);
	struct device *loaded;
	struct error error;
	size_t count;
	save_well(store, "good");
	save_well(store, "spoilt");
	store_close(store);
	assert_int_equal(run_sql(*state, "UPDATE coefficient SET value = 1e300 WHERE epoch = 2"),
	                 SQLITE_OK);
	store = open_well(*state);
	assert_int_equal(store_load_calibrations(store, &loaded, &count, &error), STATUS_OK);
	assert_int_equal(count, 1);
	assert_string_equal(loaded[0].name, "good");
	assert_int_equal(error.status, STATUS_CORRUPT);
	assert_non_null(strstr(error.text, "spoilt"));
	free(loaded);
	store_close(store);
}

static void coefficients_of_a_newer_version_are_left_alone(void **state)
{
	struct store *store = open_well(*state);
	struct device *loaded;
	save_well(store, "one");
	store_close(store);
	assert_int_equal(run_sql(*state, "INSERT INTO coefficient VALUES (1, 'new.time_s', 1, 0)"),
	                 SQLITE_OK);
	store = open_well(*state);
	assert_int_equal(load(store, &loaded), 1);
	free(loaded);
	store_close(store);
}

static void files_of_a_newer_version_are_refused_and_left_as_they_are(void **state)
{
	const struct fixture *fixture = *state;
	struct store *store = open_well(fixture);
	struct error error;
	store_close(store);
	assert_int_equal(run_sql(fixture, "PRAGMA user_version = 1000"), SQLITE_OK);
	assert_int_equal(store_open(fixture->directory, &store, &error), STATUS_UNSUPPORTED);
	assert_non_null(strstr(error.text, "newer predictd"));
	assert_int_equal(run_sql(fixture, "SELECT * FROM calibration"), SQLITE_OK);
}

static void files_of_another_program_are_refused(void **state)
{
	const struct fixture *fixture = *state;
	struct store *store;
	struct error error;
	assert_int_equal(run_sql(fixture, "PRAGMA application_id = 7; CREATE TABLE other (a)"),
	                 SQLITE_OK);
	assert_int_equal(store_open(fixture->directory, &store, &error), STATUS_UNSUPPORTED);
	assert_non_null(strstr(error.text, "another program"));
}

static void interrupted_migrations_start_again(void **state)
{
	const struct fixture *fixture = *state;
	/* what a crash before the first COMMIT leaves: an empty file */
	FILE *file = fopen(fixture->path, "w");
	assert_non_null(file);
	fclose(file);
	struct store *store = open_well(fixture);
	save_well(store, "one");
	store_close(store);
}

static void assert_set_aside(const struct fixture *fixture)
{
	struct store *store = NULL;
	struct error error;
	struct device *loaded;
	assert_int_equal(store_open(fixture->directory, &store, &error), STATUS_OK);
	assert_int_equal(error.status, STATUS_CORRUPT);
	const char *aside = strstr(error.text, fixture->path);
	assert_non_null(aside);
	assert_int_equal(access(aside, F_OK), 0);
	assert_int_equal(load(store, &loaded), 0);
	free(loaded);
	save_well(store, "after");
	store_close(store);
	store = open_well(fixture);
	assert_int_equal(load(store, &loaded), 1);
	free(loaded);
	store_close(store);
}

static void files_that_are_no_database_are_set_aside(void **state)
{
	const struct fixture *fixture = *state;
	FILE *file = fopen(fixture->path, "w");
	assert_non_null(file);
	for (int i = 0; i < 1000; i++)
		fputs("this is no database. ", file);
	fclose(file);
	assert_set_aside(fixture);
}

static void databases_with_broken_pages_are_set_aside(void **state)
{
	const struct fixture *fixture = *state;
	struct store *store = open_well(fixture);
	for (int i = 0; i < 8; i++)
		save_well(store, "one");
	store_close(store);
	FILE *file = fopen(fixture->path, "r+");
	assert_non_null(file);
	assert_int_equal(fseek(file, 4096, SEEK_SET), 0);
	for (int i = 0; i < 8192; i++)
		fputc(0xa5, file);
	fclose(file);
	assert_set_aside(fixture);
}

static void directories_that_cannot_be_made_are_named(void **state)
{
	(void)state;
	struct store *store;
	struct error error;
	assert_int_equal(store_open("/dev/null/state", &store, &error), STATUS_IO);
	assert_non_null(strstr(error.text, "/dev/null/state"));
}

static void read_only_databases_refuse_to_save(void **state)
{
	const struct fixture *fixture = *state;
	struct store *store = open_well(fixture);
	save_well(store, "one");
	store_close(store);
	assert_int_equal(chmod(fixture->path, 0444), 0);
	assert_int_equal(chmod(fixture->directory, 0555), 0);
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		/* root may write everywhere */
		if (geteuid() == 0 && (setgroups(0, NULL) != 0 || setuid(65534) != 0))
			_exit(1);
		struct error error = {.status = STATUS_OK};
		enum status status = store_open(fixture->directory, &store, &error);
		if (status == STATUS_OK) {
			struct device *device = make_device("two");
			status = store_save_calibration(store, device, &error);
			free(device);
			store_close(store);
		}
		_exit(status == STATUS_IO ? 0 : 2);
	}
	int status;
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(chmod(fixture->directory, 0755), 0);
}

#define STORE_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        STORE_TEST(epochs_are_not_below_what_is_asked),
	        STORE_TEST(a_fresh_store_is_made_once_by_many),
	        STORE_TEST(a_store_has_one_user_at_a_time),
	        STORE_TEST(who_has_the_store_is_named_with_what_to_do),
	        STORE_TEST(what_is_kept_is_nobody_elses_whatever_the_umask),
	        STORE_TEST(files_of_an_earlier_version_are_closed_to_others),
	        STORE_TEST(calibrations_come_back_as_they_were),
	        STORE_TEST(newest_version_of_each_device_is_loaded),
	        STORE_TEST(a_borrowed_version_serves_while_there_is_no_other),
	        STORE_TEST(old_versions_are_forgotten_and_their_epochs_never_used_again),
	        STORE_TEST(devices_that_fail_their_check_are_not_saved),
	        STORE_TEST(rows_that_fail_their_check_are_skipped_and_named),
	        STORE_TEST(coefficients_of_a_newer_version_are_left_alone),
	        STORE_TEST(files_of_a_newer_version_are_refused_and_left_as_they_are),
	        STORE_TEST(files_of_another_program_are_refused),
	        STORE_TEST(interrupted_migrations_start_again),
	        STORE_TEST(files_that_are_no_database_are_set_aside),
	        STORE_TEST(databases_with_broken_pages_are_set_aside),
	        STORE_TEST(directories_that_cannot_be_made_are_named),
	        STORE_TEST(read_only_databases_refuse_to_save),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("store", tests, NULL, NULL);
}
