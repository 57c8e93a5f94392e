/* SPDX-License-Identifier: Apache-2.0 */
/* The ledger's file, identity and what people see of it; what goes out and comes in: ledger_out.c,
 * ledger_in.c. */
#include "daemon/share/ledger_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LEDGER_APPLICATION_ID = 0x70727368, LEDGER_VERSION = 1 };

static const char *const schema =
        "CREATE TABLE fact (name TEXT PRIMARY KEY, value ANY NOT NULL) STRICT, WITHOUT ROWID;"
        "CREATE TABLE outbox ("
        "  sequence INTEGER PRIMARY KEY,"
        "  model TEXT NOT NULL, driver TEXT NOT NULL,"
        "  kernel INTEGER NOT NULL, launch INTEGER NOT NULL, kind INTEGER NOT NULL,"
        "  uid INTEGER NOT NULL, runs INTEGER NOT NULL, at_s INTEGER NOT NULL,"
        "  name TEXT NOT NULL, state BLOB NOT NULL"
        ") STRICT;"
        "CREATE TABLE sent ("
        "  model TEXT NOT NULL, driver TEXT NOT NULL,"
        "  kernel INTEGER NOT NULL, launch INTEGER NOT NULL, kind INTEGER NOT NULL,"
        "  uid INTEGER NOT NULL, runs INTEGER NOT NULL, sequence INTEGER NOT NULL,"
        "  PRIMARY KEY (kernel, launch, kind, uid, model, driver)"
        ") STRICT, WITHOUT ROWID;"
        "CREATE INDEX sent_sequence ON sent (sequence);"
        "CREATE TABLE sent_calibration ("
        "  device TEXT NOT NULL, epoch INTEGER NOT NULL, PRIMARY KEY (device, epoch)"
        ") STRICT, WITHOUT ROWID;"
        "CREATE TABLE position ("
        "  node TEXT NOT NULL, model TEXT NOT NULL, driver TEXT NOT NULL,"
        "  sequence INTEGER NOT NULL, PRIMARY KEY (node, model, driver)"
        ") STRICT, WITHOUT ROWID;"
        "CREATE TABLE known ("
        "  id INTEGER PRIMARY KEY AUTOINCREMENT,"
        "  node TEXT NOT NULL, observer BLOB NOT NULL, model TEXT NOT NULL, driver TEXT NOT NULL,"
        "  kernel INTEGER NOT NULL, launch INTEGER NOT NULL, kind INTEGER NOT NULL,"
        "  state BLOB NOT NULL,"
        "  UNIQUE (kernel, launch, kind, model, driver, node, observer)"
        ") STRICT;"
        "CREATE INDEX known_node ON known (node);"
        "CREATE TABLE touched ("
        "  id INTEGER PRIMARY KEY AUTOINCREMENT,"
        "  model TEXT NOT NULL, driver TEXT NOT NULL,"
        "  kernel INTEGER NOT NULL, launch INTEGER NOT NULL, kind INTEGER NOT NULL,"
        "  UNIQUE (kernel, launch, kind, model, driver)"
        ") STRICT;";

/* ---- statements ---------------------------------------------------------------------------- */

enum status ledger_statement(struct ledger *ledger, enum ledger_statement which, const char *sql,
                             sqlite3_stmt **statement, struct error *error)
{
	sqlite3_stmt **kept = &ledger->kept[which];
	if (*kept == NULL && database_prepare(ledger->database, sql, kept, error) != STATUS_OK)
		return error->status;
	(void)sqlite3_reset(*kept);
	(void)sqlite3_clear_bindings(*kept);
	*statement = *kept;
	return STATUS_OK;
}

enum status ledger_step(struct ledger *ledger, sqlite3_stmt *statement, struct error *error)
{
	enum status status = step_done(ledger->database, statement, "ledger", error);
	(void)sqlite3_reset(statement);
	return status;
}

enum status ledger_begin(struct ledger *ledger, struct error *error)
{
	return database_run(ledger->database, "BEGIN IMMEDIATE", error);
}

