/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of what a state folder keeps, and the way back. Calls block on the disk. */
#ifndef PREDICTD_STORE_BACKUP_H
#define PREDICTD_STORE_BACKUP_H

#include "model/status.h"

#include <stddef.h>

/*
 * What DIRECTORY/predictd.db has at one moment, with every transaction committed before. Another
 * thread or process may have it open, and write. *fd reads the copy, which has no name; the
 * caller's, to close(). The folder has to have room for it. STATUS_IO: disk, or no such database.
 */
enum status store_backup(const char *directory, int *fd, struct error *error);

/*
 * Puts a backup in the place of DIRECTORY/predictd.db, which is set aside as
 * predictd.db.replaced-<time>, or nothing: the backup is copied, checked and migrated first.
 *
 * aside   out: where what was there is now; empty: there was nothing
 *
 * STATUS_BUSY: a daemon has the folder. STATUS_CORRUPT, STATUS_UNSUPPORTED: no backup, or of a
 * newer predictd. STATUS_IO: disk, permissions, no such folder.
 */
enum status store_restore(const char *file, const char *directory, char *aside, size_t room,
                          struct error *error);

#endif
