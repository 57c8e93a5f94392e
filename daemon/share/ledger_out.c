/* SPDX-License-Identifier: Apache-2.0 */
/* The ledger's outbox: what the daemon has newly observed, in order, until the server has it. */
#include "daemon/share/ledger_file.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* Twice the records that a daemon may have: what it displaced was changed longest ago. */
enum { SENT_MAX = 2 << 20 };

enum status ledger_cursor(struct ledger *ledger, uint64_t *after, struct error *error)
{
	return ledger_fact(ledger, "cursor", after, error);
}

static enum status runs_sent(struct ledger *ledger, const struct daemon_record *record,
                             uint64_t *runs, struct error *error)
{
	sqlite3_stmt *statement;
	*runs = 0;
	if (ledger_statement(ledger, LEDGER_RUNS_SENT,
	                     "SELECT runs FROM sent WHERE model = ? AND driver = ? AND kernel = ?"
	                     " AND launch = ? AND kind = ? AND uid = ?",
	                     &statement, error) != STATUS_OK)
		return error->status;
	ledger_bind_place(statement, 1, &record->place);
	bind_bits(statement, 6, record->uid);
	int code = sqlite3_step(statement);
	if (code == SQLITE_ROW)
		*runs = (uint64_t)sqlite3_column_int64(statement, 0);
	(void)sqlite3_reset(statement);
	return code == SQLITE_ROW || code == SQLITE_DONE
	               ? STATUS_OK
	               : database_failure(ledger->database, "ledger", error);
}

static enum status set_runs_sent(struct ledger *ledger, const struct daemon_record *record,
                                 struct error *error)
{
	sqlite3_stmt *statement;
	if (ledger_statement(ledger, LEDGER_SET_RUNS_SENT,
	                     "INSERT INTO sent (model, driver, kernel, launch, kind, uid, runs,"
	                     " sequence) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
	                     " ON CONFLICT (kernel, launch, kind, uid, model, driver)"
	                     " DO UPDATE SET runs = excluded.runs, sequence = excluded.sequence",
	                     &statement, error) != STATUS_OK)
		return error->status;
	ledger_bind_place(statement, 1, &record->place);
	bind_bits(statement, 6, record->uid);
	bind_bits(statement, 7, record->runs);
	bind_bits(statement, 8, record->sequence);
	return ledger_step(ledger, statement, error);
}

/* The newest runs of a record that were not sent, as a row of the outbox. */
static enum status put(struct ledger *ledger, const struct daemon_record *from,
                       struct correction_record *record, uint64_t fresh, struct error *error)
{
	sqlite3_stmt *statement;
	uint8_t state[CORRECTION_RECORD_BYTES];
	uint32_t kept = record->sample_count;
	if (fresh < kept)
		kept = (uint32_t)fresh;
	memmove(record->samples, record->samples + record->sample_count - kept,
	        kept * sizeof record->samples[0]);
	record->sample_count = kept;
	record->runs = kept;
	size_t size = correction_encode(record, state);
	if (ledger_statement(ledger, LEDGER_PUT,
	                     "INSERT INTO outbox (sequence, model, driver, kernel, launch, kind,"
	                     " uid, runs, at_s, name, state)"
	                     " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
	                     &statement, error) != STATUS_OK)
		return error->status;
	bind_bits(statement, 1, ledger->assigned + 1);
	ledger_bind_place(statement, 2, &from->place);
	bind_bits(statement, 7, from->uid);
	bind_bits(statement, 8, kept);
	bind_bits(statement, 9, (uint64_t)time(NULL));
	bind_text(statement, 10, from->name != NULL ? from->name : "");
	(void)sqlite3_bind_blob(statement, 11, state, (int)size, SQLITE_STATIC);
	if (ledger_step(ledger, statement, error) != STATUS_OK)
		return error->status;
	ledger->assigned++;
	return STATUS_OK;
}