enum status ledger_end(struct ledger *ledger, enum status status, struct error *error)
{
	struct error ignored;
	if (status == STATUS_OK)
		status = database_run(ledger->database, "COMMIT", error);
	if (status != STATUS_OK)
		(void)database_run(ledger->database, "ROLLBACK", &ignored);
	return status;
}

void ledger_bind_place(sqlite3_stmt *statement, int at, const struct launch_place *place)
{
	bind_text(statement, at, place->model);
	bind_text(statement, at + 1, place->driver);
	bind_bits(statement, at + 2, place->kernel);
	bind_bits(statement, at + 3, place->launch);
	bind_bits(statement, at + 4, place->kind);
}

bool ledger_decode(const struct launch_place *place, const uint8_t *state, size_t size,
                   struct correction_record *record)
{
	struct error error;
	*record = (struct correction_record){.kernel = place->kernel};
	record->launch.key = place->launch;
	record->launch.kind = place->kind;
	return place->kind < CORRECTION_KINDS && size <= CORRECTION_RECORD_BYTES &&
	       correction_decode(state, size, record, &error) == STATUS_OK &&
	       record->sample_count > 0;
}

bool ledger_column_place(sqlite3_stmt *row, int at, struct launch_place *place)
{
	place->kernel = (uint64_t)sqlite3_column_int64(row, at + 2);
	place->launch = (uint64_t)sqlite3_column_int64(row, at + 3);
	place->kind = (uint8_t)sqlite3_column_int(row, at + 4);
	return column_text(row, at, place->model, sizeof place->model) &&
	       column_text(row, at + 1, place->driver, sizeof place->driver);
}

/* ---- facts --------------------------------------------------------------------------------- */

enum status ledger_fact(struct ledger *ledger, const char *name, uint64_t *value,
                        struct error *error)
{
	sqlite3_stmt *statement;
	*value = 0;
	if (ledger_statement(ledger, LEDGER_FACT, "SELECT value FROM fact WHERE name = ?",
	                     &statement, error) != STATUS_OK)
		return error->status;
	bind_text(statement, 1, name);
	int code = sqlite3_step(statement);
	if (code == SQLITE_ROW)
		*value = (uint64_t)sqlite3_column_int64(statement, 0);
	(void)sqlite3_reset(statement);
	return code == SQLITE_ROW || code == SQLITE_DONE
	               ? STATUS_OK
	               : database_failure(ledger->database, "ledger", error);
}

static enum status fact_text(struct ledger *ledger, const char *name, char *text, size_t room,
                             struct error *error)
{
	sqlite3_stmt *statement;
	text[0] = '\0';
	if (ledger_statement(ledger, LEDGER_FACT, "SELECT value FROM fact WHERE name = ?",
	                     &statement, error) != STATUS_OK)
		return error->status;
	bind_text(statement, 1, name);
	int code = sqlite3_step(statement);
	if (code == SQLITE_ROW && !column_text(statement, 0, text, room))
		text[0] = '\0';
	(void)sqlite3_reset(statement);
	return code == SQLITE_ROW || code == SQLITE_DONE
	               ? STATUS_OK
	               : database_failure(ledger->database, "ledger", error);
}

static enum status fact_blob(struct ledger *ledger, const char *name, uint8_t *bytes, size_t size,
                             bool *is_equal, struct error *error)
{
	sqlite3_stmt *statement;
	*is_equal = false;
	if (ledger_statement(ledger, LEDGER_FACT, "SELECT value FROM fact WHERE name = ?",
	                     &statement, error) != STATUS_OK)
		return error->status;
	bind_text(statement, 1, name);
	if (sqlite3_step(statement) == SQLITE_ROW)
		*is_equal = (size_t)sqlite3_column_bytes(statement, 0) == size &&
		            memcmp(sqlite3_column_blob(statement, 0), bytes, size) == 0;
	(void)sqlite3_reset(statement);
	return STATUS_OK;
}

