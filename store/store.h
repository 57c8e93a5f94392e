/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What outlives the daemon: calibrations, analysed programs and samples (and observations:
 * store/observations.h), in SQLite (WAL, STRICT tables, append-only migrations numbered by
 * user_version). The only user of sqlite3.
 * One thread at a time may use a store. Calls block on the disk: never call
 * them on the daemon's loop.
 */
#ifndef PREDICTD_STORE_STORE_H
#define PREDICTD_STORE_STORE_H

#include "model/device/contention.h"
#include "model/device/device.h"
#include "model/status.h"

struct store;

/*
 * Opens or creates DIRECTORY/predictd.db and migrates it. Folders that it makes have mode 0700;
 * the database, its journals and what is set aside are its owner's alone.
 * A corrupt file is set aside as predictd.db.corrupt-<time>, its path in `error->text`
 * with STATUS_OK returned and a fresh database opened (error->status is STATUS_CORRUPT then).
 * STATUS_UNSUPPORTED: made by a newer version. STATUS_IO: directory, permissions, disk.
 * STATUS_BUSY: another process has it open, and what that knows would be lost under what this
 * one writes; waited for a second. The text says its pid where that is known, and what to do.
 */
enum status store_open(const char *directory, struct store **store, struct error *error);
void store_close(struct store *store); /* accepts NULL */

/*
 * Keeps a calibration as a new, immutable version of the device of its key, whose PCI address
 * remains the first one, as observations are filed by it. device->epoch is the
 * least that it may get (0: any), and is set to the one that it got, never used before.
 * All or nothing. STATUS_IO: disk full, read-only, locked too long. STATUS_INVALID: no key.
 */
enum status store_save_calibration(struct store *store, struct device *device, struct error *error);

/*
 * Removes every version of the calibrations of these devices, and their pairs; one that has none
 * is passed over.
 * All or nothing. STATUS_IO: as above.
 */
enum status store_remove_calibrations(struct store *store, const char (*keys)[DEVICE_KEY_MAX],
                                      size_t count, struct error *error);

/*
 * The newest calibration of every device known: a borrowed one only where there is no other.
 * *devices is the caller's, to free().
 * A row that fails device_check is skipped and named in error->text (status CORRUPT),
 * with STATUS_OK returned.
 */
enum status store_load_calibrations(struct store *store, struct device **devices, size_t *count,
                                    struct error *error);

/*
 * Keeps what two devices do to each other, in place of what was known of them; the lesser key comes
 * first (contention_order). All or nothing. STATUS_IO, STATUS_INVALID: as of a calibration.
 */
enum status store_save_pair(struct store *store, const struct contention *pair,
                            struct error *error);

/* The pairs known, the newest first, as store_load_calibrations. */
enum status store_load_pairs(struct store *store, struct contention **pairs, size_t *count,
                             struct error *error);

/*
 * A program analysed before: what the analyser replied, which is decoded as hostile input
 * whenever it is loaded.
 */
enum { STORE_KEY_BYTES = 32 };
struct stored_program {
	uint8_t key[STORE_KEY_BYTES]; /* of what it was made of */
	uint8_t *reply;
	size_t reply_bytes;
	double analysis_time_s;
	int64_t used_at_s; /* since 1970 */
};

/*
 * The program of that key that was analysed by that version; program->reply is the
 * caller's, to free(). STATUS_NOT_FOUND: there is none.
 */
enum status store_load_program(struct store *store, const char *version,
                               const uint8_t key[STORE_KEY_BYTES], struct stored_program *program,
                               struct error *error);

/* Calls `each` for every key that was analysed by that version; no reply is read. */
enum status store_list_programs(struct store *store, const char *version,
                                void (*each)(void *data, const uint8_t key[STORE_KEY_BYTES]),
                                void *data, struct error *error);

/*
 * Saves programs in one transaction, in place of those of the same keys; forgets what
 * other versions analysed, and the least recently used beyond a count and a number of
 * bytes of replies.
 */
enum status store_save_programs(struct store *store, const char *version,
                                const struct stored_program *programs, size_t count,
                                size_t count_max, size_t bytes_max, struct error *error);

/* A sample of a buffer, of one user: its message, which is decoded as hostile input. */
enum { STORE_SAMPLE_NAME_BYTES = 16, STORE_SAMPLE_BYTES_MAX = 128 << 10 };
struct stored_sample {
	uint64_t user;
	uint8_t name[STORE_SAMPLE_NAME_BYTES];
	const uint8_t *message; /* NULL: what is kept of that user and name is deleted */
	size_t message_bytes;
	int64_t used_at_s; /* since 1970 */
};

/*
 * Saves and deletes samples in one transaction. What is deleted is overwritten in the file, and
 * the journal emptied of it. STATUS_IO: as above.
 */
enum status store_save_samples(struct store *store, const struct stored_sample *samples,
                               size_t count, struct error *error);

/* Deletes every sample, as store_save_samples does; without any, nothing is written. */
enum status store_delete_samples(struct store *store, struct error *error);

/*
 * Calls `each` for every sample, the one used longest ago first; the message, of at most
 * STORE_SAMPLE_BYTES_MAX bytes, is borrowed until it returns. A longer one comes without.
 * STATUS_CORRUPT: one has no name; not all were called for.
 */
enum status store_load_samples(struct store *store,
                               void (*each)(void *data, const struct stored_sample *sample),
                               void *data, struct error *error);

/* A configuration that a search of one user has chosen, and what it is found by. */
enum {
	STORE_CHOICE_NAME_MAX = 128,
	STORE_CHOICE_SPACE_BYTES = 16,
	STORE_CHOICE_SIZES_MAX = 16,
	STORE_CHOICES_MAX = 1000 /* of one user */
};
struct stored_choice {
	uint64_t user;
	char device[DEVICE_KEY_MAX], driver[DEVICE_TEXT_MAX], name[STORE_CHOICE_NAME_MAX];
	uint8_t space[STORE_CHOICE_SPACE_BYTES];
	uint64_t sizes[STORE_CHOICE_SIZES_MAX];
	size_t size_count;
	/* what is found */
	uint32_t configuration;
	double time_s;
	bool is_over;
	int64_t used_at_s; /* since 1970; of one that is asked for: now */
};

/*
 * Saves one in place of that of the same user, device, name, space and sizes; what its user has
 * beyond STORE_CHOICES_MAX goes, that used longest ago first. STATUS_IO: as above.
 */
enum status store_save_choice(struct store *store, const struct stored_choice *choice,
                              struct error *error);

/*
 * Fills what is found, and counts it as used, once a day. STATUS_NOT_FOUND: there is none, or it is
 * another driver's. STATUS_CORRUPT: it is none.
 */
enum status store_load_choice(struct store *store, struct stored_choice *choice,
                              struct error *error);

/*
 * Deletes those of a user, or of all; of a device, or (NULL) of all; that were last used before a
 * time.
 */
enum status store_delete_choices(struct store *store, bool has_user, uint64_t user,
                                 const char *device, int64_t before_s, struct error *error);

#endif
