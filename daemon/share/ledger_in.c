/* SPDX-License-Identifier: Apache-2.0 */
/* What the ledger knows of other nodes, and whose estimates the daemon is to be told anew. */
#include "daemon/share/ledger_file.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { CLOCK_AHEAD_S = 86400 };

enum status ledger_position(struct ledger *ledger, const char *node, const char *model,
                            const char *driver, uint64_t *sequence, struct error *error)
{
	sqlite3_stmt *statement;
	*sequence = 0;
	if (ledger_statement(ledger, LEDGER_POSITION,
	                     "SELECT sequence FROM position WHERE node = ? AND model = ?"
	                     " AND driver = ?",
	                     &statement, error) != STATUS_OK)
		return error->status;
	bind_text(statement, 1, node);
	bind_text(statement, 2, model);
	bind_text(statement, 3, driver);
	int code = sqlite3_step(statement);
	if (code == SQLITE_ROW)
		*sequence = (uint64_t)sqlite3_column_int64(statement, 0);
	(void)sqlite3_reset(statement);
	return code == SQLITE_ROW || code == SQLITE_DONE
	               ? STATUS_OK
	               : database_failure(ledger->database, "ledger", error);
}

static enum status set_position(struct ledger *ledger, const char *node, const char *model,
                                const char *driver, uint64_t sequence, struct error *error)
{
	sqlite3_stmt *statement;
	if (ledger_statement(ledger, LEDGER_SET_POSITION,
	                     "INSERT INTO position VALUES (?, ?, ?, ?)"
	                     " ON CONFLICT (node, model, driver) DO UPDATE"
	                     " SET sequence = excluded.sequence",
	                     &statement, error) != STATUS_OK)
		return error->status;
	bind_text(statement, 1, node);
	bind_text(statement, 2, model);
	bind_text(statement, 3, driver);
	bind_bits(statement, 4, sequence);
	return ledger_step(ledger, statement, error);
}

/* Runs of a clock that is ahead are of now: they would never age. */
static void set_clocks(struct correction_record *record)
{
	int64_t now = time(NULL);
	for (uint32_t i = 0; i < record->sample_count; i++)
		if ((int64_t)record->samples[i].at_s > now + CLOCK_AHEAD_S)
			record->samples[i].at_s = (uint32_t)now;
}

/* The newest runs of both; `fresh` came later. */
static void append(struct correction_record *fresh, const struct correction_record *before)
{
	uint32_t kept = CORRECTION_SAMPLES - fresh->sample_count;
	if (kept > before->sample_count)
		kept = before->sample_count;
	memmove(fresh->samples + kept, fresh->samples,
	        fresh->sample_count * sizeof fresh->samples[0]);
	memcpy(fresh->samples, before->samples + before->sample_count - kept,
	       kept * sizeof fresh->samples[0]);
	fresh->sample_count += kept;
	fresh->runs = before->runs + fresh->runs;
}

static void bind_key(sqlite3_stmt *statement, const char *node, const struct shared_row *row)
{
	ledger_bind_place(statement, 1, &row->place);
	bind_text(statement, 6, node);
	(void)sqlite3_bind_blob(statement, 7, row->observer, OBSERVER_BYTES, SQLITE_STATIC);
}

static enum status merge_known(struct ledger *ledger, const char *node,
                               const struct shared_row *row, struct correction_record *record,
                               struct error *error)
{
	sqlite3_stmt *statement;
	struct correction_record before;
	if (ledger_statement(ledger, LEDGER_FIND_KNOWN,
	                     "SELECT state FROM known WHERE model = ? AND driver = ? AND kernel = ?"
	                     " AND launch = ? AND kind = ? AND node = ? AND observer = ?",
	                     &statement, error) != STATUS_OK)
		return error->status;
	bind_key(statement, node, row);
	int code = sqlite3_step(statement);
	if (code == SQLITE_ROW &&
	    ledger_decode(&row->place, sqlite3_column_blob(statement, 0),
	                  (size_t)sqlite3_column_bytes(statement, 0), &before))
		append(record, &before);
	(void)sqlite3_reset(statement);
	return code == SQLITE_ROW || code == SQLITE_DONE
	               ? STATUS_OK
	               : database_failure(ledger->database, "ledger", error);
}