static enum status set_statement(struct ledger *ledger, const char *name, sqlite3_stmt **statement,
                                 struct error *error)
{
	if (ledger_statement(ledger, LEDGER_SET_FACT,
	                     "INSERT INTO fact VALUES (?, ?)"
	                     " ON CONFLICT (name) DO UPDATE SET value = excluded.value",
	                     statement, error) != STATUS_OK)
		return error->status;
	bind_text(*statement, 1, name);
	return STATUS_OK;
}

enum status ledger_set_fact(struct ledger *ledger, const char *name, uint64_t value,
                            struct error *error)
{
	sqlite3_stmt *statement;
	if (set_statement(ledger, name, &statement, error) != STATUS_OK)
		return error->status;
	bind_bits(statement, 2, value);
	return ledger_step(ledger, statement, error);
}

static enum status set_fact_text(struct ledger *ledger, const char *name, const char *text,
                                 struct error *error)
{
	sqlite3_stmt *statement;
	if (set_statement(ledger, name, &statement, error) != STATUS_OK)
		return error->status;
	bind_text(statement, 2, text);
	return ledger_step(ledger, statement, error);
}

enum status ledger_set_fact_blob(struct ledger *ledger, const char *name, const void *bytes,
                                 size_t size, struct error *error)
{
	sqlite3_stmt *statement;
	if (set_statement(ledger, name, &statement, error) != STATUS_OK)
		return error->status;
	(void)sqlite3_bind_blob(statement, 2, bytes, (int)size, SQLITE_STATIC);
	return ledger_step(ledger, statement, error);
}

enum status ledger_store_is(struct ledger *ledger, const uint8_t *store, size_t size,
                            bool *is_equal, struct error *error)
{
	uint8_t copy[STORE_ID_BYTES];
	if (size != sizeof copy)
		return error_set(error, STATUS_CORRUPT,
		                 "the daemon's answer: want a store of %zu bytes, have %zu",
		                 sizeof copy, size);
	memcpy(copy, store, size);
	return fact_blob(ledger, "store", copy, sizeof copy, is_equal, error);
}

/* ---- identity ------------------------------------------------------------------------------ */

/* A random UUID, version 4 (RFC 4122). */
void uuid_make(char text[UUID_TEXT])
{
	uint8_t b[16];
	size_t got = 0;
	while (got < sizeof b) {
		ssize_t part = getrandom(b + got, sizeof b - got, 0);
		if (part > 0)
			got += (size_t)part;
	}
	b[6] = (uint8_t)((b[6] & 0x0f) | 0x40);
	b[8] = (uint8_t)((b[8] & 0x3f) | 0x80);
	(void)snprintf(text, UUID_TEXT,
	               "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0],
	               b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12],
	               b[13], b[14], b[15]);
}

const char *ledger_node(const struct ledger *ledger)
{
	return ledger->node;
}

enum status ledger_machine(struct ledger *ledger, uint8_t machine[MACHINE_BYTES],
                           struct error *error)
{
	sqlite3_stmt *statement;
	bool is_there = false;
	if (ledger_statement(ledger, LEDGER_FACT, "SELECT value FROM fact WHERE name = ?",
	                     &statement, error) != STATUS_OK)
		return error->status;
	bind_text(statement, 1, "machine");
	if (sqlite3_step(statement) == SQLITE_ROW &&
	    sqlite3_column_bytes(statement, 0) == MACHINE_BYTES) {
		memcpy(machine, sqlite3_column_blob(statement, 0), MACHINE_BYTES);
		is_there = true;
	}
	(void)sqlite3_reset(statement);
	return is_there ? STATUS_OK
	                : error_set(error, STATUS_CORRUPT, "ledger: it names no machine");
}

uint64_t ledger_assigned(const struct ledger *ledger)
{
	return ledger->assigned;
}

enum status ledger_renew(struct ledger *ledger, bool sends_again, struct error *error)
{
	char node[UUID_TEXT];
	uuid_make(node);
	enum status status = ledger_begin(ledger, error);
	if (status != STATUS_OK)
		return status;
	status = set_fact_text(ledger, "node", node, error);
	if (status == STATUS_OK && sends_again)
		status = database_run(ledger->database, "DELETE FROM outbox; DELETE FROM sent",
		                      error);
	if (status == STATUS_OK && sends_again)
		status = ledger_set_fact(ledger, "cursor", 0, error);
	if (status == STATUS_OK)
		status = database_run(ledger->database, "DELETE FROM sent_calibration", error);
	status = ledger_end(ledger, status, error);
	if (status == STATUS_OK)
		memcpy(ledger->node, node, sizeof node);
	return status;
}

