/* SPDX-License-Identifier: Apache-2.0 */
/* Saving and loading what was observed: one row a record, written many at a time. */
#include "store/observations.h"

#include "store/database.h"

#include <stdlib.h>
#include <string.h>

static const char *const kept_sql[STATEMENT_COUNT] = {
        [STATEMENT_SAVE_RECORD] = "INSERT INTO record (kernel, launch, device, kind, uid, state,"
                                  " sequence) VALUES (?, ?, ?, ?, ?, ?, ?)"
                                  " ON CONFLICT (kernel, launch, device, kind, uid) DO UPDATE"
                                  " SET state = excluded.state, sequence = excluded.sequence",
        [STATEMENT_DELETE_RECORD] = "DELETE FROM record WHERE kernel = ? AND launch = ?"
                                    " AND device = ? AND kind = ? AND uid = ?",
        [STATEMENT_DELETE_LAUNCH] =
                "DELETE FROM observed_launch WHERE kernel = ?1 AND launch = ?2 AND NOT EXISTS"
                " (SELECT 1 FROM record WHERE kernel = ?1 AND launch = ?2)",
        [STATEMENT_DELETE_KERNEL] = "DELETE FROM observed_kernel WHERE kernel = ?1 AND NOT EXISTS"
                                    " (SELECT 1 FROM record WHERE kernel = ?1)",
        [STATEMENT_SAVE_KERNEL] = "INSERT INTO observed_kernel (kernel, name, device)"
                                  " VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
        [STATEMENT_SAVE_LAUNCH] =
                "INSERT INTO observed_launch (kernel, launch, dimensions, global_0, global_1,"
                " global_2, local_0, local_1, local_2, arguments)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        [STATEMENT_SAVE_USER] = "INSERT INTO observer (device, kind, uid, state)"
                                " VALUES (?, ?, ?, ?)"
                                " ON CONFLICT DO UPDATE SET state = excluded.state",
        [STATEMENT_DELETE_USER] = "DELETE FROM observer WHERE device = ? AND kind = ? AND uid = ?",
        [STATEMENT_LOAD_SEQUENCE] = "SELECT sequence FROM identity",
        [STATEMENT_SAVE_SEQUENCE] = "UPDATE identity SET sequence = ?",
};

/* The statement, ready to be bound, or NULL and why. */
static sqlite3_stmt *kept(struct store *store, enum kept_statement which, struct error *error)
{
	sqlite3_stmt **statement = &store->kept[which];
	if (*statement == NULL &&
	    sqlite3_prepare_v3(store->database, kept_sql[which], -1, SQLITE_PREPARE_PERSISTENT,
	                       statement, NULL) != SQLITE_OK) {
		(void)database_failure(store->database, "observations", error);
		return NULL;
	}
	(void)sqlite3_reset(*statement);
	return *statement;
}

/* ---- saving -------------------------------------------------------------------------------- */

static enum status run_kept(struct store *store, sqlite3_stmt *statement, struct error *error)
{
	enum status status = step_done(store->database, statement, "observations", error);
	(void)sqlite3_reset(statement);
	return status;
}

static enum status load_sequence(struct store *store, sqlite3_int64 *sequence,
                                 struct error *error)
{
	sqlite3_stmt *statement = kept(store, STATEMENT_LOAD_SEQUENCE, error);
	if (statement == NULL)
		return error->status;
	enum status status = STATUS_OK;
	if (sqlite3_step(statement) == SQLITE_ROW)
		*sequence = sqlite3_column_int64(statement, 0);
	else
		status = database_failure(store->database, "observations", error);
	(void)sqlite3_reset(statement);
	return status;
}

static enum status save_sequence(struct store *store, sqlite3_int64 sequence, struct error *error)
{
	sqlite3_stmt *statement = kept(store, STATEMENT_SAVE_SEQUENCE, error);
	if (statement == NULL)
		return error->status;
	(void)sqlite3_bind_int64(statement, 1, sequence);
	return run_kept(store, statement, error);
}

