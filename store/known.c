/* SPDX-License-Identifier: Apache-2.0 */
/* What is kept of kernels and of users, counted. */
#include "store/known.h"

#include "store/database.h"

enum status store_list_kernels(struct store *store, const struct known_scope *scope,
                               struct known_kernel *kernels, size_t *count, struct error *error)
{
	sqlite3_stmt *rows = NULL;
	size_t room = *count;
	int code = SQLITE_DONE;
	*count = 0;
	enum status status = database_prepare(
	        store->database,
	        "SELECT record.kernel, coalesce(name, ''), count(DISTINCT uid), count(*),"
	        " sum(length(state)) FROM record"
	        " LEFT JOIN observed_kernel ON observed_kernel.kernel = record.kernel"
	        " WHERE ?1 OR uid = ?2 GROUP BY record.kernel"
	        " ORDER BY count(*) DESC, record.kernel LIMIT ?3 OFFSET ?4",
	        &rows, error);
	if (status != STATUS_OK)
		return status;
	bind_bits(rows, 1, scope->is_everybody);
	bind_bits(rows, 2, scope->user);
	bind_bits(rows, 3, room);
	(void)sqlite3_bind_int64(rows, 4, (sqlite3_int64)(scope->offset & INT64_MAX));
	while (*count < room && (code = sqlite3_step(rows)) == SQLITE_ROW) {
		struct known_kernel *one = &kernels[*count];
		*one = (struct known_kernel){
		        .kernel = (uint64_t)sqlite3_column_int64(rows, 0),
		        .users = (uint64_t)sqlite3_column_int64(rows, 2),
		        .launches = (uint64_t)sqlite3_column_int64(rows, 3),
		        .bytes = (uint64_t)sqlite3_column_int64(rows, 4),
		};
		if (!column_text(rows, 1, one->name, sizeof one->name))
			one->name[0] = '\0';
		++*count;
	}
	if (code != SQLITE_DONE && code != SQLITE_ROW)
		status = database_failure(store->database, "kernels", error);
	sqlite3_finalize(rows);
	return status;
}

enum status store_list_users(struct store *store, const struct known_scope *scope,
                             struct known_user *users, size_t *count, struct error *error)
{
	sqlite3_stmt *rows = NULL;
	size_t room = *count;
	int code = SQLITE_DONE;
	*count = 0;
	enum status status = database_prepare(
	        store->database,
	        "SELECT uid, sum(launches), sum(bytes), sum(samples), sum(choices) FROM ("
	        " SELECT uid, count(*) AS launches, sum(length(state)) AS bytes, 0 AS samples,"
	        "  0 AS choices FROM record GROUP BY uid"
	        " UNION ALL SELECT uid, 0, sum(length(message)), count(*), 0 FROM sample"
	        "  GROUP BY uid"
	        " UNION ALL SELECT uid, 0, sum(length(name) + length(sizes)), 0, count(*)"
	        "  FROM choice GROUP BY uid)"
	        " WHERE (?1 OR uid = ?2) AND uid >= ?3 GROUP BY uid ORDER BY uid LIMIT ?4",
	        &rows, error);
	if (status != STATUS_OK)
		return status;
	bind_bits(rows, 1, scope->is_everybody);
	bind_bits(rows, 2, scope->user);
	(void)sqlite3_bind_int64(rows, 3, (sqlite3_int64)(scope->offset & INT64_MAX));
	bind_bits(rows, 4, room);
	while (*count < room && (code = sqlite3_step(rows)) == SQLITE_ROW)
		users[(*count)++] = (struct known_user){
		        .user = (uint64_t)sqlite3_column_int64(rows, 0),
		        .launches = (uint64_t)sqlite3_column_int64(rows, 1),
		        .bytes = (uint64_t)sqlite3_column_int64(rows, 2),
		        .samples = (uint64_t)sqlite3_column_int64(rows, 3),
		        .choices = (uint64_t)sqlite3_column_int64(rows, 4),
		};
	if (code != SQLITE_DONE && code != SQLITE_ROW)
		status = database_failure(store->database, "users", error);
	sqlite3_finalize(rows);
	return status;
}