/* A clone's records are those of the node that it was made of: it goes on from their end. */
static enum status settle_in(struct ledger *ledger, const uint8_t machine[MACHINE_BYTES],
                             struct error *error)
{
	uint8_t copy[MACHINE_BYTES];
	bool is_here;
	memcpy(copy, machine, sizeof copy);
	enum status status = fact_text(ledger, "node", ledger->node, sizeof ledger->node, error);
	if (status == STATUS_OK)
		status = fact_blob(ledger, "machine", copy, sizeof copy, &is_here, error);
	if (status != STATUS_OK || (ledger->node[0] != '\0' && is_here))
		return status;
	status = ledger_renew(ledger, false, error);
	if (status == STATUS_OK)
		status = database_run(ledger->database, "DELETE FROM outbox", error);
	if (status == STATUS_OK)
		status = ledger_set_fact_blob(ledger, "machine", machine, MACHINE_BYTES, error);
	return status;
}

/* ---- the file ------------------------------------------------------------------------------ */

static enum status database_begin(struct ledger *ledger, struct error *error)
{
	sqlite3 *database = ledger->database;
	sqlite3_stmt *statement = NULL;
	int version = 0;
	(void)sqlite3_busy_timeout(database, 5000);
	enum status status = database_run(
	        database,
	        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON",
	        error);
	if (status == STATUS_OK)
		status = database_prepare(database, "PRAGMA user_version", &statement, error);
	if (status == STATUS_OK && sqlite3_step(statement) == SQLITE_ROW)
		version = sqlite3_column_int(statement, 0);
	(void)sqlite3_finalize(statement);
	if (status != STATUS_OK || version == LEDGER_VERSION)
		return status;
	if (version != 0)
		return error_set(error, STATUS_CORRUPT,
		                 "%.120s: its version is %d, this program knows %d",
		                 sqlite3_db_filename(database, "main"), version, LEDGER_VERSION);
	char pragmas[96];
	(void)snprintf(pragmas, sizeof pragmas,
	               "PRAGMA application_id = %d; PRAGMA user_version = %d",
	               LEDGER_APPLICATION_ID, LEDGER_VERSION);
	status = ledger_begin(ledger, error);
	if (status != STATUS_OK)
		return status;
	status = database_run(database, schema, error);
	if (status == STATUS_OK)
		status = database_run(database, pragmas, error);
	return ledger_end(ledger, status, error);
}

static enum status open_file(struct ledger *ledger, const char *directory, int flags,
                             struct error *error)
{
	char path[1100];
	if ((size_t)snprintf(path, sizeof path, "%s/share.db", directory) >= sizeof path)
		return error_set(error, STATUS_INVALID, "state: the path is too long");
	if (sqlite3_open_v2(path, &ledger->database, flags | SQLITE_OPEN_NOMUTEX, NULL) !=
	    SQLITE_OK)
		return error_set(error, STATUS_IO, "%.200s: %s", path,
		                 sqlite3_errmsg(ledger->database));
	(void)sqlite3_extended_result_codes(ledger->database, 1);
	return STATUS_OK;
}

