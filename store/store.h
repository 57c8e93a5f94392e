/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What outlives the daemon: calibrations, in SQLite (WAL, STRICT tables,
 * append-only migrations numbered by user_version). The only user of sqlite3.
 * One thread at a time may use a store. Calls block on the disk: never call
 * them on the daemon's loop.
 */
#ifndef PREDICTD_STORE_STORE_H
#define PREDICTD_STORE_STORE_H

#include "model/device.h"
#include "model/status.h"

struct store;

/*
 * Opens or creates DIRECTORY/predictd.db and migrates it.
 * A corrupt file is set aside as predictd.db.corrupt-<time>, its path in `error->text`
 * with STATUS_OK returned and a fresh database opened (error->status is STATUS_CORRUPT then).
 * STATUS_UNSUPPORTED: made by a newer version. STATUS_IO: directory, permissions, disk.
 */
enum status store_open(const char *directory, struct store **store, struct error *error);
void store_close(struct store *store); /* accepts NULL */

/*
 * Keeps a calibration as a new, immutable version of the device. device->epoch is the
 * least that it may get (0: any), and is set to the one that it got, never used before.
 * All or nothing. STATUS_IO: disk full, read-only, locked too long.
 */
enum status store_save_calibration(struct store *store, struct device *device, struct error *error);

/*
 * The newest calibration of every device known. *devices is the caller's, to free().
 * A row that fails device_check is skipped and named in error->text (status CORRUPT),
 * with STATUS_OK returned.
 */
enum status store_load_calibrations(struct store *store, struct device **devices, size_t *count,
                                    struct error *error);

#endif