/* *sequence: of the record saved last. */
static enum status save_record(struct store *store, const struct correction_record *record,
                               sqlite3_int64 *sequence, struct error *error)
{
	uint8_t state[CORRECTION_RECORD_BYTES];
	bool is_gone = record->sample_count == 0;
	sqlite3_stmt *statement =
	        kept(store, is_gone ? STATEMENT_DELETE_RECORD : STATEMENT_SAVE_RECORD, error);
	if (statement == NULL)
		return error->status;
	bind_bits(statement, 1, record->kernel);
	bind_bits(statement, 2, record->launch.key);
	bind_bits(statement, 3, record->device);
	bind_bits(statement, 4, record->launch.kind);
	bind_bits(statement, 5, record->uid);
	if (!is_gone) {
		(void)sqlite3_bind_blob(statement, 6, state, (int)correction_encode(record, state),
		                        SQLITE_STATIC);
		(void)sqlite3_bind_int64(statement, 7, ++*sequence);
	}
	return run_kept(store, statement, error);
}

/* In their order, so that what is read after a sequence misses none. */
static enum status save_each(struct store *store, const struct observed_changes *changes,
                             struct error *error)
{
	sqlite3_int64 sequence = 0;
	if (changes->record_count == 0)
		return STATUS_OK;
	enum status status = load_sequence(store, &sequence, error);
	for (size_t i = 0; i < changes->record_count && status == STATUS_OK; i++)
		status = save_record(store, &changes->records[i], &sequence, error);
	return status == STATUS_OK ? save_sequence(store, sequence, error) : status;
}

static enum status save_user(struct store *store, const struct correction_user *user,
                             struct error *error)
{
	bool is_gone = user->size == 0;
	sqlite3_stmt *statement =
	        kept(store, is_gone ? STATEMENT_DELETE_USER : STATEMENT_SAVE_USER, error);
	if (statement == NULL)
		return error->status;
	bind_bits(statement, 1, user->device);
	bind_bits(statement, 2, user->kind);
	bind_bits(statement, 3, user->uid);
	if (!is_gone)
		(void)sqlite3_bind_blob(statement, 4, user->bytes, (int)user->size, SQLITE_STATIC);
	return run_kept(store, statement, error);
}

/* The words that no record needs any more, after one was deleted. */
static enum status delete_words(struct store *store, const struct correction_record *record,
                                struct error *error)
{
	sqlite3_stmt *launch = kept(store, STATEMENT_DELETE_LAUNCH, error);
	if (launch == NULL)
		return error->status;
	bind_bits(launch, 1, record->kernel);
	bind_bits(launch, 2, record->launch.key);
	enum status status = run_kept(store, launch, error);
	if (status != STATUS_OK)
		return status;
	sqlite3_stmt *kernel = kept(store, STATEMENT_DELETE_KERNEL, error);
	if (kernel == NULL)
		return error->status;
	bind_bits(kernel, 1, record->kernel);
	return run_kept(store, kernel, error);
}

/* Cut to what fits, where a character of UTF-8 ends. */
static void bind_cut(sqlite3_stmt *statement, int place, const char *text, size_t room)
{
	size_t length = strnlen(text, room);
	if (length == room) {
		length--;
		while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80)
			length--;
	}
	(void)sqlite3_bind_text(statement, place, text, (int)length, SQLITE_STATIC);
}

static enum status save_words(struct store *store, const struct launch_words *words,
                              struct error *error)
{
	sqlite3_stmt *kernel = kept(store, STATEMENT_SAVE_KERNEL, error);
	if (kernel == NULL)
		return error->status;
	bind_bits(kernel, 1, words->kernel);
	bind_cut(kernel, 2, words->kernel_name, STORE_KERNEL_NAME_MAX);
	bind_cut(kernel, 3, words->device_key != NULL ? words->device_key : "", DEVICE_KEY_MAX);
	enum status status = run_kept(store, kernel, error);
	if (status != STATUS_OK)
		return status;
	sqlite3_stmt *launch = kept(store, STATEMENT_SAVE_LAUNCH, error);
	if (launch == NULL)
		return error->status;
	bind_bits(launch, 1, words->kernel);
	bind_bits(launch, 2, words->launch);
	bind_bits(launch, 3, words->dimensions);
	for (int i = 0; i < STORE_SIZES; i++)
		bind_bits(launch, 4 + i, words->sizes[i]);
	bind_cut(launch, 4 + STORE_SIZES, words->arguments, STORE_ARGUMENTS_MAX);
	return run_kept(store, launch, error);
}

