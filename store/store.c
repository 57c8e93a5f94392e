/* SPDX-License-Identifier: Apache-2.0 */
/* Opening the database: pragmas, integrity, migrations, and setting a corrupt file aside. */
#include "store/database.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* less than what the daemon takes for a store that does not answer: it tells of the lock */
enum { STORE_BUSY_MS = 1200, PAUSE_MS = 10 };

enum status database_failure(sqlite3 *database, const char *what, struct error *error)
{
	int code = sqlite3_errcode(database) & 0xff;
	enum status status = STATUS_IO;
	if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB)
		status = STATUS_CORRUPT;
	else if (code == SQLITE_NOMEM)
		status = STATUS_NO_MEMORY;
	const char *path = sqlite3_db_filename(database, "main");
	return error_set(error, status, "%.120s: %s: %s", path != NULL ? path : "", what,
	                 sqlite3_errmsg(database));
}

enum status database_run(sqlite3 *database, const char *sql, struct error *error)
{
	if (sqlite3_exec(database, sql, NULL, NULL, NULL) != SQLITE_OK)
		return database_failure(database, "database", error);
	return STATUS_OK;
}

enum status database_prepare(sqlite3 *database, const char *sql, sqlite3_stmt **statement,
                             struct error *error)
{
	if (sqlite3_prepare_v2(database, sql, -1, statement, NULL) != SQLITE_OK)
		return database_failure(database, "database", error);
	return STATUS_OK;
}

