/* SPDX-License-Identifier: Apache-2.0 */
/* Inside ledger*.c: the open file, and statements that are prepared once. */
#ifndef PREDICTD_DAEMON_SHARE_LEDGER_FILE_H
#define PREDICTD_DAEMON_SHARE_LEDGER_FILE_H

#include "daemon/share/ledger.h"
#include "store/database.h"

enum ledger_statement {
	LEDGER_FACT,
	LEDGER_SET_FACT,
	LEDGER_RUNS_SENT,
	LEDGER_SET_RUNS_SENT,
	LEDGER_PUT,
	LEDGER_POSITION,
	LEDGER_SET_POSITION,
	LEDGER_FIND_KNOWN,
	LEDGER_SET_KNOWN,
	LEDGER_TOUCH,
	LEDGER_KNOWN,
	LEDGER_STATEMENTS
};

struct ledger {
	sqlite3 *database;
	sqlite3_stmt *kept[LEDGER_STATEMENTS];
	int directory; /* locked */
	char node[UUID_TEXT];
	uint64_t assigned;
	int64_t handed_out; /* the last of `touched` that was */
	int64_t learned;    /* the last of `known` that this process put there */
};

void uuid_make(char text[UUID_TEXT]);

/* One of the kept statements, reset. */
enum status ledger_statement(struct ledger *ledger, enum ledger_statement which, const char *sql,
                             sqlite3_stmt **statement, struct error *error);
/* Runs it to its end, and resets it. */
enum status ledger_step(struct ledger *ledger, sqlite3_stmt *statement, struct error *error);
enum status ledger_begin(struct ledger *ledger, struct error *error);
/* Commits where status is STATUS_OK, else rolls back; returns what came of it. */
enum status ledger_end(struct ledger *ledger, enum status status, struct error *error);

enum status ledger_fact(struct ledger *ledger, const char *name, uint64_t *value,
                        struct error *error);
enum status ledger_set_fact(struct ledger *ledger, const char *name, uint64_t value,
                            struct error *error);
enum status ledger_set_fact_blob(struct ledger *ledger, const char *name, const void *bytes,
                                 size_t size, struct error *error);
/* Whether it is the daemon's store that was read last. STATUS_CORRUPT: none is of that size. */
enum status ledger_store_is(struct ledger *ledger, const uint8_t *store, size_t size,
                            bool *is_equal, struct error *error);

/* A record of a place with runs; false: the bytes are none. */
bool ledger_decode(const struct launch_place *place, const uint8_t *state, size_t size,
                   struct correction_record *record);

/* Five parameters, or columns, from `at`: model, driver, kernel, launch, kind. */
void ledger_bind_place(sqlite3_stmt *statement, int at, const struct launch_place *place);
bool ledger_column_place(sqlite3_stmt *row, int at, struct launch_place *place);

#endif