enum status ledger_open(const char *directory, const uint8_t machine[MACHINE_BYTES],
                        struct ledger **opened, struct error *error)
{
	enum status status;
	struct ledger *ledger = calloc(1, sizeof *ledger);
	*opened = NULL;
	if (ledger == NULL)
		return error_set(error, STATUS_NO_MEMORY, "ledger: no memory");
	ledger->directory = -1;
	(void)umask(077);
	if (mkdir(directory, 0700) != 0 && errno != EEXIST) {
		status = error_set(error, STATUS_IO, "%.200s: %s", directory, strerror(errno));
		goto out;
	}
	ledger->directory = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (ledger->directory < 0 || flock(ledger->directory, LOCK_EX | LOCK_NB) != 0) {
		status = error_set(error, errno == EWOULDBLOCK ? STATUS_UNAVAILABLE : STATUS_IO,
		                   "%.200s: %s", directory,
		                   errno == EWOULDBLOCK ? "another predictd-share has it"
		                                        : strerror(errno));
		goto out;
	}
	status = open_file(ledger, directory, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, error);
	if (status == STATUS_OK)
		status = database_begin(ledger, error);
	if (status == STATUS_OK)
		status = settle_in(ledger, machine, error);
	if (status == STATUS_OK)
		status = ledger_fact(ledger, "assigned", &ledger->assigned, error);
out:
	if (status == STATUS_OK)
		*opened = ledger;
	else
		ledger_close(ledger);
	return status;
}

enum status ledger_open_read(const char *directory, struct ledger **opened, struct error *error)
{
	char path[1100];
	struct stat file;
	*opened = NULL;
	(void)snprintf(path, sizeof path, "%s/share.db", directory);
	if (stat(path, &file) != 0)
		return error_set(error, errno == ENOENT ? STATUS_NOT_FOUND : STATUS_IO,
		                 "%.200s: %s", path, strerror(errno));
	struct ledger *ledger = calloc(1, sizeof *ledger);
	if (ledger == NULL)
		return error_set(error, STATUS_NO_MEMORY, "ledger: no memory");
	ledger->directory = -1;
	/* a WAL that its writer keeps open needs its shared memory: written by readers, too */
	enum status status = open_file(ledger, directory, SQLITE_OPEN_READWRITE, error);
	if (status == STATUS_OK) {
		(void)sqlite3_busy_timeout(ledger->database, 5000);
		status = fact_text(ledger, "node", ledger->node, sizeof ledger->node, error);
	}
	if (status == STATUS_OK)
		*opened = ledger;
	else
		ledger_close(ledger);
	return status;
}

void ledger_close(struct ledger *ledger)
{
	if (ledger == NULL)
		return;
	for (size_t i = 0; i < LEDGER_STATEMENTS; i++)
		(void)sqlite3_finalize(ledger->kept[i]);
	(void)sqlite3_close(ledger->database);
	if (ledger->directory >= 0)
		(void)close(ledger->directory);
	free(ledger);
}

/* ---- for people ---------------------------------------------------------------------------- */

static enum status count_of(struct ledger *ledger, const char *sql, uint64_t *count,
                            struct error *error)
{
	sqlite3_stmt *statement = NULL;
	enum status status = database_prepare(ledger->database, sql, &statement, error);
	*count = 0;
	if (status == STATUS_OK) {
		if (sqlite3_step(statement) == SQLITE_ROW)
			*count = (uint64_t)sqlite3_column_int64(statement, 0);
		else
			status = database_failure(ledger->database, "ledger", error);
	}
	(void)sqlite3_finalize(statement);
	return status;
}

enum status ledger_count(struct ledger *ledger, struct ledger_counts *counts, struct error *error)
{
	uint64_t oldest = 0;
	enum status status =
	        count_of(ledger, "SELECT count(*) FROM outbox", &counts->waiting, error);
	if (status == STATUS_OK)
		status = count_of(ledger, "SELECT coalesce(min(at_s), 0) FROM outbox", &oldest,
		                  error);
	if (status == STATUS_OK)
		status = count_of(ledger, "SELECT count(DISTINCT node) FROM position",
		                  &counts->nodes, error);
	if (status == STATUS_OK)
		status = count_of(ledger,
		                  "SELECT count(*) FROM (SELECT DISTINCT kernel, launch, kind,"
		                  " model, driver FROM known)",
		                  &counts->launches, error);
	counts->oldest_s = (int64_t)oldest;
	return status;
}

enum status ledger_remark(struct ledger *ledger, const char *name, const char *text,
                          struct error *error)
{
	return set_fact_text(ledger, name, text, error);
}

enum status ledger_remarked(struct ledger *ledger, const char *name, char *text, size_t room,
                            struct error *error)
{
	return fact_text(ledger, name, text, room, error);
}