/*
 * A record with fewer runs than were sent is an older one again (of a backup), or runs of it were
 * forgotten: what follows counts from there.
 */
static enum status take_one(struct ledger *ledger, const struct daemon_record *from,
                            size_t *refused, struct error *error)
{
	struct correction_record record;
	uint64_t sent;
	if (!ledger_decode(&from->place, from->state, from->size, &record)) {
		++*refused;
		return STATUS_OK;
	}
	enum status status = runs_sent(ledger, from, &sent, error);
	if (status != STATUS_OK || from->runs == sent)
		return status;
	if (from->runs > sent)
		status = put(ledger, from, &record, from->runs - sent, error);
	return status == STATUS_OK ? set_runs_sent(ledger, from, error) : status;
}

/* Another store, or an older state of it, is read from its beginning. */
static enum status start_over(struct ledger *ledger, const uint8_t *store, bool is_same,
                              struct error *error)
{
	enum status status = ledger_set_fact(ledger, "cursor", 0, error);
	if (status == STATUS_OK && !is_same)
		status = ledger_set_fact_blob(ledger, "store", store, STORE_ID_BYTES, error);
	if (status == STATUS_OK && !is_same)
		status = database_run(ledger->database, "DELETE FROM sent", error);
	return status;
}

static enum status prune(struct ledger *ledger, struct error *error)
{
	char sql[160];
	(void)snprintf(sql, sizeof sql,
	               "DELETE FROM sent WHERE sequence <= (SELECT sequence FROM sent"
	               " ORDER BY sequence DESC LIMIT 1 OFFSET %d)",
	               SENT_MAX);
	return database_run(ledger->database, sql, error);
}

enum status ledger_take(struct ledger *ledger, const uint8_t *store, size_t store_size,
                        uint64_t last, const struct daemon_record *records, size_t count,
                        size_t *refused, struct error *error)
{
	uint64_t cursor, assigned = ledger->assigned;
	bool is_same;
	*refused = 0;
	enum status status = ledger_begin(ledger, error);
	if (status != STATUS_OK)
		return status;
	status = ledger_store_is(ledger, store, store_size, &is_same, error);
	if (status == STATUS_OK)
		status = ledger_cursor(ledger, &cursor, error);
	if (status == STATUS_OK && (!is_same || last < cursor)) {
		status = ledger_end(ledger, start_over(ledger, store, is_same, error), error);
		return status;
	}
	for (size_t i = 0; i < count && status == STATUS_OK; i++) {
		if (records[i].sequence <= cursor)
			status = error_set(error, STATUS_CORRUPT,
			                   "the daemon's answer: sequences do not ascend");
		else
			status = take_one(ledger, &records[i], refused, error);
		cursor = records[i].sequence;
	}
	/* what the daemon left out is behind, too */
	if (status == STATUS_OK)
		status = ledger_set_fact(ledger, "cursor", cursor > last ? cursor : last, error);
	if (status == STATUS_OK && ledger->assigned > assigned)
		status = ledger_set_fact(ledger, "assigned", ledger->assigned, error);
	if (status == STATUS_OK && ledger->assigned / 4096 > assigned / 4096)
		status = prune(ledger, error);
	status = ledger_end(ledger, status, error);
	if (status != STATUS_OK)
		ledger->assigned = assigned;
	return status;
}

enum status ledger_waiting(struct ledger *ledger, uint64_t *count, struct error *error)
{
	sqlite3_stmt *statement = NULL;
	*count = 0;
	/* sequences of an outbox follow each other but where an identity began anew */
	enum status status = database_prepare(
	        ledger->database,
	        "SELECT coalesce(max(sequence) - min(sequence) + 1, 0) FROM outbox", &statement,
	        error);
	if (status == STATUS_OK && sqlite3_step(statement) == SQLITE_ROW)
		*count = (uint64_t)sqlite3_column_int64(statement, 0);
	(void)sqlite3_finalize(statement);
	return status;
}

