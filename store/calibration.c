/* SPDX-License-Identifier: Apache-2.0 */
/* Saving and loading calibrations: immutable versions, numbered by epoch. */
#include "store/database.h"

#include <stdlib.h>
#include <string.h>

/* Older versions of a device than its newest so many are forgotten. */
enum { STORE_VERSIONS_KEPT = 16, STORE_DEVICES_MAX = 256 };

static void bind_identity(sqlite3_stmt *statement, const struct device *device)
{
	bind_text(statement, 1, device->key);
	bind_text(statement, 2, device->platform);
	bind_text(statement, 3, device->vendor);
	bind_text(statement, 4, device->name);
	bind_text(statement, 5, device->uuid);
	bind_text(statement, 6, device->pci);
	bind_bits(statement, 7, device->type);
	bind_bits(statement, 8, device->compute_units);
}

static enum status save_device(sqlite3 *database, const struct device *device, sqlite3_int64 *id,
                               struct error *error)
{
	sqlite3_stmt *insert = NULL, *find = NULL;
	enum status status =
	        database_prepare(database,
	                         "INSERT INTO device (key, platform, vendor, name, uuid, pci, type,"
	                         " compute_units) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
	                         " ON CONFLICT (key) DO UPDATE SET platform = excluded.platform,"
	                         " vendor = excluded.vendor, name = excluded.name,"
	                         " uuid = excluded.uuid, type = excluded.type,"
	                         " compute_units = excluded.compute_units",
	                         &insert, error);
	if (status == STATUS_OK)
		status = database_prepare(database, "SELECT id FROM device WHERE key = ?", &find,
		                          error);
	if (status != STATUS_OK)
		goto out;
	bind_identity(insert, device);
	status = step_done(database, insert, "calibration", error);
	if (status != STATUS_OK)
		goto out;
	bind_text(find, 1, device->key);
	if (sqlite3_step(find) == SQLITE_ROW)
		*id = sqlite3_column_int64(find, 0);
	else
		status = database_failure(database, "device", error);
out:
	sqlite3_finalize(insert);
	sqlite3_finalize(find);
	return status;
}

static enum status save_version(sqlite3 *database, const struct device *device,
                                sqlite3_int64 device_id, sqlite3_int64 *epoch, struct error *error)
{
	sqlite3_stmt *insert = NULL;
	enum status status = database_prepare(
	        database,
	        "INSERT INTO calibration (epoch, device_id, calibrated_at_s, duration_s, is_quick,"
	        " was_busy, driver, version, clock_mhz, max_group_items, max_item_size_0,"
	        " max_item_size_1, max_item_size_2, local_bytes, global_bytes,"
	        " max_allocation_bytes, has_double, has_half, allows_uneven_groups, language,"
	        " doubts, borrowed_nodes)"
	        " VALUES (max(?19, (SELECT coalesce(max(seq), 0) + 1 FROM sqlite_sequence"
	        " WHERE name = 'calibration')), ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11,"
	        " ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?20, ?21, ?22)",
	        &insert, error);
	if (status != STATUS_OK)
		return status;
	(void)sqlite3_bind_int64(insert, 1, device_id);
	(void)sqlite3_bind_int64(insert, 2, device->calibrated_at_s);
	(void)sqlite3_bind_double(insert, 3, device->duration_s);
	bind_bits(insert, 4, device->is_quick);
	bind_bits(insert, 5, device->was_busy);
	bind_text(insert, 6, device->driver);
	bind_text(insert, 7, device->version);
	bind_bits(insert, 8, device->clock_mhz);
	bind_bits(insert, 9, device->max_group_items);
	for (int i = 0; i < 3; i++)
		bind_bits(insert, 10 + i, device->max_item_sizes[i]);
	bind_bits(insert, 13, device->local_bytes);
	bind_bits(insert, 14, device->global_bytes);
	bind_bits(insert, 15, device->max_allocation_bytes);
	bind_bits(insert, 16, device->has_double);
	bind_bits(insert, 17, device->has_half);
	bind_bits(insert, 18, device->allows_uneven_groups);
	bind_bits(insert, 19, device->epoch);
	(void)sqlite3_bind_blob(insert, 20, device->language, (int)device->language_bytes,
	                        SQLITE_STATIC);
	bind_text(insert, 21, device->doubts);
	bind_bits(insert, 22, device->borrowed_nodes);
	status = step_done(database, insert, "calibration", error);
	if (status == STATUS_OK)
		*epoch = sqlite3_last_insert_rowid(database);
	sqlite3_finalize(insert);
	return status;
}

