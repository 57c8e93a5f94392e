/* SPDX-License-Identifier: Apache-2.0 */
/* Saving and loading what devices do to each other: the last measurement of every two. */
#include "store/database.h"

#include <stdlib.h>
#include <string.h>

enum { STORE_PAIRS_MAX = 1024 };

static enum status save_row(sqlite3 *database, const struct contention *pair, sqlite3_int64 *id,
                            struct error *error)
{
	sqlite3_stmt *save = NULL;
	/* another measurement is another row: its slowdowns go with the one before */
	enum status status = database_prepare(
	        database,
	        "INSERT OR REPLACE INTO pair (key, other_key, driver, other_driver, measured_at_s,"
	        " duration_s, standard_error, others_share, was_busy)"
	        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
	        &save, error);
	if (status != STATUS_OK)
		return status;
	bind_text(save, 1, pair->keys[0]);
	bind_text(save, 2, pair->keys[1]);
	bind_text(save, 3, pair->drivers[0]);
	bind_text(save, 4, pair->drivers[1]);
	(void)sqlite3_bind_int64(save, 5, pair->measured_at_s);
	(void)sqlite3_bind_double(save, 6, pair->duration_s);
	(void)sqlite3_bind_double(save, 7, pair->standard_error);
	(void)sqlite3_bind_double(save, 8, pair->others_share);
	bind_bits(save, 9, pair->was_busy);
	status = step_done(database, save, "pair", error);
	if (status == STATUS_OK)
		*id = sqlite3_last_insert_rowid(database);
	sqlite3_finalize(save);
	return status;
}

static enum status save_slowdowns(sqlite3 *database, const struct contention *pair,
                                  sqlite3_int64 id, struct error *error)
{
	sqlite3_stmt *save = NULL;
	enum status status = database_prepare(database,
	                                      "INSERT INTO slowdown (pair_id, side, load,"
	                                      " other_load, factor) VALUES (?, ?, ?, ?, ?)",
	                                      &save, error);
	for (int i = 0; i < 2 * LOAD_COUNT * LOAD_COUNT && status == STATUS_OK; i++) {
		int side = i / (LOAD_COUNT * LOAD_COUNT);
		enum load own = (enum load)(i / LOAD_COUNT % LOAD_COUNT);
		enum load other = (enum load)(i % LOAD_COUNT);
		(void)sqlite3_reset(save);
		(void)sqlite3_bind_int64(save, 1, id);
		(void)sqlite3_bind_int(save, 2, side);
		bind_text(save, 3, load_name(own));
		bind_text(save, 4, load_name(other));
		(void)sqlite3_bind_double(save, 5, pair->slowdown[side][own][other]);
		status = step_done(database, save, "pair", error);
	}
	sqlite3_finalize(save);
	return status;
}

enum status store_save_pair(struct store *store, const struct contention *pair, struct error *error)
{
	sqlite3 *database = store->database;
	sqlite3_int64 id = 0;
	enum status status = contention_check(pair, error);
	if (status == STATUS_OK && (!key_is_valid(pair->keys[0]) || !key_is_valid(pair->keys[1])))
		status = error_set(error, STATUS_INVALID, "a pair: want two keys");
	if (status == STATUS_OK)
		status = database_synchronise(store, true, error);
	if (status == STATUS_OK)
		status = database_run(database, "BEGIN IMMEDIATE", error);
	if (status != STATUS_OK)
		return status;
	status = save_row(database, pair, &id, error);
	if (status == STATUS_OK)
		status = save_slowdowns(database, pair, id, error);
	if (status == STATUS_OK)
		status = database_run(database, "COMMIT", error);
	if (status != STATUS_OK)
		(void)sqlite3_exec(database, "ROLLBACK", NULL, NULL, NULL);
	return status;
}

static bool load_find(const char *name, enum load *load)
{
	for (*load = 0; *load < LOAD_COUNT; (*load)++)
		if (strcmp(load_name(*load), name) == 0)
			return true;
	return false;
}

