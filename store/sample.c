/* SPDX-License-Identifier: Apache-2.0 */
/* Samples of buffers: saved in batches, and overwritten where they are deleted. */
#include "store/database.h"

#include <string.h>

static void bind_owner(sqlite3_stmt *statement, const struct stored_sample *sample)
{
	bind_bits(statement, 1, sample->user);
	(void)sqlite3_bind_blob64(statement, 2, sample->name, STORE_SAMPLE_NAME_BYTES,
	                          SQLITE_STATIC);
}

static enum status change_all(sqlite3 *database, const struct stored_sample *samples, size_t count,
                              struct error *error)
{
	sqlite3_stmt *save = NULL, *delete = NULL;
	enum status status = database_prepare(
	        database,
	        "INSERT INTO sample (uid, name, used_at_s, message) VALUES (?, ?, ?, ?)"
	        " ON CONFLICT (uid, name) DO UPDATE SET used_at_s = excluded.used_at_s",
	        &save, error);
	if (status == STATUS_OK)
		status = database_prepare(database, "DELETE FROM sample WHERE uid = ? AND name = ?",
		                          &delete, error);
	for (size_t i = 0; i < count && status == STATUS_OK; i++) {
		const struct stored_sample *sample = &samples[i];
		sqlite3_stmt *statement = sample->message != NULL ? save : delete;
		bind_owner(statement, sample);
		if (sample->message != NULL) {
			(void)sqlite3_bind_int64(save, 3, sample->used_at_s);
			(void)sqlite3_bind_blob64(save, 4, sample->message, sample->message_bytes,
			                          SQLITE_STATIC);
		}
		status = step_done(database, statement, "sample", error);
		(void)sqlite3_reset(statement);
	}
	sqlite3_finalize(save);
	sqlite3_finalize(delete);
	return status;
}

static enum status delete_all(sqlite3 *database, struct error *error)
{
	return database_run(database, "DELETE FROM sample", error);
}

/* Pages that are freed are overwritten in the transaction; frames of the journal, behind it. */
static enum status transact(sqlite3 *database, const struct stored_sample *samples, size_t count,
                            bool deletes_all, bool deletes, struct error *error)
{
	enum status status =
	        database_run(database, "PRAGMA secure_delete = ON; BEGIN IMMEDIATE", error);
	if (status != STATUS_OK)
		return status;
	status = deletes_all ? delete_all(database, error)
	                     : change_all(database, samples, count, error);
	if (status == STATUS_OK)
		status = database_run(database, "COMMIT", error);
	if (status != STATUS_OK)
		(void)sqlite3_exec(database, "ROLLBACK", NULL, NULL, NULL);
	else if (deletes)
		status = database_run(database, "PRAGMA wal_checkpoint(TRUNCATE)", error);
	(void)sqlite3_exec(database, "PRAGMA secure_delete = OFF", NULL, NULL, NULL);
	return status;
}

enum status store_save_samples(struct store *store, const struct stored_sample *samples,
                               size_t count, struct error *error)
{
	bool deletes = false;
	for (size_t i = 0; i < count; i++)
		deletes |= samples[i].message == NULL;
	return transact(store->database, samples, count, false, deletes, error);
}

enum status store_delete_samples(struct store *store, struct error *error)
{
	sqlite3_stmt *any = NULL;
	enum status status =
	        database_prepare(store->database, "SELECT 1 FROM sample LIMIT 1", &any, error);
	if (status != STATUS_OK)
		return status;
	int code = sqlite3_step(any);
	if (code != SQLITE_ROW && code != SQLITE_DONE)
		status = database_failure(store->database, "samples", error);
	sqlite3_finalize(any);
	if (status != STATUS_OK || code == SQLITE_DONE)
		return status;
	return transact(store->database, NULL, 0, true, true, error);
}

enum status store_load_samples(struct store *store,
                               void (*each)(void *data, const struct stored_sample *sample),
                               void *data, struct error *error)
{
	sqlite3_stmt *list = NULL;
	enum status status = database_prepare(store->database,
	                                      "SELECT uid, name, used_at_s, message FROM sample"
	                                      " ORDER BY used_at_s, id",
	                                      &list, error);
	if (status != STATUS_OK)
		return status;
	int code;
	while ((code = sqlite3_step(list)) == SQLITE_ROW) {
		struct stored_sample sample = {
		        .user = (uint64_t)sqlite3_column_int64(list, 0),
		        .used_at_s = sqlite3_column_int64(list, 2),
		};
		const void *name = sqlite3_column_blob(list, 1);
		int length = sqlite3_column_bytes(list, 1);
		if (name == NULL || length != STORE_SAMPLE_NAME_BYTES) {
			status = error_set(error, STATUS_CORRUPT, "sample: a name of %d bytes",
			                   length);
			break;
		}
		memcpy(sample.name, name, sizeof sample.name);
		sample.message = sqlite3_column_blob(list, 3);
		sample.message_bytes = (size_t)sqlite3_column_bytes(list, 3);
		if (sample.message_bytes > STORE_SAMPLE_BYTES_MAX)
			sample.message = NULL;
		each(data, &sample);
	}
	if (status == STATUS_OK && code != SQLITE_DONE)
		status = database_failure(store->database, "samples", error);
	sqlite3_finalize(list);
	return status;
}