static enum status save_coefficients(sqlite3 *database, const struct device *device,
                                     sqlite3_int64 epoch, struct error *error)
{
	sqlite3_stmt *insert = NULL;
	enum status status =
	        database_prepare(database,
	                         "INSERT INTO coefficient (epoch, name, value, standard_error)"
	                         " VALUES (?, ?, ?, ?)",
	                         &insert, error);
	for (unsigned i = 0; i < COEFFICIENT_COUNT && status == STATUS_OK; i++) {
		if (!device->coefficient[i].is_known)
			continue;
		char name[COEFFICIENT_NAME_MAX];
		coefficient_name(i, name);
		(void)sqlite3_reset(insert);
		(void)sqlite3_bind_int64(insert, 1, epoch);
		bind_text(insert, 2, name);
		(void)sqlite3_bind_double(insert, 3, device->coefficient[i].value);
		(void)sqlite3_bind_double(insert, 4, device->coefficient[i].standard_error);
		status = step_done(database, insert, "calibration", error);
	}
	sqlite3_finalize(insert);
	return status;
}

static enum status forget_old(sqlite3 *database, sqlite3_int64 device_id, struct error *error)
{
	sqlite3_stmt *forget = NULL;
	enum status status =
	        database_prepare(database,
	                         "DELETE FROM calibration WHERE device_id = ?1 AND epoch NOT IN"
	                         " (SELECT epoch FROM calibration WHERE device_id = ?1 ORDER BY"
	                         " borrowed_nodes > 0, epoch DESC LIMIT ?2)",
	                         &forget, error);
	if (status == STATUS_OK) {
		(void)sqlite3_bind_int64(forget, 1, device_id);
		(void)sqlite3_bind_int(forget, 2, STORE_VERSIONS_KEPT);
		status = step_done(database, forget, "calibration", error);
	}
	sqlite3_finalize(forget);
	return status;
}

enum status store_save_calibration(struct store *store, struct device *device, struct error *error)
{
	sqlite3 *database = store->database;
	sqlite3_int64 device_id = 0, epoch = 0;
	enum status status = device_check(device, error);
	if (status == STATUS_OK && !key_is_valid(device->key))
		status = error_set(error, STATUS_INVALID, "calibration: want a device with a key");
	if (status != STATUS_OK)
		return status;
	/* calibrations are rare and dear: each is on the disk before it is answered */
	status = database_synchronise(store, true, error);
	if (status == STATUS_OK)
		status = database_run(database, "BEGIN IMMEDIATE", error);
	if (status != STATUS_OK)
		return status;
	status = save_device(database, device, &device_id, error);
	if (status == STATUS_OK)
		status = save_version(database, device, device_id, &epoch, error);
	if (status == STATUS_OK)
		status = save_coefficients(database, device, epoch, error);
	if (status == STATUS_OK)
		status = forget_old(database, device_id, error);
	if (status == STATUS_OK)
		status = database_run(database, "COMMIT", error);
	if (status != STATUS_OK) {
		(void)sqlite3_exec(database, "ROLLBACK", NULL, NULL, NULL);
		return status;
	}
	device->epoch = (uint64_t)epoch;
	return STATUS_OK;
}