static enum status touch(struct ledger *ledger, const struct launch_place *place,
                         struct error *error)
{
	sqlite3_stmt *statement;
	/* replaced, so that it stands behind what was handed out */
	if (ledger_statement(ledger, LEDGER_TOUCH,
	                     "INSERT OR REPLACE INTO touched (model, driver, kernel, launch, kind)"
	                     " VALUES (?, ?, ?, ?, ?)",
	                     &statement, error) != STATUS_OK)
		return error->status;
	ledger_bind_place(statement, 1, place);
	return ledger_step(ledger, statement, error);
}

static enum status learn_one(struct ledger *ledger, const char *node, const struct shared_row *row,
                             int64_t *id, size_t *refused, struct error *error)
{
	struct correction_record record;
	uint8_t state[CORRECTION_RECORD_BYTES];
	sqlite3_stmt *statement;
	if (!ledger_decode(&row->place, row->state, row->size, &record)) {
		++*refused;
		return STATUS_OK;
	}
	set_clocks(&record);
	if (merge_known(ledger, node, row, &record, error) != STATUS_OK)
		return error->status;
	size_t size = correction_encode(&record, state);
	if (ledger_statement(ledger, LEDGER_SET_KNOWN,
	                     "INSERT OR REPLACE INTO known (model, driver, kernel, launch, kind,"
	                     " node, observer, state) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
	                     &statement, error) != STATUS_OK)
		return error->status;
	bind_key(statement, node, row);
	(void)sqlite3_bind_blob(statement, 8, state, (int)size, SQLITE_STATIC);
	if (ledger_step(ledger, statement, error) != STATUS_OK)
		return error->status;
	*id = sqlite3_last_insert_rowid(ledger->database);
	return touch(ledger, &row->place, error);
}

/* Ids ascend with each change: those far behind are the oldest. Counting them takes a look at each,
 * so it is done once for so many changes: there are at most a sixteenth more. */
static enum status prune(struct ledger *ledger, int64_t first, int64_t last, uint32_t known_max,
                         struct error *error)
{
	char sql[256];
	int64_t period = known_max / 16 + 1;
	if (first / period == last / period)
		return STATUS_OK;
	(void)snprintf(sql, sizeof sql,
	               "DELETE FROM known WHERE id <= (SELECT id FROM known ORDER BY id DESC"
	               " LIMIT 1 OFFSET %lu)",
	               (unsigned long)known_max);
	return database_run(ledger->database, sql, error);
}

enum status ledger_learn(struct ledger *ledger, const char *node, const char *model,
                         const char *driver, const struct shared_row *rows, size_t count,
                         uint64_t position, uint32_t known_max, size_t *refused,
                         struct error *error)
{
	int64_t before = ledger->learned;
	*refused = 0;
	enum status status = ledger_begin(ledger, error);
	if (status != STATUS_OK)
		return status;
	for (size_t i = 0; i < count && status == STATUS_OK; i++)
		status = learn_one(ledger, node, &rows[i], &ledger->learned, refused, error);
	if (status == STATUS_OK)
		status = set_position(ledger, node, model, driver, position, error);
	if (status == STATUS_OK)
		status = prune(ledger, before, ledger->learned, known_max, error);
	return ledger_end(ledger, status, error);
}

