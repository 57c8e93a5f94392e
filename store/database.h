/* SPDX-License-Identifier: Apache-2.0 */
/* The open database, shared by the files of store/ alone. */
#ifndef PREDICTD_STORE_DATABASE_H
#define PREDICTD_STORE_DATABASE_H

#include "store/store.h"

#include <sqlite3.h>

struct store {
	sqlite3 *database;
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

#endif