enum status store_save_records(struct store *store, const struct observed_changes *changes,
                               bool power_loss, struct error *error)
{
	const struct correction_record *records = changes->records;
	sqlite3 *database = store->database;
	struct error ignored;
	if (error == NULL)
		error = &ignored;
	enum status status = database_synchronise(store, power_loss, error);
	if (status == STATUS_OK)
		status = database_run(database, "BEGIN IMMEDIATE", error);
	if (status != STATUS_OK)
		return status;
	for (size_t i = 0; i < changes->word_count && status == STATUS_OK; i++)
		status = save_words(store, &changes->words[i], error);
	if (status == STATUS_OK)
		status = save_each(store, changes, error);
	for (size_t i = 0; i < changes->user_count && status == STATUS_OK; i++)
		status = save_user(store, &changes->users[i], error);
	/* when all that stays is there, lest another record's words go */
	for (size_t i = 0; i < changes->record_count && status == STATUS_OK; i++)
		if (records[i].sample_count == 0)
			status = delete_words(store, &records[i], error);
	if (status == STATUS_OK)
		status = database_run(database, "COMMIT", error);
	if (status != STATUS_OK)
		(void)sqlite3_exec(database, "ROLLBACK", NULL, NULL, NULL);
	return status;
}

/* ---- loading ------------------------------------------------------------------------------- */

/*
 * Every row of a bound statement, which ends here, as an array of elements of `size` bytes; the
 * caller frees it. A row of which `fill` makes none is skipped, and what it says told in `error`.
 */
static enum status load_rows(struct store *store, sqlite3_stmt *select,
                             enum status (*fill)(sqlite3_stmt *row, void *element,
                                                 struct error *error),
                             size_t size, void **elements, size_t *count, struct error *error)
{
	char *loaded = NULL;
	size_t used = 0, room = 0;
	struct error skipped = {.status = STATUS_OK};
	enum status status = STATUS_OK;
	int code;

	while ((code = sqlite3_step(select)) == SQLITE_ROW) {
		if (used == room) {
			room = room == 0 ? 64 : room * 2;
			char *grown = realloc(loaded, room * size);
			if (grown == NULL) {
				status = error_set(error, STATUS_NO_MEMORY,
				                   "observations: no memory");
				goto out;
			}
			loaded = grown;
		}
		used += fill(select, loaded + used * size, &skipped) == STATUS_OK;
	}
	if (code != SQLITE_DONE) {
		status = database_failure(store->database, "observations", error);
		goto out;
	}
	*elements = loaded;
	*count = used;
	loaded = NULL; /* moved to the caller */
	if (error != NULL)
		*error = skipped;
out:
	sqlite3_finalize(select);
	free(loaded);
	return status;
}

static enum status fill_record(sqlite3_stmt *row, void *element, struct error *error)
{
	struct correction_record *record = element;
	sqlite3_int64 kind = sqlite3_column_int64(row, 3), uid = sqlite3_column_int64(row, 4);
	struct error why;

	*record = (struct correction_record){
	        .kernel = (uint64_t)sqlite3_column_int64(row, 0),
	        .launch = {.key = (uint64_t)sqlite3_column_int64(row, 1), .kind = (uint8_t)kind},
	        .device = (uint64_t)sqlite3_column_int64(row, 2),
	        .uid = (uint32_t)uid,
	};
	const void *state = sqlite3_column_blob(row, 5);
	int size = sqlite3_column_bytes(row, 5);
	if (uid < 0 || uid > UINT32_MAX || kind < 0 || kind >= CORRECTION_KINDS || state == NULL)
		(void)error_set(&why, STATUS_CORRUPT, "a record's row is none");
	else if (correction_decode(state, (size_t)size, record, &why) == STATUS_OK)
		return STATUS_OK;
	return error_set(error, STATUS_CORRUPT, "an observation was skipped: %.200s", why.text);
}