static enum status load_slowdowns(sqlite3 *database, sqlite3_stmt *select, sqlite3_int64 id,
                                  struct contention *pair, struct error *error)
{
	int code;
	(void)sqlite3_reset(select);
	(void)sqlite3_bind_int64(select, 1, id);
	while ((code = sqlite3_step(select)) == SQLITE_ROW) {
		const char *own = (const char *)sqlite3_column_text(select, 1);
		const char *other = (const char *)sqlite3_column_text(select, 2);
		int side = sqlite3_column_int(select, 0);
		enum load first, second;
		if (own == NULL || other == NULL) { /* the columns are NOT NULL: memory is short */
			code = sqlite3_errcode(database);
			break;
		}
		/* a load that this version does not know is a newer one's: left alone */
		if ((side == 0 || side == 1) && load_find(own, &first) && load_find(other, &second))
			pair->slowdown[side][first][second] = sqlite3_column_double(select, 3);
	}
	return code == SQLITE_DONE ? STATUS_OK : database_failure(database, "pairs", error);
}

static bool load_row(sqlite3_stmt *row, struct contention *pair)
{
	memset(pair, 0, sizeof *pair);
	for (int side = 0; side < 2; side++)
		if (!column_text(row, 1 + side, pair->keys[side], sizeof pair->keys[side]) ||
		    !column_text(row, 3 + side, pair->drivers[side], sizeof pair->drivers[side]) ||
		    !key_is_valid(pair->keys[side]))
			return false;
	pair->measured_at_s = sqlite3_column_int64(row, 5);
	pair->duration_s = sqlite3_column_double(row, 6);
	pair->standard_error = sqlite3_column_double(row, 7);
	pair->others_share = sqlite3_column_double(row, 8);
	pair->was_busy = sqlite3_column_int(row, 9) != 0;
	return true;
}

enum status store_load_pairs(struct store *store, struct contention **pairs, size_t *count,
                             struct error *error)
{
	sqlite3 *database = store->database;
	sqlite3_stmt *rows = NULL, *slowdowns = NULL;
	struct contention *loaded = calloc(STORE_PAIRS_MAX, sizeof *loaded);
	struct error skipped = {.status = STATUS_OK};
	size_t used = 0;
	int code = SQLITE_DONE;
	enum status status = STATUS_OK;
	if (loaded == NULL)
		return error_set(error, STATUS_NO_MEMORY, "pairs: no memory");
	status = database_prepare(database,
	                          "SELECT id, key, other_key, driver, other_driver, measured_at_s,"
	                          " duration_s, standard_error, others_share, was_busy FROM pair"
	                          " ORDER BY id DESC",
	                          &rows, error);
	if (status == STATUS_OK)
		status = database_prepare(database,
		                          "SELECT side, load, other_load, factor FROM slowdown"
		                          " WHERE pair_id = ?",
		                          &slowdowns, error);
	while (status == STATUS_OK && used < STORE_PAIRS_MAX &&
	       (code = sqlite3_step(rows)) == SQLITE_ROW) {
		sqlite3_int64 id = sqlite3_column_int64(rows, 0);
		bool fits = load_row(rows, &loaded[used]);
		if (!fits && sqlite3_errcode(database) == SQLITE_NOMEM)
			break;
		struct error why = {.status = STATUS_OK};
		if (!fits)
			error_set(&why, STATUS_CORRUPT, "a field does not fit");
		else
			status = load_slowdowns(database, slowdowns, id, &loaded[used], error);
		if (status != STATUS_OK)
			break;
		if (fits && contention_check(&loaded[used], &why) == STATUS_OK)
			used++;
		else
			error_set(&skipped, STATUS_CORRUPT, "pair %lld: %.200s", (long long)id,
			          why.text);
	}
	if (status == STATUS_OK && code != SQLITE_DONE && code != SQLITE_ROW)
		status = database_failure(database, "pairs", error);
	if (status == STATUS_OK) {
		*pairs = loaded;
		*count = used;
		loaded = NULL; /* moved to the caller */
		if (error != NULL)
			*error = skipped;
	}
	sqlite3_finalize(rows);
	sqlite3_finalize(slowdowns);
	free(loaded);
	return status;
}