enum status store_remove_calibrations(struct store *store, const char (*keys)[DEVICE_KEY_MAX],
                                      size_t count, struct error *error)
{
	sqlite3 *database = store->database;
	sqlite3_stmt *remove = NULL;
	enum status status = database_synchronise(store, true, error);
	if (status == STATUS_OK)
		status = database_run(database, "BEGIN IMMEDIATE", error);
	if (status != STATUS_OK)
		return status;
	static const char *const statements[] = {
	        "DELETE FROM device WHERE key = ?",
	        "DELETE FROM pair WHERE key = ?1 OR other_key = ?1",
	};
	for (size_t j = 0; j < sizeof statements / sizeof statements[0]; j++) {
		if (status == STATUS_OK)
			status = database_prepare(database, statements[j], &remove, error);
		for (size_t i = 0; i < count && status == STATUS_OK; i++) {
			(void)sqlite3_reset(remove);
			bind_text(remove, 1, keys[i]);
			status = step_done(database, remove, "calibration", error);
		}
		sqlite3_finalize(remove);
		remove = NULL;
	}
	if (status == STATUS_OK)
		status = database_run(database, "COMMIT", error);
	if (status != STATUS_OK)
		(void)sqlite3_exec(database, "ROLLBACK", NULL, NULL, NULL);
	return status;
}

/* The columns of load_versions; false when one does not fit. */
static bool load_row(sqlite3_stmt *row, struct device *device)
{
	memset(device, 0, sizeof *device);
	device->epoch = (uint64_t)sqlite3_column_int64(row, 7); /* names it, also when it is bad */
	bool fits = column_text(row, 0, device->platform, sizeof device->platform) &&
	            column_text(row, 1, device->vendor, sizeof device->vendor) &&
	            column_text(row, 2, device->name, sizeof device->name) &&
	            column_text(row, 3, device->uuid, sizeof device->uuid) &&
	            column_text(row, 4, device->pci, sizeof device->pci) &&
	            column_text(row, 12, device->driver, sizeof device->driver) &&
	            column_text(row, 13, device->version, sizeof device->version) &&
	            column_text(row, 25, device->key, sizeof device->key) &&
	            key_is_valid(device->key) &&
	            column_text(row, 27, device->doubts, sizeof device->doubts);
	const void *language = sqlite3_column_blob(row, 26);
	int language_bytes = sqlite3_column_bytes(row, 26);
	sqlite3_int64 type = sqlite3_column_int64(row, 5), units = sqlite3_column_int64(row, 6);
	sqlite3_int64 nodes = sqlite3_column_int64(row, 28);
	if (language_bytes < 0 || language_bytes > DEVICE_LANGUAGE_MAX)
		return false;
	if (language != NULL)
		memcpy(device->language, language, (size_t)language_bytes);
	device->language_bytes = language != NULL ? (uint32_t)language_bytes : 0;
	if (!fits || type < 0 || type > DEVICE_OTHER || units < 0 || units > UINT32_MAX ||
	    nodes < 0 || nodes > UINT32_MAX)
		return false;
	device->type = (uint8_t)type;
	device->compute_units = (uint32_t)units;
	device->calibrated_at_s = sqlite3_column_int64(row, 8);
	device->duration_s = sqlite3_column_double(row, 9);
	device->is_quick = sqlite3_column_int(row, 10) != 0;
	device->was_busy = sqlite3_column_int(row, 11) != 0;
	device->clock_mhz = (uint32_t)sqlite3_column_int64(row, 14);
	device->max_group_items = (uint64_t)sqlite3_column_int64(row, 15);
	for (int i = 0; i < 3; i++)
		device->max_item_sizes[i] = (uint64_t)sqlite3_column_int64(row, 16 + i);
	device->local_bytes = (uint64_t)sqlite3_column_int64(row, 19);
	device->global_bytes = (uint64_t)sqlite3_column_int64(row, 20);
	device->max_allocation_bytes = (uint64_t)sqlite3_column_int64(row, 21);
	device->has_double = sqlite3_column_int(row, 22) != 0;
	device->has_half = sqlite3_column_int(row, 23) != 0;
	device->allows_uneven_groups = sqlite3_column_int(row, 24) != 0;
	device->borrowed_nodes = (uint32_t)nodes;
	device->is_calibrated = true;
	return true;
}