enum status ledger_drop(struct ledger *ledger, const char *node, struct error *error)
{
	static const char *const steps[] = {
	        ("INSERT OR REPLACE INTO touched (model, driver, kernel, launch, kind)"
	         " SELECT DISTINCT model, driver, kernel, launch, kind FROM known WHERE node = ?"),
	        "DELETE FROM known WHERE node = ?",
	        "DELETE FROM position WHERE node = ?",
	};
	enum status status = ledger_begin(ledger, error);
	if (status != STATUS_OK)
		return status;
	for (size_t i = 0; i < sizeof steps / sizeof steps[0] && status == STATUS_OK; i++) {
		sqlite3_stmt *statement = NULL;
		status = database_prepare(ledger->database, steps[i], &statement, error);
		if (status == STATUS_OK) {
			bind_text(statement, 1, node);
			status = step_done(ledger->database, statement, "ledger", error);
		}
		(void)sqlite3_finalize(statement);
	}
	return ledger_end(ledger, status, error);
}

/* ---- to be told ---------------------------------------------------------------------------- */

enum status ledger_touched(struct ledger *ledger, struct launch_place *places, size_t room,
                           size_t *count, struct error *error)
{
	sqlite3_stmt *statement = NULL;
	enum status status = database_prepare(
	        ledger->database,
	        "SELECT id, model, driver, kernel, launch, kind FROM touched ORDER BY id LIMIT ?",
	        &statement, error);
	int code = SQLITE_DONE;
	*count = 0;
	if (status == STATUS_OK)
		(void)sqlite3_bind_int64(statement, 1, (sqlite3_int64)room);
	while (status == STATUS_OK && *count < room &&
	       (code = sqlite3_step(statement)) == SQLITE_ROW) {
		if (!ledger_column_place(statement, 1, &places[*count]))
			status = error_set(error, STATUS_CORRUPT, "ledger: touched");
		ledger->handed_out = sqlite3_column_int64(statement, 0);
		++*count;
	}
	if (status == STATUS_OK && code != SQLITE_DONE && code != SQLITE_ROW)
		status = database_failure(ledger->database, "ledger", error);
	(void)sqlite3_finalize(statement);
	return status;
}

enum status ledger_told(struct ledger *ledger, const struct launch_place *places, size_t count,
                        struct error *error)
{
	sqlite3_stmt *statement = NULL;
	enum status status = ledger_begin(ledger, error);
	if (status != STATUS_OK)
		return status;
	status =
	        database_prepare(ledger->database,
	                         "DELETE FROM touched WHERE model = ? AND driver = ? AND kernel = ?"
	                         " AND launch = ? AND kind = ? AND id <= ?",
	                         &statement, error);
	for (size_t i = 0; i < count && status == STATUS_OK; i++) {
		(void)sqlite3_reset(statement);
		ledger_bind_place(statement, 1, &places[i]);
		(void)sqlite3_bind_int64(statement, 6, ledger->handed_out);
		status = step_done(ledger->database, statement, "ledger", error);
	}
	(void)sqlite3_finalize(statement);
	return ledger_end(ledger, status, error);
}

enum status ledger_touch_all(struct ledger *ledger, struct error *error)
{
	return database_run(ledger->database,
	                    "INSERT OR REPLACE INTO touched (model, driver, kernel, launch, kind)"
	                    " SELECT DISTINCT model, driver, kernel, launch, kind FROM known",
	                    error);
}

enum status ledger_known(struct ledger *ledger, const struct launch_place *place,
                         void (*each)(void *context, const struct known_row *row), void *context,
                         struct error *error)
{
	sqlite3_stmt *statement;
	struct known_row row;
	int code;
	if (ledger_statement(ledger, LEDGER_KNOWN,
	                     "SELECT node, state FROM known WHERE model = ? AND driver = ?"
	                     " AND kernel = ? AND launch = ? AND kind = ? ORDER BY node, observer",
	                     &statement, error) != STATUS_OK)
		return error->status;
	ledger_bind_place(statement, 1, place);
	while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
		row.size = (size_t)sqlite3_column_bytes(statement, 1);
		if (!column_text(statement, 0, row.node, sizeof row.node) ||
		    row.size > sizeof row.state)
			continue;
		memcpy(row.state, sqlite3_column_blob(statement, 1), row.size);
		each(context, &row);
	}
	(void)sqlite3_reset(statement);
	return code == SQLITE_DONE ? STATUS_OK
	                           : database_failure(ledger->database, "ledger", error);
}