enum status store_load_records(struct store *store, const uint64_t *kernel, size_t count_max,
                               struct correction_record **records, size_t *count,
                               struct error *error)
{
	sqlite3_stmt *select = NULL;
	void *loaded = NULL;
	enum status status = database_prepare(
	        store->database,
	        kernel == NULL
	                ? "SELECT kernel, launch, device, kind, uid, state FROM record LIMIT ?1"
	                : "SELECT kernel, launch, device, kind, uid, state FROM record"
	                  " WHERE kernel = ?2 LIMIT ?1",
	        &select, error);

	if (status != STATUS_OK)
		return status;
	(void)sqlite3_bind_int64(select, 1, (sqlite3_int64)count_max);
	if (kernel != NULL)
		bind_bits(select, 2, *kernel);
	status = load_rows(store, select, fill_record, sizeof **records, &loaded, count, error);
	if (status == STATUS_OK)
		*records = loaded;
	return status;
}

static enum status fill_changed(sqlite3_stmt *row, void *element, struct error *error)
{
	struct changed_record *changed = element;

	changed->sequence = (uint64_t)sqlite3_column_int64(row, 6);
	if (!column_text(row, 7, changed->kernel_name, sizeof changed->kernel_name))
		changed->kernel_name[0] = '\0';
	changed->is_read = fill_record(row, &changed->record, error) == STATUS_OK;
	return STATUS_OK;
}

static enum status load_identity(struct store *store, struct changed_records *changed,
                                 struct error *error)
{
	sqlite3_stmt *select = NULL;
	enum status status = database_prepare(
	        store->database, "SELECT store, sequence FROM identity", &select, error);

	if (status != STATUS_OK)
		return status;
	if (sqlite3_step(select) != SQLITE_ROW)
		status = database_failure(store->database, "observations", error);
	else if (sqlite3_column_bytes(select, 0) != STORE_IDENTITY_BYTES)
		status = error_set(error, STATUS_CORRUPT, "observations: the store's identity");
	else
		memcpy(changed->store, sqlite3_column_blob(select, 0), STORE_IDENTITY_BYTES);
	changed->last = (uint64_t)sqlite3_column_int64(select, 1);
	sqlite3_finalize(select);
	return status;
}

enum status store_load_changed(struct store *store, uint64_t after, size_t count_max,
                               struct changed_records *changed, struct error *error)
{
	sqlite3_stmt *select = NULL;
	void *loaded = NULL;
	struct error ignored;
	if (error == NULL)
		error = &ignored;
	enum status status = load_identity(store, changed, error);

	if (status == STATUS_OK)
		status = database_prepare(
		        store->database,
		        "SELECT record.kernel, launch, record.device, kind, uid, state, sequence,"
		        " coalesce(name, '') FROM record LEFT JOIN observed_kernel"
		        " ON observed_kernel.kernel = record.kernel"
		        " WHERE sequence > ?1 ORDER BY sequence LIMIT ?2",
		        &select, error);
	if (status != STATUS_OK)
		return status;
	(void)sqlite3_bind_int64(select, 1, after > INT64_MAX ? INT64_MAX : (sqlite3_int64)after);
	(void)sqlite3_bind_int64(select, 2, (sqlite3_int64)count_max);
	status = load_rows(store, select, fill_changed, sizeof *changed->records, &loaded,
	                   &changed->count, error);
	changed->records = loaded;
	if (status == STATUS_OK && changed->count == count_max && count_max > 0)
		changed->last = changed->records[count_max - 1].sequence;
	return status;
}

static enum status fill_user(sqlite3_stmt *row, void *element, struct error *error)
{
	struct correction_user *user = element;
	const void *state = sqlite3_column_blob(row, 3);
	int size = sqlite3_column_bytes(row, 3);
	sqlite3_int64 kind = sqlite3_column_int64(row, 1);