static enum status load_coefficients(sqlite3 *database, sqlite3_stmt *select, struct device *device,
                                     struct error *error)
{
	(void)sqlite3_reset(select);
	bind_bits(select, 1, device->epoch);
	int code;
	while ((code = sqlite3_step(select)) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(select, 0);
		if (name == NULL) { /* the column is NOT NULL: memory is short */
			code = sqlite3_errcode(database);
			break;
		}
		/* a name that this version does not know is a newer one's: left alone */
		int id = coefficient_find(name);
		if (id < 0)
			continue;
		device->coefficient[id] = (struct coefficient){
		        .value = sqlite3_column_double(select, 1),
		        .standard_error = sqlite3_column_double(select, 2),
		        .is_known = true,
		};
	}
	if (code != SQLITE_DONE)
		return database_failure(database, "coefficient", error);
	return STATUS_OK;
}

enum status store_load_calibrations(struct store *store, struct device **devices, size_t *count,
                                    struct error *error)
{
	sqlite3 *database = store->database;
	sqlite3_stmt *versions = NULL, *coefficients = NULL;
	struct device *loaded = NULL;
	size_t used = 0, room = 0;
	struct error skipped = {.status = STATUS_OK};

	enum status status = database_prepare(
	        database,
	        "SELECT platform, vendor, name, uuid, pci, type, compute_units, epoch,"
	        " calibrated_at_s, duration_s, is_quick, was_busy, driver, version, clock_mhz,"
	        " max_group_items, max_item_size_0, max_item_size_1, max_item_size_2,"
	        " local_bytes, global_bytes, max_allocation_bytes, has_double, has_half,"
	        " allows_uneven_groups, key, language, doubts, borrowed_nodes FROM device JOIN"
	        " calibration ON device_id = device.id"
	        " WHERE epoch = (SELECT epoch FROM calibration AS newest"
	        " WHERE newest.device_id = device.id ORDER BY borrowed_nodes > 0, epoch DESC LIMIT "
	        "1)"
	        " ORDER BY epoch LIMIT ?",
	        &versions, error);
	if (status == STATUS_OK)
		status = database_prepare(
		        database,
		        "SELECT name, value, standard_error FROM coefficient WHERE epoch = ?",
		        &coefficients, error);
	if (status != STATUS_OK)
		goto out;
	(void)sqlite3_bind_int(versions, 1, STORE_DEVICES_MAX);

	int code;
	while ((code = sqlite3_step(versions)) == SQLITE_ROW) {
		if (used == room) {
			room = room == 0 ? 4 : room * 2;
			struct device *grown = realloc(loaded, room * sizeof *grown);
			if (grown == NULL) {
				status = error_set(error, STATUS_NO_MEMORY,
				                   "calibrations: no memory");
				goto out;
			}
			loaded = grown;
		}
		struct device *device = &loaded[used];
		struct error why = {.status = STATUS_OK};
		if (!load_row(versions, device)) {
			if (sqlite3_errcode(database) == SQLITE_NOMEM) {
				status = database_failure(database, "calibrations", error);
				goto out;
			}
			error_set(&skipped, STATUS_CORRUPT,
			          "calibration %llu: a field does not fit",
			          (unsigned long long)device->epoch);
			continue;
		}
		status = load_coefficients(database, coefficients, device, error);
		if (status != STATUS_OK)
			goto out;
		if (device_check(device, &why) == STATUS_OK)
			used++;
		else
			error_set(&skipped, STATUS_CORRUPT, "calibration %llu of %s: %.120s",
			          (unsigned long long)device->epoch, device->name, why.text);
	}
	if (code != SQLITE_DONE) {
		status = database_failure(database, "calibrations", error);
		goto out;
	}
	*devices = loaded;
	*count = used;
	loaded = NULL; /* moved to the caller */
	if (error != NULL)
		*error = skipped;
out:
	sqlite3_finalize(versions);
	sqlite3_finalize(coefficients);
	free(loaded);
	return status;
}