enum status database_synchronise(struct store *store, bool power_loss, struct error *error)
{
	if (store->survives_power_loss == power_loss)
		return STATUS_OK;
	enum status status = database_run(
	        store->database,
	        power_loss ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL", error);
	if (status == STATUS_OK)
		store->survives_power_loss = power_loss;
	return status;
}

void bind_text(sqlite3_stmt *statement, int place, const char *text)
{
	(void)sqlite3_bind_text(statement, place, text, -1, SQLITE_STATIC);
}

void bind_bits(sqlite3_stmt *statement, int place, uint64_t bits)
{
	(void)sqlite3_bind_int64(statement, place, (sqlite3_int64)bits);
}

enum status step_done(sqlite3 *database, sqlite3_stmt *statement, const char *what,
                      struct error *error)
{
	int code = sqlite3_step(statement);
	if (code != SQLITE_DONE && code != SQLITE_ROW)
		return database_failure(database, what, error);
	return STATUS_OK;
}

bool column_text(sqlite3_stmt *row, int column, char *text, size_t room)
{
	const char *found = (const char *)sqlite3_column_text(row, column);
	size_t length = found == NULL ? room : strlen(found); /* NULL: memory is short */
	if (length >= room)
		return false;
	memcpy(text, found, length + 1);
	return true;
}

static enum status pragma_number(sqlite3 *database, const char *sql, int *number,
                                 struct error *error)
{
	sqlite3_stmt *statement = NULL;
	enum status status = database_prepare(database, sql, &statement, error);
	if (status == STATUS_OK) {
		if (sqlite3_step(statement) == SQLITE_ROW)
			*number = sqlite3_column_int(statement, 0);
		else
			status = database_failure(database, sql, error);
	}
	sqlite3_finalize(statement);
	return status;
}

static enum status check_once(sqlite3 *database, struct error *error)
{
	sqlite3_stmt *statement = NULL;
	enum status status = database_prepare(database, "PRAGMA quick_check(1)", &statement, error);
	if (status == STATUS_OK) {
		if (sqlite3_step(statement) != SQLITE_ROW) {
			status = database_failure(database, "quick_check", error);
		} else {
			const char *found = (const char *)sqlite3_column_text(statement, 0);
			if (found == NULL) /* memory is short: no reason to set the file aside */
				status = database_failure(database, "quick_check", error);
			else if (strcmp(found, "ok") != 0)
				status = error_set(error, STATUS_CORRUPT, "quick_check: %s", found);
		}
	}
	sqlite3_finalize(statement);
	return status;
}

/* Corrupt is what is so twice: a read that fails now and then is told as a fault, too. */
static enum status check_integrity(sqlite3 *database, struct error *error)
{
	enum status status = check_once(database, error);
	return status == STATUS_CORRUPT ? check_once(database, error) : status;
}

/* The number of migrations that the file has had; refuses what is no database of predictd. */
static enum status find_version(sqlite3 *database, const char *path, int *version,
                                struct error *error)
{
	int application = 0;
	enum status status = pragma_number(database, "PRAGMA user_version", version, error);
	if (status == STATUS_OK)
		status = pragma_number(database, "PRAGMA application_id", &application, error);
	if (status != STATUS_OK)
		return status;
	if (*version > schema_version)
		return error_set(error, STATUS_UNSUPPORTED,
		                 "%s: made by a newer predictd: want schema %d at most, got %d",
		                 path, schema_version, *version);
	bool is_fresh = *version == 0 && application == 0;
	if (*version < 0 || (!is_fresh && application != STORE_APPLICATION_ID))
		return error_set(error, STATUS_UNSUPPORTED, "%s: belongs to another program", path);
	return STATUS_OK;
}

/* SQL's device_key(platform, vendor, name, uuid, pci, compute_units). */
static void device_key(sqlite3_context *context, int count, sqlite3_value **values)
{
	const char *texts[5];
	char key[KEY_BYTES_MAX];
	(void)count;
	for (int i = 0; i < 5; i++) {
		texts[i] = (const char *)sqlite3_value_text(values[i]);
		if (texts[i] == NULL) { /* the columns are NOT NULL: memory is short */
			sqlite3_result_error_nomem(context);
			return;
		}
	}
	const struct key_identity identity = {
	        .platform = texts[0],
	        .vendor = texts[1],
	        .name = texts[2],
	        .uuid = texts[3],
	        .pci = texts[4],
	        .compute_units = (uint32_t)sqlite3_value_int64(values[5]),
	};
	key_make(&identity, key);
	sqlite3_result_text(context, key, -1, SQLITE_TRANSIENT);
}

/* What migrations call and want: a table that is made anew takes nothing with it. */
static enum status migration_begin(sqlite3 *database, struct error *error)
{
	if (sqlite3_create_function(database, "device_key", 6, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
	                            NULL, device_key, NULL, NULL) != SQLITE_OK)
		return database_failure(database, "database", error);
	return database_run(database, "PRAGMA foreign_keys = OFF; BEGIN IMMEDIATE", error);
}

static enum status migrate(sqlite3 *database, const char *path, struct error *error)
{
	int version = 0;
	char number[96];
	enum status status = find_version(database, path, &version, error);
	if (status != STATUS_OK || version == schema_version)
		return status;
	status = migration_begin(database, error);
	if (status != STATUS_OK)
		return status;
	/* once more: another daemon may have migrated it before the lock was ours */
	status = find_version(database, path, &version, error);
	for (int i = version; i < schema_version && status == STATUS_OK; i++)
		status = database_run(database, schema_migrations[i], error);
	snprintf(number, sizeof number,
	         "PRAGMA application_id = %d; PRAGMA user_version = %d; COMMIT",
	         STORE_APPLICATION_ID, schema_version);
	if (status == STATUS_OK)
		status = database_run(database, number, error);
	if (status != STATUS_OK)
		(void)sqlite3_exec(database, "ROLLBACK", NULL, NULL, NULL);
	return status;
}

/*
 * Migration 8 landed twice, first without this column: files of that day lack it, whatever they
 * were migrated to since.
 */
static enum status mend(sqlite3 *database, struct error *error)
{
	int count = 0;
	enum status status = pragma_number(database,
	                                   "SELECT count(*) FROM"
	                                   " pragma_table_info('observed_kernel')"
	                                   " WHERE name = 'device'",
	                                   &count, error);
	if (status != STATUS_OK || count > 0)
		return status;
	return database_run(
	        database, "ALTER TABLE observed_kernel ADD COLUMN device TEXT NOT NULL DEFAULT ''",
	        error);
}

/* Two that change the mode at once get a busy error at once, whatever the timeout. */
static enum status use_write_ahead_log(sqlite3 *database, struct error *error)
{
	int code = SQLITE_BUSY;
	for (int waited_ms = 0; code == SQLITE_BUSY && waited_ms <= STORE_BUSY_MS;
	     waited_ms += PAUSE_MS) {
		if (waited_ms > 0)
			(void)sqlite3_sleep(PAUSE_MS);
		code = sqlite3_exec(database, "PRAGMA journal_mode = WAL", NULL, NULL, NULL) & 0xff;
	}
	return code == SQLITE_OK ? STATUS_OK : database_failure(database, "database", error);
}

/*
 * The database is its owner's alone, whatever the umask, and so are its journals, to which
 * SQLite gives the mode of the database. Files that an earlier version made become so; of
 * another owner they remain as they are. What fails here fails again, and is told, in SQLite.
 * To be called before SQLite has the files: close() gives up a process's locks on a file.
 */
static void make_private(const char *path)
{
	static const char *const suffixes[] = {"", "-wal", "-shm"};
	int fd = open(path, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd >= 0)
		close(fd);
	for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
		char file[PATH_MAX + 64];
		struct stat there;
		snprintf(file, sizeof file, "%s%s", path, suffixes[i]);
		if (stat(file, &there) == 0 && (there.st_mode & (S_IRWXG | S_IRWXO)) != 0)
			(void)chmod(file, there.st_mode & S_IRWXU);
	}
}

