/* SPDX-License-Identifier: Apache-2.0 */
/* Programs analysed before: found by key, saved in batches, the least recently used forgotten. */
#include "store/database.h"

#include <stdlib.h>
#include <string.h>

enum { STORE_REPLY_MAX = 32 << 20 }; /* of one program: what a frame can hold */

static void bind_blob(sqlite3_stmt *statement, int place, const void *bytes, size_t size)
{
	(void)sqlite3_bind_blob64(statement, place, bytes, size, SQLITE_STATIC);
}

enum status store_load_program(struct store *store, const char *version,
                               const uint8_t key[STORE_KEY_BYTES], struct stored_program *program,
                               struct error *error)
{
	sqlite3_stmt *find = NULL;
	enum status status =
	        database_prepare(store->database,
	                         "SELECT reply, analysis_time_s, used_at_s FROM program"
	                         " WHERE version = ? AND key = ?",
	                         &find, error);
	if (status != STATUS_OK)
		return status;
	(void)sqlite3_bind_text(find, 1, version, -1, SQLITE_STATIC);
	bind_blob(find, 2, key, STORE_KEY_BYTES);
	int code = sqlite3_step(find);
	if (code == SQLITE_DONE) {
		status = error_set(error, STATUS_NOT_FOUND, "program: not kept");
		goto out;
	}
	if (code != SQLITE_ROW) {
		status = database_failure(store->database, "program", error);
		goto out;
	}
	const void *reply = sqlite3_column_blob(find, 0);
	int size = sqlite3_column_bytes(find, 0);
	if (reply == NULL || size <= 0 || size > STORE_REPLY_MAX) {
		status = error_set(error, STATUS_CORRUPT, "program: a reply of %d bytes", size);
		goto out;
	}
	uint8_t *copy = malloc((size_t)size);
	if (copy == NULL) {
		status = error_set(error, STATUS_NO_MEMORY, "program: no memory");
		goto out;
	}
	memcpy(copy, reply, (size_t)size);
	memcpy(program->key, key, STORE_KEY_BYTES);
	program->reply = copy;
	program->reply_bytes = (size_t)size;
	program->analysis_time_s = sqlite3_column_double(find, 1);
	program->used_at_s = sqlite3_column_int64(find, 2);
out:
	sqlite3_finalize(find);
	return status;
}

enum status store_list_programs(struct store *store, const char *version,
                                void (*each)(void *data, const uint8_t key[STORE_KEY_BYTES]),
                                void *data, struct error *error)
{
	sqlite3_stmt *list = NULL;
	/* from the index alone: no reply is read */
	enum status status = database_prepare(
	        store->database, "SELECT key FROM program WHERE version = ?", &list, error);
	if (status != STATUS_OK)
		return status;
	(void)sqlite3_bind_text(list, 1, version, -1, SQLITE_STATIC);
	int code;
	while ((code = sqlite3_step(list)) == SQLITE_ROW)
		if (sqlite3_column_bytes(list, 0) == STORE_KEY_BYTES)
			each(data, sqlite3_column_blob(list, 0));
	if (code != SQLITE_DONE)
		status = database_failure(store->database, "programs", error);
	sqlite3_finalize(list);
	return status;
}

static enum status save_all(sqlite3 *database, const char *version,
                            const struct stored_program *programs, size_t count,
                            struct error *error)
{
	sqlite3_stmt *save = NULL;
	enum status status = database_prepare(
	        database,
	        "INSERT INTO program (version, key, used_at_s, size_bytes, analysis_time_s, reply)"
	        " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (version, key) DO UPDATE SET"
	        " used_at_s = excluded.used_at_s, size_bytes = excluded.size_bytes,"
	        " analysis_time_s = excluded.analysis_time_s, reply = excluded.reply",
	        &save, error);
	for (size_t i = 0; i < count && status == STATUS_OK; i++) {
		const struct stored_program *program = &programs[i];
		(void)sqlite3_bind_text(save, 1, version, -1, SQLITE_STATIC);
		bind_blob(save, 2, program->key, STORE_KEY_BYTES);
		(void)sqlite3_bind_int64(save, 3, program->used_at_s);
		(void)sqlite3_bind_int64(save, 4, (sqlite3_int64)program->reply_bytes);
		(void)sqlite3_bind_double(save, 5, program->analysis_time_s);
		bind_blob(save, 6, program->reply, program->reply_bytes);
		if (sqlite3_step(save) != SQLITE_DONE)
			status = database_failure(database, "program", error);
		(void)sqlite3_reset(save);
	}
	sqlite3_finalize(save);
	return status;
}

