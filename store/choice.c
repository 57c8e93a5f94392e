/* SPDX-License-Identifier: Apache-2.0 */
/* Configurations that searches have chosen. */
#include "store/database.h"

#include <math.h>

enum { USED_AGAIN_S = 24 * 60 * 60, SIZE_BYTES = 8 };

/* The same bytes on every machine. */
struct size_bytes {
	uint8_t bytes[STORE_CHOICE_SIZES_MAX * SIZE_BYTES];
};

/* What it is found by, in the first places; `sizes` is borrowed until the statement is reset. */
static void bind_key(sqlite3_stmt *statement, const struct stored_choice *choice,
                     struct size_bytes *sizes)
{
	for (size_t i = 0; i < choice->size_count * SIZE_BYTES; i++)
		sizes->bytes[i] =
		        (uint8_t)(choice->sizes[i / SIZE_BYTES] >> (i % SIZE_BYTES * 8) & 0xff);
	bind_bits(statement, 1, choice->user);
	bind_text(statement, 2, choice->device);
	bind_text(statement, 3, choice->name);
	(void)sqlite3_bind_blob64(statement, 4, choice->space, sizeof choice->space, SQLITE_STATIC);
	(void)sqlite3_bind_blob64(statement, 5, sizes->bytes, choice->size_count * SIZE_BYTES,
	                          SQLITE_STATIC);
}

static enum status save_row(sqlite3 *database, const struct stored_choice *choice,
                            struct error *error)
{
	sqlite3_stmt *save = NULL;
	struct size_bytes sizes;
	enum status status = database_prepare(
	        database,
	        "INSERT OR REPLACE INTO choice (uid, device, name, space, sizes, driver,"
	        " configuration, time_s, is_over, used_at_s) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
	        &save, error);
	if (status != STATUS_OK)
		return status;
	bind_key(save, choice, &sizes);
	bind_text(save, 6, choice->driver);
	bind_bits(save, 7, choice->configuration);
	(void)sqlite3_bind_double(save, 8, choice->time_s);
	bind_bits(save, 9, choice->is_over);
	(void)sqlite3_bind_int64(save, 10, choice->used_at_s);
	status = step_done(database, save, "choice", error);
	sqlite3_finalize(save);
	return status;
}

static enum status make_room(sqlite3 *database, uint64_t user, struct error *error)
{
	sqlite3_stmt *cut = NULL;
	enum status status = database_prepare(
	        database,
	        "DELETE FROM choice WHERE id IN (SELECT id FROM choice WHERE uid = ?"
	        " ORDER BY used_at_s DESC, id DESC LIMIT -1 OFFSET ?)",
	        &cut, error);
	if (status != STATUS_OK)
		return status;
	bind_bits(cut, 1, user);
	(void)sqlite3_bind_int(cut, 2, STORE_CHOICES_MAX);
	status = step_done(database, cut, "choice", error);
	sqlite3_finalize(cut);
	return status;
}

enum status store_save_choice(struct store *store, const struct stored_choice *choice,
                              struct error *error)
{
	sqlite3 *database = store->database;
	enum status status = database_run(database, "BEGIN IMMEDIATE", error);
	if (status != STATUS_OK)
		return status;
	status = save_row(database, choice, error);
	if (status == STATUS_OK)
		status = make_room(database, choice->user, error);
	if (status == STATUS_OK)
		status = database_run(database, "COMMIT", error);
	if (status != STATUS_OK)
		(void)sqlite3_exec(database, "ROLLBACK", NULL, NULL, NULL);
	return status;
}

/* Where it cannot be written that it was used, it is found all the same. */
static void count_use(sqlite3 *database, sqlite3_int64 id, int64_t now_s)
{
	struct error error;
	sqlite3_stmt *use = NULL;
	if (database_prepare(database, "UPDATE choice SET used_at_s = ? WHERE id = ?", &use,
	                     &error) != STATUS_OK)
		return;
	(void)sqlite3_bind_int64(use, 1, now_s);
	(void)sqlite3_bind_int64(use, 2, id);
	(void)step_done(database, use, "choice", &error);
	sqlite3_finalize(use);
}

static enum status read_row(sqlite3_stmt *row, struct stored_choice *choice, struct error *error)
{
	sqlite3_int64 configuration = sqlite3_column_int64(row, 1);
	choice->time_s = sqlite3_column_double(row, 2);
	choice->is_over = sqlite3_column_int(row, 3) != 0;
	if (configuration < 0 || configuration > UINT32_MAX ||
	    !(isfinite(choice->time_s) && choice->time_s > 0))
		return error_set(error, STATUS_CORRUPT, "choice: configuration %lld of %g s",
		                 (long long)configuration, choice->time_s);
	choice->configuration = (uint32_t)configuration;
	return STATUS_OK;
}

enum status store_load_choice(struct store *store, struct stored_choice *choice,
                              struct error *error)
{
	sqlite3 *database = store->database;
	sqlite3_stmt *find = NULL;
	struct size_bytes sizes;
	enum status status = database_prepare(
	        database,
	        "SELECT id, configuration, time_s, is_over, used_at_s FROM choice WHERE uid = ?"
	        " AND device = ? AND name = ? AND space = ? AND sizes = ? AND driver = ?",
	        &find, error);
	if (status != STATUS_OK)
		return status;
	bind_key(find, choice, &sizes);
	bind_text(find, 6, choice->driver);
	int code = sqlite3_step(find);
	sqlite3_int64 id = 0;
	int64_t used_at_s = 0;
	if (code == SQLITE_ROW) {
		id = sqlite3_column_int64(find, 0);
		used_at_s = sqlite3_column_int64(find, 4);
		status = read_row(find, choice, error);
	} else if (code == SQLITE_DONE) {
		status = error_set(error, STATUS_NOT_FOUND,
		                   "choice: none of \"%.80s\" is kept for this device and driver",
		                   choice->name);
	} else {
		status = database_failure(database, "choice", error);
	}
	sqlite3_finalize(find);
	/* not each time: a program that begins a thousand times a day writes once */
	if (status == STATUS_OK && choice->used_at_s - used_at_s >= USED_AGAIN_S)
		count_use(database, id, choice->used_at_s);
	return status;
}

enum status store_delete_choices(struct store *store, bool has_user, uint64_t user,
                                 const char *device, int64_t before_s, struct error *error)
{
	sqlite3_stmt *delete = NULL;
	enum status status =
	        database_prepare(store->database,
	                         "DELETE FROM choice WHERE used_at_s < ?1 AND (?2 = 0 OR uid = ?3)"
	                         " AND (?4 IS NULL OR device = ?4)",
	                         &delete, error);
	if (status != STATUS_OK)
		return status;
	(void)sqlite3_bind_int64(delete, 1, before_s);
	bind_bits(delete, 2, has_user);
	bind_bits(delete, 3, user);
	if (device != NULL)
		bind_text(delete, 4, device);
	status = step_done(store->database, delete, "choice", error);
	sqlite3_finalize(delete);
	return status;
}