enum status database_open(const char *path, sqlite3 **result, struct error *error)
{
	sqlite3 *database = NULL;
	enum status status = STATUS_OK;
	int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX |
	            SQLITE_OPEN_EXRESCODE;
	make_private(path);
	if (sqlite3_open_v2(path, &database, flags, NULL) != SQLITE_OK) {
		if (database == NULL)
			return error_set(error, STATUS_NO_MEMORY, "%s: no memory", path);
		status = database_failure(database, path, error);
		goto out;
	}
	/* SQLite takes what it cannot open for writing as read-only; that may have been for a
	 * moment */
	if (sqlite3_db_readonly(database, "main") == 1 && access(path, W_OK) == 0) {
		status = error_set(error, STATUS_IO, "%s: could not be opened for writing", path);
		goto out;
	}
	sqlite3_busy_timeout(database, STORE_BUSY_MS);
	status = check_integrity(database, error);
	if (status == STATUS_OK)
		status = database_run(
		        database, "PRAGMA trusted_schema = OFF; PRAGMA synchronous = FULL", error);
	if (status == STATUS_OK)
		status = use_write_ahead_log(database, error);
	if (status == STATUS_OK)
		status = migrate(database, path, error);
	if (status == STATUS_OK)
		status = mend(database, error);
	if (status == STATUS_OK)
		status = database_run(database, "PRAGMA foreign_keys = ON", error);
	if (status == STATUS_OK) {
		*result = database;
		database = NULL; /* moved to the caller */
	}
out:
	sqlite3_close(database);
	return status;
}

enum status set_aside(const char *path, const char *word, char *aside, size_t room,
                      struct error *error)
{
	long long now_s = (long long)time(NULL);
	struct stat there;
	for (unsigned attempt = 0;; attempt++) {
		int length = attempt == 0 ? snprintf(aside, room, "%s.%s-%lld", path, word, now_s)
		                          : snprintf(aside, room, "%s.%s-%lld.%u", path, word,
		                                     now_s, attempt);
		if (length < 0 || (size_t)length >= room)
			return error_set(error, STATUS_IO, "%s: path too long", path);
		if (stat(aside, &there) != 0)
			break;
	}
	if (rename(path, aside) != 0)
		return error_set(error, STATUS_IO, "%s: cannot set aside: %s", path,
		                 strerror(errno));
	static const char *const suffixes[] = {"-wal", "-shm"};
	for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
		char from[PATH_MAX + 64], to[PATH_MAX + 64];
		snprintf(from, sizeof from, "%s%s", path, suffixes[i]);
		snprintf(to, sizeof to, "%s%s", aside, suffixes[i]);
		/* a journal left behind would be replayed into the fresh file */
		if (rename(from, to) != 0 && errno != ENOENT)
			return error_set(error, STATUS_IO, "%s: cannot set aside: %s", from,
			                 strerror(errno));
	}
	return STATUS_OK;
}