	(void)error;
	if (state == NULL || kind < 0 || kind >= CORRECTION_KINDS || size > CORRECTION_USER_BYTES)
		return STATUS_CORRUPT;
	*user = (struct correction_user){
	        .device = (uint64_t)sqlite3_column_int64(row, 0),
	        .kind = (uint32_t)kind,
	        .uid = (uint32_t)sqlite3_column_int64(row, 2),
	        .size = (uint32_t)size,
	};
	memcpy(user->bytes, state, (size_t)size);
	return STATUS_OK;
}

enum status store_load_users(struct store *store, size_t count_max, struct correction_user **users,
                             size_t *count, struct error *error)
{
	sqlite3_stmt *select = NULL;
	void *loaded = NULL;
	enum status status = database_prepare(
	        store->database, "SELECT device, kind, uid, state FROM observer LIMIT ?", &select,
	        error);

	if (status != STATUS_OK)
		return status;
	(void)sqlite3_bind_int64(select, 1, (sqlite3_int64)count_max);
	status = load_rows(store, select, fill_user, sizeof **users, &loaded, count, error);
	if (status == STATUS_OK)
		*users = loaded;
	return status;
}

static enum status fill_launch(sqlite3_stmt *row, void *element, struct error *error)
{
	struct launch_entry *entry = element;
	sqlite3_int64 dimensions = sqlite3_column_int64(row, 1);

	(void)error;
	entry->launch = (uint64_t)sqlite3_column_int64(row, 0);
	entry->dimensions = dimensions >= 1 && dimensions <= 3 ? (uint32_t)dimensions : 3;
	for (int i = 0; i < STORE_SIZES; i++)
		entry->sizes[i] = (uint64_t)sqlite3_column_int64(row, 2 + i);
	if (!column_text(row, 8, entry->arguments, sizeof entry->arguments))
		entry->arguments[0] = '\0';
	return STATUS_OK;
}

enum status store_load_launches(struct store *store, uint64_t kernel, size_t count_max,
                                struct launch_entry **entries, size_t *count, struct error *error)
{
	sqlite3_stmt *select = NULL;
	void *loaded = NULL;
	enum status status =
	        database_prepare(store->database,
	                         "SELECT launch, dimensions, global_0, global_1, global_2, local_0,"
	                         " local_1, local_2, arguments FROM observed_launch"
	                         " WHERE kernel = ?1 LIMIT ?2",
	                         &select, error);

	if (status != STATUS_OK)
		return status;
	bind_bits(select, 1, kernel);
	(void)sqlite3_bind_int64(select, 2, (sqlite3_int64)count_max);
	status = load_rows(store, select, fill_launch, sizeof **entries, &loaded, count, error);
	if (status == STATUS_OK)
		*entries = loaded;
	return status;
}

static enum status fill_kernel(sqlite3_stmt *row, void *element, struct error *error)
{
	uint64_t *kernel = element;

	(void)error;
	*kernel = (uint64_t)sqlite3_column_int64(row, 0);
	return STATUS_OK;
}

enum status store_find_kernels(struct store *store, const struct kernel_filter *filter,
                               uint64_t **kernels, size_t *count, struct error *error)
{
	sqlite3_stmt *select = NULL;
	void *found = NULL;
	enum status status = database_prepare(
	        store->database,
	        "SELECT kernel FROM observed_kernel WHERE (?1 IS NULL OR name = ?1)"
	        " AND (?2 IS NULL OR device = ?2) AND (NOT ?3 OR device <> '')",
	        &select, error);

	if (status != STATUS_OK)
		return status;
	if (filter->name != NULL)
		bind_cut(select, 1, filter->name, STORE_KERNEL_NAME_MAX);
	if (filter->device_key != NULL)
		bind_cut(select, 2, filter->device_key, DEVICE_KEY_MAX);
	bind_bits(select, 3, filter->is_sourceless);
	status = load_rows(store, select, fill_kernel, sizeof **kernels, &found, count, error);
	if (status == STATUS_OK)
		*kernels = found;
	return status;
}
