/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies of the database: one of a moment, made beside whoever writes (SQLite's online backup of a
 * reader's snapshot in the write-ahead log), and the way back.
 */
#include "store/backup.h"

#include "store/database.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { COPY_BYTES = 1 << 18, BACKUP_BUSY_MS = 5000 };

/* Of a database's head (sqlite.org/fileformat2.html): its first bytes with the NUL, and where
 * application_id stands, big-endian. */
static const char magic[] = "SQLite format 3";
enum { APPLICATION_AT = 68, HEAD_BYTES = APPLICATION_AT + 4 };

static enum status failed(const char *path, struct error *error)
{
	return error_set(error, STATUS_IO, "%.180s: %s", path, strerror(errno));
}

/* ---- backup -------------------------------------------------------------------------------- */

static enum status open_one(const char *path, int flags, sqlite3 **database, struct error *error)
{
	if (sqlite3_open_v2(path, database, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
	                    NULL) == SQLITE_OK)
		return STATUS_OK;
	if (*database == NULL)
		return error_set(error, STATUS_NO_MEMORY, "backup: no memory");
	return database_failure(*database, "backup", error);
}

/* Every page, in one transaction that reads: those who write go on. */
static enum status copy_pages(sqlite3 *from, sqlite3 *to, struct error *error)
{
	sqlite3_backup *backup = sqlite3_backup_init(to, "main", from, "main");
	if (backup == NULL)
		return database_failure(to, "backup", error);
	int code = sqlite3_backup_step(backup, -1);
	(void)sqlite3_backup_finish(backup);
	if (code == SQLITE_DONE)
		return STATUS_OK;
	if ((code & 0xff) == SQLITE_CORRUPT)
		return error_set(error, STATUS_CORRUPT, "backup: %s", sqlite3_errstr(code));
	return error_set(error, STATUS_IO, "backup: %s", sqlite3_errstr(code));
}

enum status store_backup(const char *directory, int *fd, struct error *error)
{
	char path[PATH_MAX], copy[PATH_MAX];
	sqlite3 *from = NULL, *to = NULL;
	if (strlen(directory) > sizeof path - 64)
		return error_set(error, STATUS_IO, "%.180s: path too long", directory);
	snprintf(path, sizeof path, "%s/predictd.db", directory);
	snprintf(copy, sizeof copy, "%s/predictd.db.backup-XXXXXX", directory);
	int made = mkostemp(copy, O_CLOEXEC);
	if (made < 0)
		return failed(copy, error);
	enum status status = open_one(path, SQLITE_OPEN_READONLY, &from, error);
	if (status == STATUS_OK)
		status = open_one(copy, SQLITE_OPEN_READWRITE, &to, error);
	if (status == STATUS_OK) {
		(void)sqlite3_busy_timeout(from, BACKUP_BUSY_MS);
		/* it is nobody's before it is whole */
		status = database_run(to, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF",
		                      error);
	}
	if (status == STATUS_OK)
		status = copy_pages(from, to, error);
	sqlite3_close(to);
	sqlite3_close(from);
	(void)unlink(copy); /* what reads it has it by its descriptor */
	if (status == STATUS_OK) {
		*fd = made;
		return STATUS_OK;
	}
	close(made);
	return status;
}

/* ---- restore ------------------------------------------------------------------------------- */

/* What is no database of predictd would be taken as a fresh one, or set aside. */
static enum status check_head(int fd, const char *file, struct error *error)
{
	uint8_t head[HEAD_BYTES];
	uint32_t application = 0;
	ssize_t got = pread(fd, head, sizeof head, 0);
	if (got < 0)
		return failed(file, error);
	for (int i = APPLICATION_AT; i < got; i++)
		application = application << 8 | head[i];
	if (got != HEAD_BYTES || memcmp(head, magic, sizeof magic) != 0 ||
	    application != STORE_APPLICATION_ID)
		return error_set(error, STATUS_CORRUPT, "%.180s: no backup of predictd", file);
	return STATUS_OK;
}

static enum status copy_file(int from, int to, const char *file, const char *path,
                             struct error *error)
{
	enum status status = STATUS_OK;
	char *bytes = malloc(COPY_BYTES);
	if (bytes == NULL)
		return error_set(error, STATUS_NO_MEMORY, "restore: no memory");
	for (ssize_t got = 1; got > 0 && status == STATUS_OK;) {
		got = read(from, bytes, COPY_BYTES);
		if (got < 0)
			status = failed(file, error);
		for (ssize_t done = 0, wrote; done < got && status == STATUS_OK; done += wrote) {
			wrote = write(to, bytes + done, (size_t)(got - done));
			if (wrote < 0)
				status = failed(path, error);
		}
	}
	free(bytes);
	return status;
}

/* The file with the backup's bytes, of the folder's owner: it is root who restores a service's. */
static enum status make_copy(const char *file, const char *directory, const char *path,
                             struct error *error)
{
	struct stat folder;
	int from = open(file, O_RDONLY | O_CLOEXEC), to = -1;
	enum status status = from < 0 ? failed(file, error) : check_head(from, file, error);
	if (status != STATUS_OK)
		goto out;
	if (stat(directory, &folder) != 0) {
		status = failed(directory, error);
		goto out;
	}
	(void)unlink(path); /* of a restore that was ended */
	to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (to < 0) {
		status = failed(path, error);
		goto out;
	}
	if (geteuid() == 0 && fchown(to, folder.st_uid, folder.st_gid) != 0)
		status = failed(path, error);
	if (status == STATUS_OK)
		status = copy_file(from, to, file, path, error);
	if (status == STATUS_OK && fsync(to) != 0)
		status = failed(path, error);
out:
	if (from >= 0)
		close(from);
	if (to >= 0)
		close(to);
	return status;
}

/* As the daemon would open it: whole, predictd's own, and of today's schema from here on. */
static enum status check_copy(const char *path, const char *file, struct error *error)
{
	sqlite3 *database = NULL;
	struct error why = {.text = ""};
	enum status status = database_open(path, &database, &why);
	sqlite3_close(database);
	if (status == STATUS_OK)
		return STATUS_OK;
	/* the sentence names the copy, which nobody knows */
	const char *rest =
	        strncmp(why.text, path, strlen(path)) == 0 ? why.text + strlen(path) : why.text;
	rest += strspn(rest, ": ");
	return error_set(error, status, "%.120s: %.120s", file, rest);
}

static enum status put_in_place(const char *copy, const char *path, const char *directory,
                                char *aside, size_t room, struct error *error)
{
	struct stat there;
	aside[0] = '\0';
	if (stat(path, &there) == 0) {
		enum status status = set_aside(path, "replaced", aside, room, error);
		if (status != STATUS_OK)
			return status;
	}
	if (rename(copy, path) != 0)
		return failed(path, error);
	int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0) {
		(void)fsync(fd);
		close(fd);
	}
	return STATUS_OK;
}

enum status store_restore(const char *file, const char *directory, char *aside, size_t room,
                          struct error *error)
{
	char path[PATH_MAX], copy[PATH_MAX];
	int lock = -1;
	/* names beside it are longer by less */
	if ((size_t)snprintf(path, sizeof path, "%s/predictd.db", directory) > sizeof path - 64 ||
	    (size_t)snprintf(copy, sizeof copy, "%s/predictd.db.restoring", directory) >=
	            sizeof copy)
		return error_set(error, STATUS_IO, "%.180s: path too long", directory);
	struct stat folder;
	if (stat(directory, &folder) != 0)
		return failed(directory, error);
	enum status status = directory_lock(directory, &lock, error);
	if (status != STATUS_OK)
		return status;
	status = make_copy(file, directory, copy, error);
	if (status == STATUS_OK)
		status = check_copy(copy, file, error);
	if (status == STATUS_OK)
		status = put_in_place(copy, path, directory, aside, room, error);
	if (status != STATUS_OK)
		(void)unlink(copy);
	directory_unlock(lock);
	return status;
}
