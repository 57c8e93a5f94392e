/* SPDX-License-Identifier: Apache-2.0 */
/* The open database, shared by the files of store/ alone. */
#ifndef PREDICTD_STORE_DATABASE_H
#define PREDICTD_STORE_DATABASE_H

#include "proto/device_key.h"
#include "store/store.h"

#include <sqlite3.h>
#include <stdbool.h>

/* Of store/observations.c, which runs them often: prepared when first used, kept until closed. */
enum kept_statement {
	STATEMENT_SAVE_RECORD,
	STATEMENT_DELETE_RECORD,
	STATEMENT_DELETE_LAUNCH,
	STATEMENT_DELETE_KERNEL,
	STATEMENT_SAVE_KERNEL,
	STATEMENT_SAVE_LAUNCH,
	STATEMENT_SAVE_USER,
	STATEMENT_DELETE_USER,
	STATEMENT_LOAD_SEQUENCE,
	STATEMENT_SAVE_SEQUENCE,
	STATEMENT_COUNT
};

struct store {
	sqlite3 *database;
	sqlite3_stmt *kept[STATEMENT_COUNT];
	bool survives_power_loss; /* how commits are synchronised now */
	int directory;            /* locked for as long as it is open */
};

/* Migrations of store/schema.c, applied in order; user_version counts them. */
extern const char *const schema_migrations[];
extern const int schema_version;

/* "predi" in bytes of the header: a file of another program is refused. */
enum { STORE_APPLICATION_ID = 0x70726564 };

/* Runs SQL without results; on failure STATUS_IO (or CORRUPT, LIMIT) with SQLite's sentence. */
enum status database_run(sqlite3 *database, const char *sql, struct error *error);

/* Prepares a statement; the caller finalizes it. */
enum status database_prepare(sqlite3 *database, const char *sql, sqlite3_stmt **statement,
                             struct error *error);

/* The status of the failure that the database just reported, with `what` in its sentence. */
enum status database_failure(sqlite3 *database, const char *what, struct error *error);

/* How commits are synchronised from here on; not within a transaction. */
enum status database_synchronise(struct store *store, bool power_loss, struct error *error);

/* The text is borrowed until the statement is reset. */
void bind_text(sqlite3_stmt *statement, int place, const char *text);

/* Quantities up to 2^64 are kept as the signed integer of the same bits. */
void bind_bits(sqlite3_stmt *statement, int place, uint64_t bits);

/* Runs a statement that has no results, or one whose results do not matter. */
enum status step_done(sqlite3 *database, sqlite3_stmt *statement, const char *what,
                      struct error *error);

/* False when the text does not fit. */
bool column_text(sqlite3_stmt *row, int column, char *text, size_t room);

/*
 * Opens the file, checks and migrates it; the caller's, to sqlite3_close(). STATUS_CORRUPT: it is
 * not whole. STATUS_UNSUPPORTED: a newer predictd's, or another program's.
 */
enum status database_open(const char *path, sqlite3 **result, struct error *error);

/* Renames a database and its journals to PATH.WORD-<time>; `aside` receives the new path. */
enum status set_aside(const char *path, const char *word, char *aside, size_t room,
                      struct error *error);

/* Locks a state folder for this process; *result is to be unlocked. STATUS_BUSY: it is another's.
 */
enum status directory_lock(const char *directory, int *result, struct error *error);
void directory_unlock(int fd);

#endif