static enum status directory_make(const char *directory, struct error *error)
{
	char path[PATH_MAX];
	size_t length = strlen(directory);
	if (length == 0 || length >= sizeof path - 64)
		return error_set(error, STATUS_IO, "state directory: want 1 to %zu bytes, got %zu",
		                 sizeof path - 65, length);
	memcpy(path, directory, length + 1);
	for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		(void)mkdir(path, 0700); /* the last one reports what is wrong */
		*slash = '/';
	}
	struct stat there;
	if (mkdir(path, 0700) != 0 && errno != EEXIST)
		return error_set(error, STATUS_IO, "%s: %s", directory, strerror(errno));
	if (stat(path, &there) != 0 || !S_ISDIR(there.st_mode))
		return error_set(error, STATUS_IO, "%s: want a directory", directory);
	return STATUS_OK;
}

static int64_t now_ms(void)
{
	struct timespec now;
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* The process whose SQLite has the database's journal open, 0 when it cannot be told. */
static pid_t database_holder(const char *directory)
{
	char path[PATH_MAX + 64];
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	snprintf(path, sizeof path, "%s/predictd.db-shm", directory);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	bool is_held = fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK && lock.l_pid > 0;
	close(fd);
	return is_held ? lock.l_pid : 0;
}

static enum status tell_busy(const char *directory, struct error *error)
{
	char who[32] = "";
	pid_t holder = database_holder(directory);
	if (holder > 0)
		snprintf(who, sizeof who, ", pid %ld,", (long)holder);
	return error_set(error, STATUS_BUSY,
	                 "%.100s: another predictd%s keeps its state there; end it, or start this "
	                 "one with --state DIR or another XDG_STATE_HOME",
	                 directory, who);
}

/* Where nothing can be locked, as on some network's disks, one goes without. */
enum status directory_lock(const char *directory, int *result, struct error *error)
{
	int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int64_t end_ms = now_ms() + STORE_BUSY_MS;
	while (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
		if (now_ms() >= end_ms) {
			close(fd);
			return tell_busy(directory, error);
		}
		(void)sqlite3_sleep(PAUSE_MS);
	}
	*result = fd;
	return STATUS_OK;
}

void directory_unlock(int fd)
{
	if (fd >= 0)
		close(fd);
}

enum status store_open(const char *directory, struct store **result, struct error *error)
{
	int lock = -1;
	char path[PATH_MAX], aside[PATH_MAX + 48];
	struct error corrupt = {.status = STATUS_OK};
	if (error != NULL)
		*error = corrupt;
	enum status status = directory_make(directory, error);
	if (status != STATUS_OK)
		return status;
	snprintf(path, sizeof path, "%s/predictd.db", directory);

	struct store *store = calloc(1, sizeof *store);
	if (store == NULL)
		return error_set(error, STATUS_NO_MEMORY, "%s: no memory", path);
	status = directory_lock(directory, &lock, error);
	if (status != STATUS_OK) {
		free(store);
		return status;
	}
	status = database_open(path, &store->database, error);
	if (status == STATUS_CORRUPT) {
		status = set_aside(path, "corrupt", aside, sizeof aside, error);
		if (status == STATUS_OK) {
			error_set(&corrupt, STATUS_CORRUPT, "set aside as %s", aside);
			status = database_open(path, &store->database, error);
		}
		if (status == STATUS_OK && error != NULL)
			*error = corrupt;
	}
	if (status != STATUS_OK) {
		directory_unlock(lock);
		free(store);
		return status;
	}
	store->directory = lock;
	store->survives_power_loss = true; /* as it was opened */
	*result = store;
	return STATUS_OK;
}

void store_close(struct store *store)
{
	if (store == NULL)
		return;
	for (size_t i = 0; i < STATEMENT_COUNT; i++)
		sqlite3_finalize(store->kept[i]);
	sqlite3_close(store->database);
	directory_unlock(store->directory);
	free(store);
}