enum status ledger_next(struct ledger *ledger, struct shared_row *rows, size_t room, size_t *count,
                        struct error *error)
{
	sqlite3_stmt *statement = NULL;
	enum status status = database_prepare(
	        ledger->database,
	        "SELECT sequence, model, driver, kernel, launch, kind, uid, runs, name, state"
	        " FROM outbox ORDER BY sequence LIMIT ?",
	        &statement, error);
	int code = SQLITE_DONE;
	*count = 0;
	if (status == STATUS_OK)
		(void)sqlite3_bind_int64(statement, 1, (sqlite3_int64)room);
	while (status == STATUS_OK && *count < room &&
	       (code = sqlite3_step(statement)) == SQLITE_ROW) {
		struct shared_row *row = &rows[*count];
		size_t size = (size_t)sqlite3_column_bytes(statement, 9);
		*row = (struct shared_row){.sequence = (uint64_t)sqlite3_column_int64(statement, 0),
		                           .uid = (uint32_t)sqlite3_column_int64(statement, 6),
		                           .runs = (uint32_t)sqlite3_column_int64(statement, 7),
		                           .size = size};
		if (!ledger_column_place(statement, 1, &row->place) ||
		    !column_text(statement, 8, row->name, sizeof row->name) ||
		    size > sizeof row->state) {
			status = error_set(error, STATUS_CORRUPT, "ledger: outbox: row %llu",
			                   (unsigned long long)row->sequence);
			break;
		}
		memcpy(row->state, sqlite3_column_blob(statement, 9), size);
		++*count;
	}
	if (status == STATUS_OK && code != SQLITE_DONE && code != SQLITE_ROW)
		status = database_failure(ledger->database, "ledger", error);
	(void)sqlite3_finalize(statement);
	return status;
}

static enum status run_with(struct ledger *ledger, const char *sql, const char *text,
                            uint64_t number, struct error *error)
{
	sqlite3_stmt *statement = NULL;
	enum status status = database_prepare(ledger->database, sql, &statement, error);
	if (status == STATUS_OK) {
		bind_bits(statement, 1, number);
		if (text != NULL)
			bind_text(statement, 2, text);
		status = step_done(ledger->database, statement, "ledger", error);
	}
	(void)sqlite3_finalize(statement);
	return status;
}

enum status ledger_offered(struct ledger *ledger, uint64_t *sequence, struct error *error)
{
	return ledger_fact(ledger, "offered", sequence, error);
}

enum status ledger_offer(struct ledger *ledger, uint64_t sequence, struct error *error)
{
	uint64_t offered;
	if (ledger_offered(ledger, &offered, error) != STATUS_OK)
		return error->status;
	return sequence > offered ? ledger_set_fact(ledger, "offered", sequence, error) : STATUS_OK;
}

enum status ledger_sent(struct ledger *ledger, uint64_t sequence, struct error *error)
{
	return run_with(ledger, "DELETE FROM outbox WHERE sequence <= ?", NULL, sequence, error);
}

enum status ledger_has_calibration(struct ledger *ledger, const char *device, uint64_t epoch,
                                   bool *has, struct error *error)
{
	sqlite3_stmt *statement = NULL;
	enum status status = database_prepare(
	        ledger->database, "SELECT 1 FROM sent_calibration WHERE epoch = ? AND device = ?",
	        &statement, error);
	*has = false;
	if (status == STATUS_OK) {
		bind_bits(statement, 1, epoch);
		bind_text(statement, 2, device);
		*has = sqlite3_step(statement) == SQLITE_ROW;
	}
	(void)sqlite3_finalize(statement);
	return status;
}

enum status ledger_sent_calibration(struct ledger *ledger, const char *device, uint64_t epoch,
                                    struct error *error)
{
	return run_with(ledger,
	                "INSERT INTO sent_calibration (epoch, device) VALUES (?, ?)"
	                " ON CONFLICT DO NOTHING",
	                device, epoch, error);
}