/* Where the oldest use is that may stay: by count, and by bytes; over the index of uses alone. */
static enum status find_oldest(sqlite3 *database, size_t count_max, size_t bytes_max,
                               sqlite3_int64 *used_at_s, sqlite3_int64 *id, struct error *error)
{
	sqlite3_stmt *list = NULL;
	size_t count = 0;
	sqlite3_int64 bytes = 0;
	enum status status = database_prepare(database,
	                                      "SELECT used_at_s, id, size_bytes FROM program"
	                                      " ORDER BY used_at_s DESC, id DESC",
	                                      &list, error);
	if (status != STATUS_OK)
		return status;
	int code;
	while ((code = sqlite3_step(list)) == SQLITE_ROW) {
		bytes += sqlite3_column_int64(list, 2);
		if (++count > count_max || bytes < 0 || (uint64_t)bytes > bytes_max)
			break;
		*used_at_s = sqlite3_column_int64(list, 0);
		*id = sqlite3_column_int64(list, 1);
	}
	if (code != SQLITE_DONE && code != SQLITE_ROW)
		status = database_failure(database, "programs", error);
	sqlite3_finalize(list);
	return status;
}

/* Forgets those of other versions, and the least recently used beyond the bounds. */
static enum status forget(sqlite3 *database, const char *version, size_t count_max,
                          size_t bytes_max, struct error *error)
{
	sqlite3_stmt *others = NULL, *older = NULL;
	sqlite3_int64 used_at_s = INT64_MAX, id = INT64_MAX;
	enum status status = database_prepare(
	        database, "DELETE FROM program WHERE version < ?1 OR version > ?1", &others, error);
	if (status != STATUS_OK)
		goto out;
	(void)sqlite3_bind_text(others, 1, version, -1, SQLITE_STATIC);
	if (sqlite3_step(others) != SQLITE_DONE) {
		status = database_failure(database, "programs", error);
		goto out;
	}
	status = find_oldest(database, count_max, bytes_max, &used_at_s, &id, error);
	if (status == STATUS_OK)
		status = database_prepare(database,
		                          "DELETE FROM program WHERE (used_at_s, id) < (?, ?)",
		                          &older, error);
	if (status != STATUS_OK)
		goto out;
	(void)sqlite3_bind_int64(older, 1, used_at_s);
	(void)sqlite3_bind_int64(older, 2, id);
	if (sqlite3_step(older) != SQLITE_DONE)
		status = database_failure(database, "programs", error);
out:
	sqlite3_finalize(others);
	sqlite3_finalize(older);
	return status;
}

enum status store_save_programs(struct store *store, const char *version,
                                const struct stored_program *programs, size_t count,
                                size_t count_max, size_t bytes_max, struct error *error)
{
	sqlite3 *database = store->database;
	enum status status = database_run(database, "BEGIN IMMEDIATE", error);
	if (status != STATUS_OK)
		return status;
	status = save_all(database, version, programs, count, error);
	if (status == STATUS_OK)
		status = forget(database, version, count_max, bytes_max, error);
	if (status == STATUS_OK)
		status = database_run(database, "COMMIT", error);
	if (status != STATUS_OK)
		(void)sqlite3_exec(database, "ROLLBACK", NULL, NULL, NULL);
	return status;
}
